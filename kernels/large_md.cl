/* SPDX-License-Identifier: BSD-3-Clause
 * Dynamics of large systems: one group per system decides, then all atoms and directions move. */
#include "large_energy.h"

/* Nothing is contracted here: the second part of a coordinate is what rounding took from the
 * first. */
#pragma OPENCL FP_CONTRACT OFF
#define SHOAL_DIRECTIONS
#include "md_atoms.h"

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_md(LARGE_ARGUMENTS, MD_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    global real *state = states + LARGE_STATE * block.x;
    const md_numbers number = MD_NUMBERS;
    const int going = LARGE_GOING;
    const real4 far = large_sum_blocks(sys, movers, sums, LARGE_SUM_MOVE, red);
    const md_sums all = md_sums_of(large_sum_blocks(sys, movers, sums, LARGE_SUM_STEP, red));
    const int stale = sys->periodic && !(far.w <= settings[LARGE_SKIN2]);
    md_state s = md_load(stat + LARGE_DRIVER, state);
    const real close = md_close(&s, &number);
    const md_move m = md_decide(&s, &all, &number);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l != 0) return;
    stat[LARGE_MOVED] = LARGE_STAY;
    if (going && stale) stat[LARGE_FLAGS] = LARGE_STALE;
    if (!going || stale) return;
    stat[LARGE_MOVED] = m.go ? LARGE_MOVE : LARGE_STAY;
    md_save(stat + LARGE_DRIVER, state, &s);
    state[LARGE_FACTOR] = m.scale;
    state[LARGE_NOISE] = m.noise;
    state[LARGE_CLOSE] = close;
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_md_move(LARGE_ARGUMENTS,
                                                                          MD_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    global const real *state = states + LARGE_STATE * block.x;
    const md_numbers number = MD_NUMBERS;
    const int i = block.y + l, wanted = stat[LARGE_FLAGS] == 0 && stat[LARGE_MOVED] == LARGE_MOVE;
    real4 far = (real4)(0, 0, 0, 0);
    if (wanted && i < movers) {
        const md_state s = md_load(stat + LARGE_DRIVER, state);
        const md_move m = {state[LARGE_FACTOR], state[LARGE_NOISE], 1};
        LARGE_MD_MOVE(i)
    }
    far = combine(far, red);
    if (l == 0 && wanted) LARGE_SUM(block.w, LARGE_SUM_MOVE) = far;
}
