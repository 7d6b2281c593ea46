/* SPDX-License-Identifier: BSD-3-Clause
 * Dynamics: how a system comes into a lane and goes out of it. Included by cpu_step.h. */

static void LANE(md_masses)(LANE(lanes) * s, int l, const cpu_task *task)
{
    const bool *fixed = task->system->fixed;
    for (int32_t i = 0; i < s->most; ++i) s->w[i].w[l] = s->w[i].root[l] = s->w[i].mass[l] = 0;
    for (int32_t i = 0; i < s->own_n[l]; ++i) {
        LANE(weights) *to = &s->w[LANE(row_of)(s, i, l)];
        const bool moves = !(fixed && fixed[i]) && task->bath->masses[i] > 0;
        const double w = moves ? ACCELERATION / task->bath->masses[i] : 0;
        to->w[l] = (real)w;
        to->root[l] = (real)sqrt(w);
        to->mass[l] = moves ? (real)(1 / w) : 0;
    }
}

/* At its start: velocities, and of the coordinates what rounding took. */
static void LANE(md_start)(LANE(lanes) * s, int l, const cpu_task *task)
{
    const backend_result *r = task->result;
    s->md[l] = md_state_of(task->bath, r);
    for (int32_t i = 0; i < s->own_n[l]; ++i) {
        const int32_t row = LANE(row_of)(s, i, l);
        for (int c = 0; c < 3; ++c) {
            const bool moves = s->w[row].w[l] > 0 && r->velocities;
            s->v[VECTOR_D][row].v[c][l] = moves ? (real)r->velocities[i][c] : 0;
            if (s->v[VECTOR_LOW] && !s->source->field && i < s->own_points[l])
                s->v[VECTOR_LOW][i].v[c][l] =
                    (real)(r->pos[i][c] - s->origin[l][c] - (double)s->v[VECTOR_X][i].v[c][l]);
        }
    }
}

static void LANE(md_hand_back)(const LANE(lanes) * s, int l, backend_result *r)
{
    for (int k = 0; k < 2; ++k) {
        r->thermostat[k] = (double)s->md[l].x[k];
        r->thermostat[2 + k] = (double)s->md[l].v[k];
    }
    for (int32_t i = 0; i < s->own_n[l] && r->velocities; ++i)
        for (int c = 0; c < 3; ++c)
            r->velocities[i][c] = (double)s->v[VECTOR_D][LANE(row_of)(s, i, l)].v[c][l];
}
