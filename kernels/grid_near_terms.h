/* SPDX-License-Identifier: BSD-3-Clause
 * Short-range pair kernels that grids are built from, as functions of r^2; valid as C17 and as
 * OpenCL C 1.2. Powers are continued within NEAR_CORE by their Taylor series in r^2: no atom gets so
 * close, and a spline must not see a pole. */
#ifndef SHOAL_KERNELS_GRID_NEAR_TERMS_H
#define SHOAL_KERNELS_GRID_NEAR_TERMS_H

#include "surface_terms.h"

#define NEAR_CORE2 R(0.81) /* (0.9 angstrom)^2 */

/* 1/r^p, p is 6, 8, 9 or 12. */
SHOAL_FN real near_inverse(int p, real r2)
{
    const real i2 = R(1.0) / r2, i6 = i2 * i2 * i2;
    if (p == 6) return i6;
    if (p == 12) return i6 * i6;
    return p == 8 ? i6 * i2 : i6 * i2 * real_sqrt(i2);
}

/* The smooth part of 1/r^p, (1 - Gamma(p/2, x) / Gamma(p/2)) / r^p with x = (eta r)^2, for x up to 1.5:
 * eta^p exp(-x) sum_k x^k / Gamma(p/2 + k + 1); full is eta^p / Gamma(p/2 + 1). */
SHOAL_FN real near_smooth(int p, real x, real full)
{
    real term = R(1.0), sum = R(0.0), below = R(0.5) * (real)p;
    for (int k = 0; k < 20; ++k) {
        sum += term;
        below += R(1.0);
        term *= x / below;
    }
    return full * special_exp(-x) * sum;
}

/* 1/r^p less its smooth part, which sums over k-vectors bring. */
SHOAL_FN real near_power(int p, real r2, real eta, real full)
{
    real more;
    const real x = eta * eta * r2;
    if (r2 > NEAR_CORE2)
        return near_inverse(p, r2) * surface_share(p, real_sqrt(x), x, special_exp(-x), &more);
    const real n = R(0.5) * (real)p, d = r2 / NEAR_CORE2 - R(1.0);
    const real core =
        near_inverse(p, NEAR_CORE2) * (R(1.0) - n * d + R(0.5) * n * (n + R(1.0)) * d * d);
    return core - near_smooth(p, x, full);
}

#endif
