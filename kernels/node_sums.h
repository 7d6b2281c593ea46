/* SPDX-License-Identifier: BSD-3-Clause
 * All terms of a node and its neighbours: stretches, half angles, sigma-pi and its share of pi-pi. The same energies as
 * in node_terms.h, in fewer operations: what pulls at the unit vectors of bonds is summed first, and made a force by
 * one projection for each. What pulls at a direction is left with its part along it, which whoever sums forces takes
 * away. */
#ifndef SHOAL_KERNELS_NODE_SUMS_H
#define SHOAL_KERNELS_NODE_SUMS_H

#include "node_terms.h"

/* A neighbour: the unit vector to it, 1/distance, what pulls at the unit vector (eV), and along it (eV/angstrom). */
typedef struct node_arm {
    v3 unit, pull;
    real inverse, along;
} node_arm;

/* d from the node to its neighbour. Returns the energy of the stretch. */
SHOAL_FN real node_stretch(node_arm *a, real k, real r0, v3 d)
{
    const real r2 = v3_dot(d, d), ir = real_rsqrt(r2 + NODE_TINY), off = r2 * ir - r0;
    a->unit = v3_scale(ir, d);
    a->inverse = r2 * ir * ir * ir; /* 0 for an arm of no length, which has no force */
    a->along = -k * off;
    a->pull = v3_make(R(0.0), R(0.0), R(0.0));
    return R(0.5) * k * off * off;
}

/* k, cosine and sine of half the angle at rest. */
SHOAL_FN real node_half_angle(node_arm *a, node_arm *b, real k, real cosine, real sine)
{
    const v3 sum = v3_add(a->unit, b->unit), difference = v3_sub(a->unit, b->unit);
    const real c2 = R(0.25) * v3_dot(sum, sum);
    const real s2 = R(0.25) * v3_dot(difference, difference) + NODE_SINE2;
    const real least = NODE_LEAST_COSINE * NODE_LEAST_COSINE, is = real_rsqrt(s2);
    const real pull = R(0.25) * k * (cosine * real_rsqrt(real_max(c2, least)) - sine * is);
    a->pull = v3_add(a->pull, v3_scale(pull, b->unit));
    b->pull = v3_add(b->pull, v3_scale(pull, a->unit));
    const real dc = real_sqrt(c2) - cosine, ds = s2 * is - sine;
    return R(0.5) * k * (dc * dc + ds * ds);
}

/* p the direction of the node, *f what pulls at it. */
SHOAL_FN real node_sigma_pi(node_arm *a, real k, real c0, v3 p, v3 *f)
{
    const real off = v3_dot(p, a->unit) - c0, pull = R(-2.0) * k * off;
    a->pull = v3_add(a->pull, v3_scale(pull, p));
    *f = v3_add(*f, v3_scale(pull, a->unit));
    return k * off * off;
}

/* Half of the energy, and the force on p alone: the neighbour, whose direction is q, has the other half. soft2 and most
 * as in term_pi_pi. */
SHOAL_FN real node_pi_pi(real k, real soft2, real most, v3 p, v3 q, v3 *f)
{
    const real c = v3_dot(p, q), c2 = c * c + soft2;
    const real ir = real_rsqrt(c2 + NODE_TINY), pull = soft2 > R(0.0) ? c * ir
                                                       : c < R(0.0)   ? R(-1.0)
                                                                      : R(1.0);
    *f = v3_add(*f, v3_scale(k * pull, q));
    return R(0.5) * k * (most - real_sqrt(c2));
}

/* The force on the neighbour; the node has its negative. */
SHOAL_FN v3 node_force(const node_arm *a)
{
    const real along = a->along - a->inverse * v3_dot(a->pull, a->unit);
    return v3_add(v3_scale(a->inverse, a->pull), v3_scale(along, a->unit));
}

#endif
