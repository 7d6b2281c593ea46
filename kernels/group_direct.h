/* SPDX-License-Identifier: BSD-3-Clause
 * The surface under a system by direct sums, one atom per work-item: sites within reach, bin by bin,
 * then the k-vectors. Tables as in src/surf/surface_sum.h, brought over by the host. */
#ifndef SHOAL_KERNELS_GROUP_DIRECT_H
#define SHOAL_KERNELS_GROUP_DIRECT_H

#include "group_memory.h"
#include "surface_terms.h"

typedef struct surface_data {
    global const real *numbers; /* DIRECT_ of layout.h */
    global const real4
        *sites; /* x, y, z, P and L, Q, acceptor, donor; of a model R and root D, Q, h */
    global const int *bins;
    global const real4 *kvecs; /* gx, gy, first polynomial, panels */
    global const real *powers;
    global const real4
        *atoms; /* weights: P, L, Q, acceptor and donor; of a model R, root D, Q, h, then the
                                * weights of the channels with k-vectors */
    real4 zero; /* where the system's zero lies, in the cell of the surface */
} surface_data;

#define SURFACE_ARGUMENTS                                                                          \
    , global const real *direct_numbers, global const real4 *direct_sites,                         \
        global const int *direct_bins, global const real4 *direct_kvecs,                           \
        global const real *direct_powers, global const real4 *direct_atoms,                        \
        global const real4 *direct_zeros

#define SURFACE_SETUP                                                                              \
    {                                                                                              \
        direct_numbers, direct_sites, direct_bins, direct_kvecs, direct_powers, direct_atoms,      \
            direct_zeros[SURFACE_INDEX]                                                            \
    }

#ifdef SHOAL_DIRECT_FAMILY
#ifndef SHOAL_DIRECT_DAMPED
#define SHOAL_DIRECT_DAMPED 0
#endif
#define DIRECT_ROW_OF(n) ((int)(n)[DIRECT_ROW])

SHOAL_FN surface_form direct_form(global const real *n)
{
    surface_form f;
    f.eta = n[DIRECT_ETA];
    f.eta2 = n[DIRECT_ETA] * n[DIRECT_ETA];
    f.c_a = n[DIRECT_C_A];
    f.c_b = n[DIRECT_C_B];
    f.h_a = n[DIRECT_H_A];
    f.h_b = n[DIRECT_H_B];
    f.k0 = n[DIRECT_K0];
    f.k1 = n[DIRECT_K1];
    f.beta = n[DIRECT_BETA];
    f.d = n[DIRECT_D];
    f.damping2 = n[DIRECT_DAMPING2];
    return f;
}

/* Energy (w) and gradient of one site, by a pair model; w: numbers of the atom. */
SHOAL_FN real4 direct_site(global const real *n, real4 a, real4 b, real4 w, real donor, v3 r)
{
    const v3 d = v3_sub(r, v3_make(a.x, a.y, a.z));
    const real r2 = v3_dot(d, d), r0 = real_max(w.x + a.w, R(1e-6));
    real slope;
    real energy = surface_pair(SHOAL_DIRECT_FAMILY, SHOAL_DIRECT_DAMPED, direct_form(n), r0,
                               w.y * b.x, real_min(w.w * b.z, R(0.0)), r2, &slope);
#ifdef SHOAL_DIRECT_CHARGES
    real more;
    energy += surface_charge(n[DIRECT_ETA], w.z * b.y, r2 + n[DIRECT_DAMPING2], &more);
    slope += more;
    energy += surface_bend(SHOAL_DIRECT_COULOMB, w.z * b.y, n[DIRECT_D], r2, &more);
    slope += more;
#endif
    return (real4)(slope * d.x, slope * d.y, slope * d.z, energy);
}
#else
#define DIRECT_ROW_OF(n) 2

/* Energy (w) and gradient of one site. */
SHOAL_FN real4 direct_site(global const real *n, real4 a, real4 b, real4 w, real donor, v3 r)
{
    const v3 d = v3_sub(r, v3_make(a.x, a.y, a.z));
    const real r2 = v3_dot(d, d), P = w.x * a.w + w.w * b.z + donor * b.w, L = w.y * b.x;
    real slope;
#ifdef SHOAL_DIRECT_LJ
    real energy = surface_lj(n[DIRECT_ETA] * n[DIRECT_ETA], P, L, r2, &slope);
#else
    real energy = surface_morse(n[DIRECT_ALPHA], P, L, r2, &slope);
#endif
#ifdef SHOAL_DIRECT_CHARGES
    real more;
    energy += surface_charge(n[DIRECT_ETA], w.z * b.y, r2 + n[DIRECT_DAMPING2], &more);
    slope += more;
#endif
    return (real4)(slope * d.x, slope * d.y, slope * d.z, energy);
}
#endif

SHOAL_FN int direct_bin(global const real *n, int axis, real x)
{
    const int last = (int)n[DIRECT_BINS + axis] - 1;
    const int at = (int)floor((x - n[DIRECT_ORIGIN + axis]) / n[DIRECT_WIDTH]);
    return at < 0 ? 0 : at > last ? last : at;
}

/* Rows of bins that the circle of the reach meets; in each the bins within its chord. */
SHOAL_FN real4 direct_pairs(const surface_data *s, real4 w, real donor, v3 r)
{
    global const real *n = s->numbers;
    const real reach = n[DIRECT_REACH], width = n[DIRECT_WIDTH];
    const int last = direct_bin(n, 1, r.y + reach);
    real4 sum = (real4)(0, 0, 0, 0);
    for (int row = direct_bin(n, 1, r.y - reach); row <= last; ++row) {
        const real low = n[DIRECT_ORIGIN + 1] + (real)row * width;
        const real off = real_max(R(0.0), real_max(low - r.y, r.y - low - width));
        const real half2 = reach * reach - off * off;
        const real chord = half2 > 0 ? real_sqrt(half2) : R(0.0);
        global const int *start = s->bins + row * (int)n[DIRECT_BINS];
        const int end = half2 > 0 ? start[direct_bin(n, 0, r.x + chord) + 1] : 0;
        real4 part = (real4)(0, 0, 0, 0);
        for (int i = start[direct_bin(n, 0, r.x - chord)]; i < end; ++i)
            part += direct_site(n, s->sites[2 * i], s->sites[2 * i + 1], w, donor, r);
        sum += part; /* row by row, so that long sums keep their digits */
    }
    return sum;
}

/* One k-vector at panel p and t within it: the sum over channels of its two polynomials. row: the numbers of the
 * atom. */
SHOAL_FN real4 direct_kvec(const surface_data *s, real4 kvec, int p, real t, real decay,
                           global const real4 *row, v3 r)
{
    global const real *n = s->numbers;
    const int degree = (int)n[DIRECT_DEGREE], n_channels = (int)n[DIRECT_CHANNELS];
    global const real *c = s->powers + ((int)kvec.z + p) * n_channels * 2 * (degree + 1);
    real value[2] = {0, 0}, slope[2] = {0, 0};
    for (int k = 0; k < 2 * n_channels; ++k, c += degree + 1) {
#ifdef SHOAL_DIRECT_FAMILY
        const real weight = ((global const real *)row)[4 + k / 2];
#else
        const real weight = ((global const real *)row)[(int)n[DIRECT_CHANNEL + k / 2]];
#endif
        real v = c[degree], d = 0;
        for (int m = degree - 1; m >= 0; --m) {
            d = d * t + v;
            v = v * t + c[m];
        }
        value[0] += k % 2 == 0 ? weight * v : R(0.0);
        value[1] += k % 2 == 0 ? R(0.0) : weight * v;
        slope[0] += k % 2 == 0 ? weight * d : R(0.0);
        slope[1] += k % 2 == 0 ? R(0.0) : weight * d;
    }
    const real phase = kvec.x * r.x + kvec.y * r.y, co = cos(phase), si = sin(phase);
    const real energy = decay * (value[0] * co + value[1] * si);
    const real turned = decay * (value[1] * co - value[0] * si);
    return (real4)(kvec.x * turned, kvec.y * turned, slope[0] * co + slope[1] * si, energy);
}

SHOAL_FN real4 direct_kvecs_sum(const surface_data *s, global const real4 *row, v3 r)
{
    global const real *n = s->numbers;
    const int n_kvecs = (int)n[DIRECT_KVECS], n_panels = (int)n[DIRECT_PANELS];
    const real low = n[DIRECT_Z_LOW], high = n[DIRECT_Z_HIGH], panel = n[DIRECT_PANEL];
    const real u = (real_min(real_max(r.z, low), high) - low) / panel;
    real4 sum = (real4)(0, 0, 0, 0);
    for (int k = 0; k < n_kvecs; ++k) {
        const real4 kvec = s->kvecs[k];
        const int n_here = (int)kvec.w, at = (int)u;
        if (at >= n_here && n_here < n_panels) continue;
        const int p = at < n_here ? at : n_here - 1;
        const real g = real_sqrt(kvec.x * kvec.x + kvec.y * kvec.y);
        const real decay = r.z > high ? special_exp(-g * (r.z - high)) : R(1.0);
        real4 part = direct_kvec(s, kvec, p, R(2.0) * (u - (real)p) - R(1.0), decay, row, r);
        part.z = r.z > high ? -g * part.w : r.z < low ? R(0.0) : part.z * R(2.0) / panel;
        sum += part;
    }
    return sum;
}

/* Force on atom i, whose parameters are number k. */
SHOAL_FN real4 surface_force(const surface_data *s, int k, real4 at, energies *e)
{
    global const real *n = s->numbers;
    global const real4 *row = s->atoms + DIRECT_ROW_OF(n) * k;
    const real4 w = row[0];
    const real donor = row[1].x;
    v3 r = v3_make(at.x + s->zero.x, at.y + s->zero.y, at.z + s->zero.z);
    const real m0 = floor(n[DIRECT_DUAL] * r.x + n[DIRECT_DUAL + 1] * r.y);
    const real m1 = floor(n[DIRECT_DUAL + 2] * r.x + n[DIRECT_DUAL + 3] * r.y);
    r.x -= m0 * n[DIRECT_CELL] + m1 * n[DIRECT_CELL + 2];
    r.y -= m0 * n[DIRECT_CELL + 1] + m1 * n[DIRECT_CELL + 3];
    real4 sum = direct_pairs(s, w, donor, r);
#if defined(SHOAL_DIRECT_LJ) || defined(SHOAL_DIRECT_CHARGES)
    sum += direct_kvecs_sum(s, row, r);
#endif
    const real nothing = (r.x - r.x) + (r.y - r.y) + (r.z - r.z); /* or NaN */
    ADD_ENERGY(e, SURFACE, sum.w + nothing);
    return (real4)(nothing - sum.x, nothing - sum.y, nothing - sum.z, 0);
}

#define ADD_SURFACE(f, s, k, at, e) ((f) = v3_add(f, from4(surface_force(s, k, at, e))))

#endif
