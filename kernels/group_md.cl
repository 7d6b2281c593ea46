/* SPDX-License-Identifier: BSD-3-Clause
 * Dynamics, one system per work-group, many steps per launch. The second part of the coordinates of a work-item's
 * first atom is in registers, as it is looked at once in a step; that of further atoms, which only the largest systems
 * have, stays in global memory. */
#define SHOAL_NO_ENERGY
#include "group.h"

/* Forces may be contracted, decisions and moves are not: the second part of a coordinate is what rounding took from the
 * first. */
#pragma OPENCL FP_CONTRACT OFF
/* Here, as headers are read once, and others ask for it on conditions. */
#include "step_direction.h"

#include "md_atoms.h"
#ifdef SHOAL_BODIES
#define BODY_ROWS local
#include "body_md.h"
#endif

/* The sums that the decision is made from; forces that squares would not bear are shortened. */
SHOAL_FN md_sums sum_atoms(int n, real close, real open, local real4 *force,
                           local const real4 *velocity, local real4 *red)
{
    real4 sums = (real4)(0, 0, 0, 0);
    for (int i = (int)get_local_id(0); i < n; i += WG) {
        const real4 share = md_share(load_force(force, i), velocity[i], close, open);
        sums = (real4)(sums.x + share.x, sums.y + share.y, R(0.0), larger_size(sums.w, share.w));
    }
    return md_sums_of(group_combine(sums, red));
}

/* Directions have no second part. */
#ifdef SHOAL_DIRECTIONS
#define MOVE_DIRECTION_OR(t, i)                                                                    \
    if (i >= t.n_points)                                                                           \
        md_move_direction(&s, &number, &m, close, i, load3(force, i), &v, &r);                     \
    else
#else
#define MOVE_DIRECTION_OR(t, i)
#endif

/* What no evaluation needs is not kept in registers meanwhile: constants of the state are read again in every step,
 * and the thermostat lies in local memory, twice, so that a step reads one and writes the other, where
 * everyone writes the same. */
SHOAL_FN void recall(md_state *s, global const int *n, global const real *x,
                     local const real4 *thermostat)
{
    const real4 r = thermostat[s->n_evals & 1];
    md_recall(s, n, x);
    s->x[0] = r.x;
    s->x[1] = r.y;
    s->v[0] = r.z;
    s->v[1] = r.w;
}

SHOAL_FN void keep_thermostat(local real4 *thermostat, const md_state *s)
{
    thermostat[s->n_evals & 1] = (real4)(s->x[0], s->x[1], s->v[0], s->v[1]);
}

/* With rigid bonds the atom in the middle of a star works for all of it: nobody else looks at what it reads and writes,
 * and the second parts of all coordinates are in global memory. */
#ifdef SHOAL_RIGID
#define RIGID_OR_NOT , RIGID_ARGUMENTS
#define LOW_IS_HERE(i, l) 0
#define IS_HELD(i) (rigid_atoms[sys.atom_start + (i)].x == RIGID_HELD)

/* Returns its bonds; 0: atom i is in the middle of none. */
SHOAL_FN int find_star(rigid_stars *b, int i, int first, global const int4 *held,
                       global const real4 *lengths, local const real4 *pos,
                       local const real4 *velocity, global const real4 *lows, int *atoms)
{
    const int n = rigid_load(b, i, held[first + i], lengths[first + i], atoms);
    for (int k = 0; k <= n; ++k) b->w[k][0] = velocity[atoms[k]].w;
    for (int k = 0; k < n; ++k) {
        const int j = atoms[k + 1];
        const v3 low = v3_sub(from4(lows[first + j]), from4(lows[first + i]));
        b->s[k] = rigid_from(v3_add(v3_sub(load3(pos, j), load3(pos, i)), low));
    }
    return n;
}
#define FIND_STAR(b, i)                                                                            \
    find_star(b, i, sys.atom_start, rigid_atoms, rigid_lengths, pos, dir, lows, star)

/* The forces on an atom in the middle and on those that it holds. */
SHOAL_FN void make_tangent(rigid_stars *b, const int *atoms, real close,
                           local const real4 *velocity, local real4 *force)
{
    rigid_block f[RIGID_MOST + 1], v[RIGID_MOST + 1];
    for (int k = 0; k <= b->most; ++k) {
        f[k] = rigid_from(load3(force, atoms[k]));
        v[k] = rigid_from(from4(velocity[atoms[k]]));
    }
    rigid_forces(b, v, &close, f);
    for (int k = 0; k <= b->most; ++k) store3(force, atoms[k], rigid_vector(&f[k]));
}
#define TANGENT_FORCES                                                                             \
    for (int i = l; i < t.n_points; i += WG) {                                                     \
        rigid_stars b;                                                                             \
        int star[RIGID_MOST + 1];                                                                  \
        if (FIND_STAR(&b, i) > 0) make_tangent(&b, star, close, dir, force);                       \
    }                                                                                              \
    barrier(CLK_LOCAL_MEM_FENCE);

SHOAL_FN void move_star(const md_state *s, const md_numbers *n, const md_move *m, real close,
                        rigid_stars *b, const int *atoms, int first, local const real4 *force,
                        local real4 *pos, local real4 *velocity, global real4 *lows)
{
    rigid_block v[RIGID_MOST + 1], f[RIGID_MOST + 1], move[RIGID_MOST + 1];
    for (int k = 0; k <= b->most; ++k) {
        v[k] = rigid_from(from4(velocity[atoms[k]]));
        f[k] = rigid_from(load3(force, atoms[k]));
    }
    md_move_star(s, n, m, close, b, atoms, f, v, move);
    for (int k = 0; k <= b->most; ++k) {
        const int i = atoms[k];
        v3 r = load3(pos, i), low = from4(lows[first + i]);
        md_drift(&r.x, &low.x, move[k].v[0][0]);
        md_drift(&r.y, &low.y, move[k].v[1][0]);
        md_drift(&r.z, &low.z, move[k].v[2][0]);
        velocity[i] = to4(rigid_vector(&v[k]), b->w[k][0]);
        pos[i] = to4(r, pos[i].w);
        lows[first + i] = to4(low, 0);
    }
}

#define MOVE_STAR(i)                                                                               \
    if (i < t.n_points) {                                                                          \
        rigid_stars b;                                                                             \
        int star[RIGID_MOST + 1];                                                                  \
        if (IS_HELD(i)) continue;                                                                  \
        if (FIND_STAR(&b, i) > 0) {                                                                \
            move_star(&s, &number, &m, close, &b, star, sys.atom_start, force, pos, dir, lows);    \
            continue;                                                                              \
        }                                                                                          \
    }
#elif defined(SHOAL_BODIES)
/* The same of rigid bodies and their first atoms. */
#define RIGID_OR_NOT , BODY_ARGUMENTS
#define LOW_IS_HERE(i, l) false
#define TANGENT_FORCES                                                                             \
    for (int i = l; i < t.n_points; i += WG)                                                       \
        if (body_is_first(&bodies, i))                                                             \
            body_push(&bodies, i, pos, lows + sys.atom_start, 1, force);                           \
    barrier(CLK_LOCAL_MEM_FENCE);
#define MOVE_STAR(i)                                                                               \
    if (i < t.n_points) {                                                                          \
        if (body_is_first(&bodies, i))                                                             \
            body_md_move(&bodies, i, &s, &number, &m, close, pos, lows + sys.atom_start, dir,      \
                         force);                                                                   \
        if (!body_is_free(&bodies, i)) continue;                                                   \
    }
#else
#define RIGID_OR_NOT
#define LOW_IS_HERE(i, l) ((i) == (l))
#define TANGENT_FORCES
#define MOVE_STAR(i)
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void group_md(
    DATA_ARGUMENTS, global real4 *velocities, global int *counters, global real *states,
    const int n_steps, global real4 *lows, MD_ARGUMENTS RIGID_OR_NOT)
{
    DATA_SETUP
    const md_numbers number = MD_NUMBERS;
#ifdef SHOAL_BODIES
    const body_tables bodies = BODY_TABLES(sys.atom_start);
#endif
    global int *ints = counters + STEP_INTS * sys.index;
    global real *reals = states + STEP_REALS * sys.index;
    local real4 *thermostat = red + RED_SIZE(WG) - 2;
    md_state s = md_load(ints, reals);
    v3 low = LOW_IS_HERE(l, l) && l < n ? from4(lows[sys.atom_start + l]) : v3_make(0, 0, 0);
    energies e;
    keep_thermostat(thermostat, &s);
    for (int i = l; i < n; i += WG) dir[i] = velocities[sys.atom_start + i];
    for (int step = 0; step < n_steps && s.outcome == STEP_GOING; ++step) {
        eval(&t, &data, &surface, pos, par, slot, force, &constants, &e);
        const real close = md_close(&s, &number);
        TANGENT_FORCES
        const md_sums sums = sum_atoms(n, close, md_open(&number), force, dir, red);
        recall(&s, ints, reals, thermostat);
        const md_move m = md_decide(&s, &sums, &number);
        if (m.go) keep_thermostat(thermostat, &s);
        for (int i = l; i < n && m.go; i += WG) {
            MOVE_STAR(i)
            real4 v = dir[i];
            v3 r = load3(pos, i), rest = LOW_IS_HERE(i, l) ? low : from4(lows[sys.atom_start + i]);
            MOVE_DIRECTION_OR(t, i)
            md_move_atom(&s, &number, &m, close, i, load3(force, i), &v, &r, &rest);
            dir[i] = v;
            pos[i] = to4(r, pos[i].w);
            if (LOW_IS_HERE(i, l))
                low = rest;
            else
                lows[sys.atom_start + i] = to4(rest, 0);
        }
    }
    ALL_HAVE_READ /* and the work-item of a star or body has moved its atoms */
        recall(&s, ints, reals, thermostat);
    for (int i = l; i < n; i += WG) {
        positions[sys.atom_start + i] = pos[i];
        velocities[sys.atom_start + i] = dir[i];
    }
    if (LOW_IS_HERE(l, l) && l < n) lows[sys.atom_start + l] = to4(low, 0);
    if (l == 0) md_save(ints, reals, &s);
}
