/* SPDX-License-Identifier: BSD-3-Clause
 * FIRE, one system per work-group, many steps per launch. */
#define SHOAL_NO_ENERGY
#include "group.h"
#include "group_directions.h"
#include "step_state.h"

/* Rigid bodies: the work-item of the first atom moves all of one, whose rows nobody else touches between two barriers. */
#ifdef SHOAL_BODIES
#define BODY_ROWS local
#include "body_atoms.h"
#define BODIES_OR_NOT , BODY_ARGUMENTS
#define BODIES_SETUP const body_tables bodies = BODY_TABLES(sys.atom_start);
#define PUSH_BODIES                                                                                \
    for (int i = l; i < t.n_points; i += WG)                                                       \
        if (body_is_first(&bodies, i)) body_push(&bodies, i, pos, 0, 0, force);                    \
    barrier(CLK_LOCAL_MEM_FENCE);
#define IN_BODY(i) (!body_is_free(&bodies, i))

/* One move of a body, whose velocities m changes first; a retreat goes back and leaves it at rest. */
SHOAL_FN void slide_body(const body_tables *t, int i, fire_move m, local real4 *pos,
                         local real4 *velocity, local const real4 *force)
{
    v3 turn;
    const body_place b = body_at(t, i, pos, 0);
    for (int k = 0; k < b.n && !m.retreat; ++k) {
        const int j = body_atom(t, &b, k);
        store3(velocity, j,
               v3_add(v3_scale(m.keep, load3(velocity, j)), v3_scale(m.push, load3(force, j))));
    }
    const body_motion v = body_sum(t, &b, velocity, 1, &turn);
    const body_move move = body_spin(&v, m.retreat ? -m.move : m.move);
    for (int k = b.n - 1; k >= 0; --k) {
        const int j = body_atom(t, &b, k);
        v3 speed = load3(velocity, j);
        const v3 go = body_go(t, &b, &move, pos, 0, k, &speed);
        store3(velocity, j, m.retreat ? v3_make(0, 0, 0) : speed);
        pos[j] = to4(v3_add(load3(pos, j), go), pos[j].w);
    }
}
#define SLIDE_BODIES                                                                               \
    for (int i = l; i < t.n_points && (s.outcome == STEP_GOING || m.retreat); i += WG)             \
        if (body_is_first(&bodies, i)) slide_body(&bodies, i, m, pos, dir, force);
#define THE_BODIES , &bodies
#else
#define BODIES_OR_NOT
#define BODIES_SETUP
#define PUSH_BODIES
#define IN_BODY(i) 0
#define SLIDE_BODIES
#define THE_BODIES
#endif

/* The sums that the decision is made from; forces that squares would not bear are shortened. */
#ifdef SHOAL_BODIES
SHOAL_FN fire_sums sum_atoms(int n, local real4 *force, local const real4 *velocity,
                             local real4 *red, const body_tables *bodies)
{
    real4 sums = (real4)(0, 0, 0, 0);
    for (int i = (int)get_local_id(0); i < n; i += WG) {
        const v3 f = load_force(force, i), v = load3(velocity, i);
        const real ff = v3_dot(f, f), share = body_share(bodies, i);
        sums.x += share * ff;
        sums.y += share * v3_dot(v, v);
        sums.z += share * v3_dot(f, v);
        sums.w = real_max(sums.w, ff) + (ff - ff);
    }
    sums = group_combine(sums, red);
    const fire_sums out = {sums.x, sums.y, sums.z, sums.w};
    return out;
}
#else
SHOAL_FN fire_sums sum_atoms(int n, local real4 *force, local const real4 *velocity,
                             local real4 *red)
{
    real4 sums = (real4)(0, 0, 0, 0);
    for (int i = (int)get_local_id(0); i < n; i += WG) {
        const v3 f = load_force(force, i), v = load3(velocity, i);
        const real ff = v3_dot(f, f);
        sums.x += ff;
        sums.y += v3_dot(v, v);
        sums.z += v3_dot(f, v);
        sums.w = larger_size(sums.w, ff);
    }
    sums = group_combine(sums, red);
    const fire_sums out = {sums.x, sums.y, sums.z, sums.w};
    return out;
}
#endif

/* The record of progress lies in local memory, as registers are dear: twice, so that a look reads one and
 * writes the other, where everyone writes the same. */
SHOAL_FN step_progress load_progress(local const real4 *record)
{
    const real4 r = *record;
    const step_progress p = {r.x, r.y, (int)r.z};
    return p;
}

SHOAL_FN void store_progress(local real4 *record, const step_progress *p)
{
    *record = (real4)(p->lowest, p->quietest, (real)p->idle, 0);
}

#ifdef SHOAL_DIRECTIONS
/* The move of all directions, each by the work-item that reads and writes it elsewhere; a retreat leaves them at
 * rest. */
SHOAL_FN void turn_directions(const topology_record *t, fire_move m, local real4 *pos,
                              local real4 *velocity, local const real4 *force)
{
    for (int i = (int)get_local_id(0); i < N_MOVERS(t); i += WG) {
        if (i < t->n_points) continue;
        v3 p = load3(pos, i), v = load3(velocity, i);
        if (!m.retreat) v = v3_add(v3_scale(m.keep, v), v3_scale(m.push, load3(force, i)));
        direction_turn(&p, &v, m.retreat ? -m.move : m.move);
        store3(velocity, i, m.retreat ? v3_make(0, 0, 0) : v);
        pos[i] = to4(p, 1);
    }
}
#define TURN_DIRECTIONS(t, m, pos, dir, force) turn_directions(t, m, pos, dir, force)
#else
#define TURN_DIRECTIONS(t, m, pos, dir, force)
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void group_fire(
    DATA_ARGUMENTS, global real4 *velocities, global int *counters, global real *states,
    const int n_steps, const int max_steps, const real fmax2 BODIES_OR_NOT)
{
    DATA_SETUP
    BODIES_SETUP
    const step_limits limit = {fmax2, states[STEP_REALS * sys.index + STEP_MAX_MOVE], max_steps};
    fire_state s = fire_load(counters + STEP_INTS * sys.index, states + STEP_REALS * sys.index);
    local real4 *record = red + RED_SIZE(WG) - 2;
    energies e;
    store_progress(record, &s.progress);
    store_progress(record + 1, &s.progress);
    for (int i = l; i < n; i += WG) dir[i] = velocities[sys.atom_start + i];
    for (int step = 0; step < n_steps && s.outcome == STEP_GOING; ++step) {
        eval(&t, &data, &surface, pos, par, slot, force, &constants, &e);
        PUSH_BODIES
        const fire_sums sums = sum_atoms(n, force, dir, red THE_BODIES);
        const int look = fire_looks(&s), to = (s.n_evals + 1) / FIRE_LOOK & 1;
        if (look) s.progress = load_progress(record + (to ^ 1));
        const fire_move m = fire_decide(&s, &sums, &limit);
        if (look) store_progress(record + to, &s.progress);
        for (int i = l; i < t.n_points && m.retreat; i += WG) {
            if (IN_BODY(i)) continue;
            const v3 r = v3_sub(load3(pos, i), v3_scale(m.move, load3(dir, i)));
            store3(dir, i, v3_make(0, 0, 0));
            pos[i] = (real4)(r.x, r.y, r.z, pos[i].w);
        }
        if (s.outcome == STEP_GOING && !m.retreat)
            for (int i = l; i < t.n_points; i += WG) {
                if (IN_BODY(i)) continue;
                const v3 v =
                    v3_add(v3_scale(m.keep, load3(dir, i)), v3_scale(m.push, load3(force, i)));
                const v3 r = v3_add(load3(pos, i), v3_scale(m.move, v));
                store3(dir, i, v);
                pos[i] = (real4)(r.x, r.y, r.z, pos[i].w);
            }
        if (s.outcome == STEP_GOING || m.retreat) TURN_DIRECTIONS(&t, m, pos, dir, force);
        SLIDE_BODIES
    }
    ALL_HAVE_READ
    s.progress = load_progress(record + (s.n_evals / FIRE_LOOK & 1));
    for (int i = l; i < n; i += WG) {
        positions[sys.atom_start + i] = pos[i];
        velocities[sys.atom_start + i] = dir[i];
    }
    if (l == 0) fire_save(counters + STEP_INTS * sys.index, states + STEP_REALS * sys.index, &s);
}
