/* SPDX-License-Identifier: BSD-3-Clause
 * Clamped pairs, without a branch, so that they also work on vectors of numbers, as in form_terms.h. Two particles nearer
 * than their reach are taken as far apart as that: with s = -r dE/dr there, the force on i is longer g (r_i - r_j) and
 * the energy grows by share s, along a straight line. */
#if defined(PAIR) || !defined(SHOAL_KERNELS_CLAMP_TERMS_H)
#ifndef PAIR
#define SHOAL_KERNELS_CLAMP_TERMS_H
#include "real.h"

#define PAIR(name) name
#define PAIR_SELECT(c, a, b) ((c) ? (a) : (b))
#define PAIR_RSQRT(x) real_rsqrt(x)
#define PAIR_CLAMP_ONCE
#endif

/* The square of the distance that a pair is taken at. Of one that is not clamped it is r2, *longer 1 and *share 0, to
 * the last bit; reach2 may be 0. */
SHOAL_FN real PAIR(pair_clamp)(real r2, real reach2, real *longer, real *share)
{
    const real zero = {0}, one = zero + R(1.0), q = real_divide(r2, reach2), root = PAIR_RSQRT(q);
    *longer = PAIR_SELECT(r2 < reach2, root, one);
    *share = PAIR_SELECT(r2 < reach2, one - q * root, zero);
    return PAIR_SELECT(r2 < reach2, reach2, r2);
}

#ifdef PAIR_CLAMP_ONCE
#undef PAIR_CLAMP_ONCE
#undef PAIR_RSQRT
#undef PAIR_SELECT
#undef PAIR
#endif
#endif
