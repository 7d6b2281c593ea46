/* SPDX-License-Identifier: BSD-3-Clause
 * The systems of a command: options that concern them, and what is done with them. */
#ifndef SHOAL_CLI_SYSTEMS_H
#define SHOAL_CLI_SYSTEMS_H

#include "options.h"
#include "shoal/shoal.h"

/* What the options of the groups below fill in. */
typedef struct systems_options {
    shoal_format format;
    shoal_read_options read;
    shoal_perceive_options perceive;
    shoal_typing_options typing;
    const char *forcefield, *dialect; /* as given; NULL: not */
    /* Name of an option that only this force field has, NULL: none was given. */
    shoal_type_override *types;
    int n_types;
    shoal_bond_override *orders;
    int n_orders;
    int n_threads;
    bool add_hydrogens, keep_flat, drop_solvent, primitive, space_group, file_types, strict;
    int fragment;                 /* 1 or 2: of frames of two, 0: all */
    const char *params;           /* file of atom types, NULL: UFF's own parameters */
    shoal_pair_model *pair_model; /* owned; of systems_load_params */
    const char *topology;         /* a file, NULL: none; its topology stands in typing, owned */
    const char *like;             /* name of a program, NULL: none */
    const char *ff_table;         /* a file, NULL: none */
    shoal_ff_table *table;        /* owned; of systems_load_table */
    shoal_conformers conformers;
    bool json, quiet, verbose;
    bool positions, forces; /* in JSON */
    /* Output: */
    const char **outputs;
    int n_outputs;
    const char *output_format; /* of those whose name tells none */
    const char *trajectory;
    int trajectory_every;
    /* Runs: */
    const char *checkpoint;    /* NULL: beside the first output */
    double checkpoint_seconds; /* 0: the default */
    double max_hours;          /* 0: no limit */
    bool resume;
    int shard, n_shards;
    const char *log;
} systems_options;

/* Whether systems may have directions. */
static inline bool may_have_directions(const systems_options *o)
{
    return o->typing.forcefield == SHOAL_FORCEFIELD_MMFFSP3;
}

extern const cli_option input_options[];      /* --json, --smiles, -v */
extern const cli_option reading_options[];    /* --format, --threads, -q, ... */
extern const cli_option output_options[];     /* -o, --output-format, --positions, --forces */
extern const cli_option trajectory_options[]; /* --trajectory, --every */
extern const cli_option run_options[];        /* --resume, --checkpoint, --shard, --log, ... */
extern const cli_option conformer_options[];  /* --conformers, --conformer-seed */
extern const cli_option typing_options[];     /* --dialect, --charges, --type, ... */
extern const cli_option perceiving_options[]; /* --charge, --rebuild-bonds, ... */
extern const cli_word charge_sources[];       /* by shoal_charge_source */
cli_take take_input_option, take_output_option, take_run_option, take_typing_option;
void systems_options_free(systems_options *o);
/* False, with a message, where something is asked for that nothing shows. */
bool output_agrees(const systems_options *o);

/* Reads the tables of --params and --ff-table, if any, for the typing of all systems, and sets the mixing that goes with
 * --params, and what --like says of the engine. Returns an exit code; mistakes are printed. */
int systems_load_params(systems_options *o, shoal_engine_options *engine);

/* Reads --ff-table, if it is given. Returns an exit code; mistakes are printed. */
int systems_load_table(systems_options *o);

/* The only frame of a file, which an option names; the caller owns it. Mistakes are printed. */
shoal_status systems_read_frame(const char *option, const char *path, shoal_molecule **out);

/* Failed systems: the first ones by name. */
#define FAILURES_SHOWN 20
typedef struct failure_list {
    int n; /* lines */
    char lines[FAILURES_SHOWN][200];
} failure_list;

/* Warnings that differ in their numbers alone are of one kind. */
enum { WARNING_KINDS = 12 };
typedef struct warning_list {
    struct warning_kind {
        int64_t n;
        char key[120], first[240]; /* its text without numbers; the first system that has it */
    } kinds[WARNING_KINDS];
    int n;
    int64_t n_others;
} warning_list;

/* How rows are written. */
typedef shoal_row_style row_style;

/* What a command does with its systems. */
typedef struct systems_job {
    /* Job, engine, relaxation and constraints; the rest is filled in from the options. */
    shoal_stream_options stream;
    /* Append a system's row of the table and its line of JSON; on any thread. NULL: there is no table, and the line is that
     * of the job. */
    shoal_status (*table)(void *user, const row_style *style, const shoal_stream_system *system,
                          shoal_string *out);
    shoal_status (*json)(void *user, const row_style *style, const shoal_stream_system *system,
                         shoal_string *out);
    const char *header;      /* of the table, NULL: none */
    const char *certificate; /* where shoal_certificate_put writes, NULL: nowhere */
    /* What is written of a system beside the molecule; on any thread. NULL: its results. A failure leaves it
     * out. */
    shoal_status (*frame)(void *user, const shoal_stream_system *system, shoal_format format,
                          shoal_frame *frame);
    /* Appends what the file of --modes-out gets of a system, on any thread; NULL: such a file is one of geometries on
     * the way, of --trajectory. */
    shoal_status (*more)(void *user, const row_style *style, const shoal_stream_system *system,
                         shoal_format format, shoal_string *out);
    /* Consecutive systems in the order of the input. Returns an exit code; NULL: nothing to do. */
    int (*visit)(void *user, const shoal_stream_system *systems, int32_t n);
    bool
        plain_records; /* files of results without the number of the variant, as searches take them */
    /* Changes what is shown of a system, wherever it is written; on any thread. NULL: it is shown as it is. */
    void (*show)(void *user, shoal_stream_system *copy);
    /* A job whose results are digested as they come: what format says of each system goes, in the order of the
     * input, to digest, and the only output of the run is the journal that it writes, which replay gets when
     * the run goes on. In the end conclude does what is left to do, while the checkpoint still stands for all that was
     * computed, and returns an exit code. On any thread, and on the thread of the run. All NULL: systems go to
     * outputs. */
    shoal_status (*format)(void *user, const shoal_stream_system *system, shoal_string *out);
    shoal_status (*digest)(void *user, const char *text, size_t size, shoal_string *journal);
    shoal_status (*replay)(void *user, const char *journal, size_t size);
    int (*conclude)(void *user);
    void *user;
    const shoal_surface *slab; /* whose atoms molecule files have, too; NULL: they have not */
    double slab_c[3];          /* its third cell vector, angstrom */
    bool plans;                /* nothing is written, whatever the options say */
    bool trajectories;         /* molecule files and HDF5 take the frames of trajectories */
    /* Filled in: */
    shoal_run_counts counts;
    int64_t n_embedded; /* records of this run without a geometry */
    failure_list failures;
    warning_list warnings;
    double seconds; /* of this run */
    bool reports;   /* false for a process that worked for another, which reports */
} systems_job;

/* Exit code for a failed library call, and the same with its text on stderr. */
int exit_of_status(shoal_status status);
int complain_of_status(shoal_status status);

/* The same for a failed write, whatever its status: EXIT_FILES. */
int complain_of_output(void);

#endif
