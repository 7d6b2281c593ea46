/* SPDX-License-Identifier: BSD-3-Clause
 * Degrees of freedom that are unit vectors p, with velocities v and forces f in their tangent planes (v.p = f.p = 0).
 *
 * FIRE and dynamics move p along its great circle and take v along (direction_turn), so that p x v is kept: with the
 * balanced torques of all terms, steps conserve angular momentum to rounding. L-BFGS works with any vector u along p,
 * p = u/|u|: that is a function without constraint whose gradient is f/|u|, so that its history needs no transport from
 * one tangent plane to the next. */
#ifndef SHOAL_KERNELS_STEP_DIRECTION_H
#define SHOAL_KERNELS_STEP_DIRECTION_H

#include "real.h"

#define DIRECTION_MOST R(4.0) /* largest square of an angle that p turns by at once */

/* What is left of f in the plane perpendicular to the unit vector p. */
SHOAL_FN v3 direction_tangent(v3 f, v3 p)
{
    return v3_sub(f, v3_scale(v3_dot(f, p), p));
}

/* cos a and sin a / a from a^2 up to DIRECTION_MOST, good to the last digit. */
SHOAL_FN void direction_series(real a2, real *cosine, real *sinc)
{
    real c = R(-1.1470745597729725e-11), s = R(0.0);
    if (sizeof(real) > 4) { /* from a^24 and a^22 down to a^14 */
        c = a2 * (a2 * (a2 * (a2 * (a2 * R(1.6117375710961184e-24) - R(8.8967913924505741e-22)) +
                              R(4.1103176233121648e-19)) -
                        R(1.5619206968586225e-16)) +
                  R(4.7794773323873853e-14)) -
            R(1.1470745597729725e-11);
        s = a2 * (a2 * (a2 * (a2 * R(-3.8681701706306835e-23) + R(1.9572941063391263e-20)) -
                        R(8.2206352466243295e-18)) +
                  R(2.8114572543455206e-15)) -
            R(7.6471637318198164e-13);
    }
    c = a2 * (a2 * (a2 * (a2 * (a2 * (a2 * (a2 * c + R(2.0876756987868099e-9)) -
                                      R(2.7557319223985891e-7)) +
                                R(2.4801587301587302e-5)) -
                          R(1.3888888888888889e-3)) +
                    R(4.1666666666666667e-2)) -
              R(0.5)) +
        R(1.0);
    s = a2 * (a2 * (a2 * (a2 * (a2 * (a2 * (a2 * s + R(1.6059043836821615e-10)) -
                                      R(2.5052108385441719e-8)) +
                                R(2.7557319223985891e-6)) -
                          R(1.9841269841269841e-4)) +
                    R(8.3333333333333333e-3)) -
              R(0.16666666666666667)) +
        R(1.0);
    *cosine = c;
    *sinc = s;
}

/* Turns p by |v| t about the axis p x v, and v with it. What rounding adds to their lengths and their angle is taken
 * away again. */
SHOAL_FN void direction_turn(v3 *p, v3 *v, real t)
{
    const real v2 = v3_dot(*v, *v), a2 = v2 * t * t;
    const real by = a2 > DIRECTION_MOST ? t * real_sqrt(DIRECTION_MOST / a2) : t;
    real c, s;
    direction_series(a2 > DIRECTION_MOST ? DIRECTION_MOST : a2, &c, &s);
    const v3 q = v3_add(v3_scale(c, *p), v3_scale(by * s, *v));
    const v3 u = v3_sub(v3_scale(c, *v), v3_scale(v2 * by * s, *p));
    *p = v3_scale(R(1.5) - R(0.5) * v3_dot(q, q), q);
    *v = direction_tangent(u, *p);
}

#endif
