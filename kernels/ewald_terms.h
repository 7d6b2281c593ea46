/* SPDX-License-Identifier: BSD-3-Clause
 * Ewald sums of damped Coulomb interactions: the terms of pairs, without a branch, so that they also
 * work on vectors of numbers, as in pair_terms.h.
 *
 * With s^2 = r^2 + d^2, kqq/s is split into kqq erfc(alpha s)/s, summed over images, and
 * kqq erf(alpha s)/s, which is smooth and summed over k-vectors.
 *
 * Who includes this for vectors defines what special_terms.h, which comes with it, asks for, and also
 * PAIR_SELECT(c, a, b), lane by lane c ? a : b. */
#include "special_terms.h"

#ifndef PAIR
#define EWALD_2_BY_SQRT_PI R(TWO_BY_SQRT_PI)

#define PAIR(name) name
#define PAIR_SELECT(c, a, b) ((c) ? (a) : (b))
#define PAIR_EWALD_ONCE
#endif

/* E = kqq erfc(y)/s from e0 = kqq/s and y = alpha s; the force on i is g (r_i - r_j), and *s2g is
 * s^2 g. */
SHOAL_FN real PAIR(ewald_erfc)(real e0, real y, real *s2g)
{
    const real gauss = e0 * PAIR(special_exp)(-y * y), e = gauss * PAIR(special_erfcx)(y);
    *s2g = e + gauss * y * EWALD_2_BY_SQRT_PI;
    return e;
}

/* One k-vector k of a slab (Parry, Surf. Sci. 49 (1975) 433) at Z = sqrt(z^2 + d^2):
 *   up = e^{kZ} erfc(k/2alpha + alpha Z),  down = e^{-kZ} erfc(k/2alpha - alpha Z),
 * both written so that nothing overflows. kz = kZ, az = alpha Z, ka = k/2alpha, gauss =
 * exp(-ka^2 - az^2). Returns up + down; *difference is up - down. */
SHOAL_FN real PAIR(ewald_slab_kvec)(real kz, real az, real ka, real gauss, real *difference)
{
    const real zero = {0}, w = ka - az, size = PAIR_SELECT(w < zero, zero - w, w);
    const real up = gauss * PAIR(special_erfcx)(ka + az);
    const real side = gauss * PAIR(special_erfcx)(size);
    const real down = PAIR_SELECT(w < zero, R(2.0) * PAIR(special_exp)(zero - kz) - side, side);
    *difference = up - down;
    return up + down;
}

#ifdef PAIR_EWALD_ONCE

/* erf(alpha s)/s of s^2, and its slope by s^2; finite at s = 0. This is what k-vectors say of a pair, to
 * be taken back for excluded ones and for a charge and itself. */
SHOAL_FN real ewald_erf(real alpha, real s2, real *slope)
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
    const real s = real_sqrt(s2), y = alpha * s, gauss = special_exp(-y2);
    const real value = (R(1.0) - gauss * special_erfcx(y)) / s;
    *slope = R(0.5) * (EWALD_2_BY_SQRT_PI * alpha * gauss - value) / s2;
    return value;
}

/* The part of a slab without a k-vector (Parry), over -2 pi/A: Z erf(alpha Z) + exp(-alpha^2 Z^2)/(alpha sqrt(pi)),
 * Z^2 = z^2 + d^2, with the sign changed; *force is erf(alpha Z) z/Z. */
SHOAL_FN real ewald_slab_mean(real alpha, real damping2, real z, real *force)
{
    real slope;
    const real Z2 = z * z + damping2, smooth = ewald_erf(alpha, Z2, &slope);
    *force = smooth * z;
    return -(Z2 * smooth +
             special_exp(-alpha * alpha * Z2) * (R(0.5) * EWALD_2_BY_SQRT_PI) / alpha);
}

#undef PAIR_EWALD_ONCE
#undef PAIR_SELECT
#undef PAIR
#endif
