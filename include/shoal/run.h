/* SPDX-License-Identifier: BSD-3-Clause
 * Runs: streams that write files, and that a later run can go on with.
 *
 * A stream hands its systems on in the order of the input, so what a run has done is a prefix of it. A checkpoint says
 * how long that prefix is, how much of every output belongs to it, the state of a large system on its way, and what
 * the run is made of: version, options, bytes of the inputs, models, surfaces. A run with all of that the same goes on
 * there, and its outputs end as those of a run that nobody disturbed; anything else is refused, with the reason. */
#ifndef SHOAL_RUN_H
#define SHOAL_RUN_H

#include "shoal/results.h"
#include "shoal/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum shoal_output_kind {
    SHOAL_OUTPUT_TEXT = 0,  /* what the caller's format appends: JSON lines, a journal */
    SHOAL_OUTPUT_MOLECULES, /* with what was found of them */
    SHOAL_OUTPUT_CSV,
    SHOAL_OUTPUT_HDF5,
    SHOAL_OUTPUT_FF_TABLE, /* parameters of molecules, as shoal_ff_table_put has them */
} shoal_output_kind;

/* One thing that a run writes. A file is called PATH.partial until the run is complete, and stays there when it ends
 * before. An HDF5 file has its name from the beginning, since it can be looked into while it is written; what it
 * replaces is kept as PATH.old until it is complete. Zero and NULL mean none or the default. */
typedef struct shoal_run_output {
    const char *path; /* "-" is standard output; NULL: no file, take gets the texts */
    shoal_output_kind kind;
    shoal_format format; /* of MOLECULES: SHOAL_FORMAT_XYZ or _SDF */
    bool frames; /* of trajectories, in the place of systems where they ended; MOLECULES and HDF5 */
    /* Appends the text of a system, on any thread, as that of a sink does. NULL: what the kind has; TEXT needs it. */
    shoal_status (*put)(void *user, const shoal_stream_system *system, shoal_string *out);
    /* Gets texts of consecutive systems, in the order of the input, on the thread of the run, and appends what goes to
     * the file to kept. NULL: all of it goes there. A failure ends the run. */
    shoal_status (*take)(void *user, const char *text, size_t size, shoal_string *kept);
    /* Gets what an earlier run has written, in as many pieces as it takes, where the run goes on: of TEXT the bytes,
     * of HDF5 whole records. */
    shoal_status (*replay)(void *user, const char *kept, size_t size);
    void *user; /* of these three */
} shoal_run_output;

/* Path, kind and format of an output, by the end of its name (.xyz .extxyz .sdf .jsonl .json .ndjson .csv, each also
 * .gz, .h5 .hdf5), or by the name of a format where that tells none; NULL: there is none. JSON is TEXT. Fails with
 * SHOAL_E_ARGUMENT. */
SHOAL_API shoal_status shoal_run_output_choose(shoal_run_output *out, const char *path,
                                               const char *format);

/* Appends the i-th entry of a file. */
typedef shoal_status shoal_output_entry(void *user, int64_t i, shoal_string *out);

/* Writes a whole output at once, as a run does: its entries 0 to n - 1, in order. header: of HDF5, otherwise NULL. */
SHOAL_API shoal_status shoal_run_output_write(const shoal_run_output *output,
                                              const shoal_results_header *header, int64_t n,
                                              shoal_output_entry *entry, void *user);

/* Whether two names are those of one file, by whatever path or link. */
SHOAL_API bool shoal_path_is_same(const char *a, const char *b);
/* Whether a file can be written; what is there stays as it is. Fails with SHOAL_E_IO. */
SHOAL_API shoal_status shoal_path_try(const char *path);

/* Appends what a stream finds of a system to a frame, whose pointers are borrowed from it: energy, forces, types,
 * status and where it comes from. files: of the stream. */
SHOAL_API void shoal_frame_of_system(shoal_frame *out, const shoal_stream_system *system,
                                     const char *const *files);

typedef struct shoal_run_counts {
    int64_t done, failed;       /* systems; failed ones are done, too */
    int64_t unreadable, warned; /* of those done */
    int64_t refused;            /* that a file could not take */
    int64_t no_hydrogens;       /* of those warned: valences that lack hydrogens */
    /* Systems by where their charges came from; AUTO: untyped. */
    int64_t charges[SHOAL_N_CHARGE_SOURCES];
    int64_t evaluations;
    double seconds;
} shoal_run_counts;

typedef struct shoal_run_result {
    shoal_run_counts counts; /* of all runs that went on with each other */
    int64_t evaluations;     /* of this one */
    double seconds;          /* the same */
    bool began; /* all that could be wrong before was right; false on a rank that others wait for */
    bool resumed; /* went on with an earlier one */
    bool stopped; /* by the monitor or the clock, before its end */
    bool late;    /* by the clock */
    bool saved;   /* stopped with a checkpoint, which is there now */
    bool leads;   /* false for a process that worked for another, which reports */
} shoal_run_result;

typedef enum shoal_run_event {
    SHOAL_RUN_NOTE = 0,
    SHOAL_RUN_RESUMED, /* a note: where it goes on */
    SHOAL_RUN_WARNING,
    SHOAL_RUN_FAILED,  /* the text of the failure that the run will return */
    SHOAL_RUN_STOPPED, /* by the monitor or the clock: the name of the checkpoint, "" without one */
} shoal_run_event;

/* Zero and NULL mean none or the default. Pointers are borrowed for the call. */
typedef struct shoal_run_options {
    /* What is computed. Its sinks, visit and monitor take part, the last also while inputs are compared with those of
     * a checkpoint; first and the state of a large system are set by the run. A failure of visit, and of a sink,
     * keeps the checkpoint that was there before. */
    const shoal_stream_options *stream;
    const shoal_run_output *outputs;
    int32_t n_outputs;
    /* What is written: */
    shoal_results_what what; /* CSV and HDF5 */
    const shoal_results_header
        *header; /* HDF5; its what and files are those of the run; NULL: made of the rest */
    const shoal_surface *slab; /* whose atoms MOLECULES have, too */
    double slab_c[3];          /* its third cell vector, angstrom */
    /* Fills in what MOLECULES state of a system, on any thread; NULL: what shoal_frame_of_system does. */
    shoal_status (*frame)(void *user, const shoal_stream_system *system, shoal_format format,
                          shoal_frame *frame);
    /* Changes what files show of a system, on any thread; NULL: it is shown as it is. */
    void (*show)(void *user, shoal_stream_system *copy);
    /* Going on: */
    const char *checkpoint; /* its name; NULL: that of the first file, with .checkpoint behind it */
    double seconds;         /* between two checkpoints; 0 = 60 */
    double max_seconds;     /* of this run, which then stops; 0: no limit */
    bool resume;            /* goes on with the checkpoint, if there is one */
    bool keep_checkpoint;   /* of a complete run, too: going on with it then has nothing to do */
    const char *about;      /* what matters for results and is not in stream, "KEY VALUE" a line */
    const char *const *sources; /* [n_sources] files beside the inputs whose bytes matter, too */
    int32_t n_sources;
    /* A descriptor to which a sink or a take writes lines of JSON that begin with {"index": and are cut back to
     * the checkpoint where that is a file to which nobody else has written meanwhile; 0: there is none. */
    int32_t rows;
    /* The log, JSON lines behind what is there: */
    const char *log;
    const char
        *members;   /* of the JSON object that logs and HDF5 files have of a run: "key":value,.. */
    bool log_first; /* of variants of a record that failed, only the first is logged */
    /* Exit code of the program, for the log; NULL: 0 or minus the status. */
    int32_t (*code)(void *user, const shoal_run_result *result, shoal_status status);
    /* Called once all is computed, while the checkpoint still stands for it, before outputs get their names. */
    shoal_status (*conclude)(void *user, const shoal_run_result *result);
    /* Gets texts for people, as they come. */
    void (*tell)(void *user, shoal_run_event event, const char *text);
    void *user; /* of frame, show, code, conclude and tell */
} shoal_run_options;

/* Whether a later run could go on with it: something to write to, and files, not pipes, as inputs and outputs. */
SHOAL_API bool shoal_run_can_resume(const shoal_run_options *options);

/* Runs a stream to its end, or until it is stopped, which is no failure. Inputs and outputs are opened and looked
 * at before anything is computed. With peers, all ranks call it; rank 0 reads and writes files. Fails with
 * SHOAL_E_ARGUMENT where names collide and where the checkpoint is of another run, with SHOAL_E_FORMAT where it is
 * damaged, and as streams and files do. result is filled in whatever happens. */
SHOAL_API shoal_status shoal_run_stream(const shoal_run_options *options, shoal_run_result *result);

/* Appends what is run, as one JSON object: time, version, host, devices, files and the members given. */
SHOAL_API shoal_status shoal_run_describe(const shoal_run_options *options, shoal_string *out);

/* Appends what the run of a checkpoint was about; nothing where there is none, or none that is whole. */
SHOAL_API shoal_status shoal_run_about(const char *checkpoint, shoal_string *out);

/* A digest of all that decides on the results of a stream but what callbacks do: version, options, records in
 * memory with their topologies, pair models, surfaces and grids, and, if asked for, all bytes of its files, which
 * takes about as long as to read them. SHA-256 in hexadecimal. */
SHOAL_API shoal_status shoal_stream_fingerprint(const shoal_stream_options *options, bool files,
                                                char out[65]);

#ifdef __cplusplus
}
#endif

#endif
