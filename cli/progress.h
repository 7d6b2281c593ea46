/* SPDX-License-Identifier: BSD-3-Clause
 * Progress of long work on stderr: a bar on a terminal, no wider than it, a line now and then otherwise. */
#ifndef SHOAL_CLI_PROGRESS_H
#define SHOAL_CLI_PROGRESS_H

#include "shoal/shoal.h"

enum { PROGRESS_CURVE = 40 };

typedef struct progress {
    bool enabled, terminal, shown;
    double began, last; /* seconds */
    /* When progress was told first, and of what; rates count from there. */
    double first, first_part;
    int64_t first_n;
    /* The logarithm of the error of a fit, at every stride-th step. */
    double curve[PROGRESS_CURVE];
    int n_curve;
    int64_t n_seen, stride;
} progress;

void progress_begin(progress *p, bool enabled);
/* Systems of a stream: how many, how fast, how long it will take, and how a large one is doing. Cheap; prints
 * at most every 0.2 s on a terminal and every 10 s elsewhere. */
void progress_stream(progress *p, const shoal_stream_progress *s);
/* Steps of a fit, its present error, and how it fell, as a row of characters. */
void progress_step(progress *p, int64_t step, double rmse_kcal);
/* The same for work that is one piece, with a word on what it is. */
void progress_share(progress *p, double part, const char *what);
void progress_end(progress *p);

/* A number that is known about, three digits of it and no exponent where people write none. */
const char *progress_about(double x, char text[32]);

/* Seconds since the start. */
double progress_seconds(const progress *p);

#endif
