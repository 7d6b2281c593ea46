/* SPDX-License-Identifier: BSD-3-Clause
 * Bonded terms of a node, an atom with its neighbours and perhaps a direction, without a branch. Directions are
 * unit vectors; the forces on them are tangent, in eV per radian. */
#ifndef SHOAL_KERNELS_NODE_TERMS_H
#define SHOAL_KERNELS_NODE_TERMS_H

#include "real.h"

/* Added to squares of lengths and of sines, far below rounding elsewhere. */
#define NODE_TINY (sizeof(R(0.0)) == 4 ? R(1e-18) : R(1e-36))
#define NODE_SINE2 (sizeof(R(0.0)) == 4 ? R(1e-7) : R(1e-14))
#define NODE_LEAST_COSINE R(1e-4) /* of half an angle: the force at 180 degrees is finite */

/* arms[0], arms[1] = r_i, r_k - r_j; p = k, cos(t0/2), sin(t0/2). Half of the sum and of the difference of the two
 * unit vectors are as long as cosine and sine of half the angle, c and s. 1 - cos((t - t0)/2) is half the squared
 * distance of (c, s) from (cos t0/2, sin t0/2), which keeps its digits where it is small. */
SHOAL_FN real term_half_angle(const real *p, const v3 *arms, v3 *f)
{
    const real a2 = v3_dot(arms[0], arms[0]), ia = real_rsqrt(a2 + NODE_TINY);
    const real b2 = v3_dot(arms[1], arms[1]), ib = real_rsqrt(b2 + NODE_TINY);
    const v3 a = v3_scale(ia, arms[0]), b = v3_scale(ib, arms[1]);
    const v3 sum = v3_add(a, b), difference = v3_sub(a, b);
    const real c = R(0.5) * real_sqrt(v3_dot(sum, sum));
    const real s = real_sqrt(R(0.25) * v3_dot(difference, difference) + NODE_SINE2);
    const real cosine = c * c - s * s;
    const real pull = R(0.25) * p[0] * (p[1] / real_max(c, NODE_LEAST_COSINE) - p[2] / s);
    /* a2 ia^2 is 1, or 0 for an arm of no length, which has no force. */
    f[0] = v3_scale(pull * a2 * ia * ia * ia, v3_sub(b, v3_scale(cosine, a)));
    f[2] = v3_scale(pull * b2 * ib * ib * ib, v3_sub(a, v3_scale(cosine, b)));
    f[1] = v3_scale(R(-1.0), v3_add(f[0], f[2]));
    const real dc = c - p[1], ds = s - p[2];
    return R(0.5) * p[0] * (dc * dc + ds * ds);
}

/* arms[0] = r_j - r_i, arms[1] = the direction at i; p = k, c0. Atoms: direction, i, j. */
SHOAL_FN real term_sigma_pi(const real *p, const v3 *arms, v3 *f)
{
    const real r2 = v3_dot(arms[0], arms[0]), ir = real_rsqrt(r2 + NODE_TINY);
    const v3 h = v3_scale(ir, arms[0]);
    const real c = v3_dot(arms[1], h), off = c - p[1], pull = R(-2.0) * p[0] * off;
    f[0] = v3_scale(pull, v3_sub(h, v3_scale(c, arms[1])));
    f[2] = v3_scale(pull * r2 * ir * ir * ir, v3_sub(arms[1], v3_scale(c, h)));
    f[1] = v3_scale(R(-1.0), f[2]);
    return p[0] * off * off;
}

/* arms = the two directions; p = k, soft^2, sqrt(1 + soft^2). Without softening there is a cusp at right angles, where
 * the force takes one of its two sides. */
SHOAL_FN real term_pi_pi(const real *p, const v3 *arms, v3 *f)
{
    const real c = v3_dot(arms[0], arms[1]), root = real_sqrt(c * c + p[1]);
    const real pull = p[0] * (root > R(0.0) ? c / root : R(1.0));
    f[0] = v3_scale(pull, v3_sub(arms[1], v3_scale(c, arms[0])));
    f[1] = v3_scale(pull, v3_sub(arms[0], v3_scale(c, arms[1])));
    return p[0] * (p[2] - root);
}

#endif
