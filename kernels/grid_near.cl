/* SPDX-License-Identifier: BSD-3-Clause
 * Short-range sums over the atoms of a substrate at the nodes of a grid, one node per work-item.
 * NEAR_POWER: p of 1/r^p, 0 (also if it is not set) for an exponential. */
#include "grid_near_terms.h"

#include "real_vectors.h"

/* Atoms are x, y, z and weight. Steps between nodes are rows[0] along a and rows[1] along b, x and y
 * each; heights[n_planes] are those of the planes. exponent is eta for powers, full as in near_smooth. */
kernel void grid_near(global const real4 *atoms, const int n_atoms, global const real *rows,
                      global const real *heights, const int n_a, const int n_b, const int n_nodes,
                      const real exponent, const real full, const real reach2, global real *values)
{
    const int node = (int)get_global_id(0);
    if (node >= n_nodes) return;
    const int b = node % n_b, a = node / n_b % n_a, plane = node / n_b / n_a;
    const real x = (real)a * rows[0] + (real)b * rows[2], y = (real)a * rows[1] + (real)b * rows[3];
    const real z = heights[plane];
    real sum = 0, rest = 0; /* Kahan's sum: hundreds of terms must not cost digits */
    for (int s = 0; s < n_atoms; ++s) {
        const real4 atom = atoms[s];
        const real dx = x - atom.x, dy = y - atom.y, dz = z - atom.z;
        const real r2 = dx * dx + dy * dy + dz * dz;
        if (r2 > reach2) continue;
#if NEAR_POWER
        const real term = atom.w * near_power(NEAR_POWER, r2, exponent, full);
#else
        const real term = atom.w * special_exp(-exponent * sqrt(r2));
#endif
        const real add = term - rest, next = sum + add;
        rest = (next - sum) - add;
        sum = next;
    }
    values[node] = sum;
}
