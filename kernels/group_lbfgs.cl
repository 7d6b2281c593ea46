/* SPDX-License-Identifier: BSD-3-Clause
 * Relaxation by L-BFGS with a limit on every move and backtracking on the energy, one system per
 * work-group, many steps per launch, one evaluation per step. S is a full matrix of the
 * topology. The vectors lie in global memory, where every work-item touches its own atoms only. */
#include "group.h"
#include "lbfgs.h"

/* What the functions below work with. */
typedef struct workspace {
    int n;
    global const real *softness; /* S: [n][n] */
    global real4 *history;       /* [LBFGS_VECTORS][n] */
    local real4 *pos, *force, *dir, *red;
    local real *dots;     /* shares of atoms in products, LBFGS_STRIDE(n) apart */
    local real *products; /* PRODUCT_ */
} workspace;

/* Vector v of the history of atom i of this system. */
#define HISTORY(v, i) w->history[(v)*w->n + (i)]
#define MOVE(k, i) HISTORY(k, i)
#define CHANGE(k, i) HISTORY(LBFGS_PAIRS + (k), i)
#define SOFT_CHANGE(k, i) HISTORY(2 * LBFGS_PAIRS + (k), i) /* S times it */
#define PLACE_X(i) HISTORY(3 * LBFGS_PAIRS, i)
#define FORCE_X(i) HISTORY(3 * LBFGS_PAIRS + 1, i)
#define SOFT_X(i) HISTORY(3 * LBFGS_PAIRS + 2, i) /* S times the force */

#define PARTS (WG / LBFGS_DOTS)

/* Row i of S times the forces; S is symmetric, so that neighbouring work-items read neighbouring
 * numbers. */
SHOAL_FN v3 soften(const workspace *w, const int i)
{
    v3 sum = v3_make(0, 0, 0);
    for (int j = 0; j < w->n; ++j)
        sum = v3_add(sum, v3_scale(w->softness[j * w->n + i], load3(w->force, j)));
    return sum;
}

/* The pair of a step and its products atom by atom; if it was taken, the history has it. */
SHOAL_FN void take_step(const workspace *w, const int place, const real length, const int moved)
{
    const int stride = LBFGS_STRIDE(w->n);
    for (int i = (int)get_local_id(0); i < w->n; i += WG) {
        const v3 f = load3(w->force, i), s = v3_scale(length, load3(w->dir, i));
        const v3 sf = soften(w, i);
        const v3 y = v3_sub(from4(FORCE_X(i)), f), sy = v3_sub(from4(SOFT_X(i)), sf);
        local real *dot = w->dots + i;
        for (int j = 0; j < LBFGS_PAIRS; ++j) {
            const v3 sj = j == place ? s : from4(MOVE(j, i));
            const v3 yj = j == place ? y : from4(CHANGE(j, i));
            const v3 syj = j == place ? sy : from4(SOFT_CHANGE(j, i));
            real five[5];
            pair_dots(s, y, f, sj, yj, syj, five);
            for (int k = 0; k < 5; ++k) dot[stride * (5 * j + k)] = five[k];
        }
        dot[stride * DOT_FSF] = v3_dot(f, sf);
        dot[stride * DOT_YY] = v3_dot(y, y);
        dot[stride * DOT_FF] = v3_dot(f, f);
        if (moved) {
            MOVE(place, i) = to4(s, 0);
            CHANGE(place, i) = to4(y, 0);
            SOFT_CHANGE(place, i) = to4(sy, 0);
            PLACE_X(i) = w->pos[i];
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
    if (l < PARTS * LBFGS_DOTS && c < N_DOTS) {
        real sum = 0;
        for (int i = l / LBFGS_DOTS; i < w->n; i += PARTS) sum += w->dots[stride * c + i];
        part[l] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < N_DOTS && moved) {
        real sum = part[l];
        for (int k = 1; k < PARTS; ++k) sum += part[LBFGS_DOTS * k + l];
        keep_product(l, place, sum, w->products);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* The next direction and the length of a step along it, which are left alone if the last step was
 * refused: then it is the same again, less far. */
SHOAL_FN void choose_direction(const workspace *w, relaxation *r, curvature *c, const int step,
                               const real max_move)
{
    local const real *products = w->products;
    const curvature forgotten = NO_CURVATURE;
    const int fresh = step != STEP_REFUSED;
    real4 a, b;
    real longest = 0;
    if (step == STEP_TAKEN) measure(c, r->place, r->n_evals == 1, products);
    if (step == STEP_RESTART) *c = forgotten;
    real along = two_loop(c, r->place, (local const real4 *)products, &a, &b);
    const int plain = fresh && !(along < 0); /* not downhill */
    if (plain) {
        *c = forgotten;
        along = -PLAIN_STEP * products[PRODUCT_FSF + DOT_FF - DOT_FSF];
    }
    for (int i = (int)get_local_id(0); i < w->n; i += WG) {
        v3 d = v3_scale(c->gamma, from4(SOFT_X(i)));
        for (int k = 0; k < LBFGS_PAIRS; ++k) {
            const v3 soft = from4(SOFT_CHANGE(k, i)), move = from4(MOVE(k, i));
            d = v3_add(d, v3_sub(v3_scale(get4(b, k), move), v3_scale(get4(a, k), soft)));
        }
        if (plain) d = v3_scale(PLAIN_STEP, from4(FORCE_X(i)));
        if (fresh) store3(w->dir, i, d);
        longest = real_max(longest, v3_dot(d, d));
    }
    longest = real_sqrt(group_combine((real4)(0, 0, 0, longest), w->red).w);
    r->slope = fresh ? along : r->slope;
    r->length = !fresh ? r->length : longest > max_move ? max_move / longest : R(1.0);
}

/* Energy (x) and largest squared force (w) of the group; forces that squares would not bear are
 * shortened. */
SHOAL_FN real4 sum_energy(const workspace *w, const energies *e)
{
    const real pairs = e->vdw * R(0.04166666666666666667) + R(0.5) * e->coulomb;
    const real bonded = e->bond + e->angle + e->torsion + e->inversion;
    real4 sums = (real4)(bonded + pairs + e->restraint + e->surface, 0, 0, 0);
    for (int i = (int)get_local_id(0); i < w->n; i += WG) {
        const v3 f = load_force(w->force, i);
        const real ff = v3_dot(f, f);
        sums.w = real_max(sums.w, ff) + (ff - ff);
    }
    return group_combine(sums, w->red);
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void group_lbfgs(
    DATA_ARGUMENTS, global real4 *directions, global real *states, const int n_steps,
    const int max_steps, const real fmax2, const real max_move, global real4 *all_history,
    global const real *softness, global real *all_products)
{
    DATA_SETUP
    global real *state = states + LAYOUT_STATE * sys.index;
    global real *kept = all_products + LBFGS_PRODUCTS * (size_t)sys.index;
    local real *products = (local real *)(slot + LBFGS_SLOTS(n, t.n_slots));
    const workspace space = {n,
                             softness + sys.softness,
                             all_history + LBFGS_VECTORS * (size_t)sys.atom_start,
                             pos,
                             force,
                             dir,
                             red,
                             (local real *)(slot + 1),
                             products};
    const workspace *w = &space;
    relaxation r = load_relaxation(state);
    curvature c = {state[STATE_MIXING], vload4(0, state + STATE_RHO)};
    energies e;
    for (int k = l; k < LBFGS_PRODUCTS; k += WG) products[k] = kept[k];
    for (int i = l; i < n; i += WG) {
        dir[i] = directions[sys.atom_start + i];
        PLACE_X(i) = pos[i];
    }
    for (int k = 0; k < n_steps && r.outcome == RELAX_GOING; ++k) {
        for (int i = l; i < n; i += WG) {
            const real4 x = PLACE_X(i);
            pos[i] = to4(v3_add(from4(x), v3_scale(r.length, load3(dir, i))), x.w);
        }
        eval(&t, &data, &surface, pos, par, slot, force, damping2, &e);
        const real4 sums = sum_energy(w, &e);
        const real length = r.length;
        const int step = judge(&r, sums.x, sums.w, fmax2, max_steps), moved = step == STEP_TAKEN;
        take_step(w, r.place, length, moved);
        sum_products(w, r.place, moved);
        choose_direction(w, &r, &c, step, max_move);
    }
    for (int i = l; i < n; i += WG) {
        positions[sys.atom_start + i] = PLACE_X(i);
        forces[sys.atom_start + i] = FORCE_X(i);
        directions[sys.atom_start + i] = dir[i];
    }
    for (int k = l; k < LBFGS_PRODUCTS; k += WG) kept[k] = products[k];
    if (l == 0) {
        save_relaxation(state, &r);
        state[STATE_MIXING] = c.gamma;
        vstore4(c.rho, 0, state + STATE_RHO);
    }
}
