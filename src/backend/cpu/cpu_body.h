/* SPDX-License-Identifier: BSD-3-Clause
 * Rigid bodies of the systems in lanes, by kernels/step_body.h: one body of one lane at a time, as hardly any two are alike.
 * Included by cpu_step.h. */

/* A body where it is. */
typedef struct LANE(body) {
    const backend_body *from;
    int l; /* its lane */
    body_numbers numbers;
    body_axes axes;
    v3 first; /* its first atom from the centre */
} LANE(body);

/* Rows that a body is looked for in: coordinates, and their second parts, which may be NULL. */
typedef struct LANE(places) {
    LANE(block) * x, *low;
} LANE(places);

SHOAL_FN v3 LANE(vector_of)(const double r[3])
{
    return v3_make((real)r[0], (real)r[1], (real)r[2]);
}

static int32_t LANE(count_bodies)(const LANE(lanes) * s, int l)
{
    return s->task[l] && s->task[l]->bodies ? s->task[l]->bodies->n : 0;
}

/* Where atom k of a body is from its first one. Coordinates of a large system are moves away from the start. */
static v3 LANE(body_apart)(const LANE(lanes) * s, const LANE(body) * b, LANE(places) at, int32_t k)
{
    const int32_t i = b->from->atoms[k], j = b->from->atoms[0];
    v3 d = v3_sub(LANE(get)(&at.x[i], b->l), LANE(get)(&at.x[j], b->l));
    if (at.low) d = v3_add(d, v3_sub(LANE(get)(&at.low[i], b->l), LANE(get)(&at.low[j], b->l)));
    if (!s->source->field) return d;
    const cpu_task *task = s->task[b->l];
    const double(*start)[3] = (const double(*)[3])((const saved *)*task->saved)->start;
    double off[3];
    for (int c = 0; c < 3; ++c) {
        off[c] = start[i][c] - start[j][c];
        for (int m = 0; m < 3 && b->from->shifts; ++m)
            off[c] += b->from->shifts[k][m] * task->system->cell[m][c];
    }
    return v3_add(d, LANE(vector_of)(off));
}

/* Body m of lane l. */
static LANE(body) LANE(find_body)(const LANE(lanes) * s, int l, int32_t m, LANE(places) at)
{
    const backend_body *from = &s->task[l]->bodies->of[m];
    LANE(body) b = {.from = from, .l = l};
    b.numbers.per_mass = (real)from->per_mass;
    b.numbers.per_moment = LANE(vector_of)(from->per_moment);
    for (int k = 0; k < 3; ++k) b.numbers.frame[k] = LANE(vector_of)(from->frame[k]);
    const v3 second = LANE(body_apart)(s, &b, at, 1);
    b.axes = body_find(&b.numbers, second,
                       body_is_linear(&b.numbers) ? second : LANE(body_apart)(s, &b, at, 2));
    b.first = body_out(&b.axes, LANE(vector_of)(from->shape[0]));
    return b;
}

/* Atom k from the centre. */
SHOAL_FN v3 LANE(body_arm)(const LANE(body) * b, int32_t k)
{
    return body_out(&b->axes, LANE(vector_of)(b->from->shape[k]));
}

/* What follows from vectors of its atoms: forces, or with weights velocities; *turn: the sum of r x f. */
static body_motion LANE(body_sum)(const LANE(body) * b, const LANE(block) * rows, bool weighted,
                                  v3 *turn)
{
    v3 sum = v3_make(0, 0, 0);
    *turn = sum;
    for (int32_t k = 0; k < b->from->n; ++k) {
        v3 f = LANE(get)(&rows[b->from->atoms[k]], b->l);
        if (weighted) f = v3_scale((real)b->from->weights[k], f);
        sum = v3_add(sum, f);
        *turn = v3_add(*turn, v3_cross(LANE(body_arm)(b, k), f));
    }
    return body_motion_of(&b->numbers, &b->axes, sum, *turn);
}

/* Vectors of the atoms that are a motion of the body, scaled by their weights where that is asked for. */
static void LANE(body_spread)(const LANE(body) * b, const body_motion *m, bool weighted,
                              LANE(block) * rows)
{
    for (int32_t k = 0; k < b->from->n; ++k) {
        const v3 v = body_velocity(m, LANE(body_arm)(b, k));
        LANE(put)
        (&rows[b->from->atoms[k]], b->l, weighted ? v3_scale((real)b->from->weights[k], v) : v);
    }
}

/* Moves its atoms from where they are to places in `to`; v: their velocities, which go with them if turns is set. */
static void LANE(carry_body)(const LANE(lanes) * s, const LANE(body) * b, const body_move *m,
                             LANE(places) at, LANE(places) to, LANE(block) * v, bool turns)
{
    for (int32_t k = b->from->n - 1; k >= 0; --k) { /* the first comes last: all look at it */
        const int32_t i = b->from->atoms[k];
        const v3 arm = LANE(body_arm)(b, k);
        const v3 off = v3_sub(v3_sub(arm, b->first), LANE(body_apart)(s, b, at, k));
        v3 x = LANE(get)(&at.x[i], b->l), speed = LANE(get)(&v[i], b->l);
        const v3 go = body_carry(m, arm, off, &speed);
        if (at.low) {
            v3 low = LANE(get)(&at.low[i], b->l);
            md_drift(&x.x, &low.x, go.x);
            md_drift(&x.y, &low.y, go.y);
            md_drift(&x.z, &low.z, go.z);
            LANE(put)(&to.low[i], b->l, low);
        } else {
            x = v3_add(x, go);
        }
        LANE(put)(&to.x[i], b->l, x);
        if (turns) LANE(put)(&v[i], b->l, speed);
    }
}

/* --- all bodies ----------------------------------------------------------------------------------- */

/* After an evaluation. In relaxations an atom gets what accelerates it, and so the whole force on the body. */
static void LANE(push_bodies)(const LANE(lanes) * s, LANE(block) * x, LANE(block) * force)
{
    const bool dynamics = s->steps->driver.md;
    const LANE(places) at = {x, dynamics ? s->v[VECTOR_LOW] : NULL};
    v3 turn;
    for (int l = 0; l < LANES; ++l)
        for (int32_t m = 0; m < LANE(count_bodies)(s, l); ++m) {
            const LANE(body) b = LANE(find_body)(s, l, m, at);
            const body_motion push = LANE(body_sum)(&b, force, false, &turn);
            LANE(body_spread)(&b, &push, dynamics, force);
        }
}

/* Weights of the atoms of a lane in sums. */
static void LANE(weigh_bodies)(LANE(lanes) * s, int l)
{
    for (int32_t i = 0; i < s->most; ++i) s->share[i][l] = R(1.0);
    for (int32_t m = 0; m < LANE(count_bodies)(s, l); ++m) {
        const backend_body *b = &s->task[l]->bodies->of[m];
        for (int32_t k = 0; k < b->n; ++k) s->share[b->atoms[k]][l] = (real)b->weights[k];
    }
}

/* Where all atoms are before they move as if they were free; all: with second parts and velocities. */
static void LANE(keep_places)(const LANE(lanes) * s, bool all)
{
    const size_t size = (size_t)s->n_points * sizeof(LANE(block));
    memcpy(s->trial, s->v[VECTOR_X], size);
    if (!all) return;
    if (s->v[VECTOR_LOW]) memcpy(s->change, s->v[VECTOR_LOW], size);
    memcpy(s->whole, s->v[VECTOR_D], size);
}

/* --- FIRE ----------------------------------------------------------------------------------------- */

/* By the velocities that they have now, from where they were kept. */
static void LANE(slide_bodies)(const LANE(lanes) * s, const real time[LANES])
{
    const LANE(places) at = {s->trial, NULL}, to = {s->v[VECTOR_X], NULL};
    v3 turn;
    for (int l = 0; l < LANES; ++l)
        for (int32_t m = 0; m < LANE(count_bodies)(s, l) && time[l] != R(0.0); ++m) {
            const LANE(body) b = LANE(find_body)(s, l, m, at);
            const body_motion v = LANE(body_sum)(&b, s->v[VECTOR_D], true, &turn);
            const body_move move = body_spin(&v, time[l]);
            LANE(carry_body)(s, &b, &move, at, to, s->v[VECTOR_D], true);
        }
}

/* Back along the last move of a lane, at rest. */
static void LANE(return_bodies)(const LANE(lanes) * s, int l, real time)
{
    const LANE(places) at = {s->v[VECTOR_X], NULL};
    const body_motion rest = {{0, 0, 0}, {0, 0, 0}};
    v3 turn;
    for (int32_t m = 0; m < LANE(count_bodies)(s, l); ++m) {
        const LANE(body) b = LANE(find_body)(s, l, m, at);
        const body_motion v = LANE(body_sum)(&b, s->v[VECTOR_D], true, &turn);
        const body_move move = body_spin(&v, -time);
        LANE(carry_body)(s, &b, &move, at, at, s->v[VECTOR_D], false);
        LANE(body_spread)(&b, &rest, false, s->v[VECTOR_D]);
    }
}

/* --- L-BFGS --------------------------------------------------------------------------------------- */

/* To the trial points. */
static void LANE(propose_bodies)(const LANE(lanes) * s, const real length[LANES])
{
    const LANE(places) at = {s->v[VECTOR_X], NULL}, to = {s->trial, NULL};
    v3 turn;
    for (int l = 0; l < LANES; ++l)
        for (int32_t m = 0; m < LANE(count_bodies)(s, l); ++m) {
            const LANE(body) b = LANE(find_body)(s, l, m, at);
            const body_motion v = LANE(body_sum)(&b, s->v[VECTOR_D], true, &turn);
            const body_move move = body_spin(&v, length[l]);
            LANE(carry_body)(s, &b, &move, at, to, s->v[VECTOR_D], false);
        }
}

/* The slope of the energy by places of atoms, of what accelerates them. */
static void LANE(divide_by_atoms)(const LANE(lanes) * s, LANE(block) * force)
{
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) force[i].v[c][l] *= s->share[i][l];
        }
}

/* Leaves of a direction what bodies can do. */
static void LANE(stiffen)(const LANE(lanes) * s, LANE(block) * d)
{
    const LANE(places) at = {s->v[VECTOR_X], NULL};
    v3 turn;
    for (int l = 0; l < LANES; ++l)
        for (int32_t m = 0; m < LANE(count_bodies)(s, l); ++m) {
            const LANE(body) b = LANE(find_body)(s, l, m, at);
            const body_motion v = LANE(body_sum)(&b, d, true, &turn);
            LANE(body_spread)(&b, &v, false, d);
        }
}
