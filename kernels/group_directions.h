/* SPDX-License-Identifier: BSD-3-Clause
 * Directions among the movers of a system: they stand behind its atoms, at the same places of positions, forces and
 * velocities. Programs for systems without them know atoms only. */
#ifndef SHOAL_KERNELS_GROUP_DIRECTIONS_H
#define SHOAL_KERNELS_GROUP_DIRECTIONS_H

#include "group_memory.h"
#include "step_direction.h"

#ifdef SHOAL_DIRECTIONS
/* The unit vector along u, and 1/|u|; a second step gives it all digits. */
SHOAL_FN v3 direction_of(v3 u, real *inverse)
{
    const real ir = real_rsqrt(v3_dot(u, u));
    const v3 q = v3_scale(ir, u);
    const real mend = R(1.5) - R(0.5) * v3_dot(q, q);
    *inverse = ir * mend;
    return v3_scale(mend, q);
}

#define IS_DIRECTION(t, i) ((i) >= (t)->n_points)
#else
#define IS_DIRECTION(t, i) 0
#endif

#endif
