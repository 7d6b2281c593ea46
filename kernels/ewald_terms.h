/* SPDX-License-Identifier: BSD-3-Clause
 * Ewald sums of damped Coulomb interactions: the terms of pairs, without a branch, so that they also
 * work on vectors of numbers, as in pair_terms.h.
 *
 * With s^2 = r^2 + d^2, kqq/s is split into kqq erfc(alpha s)/s, summed over images, and
 * kqq erf(alpha s)/s, which is smooth and summed over waves. The C build has elementary functions of
 * its own, so that lanes, threads and instruction sets give the same bits.
 *
 * Who includes this for vectors also defines PAIR_SELECT(c, a, b), lane by lane c ? a : b, and
 * PAIR_POWER(shifted, n), 2^n for whole n, where shifted is n + 1.5 2^23 (doubles: 2^52). */
#ifndef PAIR
#include "real.h"

#define EWALD_2_BY_SQRT_PI R(1.12837916709551257390)

#define PAIR(name) name
#define PAIR_SELECT(c, a, b) ((c) ? (a) : (b))
#define PAIR_POWER(shifted, n) ((real)ldexp(1.0, (int)(n)))
#define PAIR_EWALD_ONCE
#endif

/* e^x for x <= 0; 0 or next to it where that is no normal number. */
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define ewald_exp(x) exp(x)
#else

/* x = n ln 2 + r, Taylor series of e^r: |r| < 0.35, so that degree 7 is good to 6e-9 and degree 12 to
 * 2e-16. */
SHOAL_FN real PAIR(ewald_exp)(real x)
{
    const int is_float = sizeof(R(1.0)) == 4;
    const real zero = {0}, magic = zero + (is_float ? R(12582912.0) : R(6755399441055744.0));
    const real least = zero + (is_float ? R(-87.0) : R(-708.0));
    const real v = PAIR_SELECT(x < least, least, x);
    const real shifted = v * R(1.44269504088896340736) + magic, n = shifted - magic;
    const real r = is_float ? (v - n * R(0.693359375)) - n * R(-2.12194440054690583e-4)
                            : (v - n * R(0.693145751953125)) - n * R(1.42860682030941723212e-6);
    real p = zero + R(1.0 / 5040.0);
    if (!is_float) {
        p = r * R(1.0 / 479001600.0) + R(1.0 / 39916800.0);
        p = r * p + R(1.0 / 3628800.0);
        p = r * p + R(1.0 / 362880.0);
        p = r * p + R(1.0 / 40320.0);
        p = r * p + R(1.0 / 5040.0);
    }
    p = r * p + R(1.0 / 720.0);
    p = r * p + R(1.0 / 120.0);
    p = r * p + R(1.0 / 24.0);
    p = r * p + R(1.0 / 6.0);
    p = r * p + R(0.5);
    p = r * p + R(1.0);
    p = r * p + R(1.0);
    return p * PAIR_POWER(shifted, n);
}
#endif

/* e^{y^2} erfc(y) for y >= 0: polynomials in t = (y - 5/2) / (y + 5/2) that interpolate it at the
 * Chebyshev points of 0 <= y <= 7, good to 5e-8 and 8e-16 there. Beyond, they stay below 1, which is
 * enough where e^{-y^2} < 1e-21 multiplies them. */
SHOAL_FN real PAIR(ewald_erfcx)(real y)
{
    const real t = R(1.0) - R(5.0) / (y + R(2.5));
    if (sizeof(R(1.0)) == 4) {
        real q = t * R(-8.666933600e-6) + R(3.096985206e-4);
        q = t * q + R(8.462282261e-4);
        q = t * q + R(-2.685549427e-3);
        q = t * q + R(-3.995743209e-3);
        q = t * q + R(3.992943722e-2);
        q = t * q + R(-0.1250322859);
        q = t * q + R(0.2517128198);
        q = t * q + R(-0.3717367620);
        return t * q + R(0.2108063675);
    }
    real p = t * R(2.1491837741614081077e-8) + R(1.5366572069144477038e-7);
    p = t * p + R(3.8467387689003182089e-7);
    p = t * p + R(2.7146377825548411114e-8);
    p = t * p + R(-1.8436802866361111697e-6);
    p = t * p + R(-2.2919269192873352778e-6);
    p = t * p + R(7.5665273764255136363e-6);
    p = t * p + R(1.8616528311063320937e-5);
    p = t * p + R(-3.4184358614775113611e-5);
    p = t * p + R(-1.2887789130006295805e-4);
    p = t * p + R(2.2838051857916526594e-4);
    p = t * p + R(8.7591553741239212607e-4);
    p = t * p + R(-2.6423659655338261701e-3);
    p = t * p + R(-3.9937011707268523549e-3);
    p = t * p + R(3.9922539075354001649e-2);
    p = t * p + R(-0.12503305237871329532);
    p = t * p + R(0.25171319321745577957);
    p = t * p + R(-0.37173673394897415969);
    return t * p + R(0.21080636406114355926);
}

/* E = kqq erfc(y)/s from e0 = kqq/s and y = alpha s; the force on i is g (r_i - r_j), and *s2g is
 * s^2 g. */
SHOAL_FN real PAIR(ewald_sharp)(real e0, real y, real *s2g)
{
    const real gauss = e0 * PAIR(ewald_exp)(-y * y), e = gauss * PAIR(ewald_erfcx)(y);
    *s2g = e + gauss * y * EWALD_2_BY_SQRT_PI;
    return e;
}

/* One wave k of a slab (Parry, Surf. Sci. 49 (1975) 433) at Z = sqrt(z^2 + d^2):
 *   up = e^{kZ} erfc(k/2alpha + alpha Z),  down = e^{-kZ} erfc(k/2alpha - alpha Z),
 * both written so that nothing overflows. kz = kZ, az = alpha Z, ka = k/2alpha, gauss =
 * exp(-ka^2 - az^2). Returns up + down; *difference is up - down. */
SHOAL_FN real PAIR(ewald_slab_wave)(real kz, real az, real ka, real gauss, real *difference)
{
    const real zero = {0}, w = ka - az, size = PAIR_SELECT(w < zero, zero - w, w);
    const real up = gauss * PAIR(ewald_erfcx)(ka + az);
    const real side = gauss * PAIR(ewald_erfcx)(size);
    const real down = PAIR_SELECT(w < zero, R(2.0) * PAIR(ewald_exp)(zero - kz) - side, side);
    *difference = up - down;
    return up + down;
}

#ifdef PAIR_EWALD_ONCE

/* erf(alpha s)/s of s^2, and its slope by s^2; finite at s = 0. This is what waves say of a pair, to
 * be taken back for excluded ones and for a charge and itself. */
SHOAL_FN real ewald_smooth(real alpha, real s2, real *slope)
{
    const real y2 = alpha * alpha * s2;
    if (y2 < R(1.0)) {
        /* The power series: below, all digits of the slope would cancel. 20 terms leave 1e-20. */
        const int n_terms = sizeof(R(1.0)) == 4 ? 12 : 20;
        real value = R(1.0), by_y2 = R(0.0), power = R(1.0);
        for (int n = 1; n <= n_terms; ++n) {
            by_y2 -= power / (real)(2 * n + 1);
            power *= -y2 / (real)n;
            value += power / (real)(2 * n + 1);
        }
        *slope = EWALD_2_BY_SQRT_PI * (alpha * alpha * alpha) * by_y2;
        return EWALD_2_BY_SQRT_PI * alpha * value;
    }
    const real s = real_sqrt(s2), y = alpha * s, gauss = ewald_exp(-y2);
    const real value = (R(1.0) - gauss * ewald_erfcx(y)) / s;
    *slope = R(0.5) * (EWALD_2_BY_SQRT_PI * alpha * gauss - value) / s2;
    return value;
}

#undef PAIR_EWALD_ONCE
#undef PAIR_POWER
#undef PAIR_SELECT
#undef PAIR
#endif
