/* SPDX-License-Identifier: BSD-3-Clause
 * Relaxation of large systems by L-BFGS with a limit on every move and backtracking on the energy. The
 * two-loop recursion (Nocedal, Math. Comput. 35 (1980) 773) runs on the products of its vectors
 * (Chen, Wang, Zhou, NIPS 27 (2014) 1332), so that a step touches every vector twice only. */
#include "large_energy.h"

#define PLACE_X(i) LARGE_ATOM_HISTORY(2 * LARGE_PAIRS, i)
#define FORCE_X(i) LARGE_ATOM_HISTORY(2 * LARGE_PAIRS + 1, i)
#define FORGOTTEN R(0.02) /* scale of the inverse Hessian where nothing is known of it */

enum { STEP_REFUSED, STEP_TAKEN, STEP_RESTART };

/* One group per system: is the step taken? */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_lbfgs(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    global real *state = states + LARGE_STATE * block.x;
    const int going = LARGE_GOING;
    const real4 far = large_sum_blocks(sys, n, sums, LARGE_SUM_MOVE, red);
    const real4 step = large_sum_blocks(sys, n, sums, LARGE_SUM_STEP, red);
    const real4 all = large_energy(sys, t, geo, sums, red);
    const int n_evals = (int)state[STATE_EVALS] + 1, first = n_evals == 1;
    const int stale = sys->periodic && !(far.w <= settings[LARGE_SKIN2]);
    const int finite = all.x - all.x == 0 && all.w - all.w == 0;
    const real accepted = state[STATE_ENERGY], slope = state[STATE_SLOPE];
    real length = state[STATE_DT], gamma = state[STATE_MIXING];
    /* Rounding of a sum of energies must not look like a rise. */
    const real noise =
        (sizeof(real) == 4 ? R(1e-6) : R(1e-13)) * (real_abs(accepted) + real_abs(all.x) + R(1.0));
    const int moved = finite && (first || all.x <= accepted + R(1e-4) * length * slope + noise);
    const int curved = moved && !first && step.x > R(1e-12) && step.y > 0;
    const int place = moved ? ((int)state[STATE_PLACE] + 1) % LARGE_PAIRS : (int)state[STATE_PLACE];
    const int backtracks = moved ? 0 : (int)state[STATE_QUIET] + 1, restart = backtracks == 12;
    const real f2 = moved ? all.w : state[STATE_FMAX2];
    int outcome = RELAX_GOING;
    if (curved) gamma = step.x / step.y;
    if (!moved) {
        const real linear = length * slope, rise = all.x - accepted - linear;
        const real shrink = finite && rise > 0 ? -linear / (R(2.0) * rise) : R(0.1);
        length *= real_min(real_max(shrink, R(0.1)), R(0.5));
    }
    if (first && !finite) outcome = RELAX_NOT_FINITE;
    if (moved && f2 <= settings[LARGE_FMAX2]) outcome = RELAX_CONVERGED;
    if (backtracks > 30) outcome = RELAX_STALLED;
    if (outcome == RELAX_GOING && n_evals >= (int)settings[LARGE_MAX_STEPS])
        outcome = RELAX_MAX_STEPS;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l == 0 && going && stale) stat[LARGE_FLAGS] = LARGE_STALE;
    if (l == 0 && going && !stale) {
        stat[LARGE_MOVED] = moved ? STEP_TAKEN : restart ? STEP_RESTART : STEP_REFUSED;
        stat[LARGE_OUTCOME] = outcome;
        state[STATE_DT] = length;
        state[STATE_MIXING] = restart ? FORGOTTEN : gamma;
        state[STATE_QUIET] = (real)backtracks;
        state[STATE_EVALS] = (real)n_evals;
        state[STATE_FMAX2] = f2;
        state[STATE_PLACE] = (real)place;
        if (moved) state[STATE_ENERGY] = all.x;
        if (moved) state[STATE_RHO + place] = curved ? R(1.0) / step.x : R(0.0);
        for (int k = 0; k < LARGE_PAIRS && restart; ++k) state[STATE_RHO + k] = 0;
    }
}

/* Takes a step into the history, also the last one, and multiplies the three new vectors with all. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_history(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    global const real *state = states + LARGE_STATE * block.x;
    const int i = block.y + l, place = (int)state[STATE_PLACE];
    const int taken = stat[LARGE_FLAGS] == 0 && stat[LARGE_MOVED] == STEP_TAKEN;
    v3 new_ones[3];
    for (int k = 0; k < 3; ++k) new_ones[k] = v3_make(0, 0, 0);
    if (taken && i < n) {
        new_ones[0] = v3_scale(state[STATE_DT], from4(moves[at + i]));
        new_ones[2] = from4(forces[at + i]);
        new_ones[1] = v3_sub(from4(FORCE_X(i)), new_ones[2]);
        LARGE_ATOM_HISTORY(place, i) = to4(new_ones[0], 0);
        LARGE_ATOM_HISTORY(LARGE_PAIRS + place, i) = to4(new_ones[1], 0);
        PLACE_X(i) = positions[at + i];
        FORCE_X(i) = to4(new_ones[2], 0);
    }
    for (int k = 0; k < LARGE_BASIS; ++k) {
        v3 v = v3_make(0, 0, 0);
        if (taken && i < n)
            v = k == LARGE_BASIS - 1 ? new_ones[2] : from4(LARGE_ATOM_HISTORY(k, i));
        const real4 products = combine(
            (real4)(v3_dot(v, new_ones[0]), v3_dot(v, new_ones[1]), v3_dot(v, new_ones[2]), 0),
            red);
        if (l == 0 && taken) LARGE_SUM(block.w, LARGE_SUM_PRODUCTS + k) = products;
    }
}

/* Product of a combination with one of the vectors. */
SHOAL_FN real product(const real *c, local const real *row)
{
    real sum = 0;
    for (int k = 0; k < LARGE_BASIS; ++k) sum += c[k] * row[k];
    return sum;
}

/* The direction as a combination of the vectors, newest pair first; empty places have rho = 0. */
SHOAL_FN void two_loop(global const real *state, local const real *products, real *c)
{
    const int place = (int)state[STATE_PLACE];
    real alpha[LARGE_PAIRS];
    for (int k = 0; k < LARGE_BASIS; ++k) c[k] = k == LARGE_BASIS - 1 ? R(1.0) : R(0.0);
    for (int k = 0; k < LARGE_PAIRS; ++k) {
        const int v = (place + LARGE_PAIRS - k) % LARGE_PAIRS;
        const real rho = state[STATE_RHO + v];
        alpha[k] = rho == 0 ? R(0.0) : rho * product(c, products + LARGE_BASIS * v);
        c[LARGE_PAIRS + v] -= alpha[k];
    }
    for (int k = 0; k < LARGE_BASIS; ++k) c[k] *= state[STATE_MIXING];
    for (int k = LARGE_PAIRS - 1; k >= 0; --k) {
        const int v = (place + LARGE_PAIRS - k) % LARGE_PAIRS;
        const real rho = state[STATE_RHO + v];
        if (rho == 0) continue;
        c[v] += alpha[k] - rho * product(c, products + LARGE_BASIS * (LARGE_PAIRS + v));
    }
}

/* One group per system: the next direction. After a step that was refused it is the same again. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_direction(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    local real near[LARGE_BASIS * LARGE_BASIS];
    global real *state = states + LARGE_STATE * block.x, *products = state + LARGE_PRODUCTS;
    const int going = LARGE_GOING, moved = stat[LARGE_MOVED], place = (int)state[STATE_PLACE];
    for (int k = 0; k < LARGE_BASIS; ++k) {
        const real4 p = large_sum_blocks(sys, n, sums, LARGE_SUM_PRODUCTS + k, red);
        if (l < 3 && going && moved == STEP_TAKEN) {
            const int row = l == 0 ? place : l == 1 ? LARGE_PAIRS + place : LARGE_BASIS - 1;
            const real value = l == 0 ? p.x : l == 1 ? p.y : p.z;
            products[LARGE_BASIS * row + k] = value;
            products[LARGE_BASIS * k + row] = value;
        }
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int k = l; k < LARGE_BASIS * LARGE_BASIS; k += WG) near[k] = products[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0 && going && moved != STEP_REFUSED) {
        local const real *force = near + LARGE_BASIS * (LARGE_BASIS - 1);
        real c[LARGE_BASIS];
        two_loop(state, near, c);
        real slope = -product(c, force);
        if (!(slope < 0)) { /* not downhill: forget the history */
            for (int k = 0; k < LARGE_PAIRS; ++k) state[STATE_RHO + k] = 0;
            for (int k = 0; k < LARGE_BASIS; ++k) c[k] = 0;
            c[LARGE_BASIS - 1] = FORGOTTEN;
            state[STATE_MIXING] = FORGOTTEN;
            slope = -FORGOTTEN * force[LARGE_BASIS - 1];
        }
        state[STATE_SLOPE] = slope;
        for (int k = 0; k < LARGE_BASIS; ++k) state[LARGE_COEFFICIENTS + k] = c[k];
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_combine(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    global const real *c = states + LARGE_STATE * block.x + LARGE_COEFFICIENTS;
    const int i = block.y + l, wanted = LARGE_GOING && stat[LARGE_MOVED] != STEP_REFUSED;
    real4 longest = (real4)(0, 0, 0, 0);
    if (wanted && i < n) {
        v3 d = v3_scale(c[LARGE_BASIS - 1], from4(FORCE_X(i)));
        for (int k = 0; k < LARGE_BASIS - 1; ++k)
            if (c[k] != 0) d = v3_add(d, v3_scale(c[k], from4(LARGE_ATOM_HISTORY(k, i))));
        moves[at + i] = to4(d, 0);
        longest.w = v3_dot(d, d);
    }
    longest = combine(longest, red);
    if (l == 0 && wanted) LARGE_SUM(block.w, LARGE_SUM_LENGTH) = longest;
}

/* Every group finds the length of the step for itself. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_lbfgs_move(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    global real *state = states + LARGE_STATE * block.x;
    const int i = block.y + l, going = LARGE_GOING, fresh = stat[LARGE_MOVED] != STEP_REFUSED;
    const real longest = real_sqrt(large_sum_blocks(sys, n, sums, LARGE_SUM_LENGTH, red).w);
    const real max_move = settings[LARGE_MAX_MOVE];
    real length = longest > max_move ? max_move / longest : R(1.0);
    if (!fresh) length = state[STATE_DT];
    real4 far = (real4)(0, 0, 0, 0);
    if (going && i < n) {
        const v3 r = v3_add(from4(PLACE_X(i)), v3_scale(length, from4(moves[at + i])));
        LARGE_PLACE(r)
    }
    far = combine(far, red);
    if (l == 0 && going) LARGE_SUM(block.w, LARGE_SUM_MOVE) = far;
    if (l == 0 && going && fresh && block.w == 0) state[STATE_DT] = length;
}

/* Back to the last step that was taken. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_accept(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    const int i = block.y + l;
    if (i < n) positions[at + i] = PLACE_X(i);
}

/* The first step starts here. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_start(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    const int i = block.y + l;
    if (i < n) PLACE_X(i) = positions[at + i];
}
