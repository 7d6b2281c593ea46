/* SPDX-License-Identifier: BSD-3-Clause
 * L-BFGS with a limit on every move and backtracking on the energy, as decisions on the products of its
 * vectors (Chen, Wang, Zhou, NIPS 27 (2014) 1332), so that a step touches every vector twice. The first
 * guess of the inverse Hessian is gamma S, with a preconditioner S that follows from the bonds
 * (docs/decisions/0005) and is the same for x, y and z.
 *
 * A step of a schedule, with accepted coordinates x, forces f there and S f, and a direction d:
 *   1. forces and energy at x + length d;                    lbfgs_judge(sums)
 *   2. if the step is taken: the pair of the move s = length d and S y, y = f_old - f_new, replaces number
 *      place of the history, and products are summed over the atoms:        lbfgs_keep_product
 *   3. unless it is refused: the coefficients of the next direction,         lbfgs_direct
 *      d = of_soft S f + of_force f + sum_k (of_move[k] s_k - of_change[k] S y_k)
 *   4. the length of the next step from the longest move in d.               lbfgs_set_length */
#ifndef SHOAL_KERNELS_STEP_LBFGS_H
#define SHOAL_KERNELS_STEP_LBFGS_H

#include "step.h"

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#include "vectors.h"
#define MAKE4(a, b, c, d) (real4)(a, b, c, d)
#else
typedef struct real4 {
    real x, y, z, w;
} real4;
#define MAKE4(a, b, c, d) ((real4){a, b, c, d})
#endif

#define LBFGS_START R(0.5)  /* gamma before anything is known: cautious, atoms may be too close */
#define LBFGS_PLAIN R(0.02) /* along the force, where nothing else goes downhill; angstrom^2/eV */
#define LBFGS_RESTART 12    /* shortened steps before the history is forgotten */
#define LBFGS_GIVE_UP 24    /* and before the system stalls */

typedef struct lbfgs_state {
    real length;     /* of the present step, in units of the direction */
    real energy, f2; /* at the accepted point: energy (eV), largest squared force */
    real slope;      /* of the energy along the direction */
    real gamma;      /* scale of S */
    real4 rho;       /* 1 / (move . change) of every pair, 0 for an empty place */
    step_progress progress;
    int n_evals;
    int started; /* 0 before the first evaluation, 1 after it, then 2 */
    int place;   /* of the newest pair */
    int backtracks;
    int outcome; /* STEP_ of layout.h */
} lbfgs_state;

/* At a trial point. */
typedef struct lbfgs_sums {
    real energy; /* eV */
    real size;   /* sum of the absolute values that it was summed from, eV */
    real f2;     /* largest squared force; not finite if any force is not */
} lbfgs_sums;

/* Coefficients of a direction. */
typedef struct lbfgs_coefficients {
    real4 of_change, of_move;
    real of_soft, of_force;
} lbfgs_coefficients;

SHOAL_FN lbfgs_state lbfgs_begin(int n_evals)
{
    const lbfgs_state s = {.gamma = LBFGS_START,
                           .progress = STEP_NO_PROGRESS,
                           .n_evals = n_evals,
                           .outcome = STEP_GOING};
    return s;
}

enum { LBFGS_REFUSED, LBFGS_TAKEN, LBFGS_RESTARTED, LBFGS_NONE };

/* Judges a trial point: takes it over, or shortens the step to the minimum of a parabola. */
SHOAL_FN int lbfgs_judge(lbfgs_state *s, const lbfgs_sums *sum, const step_limits *limit)
{
    const int first = !s->started,
              finite = sum->energy - sum->energy == 0 && sum->f2 - sum->f2 == 0;
    const real noise = STEP_EPSILON * (sum->size + R(1.0)); /* must not look like a rise */
    const real linear = s->length * s->slope, rise = sum->energy - s->energy - linear;
    const int taken = finite && (first || sum->energy <= s->energy + R(1e-4) * linear + noise);
    ++s->n_evals;
    s->started = first ? 1 : 2;
    s->place = (s->place + taken) & (LBFGS_PAIRS - 1);
    s->backtracks = taken ? 0 : s->backtracks + 1;
    if (taken) {
        s->energy = sum->energy;
        s->f2 = sum->f2;
    } else {
        const real shrink = finite && rise > 0 ? -linear / (R(2.0) * rise) : R(0.1);
        s->length *= real_min(real_max(shrink, R(0.1)), R(0.5));
    }
    const int stuck = step_is_stuck(&s->progress, 1, s->energy, noise, s->f2);
    s->outcome = first && !finite                          ? STEP_NOT_FINITE
                 : taken && s->f2 <= limit->fmax2          ? STEP_CONVERGED
                 : s->n_evals >= limit->max_steps          ? STEP_MAX_STEPS
                 : stuck || s->backtracks >= LBFGS_GIVE_UP ? STEP_STALLED
                                                           : STEP_GOING;
    return taken ? LBFGS_TAKEN : s->backtracks == LBFGS_RESTART ? LBFGS_RESTARTED : LBFGS_REFUSED;
}

/* The share of an atom in the products of the newest change y and force f with a pair. */
SHOAL_FN void lbfgs_pair_dots(const v3 y, const v3 f, const v3 sj, const v3 syj,
                              real dots[LBFGS_PAIR_DOTS])
{
    dots[0] = v3_dot(y, sj);
    dots[1] = v3_dot(y, syj);
    dots[2] = v3_dot(f, sj);
    dots[3] = v3_dot(f, syj);
}

/* Puts sum number l of the products, LBFGS_DOT_ of layout.h, where it belongs. */
SHOAL_FN void lbfgs_keep_product(const int l, const int place, const real sum,
                                 SHOAL_LOCAL real *products)
{
    const int j = l / LBFGS_PAIR_DOTS, kind = l < LBFGS_DOT_FSF ? l % LBFGS_PAIR_DOTS : 4;
    if (kind == 0) products[PRODUCT_SY + LBFGS_PAIRS * j + place] = sum;
    if (kind == 1) products[PRODUCT_YSY + LBFGS_PAIRS * place + j] = sum;
    if (kind == 1) products[PRODUCT_YSY + LBFGS_PAIRS * j + place] = sum;
    if (kind == 2) products[PRODUCT_SF + j] = sum;
    if (kind == 3) products[PRODUCT_YSF + j] = sum;
    if (kind == 4) products[PRODUCT_FSF + l - LBFGS_DOT_FSF] = sum;
}

/* The same for all sums of a step, which lie stride apart. */
SHOAL_FN void lbfgs_keep_products(const int place, const real *sums, const int stride,
                                  SHOAL_LOCAL real *products)
{
    for (int j = 0; j < LBFGS_PAIRS; ++j, sums += LBFGS_PAIR_DOTS * stride) {
        products[PRODUCT_SY + LBFGS_PAIRS * j + place] = sums[0];
        products[PRODUCT_YSY + LBFGS_PAIRS * place + j] = sums[stride];
        products[PRODUCT_YSY + LBFGS_PAIRS * j + place] = sums[stride];
        products[PRODUCT_SF + j] = sums[2 * stride];
        products[PRODUCT_YSF + j] = sums[3 * stride];
    }
    for (int k = 0; k < LBFGS_N_DOTS - LBFGS_DOT_FSF; ++k)
        products[PRODUCT_FSF + k] = sums[k * stride];
}

/* Four numbers, one for every pair of the history. */
SHOAL_FN real lbfgs_get4(const real4 a, const int k)
{
    return k == 0 ? a.x : k == 1 ? a.y : k == 2 ? a.z : a.w;
}

SHOAL_FN real4 lbfgs_set4(const real4 a, const int k, const real value)
{
    return MAKE4(k == 0 ? value : a.x, k == 1 ? value : a.y, k == 2 ? value : a.z,
                 k == 3 ? value : a.w);
}

/* Numbers of the pairs by age, the newest first, from those by place; and back, which is the same: number k becomes that of
 * (place - k) modulo 4. */
SHOAL_FN real4 lbfgs_turn(const real4 a, const int place)
{
    const real4 b = place & 1 ? MAKE4(a.y, a.x, a.w, a.z) : MAKE4(a.x, a.w, a.z, a.y);
    return place & 2 ? MAKE4(b.z, b.w, b.x, b.y) : b;
}

/* Notes the curvature along the newest pair, if it is worth keeping. */
SHOAL_FN void lbfgs_measure(lbfgs_state *s, SHOAL_LOCAL const real *products)
{
    const real sy = products[PRODUCT_SY + (LBFGS_PAIRS + 1) * s->place];
    const real ysy = products[PRODUCT_YSY + (LBFGS_PAIRS + 1) * s->place];
    const real yy = products[PRODUCT_FSF + LBFGS_DOT_YY - LBFGS_DOT_FSF];
    /* sy / yy is an inverse stiffness; nothing is stiffer than 1e6 eV/angstrom^2. */
    const int curved = s->started > 1 && yy > 0 && sy > R(1e-6) * yy && ysy > 0;
    s->rho = lbfgs_set4(s->rho, s->place, curved ? R(1.0) / sy : R(0.0));
    if (curved) s->gamma = sy / ysy;
}

/* The two-loop recursion (Nocedal, Math. Comput. 35 (1980) 773) on products, with pairs by age, the newest
 * first, so that no sum depends on where they lie. Empty places have rho = 0. Returns the slope of the energy
 * along the direction. */
SHOAL_FN real lbfgs_two_loop(const lbfgs_state *s, SHOAL_LOCAL const real *products,
                             lbfgs_coefficients *c)
{
    const real4 turned = lbfgs_turn(s->rho, s->place);
    const real rho[LBFGS_PAIRS] = {turned.x, turned.y, turned.z, turned.w};
    real alpha[LBFGS_PAIRS], beta[LBFGS_PAIRS], slope = -s->gamma * products[PRODUCT_FSF];
    int at[LBFGS_PAIRS];
    SHOAL_UNROLL
    for (int k = 0; k < LBFGS_PAIRS; ++k) {
        at[k] = (s->place - k) & (LBFGS_PAIRS - 1);
        real dot = products[PRODUCT_SF + at[k]];
        SHOAL_UNROLL
        for (int m = 0; m < k; ++m)
            dot -= alpha[m] * products[PRODUCT_SY + LBFGS_PAIRS * at[k] + at[m]];
        alpha[k] = rho[k] != 0 ? rho[k] * dot : R(0.0);
    }
    SHOAL_UNROLL
    for (int k = LBFGS_PAIRS - 1; k >= 0; --k) {
        real early = products[PRODUCT_YSF + at[k]], later = R(0.0);
        SHOAL_UNROLL
        for (int m = 0; m < LBFGS_PAIRS; ++m)
            early -= alpha[m] * products[PRODUCT_YSY + LBFGS_PAIRS * at[k] + at[m]];
        SHOAL_UNROLL
        for (int m = k + 1; m < LBFGS_PAIRS; ++m)
            later += beta[m] * products[PRODUCT_SY + LBFGS_PAIRS * at[m] + at[k]];
        const real dot = s->gamma * early + later;
        beta[k] = rho[k] != 0 ? alpha[k] - rho[k] * dot : R(0.0);
    }
    SHOAL_UNROLL
    for (int k = 0; k < LBFGS_PAIRS; ++k) {
        alpha[k] *= s->gamma;
        slope += alpha[k] * products[PRODUCT_YSF + at[k]] - beta[k] * products[PRODUCT_SF + at[k]];
    }
    c->of_change = lbfgs_turn(MAKE4(alpha[0], alpha[1], alpha[2], alpha[3]), s->place);
    c->of_move = lbfgs_turn(MAKE4(beta[0], beta[1], beta[2], beta[3]), s->place);
    c->of_soft = s->gamma;
    c->of_force = R(0.0);
    return slope;
}

SHOAL_FN void lbfgs_forget(lbfgs_state *s)
{
    s->gamma = LBFGS_START;
    s->rho = MAKE4(0, 0, 0, 0);
}

/* The next direction after a step that was taken or made the history be forgotten; plainly along the force
 * where nothing else goes downhill. After a refused step the direction stays. */
SHOAL_FN lbfgs_coefficients lbfgs_direct(lbfgs_state *s, const int step,
                                         SHOAL_LOCAL const real *products)
{
    lbfgs_coefficients c;
    if (step == LBFGS_TAKEN) lbfgs_measure(s, products);
    if (step == LBFGS_RESTARTED) lbfgs_forget(s);
    s->slope = lbfgs_two_loop(s, products, &c);
    if (!(s->slope < 0)) {
        lbfgs_forget(s);
        c.of_change = c.of_move = s->rho;
        c.of_soft = R(0.0);
        c.of_force = LBFGS_PLAIN;
        s->slope = -LBFGS_PLAIN * products[PRODUCT_FSF + LBFGS_DOT_FF - LBFGS_DOT_FSF];
    }
    return c;
}

/* longest2: largest squared move of an atom in the direction. */
SHOAL_FN void lbfgs_set_length(lbfgs_state *s, real longest2, const step_limits *limit)
{
    const real longest = real_sqrt(longest2);
    s->length = longest > limit->max_move ? limit->max_move / longest : R(1.0);
}

#endif
