/* SPDX-License-Identifier: BSD-3-Clause
 * A bench, as its parts see it. */
#ifndef SHOAL_JOBS_BENCH_H
#define SHOAL_JOBS_BENCH_H

#include "jobs/bench_cases.h"
#include "shoal/bench.h"

struct shoal_bench {
    shoal_bench_options options;
    bench_set set;
    shoal_bench_counts counts;
    shoal_engine *engine; /* of all repeats */
    double (*start)[3];   /* coordinates that they begin with, set.most_atoms of each system */
    const char *name;     /* of the case */
    double verdict;       /* of the comparison with ref */
    double *seconds;      /* of the repeats, in order */
    int32_t n_repeats;
    shoal_bench_life life;
};

/* The first n copies. The caller owns *out. */
shoal_status bench_batch(const shoal_bench *bench, int32_t n, shoal_batch **out);
/* Does it once, every time from the same start. The first time takes longer: programs and buffers are made. */
shoal_status bench_time(shoal_bench *bench, double *seconds);
/* Makes 1 + repeats engines, one after the other. */
shoal_status bench_live(shoal_bench *bench, int32_t repeats);
/* Puts times in order. Returns their median. */
double bench_sort(double *seconds, int32_t n);
/* Seconds of a clock that only goes on. */
double bench_now(void);

#endif
