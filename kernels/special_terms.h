/* SPDX-License-Identifier: BSD-3-Clause
 * Special functions of the shared physics, e^x and e^{y^2} erfc(y), without a branch, so that they also
 * work on vectors of numbers, as in pair_terms.h; valid as C17 and OpenCL C 1.2.
 *
 * Relative errors in C, where strict arithmetic gives the same bits for all lanes, threads and
 * instruction sets: special_exp 1.0e-7 in float and 1.9e-16 in double, special_erfcx 4.5e-7 and
 * 1.0e-15. Polynomials are summed as even and odd parts: chains half as long, and fewer roundings.
 *
 * Who includes this for vectors defines real and PAIR(name), and also PAIR_SELECT(c, a, b), lane by lane
 * c ? a : b, and PAIR_POWER(shifted), 2^n for whole n, where shifted is n + 1.5 2^23 (doubles: 2^52). */
#if defined(PAIR) || !defined(SHOAL_KERNELS_SPECIAL_TERMS_H)
#ifndef PAIR
#define SHOAL_KERNELS_SPECIAL_TERMS_H
#include "real.h"

#define PAIR(name) name
#define PAIR_SELECT(c, a, b) ((c) ? (a) : (b))
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
    const real v = PAIR_SELECT(x < least, least, x);
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
 * that interpolates it, 1 at y = 0 included, at the Chebyshev points of 1/(y + c) for all y >= 0, c = 2.4
 * and 3: 3e-9 and 4e-17. No coefficient is negative, so that no digits cancel. */
SHOAL_FN real PAIR(special_erfcx)(real y)
{
    const int is_float = sizeof(R(1.0)) == 4;
    const real zero = {0}, most = zero + (is_float ? R(1e6) : R(1e25));
    const real v = PAIR_SELECT(y > most, most, y), v2 = v * v;
    real even, odd, below_even, below_odd;
    if (is_float) {
        even = v2 * R(0.1166623395) + R(1.121801146);
        odd = v2 * R(1.358232387e-2) + R(0.4759965447);
        odd = v2 * odd + R(1.528635249);
        below_even = v2 * R(2.407404227e-2) + R(0.8557203630);
        below_even = v2 * below_even + R(3.119921048);
        below_odd = v2 * R(0.2067785958) + R(2.091685873);
        below_odd = v2 * below_odd + R(2.657014414);
    } else {
        even = v2 * R(1.9683663215748783004e-5) + R(4.3101185185387682370e-3);
        even = v2 * even + R(0.13485841988836035818);
        even = v2 * even + R(1.1804101948234096564);
        even = v2 * even + R(2.8797510193099678843);
        odd = v2 * R(4.1450513272019862896e-4) + R(2.8730332000347604785e-2);
        odd = v2 * odd + R(0.46366683220135059711);
        odd = v2 * odd + R(2.1989307043215844315);
        odd = v2 * odd + R(2.4141279857733746905);
        below_even = v2 * R(7.3469121871001868121e-4) + R(5.1290533201203583267e-2);
        below_even = v2 * below_even + R(0.84692231060149891655);
        below_even = v2 * below_even + R(4.2838740907727401241);
        below_even = v2 * below_even + R(5.8770422898940553290);
        below_odd = v2 * R(3.4888384666681183353e-5) + R(7.6569303583763095909e-3);
        below_odd = v2 * below_odd + R(0.24283262454580968585);
        below_odd = v2 * below_odd + R(2.2079616213036956247);
        below_odd = v2 * below_odd + R(6.0402084135722795072);
        below_odd = v2 * below_odd + R(3.5425071528688872755);
    }
    even = v2 * even + R(1.0);
    below_even = v2 * below_even + R(1.0);
    return real_divide(even + v * odd, below_even + v * below_odd);
}

#ifdef PAIR_SPECIAL_ONCE
#undef PAIR_SPECIAL_ONCE
#undef PAIR_POWER
#undef PAIR_SELECT
#undef PAIR
#endif
#endif
