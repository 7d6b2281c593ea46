/* SPDX-License-Identifier: BSD-3-Clause
 * Progress of long work on stderr: a bar on a terminal, no wider than it, a line now and then otherwise. */
#ifndef SHOAL_CLI_PROGRESS_H
#define SHOAL_CLI_PROGRESS_H

#include "shoal/shoal.h"

typedef struct progress {
    bool enabled, terminal, shown;
    double began, last; /* seconds */
    /* When progress was told first, and of what; rates count from there. */
    double first, first_part;
    int64_t first_n;
} progress;

void progress_begin(progress *p, bool enabled);
/* Systems of a stream: how many, how fast, how long it will take, and how a large one is doing. Cheap; prints
 * at most every 0.2 s on a terminal and every 10 s elsewhere. */
void progress_stream(progress *p, const shoal_stream_progress *s);
/* Steps of a fit and its present error. */
void progress_step(progress *p, int64_t step, double rmse_kcal);
/* The same for work that is one piece, with a word on what it is. */
void progress_share(progress *p, double part, const char *what);
void progress_end(progress *p);

/* A number that is known about, three digits of it and no exponent where people write none. */
const char *progress_about(double x, char text[32]);

/* Seconds since the start. */
double progress_seconds(const progress *p);

#endif
