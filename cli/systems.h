/* SPDX-License-Identifier: BSD-3-Clause
 * The systems of a command: files read as a stream, typed in parallel, handed on in chunks and in
 * the order of the input. */
#ifndef SHOAL_CLI_SYSTEMS_H
#define SHOAL_CLI_SYSTEMS_H

#include "options.h"
#include "progress.h"
#include "shoal/shoal.h"

typedef struct type_override {
    int32_t atom;
    char label[8];
} type_override;

/* What the options of the groups below fill in. */
typedef struct systems_options {
    shoal_format format;
    shoal_perceive_options perceive;
    shoal_uff_options uff;
    type_override *types;
    int n_types;
    shoal_bond_override *orders;
    int n_orders;
    int n_threads;
    const char *params;             /* file of atom types, NULL: UFF's own parameters */
    shoal_atom_types *params_table; /* owned; of systems_load_params */
    bool json, quiet, verbose;
    const char *output;
    /* A chunk ends with this many systems, or early with this many atoms; 0: small chunks. */
    int32_t chunk_systems, chunk_atoms;
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

typedef struct loaded_system {
    shoal_molecule *mol;
    shoal_topology *topology; /* NULL where typing was not asked for */
} loaded_system;

typedef struct systems_chunk {
    int32_t n;
    int64_t first; /* index of systems[0] in the whole input */
    loaded_system *systems;
    progress *bar; /* for work that takes long */
} systems_chunk;

/* Called for every chunk; returns an exit code, other than 0 to stop. */
typedef int systems_visit(void *user, const systems_chunk *chunk);

/* Reads all files and calls visit. Returns an exit code; mistakes are printed. */
int systems_each(const systems_options *options, const char **files, int n_files, bool typed,
                 systems_visit *visit, void *user);

/* A topology that stands for a system which lacks an atom that an option names; what is the option in
 * words. The caller owns *out. */
shoal_status reject_system(const shoal_molecule *mol, const char *what, int32_t atom,
                           shoal_topology **out);

/* Exit code for a failed library call, with its text on stderr. */
int complain_of_status(shoal_status status);

/* The same for a failed write, whatever its status: EXIT_FILES. */
int complain_of_output(void);

/* Name for messages and tables: the molecule's, or "#index". */
const char *system_title(const shoal_molecule *mol, int64_t index, char buffer[32]);

#endif
