/* SPDX-License-Identifier: BSD-3-Clause
 * FIRE over lanes: sums for kernels/step_fire.h, and the moves it decides on. Included by cpu_step.h. */

typedef struct LANE(fire_totals) {
    real ff[LANES], vv[LANES], fv[LANES], f2[LANES];
} LANE(fire_totals);

static void LANE(sum_fire)(const LANE(lanes) * s, LANE(block) * forces, LANE(fire_totals) * out)
{
    FOR_PARTS (h) {
        const LANE(row) *f = LANE(rows)(forces, h), *v = LANE(rows)(s->v[VECTOR_D], h);
        LANE(row) ff = {0}, vv = {0}, fv = {0};
        FOR_ROWS (r, s->n) {
            ff += f[r] * f[r];
            vv += v[r] * v[r];
            fv += f[r] * v[r];
        }
        LANE(put_part)(out->ff, h, ff);
        LANE(put_part)(out->vv, h, vv);
        LANE(put_part)(out->fv, h, fv);
    }
}

/* The same with the weights that atoms of bodies have, and in the same order: without bodies they are 1. */
static void LANE(sum_fire_shares)(const LANE(lanes) * s, const LANE(block) * forces,
                                  LANE(fire_totals) * out)
{
    memset(out->ff, 0, sizeof out->ff);
    memset(out->vv, 0, sizeof out->vv);
    memset(out->fv, 0, sizeof out->fv);
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) {
                const real f = forces[i].v[c][l], v = s->v[VECTOR_D][i].v[c][l];
                out->ff[l] += s->share[i][l] * (f * f);
                out->vv[l] += s->share[i][l] * (v * v);
                out->fv[l] += s->share[i][l] * (f * v);
            }
        }
}

/* One direction along its great circle, by the time t; v goes with it. */
SHOAL_FN void LANE(turn_lane)(LANE(block) * p, LANE(block) * v, real t, int l)
{
    v3 to = LANE(get)(p, l), speed = LANE(get)(v, l);
    direction_turn(&to, &speed, t);
    LANE(put)(p, l, to);
    LANE(put)(v, l, speed);
}

/* Back along the last move, at rest. */
static void LANE(fire_go_back)(LANE(lanes) * s, int l, real move)
{
    if (s->steps->driver.bodies) LANE(return_bodies)(s, l, move);
    for (int32_t i = 0; i < s->n_points; ++i)
        for (int c = 0; c < 3; ++c) {
            s->v[VECTOR_X][i].v[c][l] -= move * s->v[VECTOR_D][i].v[c][l];
            s->v[VECTOR_D][i].v[c][l] = 0;
        }
    for (int32_t i = s->directions; i < s->directions + s->n_directions; ++i) {
        LANE(turn_lane)(&s->v[VECTOR_X][i], &s->v[VECTOR_D][i], -move, l);
        LANE(put)(&s->v[VECTOR_D][i], l, v3_make(0, 0, 0));
    }
}

SHOAL_FN void LANE(fire_turn)(LANE(block) * p, LANE(block) * v, const LANE(block) * f, real keep,
                              real push, real move, int l)
{
    const v3 old = LANE(get)(p, l), was = LANE(get)(v, l);
    v3 to = old, speed = v3_add(v3_scale(keep, was), v3_scale(push, LANE(get)(f, l)));
    direction_turn(&to, &speed, move);
    const bool go = move != R(0.0);
    LANE(put)(p, l, v3_make(go ? to.x : old.x, go ? to.y : old.y, go ? to.z : old.z));
    LANE(put)(v, l, v3_make(go ? speed.x : was.x, go ? speed.y : was.y, go ? speed.z : was.z));
}

static void LANE(fire_turn_all)(LANE(lanes) * s, const LANE(block) * forces, const real keep[LANES],
                                const real push[LANES], const real move[LANES])
{
    for (int32_t i = s->directions; i < s->directions + s->n_directions; ++i) {
        LANE(block) *p = &s->v[VECTOR_X][i], *v = &s->v[VECTOR_D][i];
        OVER_LANES
        for (int l = 0; l < LANES; ++l)
            LANE(fire_turn)(p, v, &forces[i], keep[l], push[l], move[l], l);
    }
}

static void LANE(fire_go)(LANE(lanes) * s, LANE(block) * forces, const real keep[LANES],
                          const real push[LANES], const real move[LANES])
{
    FOR_PARTS (h) {
        LANE(row) *x = LANE(rows)(s->v[VECTOR_X], h), *v = LANE(rows)(s->v[VECTOR_D], h);
        const LANE(row) *f = LANE(rows)(forces, h), by_keep = LANE(part)(keep, h);
        const LANE(row) by_push = LANE(part)(push, h), by = LANE(part)(move, h);
        const LANE(row_mask) go = ROW_MASK(by);
        FOR_ROWS (r, s->n_points) {
            const LANE(row) to = by_keep * v[r] + by_push * f[r];
            v[r] = ROW_SELECT(go, to, v[r]);
            x[r] = ROW_SELECT(go, x[r] + by * to, x[r]);
        }
    }
}

static void LANE(fire_round)(LANE(lanes) * s)
{
    LANE(block) *f = s->ft;
    LANE(fire_totals) all;
    real keep[LANES] = {0}, push[LANES] = {0}, move[LANES] = {0};
    LANE(evaluate)(s, s->v[VECTOR_X], f);
    LANE(largest2)(f, s->n, all.f2);
    if (LANE(bound_forces)(f, s->n, all.f2)) LANE(largest2)(f, s->n, all.f2);
    const bool bodies = s->steps->driver.bodies;
    if (bodies)
        LANE(sum_fire_shares)(s, f, &all);
    else
        LANE(sum_fire)(s, f, &all);
    for (int l = 0; l < LANES; ++l) {
        if (!s->task[l]) continue;
        const fire_sums sums = {all.ff[l], all.vv[l], all.fv[l], all.f2[l]};
        const fire_move m = fire_decide(&s->fire[l], &sums, &s->limit[l]);
        if (m.retreat) LANE(fire_go_back)(s, l, m.move);
        if (s->fire[l].outcome != STEP_GOING) {
            LANE(release)(s, l);
        } else if (!m.retreat) {
            keep[l] = m.keep;
            push[l] = m.push;
            move[l] = m.move;
            s->has_moved[l] = true;
        }
    }
    if (bodies) LANE(keep_places)(s, false);
    LANE(fire_go)(s, f, keep, push, move);
    LANE(fire_turn_all)(s, f, keep, push, move);
    if (bodies) LANE(slide_bodies)(s, move);
}
