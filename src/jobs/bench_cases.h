/* SPDX-License-Identifier: BSD-3-Clause
 * The built-in systems of benchmarks: by name, and as many slightly different copies as wanted. A case is
 * one molecule, or many unlike ones. */
#ifndef SHOAL_JOBS_BENCH_CASES_H
#define SHOAL_JOBS_BENCH_CASES_H

#include "shoal/engine.h"

/* A file of data/bench/, embedded at build. */
typedef struct bench_text {
    const char *file;
    const char *text; /* without a terminating zero */
    size_t size;
} bench_text;

extern const bench_text bench_texts[];
extern const int bench_n_texts;

typedef struct bench_case {
    const char *name, *file, *about;
    int32_t repeat[3]; /* of the cell along a, b and c; zeros for a molecule */
    int32_t systems;   /* unless told otherwise */
} bench_case;

/* NULL if there is no such case. */
const bench_case *bench_case_find(const char *name);

/* The molecules of a case, charges included. */
typedef struct bench_set {
    int32_t n, most_atoms;
    shoal_molecule **molecules;
    shoal_topology **topologies; /* NULL until they are typed */
} bench_set;

shoal_status bench_case_load(const bench_case *c, bench_set *out);
/* options may be NULL. */
shoal_status bench_set_type(bench_set *set, const shoal_typing_options *options);
void bench_set_free(bench_set *set);

/* A batch of n systems, copies of the typed molecules by turns, every coordinate moved by up to 0.05 angstrom, spread over a cell in the xy plane,
 * spread[2][2] (all zero: not at all). The caller owns *out. */
shoal_status bench_case_batch(const bench_set *set, uint64_t seed, int32_t n,
                              const double (*spread)[2], shoal_batch **out);

#endif
