/* SPDX-License-Identifier: BSD-3-Clause
 * Random numbers by counting: Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, SC11 (2011) 16). A number is a pure
 * function of what it is for (a system, an atom, a step) and of the seed, so that no order of work changes it. Valid as
 * C17 and OpenCL C 1.2; the same bits for any number of lanes. */
#ifndef SHOAL_KERNELS_RANDOM_H
#define SHOAL_KERNELS_RANDOM_H

#include "real.h"

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
typedef uint random_word;
#define RANDOM_HIGH(a, b) mul_hi(a, b)
#define RANDOM_BITS(x) as_uint(x)
#define RANDOM_FLOAT(n) as_float(n)
#else
typedef uint32_t random_word;
#define RANDOM_HIGH(a, b) ((random_word)((uint64_t)(a) * (b) >> 32))
SHOAL_FN random_word random_float_bits(float x)
{
    random_word n;
    memcpy(&n, &x, sizeof n);
    return n;
}
SHOAL_FN float random_bits_float(random_word n)
{
    float x;
    memcpy(&x, &n, sizeof x);
    return x;
}
#define RANDOM_BITS(x) random_float_bits(x)
#define RANDOM_FLOAT(n) random_bits_float(n)
#endif

/* Who asks: the same counter means different numbers to them. They are added to the second word of the key. */
#define RANDOM_LANGEVIN 0u
#define RANDOM_VELOCITIES 0x10000000u
#define RANDOM_EXCHANGE 0x20000000u
#define RANDOM_JITTER 0x30000000u
#define RANDOM_CHAIN 0x40000000u

typedef struct random_words {
    random_word w[4];
} random_words;

SHOAL_FN random_words random_make(random_words counter, random_word key0, random_word key1)
{
    random_words c = counter;
    for (int round = 0; round < 10; ++round) {
        const random_word high0 = RANDOM_HIGH(0xD2511F53u, c.w[0]), low0 = 0xD2511F53u * c.w[0];
        const random_word high1 = RANDOM_HIGH(0xCD9E8D57u, c.w[2]), low1 = 0xCD9E8D57u * c.w[2];
        c.w[0] = high1 ^ c.w[1] ^ key0;
        c.w[1] = low1;
        c.w[2] = high0 ^ c.w[3] ^ key1;
        c.w[3] = low0;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return c;
}

/* Between 0 and 1, neither of them, in steps of 2^-23: one bit more, and floats would round up to 1. */
SHOAL_FN real random_uniform(random_word n)
{
    return ((real)(int)(n >> 9) + R(0.5)) * R(1.1920928955078125e-7);
}

/* sqrt(-2 ln u) of a number between 0 and 1; the logarithm to 1e-9. */
SHOAL_FN real random_radius(random_word n)
{
    const float whole = (float)(int)(n >> 8) + 0.5f;
    const random_word bits = RANDOM_BITS(whole);
    const real m = (real)RANDOM_FLOAT((bits & 0x7fffffu) | 0x3f800000u);
    const real power = (real)((int)(bits >> 23) - 127 - 24);
    const real t = (m - R(1.41421356237309505)) / (m + R(1.41421356237309505)), t2 = t * t;
    const real series =
        t2 * (R(0.333333333333333333) +
              t2 * (R(0.2) + t2 * (R(0.142857142857142857) + t2 * R(0.111111111111111111))));
    const real log_m = R(0.346573590279972655) + R(2.0) * (t + t * series);
    return real_sqrt(real_max(R(-2.0) * (power * R(0.693147180559945309) + log_m), R(0.0)));
}

/* Cosine and sine of an angle that is anything. */
SHOAL_FN void random_direction(random_word n, real *cosine, real *sine)
{
    const int quarter = (int)(n >> 30);
    const real x = ((real)(int)((n >> 6) & 0xffffffu) + R(0.5)) * R(5.9604644775390625e-8) - R(0.5);
    const real y = x * R(1.57079632679489662), y2 = y * y;
    const real s =
        y - y * y2 *
                (R(0.166666666666666667) -
                 y2 * (R(8.33333333333333333e-3) -
                       y2 * (R(1.98412698412698413e-4) - y2 * R(2.75573192239858907e-6))));
    const real c =
        R(1.0) -
        y2 * (R(0.5) - y2 * (R(4.16666666666666667e-2) -
                             y2 * (R(1.38888888888888889e-3) - y2 * R(2.48015873015873016e-5))));
    const real along = R(0.707106781186547524) * (c - s),
               across = R(0.707106781186547524) * (c + s);
    const real a = quarter & 1 ? -across : along, b = quarter & 1 ? along : across;
    *cosine = quarter & 2 ? -a : a;
    *sine = quarter & 2 ? -b : b;
}

/* Three independent normal numbers of variance 1 (Box and Muller). */
SHOAL_FN v3 random_normal(random_words n)
{
    const real first = random_radius(n.w[0]), second = random_radius(n.w[2]);
    real c, s, c2, s2;
    random_direction(n.w[1], &c, &s);
    random_direction(n.w[3], &c2, &s2);
    return v3_make(first * c, first * s, second * c2);
}

#endif
