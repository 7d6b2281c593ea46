/* SPDX-License-Identifier: BSD-3-Clause
 * FIRE for large systems: one group per system decides, then all atoms and directions move. */
#include "large_energy.h"
#include "step_state.h"

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_fire(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    global real *state = states + LARGE_STATE * block.x;
    const step_limits limit = LARGE_LIMITS;
    const int going = LARGE_GOING;
    const real4 far = large_sum_blocks(sys, movers, sums, LARGE_SUM_MOVE, red);
    const real4 step = large_sum_blocks(sys, movers, sums, LARGE_SUM_STEP, red);
    const real f2 = large_sum_blocks(sys, movers, sums, LARGE_SUM_ENERGY, red).w;
    const int stale = sys->periodic && !(far.w <= settings[LARGE_SKIN2]);
    const fire_sums all = {step.x, step.y, step.z, f2};
    fire_state s = fire_load(stat + LARGE_DRIVER, state);
    const fire_move m = fire_decide(&s, &all, &limit);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l != 0) return;
    stat[LARGE_MOVED] = LARGE_STAY;
    if (going && stale) stat[LARGE_FLAGS] = LARGE_STALE;
    if (!going || stale) return;
    stat[LARGE_MOVED] = m.retreat                 ? LARGE_RETREAT
                        : s.outcome == STEP_GOING ? LARGE_MOVE
                                                  : LARGE_STAY;
    fire_save(stat + LARGE_DRIVER, state, &s);
    state[FIRE_KEEP] = m.keep;
    state[FIRE_PUSH] = m.push;
    state[LARGE_FACTOR] = m.move;
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_fire_move(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    global const real *state = states + LARGE_STATE * block.x;
    const int i = block.y + l, wanted = stat[LARGE_FLAGS] == 0 ? stat[LARGE_MOVED] : LARGE_STAY;
    real4 far = (real4)(0, 0, 0, 0);
    if (wanted != LARGE_STAY && i < movers) {
        const int back = wanted == LARGE_RETREAT;
        const v3 old = from4(moves[at + i]), u = from4(positions[at + i]);
        const real by = back ? -state[LARGE_FACTOR] : state[LARGE_FACTOR];
        v3 r = u, v = back ? old
                           : v3_add(v3_scale(state[FIRE_KEEP], old),
                                    v3_scale(state[FIRE_PUSH], from4(forces[at + i])));
        if (i < n) {
            r = v3_add(u, v3_scale(by, v));
            LARGE_PLACE(r)
        } else {
            direction_turn(&r, &v, by);
            positions[at + i] = to4(r, 0);
        }
        moves[at + i] = back ? (real4)(0, 0, 0, 0) : to4(v, 0);
    }
    far = combine(far, red);
    if (l == 0 && wanted != LARGE_STAY) LARGE_SUM(block.w, LARGE_SUM_MOVE) = far;
}
