/* SPDX-License-Identifier: BSD-3-Clause
 * Analytic slopes against differences, and points of scans over DOFs. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fit/objective.h"

#define WEAK 1e-13  /* eV^2 per scaled unit: neither slope is more than rounding */
#define SAFETY 10.0 /* times the estimated error of the difference a slope may be off */
#define ROUGH 1e-4  /* of all contributions: a difference that is worse than this tells nothing */
enum { MAX_POINTS = 16 };
static const shoal_derivative_options defaults = {.step = 0.05, .tolerance = 1e-9, .points = 8};

/* Objective and memory for moving one variable. */
typedef struct probe {
    fit_objective *o;
    shoal_derivative_options how;
    double *u, *g, *scratch; /* [n] each */
} probe;

static shoal_status probe_open(probe *p, shoal_fit *fit)
{
    const size_t n = (size_t)fit->problem.n_free;
    *p = (probe){.u = shoal_alloc(3 * n, sizeof *p->u), .how = defaults};
    if (!p->u) return SHOAL_E_MEMORY;
    p->g = p->u + n;
    p->scratch = p->g + n;
    for (size_t i = 0; i < n; ++i)
        p->u[i] = fit_dof_scaled(&fit->dofs[fit->free_dofs[i]], fit->value[fit->free_dofs[i]]);
    return objective_create(&p->o, fit, false);
}

static void probe_close(probe *p)
{
    objective_destroy(p->o);
    free(p->u);
}

static shoal_status difference(probe *p, int32_t column, double h, double *slope)
{
    double plus, minus;
    const double u = p->u[column], above = u + h, below = u - h;
    p->u[column] = above;
    SHOAL_TRY(objective_value(p->o, p->u, &plus, p->scratch));
    p->u[column] = below;
    SHOAL_TRY(objective_value(p->o, p->u, &minus, p->scratch));
    p->u[column] = u;
    *slope = (plus - minus) / (above - below);
    return SHOAL_OK;
}

static bool is_gated(const fit_dof *dof)
{
    return dof->type >= 0 && dof->comp == FIT_H;
}

/* Steps do not lead an H across 0, where its slope jumps. */
static double first_step(const probe *p, int32_t column)
{
    const fit_dof *dof = &p->o->fit->dofs[p->o->fit->free_dofs[column]];
    const double reach = 0.5 * fabs(p->u[column]);
    return is_gated(dof) && reach > 0.0 ? fmin(p->how.step, reach) : p->how.step;
}

/* Central differences with halved steps, extrapolated to none (Ridders 1982). Of every step the entry
 * that agrees best with its neighbours is taken, and of these the one that the two steps before confirm
 * best: their disagreement is the error, which is large where J has kinks or drowns in rounding. */
static shoal_status extrapolate(probe *p, int32_t column, double *slope, double *error)
{
    double table[MAX_POINTS][MAX_POINTS], h = first_step(p, column), before = NAN, change = NAN;
    *error = INFINITY;
    for (int i = 0; i < p->how.points; ++i, h *= 0.5) {
        double factor = 4.0, least = INFINITY, best;
        SHOAL_TRY(difference(p, column, h, &table[i][0]));
        best = table[i][0];
        if (i == 0) *slope = best;
        for (int k = 1; k <= i; ++k, factor *= 4.0) {
            table[i][k] = (factor * table[i][k - 1] - table[i - 1][k - 1]) / (factor - 1.0);
            const double off =
                fmax(fabs(table[i][k] - table[i][k - 1]), fabs(table[i][k] - table[i - 1][k - 1]));
            if (off > least) continue;
            least = off;
            best = table[i][k];
        }
        const double doubt = i < 2 ? INFINITY : fmax(least, fmax(fabs(best - before), change));
        change = fabs(best - before);
        before = best;
        if (doubt > *error) continue;
        *error = doubt;
        *slope = best;
    }
    return SHOAL_OK;
}

/* Sum of the absolute contributions of the samples to the slope by a variable. */
static shoal_status contributions(probe *p, int32_t column, double *sum)
{
    const fit_objective *o = p->o;
    const fit_problem *problem = &o->fit->problem;
    const fit_dof *dof = &o->fit->dofs[o->fit->free_dofs[column]];
    SHOAL_TRY(o->evaluator->rows(o->evaluator, o->p, o->energy, o->rows));
    *sum = 0.0;
    for (int32_t i = 0; i < problem->n_samples; ++i) {
        const fit_block *block = &problem->blocks[problem->block_of[i]];
        for (int32_t k = 0; k < block->n_columns; ++k) {
            double slope;
            if (block->columns[k] != column) continue;
            const double c =
                fit_residual(&o->target, o->energy[i] - o->target.reference[i], &slope);
            *sum +=
                fabs(o->weight[i] * c * slope * dof->scale * o->rows[problem->row_start[i] + k]);
        }
    }
    return SHOAL_OK;
}

static shoal_status check(probe *p, const fit_dof *dof, shoal_derivative_check *out)
{
    double j, numeric, scale, doubt;
    const int32_t column = dof->column;
    SHOAL_TRY(objective_value(p->o, p->u, &j, p->g));
    SHOAL_TRY(contributions(p, column, &scale));
    SHOAL_TRY(extrapolate(p, column, &numeric, &doubt));
    const double analytic = p->g[column], rate = fit_dof_rate(dof, p->u[column]);
    scale = fmax(scale, fmax(fabs(analytic), fabs(numeric)));
    out->weak = scale < WEAK;
    out->error = scale > 0.0 ? fabs(analytic - numeric) / scale : 0.0;
    out->doubt = scale > 0.0 ? doubt / scale : 0.0;
    out->jumps = !out->weak && is_gated(dof) && p->u[column] == 0.0;
    const bool agrees = out->error <= p->how.tolerance + SAFETY * out->doubt;
    out->uncertain = !out->weak && !out->jumps && agrees && SAFETY * out->doubt > ROUGH;
    out->passed = out->weak || out->jumps || agrees;
    out->analytic = analytic / rate;
    out->numeric = numeric / rate;
    return SHOAL_OK;
}

static shoal_status check_free(const shoal_fit *fit, int32_t dof)
{
    if (dof < 0 || dof >= fit->n_dofs)
        return shoal_fail(SHOAL_E_ARGUMENT, "DOF %d of %d: there is none", (int)dof,
                          (int)fit->n_dofs);
    if (fit->dofs[dof].frozen)
        return shoal_fail(SHOAL_E_ARGUMENT, "%s is frozen: %s", fit->dofs[dof].name,
                          fit_dof_frozen_why(&fit->dofs[dof]));
    return SHOAL_OK;
}

static shoal_status take_options(probe *p, const shoal_derivative_options *options)
{
    if (!options) return SHOAL_OK;
    if (options->step > 0.0) p->how.step = options->step;
    if (options->tolerance > 0.0) p->how.tolerance = options->tolerance;
    if (options->points > 0) p->how.points = options->points;
    if (p->how.points >= 3 && p->how.points <= MAX_POINTS && isfinite(p->how.step)) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "slopes from %d steps from %g on: expected 3 to %d of them",
                      (int)p->how.points, p->how.step, MAX_POINTS);
}

shoal_status shoal_fit_check_derivative(shoal_fit *fit, int32_t dof,
                                        const shoal_derivative_options *options,
                                        shoal_derivative_check *out)
{
    shoal_clear_error();
    SHOAL_NEED(fit && out);
    probe p;
    SHOAL_TRY(check_free(fit, dof));
    shoal_status status = probe_open(&p, fit);
    if (status == SHOAL_OK) status = take_options(&p, options);
    if (status == SHOAL_OK) status = check(&p, &fit->dofs[dof], out);
    probe_close(&p);
    return status;
}

static shoal_status scan(probe *p, const shoal_fit *fit, int32_t dof_a, int32_t dof_b,
                         shoal_scan_point *point)
{
    const fit_dof *a = &fit->dofs[dof_a], *b = dof_b < 0 ? NULL : &fit->dofs[dof_b];
    p->u[a->column] = fit_dof_scaled(a, point->a);
    if (b) p->u[b->column] = fit_dof_scaled(b, point->b);
    SHOAL_TRY(objective_value(p->o, p->u, &point->j, p->g));
    point->slope_a = p->g[a->column] / fit_dof_rate(a, p->u[a->column]);
    double doubt;
    SHOAL_TRY(extrapolate(p, a->column, &point->numeric_a, &doubt));
    point->numeric_a /= fit_dof_rate(a, p->u[a->column]);
    point->slope_b = point->numeric_b = 0.0;
    if (!b) return SHOAL_OK;
    point->slope_b = p->g[b->column] / fit_dof_rate(b, p->u[b->column]);
    SHOAL_TRY(extrapolate(p, b->column, &point->numeric_b, &doubt));
    point->numeric_b /= fit_dof_rate(b, p->u[b->column]);
    return SHOAL_OK;
}

shoal_status shoal_fit_scan_point(shoal_fit *fit, int32_t dof_a, int32_t dof_b,
                                  shoal_scan_point *point)
{
    shoal_clear_error();
    SHOAL_NEED(fit && point);
    probe p;
    SHOAL_TRY(check_free(fit, dof_a));
    if (dof_b >= 0) SHOAL_TRY(check_free(fit, dof_b));
    if (dof_a == dof_b)
        return shoal_fail(SHOAL_E_ARGUMENT, "scan of %s and %s: expected two different DOFs",
                          fit->dofs[dof_a].name, fit->dofs[dof_b].name);
    if (!isfinite(point->a) || (dof_b >= 0 && !isfinite(point->b)))
        return shoal_fail(SHOAL_E_ARGUMENT, "scan of %s: expected finite values",
                          fit->dofs[dof_a].name);
    const bool depth_a = fit->dofs[dof_a].type >= 0 && fit->dofs[dof_a].comp == FIT_Y;
    const bool depth_b = dof_b >= 0 && fit->dofs[dof_b].type >= 0 && fit->dofs[dof_b].comp == FIT_Y;
    if ((depth_a && point->a < 0.0) || (depth_b && point->b < 0.0))
        return shoal_fail(SHOAL_E_ARGUMENT, "a depth E below 0 cannot be scanned");
    shoal_status status = probe_open(&p, fit);
    if (status == SHOAL_OK) status = scan(&p, fit, dof_a, dof_b, point);
    probe_close(&p);
    return status;
}
