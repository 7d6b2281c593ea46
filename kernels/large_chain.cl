/* SPDX-License-Identifier: BSD-3-Clause
 * The smooth part of Coulomb sums of systems that repeat in one direction: every pair of atoms. A group works
 * on four atoms; formulas in chain_terms.h. */
#include "chain_terms.h"
#include "large.h"

/* Force on i, times charges, and its share of the energy; d from j to i, along a unit vector of the chain. */
SHOAL_FN real4 chain_pair(const chain_sum *sum, v3 along, v3 d, real damping2, real kqq)
{
    const real z = v3_dot(along, d);
    const v3 across = v3_sub(d, v3_scale(z, along));
    real by_z, by_R2;
    const real e = chain_smooth(sum, z, v3_dot(across, across) + damping2, &by_z, &by_R2);
    const v3 grad = v3_add(v3_scale(by_z, along), v3_scale(R(2.0) * by_R2, across));
    return to4(v3_scale(-kqq, grad), R(0.5) * kqq * e);
}

/* Four atoms with all others, and with their own images. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_chain(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[LARGE_QUAD * WG];
    const int n_do = LARGE_GOING ? n_particles : 0, axis = sys->periodic & 1   ? 0
                                                           : sys->periodic & 2 ? 1
                                                                               : 2;
    global const real *dual = geo + LARGE_DUAL + 3 * axis;
    const chain_sum sum = {geo[LARGE_LENGTH], geo[LARGE_ALPHA], (int)geo[LARGE_SPLIT],
                           (int)geo[LARGE_IMAGES]};
    const v3 along = v3_scale(sum.length, v3_make(dual[0], dual[1], dual[2]));
    real4 ri[LARGE_QUAD], f[LARGE_QUAD];
    for (int q = 0; q < LARGE_QUAD; ++q) {
        ri[q] = wrapped[at + (block.y + q < n_particles ? block.y + q : n_particles - 1)];
        f[q] = (real4)(0, 0, 0, 0);
    }
    for (int j = l; j < n_do; j += WG) {
        const real4 rj = wrapped[at + j];
        for (int q = 0; q < LARGE_QUAD; ++q)
            f[q] += chain_pair(&sum, along, v3_sub(from4(ri[q]), from4(rj)), geo[LARGE_DAMPING2],
                               ri[q].w * rj.w);
    }
    const real4 all = combine_quads(f, red);
    if (l < LARGE_QUAD && block.y + l < n_do)
        slots[sys->slot + t->n_slots + n_particles + block.y + l] = all;
}
