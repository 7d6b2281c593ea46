/* SPDX-License-Identifier: BSD-3-Clause
 * Progress of long work on stderr: a bar on a terminal, a line now and then otherwise. */
#ifndef SHOAL_CLI_PROGRESS_H
#define SHOAL_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool enabled, terminal, shown;
    double began, last;           /* seconds */
    double part_read, part_begun; /* of the input: read so far, and before the chunk in hand */
} progress;

/* How far the work on a chunk has come; failed and evaluations count from the first chunk on. */
typedef struct progress_count {
    double part; /* of the chunk */
    int64_t systems, failed, evaluations;
} progress_count;

void progress_begin(progress *p, bool enabled);
/* The part of the input that was read and the systems so far. Cheap; prints at most every 0.2 s on
 * a terminal and every 10 s elsewhere. */
void progress_read(progress *p, double part, int64_t systems);
/* The same while a chunk is worked on, with failures, the rate of evaluations and the time left. */
void progress_work(progress *p, const progress_count *count);
/* Steps of a fit and its present error. */
void progress_step(progress *p, int64_t step, double rmse_kcal);
/* The same for work that is one piece, with a word on what it is. */
void progress_share(progress *p, double part, const char *what);
/* The chunk is done. */
void progress_next(progress *p);
void progress_end(progress *p);

/* Seconds since the start. */
double progress_seconds(const progress *p);

#endif
