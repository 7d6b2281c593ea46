/* SPDX-License-Identifier: BSD-3-Clause
 * FIRE on the variables of a fit, stopped at bounds; the decisions are those of relaxations. Each variable
 * is measured by its curvature at the start: FIRE knows one time step for all. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fit/book.h"

#define SHOAL_REAL double
#include "step_fire.h"

#define SLOPE_TOLERANCE 1e-7 /* by scaled variables, relative to J */
#define FIRST_STEP 0.1       /* largest move of the first step, scaled */
#define LARGEST_STEP 0.5
#define SOFTEST 1e-6 /* of the largest curvature: softer variables are measured alike */

/* What goes on: the first step, the unit, the least J, then the state, velocities, the best variables and their units. */
enum {
    FIRST = 0,
    UNIT,
    BEST_J,
    STATE,
    N_KEPT = STATE + (sizeof(fire_state) + sizeof(double) - 1) / sizeof(double)
};

typedef struct fire {
    fire_state state;
    double *own; /* [N_KEPT + 3 n] */
    double *v, *f;
    double *best, best_j; /* it goes uphill at times */
    double *unit_of;      /* [n] of the variables: 1 for the softest, less for stiffer ones */
    double unit;          /* of forces: J has no natural time, so the first move sets it */
} fire;

static shoal_status keep(fit_objective *o, fire *s, const double *u, const fit_descent *d)
{
    s->own[UNIT] = s->unit;
    s->own[BEST_J] = s->best_j;
    memcpy(s->own + STATE, &s->state, sizeof s->state);
    return mark_keep(o, d, MARK_FIRE, u, s->own, N_KEPT + 3 * o->n);
}

static bool resume(fit_objective *o, fire *s, double *u, fit_descent *d)
{
    if (!mark_resume(o, d, MARK_FIRE, u, s->own, N_KEPT + 3 * o->n)) return false;
    s->unit = s->own[UNIT];
    s->best_j = s->own[BEST_J];
    memcpy(&s->state, s->own + STATE, sizeof s->state);
    return true;
}

static shoal_status set_units(fit_objective *o, const double *u, double *unit)
{
    const int32_t n = o->n;
    double j, most = 0.0, softest = 0.0;
    double *a = shoal_alloc((size_t)n * (size_t)n + (size_t)n, sizeof *a);
    if (!a) return SHOAL_E_MEMORY;
    const shoal_status status = objective_matrix(o, u, &j, a + (size_t)n * (size_t)n, a, NULL);
    for (int32_t i = 0; i < n; ++i) most = fmax(most, a[i * n + i]);
    for (int32_t i = 0; i < n; ++i) {
        unit[i] = most > 0.0 ? 1.0 / sqrt(fmax(a[i * n + i], SOFTEST * most)) : 1.0;
        softest = fmax(softest, unit[i]);
    }
    for (int32_t i = 0; i < n; ++i) unit[i] /= softest;
    free(a);
    return status;
}

/* Turns slopes into forces; what a bound holds feels none. Returns the largest. */
static double set_forces(const fit_objective *o, const double *u, const double *unit, double *f)
{
    double most = 0.0;
    for (int32_t i = 0; i < o->n; ++i) {
        const double inv_mass = o->fit->dofs[o->fit->free_dofs[i]].inv_mass;
        const bool held =
            (u[i] <= o->lower[i] && f[i] > 0.0) || (u[i] >= o->upper[i] && f[i] < 0.0);
        f[i] = held ? 0.0 : -f[i] * inv_mass * unit[i];
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
            u[i] -= m->move * s->v[i] * s->unit_of[i];
            s->v[i] = 0.0;
        } else {
            s->v[i] = m->keep * s->v[i] + m->push * s->f[i];
            u[i] += m->move * s->v[i] * s->unit_of[i];
        }
        if (u[i] > o->lower[i] && u[i] < o->upper[i]) continue;
        u[i] = fmin(fmax(u[i], o->lower[i]), o->upper[i]);
        s->v[i] = 0.0;
    }
}

static shoal_status descend(fit_objective *o, fire *s, double *u, fit_descent *d)
{
    const step_limits limit = {.max_move = LARGEST_STEP, .max_steps = INT32_MAX};
    s->state = fire_begin(0, fire_usual());
    s->best_j = INFINITY;
    s->own[FIRST] = d->steps;
    if (!resume(o, s, u, d)) SHOAL_TRY(set_units(o, u, s->unit_of));
    const int32_t first = (int32_t)s->own[FIRST];
    for (;; ++d->steps) {
        SHOAL_TRY(keep(o, s, u, d));
        SHOAL_TRY(objective_value(o, u, &d->j, s->f));
        const double slope = objective_projected(o, u, s->f);
        SHOAL_TRY(descent_note(o, u, d->j, slope, d));
        if (d->j < s->best_j) {
            s->best_j = d->j;
            memcpy(s->best, u, (size_t)o->n * sizeof *u);
        }
        d->converged = slope <= SLOPE_TOLERANCE * d->j;
        if (d->converged || d->stopped || d->steps - first >= d->max_steps) return SHOAL_OK;
        const double most = set_forces(o, u, s->unit_of, s->f);
        if (d->steps == first) s->unit = FIRST_STEP / (FIRE_FIRST_DT * FIRE_FIRST_DT * most);
        const fire_sums sums = sum_forces(s, o->n);
        const fire_move m = fire_decide(&s->state, &sums, &limit);
        d->stalled = s->state.outcome != STEP_GOING;
        if (d->stalled) return SHOAL_OK;
        move(o, s, &m, u);
    }
}

shoal_status minimise_fire(fit_objective *o, double *u, fit_descent *d)
{
    const size_t n = (size_t)o->n;
    fire s = {.own = shoal_alloc(N_KEPT + 3 * n, sizeof *s.own), .f = shoal_alloc(n, sizeof *s.f)};
    const bool complete = s.own && s.f;
    if (complete) {
        s.v = s.own + N_KEPT;
        s.best = s.v + n;
        s.unit_of = s.best + n;
    }
    const shoal_status status = complete ? descend(o, &s, u, d) : SHOAL_E_MEMORY;
    if (status == SHOAL_OK && !d->converged && s.best_j < d->j) {
        memcpy(u, s.best, (size_t)o->n * sizeof *u);
        d->j = s.best_j;
    }
    free(s.own);
    free(s.f);
    return status;
}
