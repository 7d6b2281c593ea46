/* SPDX-License-Identifier: BSD-3-Clause
 * The log of a run: JSON lines that say what was run on what, enough to repeat it. */
#ifndef SHOAL_CLI_RUN_LOG_H
#define SHOAL_CLI_RUN_LOG_H

#include "checkpoint.h"
#include "shoal/shoal.h"

typedef struct run_log run_log;

/* What a run is, as far as a log tells. */
typedef struct run_facts {
    const char *device; /* as asked for; NULL: nothing is computed */
    const char *precision;
    const char **files;
    int n_files;
    int n_threads, n_ranks;
    int64_t first; /* system that it begins with */
} run_facts;

/* Appends to the file, which is made if it is not there. Hashing of the inputs begins, on a thread of its own.
 * Returns NULL, or what went wrong; *out is NULL then, and other calls do nothing with that. */
const char *run_log_open(run_log **out, const char *path, const run_facts *facts);

/* {"event":EVENT,..} of a system that failed. */
void run_log_system(run_log *log, const shoal_stream_system *s, const char *file);
/* A checkpoint was written. */
void run_log_checkpoint(run_log *log, const char *path, int64_t next);
/* A text: a warning, a failure. */
void run_log_note(run_log *log, const char *event, const char *text);
/* Waits for the hashes, writes the last lines and closes the log. False if something could not be written. */
bool run_log_close(run_log *log, int code, const run_counts *counts);

/* The start of a run as one JSON object: versions, command, options, devices. For logs and result files. */
void run_describe(const run_facts *facts, shoal_string *out);

#endif
