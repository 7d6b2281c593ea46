/* SPDX-License-Identifier: BSD-3-Clause
 * All terms of a planar centre and its three neighbours: bonds, angles and inversions share their
 * vectors. The same energies as in uff_terms.h, in fewer operations. */
#ifndef SHOAL_KERNELS_UFF_CENTRE_H
#define SHOAL_KERNELS_UFF_CENTRE_H

#include "uff_terms.h"

/* One neighbour: unit vector to it, 1/r, and the force on it so far. */
typedef struct centre_arm {
    v3 unit, force;
    real inverse;
} centre_arm;

/* The bond to the neighbour at d from the centre, of strength p.k = 0 where it is counted elsewhere. */
SHOAL_FN real centre_bond(centre_arm *arm, bond_par p, v3 d)
{
    const real r2 = v3_dot(d, d), inverse = real_rsqrt(r2 + UFF_TINY), s = r2 * inverse - p.r0;
    arm->unit = v3_scale(inverse, d);
    arm->inverse = (r2 * inverse * inverse) * inverse; /* 0 for an arm of no length: no force */
    arm->force = v3_scale(-p.k * s, arm->unit);
    return R(0.5) * p.k * s * s;
}

SHOAL_FN real centre_angle(centre_arm *a, centre_arm *b, angle_par p)
{
    const real c = v3_dot(a->unit, b->unit);
    const real slope =
        p.p[1] + c * (R(2.0) * p.p[2] + c * (R(3.0) * p.p[3] + c * (R(4.0) * p.p[4])));
    const real ga = -slope * a->inverse, gb = -slope * b->inverse;
    a->force = v3_add(a->force, v3_scale(ga, v3_sub(b->unit, v3_scale(c, a->unit))));
    b->force = v3_add(b->force, v3_scale(gb, v3_sub(a->unit, v3_scale(c, b->unit))));
    return p.p[0] + c * (p.p[1] + c * (p.p[2] + c * (p.p[3] + c * p.p[4])));
}

/* The inversion with c out of the plane of a and b. It depends on directions only, so that forces
 * for unit vectors need 1/r to be those on the atoms. */
SHOAL_FN real centre_inversion(centre_arm *a, centre_arm *b, centre_arm *c, inversion_par p)
{
    v3 fa, fb, fc;
    real e;
    if (uff_inversion_is_straight(a->unit, b->unit, c->unit))
        e = uff_inversion_straight(p, a->unit, b->unit, c->unit, &fa, &fb, &fc);
    else
        e = uff_inversion(p, a->unit, b->unit, c->unit, &fa, &fb, &fc);
    a->force = v3_add(a->force, v3_scale(a->inverse, fa));
    b->force = v3_add(b->force, v3_scale(b->inverse, fb));
    c->force = v3_add(c->force, v3_scale(c->inverse, fc));
    return e;
}

#endif
