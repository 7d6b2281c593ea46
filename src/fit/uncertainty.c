/* SPDX-License-Identifier: BSD-3-Clause
 * Standard errors by dimers, correlations, and directions that the data leave open. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fit/clusters.h"
#include "geom/eigen.h"

/* Eigenvalues below this part of the largest leave their direction open. */
#define LOOSE 1e-4
#define SINGULAR 1e-12
enum { NAMES_SHOWN = 5 };

typedef struct eigenspace {
    double *vectors, *values, *work; /* [n][n] as rows, [n] ascending, [n] */
    double largest;                  /* value, not below 0 */
} eigenspace;

/* The DOFs with the largest shares in a direction v[n]. */
static shoal_status describe(shoal_fit *fit, const double *v, int32_t n, double part)
{
    char text[320];
    _Static_assert(sizeof text >= sizeof "-1.0e-999:" +
                                      NAMES_SHOWN * (sizeof " +1.00 " + sizeof fit->dofs->name),
                   "room for the largest shares, which are parts of a unit vector");
    bool *shown = arena_alloc(&fit->memory, (size_t)n, sizeof *shown);
    if (!shown) return SHOAL_E_MEMORY;
    size_t used = (size_t)snprintf(text, sizeof text, "%.1e:", part);
    for (int m = 0; m < NAMES_SHOWN && m < n; ++m) {
        int32_t best = -1;
        for (int32_t i = 0; i < n; ++i)
            if (!shown[i] && (best < 0 || fabs(v[i]) > fabs(v[best]))) best = i;
        if (fabs(v[best]) < 0.1 && m > 0) break;
        shown[best] = true;
        used += (size_t)snprintf(text + used, sizeof text - used, " %+.2f %s", v[best],
                                 fit->dofs[fit->free_dofs[best]].name);
    }
    char *copy = arena_alloc(&fit->memory, used + 1, 1);
    if (!copy) return SHOAL_E_MEMORY;
    memcpy(copy, text, used);
    fit->loose[fit->n_loose++] = copy;
    return SHOAL_OK;
}

static shoal_status diagonalise(eigenspace *e, const double *matrix, int32_t n)
{
    memcpy(e->vectors, matrix, (size_t)n * (size_t)n * sizeof *matrix);
    if (!eigen_symmetric(n, e->vectors, e->values, e->work))
        return shoal_fail(SHOAL_E_ARGUMENT, "the curvature of the objective is not finite");
    e->largest = n > 0 ? fmax(e->values[n - 1], 0.0) : 0.0;
    return SHOAL_OK;
}

static shoal_status name_loose(shoal_fit *fit, const double *data, eigenspace *e)
{
    const int32_t n = fit->problem.n_free;
    SHOAL_TRY(diagonalise(e, data, n));
    fit->n_loose = 0;
    fit->loose = arena_alloc(&fit->memory, (size_t)n, sizeof *fit->loose);
    if (!fit->loose) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < n; ++k) {
        const double part = e->largest > 0.0 ? fmax(e->values[k] / e->largest, 0.0) : 0.0;
        if (part < LOOSE) SHOAL_TRY(describe(fit, e->vectors + (size_t)k * (size_t)n, n, part));
    }
    return SHOAL_OK;
}

/* Inverse by eigenvectors, of what has a curvature; open[n] tells which variables have a share in a
 * direction without any. */
static shoal_status invert(const double *a, eigenspace *e, int32_t n, double *out, bool *open)
{
    SHOAL_TRY(diagonalise(e, a, n));
    memset(out, 0, (size_t)n * (size_t)n * sizeof *out);
    for (int32_t m = 0; m < n; ++m) {
        const double *v = e->vectors + (size_t)m * (size_t)n;
        const bool curved = e->values[m] > SINGULAR * e->largest;
        for (int32_t i = 0; i < n; ++i) {
            if (!curved && fabs(v[i]) > 1e-3) open[i] = true;
            for (int32_t k = 0; k < n && curved; ++k) out[i * n + k] += v[i] * v[k] / e->values[m];
        }
    }
    return SHOAL_OK;
}

/* Variables on a bound do not move: their rows are cut off, with a given curvature left. */
static void cut_bounds(const fit_objective *o, const double *u, double *a, double left)
{
    const int32_t n = o->n;
    for (int32_t i = 0; i < n; ++i) {
        if (u[i] > o->lower[i] && u[i] < o->upper[i]) continue;
        for (int32_t k = 0; k < n; ++k) a[i * n + k] = a[k * n + i] = i == k ? left : 0.0;
    }
}

typedef struct analysis {
    fit_objective *o;
    double *a, *data, *inverse; /* [n][n] */
    double *u, *g;              /* [n] */
    bool *open;                 /* [n] */
    eigenspace e;
} analysis;

/* Errors as if all residuals were independent, which points of one curve are not. */
static void set_independent(shoal_fit *fit, const analysis *s, double rmse)
{
    const int32_t n = s->o->n;
    int32_t n_used = 0;
    for (int32_t i = 0; i < fit->problem.n_samples; ++i) n_used += s->o->weight[i] > 0.0;
    const int32_t left = n_used > n ? n_used - n : 1;
    for (int32_t i = 0; i < n; ++i)
        fit->independent[i] =
            s->open[i] ? NAN : sqrt(rmse * rmse / left * s->inverse[(int64_t)i * (n + 1)]);
}

static shoal_status analyse(shoal_fit *fit, analysis *s)
{
    const int32_t n = fit->problem.n_free;
    double j, rmse, largest = 0.0;
    for (int32_t i = 0; i < n; ++i)
        s->u[i] = fit_dof_scaled(&fit->dofs[fit->free_dofs[i]], fit->value[fit->free_dofs[i]]);
    SHOAL_TRY(objective_rmse(s->o, s->u, &rmse, NULL));
    SHOAL_TRY(objective_matrix(s->o, s->u, &j, s->g, s->a, s->data));
    for (int32_t i = 0; i < n; ++i) largest = fmax(largest, s->data[i * n + i]);
    cut_bounds(s->o, s->u, s->a, 0.0);
    cut_bounds(s->o, s->u, s->data, largest);
    SHOAL_TRY(invert(s->a, &s->e, n, s->inverse, s->open));
    set_independent(fit, s, rmse);
    SHOAL_TRY(fit_cluster_covariance(s->o, s->a, s->inverse, fit->covariance, s->open));
    for (int32_t i = 0; i < n; ++i)
        for (int32_t k = 0; k < n && s->open[i]; ++k)
            fit->covariance[i * n + k] = fit->covariance[k * n + i] = NAN;
    return name_loose(fit, s->data, &s->e);
}

shoal_status shoal_fit_analyse(shoal_fit *fit)
{
    shoal_clear_error();
    SHOAL_NEED(fit);
    const size_t n = (size_t)fit->problem.n_free;
    analysis s = {.a = shoal_alloc(4 * n * n + 4 * n, sizeof *s.a),
                  .open = shoal_alloc(n, sizeof *s.open)};
    if (!fit->covariance) fit->covariance = shoal_alloc(n * n, sizeof *fit->covariance);
    if (!fit->independent) fit->independent = shoal_alloc(n, sizeof *fit->independent);
    const bool complete = s.a && s.open && fit->covariance && fit->independent;
    shoal_status status = complete ? SHOAL_OK : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) {
        s.data = s.a + n * n;
        s.inverse = s.data + n * n;
        s.e.vectors = s.inverse + n * n;
        s.e.values = s.e.vectors + n * n;
        s.e.work = s.e.values + n;
        s.u = s.e.work + n;
        s.g = s.u + n;
        status = objective_create(&s.o, fit, false);
    }
    if (status == SHOAL_OK) s.o->open_walls = true;
    if (status == SHOAL_OK) status = analyse(fit, &s);
    objective_destroy(s.o);
    free(s.a);
    free(s.open);
    return status;
}

/* sqrt(g C g) of a sample, g its slope by the scaled variables. */
static double spread_of(const shoal_fit *fit, int32_t sample, const double *rows)
{
    const fit_problem *problem = &fit->problem;
    const fit_block *b = &problem->blocks[problem->block_of[sample]];
    const double *row = &rows[problem->row_start[sample]];
    double sum = 0.0;
    for (int32_t i = 0; i < b->n_columns; ++i)
        for (int32_t k = 0; k < b->n_columns; ++k) {
            const fit_dof *x = &fit->dofs[fit->free_dofs[b->columns[i]]],
                          *y = &fit->dofs[fit->free_dofs[b->columns[k]]];
            sum += row[i] * x->scale * row[k] * y->scale *
                   fit->covariance[(int64_t)b->columns[i] * problem->n_free + b->columns[k]];
        }
    return sqrt(sum);
}

shoal_status shoal_fit_prediction_errors(shoal_fit *fit, double *error)
{
    shoal_clear_error();
    SHOAL_NEED(fit && error);
    const fit_problem *problem = &fit->problem;
    if (!fit->covariance)
        return shoal_fail(SHOAL_E_ARGUMENT, "errors of energies: expected an analysed fit");
    if (problem->n_samples != problem->data->n_samples)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "errors of energies: not of a fit to components");
    const size_t n_rows = (size_t)problem->row_start[problem->n_samples];
    double *p =
        shoal_alloc((size_t)problem->n_slots + (size_t)problem->n_samples + n_rows, sizeof *p);
    if (!p) return SHOAL_E_MEMORY;
    double *energy = p + problem->n_slots, *rows = energy + problem->n_samples;
    fit_slots(fit, fit->value, p);
    const shoal_status status = fit->evaluator->rows(fit->evaluator, p, energy, rows);
    for (int32_t s = 0; s < problem->n_samples && status == SHOAL_OK; ++s)
        error[s] = spread_of(fit, s, rows);
    free(p);
    return status;
}

double shoal_fit_correlation(const shoal_fit *fit, int32_t dof_a, int32_t dof_b)
{
    if (!fit || !fit->covariance || dof_a < 0 || dof_b < 0 || dof_a >= fit->n_dofs ||
        dof_b >= fit->n_dofs)
        return NAN;
    const int32_t i = fit->dofs[dof_a].column, k = fit->dofs[dof_b].column;
    const int32_t n = fit->problem.n_free;
    if (i < 0 || k < 0) return NAN;
    const double *c = fit->covariance;
    return c[i * n + k] / sqrt(c[i * n + i] * c[k * n + k]);
}

int32_t shoal_fit_loose_directions(const shoal_fit *fit)
{
    return fit ? fit->n_loose : 0;
}

const char *shoal_fit_loose_direction(const shoal_fit *fit, int32_t index)
{
    return fit && index >= 0 && index < fit->n_loose ? fit->loose[index] : NULL;
}
