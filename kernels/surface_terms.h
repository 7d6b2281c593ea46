/* SPDX-License-Identifier: BSD-3-Clause
 * Direct sums over a substrate: pair functions and waves; valid as C17 and OpenCL C 1.2. What is
 * split between pairs and waves, and how, stands in src/surf/surface_sum.h.
 *
 * Slopes of pairs are (dE/dr)/r, so that the gradient is slope (r - r_s). */
#ifndef SHOAL_KERNELS_SURFACE_TERMS_H
#define SHOAL_KERNELS_SURFACE_TERMS_H

#include "real.h"

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define surface_exp(x) exp(x)
#ifdef SHOAL_DOUBLE
#define SURFACE_DOUBLE 1
#else
#define SURFACE_DOUBLE 0
#endif
#else
#include <string.h>
#define SURFACE_DOUBLE (sizeof(real) == 8)
#define surface_exp(x) _Generic((real)0, float : surface_expf, default : surface_expd)(x)

/* exp(x) = 2^n exp(y), |y| <= ln(2)/2, by its power series; n is rounded by adding a large number,
 * whose last bits it then is. Without branches, so that loops over it become vectors. x <= 0. */
SHOAL_FN float surface_expf(float x)
{
    const float low = x < -87.0f ? -87.0f : x;
    const float shifted = low * 1.44269504f + 12582912.0f, n = shifted - 12582912.0f;
    const float y = (low - n * 0.693359375f) + n * 2.12194440e-4f;
    int32_t bits;
    float power, p = 1.0f / 5040.0f;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (int32_t)((uint32_t)(bits + 127) << 23);
    memcpy(&power, &bits, sizeof power);
    p = p * y + 1.0f / 720.0f;
    p = p * y + 1.0f / 120.0f;
    p = p * y + 1.0f / 24.0f;
    p = p * y + 1.0f / 6.0f;
    p = p * y + 0.5f;
    p = p * y + 1.0f;
    p = p * y + 1.0f;
    return p * power;
}

SHOAL_FN double surface_expd(double x)
{
    const double low = x < -700.0 ? -700.0 : x;
    const double shifted = low * 1.44269504088896340736 + 6755399441055744.0;
    const double n = shifted - 6755399441055744.0;
    const double y = (low - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
    int64_t bits;
    double power, p = 1.0 / 479001600.0;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (int64_t)((uint64_t)(bits + 1023) << 52);
    memcpy(&power, &bits, sizeof power);
    p = p * y + 1.0 / 39916800.0;
    p = p * y + 1.0 / 3628800.0;
    p = p * y + 1.0 / 362880.0;
    p = p * y + 1.0 / 40320.0;
    p = p * y + 1.0 / 5040.0;
    p = p * y + 1.0 / 720.0;
    p = p * y + 1.0 / 120.0;
    p = p * y + 1.0 / 24.0;
    p = p * y + 1.0 / 6.0;
    p = p * y + 0.5;
    p = p * y + 1.0;
    p = p * y + 1.0;
    return p * power;
}
#endif

/* exp(x^2) erfc(x) for 0 <= x <= 6.6, as a polynomial in u = 2.7576 x/(x + 2.5) - 1, after Shepherd
 * and Laframboise, Math. Comp. 36 (1981) 249; fitted in Chebyshev polynomials, 5e-8 in float and
 * 5e-14 in double. */
SHOAL_FN real surface_erfcx(real x)
{
    const real u = R(2.757575757575758) * x / (x + R(2.5)) - R(1.0);
    real p;
    if (SURFACE_DOUBLE) {
        p = R(-2.1100277081131935e-10);
        p = p * u + R(-2.7768010113504715e-09);
        p = p * u + R(-3.4488891742512351e-09);
        p = p * u + R(3.4480493127375667e-08);
        p = p * u + R(1.1710667990882939e-07);
        p = p * u + R(-2.2019742118573049e-07);
        p = p * u + R(-1.9656065024520331e-06);
        p = p * u + R(2.1525490367935163e-07);
        p = p * u + R(2.9930359649377181e-05);
        p = p * u + R(1.4094530980779396e-05);
        p = p * u + R(-0.00053428543000155759);
        p = p * u + R(0.00028273522784955096);
        p = p * u + R(0.011592118860243195);
        p = p * u + R(-0.065113283987526568);
        p = p * u + R(0.19642653438996538);
        p = p * u + R(-0.39291654856443176);
        return p * u + R(0.3347545779479062);
    }
    p = R(2.5478292792868729e-05);
    p = p * u + R(1.3961204592627396e-05);
    p = p * u + R(-0.00053052139611875493);
    p = p * u + R(0.00028297333573101824);
    p = p * u + R(0.011590797695595456);
    p = p * u + R(-0.065113368014387538);
    p = p * u + R(0.1964266978185622);
    p = p * u + R(-0.39291654149513272);
    return p * u + R(0.33475457470205355);
}

/* P e^2 + L e, e = exp(-alpha r). */
SHOAL_FN real surface_morse(real alpha, real P, real L, real r2, real *slope)
{
    const real r = real_sqrt(real_max(r2, R(1e-12))), e = surface_exp(-alpha * r);
    *slope = -alpha * e * (R(2.0) * P * e + L) / r;
    return e * (P * e + L);
}

/* The parts in pairs of P / r^12 + L / r^6. */
SHOAL_FN real surface_lj(real eta2, real P, real L, real r2, real *slope)
{
    const real x = eta2 * r2, e = surface_exp(-x), i2 = R(1.0) / r2, i6 = i2 * i2 * i2;
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
    const real s = real_sqrt(s2), x = eta * s, is = R(1.0) / s, e = surface_exp(-x * x);
    const real value = q * e * surface_erfcx(x) * is;
    *slope = -(value + R(1.1283791670955126) * eta * q * e) * (is * is);
    return value;
}

#endif
