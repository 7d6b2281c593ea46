/* SPDX-License-Identifier: BSD-3-Clause
 * The reciprocal part of Ewald sums in three dimensions. Included by the template cpu_kernels.c.
 *
 * With e(n, a) = exp(2 pi i n f_a) along each axis, from recurrences, S(k) = sum_i q_i e_0 e_1 e_2,
 * E = sum w |S|^2 and the force on i is 2 q_i sum w Im(conj(S) e_0 e_1 e_2) k. +m and -m of a row
 * share their products. */

enum {
    LARGE_ROWS = 8,          /* of k-vectors, worked on together */
    LARGE_KVEC_ATOMS = 1024, /* atoms whose factors stay in the cache meanwhile */
};

/* Factors of the atoms of a tile along all axes; n_axes is 2 for a slab. */
static void large_factors(large *g, int32_t first, int32_t last, int n_axes)
{
    const size_t row = (size_t)g->n_padded;
    for (int32_t i = first; i < last; ++i)
        for (int a = 0; a < n_axes; ++a) {
            const int k = g->ewald.axis[a];
            const double phase = TWO_PI * lattice_fraction(&g->lattice, g->r[i], k);
            const double c1 = cos(phase), s1 = sin(phase);
            double c = 1, s = 0;
            for (int32_t n = 0; n <= g->ewald.last[a]; ++n) {
                g->phase_cos[a][(size_t)n * row + (size_t)i] = (real)c;
                g->phase_sin[a][(size_t)n * row + (size_t)i] = (real)s;
                const double next = c * c1 - s * s1;
                s = s * c1 + c * s1;
                c = next;
            }
        }
}

/* Product of the first two axes' factors for the vector of atoms at i. */
SHOAL_FN void large_product(const large *g, const cpu_kvec_row *w, size_t i, wide *re, wide *im)
{
    const size_t row = (size_t)g->n_padded, na = (size_t)w->n[0] * row + i;
    const size_t nb = (size_t)(w->n[1] < 0 ? -w->n[1] : w->n[1]) * row + i;
    const wide xr = wide_load(g->phase_cos[0] + na), xi = wide_load(g->phase_sin[0] + na);
    const wide yr = wide_load(g->phase_cos[1] + nb);
    const wide yi = wide_load(g->phase_sin[1] + nb) * (w->n[1] < 0 ? R(-1.0) : R(1.0));
    *re = xr * yr - xi * yi;
    *im = xr * yi + xi * yr;
}

/* Adds the atoms [first, last) to the sums S(+m), S(-m) of a row. */
static void large_add_row(const large *g, const cpu_kvec_row *w, int32_t first, int32_t last,
                          double (*sums)[4])
{
    wide product[2][LARGE_KVEC_ATOMS / WIDE];
    const size_t row = (size_t)g->n_padded;
    const int32_t n = (last - first) / WIDE;
    for (int32_t k = 0; k < n; ++k) {
        const size_t i = (size_t)(first + k * WIDE);
        const wide q = wide_load(g->kvec_q + i);
        large_product(g, w, i, &product[0][k], &product[1][k]);
        product[0][k] *= q;
        product[1][k] *= q;
    }
    for (int32_t m = 0; m <= w->last; ++m) {
        const real *zr = g->phase_cos[2] + (size_t)m * row + (size_t)first;
        const real *zi = g->phase_sin[2] + (size_t)m * row + (size_t)first;
        wide rr = {0}, ii = {0}, ri = {0}, ir = {0};
        for (int32_t k = 0; k < n; ++k) {
            const wide c = wide_load(zr + k * WIDE), s = wide_load(zi + k * WIDE);
            rr += product[0][k] * c;
            ii += product[1][k] * s;
            ri += product[0][k] * s;
            ir += product[1][k] * c;
        }
        sums[m][0] += (double)wide_sum(rr - ii);
        sums[m][1] += (double)wide_sum(ri + ir);
        sums[m][2] += (double)wide_sum(rr + ii);
        sums[m][3] += (double)wide_sum(ir - ri);
    }
}

/* Energy of a row, and the coefficients of its forces: with A = 2 w S(+m), B = 2 w S(-m) these are
 * Re(A + B), Im(A - B), Re(A - B), Im(A + B). */
static double large_end_row(large *g, const cpu_kvec_row *w, const double (*sums)[4])
{
    double energy = 0;
    for (int32_t m = 0; m <= w->last; ++m) {
        const double *weight = g->ewald.weights[w->first + m], *s = sums[m];
        const double scale = 1 / COULOMB_CONSTANT; /* charges here have kC in them */
        const double wa = scale * weight[0], wb = scale * weight[1];
        real *c = g->coefficients + 4 * (size_t)(w->first + m);
        energy += wa * (s[0] * s[0] + s[1] * s[1]) + wb * (s[2] * s[2] + s[3] * s[3]);
        c[0] = (real)(2 * (wa * s[0] + wb * s[2]));
        c[1] = (real)(2 * (wa * s[1] - wb * s[3]));
        c[2] = (real)(2 * (wa * s[0] - wb * s[2]));
        c[3] = (real)(2 * (wa * s[1] + wb * s[3]));
    }
    return energy;
}

/* The sums of one chunk of rows over all atoms. */
static void large_rows(large *g, int32_t chunk)
{
    const int32_t first = chunk * LARGE_ROWS;
    const int32_t last =
        first + LARGE_ROWS < g->ewald.n_rows ? first + LARGE_ROWS : g->ewald.n_rows;
    const int32_t start = g->ewald.rows[first].first;
    const int32_t end = g->ewald.rows[last - 1].first + g->ewald.rows[last - 1].last + 1;
    double(*sums)[4] = g->row_sums + start;
    memset(sums, 0, (size_t)(end - start) * sizeof *sums);
    for (int32_t i = 0; i < g->n_padded; i += LARGE_KVEC_ATOMS) {
        const int32_t stop =
            i + LARGE_KVEC_ATOMS < g->n_padded ? i + LARGE_KVEC_ATOMS : g->n_padded;
        for (int32_t k = first; k < last; ++k) {
            const cpu_kvec_row *w = &g->ewald.rows[k];
            large_add_row(g, w, i, stop, sums + (w->first - start));
        }
    }
    double energy = 0;
    for (int32_t k = first; k < last; ++k) {
        const cpu_kvec_row *w = &g->ewald.rows[k];
        energy += large_end_row(g, w, (const double(*)[4])(sums + (w->first - start)));
    }
    g->row_energy[chunk] = energy;
}

/* Sums over a row for the vector of atoms at i: of T and of m T, T = Im(conj(2 w S) e). */
SHOAL_FN void large_row_force(const large *g, const cpu_kvec_row *w, size_t i, wide *sum,
                              wide *weighted)
{
    const size_t row = (size_t)g->n_padded;
    const real *c = g->coefficients + 4 * (size_t)w->first;
    const real *zr = g->phase_cos[2] + i, *zi = g->phase_sin[2] + i;
    wide ur = {0}, ui = {0}, vr = {0}, vi = {0}, re, im;
    for (int32_t m = 0; m <= w->last; ++m, c += 4, zr += row, zi += row) {
        const wide co = wide_load(zr), si = wide_load(zi);
        const real by = (real)m;
        ur += c[0] * co + c[1] * si;
        ui += c[2] * si - c[3] * co;
        vr += by * (c[2] * co + c[3] * si);
        vi += by * (c[0] * si - c[1] * co);
    }
    large_product(g, w, i, &re, &im);
    *sum = re * ui + im * ur;
    *weighted = re * vi + im * vr;
}

/* Forces of all k-vectors on the atoms [first, last). */
static void large_kvec_forces(large *g, int32_t first, int32_t last)
{
    const double(*dual)[3] = (const double(*)[3])g->lattice.dual;
    for (int32_t i = first; i < last; i += WIDE) {
        wide along[3] = {{0}, {0}, {0}};
        for (int32_t k = 0; k < g->ewald.n_rows; ++k) {
            const cpu_kvec_row *w = &g->ewald.rows[k];
            wide sum, weighted;
            large_row_force(g, w, (size_t)i, &sum, &weighted);
            along[0] += (real)w->n[0] * sum;
            along[1] += (real)w->n[1] * sum;
            along[2] += weighted;
        }
        for (int l = 0; l < WIDE && i + l < last; ++l) {
            double f[3] = {0, 0, 0};
            for (int a = 0; a < 3; ++a)
                for (int c = 0; c < 3; ++c)
                    f[c] += TWO_PI * dual[g->ewald.axis[a]][c] * (double)along[a][l];
            const v3 force = v3_make((real)f[0], (real)f[1], (real)f[2]);
            g->force[i + l] = v3_add(g->force[i + l], v3_scale(g->q[i + l], force));
        }
    }
}
