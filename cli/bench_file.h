/* SPDX-License-Identifier: BSD-3-Clause
 * shoal bench --what file: a whole run, from the files to the texts, and what its threads spend their time
 * on. */
#ifndef SHOAL_CLI_BENCH_FILE_H
#define SHOAL_CLI_BENCH_FILE_H

#include "options.h"
#include "shoal/shoal.h"

typedef struct bench_file {
    const shoal_engine_options *engine;
    const shoal_typing_options *typing;
    shoal_job job;
    const char *output; /* NULL: texts are made and dropped */
    int n_threads, repeats;
    bool json;
} bench_file;

extern const cli_word bench_jobs[]; /* "convert", "types", "energy", "relax", by shoal_job */

/* Runs all files, repeats times after once to warm up, and prints the median. Returns an exit code; mistakes are
 * printed. */
int bench_file_run(const bench_file *b, const char **files, int n_files);

#endif
