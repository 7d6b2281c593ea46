/* SPDX-License-Identifier: BSD-3-Clause
 * Rigid bodies in dynamics over lanes. Included by cpu_md.h. */

/* Puts its atoms where they were, with the velocities after the kick. */
static void LANE(open_body)(const LANE(lanes) * s, const LANE(body) * b,
                            const LANE(md_factors) * by)
{
    const int l = b->l;
    for (int32_t k = 0; k < b->from->n; ++k) {
        const int32_t i = b->from->atoms[k];
        const v3 push = v3_scale(s->w[i].w[l], LANE(get)(&s->ft[i], l));
        const v3 now = v3_add(LANE(get)(&s->whole[i], l), v3_scale(by->close[l], push));
        LANE(put)
        (&s->v[VECTOR_D][i], l, v3_add(v3_scale(by->scale[l], now), v3_scale(by->open[l], push)));
        LANE(put)(&s->v[VECTOR_X][i], l, LANE(get)(&s->trial[i], l));
        if (s->v[VECTOR_LOW]) LANE(put)(&s->v[VECTOR_LOW][i], l, LANE(get)(&s->change[i], l));
    }
}

static void LANE(fly_body)(const LANE(lanes) * s, int l, int32_t m, real time)
{
    const LANE(places) at = {s->v[VECTOR_X], s->v[VECTOR_LOW]};
    v3 turn;
    const LANE(body) b = LANE(find_body)(s, l, m, at);
    const body_motion v = LANE(body_sum)(&b, s->v[VECTOR_D], true, &turn);
    const body_move move = body_fly(&b.numbers, &b.axes, &v, turn, time);
    LANE(carry_body)(s, &b, &move, at, at, s->v[VECTOR_D], true);
}

/* Langevin's thermostat: of the noise of all atoms, what is a motion of the body. */
static void LANE(stir_body)(const LANE(lanes) * s, int l, int32_t m, const LANE(md_factors) * by)
{
    const LANE(places) at = {s->v[VECTOR_X], s->v[VECTOR_LOW]};
    const LANE(body) b = LANE(find_body)(s, l, m, at);
    v3 turn;
    for (int32_t k = 0; k < b.from->n; ++k) {
        const int32_t i = b.from->atoms[k];
        LANE(put)
        (&s->soft[i], l, v3_scale(by->noise[l] * s->w[i].root[l], LANE(get)(&s->soft[i], l)));
    }
    const body_motion noise = LANE(body_sum)(&b, s->soft, true, &turn);
    for (int32_t k = 0; k < b.from->n; ++k) {
        LANE(block) *v = &s->v[VECTOR_D][b.from->atoms[k]];
        const v3 kept = v3_scale(s->numbers.keep, LANE(get)(v, l));
        LANE(put)(v, l, v3_add(kept, body_velocity(&noise, LANE(body_arm)(&b, k))));
    }
}

/* After all atoms moved: those of bodies do as they should. */
static void LANE(fly_bodies)(const LANE(lanes) * s, const LANE(md_factors) * by, bool stirred)
{
    const LANE(places) at = {s->trial, s->v[VECTOR_LOW] ? s->change : NULL};
    for (int l = 0; l < LANES; ++l)
        for (int32_t m = 0; m < LANE(count_bodies)(s, l); ++m) {
            const LANE(body) b = LANE(find_body)(s, l, m, at);
            LANE(open_body)(s, &b, by);
            LANE(fly_body)(s, l, m, stirred ? R(0.5) * by->dt[l] : by->dt[l]);
            if (!stirred) continue;
            LANE(stir_body)(s, l, m, by);
            LANE(fly_body)(s, l, m, R(0.5) * by->dt[l]);
        }
}
