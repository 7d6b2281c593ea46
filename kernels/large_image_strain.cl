/* SPDX-License-Identifier: BSD-3-Clause
 * The slope of the energy of systems that repeat by strain: listed pairs, excluded ones, and what slabs and chains sum
 * over all pairs, 32 work-items per particle. Every pair is met from both sides, a particle's own images, too. */
#include "chain_terms.h"
#include "large_image.h"

/* Adds scale times the symmetric part of a (x) b. */
SHOAL_FN void add_product(real scale, v3 a, v3 b, real4 *low, real4 *high)
{
    large_strain(-scale, a, b, low, high);
}

/* As in cpu_large_slab.h: the area grows by the trace in the plane, z by what n has along itself. */
SHOAL_FN void slab_strain(global const real *geo, v3 up, v3 d, real kqq, real4 *low, real4 *high)
{
    real force;
    const real z = v3_dot(up, d), share = R(0.5) * geo[LARGE_SLAB] * kqq;
    const real e = share * ewald_slab_mean(geo[LARGE_ALPHA], geo[LARGE_DAMPING2], z, &force);
    *low += (real4)(-e, -e, -e, 0);
    add_product(e - share * force * z, up, up, low, high);
}

/* z grows by z u e u + 2 rho e u, rho^2 by 2 rho e rho: see chain_by_alpha. */
SHOAL_FN void chain_strain(const chain_sum *sum, v3 u, v3 d, real damping2, real kqq, real4 *low,
                           real4 *high)
{
    const real z = v3_dot(u, d), share = R(0.5) * kqq;
    const v3 rho = v3_sub(d, v3_scale(z, u));
    const real R2 = v3_dot(rho, rho) + damping2;
    real by_z, by_R2;
    const real e = chain_smooth(sum, z, R2, &by_z, &by_R2);
    const real along = chain_by_alpha(sum, z, R2) - e - R(2.0) * R2 * by_R2;
    add_product(share * along, u, u, low, high);
    add_product(R(2.0) * share * by_z, u, rho, low, high);
    add_product(R(2.0) * share * by_R2, rho, rho, low, high);
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_image_strain(
    LARGE_ARGUMENTS MODEL_ARGUMENTS)
{
    LARGE_SETUP
    const pair_constants constants = PAIR_CONSTANTS;
    const large_space space = LARGE_SPACE;
    local real4 red[2 * WG];
    const int i = block.y + l / 32, lane = l % 32, wanted = i < n_particles;
    const int axis = sys->periodic & 1 ? 0 : sys->periodic & 2 ? 1 : 2;
    const int normal = !(sys->periodic & 1) ? 0 : !(sys->periodic & 2) ? 1 : 2;
    const int has_slab = geo[LARGE_SLAB] > 0 && geo[LARGE_ALPHA] > 0;
    const int has_chain = geo[LARGE_LENGTH] > 0;
    const uint bits = (uint)sys->atom_bits, mask = ((uint)1 << bits) - 1u;
    const int count = wanted ? (int)origins[at + i].w : 0;
    const int n_all = wanted && (has_slab || has_chain) ? n_particles : 0;
    global const uint *row =
        list + (size_t)sys->list * LARGE_ENTRIES + (size_t)i * (size_t)sys->capacity;
    const real4 ri = wanted ? wrapped[at + i] : (real4)(0, 0, 0, 0);
    const real4 pi = wanted ? atoms[t->atom + i] : ri;
    real4 low = (real4)(0, 0, 0, 0), high = low;
    real vdw = 0, coulomb = 0;
    for (int k = lane; k < count; k += 32) {
        const uint entry = row[k];
        const int j = (int)(entry & mask);
        const real4 rj = wrapped[at + j], d = ri - rj - table[sys->table + (int)(entry >> bits)];
        const real g =
            image_pair(pi, atoms[t->atom + j], ri.w * rj.w, d.x * d.x + d.y * d.y + d.z * d.z,
                       i < j, &constants, geo, settings, &vdw, &coulomb);
        large_strain(R(0.5) * g, from4(d), from4(d), &low, &high);
    }
    if (wanted && geo[LARGE_ALPHA] > 0)
        for (int e = exclude_start[t->exclude_start + i] + lane;
             e < exclude_start[t->exclude_start + i + 1]; e += 32) {
            const int2 partner = exclude[t->exclude + e];
            const v3 d = large_apart(&space, i, partner.x, large_shift(partner.y));
            real slope;
            (void)ewald_erf(geo[LARGE_ALPHA], v3_dot(d, d) + geo[LARGE_DAMPING2], &slope);
            large_strain(ri.w * wrapped[at + partner.x].w * slope, d, d, &low, &high);
        }
    const v3 up = v3_make(geo[LARGE_DUAL + 3 * normal], geo[LARGE_DUAL + 3 * normal + 1],
                          geo[LARGE_DUAL + 3 * normal + 2]);
    const v3 along = v3_scale(geo[LARGE_LENGTH],
                              v3_make(geo[LARGE_DUAL + 3 * axis], geo[LARGE_DUAL + 3 * axis + 1],
                                      geo[LARGE_DUAL + 3 * axis + 2]));
    const chain_sum sum = {geo[LARGE_LENGTH], geo[LARGE_ALPHA], (int)geo[LARGE_SPLIT],
                           (int)geo[LARGE_IMAGES]};
    for (int j = lane; j < n_all; j += 32) {
        const real4 rj = wrapped[at + j];
        const v3 d = v3_sub(from4(ri), from4(rj));
        if (has_slab) slab_strain(geo, up, d, ri.w * rj.w, &low, &high);
        if (has_chain) chain_strain(&sum, along, d, geo[LARGE_DAMPING2], ri.w * rj.w, &low, &high);
    }
    red[l] = low;
    red[WG + l] = high;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0 && wanted) {
        global real4 *to = strains + sys->strain + 2 * (sys->bonded + i);
        real4 a = (real4)(0, 0, 0, 0), b = a;
        for (int k = 0; k < 32; ++k) {
            a += red[l + k];
            b += red[WG + l + k];
        }
        to[0] = a;
        to[1] = b;
    }
}
