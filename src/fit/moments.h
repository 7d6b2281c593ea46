/* SPDX-License-Identifier: BSD-3-Clause
 * Moments of the distances: what a separable model needs to know of the samples.
 *
 * The pairs of a sample with types a and b add up to E0 (kB MB - kA MA) with MA = sum alpha(r), MB =
 * sum beta(r), whatever R, E and H are. Charges enter as a quadratic form. Samples of a block lie
 * side by side in lanes, so that one load of a factor serves all of them. */
#ifndef SHOAL_FIT_MOMENTS_H
#define SHOAL_FIT_MOMENTS_H

#include "fit/fit.h"

enum { MOMENT_LANES = 4, MOMENT_CHUNK = 1 << 16 }; /* doubles of moments that a chunk sums up */

/* Columns of a block that a pair of types touches, -1 without a DOF. */
enum { AT_R_A = 0, AT_R_B, AT_Y_A, AT_Y_B, AT_H_A, AT_H_B, N_AT };

typedef struct type_pair {
    int32_t a, b; /* types, a <= b */
} type_pair;

typedef struct moment_entry {
    int32_t pair;     /* in pairs */
    int32_t at[N_AT]; /* columns of the block */
} moment_entry;

/* Adds m x_u x_v to the Coulomb energy; x is the charge of a column or 1 (column -1). */
typedef struct charge_entry {
    int32_t u, v; /* columns of the block, -1: none */
} charge_entry;

typedef struct moment_block {
    int32_t first, n, lanes; /* samples; lanes is n rounded up */
    int32_t entry_start, n_entries;
    int32_t charge_start, n_charges;
    int32_t lambda; /* column, -1 */
    int64_t values; /* start of moment[n_entries][2][lanes], charge[n_charges][lanes] */
} moment_block;

typedef struct moment_chunk {
    int32_t first, n; /* blocks */
} moment_chunk;

typedef struct moments {
    const fit_problem *problem;
    type_pair *pairs;
    int32_t n_pairs, pair_capacity;
    moment_block *blocks; /* [problem->n_blocks] */
    moment_entry *entries;
    int32_t n_entries, entry_capacity;
    charge_entry *charges;
    int32_t n_charges, charge_capacity;
    double *values;
    int64_t n_values, value_capacity;
    moment_chunk *chunks;
    int32_t n_chunks, chunk_capacity;
} moments;

shoal_status moments_build(moments **out, const fit_problem *problem);
void moments_destroy(moments *m);

#endif
