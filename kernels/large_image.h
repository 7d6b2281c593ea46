/* SPDX-License-Identifier: BSD-3-Clause
 * A non-bonded pair of a large system, isolated or of a lattice, as its pair model has it. */
#ifndef SHOAL_KERNELS_LARGE_IMAGE_H
#define SHOAL_KERNELS_LARGE_IMAGE_H

#include "ewald_terms.h"
#include "large.h"
#include "model_pairs.h"
#include "pair_terms.h"

#ifdef SHOAL_MODEL

typedef model_numbers pair_constants;
#define PAIR_CONSTANTS MODEL_CONSTANTS

/* As below, for a pair model; ahead: p is the particle with the lower number. */
SHOAL_FN real isolated_pair(real4 p, real4 q, real kqq, real r2, int ahead, const pair_constants *c,
                            int skip, real *vdw, real *coulomb)
{
    real e, ec;
    const real g = model_pair(c, p, q, r2, ahead, !skip, &e, &ec);
    *vdw += skip ? R(0.0) : R(12.0) * e;
    *coulomb += skip ? R(0.0) : ec;
    return skip ? R(0.0) : g;
}

/* vdW within its cut-off. */
SHOAL_FN real image_vdw(real4 p, real4 q, real r, real ir, int ahead, const pair_constants *c,
                        real *s)
{
    return R(12.0) * model_energy(c, p, q, r, ir, ahead, s);
}

/* What the Coulomb form of the model differs from 1/r by, which falls off fast. */
SHOAL_FN real image_bend(real kqq, real r2, const pair_constants *c, real *g)
{
    const int bent = MODEL_COULOMB == FORM_COULOMB_CLAMP || MODEL_COULOMB == FORM_COULOMB_SMOOTH ||
                     MODEL_COULOMB == FORM_COULOMB_ERF;
    if (!bent) return R(0.0);
    const real ir = real_rsqrt(r2), plain = kqq * ir;
    real s;
    const real e = form_coulomb(MODEL_COULOMB, kqq, c->d, r2 * ir, ir, &s);
    *g += (s - plain) * (ir * ir);
    return e - plain;
}

#else

typedef struct pair_constants {
    real damping2;
} pair_constants;
#define PAIR_CONSTANTS                                                                             \
    {                                                                                              \
        geo[LARGE_DAMPING2]                                                                        \
    }

/* Strength of vdW: x^6 and 12 D x^6 from x^3, sqrt(12 D) x^3 (arithmetic: x/2, sqrt(12 D)). */
SHOAL_FN real mix(real4 p, real4 q, real *c6)
{
#ifdef SHOAL_ARITHMETIC
    const real x = p.x + q.x, x2 = x * x, x6 = x2 * x2 * x2;
    *c6 = p.y * q.y * x6;
    return x6;
#else
    *c6 = p.y * q.y;
    return p.x * q.x;
#endif
}

/* A pair of an isolated system: the factor g of the force g d, d from j to i. */
SHOAL_FN real isolated_pair(real4 p, real4 q, real kqq, real r2, int ahead, const pair_constants *c,
                            int skip, real *vdw, real *coulomb)
{
    (void)ahead;
    const real ir = real_rsqrt(r2), ir2 = ir * ir, ir6 = ir2 * ir2 * ir2;
    real c6, s;
    const real x6 = mix(p, q, &c6);
    c6 = x6 * ir6 > VDW_NEAR ? c6 : R(0.0);
    const real e = pair_vdw(x6, c6, ir6, &s);
#ifdef SHOAL_DAMPED
    const real id = real_rsqrt(r2 + c->damping2);
#else
    const real id = ir;
#endif
    const real ec = pair_coulomb(kqq, id);
    *vdw += skip ? R(0.0) : e;
    *coulomb += skip ? R(0.0) : ec;
    return skip ? R(0.0) : s * ir2 + ec * (id * id);
}

SHOAL_FN real image_vdw(real4 p, real4 q, real r, real ir, int ahead, const pair_constants *c,
                        real *s)
{
    const real ir2 = ir * ir;
    real c6;
    const real x6 = mix(p, q, &c6);
    (void)r, (void)ahead, (void)c;
    return pair_vdw(x6, c6, ir2 * ir2 * ir2, s);
}

#define image_bend(kqq, r2, c, g) R(0.0)

#endif

/* A pair of a periodic system. */
SHOAL_FN real image_pair(real4 p, real4 q, real kqq, real r2, int ahead, const pair_constants *c,
                         global const real *geo, global const real *settings, real *vdw,
                         real *coulomb)
{
    real g = 0;
    if (r2 < settings[LARGE_VDW2]) {
        const real ir = real_rsqrt(r2), ir2 = ir * ir, r = r2 * ir;
        const real scale = settings[LARGE_SWITCH_SCALE];
        real s;
        const real y = real_min(real_max((r - settings[LARGE_SWITCH]) * scale, R(0.0)), R(1.0));
        const real e = image_vdw(p, q, r, ir, ahead, c, &s);
        *vdw += pair_switch(e, y, r * scale, &s);
        g = s * ir2;
    }
    if (r2 < geo[LARGE_REAL_CUT2]) {
        const real s2 = r2 + geo[LARGE_DAMPING2], is = real_rsqrt(s2);
        real s2g;
        *coulomb += ewald_erfc(kqq * is, geo[LARGE_ALPHA] * (s2 * is), &s2g);
        g += s2g * (is * is);
        *coulomb += image_bend(kqq, r2, c, &g);
    }
    return g;
}

#endif
