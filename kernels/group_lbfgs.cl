/* SPDX-License-Identifier: BSD-3-Clause
 * Relaxation by L-BFGS with a limit on every move and backtracking on the energy, one system per
 * work-group, many steps per launch. One evaluation per step; the history lies in global memory,
 * where every work-item touches its own atoms only. The first guess of the inverse Hessian is that of
 * the bonds alone (docs/decisions/0005): a matrix of the topology, the same for x, y and z. */
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

#define PLAIN_STEP R(0.02) /* along the force, where nothing else goes downhill; angstrom^2/eV */

/* What the kernel knows of the curvature. */
typedef struct curvature {
    real gamma; /* scale of the inverse stiffness */
    real rho[LBFGS_PAIRS];
    int place;  /* of the newest pair */
    int curved; /* that pair is new and worth something: gamma is to be found */
} curvature;

/* dir = gamma S dir, with the inverse stiffness S; gamma is move . change / change . S change of the
 * newest pair. S is symmetric, so that neighbouring work-items read neighbouring numbers. */
SHOAL_FN void soften(const int n, curvature *c, const real curve, const system_record sys,
                     global const real *softness, global const real4 *history,
                     local const real4 *pos, local real4 *dir, local real4 *change,
                     local real4 *soft, local real4 *red)
{
    const int l = (int)get_local_id(0);
    global const real *s = softness + sys.softness;
    real scale = 0;
    for (int i = l; i < n; i += WG) change[i] = CHANGE(c->place, i);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < n; i += WG) {
        v3 d = v3_make(0, 0, 0), y = d;
        for (int j = 0; j < n; ++j) {
            const real sij = s[j * n + i];
            d = v3_add(d, v3_scale(sij, load3(dir, j)));
            y = v3_add(y, v3_scale(sij, load3(change, j)));
        }
        scale += v3_dot(load3(change, i), y);
        store3(soft, i, v3_scale(pos[i].w, d)); /* fixed atoms keep still */
    }
    scale = sum(scale, red);
    if (c->curved && scale > 0) c->gamma = curve / scale;
    for (int i = l; i < n; i += WG) store3(dir, i, v3_scale(c->gamma, load3(soft, i)));
}

/* dir = H f by the two-loop recursion (Nocedal, Math. Comput. 35 (1980) 773), newest pair first. Empty
 * places have rho = 0 and do nothing. change and soft are free for use. */
SHOAL_FN void two_loop(const int n, curvature *c, const real curve, const system_record sys,
                       global const real *softness, global real4 *history, local const real4 *pos,
                       local real4 *dir, local real4 *change, local real4 *soft, local real4 *red)
{
    const int l = (int)get_local_id(0);
    real alpha[LBFGS_PAIRS];
    for (int i = l; i < n; i += WG) dir[i] = FORCE_X(i);
    for (int k = 0; k < LBFGS_PAIRS; ++k) {
        const int at = (c->place + LBFGS_PAIRS - k) % LBFGS_PAIRS;
        real dot = 0;
        for (int i = l; i < n; i += WG) dot += v3_dot(from4(MOVE(at, i)), load3(dir, i));
        dot = sum(dot, red);
        alpha[k] = c->rho[at] * dot;
        if (c->rho[at] == 0) continue;
        for (int i = l; i < n; i += WG)
            store3(dir, i, v3_sub(load3(dir, i), v3_scale(alpha[k], from4(CHANGE(at, i)))));
    }
    soften(n, c, curve, sys, softness, history, pos, dir, change, soft, red);
    for (int k = LBFGS_PAIRS - 1; k >= 0; --k) {
        const int at = (c->place + LBFGS_PAIRS - k) % LBFGS_PAIRS;
        real dot = 0;
        for (int i = l; i < n; i += WG) dot += v3_dot(from4(CHANGE(at, i)), load3(dir, i));
        const real factor = alpha[k] - c->rho[at] * sum(dot, red);
        if (c->rho[at] == 0) continue;
        for (int i = l; i < n; i += WG)
            store3(dir, i, v3_add(load3(dir, i), v3_scale(factor, from4(MOVE(at, i)))));
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void group_lbfgs(
    DATA_ARGUMENTS, global real4 *directions, global real *states, const int n_steps,
    const int max_steps, const real fmax2, const real max_move, global real4 *history,
    global const real *softness)
{
    DATA_SETUP
    global real *state = states + LAYOUT_STATE * sys.index;
    real length = state[STATE_DT], f2 = state[STATE_FMAX2];
    real accepted = state[STATE_ENERGY], slope = state[STATE_SLOPE];
    int backtracks = (int)state[STATE_QUIET], n_evals = (int)state[STATE_EVALS];
    int outcome = RELAX_GOING;
    curvature c = {.gamma = state[STATE_MIXING], .place = (int)state[STATE_PLACE]};
    energies e;
    for (int k = 0; k < LBFGS_PAIRS; ++k) c.rho[k] = state[STATE_RHO + k];
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
        /* sums.y / sums.z is an inverse stiffness; nothing is stiffer than 1e6 eV/angstrom^2. */
        c.curved = moved && !first && sums.z > 0 && sums.y > R(1e-6) * sums.z;
        if (moved) {
            c.place = (c.place + 1) % LBFGS_PAIRS;
            for (int k = 0; k < LBFGS_PAIRS; ++k)
                if (k == c.place) c.rho[k] = c.curved ? R(1.0) / sums.y : R(0.0);
            for (int i = l; i < n; i += WG) {
                const v3 f = load3(force, i);
                MOVE(c.place, i) = to4(v3_scale(length, load3(dir, i)), 0);
                CHANGE(c.place, i) = to4(v3_sub(from4(FORCE_X(i)), f), 0);
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
        for (int k = 0; k < LBFGS_PAIRS; ++k) c.rho[k] = restart ? R(0.0) : c.rho[k];
        c.gamma = restart ? (real)LBFGS_START : c.gamma;
        /* After a step that was refused this gives the same direction again. */
        two_loop(n, &c, sums.y, sys, softness, history, pos, dir, force, slot + t.n_slots, red);
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
            for (int k = 0; k < LBFGS_PAIRS; ++k) c.rho[k] = 0;
            c.gamma = (real)LBFGS_START;
            for (int i = l; i < n; i += WG) store3(dir, i, v3_scale(PLAIN_STEP, from4(FORCE_X(i))));
            slope = -PLAIN_STEP * down.y;
            longest = PLAIN_STEP * real_sqrt(f2);
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
        state[STATE_MIXING] = c.gamma;
        state[STATE_QUIET] = (real)backtracks;
        state[STATE_EVALS] = (real)n_evals;
        state[STATE_OUTCOME] = (real)outcome;
        state[STATE_FMAX2] = f2;
        state[STATE_ENERGY] = accepted;
        state[STATE_SLOPE] = slope;
        state[STATE_PLACE] = (real)c.place;
        for (int k = 0; k < LBFGS_PAIRS; ++k) state[STATE_RHO + k] = c.rho[k];
    }
}
