/* SPDX-License-Identifier: BSD-3-Clause
 * Powers of ten with 128 bits, for reading and printing numbers. */
#ifndef SHOAL_BASE_POWERS_H
#define SHOAL_BASE_POWERS_H

#include <stdint.h>

/* high 2^64 + low */
typedef struct wide_product {
    uint64_t high, low;
} wide_product;

/* 10^k 2^(127 - floor(log2(10^k))) for k from LEAST_POWER to 324, rounded up. */
enum { LEAST_POWER = -292 };
extern const wide_product powers_of_ten[];

/* The same, rounded down where k > 0; 10^0 to 10^55 are exact. */
static inline wide_product power_to_multiply(int32_t k)
{
    wide_product g = powers_of_ten[k - LEAST_POWER];
    if (k <= 55) return g;
    g.high -= g.low == 0;
    g.low--;
    return g;
}

/* floor(log2(10^k)) */
static inline int32_t log2_of_power(int32_t k)
{
    return (k * 1741647) >> 19;
}

static inline wide_product wide_multiply(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    const wide product = (wide)a * b;
    return (wide_product){(uint64_t)(product >> 64), (uint64_t)product};
#else
    const uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    const uint64_t low = a0 * b0, m1 = a1 * b0 + (low >> 32), m2 = a0 * b1 + (m1 & UINT32_MAX);
    return (wide_product){a1 * b1 + (m1 >> 32) + (m2 >> 32), m2 << 32 | (low & UINT32_MAX)};
#endif
}

#endif
