/* SPDX-License-Identifier: BSD-3-Clause
 * Special functions of the shared physics, e^x and e^{y^2} erfc(y), without a branch, so that they also
 * work on vectors of numbers, as in pair_terms.h; valid as C17 and OpenCL C 1.2.
 *
 * Relative errors in strict arithmetic, which gives the same bits for all lanes, threads and
 * instruction sets: special_exp 1e-7 in float and 2e-16 in double, special_erfcx 4.5e-7 and 1.1e-15.
 * Polynomials are summed as even and odd parts: chains half as long, and fewer roundings.
 *
 * Who includes this for vectors defines real and PAIR(name), and lane by lane PAIR_MIN(a, b) and
 * PAIR_MAX(a, b), which give a where that is no number, and PAIR_POWER(shifted), 2^n for whole n, where
 * shifted is n + 1.5 2^23 (doubles: 2^52). */
#include "constants.h"

#if defined(PAIR) || !defined(SHOAL_KERNELS_SPECIAL_TERMS_H)
#ifndef PAIR
#define SHOAL_KERNELS_SPECIAL_TERMS_H
#include "real.h"

#define PAIR(name) name
#define PAIR_MIN(a, b) real_min(a, b)
#define PAIR_MAX(a, b) real_max(a, b)
#define PAIR_POWER(shifted) real_power(shifted)
#define PAIR_SPECIAL_ONCE
#endif

/* e^x for x <= 88 (doubles: 709); where it is no normal number, 0 or next to it. Devices have good ones
 * of their own. */
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define special_exp(x) exp(x)
#else

/* x = n ln 2 + r and e^r = 1 + r + r^2 q(r), q interpolated at the Chebyshev points of |r| < 0.3467: 1e-8
 * and 2e-17 of e^r. At the least x, n is so low that 2^n is 0. */
SHOAL_FN real PAIR(special_exp)(real x)
{
    const int is_float = sizeof(R(1.0)) == 4;
    const real zero = {0}, magic = zero + (is_float ? R(12582912.0) : R(6755399441055744.0));
    const real least = zero + (is_float ? R(-88.0) : R(-709.0));
    const real v = PAIR_MAX(x, least);
    const real shifted = v * R(1.44269504088896340736) + magic, n = shifted - magic;
    const real r = is_float ? (v - n * R(0.693359375)) - n * R(-2.12194440054690583e-4)
                            : (v - n * R(0.693145751953125)) - n * R(1.42860682030941723212e-6);
    const real r2 = r * r;
    real even, odd;
    if (is_float) {
        even = r2 * R(1.392620336e-3) + R(4.16665545e-2);
        odd = r2 * R(8.363194882e-3) + R(0.1666657689);
    } else {
        even = r2 * R(2.7620121717381935193e-7) + R(2.4801521225986432477e-5);
        even = r2 * even + R(1.3888888917258758256e-3);
        even = r2 * even + R(4.1666666666624037667e-2);
        odd = r2 * R(2.5100411082014901068e-8) + R(2.7557268406190795031e-6);
        odd = r2 * odd + R(1.9841269863088254418e-4);
        odd = r2 * odd + R(8.3333333333300548955e-3);
        odd = r2 * odd + R(0.16666666666666667455);
    }
    even = r2 * even + R(0.5);
    return (R(1.0) + (r + r2 * (even + r * odd))) * PAIR_POWER(shifted);
}
#endif

/* e^{y^2} erfc(y) for 0 <= y <= 1e6 (doubles: 1e25), and what it is there beyond. A ratio of polynomials
 * that interpolates it, at y = 0 and at the Chebyshev points of 1/(y + c) for all y >= 0, c = 1.9466 and
 * 3.0795: 5e-9 and 4e-17. No coefficient is negative, so that no digits cancel. */
SHOAL_FN real PAIR(special_erfcx)(real y)
{
    const int is_float = sizeof(R(1.0)) == 4;
    const real zero = {0}, most = zero + (is_float ? R(1e6) : R(1e25));
    const real v = PAIR_MIN(y, most), v2 = v * v;
    real even, odd, below_even, below_odd;
    if (is_float) {
        even = v2 * R(0.1076545849) + R(1.080162313);
        odd = v2 * R(1.213311776e-2) + R(0.4495600043);
        odd = v2 * odd + R(1.497914273);
        below_even = v2 * R(2.150539138e-2) + R(0.8075797781);
        below_even = v2 * below_even + R(3.043617175);
        below_odd = v2 * R(0.1908127449) + R(2.009872475);
        below_odd = v2 * below_odd + R(2.626293440);
    } else {
        even = v2 * R(2.0222361128023472114e-5) + R(4.3924808995920073840e-3);
        even = v2 * even + R(0.13663881751354872499);
        even = v2 * even + R(1.1903671938564274460);
        even = v2 * even + R(2.8919949744427327498);
        odd = v2 * R(4.2395451143601315318e-4) + R(2.9189036969301278714e-2);
        odd = v2 * odd + R(0.46863536682060872490);
        odd = v2 * odd + R(2.2127857192893313287);
        odd = v2 * odd + R(2.4194548630679846579);
        below_even = v2 * R(7.5143980640352863290e-4) + R(5.2111940883695592937e-2);
        below_even = v2 * below_even + R(0.85612695130350498399);
        below_even = v2 * below_even + R(4.3124491248001485021);
        below_even = v2 * below_even + R(5.8952969823917310612);
        below_odd = v2 * R(3.5843201855767217968e-5) + R(7.8033912864384585824e-3);
        below_odd = v2 * below_odd + R(0.24606081152428817159);
        below_odd = v2 * below_odd + R(2.2271159811325457733);
        below_odd = v2 * below_odd + R(6.0693347659615760826);
        below_odd = v2 * below_odd + R(3.5478340301634972471);
    }
    even = v2 * even + R(1.0);
    below_even = v2 * below_even + R(1.0);
    return real_divide(even + v * odd, below_even + v * below_odd);
}

#ifdef PAIR_SPECIAL_ONCE
#undef PAIR_SPECIAL_ONCE
#undef PAIR_POWER
#undef PAIR_MAX
#undef PAIR_MIN
#undef PAIR
#endif
#endif
