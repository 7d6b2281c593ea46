/* SPDX-License-Identifier: BSD-3-Clause
 * Coulomb sums of systems that repeat in one direction: the part that ewald_erfc leaves to all pairs, without
 * a branch, so that it also works on vectors of numbers, as in pair_terms.h; valid as C17 and OpenCL C 1.2.
 *
 * With R^2 = rho^2 + d^2, rho the distance from the axis, images are at s_n^2 = (z + nL)^2 + R^2. The
 * nearest 2M + 1 count erf(alpha s)/s, and behind them erfc is nothing. What is left is summed by the rule of
 * Euler and Maclaurin from the midpoints A = (M + 1/2) L on: with f(y) = (y^2 + R^2)^-1/2,
 *   sum_{n > M} f(z + nL) = (1/L) int_{A+z} f + (L/24) f' - (7 L^3/5760) f''' + (31 L^5/967680) f^(5) - ..
 * and likewise at the other end. f^(k) = (-1)^k k! P_k(y/s) s^-(k+1), so that the rest falls with (L/s)^10, for
 * any R. The integral is -ln(y + s) up to a constant that is infinite but the same for all pairs, so the whole
 * must be neutral. The constant here is such that the product of both logarithms' arguments counts in units of
 * (2 A)^2.
 *
 * Who includes this for vectors has included special_terms.h for them, and defines what that asks for, and
 * PAIR_SELECT(c, a, b), PAIR_SQRT(x), PAIR_LOG(x), and PAIR_ROUND(x), the next whole number. */
#ifndef PAIR
#include "special_terms.h"

typedef real chain_real; /* a number, also among vectors */

/* The sum of one system. */
typedef struct chain_sum {
    chain_real length; /* of the cell, angstrom */
    chain_real alpha;  /* 1/angstrom */
    int n_split;       /* images on either side that may be near enough for erfc */
    int n_images;      /* M; no less than n_split */
} chain_sum;

#define PAIR(name) name
#define PAIR_MIN(a, b) real_min(a, b)
#define PAIR_MAX(a, b) real_max(a, b)
#define PAIR_SELECT(c, a, b) ((c) ? (a) : (b))
#define PAIR_SQRT(x) real_sqrt(x)
#define PAIR_LOG(x) real_log(x)
#define PAIR_ROUND(x) real_round(x)
#define PAIR_CHAIN_ONCE
#endif

/* erf(alpha s)/s of s^2, and its slope by s^2; finite at s = 0. */
SHOAL_FN real PAIR(chain_erf)(chain_real alpha, real s2, real *slope)
{
    const int n_terms = sizeof(R(1.0)) == 4 ? 12 : 20;
    const real zero = {0}, one = zero + R(1.0), y2 = s2 * (alpha * alpha);
    const real near2 = PAIR_MIN(y2, one);
    real value = one, by_y2 = zero, power = one;
    for (int n = 1; n <= n_terms; ++n) { /* the power series, for all digits of the slope */
        const chain_real share = R(1.0) / (chain_real)(2 * n + 1);
        by_y2 -= power * share;
        power *= near2 * (R(-1.0) / (chain_real)n);
        value += power * share;
    }
    const chain_real scale = R(TWO_BY_SQRT_PI) * alpha; /* 2/sqrt(pi) */
    const real far2 = PAIR_MAX(s2, one / (alpha * alpha)), s = PAIR_SQRT(far2), y = s * alpha;
    const real gauss = PAIR(special_exp)(zero - y * y);
    const real far = (R(1.0) - gauss * PAIR(special_erfcx)(y)) / s;
    *slope = PAIR_SELECT(y2 < one, by_y2 * (scale * alpha * alpha),
                         (gauss * scale - far) * R(0.5) / far2);
    return PAIR_SELECT(y2 < one, value * scale, far);
}

/* One end of the sum, y from the midpoint: what comes after the integral, and the argument y + s of its
 * logarithm. Slopes by y and R^2, those of -ln(y + s)/L included, are added. */
SHOAL_FN real PAIR(chain_end)(chain_real length, real y, real R2, real *by_y, real *by_R2,
                              real *argument)
{
    /* k! times the coefficients 1/24, -7/5760, 31/967680, -127/154828800 of f^(k), k = 1, 3, 5, 7. */
    const chain_real weights[4] = {R(4.1666666666666666667e-2), R(-7.2916666666666666667e-3),
                                   R(3.8442460317460317460e-3), R(-4.1341145833333333333e-3)};
    const real zero = {0}, s = PAIR_SQRT(y * y + R2), is = R(1.0) / s, c = y * is;
    const real h = is * length, h2 = h * h;
    real before = zero + R(1.0), now = c, slope = zero; /* P_(k-1), P_k, P'_(k-1) */
    real power = h, sum = zero, along = zero, across = zero;
    for (int m = 0; m < 4; ++m) {
        const int k = 2 * m + 1;
        const chain_real twice = (chain_real)(2 * k + 1), by = R(1.0) / (chain_real)(k + 1);
        const real next = (c * now * twice - before * (chain_real)k) * by, w = power * weights[m];
        slope += now * twice;
        sum += w * now;
        along += w * next * (chain_real)(k + 1);
        across += w * slope;
        now = (c * next * (chain_real)(2 * k + 3) - now * (chain_real)(k + 1)) *
              (R(1.0) / (chain_real)(k + 2));
        before = next;
        power *= h2;
    }
    *argument = y + s;
    *by_y += is * is * along - is / length;
    *by_R2 += R(0.5) * is * (is * is * across - R(1.0) / (length * *argument));
    return zero - is * sum;
}

/* The smooth part of the potential of a row of unit charges, z along and R^2 across from one of them (damping
 * included), 1/angstrom, and its slopes by z and R^2. */
SHOAL_FN real PAIR(chain_smooth)(const chain_sum *sum, real z, real R2, real *by_z, real *by_R2)
{
    const chain_real length = sum->length;
    const chain_real end = (chain_real)(2 * sum->n_images + 1) * (R(0.5) * length);
    const real zero = {0}, at = z - PAIR_ROUND(z / length) * length;
    real e = zero, across = zero, up = zero, down = zero, above, below, slope;
    for (int n = -sum->n_images; n <= sum->n_images; ++n) {
        const real y = at + (chain_real)n * length, s2 = y * y + R2;
        real part;
        if (n < -sum->n_split || n > sum->n_split) {
            part = R(1.0) / PAIR_SQRT(s2);
            slope = R(-0.5) * part / s2;
        } else {
            part = PAIR(chain_erf)(sum->alpha, s2, &slope);
        }
        e += part;
        up += R(2.0) * slope * y;
        across += slope;
    }
    e += PAIR(chain_end)(length, end + at, R2, &up, &across, &above);
    e += PAIR(chain_end)(length, end - at, R2, &down, &across, &below);
    *by_z = up - down;
    *by_R2 = across;
    return e - PAIR_LOG(above * below / (R(4.0) * end * end)) / length;
}

/* alpha times the slope of chain_smooth by alpha. The potential is homogeneous, of degree -1 in z, L, R and 1/alpha:
 * z de/dz + L de/dL = -e - 2 R^2 de/dR^2 + alpha de/dalpha is what a stretch along the chain does. */
SHOAL_FN real PAIR(chain_by_alpha)(const chain_sum *sum, real z, real R2)
{
    const real zero = {0}, at = z - PAIR_ROUND(z / sum->length) * sum->length;
    real by = zero;
    for (int n = -sum->n_split; n <= sum->n_split; ++n) {
        const real y = at + (chain_real)n * sum->length, s2 = y * y + R2;
        by += PAIR(special_exp)(zero - s2 * (sum->alpha * sum->alpha));
    }
    return by * (R(TWO_BY_SQRT_PI) * sum->alpha);
}

#ifdef PAIR_CHAIN_ONCE
#undef PAIR_CHAIN_ONCE
#undef PAIR_ROUND
#undef PAIR_LOG
#undef PAIR_SQRT
#undef PAIR_SELECT
#undef PAIR_MAX
#undef PAIR_MIN
#undef PAIR
#endif
