/* SPDX-License-Identifier: BSD-3-Clause
 * Random numbers of a search: the k-th of a start is a function of seed, molecule, start and k, so that who draws
 * them, and when, does not matter. Directions are drawn without trigonometry, whose last bits differ between
 * machines. */
#ifndef SHOAL_JOBS_SEARCH_RANDOM_H
#define SHOAL_JOBS_SEARCH_RANDOM_H

#include <math.h>

#include "base/random.h"

typedef struct search_random {
    uint64_t key, drawn;
} search_random;

/* The numbers of try number `attempt` of a start. */
static inline search_random random_begin(int64_t seed, int64_t molecule, int64_t start,
                                         int64_t attempt)
{
    const int64_t parts[4] = {seed, molecule, start, attempt};
    uint64_t key = 0;
    for (int k = 0; k < 4; ++k) key = random_key(key, (uint64_t)parts[k]);
    return (search_random){key, 0};
}

/* In [0, 1). */
static inline double random_next(search_random *r)
{
    return random_fraction(random_mix(r->key + ++r->drawn * RANDOM_STEP));
}

/* One of 0 .. n - 1. */
static inline int32_t random_choose(search_random *r, int32_t n)
{
    const int32_t k = (int32_t)(random_next(r) * n);
    return k < n ? k : n - 1;
}

/* A point of the unit sphere in d <= 4 dimensions: uniform. */
static inline void random_direction(search_random *r, int d, double *out)
{
    double n = 0;
    while (!(n <= 1 && n > 1e-4)) {
        n = 0;
        for (int k = 0; k < d; ++k) {
            out[k] = 2 * random_next(r) - 1;
            n += out[k] * out[k];
        }
    }
    for (int k = 0; k < d; ++k) out[k] /= sqrt(n);
}

#endif
