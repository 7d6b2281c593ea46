/* SPDX-License-Identifier: BSD-3-Clause
 * L-BFGS, one system per work-group, many steps per launch, one evaluation per step. The preconditioner S
 * is a full matrix of the topology. The vectors lie in global memory, where every work-item touches its
 * own atoms only.
 *
 * A direction moves as any vector u along it (step_direction.h): the history has u, local memory u/|u|, and 1/|u| in
 * place of the fourth number, which says of atoms whether they move. Directions are uncoupled in S. */
#include "group.h"
#include "group_directions.h"
#include "step_state.h"

/* What the functions below work with. */
typedef struct workspace {
    int n;                   /* movers */
    int n_points;            /* among them */
    global const real *soft; /* S: [n_points][n_points], and the diagonal of directions */
    global real4 *history;   /* [LBFGS_VECTORS][n] */
    local real4 *pos, *force, *dir, *red;
    local real *dots;     /* shares of atoms in products, LBFGS_STRIDE(n) apart */
    local real *products; /* PRODUCT_ */
} workspace;

/* Vector v of the history of atom i of this system. */
#define HISTORY(v, i) w->history[(v)*w->n + (i)]
#define MOVE(k, i) HISTORY(k, i)
#define SOFT_CHANGE(k, i) HISTORY(LBFGS_PAIRS + (k), i) /* S times the change */
#define PLACE_X(i) HISTORY(2 * LBFGS_PAIRS, i)
#define FORCE_X(i) HISTORY(2 * LBFGS_PAIRS + 1, i)
#define SOFT_X(i) HISTORY(2 * LBFGS_PAIRS + 2, i) /* S times the force */

#define PARTS (WG / LBFGS_DOTS)

/* Rigid bodies: the work-item of the first atom works for all of one, whose rows nobody else touches between two
 * barriers. Where they are accepted is read in pos, in which everyone puts his own atoms before. */
#ifdef SHOAL_BODIES
#define BODY_ROWS local
#include "body_atoms.h"
#define BODIES_OR_NOT , BODY_ARGUMENTS
#define BODIES_SETUP const body_tables bodies = BODY_TABLES(sys.atom_start);
#define THE_BODIES , &bodies
#define AND_BODIES , const body_tables *bodies
#define PUSH_BODIES                                                                                \
    for (int i = l; i < t.n_points; i += WG)                                                       \
        if (body_is_first(&bodies, i)) body_push(&bodies, i, pos, 0, 0, force);                    \
    barrier(CLK_LOCAL_MEM_FENCE);
#define IN_BODY(i) (!body_is_free(&bodies, i))
#define TRY_BODIES                                                                                 \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                  \
    for (int i = l; i < t.n_points; i += WG)                                                       \
        if (body_is_first(&bodies, i)) try_body(&bodies, i, s.length, pos, dir);
/* The slope by places of atoms, of what accelerates them. */
#define WEIGH_BODIES(i, f)                                                                         \
    if (!body_is_free(bodies, i)) store3(w->force, i, v3_scale(body_share(bodies, i), f));
#define STIFFEN_BODIES longest2 = stiffen_bodies(w, fresh, bodies);

/* From the accepted place in pos to the trial point. */
SHOAL_FN void try_body(const body_tables *t, int i, real length, local real4 *pos,
                       local const real4 *dir)
{
    v3 turn;
    const body_place b = body_at(t, i, pos, 0);
    const body_motion v = body_sum(t, &b, dir, 1, &turn);
    const body_move move = body_spin(&v, length);
    for (int k = b.n - 1; k >= 0; --k) {
        const int j = body_atom(t, &b, k);
        v3 speed = load3(dir, j);
        pos[j] = to4(v3_add(load3(pos, j), body_go(t, &b, &move, pos, 0, k, &speed)), pos[j].w);
    }
}

/* Leaves of a fresh direction what bodies can do where they are accepted; the square of the longest vector of one's own
 * atoms. */
SHOAL_FN real stiffen_bodies(const workspace *w, int fresh, const body_tables *bodies)
{
    real longest2 = 0;
    v3 turn;
    for (int i = (int)get_local_id(0); i < w->n; i += WG) w->pos[i] = PLACE_X(i);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = (int)get_local_id(0); i < w->n_points; i += WG) {
        if (!fresh || !body_is_first(bodies, i)) continue;
        const body_place b = body_at(bodies, i, w->pos, 0);
        const body_motion v = body_sum(bodies, &b, w->dir, 1, &turn);
        body_spread(bodies, &b, &v, 0, w->dir);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = (int)get_local_id(0); i < w->n; i += WG) {
        const v3 d = load3(w->dir, i);
        longest2 = larger_size(longest2, v3_dot(d, d));
    }
    return longest2;
}
#else
#define BODIES_OR_NOT
#define BODIES_SETUP
#define THE_BODIES
#define AND_BODIES
#define PUSH_BODIES
#define IN_BODY(i) 0
#define TRY_BODIES
#define WEIGH_BODIES(i, f)
#define STIFFEN_BODIES
#endif

/* Row i of S times the forces; S is symmetric, so that neighbouring work-items read neighbouring
 * numbers. */
SHOAL_FN v3 precondition(const workspace *w, const int i)
{
    v3 sum = v3_make(0, 0, 0);
    if (IS_DIRECTION(w, i))
        return v3_scale(w->soft[w->n_points * w->n_points + i - w->n_points], load3(w->force, i));
    for (int j = 0; j < w->n_points; ++j)
        sum = v3_add(sum, v3_scale(w->soft[j * w->n_points + i], load3(w->force, j)));
    return sum;
}

/* Where mover i is to be tried: a move s from the accepted place x. */
SHOAL_FN real4 trial_place(const workspace *w, const int i, const real4 x, const v3 s)
{
    const v3 r = v3_add(from4(x), s);
#ifdef SHOAL_DIRECTIONS
    if (IS_DIRECTION(w, i)) {
        real inverse;
        const v3 p = direction_of(r, &inverse);
        return to4(p, inverse);
    }
#endif
    return to4(r, x.w);
}

/* The accepted place as others want it: of a direction, the unit vector. */
SHOAL_FN real4 accepted_place(const workspace *w, const int i)
{
    const real4 x = trial_place(w, i, PLACE_X(i), v3_make(0, 0, 0));
    return IS_DIRECTION(w, i) ? to4(from4(x), 1) : PLACE_X(i);
}

/* The pair of a step and its products atom by atom; if it was taken, the history has it. */
SHOAL_FN void take_step(const workspace *w, const int place, const real length, const int moved)
{
    const int stride = LBFGS_STRIDE(w->n);
    for (int i = (int)get_local_id(0); i < w->n; i += WG) {
        const v3 f = load3(w->force, i), s = v3_scale(length, load3(w->dir, i));
        const v3 sf = precondition(w, i);
        const v3 y = v3_sub(from4(FORCE_X(i)), f), sy = v3_sub(from4(SOFT_X(i)), sf);
        local real *dot = w->dots + i;
        for (int j = 0; j < LBFGS_PAIRS; ++j) {
            const v3 sj = j == place ? s : from4(MOVE(j, i));
            const v3 syj = j == place ? sy : from4(SOFT_CHANGE(j, i));
            real own[LBFGS_PAIR_DOTS];
            lbfgs_pair_dots(y, f, sj, syj, own);
            for (int k = 0; k < LBFGS_PAIR_DOTS; ++k)
                dot[stride * (LBFGS_PAIR_DOTS * j + k)] = own[k];
        }
        dot[stride * LBFGS_DOT_FSF] = v3_dot(f, sf);
        dot[stride * LBFGS_DOT_YY] = v3_dot(y, y);
        dot[stride * LBFGS_DOT_FF] = v3_dot(f, f);
        if (moved) {
            MOVE(place, i) = to4(s, 0);
            SOFT_CHANGE(place, i) = to4(sy, 0);
            PLACE_X(i) = IS_DIRECTION(w, i) ? to4(v3_add(from4(PLACE_X(i)), s), 1) : w->pos[i];
            FORCE_X(i) = to4(f, 0);
            SOFT_X(i) = to4(sf, 0);
        }
    }
}

/* Sums the products over the atoms, in parts, and puts them where they belong if the step was
 * taken. */
SHOAL_FN void sum_products(const workspace *w, const int place, const int moved)
{
    const int l = (int)get_local_id(0), c = l % LBFGS_DOTS, stride = LBFGS_STRIDE(w->n);
    local real *part = (local real *)w->red;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < PARTS * LBFGS_DOTS && c < LBFGS_N_DOTS) {
        real sum = 0;
        for (int i = l / LBFGS_DOTS; i < w->n; i += PARTS) sum += w->dots[stride * c + i];
        part[l] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < LBFGS_N_DOTS && moved) {
        real sum = part[l];
        for (int k = 1; k < PARTS; ++k) sum += part[LBFGS_DOTS * k + l];
        lbfgs_keep_product(l, place, sum, w->products);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* The next direction and the length of a step along it, which are left alone if the last step was
 * refused: then it is the same again, less far. */
SHOAL_FN void choose_direction(const workspace *w, lbfgs_state *s, const int step,
                               const step_limits *limit AND_BODIES)
{
    const int fresh = step != LBFGS_REFUSED;
    lbfgs_state next = *s;
    const lbfgs_coefficients c = lbfgs_direct(&next, step, w->products);
    real longest2 = 0;
    for (int i = (int)get_local_id(0); i < w->n; i += WG) {
        v3 d = v3_scale(c.of_soft, from4(SOFT_X(i)));
        for (int k = 0; k < LBFGS_PAIRS; ++k) {
            const v3 soft = from4(SOFT_CHANGE(k, i)), move = from4(MOVE(k, i));
            d = v3_add(d, v3_sub(v3_scale(lbfgs_get4(c.of_move, k), move),
                                 v3_scale(lbfgs_get4(c.of_change, k), soft)));
        }
        d = v3_add(d, v3_scale(c.of_force, from4(FORCE_X(i))));
        if (fresh) store3(w->dir, i, d);
        longest2 = larger_size(longest2, v3_dot(d, d));
    }
    STIFFEN_BODIES
    longest2 = group_combine((real4)(0, 0, 0, longest2), w->red).w;
    lbfgs_set_length(&next, longest2, limit);
    if (fresh) *s = next;
}

/* Energy, its size and the largest squared force of the group; forces that squares would not bear are
 * shortened. Those on directions become the gradient by u. */
SHOAL_FN lbfgs_sums sum_energy(const workspace *w, const energies *e AND_BODIES)
{
    const real pairs = e->of[ENERGY_VDW] * PAIR_VDW_SHARE, coulomb = R(0.5) * e->of[ENERGY_COULOMB];
    const real rest = e->of[ENERGY_RESTRAINT] + e->of[ENERGY_SURFACE];
    real bonded = 0;
#define ADD_BONDED(NAME, name, is_bonded)                                                          \
    if (is_bonded) bonded += e->of[ENERGY_##NAME];
    TERM_ENERGIES(ADD_BONDED)
#undef ADD_BONDED
    real4 sums =
        (real4)(bonded + pairs + coulomb + rest,
                real_abs(bonded) + real_abs(pairs) + real_abs(coulomb) + real_abs(rest), 0, 0);
    for (int i = (int)get_local_id(0); i < w->n; i += WG) {
        const v3 f = load_force(w->force, i);
        const real ff = v3_dot(f, f);
        sums.w = larger_size(sums.w, ff);
        if (IS_DIRECTION(w, i)) store3(w->force, i, v3_scale(w->pos[i].w, f));
        WEIGH_BODIES(i, f)
    }
    sums = group_combine(sums, w->red);
    const lbfgs_sums out = {sums.x, sums.y, sums.w};
    return out;
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void group_lbfgs(
    DATA_ARGUMENTS, global real4 *directions, global int *counters, global real *states,
    const int n_steps, const int max_steps, const real fmax2, global real4 *all_history,
    global const real *preconditioners, global real *all_products BODIES_OR_NOT)
{
    DATA_SETUP
    BODIES_SETUP
    const step_limits limit = {fmax2, states[STEP_REALS * sys.index + STEP_MAX_MOVE], max_steps};
    global real *kept = all_products + LBFGS_PRODUCTS * (size_t)sys.index;
    local real *products = (local real *)(slot + LBFGS_SLOTS(n, t.n_slots + n_particles - n));
    const workspace space = {n,
                             t.n_points,
                             preconditioners + sys.preconditioner,
                             all_history + LBFGS_VECTORS * (size_t)sys.atom_start,
                             pos,
                             force,
                             dir,
                             red,
                             (local real *)(slot + 1),
                             products};
    const workspace *w = &space;
    lbfgs_state s = lbfgs_load(counters + STEP_INTS * sys.index, states + STEP_REALS * sys.index);
    energies e;
    for (int k = l; k < LBFGS_PRODUCTS; k += WG) products[k] = kept[k];
    for (int i = l; i < n; i += WG) {
        dir[i] = directions[sys.atom_start + i];
        if (!IS_DIRECTION(w, i) || !s.started) PLACE_X(i) = pos[i];
    }
    for (int k = 0; k < n_steps && s.outcome == STEP_GOING; ++k) {
        for (int i = l; i < n; i += WG) {
            const real4 x = PLACE_X(i);
            pos[i] = IN_BODY(i) ? x : trial_place(w, i, x, v3_scale(s.length, load3(dir, i)));
        }
        TRY_BODIES
        eval(&t, &data, &surface, pos, par, slot, force, &constants, &e);
        PUSH_BODIES
        const lbfgs_sums sums = sum_energy(w, &e THE_BODIES);
        const real length = s.length;
        const int step = lbfgs_judge(&s, &sums, &limit), moved = step == LBFGS_TAKEN;
        take_step(w, s.place, length, moved);
        sum_products(w, s.place, moved);
        choose_direction(w, &s, step, &limit THE_BODIES);
    }
    ALL_HAVE_READ
    for (int i = l; i < n; i += WG) {
        positions[sys.atom_start + i] = accepted_place(w, i);
        directions[sys.atom_start + i] = dir[i];
    }
    for (int k = l; k < LBFGS_PRODUCTS; k += WG) kept[k] = products[k];
    if (l == 0) lbfgs_save(counters + STEP_INTS * sys.index, states + STEP_REALS * sys.index, &s);
}
