/* SPDX-License-Identifier: BSD-3-Clause
 * Relaxation of large systems by FIRE (Bitzek et al., Phys. Rev. Lett. 97 (2006) 170201) with unit
 * masses: one group per system decides, then all atoms move. */
#include "large_energy.h"

/* Where the decision is kept for those who move: in places that L-BFGS uses otherwise. */
#define FIRE_KEEP STATE_SLOPE
#define FIRE_PUSH STATE_PLACE
#define FIRE_MOVE STATE_RHO

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_fire(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    global real *state = states + LARGE_STATE * block.x;
    const int going = LARGE_GOING;
    const real4 far = large_sum_blocks(sys, n, sums, LARGE_SUM_MOVE, red);
    const real4 step = large_sum_blocks(sys, n, sums, LARGE_SUM_STEP, red);
    const real f2 = large_sum_blocks(sys, n, sums, LARGE_SUM_ENERGY, red).w;
    real dt = state[STATE_DT], mixing = state[STATE_MIXING], fastest = state[STATE_ENERGY];
    const int n_evals = (int)state[STATE_EVALS] + 1;
    const int stale = sys->periodic && !(far.w <= settings[LARGE_SKIN2]);
    int outcome = RELAX_GOING;
    if (!(f2 - f2 == 0))
        outcome = RELAX_NOT_FINITE;
    else if (f2 <= settings[LARGE_FMAX2])
        outcome = RELAX_CONVERGED;
    else if (n_evals >= (int)settings[LARGE_MAX_STEPS])
        outcome = RELAX_MAX_STEPS;
    const int uphill = !(step.z >= 0), quiet = uphill ? 0 : (int)state[STATE_QUIET] + 1;
    if (uphill) {
        dt = real_max(R(0.5) * dt, R(0.002));
        mixing = R(0.1);
    } else if (quiet > 5) {
        dt = real_min(R(1.1) * dt, R(0.12));
        mixing *= R(0.99);
    }
    const real keep = uphill ? R(0.0) : R(1.0) - mixing;
    const real push =
        dt + (uphill ? R(0.0) : mixing * real_sqrt(step.y / real_max(step.x, R(1e-20))));
    /* No atom is faster than this; one factor for all of them keeps the momentum. */
    fastest = keep * fastest + push * real_sqrt(f2);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l == 0 && going && stale) stat[LARGE_FLAGS] = LARGE_STALE;
    if (l == 0 && going && !stale) {
        const real max_move = settings[LARGE_MAX_MOVE];
        stat[LARGE_OUTCOME] = outcome;
        state[STATE_DT] = dt;
        state[STATE_MIXING] = mixing;
        state[STATE_QUIET] = (real)quiet;
        state[STATE_EVALS] = (real)n_evals;
        state[STATE_FMAX2] = f2;
        state[STATE_ENERGY] = fastest;
        state[FIRE_KEEP] = keep;
        state[FIRE_PUSH] = push;
        state[FIRE_MOVE] = fastest * dt > max_move ? max_move / fastest : dt;
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_fire_move(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    global const real *state = states + LARGE_STATE * block.x;
    const int i = block.y + l, going = LARGE_GOING;
    real4 far = (real4)(0, 0, 0, 0);
    if (going && i < n) {
        const v3 v = v3_add(v3_scale(state[FIRE_KEEP], from4(moves[at + i])),
                            v3_scale(state[FIRE_PUSH], from4(forces[at + i])));
        const v3 r = v3_add(from4(positions[at + i]), v3_scale(state[FIRE_MOVE], v));
        moves[at + i] = to4(v, 0);
        LARGE_PLACE(r)
    }
    far = combine(far, red);
    if (l == 0 && going) LARGE_SUM(block.w, LARGE_SUM_MOVE) = far;
}
