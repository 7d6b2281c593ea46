/* SPDX-License-Identifier: BSD-3-Clause
 * L-BFGS on the products of its vectors (Chen, Wang, Zhou, NIPS 27 (2014) 1332), so that a step
 * touches every vector twice and waits for few sums. The first guess of the inverse Hessian is
 * gamma S, with a matrix S that follows from the bonds (docs/decisions/0005) and is the same for
 * x, y and z. */
#ifndef SHOAL_KERNELS_LBFGS_H
#define SHOAL_KERNELS_LBFGS_H

#include "layout.h"
#include "vectors.h"

#define PLAIN_STEP R(0.02) /* along the force, where nothing else goes downhill; angstrom^2/eV */

/* Products that a step makes: five for every pair, three of the force and the newest change. */
enum { DOT_FSF = 5 * LBFGS_PAIRS, DOT_YY, DOT_FF, N_DOTS };

/* What is known of the curvature. */
typedef struct curvature {
    real gamma; /* scale of S */
    real4 rho;  /* 1 / (move . change) of every pair, 0 for an empty place */
} curvature;

#define NO_CURVATURE                                                                               \
    {                                                                                              \
        (real) LBFGS_START, (real4)(0, 0, 0, 0)                                                    \
    }

/* Four numbers, one for every pair. */
SHOAL_FN real dot4(const real4 a, const real4 b)
{
    return a.x * b.x + a.y * b.y + (a.z * b.z + a.w * b.w);
}

SHOAL_FN real get4(const real4 a, const int k)
{
    return k == 0 ? a.x : k == 1 ? a.y : k == 2 ? a.z : a.w;
}

SHOAL_FN real4 set4(const real4 a, const int k, const real value)
{
    return (real4)(k == 0 ? value : a.x, k == 1 ? value : a.y, k == 2 ? value : a.z,
                   k == 3 ? value : a.w);
}

/* The share of an atom in the five products of the newest move s, change y and force f with a
 * pair. */
SHOAL_FN void pair_dots(const v3 s, const v3 y, const v3 f, const v3 sj, const v3 yj, const v3 syj,
                        real dots[5])
{
    dots[0] = v3_dot(s, yj);
    dots[1] = v3_dot(y, sj);
    dots[2] = v3_dot(y, syj);
    dots[3] = v3_dot(f, sj);
    dots[4] = v3_dot(f, syj);
}

/* Puts the sum number l of the products where it belongs. */
SHOAL_FN void keep_product(const int l, const int place, const real sum, local real *products)
{
    const int j = l / 5, kind = l < DOT_FSF ? l % 5 : 5;
    const int new_old = LBFGS_PAIRS * place + j, old_new = LBFGS_PAIRS * j + place;
    if (kind == 0) products[PRODUCT_SY + new_old] = sum;
    if (kind == 0) products[PRODUCT_YS + old_new] = sum;
    if (kind == 1 && j != place) products[PRODUCT_YS + new_old] = sum;
    if (kind == 1 && j != place) products[PRODUCT_SY + old_new] = sum;
    if (kind == 2) products[PRODUCT_YSY + new_old] = sum;
    if (kind == 2) products[PRODUCT_YSY + old_new] = sum;
    if (kind == 3) products[PRODUCT_SF + j] = sum;
    if (kind == 4) products[PRODUCT_YSF + j] = sum;
    if (kind == 5) products[PRODUCT_FSF + l - DOT_FSF] = sum;
}

/* A relaxation as its state holds it, STATE_, without the curvature. */
typedef struct relaxation {
    real length;           /* of the present step, in units of the direction */
    real energy, f2;       /* at the accepted point: energy, largest squared force */
    real slope;            /* of the energy along the direction */
    real lowest, quietest; /* energy and largest squared force at the last progress */
    int place;             /* of the newest pair */
    int n_evals, backtracks, idle;
    int outcome;
} relaxation;

SHOAL_FN relaxation load_relaxation(global const real *state)
{
    const relaxation r = {.length = state[STATE_DT],
                          .energy = state[STATE_ENERGY],
                          .f2 = state[STATE_FMAX2],
                          .slope = state[STATE_SLOPE],
                          .lowest = state[STATE_LOWEST],
                          .quietest = state[STATE_QUIETEST],
                          .place = (int)state[STATE_PLACE],
                          .n_evals = (int)state[STATE_EVALS],
                          .backtracks = (int)state[STATE_QUIET],
                          .idle = (int)state[STATE_IDLE],
                          .outcome = RELAX_GOING};
    return r;
}

SHOAL_FN void save_relaxation(global real *state, const relaxation *r)
{
    state[STATE_DT] = r->length;
    state[STATE_ENERGY] = r->energy;
    state[STATE_FMAX2] = r->f2;
    state[STATE_SLOPE] = r->slope;
    state[STATE_LOWEST] = r->lowest;
    state[STATE_QUIETEST] = r->quietest;
    state[STATE_PLACE] = (real)r->place;
    state[STATE_EVALS] = (real)r->n_evals;
    state[STATE_QUIET] = (real)r->backtracks;
    state[STATE_IDLE] = (real)r->idle;
    state[STATE_OUTCOME] = (real)r->outcome;
}

/* What rounding may make of two energies that are compared: it must not look like a rise. */
SHOAL_FN real energy_noise(const real a, const real b)
{
    return (sizeof(real) == 4 ? R(1e-6) : R(1e-13)) * (real_abs(a) + real_abs(b) + R(1.0));
}

/* Notes an evaluation; returns whether there was long no progress that rounding does not hide. */
SHOAL_FN int is_stuck(relaxation *r)
{
    const int first = r->n_evals == 1;
    const int better = first || r->energy < r->lowest - energy_noise(r->energy, r->lowest) ||
                       r->f2 < R(0.8) * r->quietest;
    if (better) {
        r->lowest = first ? r->energy : real_min(r->energy, r->lowest);
        r->quietest = first ? r->f2 : real_min(r->f2, r->quietest);
    }
    r->idle = better ? 0 : r->idle + 1;
    return r->idle > LBFGS_PATIENCE;
}

enum { STEP_REFUSED, STEP_TAKEN, STEP_RESTART };

/* Judges a trial point: takes it over, or shortens the step to the minimum of a parabola. */
SHOAL_FN int judge(relaxation *r, const real energy, const real f2, const real fmax2,
                   const int max_steps)
{
    const int first = ++r->n_evals == 1, finite = energy - energy == 0 && f2 - f2 == 0;
    const real linear = r->length * r->slope, rise = energy - r->energy - linear;
    const real most = r->energy + R(1e-4) * linear + energy_noise(r->energy, energy);
    const int moved = finite && (first || energy <= most);
    r->place = (r->place + moved) % LBFGS_PAIRS;
    r->backtracks = moved ? 0 : r->backtracks + 1;
    if (moved) {
        r->energy = energy;
        r->f2 = f2;
    } else {
        const real shrink = finite && rise > 0 ? -linear / (R(2.0) * rise) : R(0.1);
        r->length *= real_min(real_max(shrink, R(0.1)), R(0.5));
    }
    if (is_stuck(r) || r->backtracks > 30) r->outcome = RELAX_STALLED;
    if (moved && f2 <= fmax2) r->outcome = RELAX_CONVERGED;
    if (first && !finite) r->outcome = RELAX_NOT_FINITE;
    if (r->outcome == RELAX_GOING && r->n_evals >= max_steps) r->outcome = RELAX_MAX_STEPS;
    return moved ? STEP_TAKEN : r->backtracks == 12 ? STEP_RESTART : STEP_REFUSED;
}

/* Notes the curvature along the newest pair, if it is worth keeping. */
SHOAL_FN void measure(curvature *c, const int place, const int first, local const real *products)
{
    const real sy = products[PRODUCT_SY + (LBFGS_PAIRS + 1) * place];
    const real ysy = products[PRODUCT_YSY + (LBFGS_PAIRS + 1) * place];
    const real yy = products[PRODUCT_FSF + DOT_YY - DOT_FSF];
    /* sy / yy is an inverse stiffness; nothing is stiffer than 1e6 eV/angstrom^2. */
    const int curved = !first && yy > 0 && sy > R(1e-6) * yy && ysy > 0;
    c->rho = set4(c->rho, place, curved ? R(1.0) / sy : R(0.0));
    if (curved) c->gamma = sy / ysy;
}

/* The two-loop recursion (Nocedal, Math. Comput. 35 (1980) 773), newest pair first: the
 * direction is gamma S f - sum of a_k S change_k + sum of b_k move_k. Empty places have rho = 0.
 * Returns the slope of the energy along it. */
SHOAL_FN real two_loop(const curvature *c, const int place, local const real4 *products, real4 *a,
                       real4 *b)
{
    local const real4 *sy = products + PRODUCT_SY / 4, *ys = products + PRODUCT_YS / 4;
    local const real4 *ysy = products + PRODUCT_YSY / 4;
    const real4 sf = products[PRODUCT_SF / 4], ysf = products[PRODUCT_YSF / 4];
    real4 alpha = (real4)(0, 0, 0, 0), beta = alpha;
    for (int k = 0; k < LBFGS_PAIRS; ++k) {
        const int at = (place - k) & (LBFGS_PAIRS - 1);
        const real rho = get4(c->rho, at), dot = get4(sf, at) - dot4(alpha, sy[at]);
        alpha = set4(alpha, at, rho != 0 ? rho * dot : R(0.0));
    }
    for (int k = LBFGS_PAIRS - 1; k >= 0; --k) {
        const int at = (place - k) & (LBFGS_PAIRS - 1);
        const real rho = get4(c->rho, at), early = get4(ysf, at) - dot4(alpha, ysy[at]);
        const real dot = c->gamma * early + dot4(beta, ys[at]);
        beta = set4(beta, at, rho != 0 ? get4(alpha, at) - rho * dot : R(0.0));
    }
    *a = (real4)(c->gamma * alpha.x, c->gamma * alpha.y, c->gamma * alpha.z, c->gamma * alpha.w);
    *b = beta;
    return dot4(*a, ysf) - dot4(beta, sf) - c->gamma * products[PRODUCT_FSF / 4].x;
}

#endif
