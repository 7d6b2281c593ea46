/* SPDX-License-Identifier: BSD-3-Clause
 * Non-bonded pair terms: squared distance in, energy returned, and by pointer the factor g that
 * gives the force on i as g (r_i - r_j). */
#ifndef SHOAL_KERNELS_PAIR_TERMS_H
#define SHOAL_KERNELS_PAIR_TERMS_H

#include "real.h"

#define COULOMB_CONSTANT 14.3996454784 /* eV angstrom / e^2, CODATA 2018 */
#define VDW_NEAR R(0.01)               /* isolated systems: no vdW beyond 10 x, as in RDKit */

/* E = d ((x/r)^12 - 2 (x/r)^6) for r < 10 x; x2 = x^2, ir2 = 1/r^2. */
SHOAL_FN real pair_vdw(real x2, real d, real ir2, real *g)
{
    const real u2 = x2 * ir2, u6 = u2 * u2 * u2;
    const real t = u2 > VDW_NEAR ? d * u6 : R(0.0);
    *g = R(12.0) * t * (u6 - R(1.0)) * ir2;
    return t * (u6 - R(2.0));
}

/* E = kqq / s with s = sqrt(r^2 + damping^2) and is = 1/s; kqq = kC q_i q_j. */
SHOAL_FN real pair_coulomb(real kqq, real is, real *g)
{
    const real e = kqq * is;
    *g = e * is * is;
    return e;
}

#endif
