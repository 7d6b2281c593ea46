/* SPDX-License-Identifier: BSD-3-Clause
 * FIRE on the scaled variables of a fit, stopped at bounds; the decisions are those of relaxations. */
#include <stdlib.h>

#include "base/alloc.h"
#include "fit/objective.h"

#define SHOAL_REAL double
#include "step_fire.h"

#define SLOPE_TOLERANCE 1e-7 /* by scaled variables, relative to J */
#define FIRST_STEP 0.1       /* largest move of the first step, scaled */
#define LARGEST_STEP 0.5

typedef struct fire {
    fire_state state;
    double *v, *f;
    double unit; /* of forces: J has no natural time, so the first move sets it */
} fire;

/* Turns slopes into forces; what a bound holds feels none. Returns the largest. */
static double set_forces(const fit_objective *o, const double *u, double *f)
{
    double most = 0.0;
    for (int32_t i = 0; i < o->n; ++i) {
        const double inv_mass = o->fit->dofs[o->fit->free_dofs[i]].inv_mass;
        const bool held =
            (u[i] <= o->lower[i] && f[i] > 0.0) || (u[i] >= o->upper[i] && f[i] < 0.0);
        f[i] = held ? 0.0 : -f[i] * inv_mass;
        most = fmax(most, fabs(f[i]));
    }
    return most;
}

static fire_sums sum_forces(fire *s, int32_t n)
{
    fire_sums sums = {0};
    for (int32_t i = 0; i < n; ++i) {
        s->f[i] *= s->unit;
        sums.ff += s->f[i] * s->f[i];
        sums.vv += s->v[i] * s->v[i];
        sums.fv += s->f[i] * s->v[i];
        sums.f2 = fmax(sums.f2, s->f[i] * s->f[i]);
    }
    if (!isfinite(sums.ff)) sums.f2 = sums.ff;
    return sums;
}

/* One step; bounds stop what runs into them. */
static void move(const fit_objective *o, fire *s, const fire_move *m, double *u)
{
    for (int32_t i = 0; i < o->n; ++i) {
        if (m->retreat) {
            u[i] -= m->move * s->v[i];
            s->v[i] = 0.0;
        } else {
            s->v[i] = m->keep * s->v[i] + m->push * s->f[i];
            u[i] += m->move * s->v[i];
        }
        if (u[i] > o->lower[i] && u[i] < o->upper[i]) continue;
        u[i] = fmin(fmax(u[i], o->lower[i]), o->upper[i]);
        s->v[i] = 0.0;
    }
}

static shoal_status descend(fit_objective *o, fire *s, double *u, fit_descent *d)
{
    const step_limits limit = {.max_move = LARGEST_STEP, .max_steps = INT32_MAX};
    s->state = fire_begin(0);
    for (int32_t first = d->steps;; ++d->steps) {
        SHOAL_TRY(objective_value(o, u, &d->j, s->f));
        const double slope = objective_projected(o, u, s->f);
        SHOAL_TRY(descent_note(o, u, d->j, slope, d));
        d->converged = slope <= SLOPE_TOLERANCE * d->j;
        if (d->converged || d->stopped || d->steps - first >= d->max_steps) return SHOAL_OK;
        const double most = set_forces(o, u, s->f);
        if (d->steps == first) s->unit = FIRST_STEP / (FIRE_FIRST_DT * FIRE_FIRST_DT * most);
        const fire_sums sums = sum_forces(s, o->n);
        const fire_move m = fire_decide(&s->state, &sums, &limit);
        if (s->state.outcome != STEP_GOING) return SHOAL_OK;
        move(o, s, &m, u);
    }
}

shoal_status minimise_fire(fit_objective *o, double *u, fit_descent *d)
{
    fire s = {0};
    s.v = shoal_alloc((size_t)o->n, sizeof *s.v);
    s.f = shoal_alloc((size_t)o->n, sizeof *s.f);
    const shoal_status status = s.v && s.f ? descend(o, &s, u, d) : SHOAL_E_MEMORY;
    free(s.v);
    free(s.f);
    return status;
}
