/* SPDX-License-Identifier: BSD-3-Clause
 * Sums of a fit over its samples, with what rounding takes from them. Built with WG (items). */
#include "real.h"

#include "real_vectors.h"

/* A number and what rounding took from it. */
SHOAL_FN real2 sum_exactly(real2 a, real b)
{
    const real s = a.x + b, back = s - a.x;
    return (real2)(s, a.y + ((a.x - (s - back)) + (b - back)));
}

/* Sums over all samples, one work-group for every set and column: the derivative of J by it or, for
 * the last one, J. uses: sample and place in its rows, listed by column. */
__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void fit_gather(
    int n_samples, int n_rows, int n_columns, global const int *use_start, global const int2 *uses,
    global const real *rows, global const real4 *results, global real2 *sums, local real2 *red)
{
    const int l = (int)get_local_id(0), group = (int)get_group_id(0);
    const int column = group % (n_columns + 1), set = group / (n_columns + 1);
    global const real *row = rows + (size_t)set * (size_t)n_rows;
    global const real4 *result = results + (size_t)set * (size_t)n_samples;
    real2 sum = (real2)(R(0.0), R(0.0));
    if (column < n_columns) {
        for (int k = use_start[column] + l; k < use_start[column + 1]; k += WG)
            sum = sum_exactly(sum, result[uses[k].x].y * row[uses[k].y]);
    } else {
        for (int s = l; s < n_samples; s += WG) sum = sum_exactly(sum, result[s].z);
    }
    red[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int stride = WG / 2; stride > 0; stride /= 2) {
        if (l < stride) {
            const real2 other = red[l + stride];
            const real2 both = sum_exactly(red[l], other.x);
            red[l] = (real2)(both.x, both.y + other.y);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) sums[group] = red[0];
}
