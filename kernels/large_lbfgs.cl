/* SPDX-License-Identifier: BSD-3-Clause
 * Relaxation of large systems by L-BFGS with a limit on every move and backtracking on the
 * energy. */
#include "large_energy.h"
#include "lbfgs.h"

#define MOVE(k, i) LARGE_ATOM_HISTORY(k, i)
#define CHANGE(k, i) LARGE_ATOM_HISTORY(LBFGS_PAIRS + (k), i)
#define SOFT_CHANGE(k, i) LARGE_ATOM_HISTORY(2 * LBFGS_PAIRS + (k), i)
#define PLACE_X(i) LARGE_ATOM_HISTORY(3 * LBFGS_PAIRS, i)
#define FORCE_X(i) LARGE_ATOM_HISTORY(3 * LBFGS_PAIRS + 1, i)
#define SOFT_X(i) LARGE_ATOM_HISTORY(3 * LBFGS_PAIRS + 2, i)
/* Of Chebyshev's iteration: solution so far, what is left, the next addition and the one before. */
#define SOLUTION(i) LARGE_ATOM_HISTORY(LBFGS_VECTORS, i)
#define LEFT(i) LARGE_ATOM_HISTORY(LBFGS_VECTORS + 1, i)
#define ADDITION(turn, i) LARGE_ATOM_HISTORY(LBFGS_VECTORS + 2 + ((turn)&1), i)

/* One group per system: is the step taken? */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_lbfgs(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    global real *state = states + LARGE_STATE * block.x;
    const int going = LARGE_GOING;
    const real4 far = large_sum_blocks(sys, n, sums, LARGE_SUM_MOVE, red);
    const real4 all = large_energy(sys, t, geo, sums, red);
    const int stale = sys->periodic && !(far.w <= settings[LARGE_SKIN2]);
    relaxation r = load_relaxation(state);
    const int step = judge(&r, all.x, all.w, settings[LARGE_FMAX2], (int)settings[LARGE_MAX_STEPS]);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l == 0 && going && stale) stat[LARGE_FLAGS] = LARGE_STALE;
    if (l == 0 && going && !stale) {
        stat[LARGE_MOVED] = step;
        stat[LARGE_OUTCOME] = r.outcome;
        save_relaxation(state, &r);
    }
}

/* One turn of Chebyshev's iteration for the stiffness, scaled to ones on its diagonal, and the
 * force. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_soften(LARGE_ARGUMENTS,
                                                                         const int turn,
                                                                         const real keep,
                                                                         const real push)
{
    LARGE_SETUP
    const int i = block.y + l;
    if (i >= n || stat[LARGE_FLAGS] != 0 || stat[LARGE_MOVED] != STEP_TAKEN) return;
    if (turn == 0) {
        const real4 b = to4(v3_scale(atoms[t->atom + i].w, from4(forces[at + i])), 0);
        SOLUTION(i) = (real4)(0, 0, 0, 0);
        LEFT(i) = b;
        ADDITION(0, i) = b;
        return;
    }
    const v3 own = from4(ADDITION(turn - 1, i));
    v3 product = own;
    for (int k = link_start[t->exclude_start + i]; k < link_start[t->exclude_start + i + 1]; ++k) {
        const v3 other = from4(ADDITION(turn - 1, link_atoms[t->link + k]));
        product = v3_sub(product, v3_scale(link_shares[t->link + k], other));
    }
    const v3 left =
        v3_scale(anchors[at + i].w, v3_sub(from4(LEFT(i)), product)); /* fixed: a wall */
    SOLUTION(i) = to4(v3_add(from4(SOLUTION(i)), own), 0);
    LEFT(i) = to4(left, 0);
    ADDITION(turn, i) = to4(v3_add(v3_scale(keep, own), v3_scale(push, left)), 0);
}

/* Takes a step into the history, also the last one, with its products. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_history(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    global const real *state = states + LARGE_STATE * block.x;
    const int i = block.y + l, place = (int)state[STATE_PLACE];
    const int taken = stat[LARGE_FLAGS] == 0 && stat[LARGE_MOVED] == STEP_TAKEN;
    real dots[LBFGS_DOTS];
    for (int k = 0; k < LBFGS_DOTS; ++k) dots[k] = 0;
    if (taken && i < n) {
        const v3 s = v3_scale(state[STATE_DT], from4(moves[at + i])), f = from4(forces[at + i]);
        const v3 z = v3_add(from4(SOLUTION(i)), from4(ADDITION(LARGE_TURNS, i)));
        const v3 sf = v3_scale(atoms[t->atom + i].w, z);
        const v3 y = v3_sub(from4(FORCE_X(i)), f), sy = v3_sub(from4(SOFT_X(i)), sf);
        MOVE(place, i) = to4(s, 0);
        CHANGE(place, i) = to4(y, 0);
        SOFT_CHANGE(place, i) = to4(sy, 0);
        PLACE_X(i) = positions[at + i];
        FORCE_X(i) = to4(f, 0);
        SOFT_X(i) = to4(sf, 0);
        for (int j = 0; j < LBFGS_PAIRS; ++j)
            pair_dots(s, y, f, from4(MOVE(j, i)), from4(CHANGE(j, i)), from4(SOFT_CHANGE(j, i)),
                      dots + 5 * j);
        dots[DOT_FSF] = v3_dot(f, sf);
        dots[DOT_YY] = v3_dot(y, y);
        dots[DOT_FF] = v3_dot(f, f);
    }
    for (int k = 0; k < LBFGS_DOTS / 3; ++k) {
        const real4 three = combine((real4)(dots[3 * k], dots[3 * k + 1], dots[3 * k + 2], 0), red);
        if (l == 0 && taken) LARGE_SUM(block.w, LARGE_SUM_PRODUCTS + k) = three;
    }
}

/* The direction of a system by one work-item, from products that are up to date. */
SHOAL_FN void large_direct(global real *state, const int step, local const real *products)
{
    const curvature forgotten = NO_CURVATURE;
    const int place = (int)state[STATE_PLACE];
    curvature c = {state[STATE_MIXING], vload4(0, state + STATE_RHO)};
    real4 a, b;
    if (step == STEP_TAKEN) measure(&c, place, (int)state[STATE_EVALS] == 1, products);
    if (step == STEP_RESTART) c = forgotten;
    real slope = two_loop(&c, place, (local const real4 *)products, &a, &b);
    const int plain = !(slope < 0); /* not downhill */
    if (plain) {
        c = forgotten;
        a = b = c.rho;
        slope = -PLAIN_STEP * products[PRODUCT_FSF + DOT_FF - DOT_FSF];
    }
    vstore4(a, 0, state + LARGE_COEFFICIENTS);
    vstore4(b, 1, state + LARGE_COEFFICIENTS);
    state[LARGE_COEFFICIENTS + 2 * LBFGS_PAIRS] = plain ? R(0.0) : c.gamma;
    state[LARGE_COEFFICIENTS + 2 * LBFGS_PAIRS + 1] = plain ? PLAIN_STEP : R(0.0);
    state[STATE_MIXING] = c.gamma;
    vstore4(c.rho, 0, state + STATE_RHO);
    state[STATE_SLOPE] = slope;
}

/* One group per system: the next direction. After a step that was refused it is the same again. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_direction(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG], near[LBFGS_PRODUCTS / 4];
    local real *products = (local real *)near;
    global real *state = states + LARGE_STATE * block.x;
    const int going = LARGE_GOING, moved = stat[LARGE_MOVED], place = (int)state[STATE_PLACE];
    real own = 0;
    for (int k = l; k < LBFGS_PRODUCTS; k += WG) products[k] = state[LARGE_PRODUCTS + k];
    for (int k = 0; k < LBFGS_DOTS / 3; ++k) {
        const real4 sum = large_sum_blocks(sys, n, sums, LARGE_SUM_PRODUCTS + k, red);
        if (l / 3 == k) own = get4(sum, l % 3);
    }
    if (l < N_DOTS && moved == STEP_TAKEN) keep_product(l, place, own, products);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (going && moved != STEP_REFUSED)
        for (int k = l; k < LBFGS_PRODUCTS; k += WG) state[LARGE_PRODUCTS + k] = products[k];
    if (l == 0 && going && moved != STEP_REFUSED) large_direct(state, moved, products);
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_combine(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    global const real *c = states + LARGE_STATE * block.x + LARGE_COEFFICIENTS;
    const int i = block.y + l, wanted = LARGE_GOING && stat[LARGE_MOVED] != STEP_REFUSED;
    real4 longest = (real4)(0, 0, 0, 0);
    if (wanted && i < n) {
        v3 d = v3_add(v3_scale(c[2 * LBFGS_PAIRS], from4(SOFT_X(i))),
                      v3_scale(c[2 * LBFGS_PAIRS + 1], from4(FORCE_X(i))));
        for (int k = 0; k < LBFGS_PAIRS; ++k)
            d = v3_add(d, v3_sub(v3_scale(c[LBFGS_PAIRS + k], from4(MOVE(k, i))),
                                 v3_scale(c[k], from4(SOFT_CHANGE(k, i)))));
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
