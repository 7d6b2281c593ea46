/* SPDX-License-Identifier: BSD-3-Clause
 * Non-bonded pair terms, without a branch and without a function call, so that they also work on
 * vectors of numbers: the CPU schedule includes this header once more with its vector type for
 * real, and PAIR for the names.
 *
 * The force on i is g (r_i - r_j); terms give s = r^2 g, so that one factor 1/r^2 serves them all. */
#if !defined(PAIR) && !defined(SHOAL_KERNELS_PAIR_TERMS_H)
#define SHOAL_KERNELS_PAIR_TERMS_H
#include "real.h"

#include "constants.h"

/* Isolated systems have no vdW beyond 10 x, as in RDKit: (x/r)^6 < 1e-6. The schedules set c6 to zero
 * there. */
#define VDW_NEAR R(1e-6)
#define VDW_SWITCH (5.0 / 6.0)

#define PAIR(name) name
#define PAIR_ONCE
#endif

#ifdef PAIR
/* E = D ((x/r)^12 - 2 (x/r)^6), returned twelvefold; x6 = x^6, c6 = 12 D x^6, ir6 = 1/r^6. */
SHOAL_FN real PAIR(pair_vdw)(real x6, real c6, real ir6, real *s)
{
    const real u6 = x6 * ir6, t = c6 * ir6;
    *s = t * u6 - t;
    return t * (u6 - R(2.0));
}

/* Periodic systems: vdW energies are multiplied by a switch that falls from 1 at VDW_SWITCH times the
 * cut-off to 0 at the cut-off, with two continuous derivatives. r is the distance, y = (r - start) /
 * (cut-off - start) cut off at 0 and 1, and by_r = r / (cut-off - start). Takes what pair_vdw returns
 * and gave as *s. */
SHOAL_FN real PAIR(pair_switch)(real vdw, real y, real by_r, real *s)
{
    const real rest = y * (R(1.0) - y), y3 = y * y * y;
    const real factor = R(1.0) - y3 * (R(10.0) + y * (R(6.0) * y - R(15.0)));
    /* -r dS/dr = 30 y^2 (1 - y)^2 by_r, and vdw is twelve times the energy. */
    *s = *s * factor + vdw * (R(2.5) * (rest * rest) * by_r);
    return vdw * factor;
}

/* E = kqq / d with d = sqrt(r^2 + damping^2) and id = 1/d; kqq = kC q_i q_j. Without damping this is
 * also s; with it, g = E id^2. */
SHOAL_FN real PAIR(pair_coulomb)(real kqq, real id)
{
    return kqq * id;
}

#endif

#ifdef PAIR_ONCE
#undef PAIR_ONCE
#undef PAIR
#endif
