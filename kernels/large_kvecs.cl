/* SPDX-License-Identifier: BSD-3-Clause
 * The smooth part of Ewald sums: structure factors of k-vectors, then forces on atoms. k-vectors come in
 * opposite pairs, of which one is kept; their weights count both. Phases are parts of a turn in fixed
 * point, so that no digit is lost to the size of the cell.
 *
 * Slabs use the k-vectors of a cell that also repeats along the normal, with so wide a gap that its
 * images are felt less than the tolerance: Fourier parts with a k-vector k in the plane decay as
 * exp(-k z). The part without one does not decay, and is summed over pairs instead (Parry, Surf. Sci.
 * 49 (1975) 433): -2 pi/A (Z erf(alpha Z) + exp(-alpha^2 Z^2)/(alpha sqrt(pi))), Z^2 = z^2 + d^2. */
#include "ewald_terms.h"
#include "large.h"

#include "constants.h"

#ifdef SHOAL_DOUBLE
#define PHASE_SIN(x) sinpi(R(2.0) * (x))
#define PHASE_COS(x) cospi(R(2.0) * (x))
#else /* of arguments up to pi these are good to 5e-7 on the GPUs we know; shoal check tells */
#define PHASE_SIN(x) native_sin(R(TWO_PI) * (x))
#define PHASE_COS(x) native_cos(R(TWO_PI) * (x))
#endif

SHOAL_FN real phase_of(int4 n, turn4 f)
{
    return TURN_VALUE((turn)n.x * f.x + (turn)n.y * f.y + (turn)n.z * f.z);
}

/* Four k-vectors: the sums over atoms of q cos and q sin, times twice the weight. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_kvecs(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[LARGE_QUAD * WG];
    const int n_do = LARGE_GOING ? n_particles : 0;
    int4 kvec[LARGE_QUAD];
    real4 s[LARGE_QUAD];
#pragma unroll
    for (int q = 0; q < LARGE_QUAD; ++q) {
        const int k = block.y + q < sys->n_kvecs ? block.y + q : sys->n_kvecs - 1;
        kvec[q] = kvecs[sys->kvec + k];
        s[q] = (real4)(0, 0, 0, 0);
    }
    for (int i = l; i < n_do; i += WG) {
        const turn4 f = turns[at + i];
        const real charge = wrapped[at + i].w;
#pragma unroll
        for (int q = 0; q < LARGE_QUAD; ++q) {
            const real p = phase_of(kvec[q], f);
            s[q].x += charge * PHASE_COS(p);
            s[q].y += charge * PHASE_SIN(p);
        }
    }
    const real4 all = combine_quads(s, red);
    if (l < LARGE_QUAD && block.y + l < sys->n_kvecs && n_do > 0) {
        const real weight = R(2.0) * kvec_values[sys->kvec + block.y + l].w;
        kvec_sums[sys->kvec + block.y + l] = weight * all;
    }
}

/* Four atoms: forces and energies from all k-vectors, and for slabs from all atoms. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_potential(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[LARGE_QUAD * WG];
    const int k_do = LARGE_GOING ? sys->n_kvecs : 0,
              n_do = k_do > 0 && geo[LARGE_SLAB] > 0 ? n_particles : 0;
    const int normal = !(sys->periodic & 1) ? 0 : !(sys->periodic & 2) ? 1 : 2;
    global const real *up = geo + LARGE_DUAL + 3 * normal;
    real4 ri[LARGE_QUAD], f[LARGE_QUAD];
    turn4 phase[LARGE_QUAD];
#pragma unroll
    for (int q = 0; q < LARGE_QUAD; ++q) {
        const int i = block.y + q < n_particles ? block.y + q : n_particles - 1;
        ri[q] = wrapped[at + i];
        phase[q] = turns[at + i];
        f[q] = (real4)(0, 0, 0, 0);
    }
    for (int k = l; k < k_do; k += WG) {
        const int4 kvec = kvecs[sys->kvec + k];
        const real4 sum = kvec_sums[sys->kvec + k], vector = kvec_values[sys->kvec + k];
#pragma unroll
        for (int q = 0; q < LARGE_QUAD; ++q) {
            const real p = phase_of(kvec, phase[q]), c = PHASE_COS(p), s = PHASE_SIN(p);
            const real along = ri[q].w * (sum.x * s - sum.y * c);
            f[q] += (real4)(along * vector.x, along * vector.y, along * vector.z,
                            R(0.5) * ri[q].w * (sum.x * c + sum.y * s));
        }
    }
    for (int j = l; j < n_do; j += WG) {
        const real4 rj = wrapped[at + j];
#pragma unroll
        for (int q = 0; q < LARGE_QUAD; ++q) {
            const real kqq = geo[LARGE_SLAB] * ri[q].w * rj.w;
            real force;
            const real z = large_along(up, v3_sub(from4(ri[q]), from4(rj)));
            const real e = kqq * ewald_slab_mean(geo[LARGE_ALPHA], geo[LARGE_DAMPING2], z, &force);
            f[q] +=
                (real4)(kqq * force * up[0], kqq * force * up[1], kqq * force * up[2], R(0.5) * e);
        }
    }
    const real4 all = combine_quads(f, red);
    if (l < LARGE_QUAD && block.y + l < n_particles && k_do > 0)
        slots[sys->slot + t->n_slots + n_particles + block.y + l] = all;
}
