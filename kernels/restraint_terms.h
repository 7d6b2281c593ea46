/* SPDX-License-Identifier: BSD-3-Clause
 * Harmonic restraints as pure functions: difference vectors and parameters in, energy returned,
 * forces by pointer. Formulas in include/shoal/engine.h. Angles and torsions are not defined for
 * straight atoms: an angle has no force there, a torsion is switched off as in uff_terms.h. */
#ifndef SHOAL_KERNELS_RESTRAINT_TERMS_H
#define SHOAL_KERNELS_RESTRAINT_TERMS_H

#include "uff_terms.h"

/* r_i - target without the directions that are left free: 1 for x, 2 for y, 4 for z. */
SHOAL_FN v3 restraint_offset(v3 d, real free)
{
    const int bits = (int)free;
    return v3_make(bits & 1 ? R(0.0) : d.x, bits & 2 ? R(0.0) : d.y, bits & 4 ? R(0.0) : d.z);
}

/* d: that offset; *fi is the force on i. */
SHOAL_FN real restraint_position(real k, v3 d, v3 *fi)
{
    *fi = v3_scale(-k, d);
    return R(0.5) * k * v3_dot(d, d);
}

/* The same of a centre of atoms, each of which has this share (1 by their number) in it; d: from the target. */
SHOAL_FN real restraint_centre(real k, real share, v3 d, v3 *fi)
{
    *fi = v3_scale(-k * share, d);
    return R(0.5) * k * v3_dot(d, d);
}

/* d = r_i - r_j; the force on j is the negative of that on i. */
SHOAL_FN real restraint_distance(real k, real value, v3 d, v3 *fi)
{
    bond_par p;
    p.k = k;
    p.r0 = value;
    return uff_bond(p, d, fi);
}

/* Angle between a = r_i - r_j and b = r_k - r_j, radians from 0 to pi. */
SHOAL_FN real restraint_measure_angle(v3 a, v3 b)
{
    const v3 n = v3_cross(a, b);
    return real_atan2(real_sqrt(v3_dot(n, n)), v3_dot(a, b));
}

/* Forces on i and k; that on j is the negative of their sum. */
SHOAL_FN real restraint_angle(real k, real value, v3 a, v3 b, v3 *fi, v3 *fk)
{
    const v3 n = v3_cross(a, b);
    const real in = real_rsqrt(v3_dot(n, n) + UFF_TINY);
    const real delta = restraint_measure_angle(a, b) - value, slope = k * delta * in;
    /* The gradients lie in the plane and at right angles to a and b, their lengths are 1/|a|, 1/|b|. */
    *fi = v3_scale(-slope / (v3_dot(a, a) + UFF_TINY), v3_cross(a, n));
    *fk = v3_scale(-slope / (v3_dot(b, b) + UFF_TINY), v3_cross(n, b));
    return R(0.5) * k * delta * delta;
}

/* Torsion minus a value given by its cosine and sine, from -pi to pi. a = r_i - r_j, b = r_k - r_j,
 * c = r_l - r_k. */
SHOAL_FN real restraint_measure_torsion(v3 a, v3 b, v3 c, real cosine, real sine)
{
    const v3 n1 = v3_cross(a, b), n2 = v3_cross(c, b);
    const real x = v3_dot(n1, n2), y = -v3_dot(n1, c) * real_sqrt(v3_dot(b, b));
    return real_atan2(y * cosine - x * sine, x * cosine + y * sine);
}

SHOAL_FN real restraint_torsion(real k, real cosine, real sine, v3 a, v3 b, v3 c, v3 *fi, v3 *fj,
                                v3 *fk, v3 *fl)
{
    const v3 n1 = v3_cross(a, b), n2 = v3_cross(c, b);
    const real ib = real_rsqrt(v3_dot(b, b) + UFF_TINY), length = v3_dot(b, b) * ib;
    const real i1 = R(1.0) / (v3_dot(n1, n1) + UFF_TINY);
    const real i2 = R(1.0) / (v3_dot(n2, n2) + UFF_TINY);
    const real ca = v3_dot(a, b) * ib * ib, cc = v3_dot(c, b) * ib * ib;
    const real delta = restraint_measure_torsion(a, b, c, cosine, sine);
    v3 ga, gb1, gc, gb2;
    const real s1 = uff_bend_switch(a, b, &ga, &gb1), s2 = uff_bend_switch(c, b, &gc, &gb2);
    const real e = R(0.5) * k * delta * delta, slope = s1 * s2 * k * delta * length;
    const v3 f1 = v3_scale(-slope * i1, n1), f4 = v3_scale(slope * i2, n2);
    const v3 di = v3_scale(-e * s2, ga), dl = v3_scale(-e * s1, gc);
    const v3 db = v3_add(v3_scale(-e * s2, gb1), v3_scale(-e * s1, gb2));
    *fi = v3_add(f1, di);
    *fl = v3_add(f4, dl);
    *fk = v3_add(v3_sub(v3_scale(-ca, f1), v3_scale(cc + R(1.0), f4)), v3_sub(db, dl));
    *fj = v3_sub(v3_add(v3_scale(ca - R(1.0), f1), v3_scale(cc, f4)), v3_add(di, db));
    return s1 * s2 * e;
}

#endif
