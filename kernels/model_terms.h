/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs of a pair model on devices, from what two particles mix to: R0, sqrt(E E) and h h. Exponentials are those
 * of differences, e = exp(k (R0 - r)), so that nothing overflows and float keeps its digits. family and the other
 * choices of a model are constants where this is called. */
#ifndef SHOAL_KERNELS_MODEL_TERMS_H
#define SHOAL_KERNELS_MODEL_TERMS_H

#include "form_terms.h"

/* In float the function of the hardware: its error, some 1e-7 and as much per unit of the argument, is that of the
 * argument itself, a product rounded. */
#if (defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)) && !defined(SHOAL_DOUBLE)
#define model_exp(x) native_exp(x)
#else
#define model_exp(x) special_exp(x)
#endif

/* E = b eb B - a ea A + kqq g(r); k: rate of the exponential in 1/angstrom, or (where it is scaled) times R0; beta:
 * damping of dispersion, 1/angstrom; d: damping length of Coulomb, angstrom; clamp of the pairs of the system. */
typedef struct model_numbers {
    real a, b, k, beta, d, clamp;
} model_numbers;

/* Bits of what hydrogen bonds act on. */
enum { MODEL_ON_REPULSION = 1, MODEL_ON_ATTRACTION = 2 };

/* Depths of attraction and repulsion from e0 = sqrt(E E) and h h. */
SHOAL_FN void model_hbond(int hbond, real e0, real hh, real *ea, real *eb)
{
    const real h = e0 * real_min(hh, R(0.0));
    *ea = hbond & MODEL_ON_ATTRACTION ? e0 - h : e0;
    *eb = hbond & MODEL_ON_REPULSION ? e0 + h : e0;
}

/* Lennard-Jones with hydrogen bonds on the repulsion alone, the usual one, in fewer operations; h is 0 or below, and 0
 * leaves no trace. *s = -r dE/dr. */
SHOAL_FN real model_lj(real e0, real h, real u, real *s)
{
    const real u2 = u * u, u6 = u2 * u2 * u2, t = e0 * u6, repulsion = h * u6 + u6;
    *s = R(12.0) * t * (repulsion - R(1.0));
    return t * (repulsion - R(2.0));
}

/* What donors and acceptors of hydrogen bonds are told by, see buffered_atom in src/ff/pair_model.h. */
#define MODEL_IS_ACCEPTOR(mark) ((mark) > R(1024.0))
#define MODEL_SHARE(mark) (MODEL_IS_ACCEPTOR(mark) ? (mark)*R(9.5367431640625e-7) : real_abs(mark))

/* The distance of the minimum by the mixing of MMFF94 from half those of like atoms and marks; a hydrogen bond (*bridge)
 * has 0.8 of it. */
SHOAL_FN real model_buffered_minimum(real ri, real rj, real mi, real mj, int *bridge)
{
    const real sum = ri + rj, gamma = real_divide(ri - rj, sum);
    const int donor = (mi < R(0.0)) | (mj < R(0.0));
    const real beyond = R(0.2) - R(0.2) * model_exp(R(-12.0) * gamma * gamma);
    *bridge = ((mi < R(0.0)) & MODEL_IS_ACCEPTOR(mj)) | (MODEL_IS_ACCEPTOR(mi) & (mj < R(0.0)));
    return donor ? sum : sum + sum * beyond;
}

/* Buffered 14-7 of that distance, strengths, marks. */
SHOAL_FN real model_buffered(real ri, real rj, real gi, real gj, real mi, real mj, real r, real *s)
{
    int bridge;
    const real k = model_buffered_minimum(ri, rj, mi, mj, &bridge), k2 = k * k;
    const real e = real_divide(gi * gj, (MODEL_SHARE(mi) + MODEL_SHARE(mj)) * (k2 * k2 * k2));
    return form_buffered(R(BUFFERED_WALL) * (bridge ? R(0.5) * e : e),
                         real_divide(bridge ? R(1.25) : R(1.0), k), r, s);
}

/* Beyond so many distances of the minimum nothing is left of a pair, in the precision at hand. */
#ifdef SHOAL_DOUBLE
#define MODEL_BUFFERED_FAR R(1e4)
#else
#define MODEL_BUFFERED_FAR R(300.0)
#endif

/* The same from 1/R and 1.07^7 times the depth, and *reach = 1/(r + d). Divisions cost most on GPUs: one serves all
 * three. *vdw is the energy; returns -r dE/dr of it. */
SHOAL_FN real model_buffered_pair(real per_r, real depth, real r, real d, real *vdw, real *reach)
{
    const real u = real_min(r * per_r, MODEL_BUFFERED_FAR);
    const real u2 = u * u, u6 = u2 * u2 * u2;
    const real x = u + R(0.07), y = u6 * u + R(0.12), z = r + d, xy = x * y;
    const real inverse = real_divide(R(1.0), xy * z), by_xy = inverse * z;
    const real near = by_xy * y, far = by_xy * x; /* 1/x, 1/y */
    const real n2 = near * near, n6 = n2 * n2 * n2;
    const real wall = depth * (n6 * near), bent = R(1.12) * far - R(2.0);
    *reach = inverse * xy;
    *vdw = wall * bent;
    return R(7.0) * u * wall * (bent * near + R(1.12) * (u6 * far) * far);
}

/* *s = -r dE/dr. */
SHOAL_FN real model_vdw(int family, int scaled, int damped, const model_numbers *m, real r0,
                        real ea, real eb, real r, real ir, real *s)
{
    const real rate = scaled ? real_divide(m->k, r0) : m->k;
    const real u = r0 * ir, u2 = u * u, u6 = u2 * u2 * u2;
    real repulsion, by_r;
    if (family == FORM_MORSE) {
        const real e = model_exp(rate * (r0 - r)), attraction = m->a * ea * e;
        repulsion = m->b * eb * (e * e);
        *s = rate * r * (R(2.0) * repulsion - attraction);
        return repulsion - attraction;
    }
    if (family == FORM_BUCK) {
        repulsion = m->b * eb * model_exp(rate * (r0 - r));
        by_r = rate * r * repulsion;
    } else {
        const real power = family == FORM_POWER_12  ? u6 * u6
                           : family == FORM_POWER_9 ? u6 * u2 * u
                                                    : u6 * u2;
        repulsion = m->b * eb * power;
        by_r = (family == FORM_POWER_12  ? R(12.0)
                : family == FORM_POWER_9 ? R(9.0)
                                         : R(8.0)) *
               repulsion;
    }
    real attraction = m->a * ea * u6, slope = R(6.0) * attraction;
    if (damped) {
        real by_x;
        const real f = form_damping_6(m->beta * r, &by_x);
        slope = f * slope - by_x * attraction;
        attraction = f * attraction;
    }
    *s = by_r - slope;
    return repulsion - attraction;
}

#endif
