/* SPDX-License-Identifier: BSD-3-Clause
 * All terms of a planar centre and its three neighbours: bonds, angles and inversions share their
 * vectors. The same energies as in uff_terms.h, in fewer operations. */
#ifndef SHOAL_KERNELS_UFF_CENTRE_H
#define SHOAL_KERNELS_UFF_CENTRE_H

#include "uff_terms.h"

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
