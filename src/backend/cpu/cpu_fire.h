/* SPDX-License-Identifier: BSD-3-Clause
 * FIRE over lanes: sums for kernels/step_fire.h, and the moves it decides on. Included by cpu_step.h. */

typedef struct LANE(fire_totals) {
    real ff[LANES], vv[LANES], fv[LANES], f2[LANES];
} LANE(fire_totals);

static void LANE(sum_fire)(const LANE(lanes) * s, const LANE(block) *restrict f,
                           LANE(fire_totals) * out)
{
    const LANE(block) *restrict v = s->v[VECTOR_D];
    LANE(block) ff = {0}, vv = {0}, fv = {0};
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) {
                const real a = f[i].v[c][l], b = v[i].v[c][l];
                ff.v[c][l] += a * a;
                vv.v[c][l] += b * b;
                fv.v[c][l] += a * b;
            }
        }
    for (int l = 0; l < LANES; ++l) {
        out->ff[l] = ff.v[0][l] + ff.v[1][l] + ff.v[2][l];
        out->vv[l] = vv.v[0][l] + vv.v[1][l] + vv.v[2][l];
        out->fv[l] = fv.v[0][l] + fv.v[1][l] + fv.v[2][l];
    }
}

/* Back along the last move, at rest. */
static void LANE(fire_go_back)(LANE(lanes) * s, int l, real move)
{
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) {
            s->v[VECTOR_X][i].v[c][l] -= move * s->v[VECTOR_D][i].v[c][l];
            s->v[VECTOR_D][i].v[c][l] = 0;
        }
}

static void LANE(fire_go)(LANE(lanes) * s, const LANE(block) *restrict f, const real keep[LANES],
                          const real push[LANES], const real move[LANES])
{
    LANE(block) *restrict x = s->v[VECTOR_X], *restrict v = s->v[VECTOR_D];
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) {
                const real to = keep[l] * v[i].v[c][l] + push[l] * f[i].v[c][l];
                const int go = move[l] != R(0.0);
                v[i].v[c][l] = go ? to : v[i].v[c][l];
                x[i].v[c][l] = go ? x[i].v[c][l] + move[l] * to : x[i].v[c][l];
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
    LANE(sum_fire)(s, f, &all);
    for (int l = 0; l < LANES; ++l) {
        if (!s->task[l]) continue;
        const fire_sums sums = {all.ff[l], all.vv[l], all.fv[l], all.f2[l]};
        const fire_move m = fire_decide(&s->fire[l], &sums, &s->limit);
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
    LANE(fire_go)(s, f, keep, push, move);
}
