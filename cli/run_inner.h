/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of a run over files. */
#ifndef SHOAL_CLI_RUN_INNER_H
#define SHOAL_CLI_RUN_INNER_H

#include "output.h"
#include "progress.h"
#include "run.h"
#include "run_log.h"

typedef struct run run;

/* The rows on standard output, or one of the files. */
typedef struct run_sink {
    run *run;
    output *to; /* NULL: rows */
} run_sink;

struct run {
    const systems_options *options;
    systems_job *job;
    const char **files;
    int n_files;
    row_style style;
    shoal_results_what what; /* of files of results */
    shoal_peers peers;
    bool is_first; /* of its peers: the one that reads and writes */

    output *outputs;
    int n_outputs;
    run_sink *sinks; /* [n_outputs + 1] */
    bool prints;     /* rows on standard output */
    bool wrote_header;
    bool resumed; /* goes on with what an earlier run began */
    bool told_renaming;
    bool began; /* all that could be wrong before has been looked at */
    int32_t n_devices_lost;

    char *given_state; /* of a large system, that the stream borrows */
    checkpoint at;  /* what a checkpoint says if it is written now, and said when the run began */
    char *path;     /* of the checkpoint; NULL: none can be written */
    double saved;   /* seconds, when the last one was */
    bool has_saved; /* one is there */
    bool write_failed;
    bool stop, late; /* by a signal or, late, by --max-hours */
    run_log *log;
    progress bar;
    int code; /* of visit, or of standard output */
};

/* Looks at everything that can be wrong before anything is computed, reads the checkpoint, and opens log and
 * outputs. Returns an exit code; mistakes are printed. */
int run_begin(run *r);

#endif
