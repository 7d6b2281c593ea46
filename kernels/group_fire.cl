/* SPDX-License-Identifier: BSD-3-Clause
 * Relaxation by FIRE (Bitzek et al., Phys. Rev. Lett. 97 (2006) 170201) with unit masses, one system
 * per work-group, many steps per launch. */
#define SHOAL_NO_ENERGY
#include "group.h"

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void group_fire(
    DATA_ARGUMENTS, global real4 *velocities, global real *states, const int n_steps,
    const int max_steps, const real fmax2, const real max_move)
{
    DATA_SETUP
    global real *state = states + LAYOUT_STATE * sys.index;
    real dt = state[STATE_DT], mixing = state[STATE_MIXING], fastest = state[STATE_ENERGY], f2 = 0;
    int quiet = (int)state[STATE_QUIET], n_evals = (int)state[STATE_EVALS];
    int outcome = RELAX_GOING;
    energies e;
    for (int i = l; i < n; i += WG) dir[i] = velocities[sys.atom_start + i];
    for (int step = 0; step < n_steps && outcome == RELAX_GOING; ++step) {
        eval(&t, &data, &surface, pos, par, slot, force, damping2, &e);
        ++n_evals;
        real4 sums = (real4)(0, 0, 0, 0);
        for (int i = l; i < n; i += WG) {
            const v3 f = load_force(force, i), v = load3(dir, i);
            const real ff = v3_dot(f, f);
            sums.x += ff;
            sums.y += v3_dot(v, v);
            sums.z += v3_dot(f, v);
            sums.w = real_max(sums.w, ff) + (ff - ff);
        }
        sums = group_combine(sums, red);
        f2 = sums.w;
        if (!(f2 - f2 == 0))
            outcome = RELAX_NOT_FINITE;
        else if (f2 <= fmax2)
            outcome = RELAX_CONVERGED;
        else if (n_evals >= max_steps)
            outcome = RELAX_MAX_STEPS;
        const int uphill = !(sums.z >= 0);
        quiet = uphill ? 0 : quiet + 1;
        if (uphill) {
            dt = real_max(R(0.5) * dt, R(0.002));
            mixing = R(0.1);
        } else if (quiet > 5) {
            dt = real_min(R(1.1) * dt, R(0.12));
            mixing *= R(0.99);
        }
        const real keep = uphill ? R(0.0) : R(1.0) - mixing;
        const real push =
            dt +
            (uphill ? R(0.0) : mixing * real_sqrt(real_divide(sums.y, real_max(sums.x, R(1e-20)))));
        /* No atom is faster than this; one factor for all of them keeps the momentum. */
        fastest = keep * fastest + push * real_sqrt(f2);
        const real move = fastest * dt > max_move ? real_divide(max_move, fastest) : dt;
        if (outcome == RELAX_GOING)
            for (int i = l; i < n; i += WG) {
                const v3 v = v3_add(v3_scale(keep, load3(dir, i)), v3_scale(push, load3(force, i)));
                const v3 r = v3_add(load3(pos, i), v3_scale(move, v));
                store3(dir, i, v);
                pos[i] = (real4)(r.x, r.y, r.z, pos[i].w);
            }
    }
    for (int i = l; i < n; i += WG) {
        positions[sys.atom_start + i] = pos[i];
        velocities[sys.atom_start + i] = dir[i];
        forces[sys.atom_start + i] = force[i];
    }
    if (l == 0) {
        state[STATE_DT] = dt;
        state[STATE_MIXING] = mixing;
        state[STATE_QUIET] = (real)quiet;
        state[STATE_EVALS] = (real)n_evals;
        state[STATE_OUTCOME] = (real)outcome;
        state[STATE_FMAX2] = f2;
        state[STATE_ENERGY] = fastest;
    }
}
