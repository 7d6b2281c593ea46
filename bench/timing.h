/* SPDX-License-Identifier: BSD-3-Clause
 * Wall-clock repeats of one measurement, and their median and spread. */
#ifndef SHOAL_BENCH_TIMING_H
#define SHOAL_BENCH_TIMING_H

#include <stdlib.h>
#include <time.h>

#define N_REPEATS 7

typedef struct timing {
    double median, min, max; /* s */
} timing;

static inline double timing_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int timing_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the times. */
static inline timing timing_of(double times[N_REPEATS])
{
    qsort(times, N_REPEATS, sizeof times[0], timing_compare);
    return (timing){times[N_REPEATS / 2], times[0], times[N_REPEATS - 1]};
}

#endif
