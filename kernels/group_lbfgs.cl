/* SPDX-License-Identifier: BSD-3-Clause
 * Relaxation by L-BFGS with a limit on every move and backtracking on the energy, one system per
 * work-group, many steps per launch. One evaluation per step; the history lies in global memory,
 * where every work-item touches its own atoms only. */
#include "group.h"

/* Vector v of the history of atom i. */
#define HISTORY(v, i) history[LBFGS_VECTORS * (size_t)sys.atom_start + (size_t)((v)*n + (i))]
#define MOVE(k, i) HISTORY(k, i)
#define CHANGE(k, i) HISTORY(LBFGS_PAIRS + (k), i)
#define PLACE_X(i) HISTORY(2 * LBFGS_PAIRS, i)
#define FORCE_X(i) HISTORY(2 * LBFGS_PAIRS + 1, i)

SHOAL_FN real sum(real value, local real4 *red)
{
    return group_combine((real4)(value, 0, 0, 0), red).x;
}

/* dir = H f by the two-loop recursion (Nocedal 1980), newest pair first. Empty places have rho = 0
 * and do nothing. */
SHOAL_FN void two_loop(const int n, const int place, const real *rho, const real gamma,
                       const system_record sys, global real4 *history, local real4 *dir,
                       local real4 *red)
{
    const int l = (int)get_local_id(0);
    real alpha[LBFGS_PAIRS];
    for (int i = l; i < n; i += WG) dir[i] = FORCE_X(i);
    for (int k = 0; k < LBFGS_PAIRS; ++k) {
        const int at = (place + LBFGS_PAIRS - k) % LBFGS_PAIRS;
        real dot = 0;
        for (int i = l; i < n; i += WG) dot += v3_dot(from4(MOVE(at, i)), load3(dir, i));
        dot = sum(dot, red);
        alpha[k] = rho[at] * dot;
        if (rho[at] == 0) continue;
        for (int i = l; i < n; i += WG)
            store3(dir, i, v3_sub(load3(dir, i), v3_scale(alpha[k], from4(CHANGE(at, i)))));
    }
    for (int i = l; i < n; i += WG) store3(dir, i, v3_scale(gamma, load3(dir, i)));
    for (int k = LBFGS_PAIRS - 1; k >= 0; --k) {
        const int at = (place + LBFGS_PAIRS - k) % LBFGS_PAIRS;
        real dot = 0;
        for (int i = l; i < n; i += WG) dot += v3_dot(from4(CHANGE(at, i)), load3(dir, i));
        const real factor = alpha[k] - rho[at] * sum(dot, red);
        if (rho[at] == 0) continue;
        for (int i = l; i < n; i += WG)
            store3(dir, i, v3_add(load3(dir, i), v3_scale(factor, from4(MOVE(at, i)))));
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void group_lbfgs(
    DATA_ARGUMENTS, global real4 *directions, global real *states, const int n_steps,
    const int max_steps, const real fmax2, const real max_move, global real4 *history)
{
    DATA_SETUP
    global real *state = states + LAYOUT_STATE * sys.index;
    real length = state[STATE_DT], gamma = state[STATE_MIXING], f2 = state[STATE_FMAX2];
    real accepted = state[STATE_ENERGY], slope = state[STATE_SLOPE], rho[LBFGS_PAIRS];
    int backtracks = (int)state[STATE_QUIET], n_evals = (int)state[STATE_EVALS];
    int place = (int)state[STATE_PLACE], outcome = RELAX_GOING;
    energies e;
    for (int k = 0; k < LBFGS_PAIRS; ++k) rho[k] = state[STATE_RHO + k];
    for (int i = l; i < n; i += WG) {
        dir[i] = directions[sys.atom_start + i];
        PLACE_X(i) = pos[i];
        FORCE_X(i) = forces[sys.atom_start + i];
    }
    for (int step = 0; step < n_steps && outcome == RELAX_GOING; ++step) {
        for (int i = l; i < n; i += WG) {
            const real4 x = PLACE_X(i);
            const v3 r = v3_add(from4(x), v3_scale(length, load3(dir, i)));
            pos[i] = (real4)(r.x, r.y, r.z, x.w);
        }
        eval(&t, &data, &surface, pos, par, slot, force, damping2, &e);
        ++n_evals;
        const real pairs = e.vdw * R(0.04166666666666666667) + R(0.5) * e.coulomb;
        real4 sums =
            (real4)(e.bond + e.angle + e.torsion + e.inversion + pairs + e.restraint + e.surface, 0,
                    0, 0);
        for (int i = l; i < n; i += WG) {
            const v3 f = load_force(force, i), y = v3_sub(from4(FORCE_X(i)), f);
            const real ff = v3_dot(f, f);
            sums.y += v3_dot(v3_scale(length, load3(dir, i)), y);
            sums.z += v3_dot(y, y);
            sums.w = real_max(sums.w, ff) + (ff - ff);
        }
        sums = group_combine(sums, red);
        const int first = n_evals == 1, finite = sums.x - sums.x == 0 && sums.w - sums.w == 0;
        /* Rounding of a sum of energies must not look like a rise. */
        const real noise = (sizeof(real) == 4 ? R(1e-6) : R(1e-13)) *
                           (real_abs(accepted) + real_abs(sums.x) + R(1.0));
        const int better = sums.x <= accepted + R(1e-4) * length * slope + noise;
        const int moved = finite && (first || better);
        if (moved) {
            const int curved = !first && sums.y > R(1e-12) && sums.z > 0;
            place = (place + 1) % LBFGS_PAIRS;
            for (int k = 0; k < LBFGS_PAIRS; ++k)
                if (k == place) rho[k] = curved ? R(1.0) / sums.y : R(0.0);
            if (curved) gamma = sums.y / sums.z;
            for (int i = l; i < n; i += WG) {
                const v3 f = load3(force, i);
                MOVE(place, i) = to4(v3_scale(length, load3(dir, i)), 0);
                CHANGE(place, i) = to4(v3_sub(from4(FORCE_X(i)), f), 0);
                PLACE_X(i) = pos[i];
                FORCE_X(i) = to4(f, 0);
            }
            accepted = sums.x;
            f2 = sums.w;
        }
        backtracks = moved ? 0 : backtracks + 1;
        const int restart = backtracks == 12;
        if (!moved) {
            const real linear = length * slope, rise = sums.x - accepted - linear;
            const real shrink = finite && rise > 0 ? -linear / (R(2.0) * rise) : R(0.1);
            length *= real_min(real_max(shrink, R(0.1)), R(0.5));
        }
        if (first && !finite) outcome = RELAX_NOT_FINITE;
        if (moved && f2 <= fmax2) outcome = RELAX_CONVERGED;
        if (backtracks > 30) outcome = RELAX_STALLED;
        if (outcome == RELAX_GOING && n_evals >= max_steps) outcome = RELAX_MAX_STEPS;
        for (int k = 0; k < LBFGS_PAIRS; ++k) rho[k] = restart ? R(0.0) : rho[k];
        gamma = restart ? R(0.02) : gamma;
        /* After a step that was refused this gives the same direction again. */
        two_loop(n, place, rho, gamma, sys, history, dir, red);
        real4 down = (real4)(0, 0, 0, 0);
        for (int i = l; i < n; i += WG) {
            const v3 d = load3(dir, i), f = from4(FORCE_X(i));
            down.x += v3_dot(d, f);
            down.y += v3_dot(f, f);
            down.w = real_max(down.w, v3_dot(d, d));
        }
        down = group_combine(down, red);
        slope = -down.x;
        real longest = real_sqrt(down.w);
        if (!(slope < 0)) { /* not downhill: forget the history */
            for (int k = 0; k < LBFGS_PAIRS; ++k) rho[k] = 0;
            gamma = R(0.02);
            for (int i = l; i < n; i += WG) store3(dir, i, v3_scale(gamma, from4(FORCE_X(i))));
            slope = -gamma * down.y;
            longest = gamma * real_sqrt(f2);
        }
        if (moved || restart) length = longest > max_move ? max_move / longest : R(1.0);
    }
    for (int i = l; i < n; i += WG) {
        positions[sys.atom_start + i] = PLACE_X(i);
        forces[sys.atom_start + i] = FORCE_X(i);
        directions[sys.atom_start + i] = dir[i];
    }
    if (l == 0) {
        state[STATE_DT] = length;
        state[STATE_MIXING] = gamma;
        state[STATE_QUIET] = (real)backtracks;
        state[STATE_EVALS] = (real)n_evals;
        state[STATE_OUTCOME] = (real)outcome;
        state[STATE_FMAX2] = f2;
        state[STATE_ENERGY] = accepted;
        state[STATE_SLOPE] = slope;
        state[STATE_PLACE] = (real)place;
        for (int k = 0; k < LBFGS_PAIRS; ++k) state[STATE_RHO + k] = rho[k];
    }
}
