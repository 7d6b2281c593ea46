/* SPDX-License-Identifier: BSD-3-Clause
 * L-BFGS for large systems. A step: move to the trial point, forces, judge, precondition, history,
 * direction. Moving is repeated as it was where a neighbour list turns out to be out of date.
 *
 * Directions (the degrees of freedom) are any vectors u here, kept in wrapped with 1/|u| as the fourth number; forces
 * are evaluated at p = u/|u|, and the gradient of u is that of p over |u| (step_direction.h). */
#include "large_energy.h"
#include "step_state.h"

#define MOVE(k, i) LARGE_ATOM_HISTORY(k, i)
#define SOFT_CHANGE(k, i) LARGE_ATOM_HISTORY(LBFGS_PAIRS + (k), i)
#define PLACE_X(i) LARGE_ATOM_HISTORY(2 * LBFGS_PAIRS, i)
#define FORCE_X(i) LARGE_ATOM_HISTORY(2 * LBFGS_PAIRS + 1, i)
#define SOFT_X(i) LARGE_ATOM_HISTORY(2 * LBFGS_PAIRS + 2, i)
/* Of Chebyshev's iteration: solution so far, what is left, the next addition and the one before. */
#define SOLUTION(i) LARGE_ATOM_HISTORY(LBFGS_VECTORS, i)
#define LEFT(i) LARGE_ATOM_HISTORY(LBFGS_VECTORS + 1, i)
#define ADDITION(turn, i) LARGE_ATOM_HISTORY(LBFGS_VECTORS + 2 + ((turn)&1), i)

/* To the trial point. Every group finds the length of the step for itself; a state that has not started has
 * a step of no length. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_lbfgs_move(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    global real *state = states + LARGE_STATE * block.x;
    const step_limits limit = LARGE_LIMITS;
    const int i = block.y + l, going = LARGE_GOING;
    const int fresh = stat[LARGE_FRESH];
    const real longest2 = large_sum_blocks(sys, movers, sums, LARGE_SUM_LENGTH, red).w;
    lbfgs_state s = lbfgs_load(stat + LARGE_DRIVER, state);
    if (fresh && s.started) lbfgs_set_length(&s, longest2, &limit);
    real4 far = (real4)(0, 0, 0, 0);
    if (going && i < movers) {
        if (!s.started) PLACE_X(i) = positions[at + i];
        const v3 r = v3_add(from4(PLACE_X(i)), v3_scale(s.length, from4(moves[at + i])));
        if (i < n) {
            LARGE_PLACE(r)
        } else {
            const real per = real_rsqrt(v3_dot(r, r));
            wrapped[at + i] = to4(r, per);
            positions[at + i] = to4(v3_scale(per, r), 0);
        }
    }
    far = combine(far, red);
    if (l == 0 && going) LARGE_SUM(block.w, LARGE_SUM_MOVE) = far;
    if (l == 0 && going && fresh && block.w == 0) state[LBFGS_LENGTH] = s.length;
}

/* One group per system: is the step taken? */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_lbfgs(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    global real *state = states + LARGE_STATE * block.x;
    const step_limits limit = LARGE_LIMITS;
    const int going = LARGE_GOING;
    const real4 far = large_sum_blocks(sys, movers, sums, LARGE_SUM_MOVE, red);
    const real4 all = large_energy(sys, t, geo, sums, red);
    const int stale = sys->periodic && !(far.w <= settings[LARGE_SKIN2]);
    const lbfgs_sums trial = {all.x, all.y, all.w};
    lbfgs_state s = lbfgs_load(stat + LARGE_DRIVER, state);
    const real length = s.length;
    const int step = lbfgs_judge(&s, &trial, &limit);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l != 0) return;
    stat[LARGE_MOVED] = LBFGS_NONE;
    if (going && stale) stat[LARGE_FLAGS] = LARGE_STALE;
    if (!going || stale) return;
    stat[LARGE_MOVED] = step;
    stat[LARGE_FRESH] = step != LBFGS_REFUSED;
    state[LARGE_FACTOR] = length;
    lbfgs_save(stat + LARGE_DRIVER, state, &s);
}

/* One turn of Chebyshev's iteration for the stiffness, scaled to ones on its diagonal, and the
 * force. Directions are coupled to nothing, and need none. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_precondition(LARGE_ARGUMENTS,
                                                                               const int turn,
                                                                               const real keep,
                                                                               const real push)
{
    LARGE_SETUP
    const int i = block.y + l;
    if (i >= n || stat[LARGE_FLAGS] != 0 || stat[LARGE_MOVED] != LBFGS_TAKEN) return;
    if (turn == 0) {
        const real4 b = to4(v3_scale(link_scales[t->exclude_start + i], from4(forces[at + i])), 0);
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
    const int i = block.y + l, place = stat[LARGE_DRIVER + STEP_PLACE];
    const int taken = stat[LARGE_FLAGS] == 0 && stat[LARGE_MOVED] == LBFGS_TAKEN;
    real dots[3 * LARGE_TRIPLES];
    for (int k = 0; k < 3 * LARGE_TRIPLES; ++k) dots[k] = 0;
    if (taken && i < movers) {
        const v3 s = v3_scale(state[LARGE_FACTOR], from4(moves[at + i])), f = from4(forces[at + i]);
        const real scale = link_scales[t->exclude_start + i];
        const v3 z = i < n ? v3_add(from4(SOLUTION(i)), from4(ADDITION(LARGE_TURNS, i)))
                           : v3_scale(scale, f);
        const v3 sf = v3_scale(scale, z);
        const v3 y = v3_sub(from4(FORCE_X(i)), f), sy = v3_sub(from4(SOFT_X(i)), sf);
        MOVE(place, i) = to4(s, 0);
        SOFT_CHANGE(place, i) = to4(sy, 0);
        PLACE_X(i) = i < n ? positions[at + i] : wrapped[at + i];
        FORCE_X(i) = to4(f, 0);
        SOFT_X(i) = to4(sf, 0);
        for (int j = 0; j < LBFGS_PAIRS; ++j)
            lbfgs_pair_dots(y, f, from4(MOVE(j, i)), from4(SOFT_CHANGE(j, i)),
                            dots + LBFGS_PAIR_DOTS * j);
        dots[LBFGS_DOT_FSF] = v3_dot(f, sf);
        dots[LBFGS_DOT_YY] = v3_dot(y, y);
        dots[LBFGS_DOT_FF] = v3_dot(f, f);
    }
    for (int k = 0; k < LARGE_TRIPLES; ++k) {
        const real4 three = combine((real4)(dots[3 * k], dots[3 * k + 1], dots[3 * k + 2], 0), red);
        if (l == 0 && taken) LARGE_SUM(block.w, LARGE_SUM_PRODUCTS + k) = three;
    }
}

/* One group per system: the next direction. After a step that was refused it is the same again. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_direction(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG], near[LBFGS_PRODUCTS / 4];
    local real *products = (local real *)near;
    global real *state = states + LARGE_STATE * block.x;
    const int moved = stat[LARGE_MOVED], place = stat[LARGE_DRIVER + STEP_PLACE];
    const int wanted = LARGE_ON_WAY && (moved == LBFGS_TAKEN || moved == LBFGS_RESTARTED);
    real own = 0;
    for (int k = l; k < LBFGS_PRODUCTS; k += WG) products[k] = state[LARGE_PRODUCTS + k];
    for (int k = 0; k < LARGE_TRIPLES; ++k) {
        const real4 sum = large_sum_blocks(sys, movers, sums, LARGE_SUM_PRODUCTS + k, red);
        if (l / 3 == k) own = lbfgs_get4(sum, l % 3);
    }
    if (l < LBFGS_N_DOTS && moved == LBFGS_TAKEN) lbfgs_keep_product(l, place, own, products);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* all have read the state, too */
    for (int k = l; k < LBFGS_PRODUCTS && wanted; k += WG) state[LARGE_PRODUCTS + k] = products[k];
    if (l != 0 || !wanted) return;
    lbfgs_state s = lbfgs_load(stat + LARGE_DRIVER, state);
    const lbfgs_coefficients c = lbfgs_direct(&s, moved, products);
    lbfgs_save(stat + LARGE_DRIVER, state, &s);
    vstore4(c.of_change, 0, state + LARGE_COEFFICIENTS);
    vstore4(c.of_move, 1, state + LARGE_COEFFICIENTS);
    state[LARGE_COEFFICIENTS + 2 * LBFGS_PAIRS] = c.of_soft;
    state[LARGE_COEFFICIENTS + 2 * LBFGS_PAIRS + 1] = c.of_force;
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_combine(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    global const real *c = states + LARGE_STATE * block.x + LARGE_COEFFICIENTS;
    const int i = block.y + l, moved = stat[LARGE_MOVED];
    const int wanted = LARGE_ON_WAY && (moved == LBFGS_TAKEN || moved == LBFGS_RESTARTED);
    real4 longest = (real4)(0, 0, 0, 0);
    if (wanted && i < movers) {
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

/* Back to the last step that was taken. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_accept(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    const int i = block.y + l;
    if (i < n && stat[LARGE_DRIVER + STEP_STARTED] != 0) positions[at + i] = PLACE_X(i);
    if (i < n || i >= movers || !stat[LARGE_DRIVER + STEP_STARTED]) return;
    const v3 u = from4(PLACE_X(i));
    positions[at + i] = to4(v3_scale(real_rsqrt(v3_dot(u, u)), u), 0);
}
