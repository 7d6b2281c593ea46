/* SPDX-License-Identifier: BSD-3-Clause
 * Large systems with rigid bodies: after the kernels that treat all atoms as free, these put right what bodies do
 * otherwise. The work-item of the first atom of a body works for all of it; sums over movers are made anew, each by its own
 * work-item, in a launch of its own. */
#include "large_energy.h"
#include "step_state.h"

/* As in large_md.cl. */
#pragma OPENCL FP_CONTRACT OFF
#define SHOAL_DIRECTIONS
#define BODY_ROWS global
#include "body_md.h"

#define PLACE_X(i) LARGE_ATOM_HISTORY(2 * LBFGS_PAIRS, i)
#define SOLUTION(i) LARGE_ATOM_HISTORY(LBFGS_VECTORS, i)
#define LEFT(i) LARGE_ATOM_HISTORY(LBFGS_VECTORS + 1, i)
#define ADDITION(turn, i) LARGE_ATOM_HISTORY(LBFGS_VECTORS + 2 + ((turn)&1), i)

/* Of a system's own; numbers of dynamics are there for all. */
#define LARGE_BODY_ARGUMENTS LARGE_ARGUMENTS, BODY_ARGUMENTS
#define LARGE_BODY_SETUP                                                                           \
    LARGE_SETUP                                                                                    \
    const body_tables bodies = BODY_TABLES(at);                                                    \
    const int mine = block.y + l;                                                                  \
    (void)bodies, (void)mine; /* some need only some */

/* After an evaluation: what forces leave to the body. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_body_push(LARGE_BODY_ARGUMENTS)
{
    LARGE_BODY_SETUP
    const int dynamics = (int)settings[LARGE_METHOD] == LARGE_MD;
    if (!LARGE_GOING || mine >= n || !body_is_first(&bodies, mine)) return;
    body_push(&bodies, mine, positions + at, dynamics ? lows + at : 0, dynamics, forces + at);
}

/* The sums over movers that large_assemble made of the forces before, and L-BFGS's slope by places of atoms. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_body_sums(LARGE_BODY_ARGUMENTS)
{
    LARGE_BODY_SETUP
    local real4 red[WG];
    const int method = (int)settings[LARGE_METHOD], going = LARGE_GOING;
    real4 step = (real4)(0, 0, 0, 0), most = step;
    if (going && mine < movers) {
        const v3 f = step_bounded(from4(forces[at + mine]));
        const real ff = v3_dot(f, f), share = body_share(&bodies, mine);
        most.w = ff;
        if (method == LARGE_FIRE) {
            const v3 v = from4(moves[at + mine]);
            step = (real4)(share * ff, share * v3_dot(v, v), share * v3_dot(f, v), 0);
            forces[at + mine] = to4(f, 0);
        }
        if (method == LARGE_LBFGS) forces[at + mine] = to4(v3_scale(share, f), 0);
        if (method == LARGE_MD) {
            const real open = R(0.5) * settings[LARGE_DT];
            step = md_share(f, moves[at + mine], stat[LARGE_DRIVER + STEP_STARTED] ? open : R(0.0),
                            open);
        }
    }
    most = combine(most, red);
    step = combine(step, red);
    if (l == 0 && going) {
        LARGE_SUM(block.w, LARGE_SUM_STEP) = step;
        LARGE_SUM(block.w, LARGE_SUM_ENERGY).w = most.w;
    }
}

/* Where an atom has come to, for lists and sums; the farthest so far. */
#define LARGE_COME(i)                                                                              \
    {                                                                                              \
        const v3 r = from4(positions[at + (i)]);                                                   \
        LARGE_PLACE(r)                                                                             \
        farthest = real_max(farthest, far.w) + (far.w - far.w);                                    \
    }

/* In place of large_fire_move. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_body_fire(LARGE_BODY_ARGUMENTS)
{
    LARGE_BODY_SETUP
    local real4 red[WG];
    global const real *state = states + LARGE_STATE * block.x;
    const int wanted = stat[LARGE_FLAGS] == 0 ? stat[LARGE_MOVED] : LARGE_STAY;
    const int back = wanted == LARGE_RETREAT, going = wanted != LARGE_STAY && mine < n;
    const real by = back ? -state[LARGE_FACTOR] : state[LARGE_FACTOR];
    real4 far = (real4)(0, 0, 0, 0);
    real farthest = 0;
    if (going && body_is_free(&bodies, mine)) {
        const int i = mine;
        v3 v = from4(moves[at + i]);
        if (!back)
            v = v3_add(v3_scale(state[FIRE_KEEP], v),
                       v3_scale(state[FIRE_PUSH], from4(forces[at + i])));
        positions[at + i] = to4(v3_add(from4(positions[at + i]), v3_scale(by, v)), 0);
        moves[at + i] = back ? (real4)(0, 0, 0, 0) : to4(v, 0);
        LARGE_COME(i)
    }
    if (going && body_is_first(&bodies, mine)) {
        v3 turn;
        const body_place b = body_at(&bodies, mine, positions + at, 0);
        for (int k = 0; k < b.n && !back; ++k) {
            const int i = body_atom(&bodies, &b, k);
            moves[at + i] = to4(v3_add(v3_scale(state[FIRE_KEEP], from4(moves[at + i])),
                                       v3_scale(state[FIRE_PUSH], from4(forces[at + i]))),
                                0);
        }
        const body_motion v = body_sum(&bodies, &b, moves + at, 1, &turn);
        const body_move move = body_spin(&v, by);
        for (int k = b.n - 1; k >= 0; --k) {
            const int i = body_atom(&bodies, &b, k);
            v3 speed = from4(moves[at + i]);
            const v3 go = body_go(&bodies, &b, &move, positions + at, 0, k, &speed);
            positions[at + i] = to4(v3_add(from4(positions[at + i]), go), 0);
            moves[at + i] = back ? (real4)(0, 0, 0, 0) : to4(speed, 0);
            LARGE_COME(i)
        }
    }
    far.w = farthest;
    far = combine(far, red);
    if (l == 0 && wanted != LARGE_STAY) LARGE_SUM(block.w, LARGE_SUM_MOVE) = far;
}

/* After large_lbfgs_move, which has moved all atoms as if they were free: from the accepted places again. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_body_try(LARGE_BODY_ARGUMENTS)
{
    LARGE_BODY_SETUP
    global const real *state = states + LARGE_STATE * block.x;
    global const real4 *from = &PLACE_X(0);
    v3 turn;
    if (!LARGE_GOING || mine >= n || !body_is_first(&bodies, mine)) return;
    const real length = stat[LARGE_DRIVER + STEP_STARTED] ? state[LBFGS_LENGTH] : R(0.0);
    const body_place b = body_at(&bodies, mine, from, 0);
    const body_motion v = body_sum(&bodies, &b, moves + at, 1, &turn);
    const body_move move = body_spin(&v, length);
    for (int k = b.n - 1; k >= 0; --k) {
        const int i = body_atom(&bodies, &b, k);
        v3 speed = from4(moves[at + i]);
        const v3 go = body_go(&bodies, &b, &move, from, 0, k, &speed);
        positions[at + i] = to4(v3_add(from4(from[i]), go), 0);
    }
}

/* How far all atoms are then, for lists. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_body_come(LARGE_BODY_ARGUMENTS)
{
    LARGE_BODY_SETUP
    local real4 red[WG];
    const int going = LARGE_GOING;
    real4 far = (real4)(0, 0, 0, 0);
    real farthest = 0;
    const int i = mine;
    if (going && i < n) LARGE_COME(i)
    far.w = farthest;
    far = combine(far, red);
    if (l == 0 && going) LARGE_SUM(block.w, LARGE_SUM_MOVE) = far;
}

/* Between two turns of Chebyshev's iteration: atoms of bodies are walls to the others. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_body_wall(LARGE_BODY_ARGUMENTS,
                                                                            const int turn)
{
    LARGE_BODY_SETUP
    const int i = mine;
    if (i >= n || stat[LARGE_FLAGS] != 0 || stat[LARGE_MOVED] != LBFGS_TAKEN ||
        body_is_free(&bodies, i))
        return;
    SOLUTION(i) = LEFT(i) = ADDITION(turn, i) = (real4)(0, 0, 0, 0);
}

/* After it: their own preconditioner is the same for all, stiffness.h's anchor alone. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_body_soft(LARGE_BODY_ARGUMENTS,
                                                                            const real soft)
{
    LARGE_BODY_SETUP
    const int i = mine;
    if (i >= n || stat[LARGE_FLAGS] != 0 || stat[LARGE_MOVED] != LBFGS_TAKEN ||
        body_is_free(&bodies, i))
        return;
    const real scale = link_scales[t->exclude_start + i];
    SOLUTION(i) = to4(v3_scale(real_divide(soft, scale), from4(forces[at + i])), 0);
    ADDITION(LARGE_TURNS, i) = (real4)(0, 0, 0, 0);
}

/* Leaves of a fresh direction what bodies can do where they are accepted. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_body_stiffen(LARGE_BODY_ARGUMENTS)
{
    LARGE_BODY_SETUP
    const int moved = stat[LARGE_MOVED];
    const int wanted = LARGE_ON_WAY && (moved == LBFGS_TAKEN || moved == LBFGS_RESTARTED);
    v3 turn;
    if (!wanted || mine >= n || !body_is_first(&bodies, mine)) return;
    const body_place b = body_at(&bodies, mine, &PLACE_X(0), 0);
    const body_motion v = body_sum(&bodies, &b, moves + at, 1, &turn);
    body_spread(&bodies, &b, &v, 0, moves + at);
}

/* The longest vector of it. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_body_length(LARGE_BODY_ARGUMENTS)
{
    LARGE_BODY_SETUP
    local real4 red[WG];
    const int moved = stat[LARGE_MOVED];
    const int wanted = LARGE_ON_WAY && (moved == LBFGS_TAKEN || moved == LBFGS_RESTARTED);
    real4 longest = (real4)(0, 0, 0, 0);
    if (wanted && mine < movers) {
        const v3 d = from4(moves[at + mine]);
        longest.w = v3_dot(d, d);
    }
    longest = combine(longest, red);
    if (l == 0 && wanted) LARGE_SUM(block.w, LARGE_SUM_LENGTH) = longest;
}

/* In place of large_md_move. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_body_md(LARGE_BODY_ARGUMENTS,
                                                                          MD_ARGUMENTS)
{
    LARGE_BODY_SETUP
    local real4 red[WG];
    global const real *state = states + LARGE_STATE * block.x;
    const md_numbers number = MD_NUMBERS;
    const int wanted = stat[LARGE_FLAGS] == 0 && stat[LARGE_MOVED] == LARGE_MOVE;
    real4 far = (real4)(0, 0, 0, 0);
    real farthest = 0;
    if (wanted && mine < movers && body_is_free(&bodies, mine)) {
        const md_state s = md_load(stat + LARGE_DRIVER, state);
        const md_move m = {state[LARGE_FACTOR], state[LARGE_NOISE], 1};
        const int i = mine;
        LARGE_MD_MOVE(i)
        farthest = far.w;
    }
    if (wanted && mine < n && body_is_first(&bodies, mine)) {
        const md_state s = md_load(stat + LARGE_DRIVER, state);
        const md_move m = {state[LARGE_FACTOR], state[LARGE_NOISE], 1};
        body_md_move(&bodies, mine, &s, &number, &m, state[LARGE_CLOSE], positions + at, lows + at,
                     moves + at, forces + at);
        for (int k = 0; k < bodies.roles[mine].x; ++k) {
            const int i = bodies.roles[bodies.roles[mine].y + k].z;
            LARGE_COME(i)
        }
    }
    far.w = farthest;
    far = combine(far, red);
    if (l == 0 && wanted) LARGE_SUM(block.w, LARGE_SUM_MOVE) = far;
}
