/* SPDX-License-Identifier: BSD-3-Clause
 * Random numbers of the host as functions of counters, so that who draws them, and when, does not matter: SplitMix64
 * (Steele, Lea and Flood, OOPSLA 2014). Those of dynamics, which devices draw in words of 32 bits, are in
 * kernels/random.h. */
#ifndef SHOAL_BASE_RANDOM_H
#define SHOAL_BASE_RANDOM_H

#include <stdint.h>

#define RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio */

/* A bijection of 64 bits that leaves no pattern. */
static inline uint64_t random_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* A key of two counters, or of a key and one more counter. */
static inline uint64_t random_key(uint64_t key, uint64_t counter)
{
    return random_mix(key + RANDOM_STEP + counter);
}

/* In [0, 1). */
static inline double random_fraction(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

#endif
