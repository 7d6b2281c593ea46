/* SPDX-License-Identifier: BSD-3-Clause
 * Direct sums over a substrate: pair functions and k-vectors; valid as C17 and OpenCL C 1.2. What is
 * split between pairs and k-vectors, and how, stands in src/surf/surface_sum.h.
 *
 * Slopes of pairs are (dE/dr)/r, so that the gradient is slope (r - r_s). */
#ifndef SHOAL_KERNELS_SURFACE_TERMS_H
#define SHOAL_KERNELS_SURFACE_TERMS_H

#include "special_terms.h"

/* P e^2 + L e, e = exp(-alpha r). */
SHOAL_FN real surface_morse(real alpha, real P, real L, real r2, real *slope)
{
    const real r = real_sqrt(real_max(r2, R(1e-12))), e = special_exp(-alpha * r);
    *slope = -alpha * e * (R(2.0) * P * e + L) / r;
    return e * (P * e + L);
}

/* The parts in pairs of P / r^12 + L / r^6. */
SHOAL_FN real surface_lj(real eta2, real P, real L, real r2, real *slope)
{
    const real x = eta2 * r2, e = special_exp(-x), i2 = R(1.0) / r2, i6 = i2 * i2 * i2;
    const real s3 = R(1.0) + x * (R(1.0) + x * R(0.5)), x3 = x * x * x;
    const real s6 = s3 + x3 * (R(0.16666666666666667) +
                               x * (R(0.041666666666666667) + x * R(0.0083333333333333333)));
    const real a = P * i6 * i6 * e, b = L * i6 * e;
    *slope = -(R(12.0) * a * (s6 + x3 * x3 * R(0.0013888888888888889)) +
               R(6.0) * b * (s3 + x3 * R(0.16666666666666667))) *
             i2;
    return a * s6 + b * s3;
}

/* The part in pairs of q / s, s^2 = r^2 + damping^2: q erfc(eta s)/s. */
SHOAL_FN real surface_charge(real eta, real q, real s2, real *slope)
{
    const real s = real_sqrt(s2), x = eta * s, is = R(1.0) / s, e = special_exp(-x * x);
    const real value = q * e * special_erfcx(x) * is;
    *slope = -(value + R(1.1283791670955126) * eta * q * e) * (is * is);
    return value;
}

#endif
