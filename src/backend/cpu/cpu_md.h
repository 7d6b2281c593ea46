/* SPDX-License-Identifier: BSD-3-Clause
 * Dynamics over lanes: sums for kernels/step_md.h, and the moves it decides on. Included by cpu_step.h. What an idle
 * lane holds is not looked at. */

/* What the atoms of every lane move by; zero in idle ones. */
typedef struct LANE(md_factors) {
    real close[LANES], open[LANES], scale[LANES], dt[LANES], noise[LANES];
    int step[LANES]; /* of the random numbers, and their keys */
    random_word key0[LANES], key1[LANES];
} LANE(md_factors);

typedef struct LANE(md_totals) {
    real kinetic2[LANES], v2[LANES];
} LANE(md_totals);

#include "backend/cpu/cpu_rigid.h"

#include "backend/cpu/cpu_body_md.h"

SHOAL_FN void LANE(md_sum_atom)(const LANE(weights) * w, const LANE(block) * v,
                                const LANE(block) * f, const LANE(md_factors) * by,
                                LANE(md_totals) * sum, int l)
{
    const v3 push = v3_scale(w->w[l], LANE(get)(f, l));
    const v3 now = v3_add(LANE(get)(v, l), v3_scale(by->close[l], push));
    const v3 next = v3_add(now, v3_scale(by->open[l], push));
    const real next2 = v3_dot(next, next);
    sum->kinetic2[l] += w->mass[l] * v3_dot(now, now);
    sum->v2[l] = real_max(sum->v2[l], next2);
}

static void LANE(md_sum)(const LANE(lanes) * s, const LANE(md_factors) * by, LANE(md_totals) * sum)
{
    memset(sum, 0, sizeof *sum);
    for (int32_t i = 0; i < s->n; ++i) {
        OVER_LANES
        for (int l = 0; l < LANES; ++l)
            LANE(md_sum_atom)(&s->w[i], &s->v[VECTOR_D][i], &s->ft[i], by, sum, l);
    }
}

/* Counters of the random words of an atom in all lanes, or of as many atoms in one. */
static void LANE(md_count)(const LANE(md_factors) * by, int32_t i, random_lanes *c)
{
    for (int k = 0; k < SHOAL_LANES; ++k) {
        const int l = k % LANES;
        c->w[0][k] = (random_word)(i + k / LANES);
        c->w[1][k] = (random_word)by->step[l];
        c->w[2][k] = by->key0[l];
        c->w[3][k] = by->key1[l];
    }
}

/* Normal numbers for all atoms, those of md_noise, SHOAL_LANES at a time; there is room beyond the last atom. Loops apart
 * leave processors more to do at a time. */
static void LANE(md_draw)(const LANE(lanes) * s, const LANE(md_factors) * by)
{
    enum { N_ATOMS = SHOAL_LANES / LANES };
    const md_numbers *n = &s->numbers;
    const random_keys keys = random_spread_keys(n->seed0, n->seed1 + RANDOM_LANGEVIN);
    const random_word next = N_ATOMS;
    const int32_t n_sets = (s->n + N_ATOMS - 1) / N_ATOMS;
    const int32_t jump = LANES > 1 && s->n_directions > 0 ? s->directions : -1;
    random_lanes c;
    LANE(md_count)(by, 0, &c);
    for (int32_t j = 0; j < n_sets; ++j) {
        if (j == jump) /* directions are counted on from a system's own atoms */
            for (int l = 0; l < LANES; ++l) c.w[0][l] = (random_word)s->own_points[l];
        random_make_lanes(&c, &keys, &s->words[j]);
        for (int k = 0; k < SHOAL_LANES; ++k) c.w[0][k] += next;
    }
    for (int32_t j = 0; j < n_sets; ++j) {
        LANE(block) *to = &s->soft[j * N_ATOMS];
#if LANES > 1
        random_normal_lanes(&s->words[j], to->v);
#else
        real g[3][SHOAL_LANES];
        random_normal_lanes(&s->words[j], g);
        for (int k = 0; k < SHOAL_LANES; ++k)
            LANE(put)(&to[k], 0, v3_make(g[0][k], g[1][k], g[2][k]));
#endif
    }
}

/* One component of an atom. */
SHOAL_FN void LANE(md_go_along)(const LANE(lanes) * s, const LANE(md_factors) * by, int32_t i,
                                int c, bool stirred, int l)
{
    real *x = &s->v[VECTOR_X][i].v[c][l], *v = &s->v[VECTOR_D][i].v[c][l];
    const real push = s->w[i].w[l] * s->ft[i].v[c][l];
    const real next = by->scale[l] * (*v + by->close[l] * push) + by->open[l] * push;
    real last = next, move = by->dt[l] * next;
    if (stirred) {
        last = s->numbers.keep * next + by->noise[l] * s->w[i].root[l] * s->soft[i].v[c][l];
        move = R(0.5) * by->dt[l] * (next + last);
    }
    if (sizeof(real) == 4)
        md_drift(x, &s->v[VECTOR_LOW][i].v[c][l], move);
    else
        *x += move;
    *v = last;
}

/* A direction in one lane; two half turns with a stirred velocity between them. */
SHOAL_FN void LANE(md_turn_lane)(const LANE(weights) * w, LANE(block) * p, LANE(block) * v,
                                 const LANE(block) * f, const LANE(block) * noise, real keep,
                                 const LANE(md_factors) * by, bool stirred, int l)
{
    const v3 push = v3_scale(w->w[l], LANE(get)(f, l));
    const v3 now = v3_add(LANE(get)(v, l), v3_scale(by->close[l], push));
    v3 to = LANE(get)(p, l),
       next = v3_add(v3_scale(by->scale[l], now), v3_scale(by->open[l], push));
    if (stirred) {
        direction_turn(&to, &next, R(0.5) * by->dt[l]);
        const v3 stir = v3_scale(by->noise[l] * w->root[l], LANE(get)(noise, l));
        next = v3_add(v3_scale(keep, next), direction_tangent(stir, to));
        direction_turn(&to, &next, R(0.5) * by->dt[l]);
    } else {
        direction_turn(&to, &next, by->dt[l]);
    }
    LANE(put)(p, l, to);
    LANE(put)(v, l, next);
}

SHOAL_FN void LANE(md_turn)(const LANE(lanes) * s, const LANE(md_factors) * by, bool stirred)
{
    for (int32_t i = s->directions; i < s->directions + s->n_directions; ++i) {
        LANE(block) *p = &s->v[VECTOR_X][i], *v = &s->v[VECTOR_D][i];
        const LANE(block) *noise = stirred ? &s->soft[i] : NULL;
        OVER_LANES
        for (int l = 0; l < LANES; ++l) LANE(md_turn_lane)
        (&s->w[i], p, v, &s->ft[i], noise, s->numbers.keep, by, stirred, l);
    }
}

SHOAL_FN void LANE(md_go)(const LANE(lanes) * s, const LANE(md_factors) * by, bool stirred)
{
    for (int32_t i = 0; i < s->n_points; ++i)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) LANE(md_go_along)(s, by, i, c, stirred, l);
        }
    LANE(md_turn)(s, by, stirred);
}

/* What a lane moves by, if it does. */
static void LANE(md_ask)(LANE(lanes) * s, int l, const LANE(md_totals) * sum, LANE(md_factors) * by)
{
    md_state *own = &s->md[l];
    /* A force that is not finite shows in the kinetic energy. */
    const md_sums sums = {sum->kinetic2[l], sum->v2[l], R(0.0)};
    const md_move m = md_decide(own, &sums, &s->numbers);
    by->scale[l] = m.scale;
    by->noise[l] = m.noise;
    by->dt[l] = s->numbers.dt;
    by->step[l] = own->n_evals;
    by->key0[l] = own->key0;
    by->key1[l] = own->key1;
    s->has_moved[l] |= m.go;
    if (m.go) return;
    LANE(release)(s, l);
    by->close[l] = by->open[l] = by->scale[l] = by->dt[l] = R(0.0);
}

static void LANE(md_round)(LANE(lanes) * s)
{
    LANE(md_factors) by = {0};
    LANE(md_totals) sum;
    const bool rigid = s->steps->driver.md->rigid;
    LANE(evaluate)(s, s->v[VECTOR_X], s->ft);
    for (int l = 0; l < LANES; ++l) {
        if (!s->task[l]) continue;
        by.close[l] = md_close(&s->md[l], &s->numbers);
        by.open[l] = md_open(&s->numbers);
    }
    if (rigid) LANE(rigid_tangent)(s, by.close);
    LANE(md_sum)(s, &by, &sum);
    for (int l = 0; l < LANES; ++l)
        if (s->task[l]) LANE(md_ask)(s, l, &sum, &by);
    const bool stirred = s->numbers.thermostat == MD_LANGEVIN;
    const bool bodies = s->steps->driver.bodies;
    if (rigid || bodies) LANE(keep_places)(s, true);
    if (stirred) {
        LANE(md_draw)(s, &by);
        LANE(md_go)(s, &by, true);
    } else {
        LANE(md_go)(s, &by, false);
    }
    if (rigid) LANE(rigid_moves)(s, &by, stirred);
    if (bodies) LANE(fly_bodies)(s, &by, stirred);
}
