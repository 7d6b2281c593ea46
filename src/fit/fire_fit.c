/* SPDX-License-Identifier: BSD-3-Clause
 * FIRE (Bitzek et al. 2006) on the scaled variables, stopped at bounds. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fit/objective.h"

#define SLOPE_TOLERANCE 1e-7 /* by scaled variables, relative to J */
#define FIRST_STEP 0.1       /* largest move of the first step, scaled */
#define LARGEST_STEP 0.5
#define ALPHA 0.1
enum { UPHILL_WAIT = 5 };

typedef struct fire {
    double *v, *f;
    double dt, dt_max, alpha;
    int32_t downhill;
} fire;

/* Velocities turned towards the force, or stopped when they climb. */
static void steer(fire *s, int32_t n)
{
    double power = 0.0, vv = 0.0, ff = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        power += s->v[i] * s->f[i];
        vv += s->v[i] * s->v[i];
        ff += s->f[i] * s->f[i];
    }
    if (power > 0.0) {
        const double mix = s->alpha * sqrt(vv / ff);
        for (int32_t i = 0; i < n; ++i) s->v[i] = (1.0 - s->alpha) * s->v[i] + mix * s->f[i];
        if (++s->downhill > UPHILL_WAIT) {
            s->dt = fmin(1.1 * s->dt, s->dt_max);
            s->alpha *= 0.99;
        }
        return;
    }
    memset(s->v, 0, (size_t)n * sizeof *s->v);
    if (s->downhill > 0) s->dt *= 0.5;
    s->downhill = 0;
    s->alpha = ALPHA;
}

/* One step with the velocities; bounds stop what runs into them. */
static void move(const fit_objective *o, fire *s, double *u)
{
    double most = 0.0;
    for (int32_t i = 0; i < o->n; ++i) {
        const double mass = o->fit->dofs[o->fit->free_dofs[i]].inv_mass;
        s->v[i] += s->dt * s->f[i] * mass;
        most = fmax(most, fabs(s->v[i] * s->dt));
    }
    const double cut = most > LARGEST_STEP ? LARGEST_STEP / most : 1.0;
    for (int32_t i = 0; i < o->n; ++i) {
        s->v[i] *= cut;
        u[i] += s->dt * s->v[i];
        if (u[i] > o->lower[i] && u[i] < o->upper[i]) continue;
        u[i] = fmin(fmax(u[i], o->lower[i]), o->upper[i]);
        s->v[i] = 0.0;
    }
}

static shoal_status descend(fit_objective *o, fire *s, double *u, fit_descent *d)
{
    for (int32_t first = d->steps;; ++d->steps) {
        double norm = 0.0;
        SHOAL_TRY(objective_value(o, u, &d->j, s->f));
        const double slope = objective_projected(o, u, s->f);
        SHOAL_TRY(descent_note(o, u, d->j, slope, d));
        d->converged = slope <= SLOPE_TOLERANCE * d->j;
        if (d->converged || d->stopped || d->steps - first >= d->max_steps) return SHOAL_OK;
        for (int32_t i = 0; i < o->n; ++i) {
            const bool held =
                (u[i] <= o->lower[i] && s->f[i] > 0.0) || (u[i] >= o->upper[i] && s->f[i] < 0.0);
            s->f[i] = held ? 0.0 : -s->f[i];
            norm = fmax(norm, fabs(s->f[i]));
        }
        if (d->steps == first) { /* J has no natural time: the first move sets it */
            s->dt = sqrt(FIRST_STEP / norm);
            s->dt_max = 10.0 * s->dt;
        }
        steer(s, o->n);
        move(o, s, u);
    }
}

shoal_status minimise_fire(fit_objective *o, double *u, fit_descent *d)
{
    fire s = {.alpha = ALPHA};
    s.v = shoal_alloc((size_t)o->n, sizeof *s.v);
    s.f = shoal_alloc((size_t)o->n, sizeof *s.f);
    const shoal_status status = s.v && s.f ? descend(o, &s, u, d) : SHOAL_E_MEMORY;
    free(s.v);
    free(s.f);
    return status;
}
