/* SPDX-License-Identifier: BSD-3-Clause
 * The reciprocal part of Ewald sums in two dimensions: every pair of atoms and every k-vector. Included by
 * the template cpu_kernels.c. Formulas of Parry, Surf. Sci. 49 (1975) 433 as in ewald_terms.h; the
 * k-vectors' potential at d is sum_k factor cos(k.d) (up + down), and at k = 0 it is
 * -2 pi/A (Z erf(alpha Z) + exp(-alpha^2 Z^2)/(alpha sqrt(pi))). */

/* Heights and k-vectors of the atoms of a tile. */
static void large_slab_factors(large *g, int32_t first, int32_t last)
{
    const size_t row = (size_t)g->n_padded;
    large_factors(g, first, last, 2);
    for (int32_t i = first; i < last; ++i) {
        const size_t at = (size_t)i;
        g->slab_z[i] = (real)lattice_fraction(&g->lattice, g->r[i], g->ewald.axis[2]);
        for (int32_t k = 0; k < g->ewald.n_kvecs; ++k) {
            const int32_t *n = g->ewald.kvecs[k].n;
            const size_t a = (size_t)n[0] * row + at,
                         b = (size_t)(n[1] < 0 ? -n[1] : n[1]) * row + at;
            const real xr = g->phase_cos[0][a], xi = g->phase_sin[0][a], yr = g->phase_cos[1][b];
            const real yi = n[1] < 0 ? -g->phase_sin[1][b] : g->phase_sin[1][b];
            g->slab_cos[(size_t)k * row + at] = xr * yr - xi * yi;
            g->slab_sin[(size_t)k * row + at] = xr * yi + xi * yr;
        }
    }
}

/* What an atom gets from all others: energy, forces along the k-vectors and across the slab. */
typedef struct slab_sum {
    wide energy, along[2], across;
    bool strains;
    wide height[3];  /* slope by strain: z with along and across */
    wide stretch[3]; /* and of the lengths of k-vectors, by products of their numbers: 00, 01, 11 */
} slab_sum;

/* What a k-vector adds to that: its energy c (up + down), c (up - down) and c times the Gauss function. */
SHOAL_FN void large_slab_stretch(const large *g, const cpu_slab_kvec *w, wide Z, wide both,
                                 wide difference, wide gauss, wide stretch[3])
{
    const wide by_k =
        Z * difference - gauss * (real)(2 / (g->ewald.alpha * SQRT_PI)) - both * (real)(1 / w->k);
    const wide scaled = by_k * (real)(-1 / w->k);
    stretch[0] += (real)(w->n[0] * w->n[0]) * scaled;
    stretch[1] += (real)(w->n[0] * w->n[1]) * scaled;
    stretch[2] += (real)(w->n[1] * w->n[1]) * scaled;
}

SHOAL_FN void large_slab_vector(const large *g, int32_t i, size_t j, slab_sum *sum)
{
    const double damping = g->damping, area = g->lattice.measure;
    const double alpha = g->ewald.alpha, k0 = TWO_PI / area;
    const size_t row = (size_t)g->n_padded;
    const wide zero = {0}, z = (zero + g->slab_z[i]) - wide_load(g->slab_z + j);
    const wide Z2 = z * z + (real)(damping * damping) + UFF_TINY, Z = wide_sqrt(Z2);
    const wide az = Z * (real)alpha, gauss = special_exp_wide(zero - az * az);
    const wide erf = R(1.0) - gauss * special_erfcx_wide(az), slope = z / Z;
    wide e = (Z * erf + gauss * (real)(1 / (alpha * SQRT_PI))) * (real)-k0;
    wide across = erf * slope * (real)k0, along[2] = {{0}, {0}};
    wide stretch[3] = {{0}, {0}, {0}};
    for (int32_t k = 0; k < g->ewald.n_kvecs; ++k) {
        const cpu_slab_kvec *w = &g->ewald.kvecs[k];
        const double ka = 0.5 * w->k / alpha, f = w->factor / COULOMB_CONSTANT;
        const real ci = g->slab_cos[(size_t)k * row + (size_t)i];
        const real si = g->slab_sin[(size_t)k * row + (size_t)i];
        const wide cj = wide_load(g->slab_cos + (size_t)k * row + j);
        const wide sj = wide_load(g->slab_sin + (size_t)k * row + j);
        const wide c = (real)f * (ci * cj + si * sj), s = (real)f * (si * cj - ci * sj);
        wide difference;
        const wide both = ewald_slab_kvec_wide(Z * (real)w->k, az, zero + (real)ka,
                                               gauss * (real)exp(-ka * ka), &difference);
        e += c * both;
        along[0] += (real)w->n[0] * (s * both);
        along[1] += (real)w->n[1] * (s * both);
        across -= (real)w->k * (c * difference * slope);
        if (sum->strains)
            large_slab_stretch(g, w, Z, c * both, c * difference, c * gauss * (real)exp(-ka * ka),
                               stretch);
    }
    const wide q = wide_load(g->kvec_q + j);
    sum->energy += q * e;
    sum->along[0] += q * along[0];
    sum->along[1] += q * along[1];
    sum->across += q * across;
    if (!sum->strains) return;
    for (int a = 0; a < 3; ++a) {
        sum->height[a] -= q * z * (a < 2 ? along[a] : across);
        sum->stretch[a] += q * stretch[a];
    }
}

/* Half of an atom's sums as the slope by strain e: with the normal n, the area grows by the trace of e in the plane,
 * phases k.d by 2 z k e n, z by z n e n, k^2 by -2 k e k. */
static void large_slab_strain(large *g, int32_t i, const slab_sum *sum)
{
    const double *n = g->lattice.dual[g->ewald.axis[2]], half = 0.5 * (double)g->q[i];
    const double energy = half * (double)wide_sum(sum->energy);
    double k[2][3], *out = g->strain[i];
    for (int a = 0; a < 2; ++a)
        for (int c = 0; c < 3; ++c) k[a][c] = TWO_PI * g->lattice.dual[g->ewald.axis[a]][c];
    for (int c = 0; c < 3; ++c) out[c] -= energy;
    strain_add(out, energy + half * (double)wide_sum(sum->height[2]), n, n);
    for (int a = 0; a < 2; ++a)
        strain_add(out, 2 * half * (double)wide_sum(sum->height[a]), k[a], n);
    strain_add(out, half * (double)wide_sum(sum->stretch[0]), k[0], k[0]);
    strain_add(out, 2 * half * (double)wide_sum(sum->stretch[1]), k[0], k[1]);
    strain_add(out, half * (double)wide_sum(sum->stretch[2]), k[1], k[1]);
}

/* One atom with all, itself included: that is its own images' potential. */
static void large_slab_atom(large *g, int32_t i)
{
    slab_sum sum = {.strains = g->strain != NULL};
    for (int32_t j = 0; j < g->n_padded; j += WIDE) large_slab_vector(g, i, (size_t)j, &sum);
    const double q = (double)g->q[i],
                 per[3] = {TWO_PI * (double)wide_sum(sum.along[0]),
                           TWO_PI * (double)wide_sum(sum.along[1]), (double)wide_sum(sum.across)};
    double f[3] = {0, 0, 0};
    for (int a = 0; a < 3; ++a)
        for (int c = 0; c < 3; ++c) f[c] += q * per[a] * g->lattice.dual[g->ewald.axis[a]][c];
    g->slab_force[i] = v3_make((real)f[0], (real)f[1], (real)f[2]);
    g->slab_energy[i] = 0.5 * q * (double)wide_sum(sum.energy);
    if (g->strain) large_slab_strain(g, i, &sum);
}
