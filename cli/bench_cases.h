/* SPDX-License-Identifier: BSD-3-Clause
 * The built-in systems of 'shoal bench': by name, and as many slightly different copies as wanted. */
#ifndef SHOAL_CLI_BENCH_CASES_H
#define SHOAL_CLI_BENCH_CASES_H

#include "shoal/shoal.h"

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
} bench_case;

extern const bench_case bench_cases[];
extern const int bench_n_cases;

/* NULL if there is no such case. */
const bench_case *bench_case_find(const char *name);

/* The molecule of a case, charges included. The caller owns *out. */
shoal_status bench_case_load(const bench_case *c, shoal_molecule **out);

/* Position of a copy: every coordinate is moved by up to 0.05 angstrom, by seed, number of the
 * copy, atom and axis alone. pos[n_atoms][3]. */
void bench_case_shake(const shoal_molecule *mol, uint64_t seed, int64_t i_copy, double (*pos)[3]);

/* A batch of n copies of a typed molecule, spread over a cell in the xy plane, spread[2][2] (all
 * zero: not at all). The caller owns *out. */
shoal_status bench_case_batch(const shoal_molecule *mol, shoal_topology *topology, uint64_t seed,
                              int32_t n, const double (*spread)[2], shoal_batch **out);

#endif
