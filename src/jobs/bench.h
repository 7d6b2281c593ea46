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
};

/* The first n copies. The caller owns *out. */
shoal_status bench_batch(const shoal_bench *bench, int32_t n, shoal_batch **out);
/* Seconds of a clock that only goes on. */
double bench_now(void);

#endif
