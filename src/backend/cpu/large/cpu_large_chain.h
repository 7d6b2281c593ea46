/* SPDX-License-Identifier: BSD-3-Clause
 * The smooth part of Coulomb sums in one dimension: every pair of atoms. Included by the template
 * cpu_kernels.c. Formulas in chain_terms.h. */

#include "chain_terms.h"

SHOAL_FN wide wide_log(wide x)
{
    for (int l = 0; l < WIDE; ++l) x[l] = real_log(x[l]);
    return x;
}

/* By adding and taking away 1.5 2^23 (doubles: 2^52). */
SHOAL_FN wide wide_round(wide x)
{
    const real magic = sizeof(real) == 4 ? R(12582912.0) : R(6755399441055744.0);
    return (x + magic) - magic;
}

#define real wide
#define PAIR(name) name##_wide
#define PAIR_SELECT(c, a, b) wide_select(c, a, b)
#define PAIR_MIN(a, b) wide_min(a, b)
#define PAIR_MAX(a, b) wide_max(a, b)
#define PAIR_SQRT(x) wide_sqrt(x)
#define PAIR_LOG(x) wide_log(x)
#define PAIR_ROUND(x) wide_round(x)
#include "chain_terms.h"
#undef PAIR_ROUND
#undef PAIR_LOG
#undef PAIR_SQRT
#undef PAIR_MAX
#undef PAIR_MIN
#undef PAIR_SELECT
#undef PAIR
#undef real

/* Where the atoms of a tile are, along the chain and across it: all in angstrom. */
static void large_chain_place(large *g, int32_t first, int32_t last)
{
    for (int32_t i = first; i < last; ++i)
        for (int a = 0; a < 3; ++a) {
            const double f = lattice_fraction(&g->lattice, g->r[i], g->ewald.axis[a]);
            g->chain_at[a][i] = (real)(a == 0 ? f * g->lattice.measure : f);
        }
}

/* What an atom and all others do to the slope by strain: along the chain, along and across it, across it. */
typedef struct chain_strain {
    wide along, both[2], across[3];
} chain_strain;

/* Under strain e, u along the chain and rho across it, z grows by z u e u + 2 rho e u, rho^2 by 2 rho e rho and L by
 * L u e u: see chain_by_alpha. */
SHOAL_FN void large_chain_stretch(const chain_sum *sum, const wide d[3], wide R2, wide q, wide e,
                                  wide by_z, wide by_R2, chain_strain *out)
{
    out->along += q * (chain_by_alpha_wide(sum, d[0], R2) - e - R(2.0) * R2 * by_R2);
    out->both[0] += q * by_z * d[1];
    out->both[1] += q * by_z * d[2];
    out->across[0] += q * by_R2 * d[1] * d[1];
    out->across[1] += q * by_R2 * d[1] * d[2];
    out->across[2] += q * by_R2 * d[2] * d[2];
}

static void large_chain_strain(large *g, int32_t i, const chain_strain *sum)
{
    const double *a = g->lattice.a[g->ewald.axis[0]], half = 0.5 * (double)g->q[i];
    const double length = g->lattice.measure, u[3] = {a[0] / length, a[1] / length, a[2] / length};
    const double *v = g->lattice.a[g->ewald.axis[1]], *w = g->lattice.a[g->ewald.axis[2]];
    double *out = g->strain[i];
    strain_add(out, half * (double)wide_sum(sum->along), u, u);
    strain_add(out, 2 * half * (double)wide_sum(sum->both[0]), u, v);
    strain_add(out, 2 * half * (double)wide_sum(sum->both[1]), u, w);
    strain_add(out, 2 * half * (double)wide_sum(sum->across[0]), v, v);
    strain_add(out, 4 * half * (double)wide_sum(sum->across[1]), v, w);
    strain_add(out, 2 * half * (double)wide_sum(sum->across[2]), w, w);
}

/* One atom with all, itself included: that is its own images' potential. */
static void large_chain_atom(large *g, int32_t i)
{
    const double damping = g->damping;
    const chain_sum sum = {.length = (real)g->lattice.measure,
                           .alpha = (real)g->ewald.alpha,
                           .n_split = g->ewald.chain.n_split,
                           .n_images = g->ewald.chain.n_images};
    const wide zero = {0};
    wide energy = zero, force[3] = {zero, zero, zero};
    chain_strain strain = {0};
    for (int32_t j = 0; j < g->n_padded; j += WIDE) {
        wide d[3], by_z, by_R2;
        for (int a = 0; a < 3; ++a)
            d[a] = (zero + g->chain_at[a][i]) - wide_load(g->chain_at[a] + j);
        const wide R2 = d[1] * d[1] + d[2] * d[2] + (real)(damping * damping);
        const wide q = wide_load(g->kvec_q + j);
        const wide e = chain_smooth_wide(&sum, d[0], R2, &by_z, &by_R2);
        energy += q * e;
        if (g->strain) large_chain_stretch(&sum, d, R2, q, e, by_z, by_R2, &strain);
        force[0] -= q * by_z;
        force[1] -= R(2.0) * q * by_R2 * d[1];
        force[2] -= R(2.0) * q * by_R2 * d[2];
    }
    const double q = (double)g->q[i];
    double f[3] = {0, 0, 0};
    for (int a = 0; a < 3; ++a) {
        const double *unit = g->lattice.a[g->ewald.axis[a]];
        const double scale = q * (double)wide_sum(force[a]) / (a == 0 ? g->lattice.measure : 1);
        for (int c = 0; c < 3; ++c) f[c] += scale * unit[c];
    }
    g->slab_force[i] = v3_make((real)f[0], (real)f[1], (real)f[2]);
    g->slab_energy[i] = 0.5 * q * (double)wide_sum(energy);
    if (g->strain) large_chain_strain(g, i, &strain);
}

/* A group of atoms of a slab or a chain. */
static void large_all_pairs(large *g, int32_t group)
{
    const int32_t end = (group + 1) * CPU_GROUP, last = end < g->n_particles ? end : g->n_particles;
    for (int32_t i = group * CPU_GROUP; i < last; ++i)
        if (g->coulomb == LARGE_CHAIN)
            large_chain_atom(g, i);
        else
            large_slab_atom(g, i);
}
