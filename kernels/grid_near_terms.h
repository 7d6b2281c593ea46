/* SPDX-License-Identifier: BSD-3-Clause
 * Short-range pair kernels that grids are built from, as functions of r^2; valid as C17 and as
 * OpenCL C 1.2. Powers are continued within NEAR_CORE by their Taylor series in r^2: no atom gets so
 * close, and a spline must not see a pole. */
#ifndef SHOAL_KERNELS_GRID_NEAR_TERMS_H
#define SHOAL_KERNELS_GRID_NEAR_TERMS_H

#include "real.h"

#define NEAR_CORE2 R(1.44) /* (1.2 angstrom)^2 */

SHOAL_FN real near_power12(real r2)
{
    const real u = r2 > NEAR_CORE2 ? r2 : NEAR_CORE2, d = (r2 - u) / u;
    const real i2 = R(1.0) / u, i6 = i2 * i2 * i2;
    return i6 * i6 * (R(1.0) - R(6.0) * d + R(21.0) * d * d);
}

/* 1/r^6 less 1/(r^2 + soften2)^3, which sums over k-vectors bring. */
SHOAL_FN real near_power6(real r2, real soften2)
{
    const real u = r2 > NEAR_CORE2 ? r2 : NEAR_CORE2, d = (r2 - u) / u;
    const real i2 = R(1.0) / u, soft = R(1.0) / (r2 + soften2);
    return i2 * i2 * i2 * (R(1.0) - R(3.0) * d + R(6.0) * d * d) - soft * soft * soft;
}

#endif
