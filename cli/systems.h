/* SPDX-License-Identifier: BSD-3-Clause
 * The systems of a command: options that concern them, and the stream that runs over them. */
#ifndef SHOAL_CLI_SYSTEMS_H
#define SHOAL_CLI_SYSTEMS_H

#include "options.h"
#include "shoal/shoal.h"

/* What the options of the groups below fill in. */
typedef struct systems_options {
    shoal_format format;
    shoal_perceive_options perceive;
    shoal_uff_options uff;
    shoal_type_override *types;
    int n_types;
    shoal_bond_override *orders;
    int n_orders;
    int n_threads;
    const char *params;             /* file of atom types, NULL: UFF's own parameters */
    shoal_atom_types *params_table; /* owned; of systems_load_params */
    bool json, quiet, verbose;
    const char *output;
} systems_options;

extern const cli_option input_options[];  /* --format, --threads, --json, -q, -v */
extern const cli_option output_options[]; /* -o; also taken by take_input_option */
extern const cli_option typing_options[]; /* --dialect, --charges, --type, ... */
extern const cli_option params_options[]; /* --params */
cli_take take_input_option, take_typing_option, take_params_option;
void systems_options_free(systems_options *o);

/* Reads the table of --params, if any, for the typing of all systems and sets the mixing it is made
 * for. Returns an exit code; mistakes are printed. */
int systems_load_params(systems_options *o, shoal_mixing *mixing);

/* What a command does with its systems. */
typedef struct systems_job {
    /* Job, engine, relaxation and constraints; the rest is filled in from the options. */
    shoal_stream_options stream;
    /* Appends a system's row of the table, or its line of JSON; on any thread. NULL: nothing is printed. */
    shoal_status (*row)(void *user, const shoal_stream_system *system, shoal_string *out);
    const char *header; /* of the table, NULL: none */
    /* What is written of a system beside the molecule; on any thread. NULL: nothing. A failure leaves it
     * out. */
    shoal_status (*frame)(void *user, const shoal_stream_system *system, shoal_frame *frame);
    /* Consecutive systems in the order of the input. Returns an exit code; NULL: nothing to do. */
    int (*visit)(void *user, const shoal_stream_system *systems, int32_t n);
    void *user;
    bool writes; /* the file of -o */
    /* Filled in: */
    shoal_format output_format; /* before any frame is asked for */
    int64_t n_systems, n_evaluations;
    double seconds;
} systems_job;

/* Runs the stream of all files, with progress, and writes -o. Returns an exit code; mistakes are printed. */
int systems_run(const systems_options *options, const char **files, int n_files, systems_job *job);

/* Adds systems that are typed to a batch, which is made if it is NULL. Returns an exit code; the caller owns
 * *batch, whatever comes of it. */
int systems_batch(const shoal_stream_system *systems, int32_t n, shoal_batch **batch);

/* Exit code for a failed library call, with its text on stderr. */
int complain_of_status(shoal_status status);

/* The same for a failed write, whatever its status: EXIT_FILES. */
int complain_of_output(void);

/* Name for messages and tables: the molecule's, or "#index". */
const char *system_title(const shoal_molecule *mol, int64_t index, char buffer[32]);

#endif
