/* SPDX-License-Identifier: BSD-3-Clause
 * A non-bonded pair of a large system, isolated or of a lattice, as its pair model has it. */
#ifndef SHOAL_KERNELS_LARGE_IMAGE_H
#define SHOAL_KERNELS_LARGE_IMAGE_H

#include "ewald_terms.h"
#include "large.h"
#include "model_pairs.h"
#include "pair_terms.h"

#ifdef SHOAL_MODEL

#define MODEL_IS_BENT                                                                              \
    (MODEL_COULOMB == FORM_COULOMB_CLAMP || MODEL_COULOMB == FORM_COULOMB_SMOOTH ||                \
     MODEL_COULOMB == FORM_COULOMB_ERF)

typedef model_numbers pair_constants;
#define PAIR_CONSTANTS MODEL_CONSTANTS(geo[LARGE_CLAMP])

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
    if (!MODEL_IS_BENT) return R(0.0);
    const real ir = real_rsqrt(r2), plain = kqq * ir;
    real s;
    const real e = form_coulomb(MODEL_COULOMB, kqq, c->d, r2 * ir, ir, &s);
    *g += (s - plain) * (ir * ir);
    return e - plain;
}

/* Energy of two charges that no lattice has; *s = -r times its slope. damping2 where the form is not bent. */
SHOAL_FN real image_charges(real kqq, real r2, real damping2, const pair_constants *c, real *s)
{
    const real ir = real_rsqrt(r2), id = real_rsqrt(r2 + damping2);
    if (MODEL_IS_BENT) return form_coulomb(MODEL_COULOMB, kqq, c->d, r2 * ir, ir, s);
    *s = kqq * id * (id * id) * r2;
    return MODEL_COULOMB == FORM_COULOMB_NONE ? (*s = R(0.0)) : kqq * id;
}

SHOAL_FN real image_reach2(real4 p, real4 q)
{
    return model_reach2(p, q);
}

#else

typedef struct pair_constants {
    real damping2, clamp;
} pair_constants;
#define PAIR_CONSTANTS                                                                             \
    {                                                                                              \
        geo[LARGE_DAMPING2], geo[LARGE_CLAMP]                                                      \
    }

/* Square of the distance of the minimum of two atoms, from x/2 or x. */
SHOAL_FN real image_reach2(real4 p, real4 q)
{
#ifdef SHOAL_ARITHMETIC
    return (p.x + q.x) * (p.x + q.x);
#else
    return p.w * q.w;
#endif
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
    CLAMP_PAIR(r2, c->clamp, image_reach2(p, q));
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
    *vdw += skip ? R(0.0) : CLAMP_ENERGY(e, R(12.0) * s);
    *coulomb += skip ? R(0.0) : CLAMP_ENERGY(ec, ec * (id * id) * r2);
    return skip ? R(0.0) : CLAMP_FORCE(s * ir2 + ec * (id * id));
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

SHOAL_FN real image_charges(real kqq, real r2, real damping2, const pair_constants *c, real *s)
{
    const real id = real_rsqrt(r2 + damping2);
    (void)c;
    *s = kqq * id * (id * id) * r2;
    return kqq * id;
}

#endif

/* vdW of a pair within the cut-off: the factor g of the force. */
SHOAL_FN real image_switched(real4 p, real4 q, real r2, int ahead, const pair_constants *c,
                             global const real *settings, real *vdw)
{
    CLAMP_PAIR(r2, c->clamp, image_reach2(p, q));
    if (!(r2 < settings[LARGE_VDW2])) return R(0.0);
    const real ir = real_rsqrt(r2), ir2 = ir * ir, r = r2 * ir;
    const real scale = settings[LARGE_SWITCH_SCALE];
    real s;
    const real y = real_min(real_max((r - settings[LARGE_SWITCH]) * scale, R(0.0)), R(1.0));
    const real e = image_vdw(p, q, r, ir, ahead, c, &s);
    const real switched = pair_switch(e, y, r * scale, &s);
    *vdw += CLAMP_ENERGY(switched, R(12.0) * s);
    return CLAMP_FORCE(s * ir2);
}

/* What a clamp makes of two charges, less what they are, which the lattice has. */
#ifdef SHOAL_CLAMP
SHOAL_FN real image_clamp(real4 p, real4 q, real kqq, real r2, const pair_constants *c,
                          real damping2, real *coulomb)
{
    real at2 = r2, s, before;
    CLAMP_PAIR(at2, c->clamp, image_reach2(p, q));
    const real had = image_charges(kqq, r2, damping2, c, &before);
    const real e = image_charges(kqq, at2, damping2, c, &s);
    if (!(r2 < at2)) return R(0.0);
    *coulomb += CLAMP_ENERGY(e, s) - had;
    return CLAMP_FORCE(s / at2) - before / r2;
}
#else
#define image_clamp(p, q, kqq, r2, c, damping2, coulomb) R(0.0)
#endif

/* A pair of a periodic system. */
SHOAL_FN real image_pair(real4 p, real4 q, real kqq, real r2, int ahead, const pair_constants *c,
                         global const real *geo, global const real *settings, real *vdw,
                         real *coulomb)
{
    real g = image_switched(p, q, r2, ahead, c, settings, vdw);
    if (r2 < geo[LARGE_REAL_CUT2]) {
        const real s2 = r2 + geo[LARGE_DAMPING2], is = real_rsqrt(s2);
        real s2g;
        *coulomb += ewald_erfc(kqq * is, geo[LARGE_ALPHA] * (s2 * is), &s2g);
        g += s2g * (is * is);
        *coulomb += image_bend(kqq, r2, c, &g);
    }
    if (geo[LARGE_REAL_CUT2] > 0) g += image_clamp(p, q, kqq, r2, c, geo[LARGE_DAMPING2], coulomb);
    return g;
}

#endif
