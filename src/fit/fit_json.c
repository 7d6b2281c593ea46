/* SPDX-License-Identifier: BSD-3-Clause
 * Fits as JSON. */
#include "shoal/fit_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "shoal/json.h"

#define STRONG 0.95 /* correlations that are listed */
enum { MOST_WORST = 10, N_GROUPINGS = 4 };

#define put shoal_json_put

static void open_dof(shoal_json *j, const shoal_dof_info *d)
{
    shoal_json_open(j, NULL, '{');
    put(j, "type", d->type, "comp", d->comp, "atoms", d->n_atoms, "start", d->start);
}

/* --- what was read ------------------------------------------------------------------------------- */

static void put_sets(shoal_json *j, const shoal_dataset *data)
{
    shoal_json_open(j, "sets", '[');
    for (int32_t k = 0; k < shoal_dataset_sets(data); ++k) {
        shoal_set_info s;
        if (shoal_dataset_set(data, k, &s) != SHOAL_OK) continue;
        shoal_json_open(j, NULL, '{');
        put(j, "set", s.label, "weight", s.weight, "samples", s.n_samples, "dimers", s.n_dimers,
            "atoms", s.n_atoms, "rms", s.rms, "least", s.least, "most", s.most);
        shoal_json_close(j, '}');
    }
    shoal_json_close(j, ']');
    put(j, "samples", shoal_dataset_samples(data), "dimers", shoal_dataset_dimers(data), "monomers",
        shoal_dataset_monomers(data), "pairs", shoal_dataset_pairs(data));
}

static void put_types(shoal_json *j, const shoal_dataset *data, const shoal_atom_types *types)
{
    shoal_json_open(j, "types", '[');
    for (int32_t t = 0; t < shoal_atom_types_count(types); ++t) {
        const shoal_atom_type *type = shoal_atom_types_get(types, t);
        const int32_t n = shoal_dataset_count(data, t);
        if (n == 0) continue;
        shoal_json_open(j, NULL, '{');
        put(j, "type", type->name, "atoms", n, "R", type->r, "E", type->e, "Q", type->q, "H",
            type->h);
        shoal_json_close(j, '}');
    }
    shoal_json_close(j, ']');
}

static void put_dofs(shoal_json *j, const shoal_fit *fit)
{
    shoal_json_open(j, "dofs", '[');
    for (int32_t i = 0; i < shoal_fit_dofs(fit); ++i) {
        shoal_dof_info d;
        if (shoal_fit_dof(fit, i, &d) != SHOAL_OK) continue;
        open_dof(j, &d);
        put(j, "min", d.min, "max", d.max, "frozen", d.frozen);
        if (d.frozen) shoal_json_text(j, "reason", d.why);
        shoal_json_close(j, '}');
    }
    shoal_json_close(j, ']');
    shoal_json_integer(j, "n_dof", shoal_fit_free_dofs(fit));
}

void shoal_fit_json_data(shoal_json *j, const shoal_dataset *data, const shoal_atom_types *types,
                         const shoal_fit *fit)
{
    if (!j || !data || !types) return;
    put_sets(j, data);
    put_types(j, data, types);
    put_dofs(j, fit);
    if (fit) shoal_json_text(j, "evaluator", shoal_fit_evaluator(fit));
    shoal_json_text(j, "units", "eV");
}

/* --- what came of it ----------------------------------------------------------------------------- */

static void put_strong(shoal_json *j, const shoal_fit *fit)
{
    shoal_strong_pair *strong;
    int32_t n;
    if (shoal_fit_strong_pairs(fit, STRONG, &strong, &n) != SHOAL_OK) return;
    shoal_json_open(j, "strong_correlations", '[');
    for (int k = 0; k < n; ++k) {
        shoal_dof_info x, y;
        if (shoal_fit_dof(fit, strong[k].a, &x) != SHOAL_OK ||
            shoal_fit_dof(fit, strong[k].b, &y) != SHOAL_OK)
            continue;
        shoal_json_open(j, NULL, '[');
        const char *const names[] = {x.type, x.comp, y.type, y.comp};
        for (int i = 0; i < 4; ++i) shoal_json_text(j, NULL, names[i]);
        shoal_json_number(j, NULL, strong[k].correlation);
        shoal_json_close(j, ']');
    }
    shoal_json_close(j, ']');
    free(strong);
}

static void put_correlations(shoal_json *j, const shoal_fit *fit)
{
    put_strong(j, fit);
    shoal_json_open(j, "correlations", '['); /* rows of the lower triangle */
    for (int32_t i = 0; i < shoal_fit_dofs(fit); ++i) {
        shoal_json_open(j, NULL, '[');
        for (int32_t k = 0; k < i; ++k)
            shoal_json_number(j, NULL, 1e-4 * round(1e4 * shoal_fit_correlation(fit, i, k)));
        shoal_json_close(j, ']');
    }
    shoal_json_close(j, ']');
}

static void put_parameters(shoal_json *j, const shoal_fit *fit)
{
    shoal_json_open(j, "parameters", '[');
    for (int32_t i = 0; i < shoal_fit_dofs(fit); ++i) {
        shoal_dof_info d;
        if (shoal_fit_dof(fit, i, &d) != SHOAL_OK) continue;
        open_dof(j, &d);
        put(j, "value", d.value, "error", d.uncertainty, "error_independent", d.independent,
            "error_bootstrap", d.bootstrap, "low", d.low, "high", d.high, "at_bound", d.at_bound,
            "frozen", d.frozen);
        shoal_json_close(j, '}');
    }
    shoal_json_close(j, ']');
}

static void put_folds(shoal_json *j, const shoal_cv_result *cv)
{
    shoal_json_number(j, "cv_median", cv->median);
    shoal_json_open(j, "folds", '[');
    for (int32_t k = 0; k < cv->n_folds; ++k) {
        const shoal_cv_fold *f = &cv->folds[k];
        if (f->n_samples == 0) continue;
        shoal_json_open(j, NULL, '{');
        put(j, "fold", f->label, "samples", f->n_samples, "dimers", f->n_dimers, "rmse", f->rmse,
            "rmse_train", f->rmse_train);
        shoal_json_close(j, '}');
    }
    shoal_json_close(j, ']');
    shoal_json_open(j, "worst", '[');
    for (int32_t k = 0; k < cv->n_dimers && k < MOST_WORST; ++k) {
        const shoal_cv_dimer *d = &cv->dimers[k];
        shoal_json_open(j, NULL, '{');
        put(j, "dimer", d->name, "samples", d->n_samples, "rmse", d->rmse, "largest", d->largest);
        shoal_json_close(j, '}');
    }
    shoal_json_close(j, ']');
}

static shoal_status put_set_errors(shoal_json *j, shoal_fit *fit, const shoal_dataset *data)
{
    const int32_t n = shoal_dataset_sets(data);
    double *rmse = shoal_alloc(2 * (size_t)n, sizeof *rmse);
    if (!rmse) return SHOAL_E_MEMORY;
    shoal_status status = shoal_fit_set_errors(fit, data, NULL, rmse, rmse + n);
    shoal_json_open(j, "sets", '[');
    for (int32_t k = 0; k < n && status == SHOAL_OK; ++k) {
        shoal_set_info set;
        status = shoal_dataset_set(data, k, &set);
        if (status != SHOAL_OK) break;
        shoal_json_open(j, NULL, '{');
        put(j, "set", set.label, "samples", set.n_samples, "rmse", rmse[k]);
        shoal_json_close(j, '}');
    }
    shoal_json_close(j, ']');
    free(rmse);
    return status;
}

shoal_status shoal_fit_json_result(shoal_json *j, shoal_fit *fit, const shoal_dataset *data,
                                   const shoal_fit_run_options *run, const shoal_fit_result *r,
                                   const shoal_cv_result *cv)
{
    static const char *const methods[] = {"lm", "lbfgs", "fire"};
    shoal_clear_error();
    SHOAL_NEED(j && fit && data && run && r);
    put(j, "n_dof", shoal_fit_free_dofs(fit), "rmse_before", r->rmse_before, "rmse", r->rmse,
        "cv_rmse", cv ? cv->rmse : NAN, "cv_std", cv ? cv->std : NAN, "cv_folds",
        cv ? cv->n_folds : 0, "evaluations", r->evaluations, "seconds", r->seconds, "units", "eV",
        "converged", r->converged);
    put(j, "steps", r->steps, "handed_over", r->handed_over, "stalled", (bool)r->stalled,
        "objective", r->j, "method", methods[run->method], "evaluator", shoal_fit_evaluator(fit),
        "samples", shoal_dataset_samples(data), "starts", run->n_starts > 0 ? run->n_starts : 1,
        "same_optimum", r->same_optimum);
    SHOAL_TRY(put_set_errors(j, fit, data));
    put_parameters(j, fit);
    put_correlations(j, fit);
    if (cv) put_folds(j, cv);
    return SHOAL_OK;
}

/* --- slopes and errors --------------------------------------------------------------------------- */

const char *shoal_derivative_verdict(const shoal_derivative_check *c)
{
    if (!c) return "frozen";
    if (c->weak) return "weak signal";
    if (c->jumps) return "slope jumps at H = 0";
    if (!c->passed) return "WRONG";
    return c->uncertain ? "uncertain" : "ok";
}

void shoal_fit_json_slope(shoal_json *j, const shoal_dof_info *d, const shoal_derivative_check *c)
{
    if (!j || !d || !c) return;
    shoal_json_open(j, NULL, '{');
    put(j, "type", d->type, "comp", d->comp, "analytic", c->analytic, "numeric", c->numeric,
        "error", c->error, "doubt", c->doubt, "verdict",
        shoal_derivative_verdict(d->frozen ? NULL : c));
    shoal_json_close(j, '}');
}

void shoal_fit_json_point(shoal_json *j, const shoal_scan_point *p, bool two)
{
    if (!j || !p) return;
    shoal_json_number(j, "a", p->a);
    if (two) shoal_json_number(j, "b", p->b);
    put(j, "objective", p->j, "slope_a", p->slope_a, "numeric_a", p->numeric_a);
    if (two) put(j, "slope_b", p->slope_b, "numeric_b", p->numeric_b);
}

static void put_error_rows(shoal_json *j, const shoal_error_row *rows, int32_t n,
                           shoal_errors_by by)
{
    static const char *const lists[] = {"sets", "groups", "distances", "worst"};
    static const char *const keys[] = {"set", "group", "x0", "name"};
    shoal_json_open(j, lists[by], '[');
    for (int32_t k = 0; k < n; ++k) {
        const shoal_error_row *r = &rows[k];
        const char *slash = by == SHOAL_ERRORS_BY_SET ? strrchr(r->label, '/') : NULL;
        shoal_json_open(j, NULL, '{');
        if (by == SHOAL_ERRORS_BY_X0)
            shoal_json_number(j, keys[by], r->x0);
        else
            shoal_json_text(j, keys[by], slash && slash[1] ? slash + 1 : r->label);
        put(j, "n", r->n, "rmse", r->rmse, "mae", r->mae, "mean", r->mean, "largest", r->largest);
        shoal_json_close(j, '}');
    }
    shoal_json_close(j, ']');
}

shoal_status shoal_errors_json(shoal_json *j, const shoal_dataset *data, const double *error,
                               int32_t n_worst)
{
    shoal_error_summary s;
    shoal_clear_error();
    SHOAL_NEED(j && data && error);
    SHOAL_TRY(shoal_errors_summarise(data, error, &s));
    shoal_error_row *rows = shoal_alloc((size_t)s.n, sizeof *rows);
    if (!rows) return SHOAL_E_MEMORY;
    put(j, "n", s.n, "rmse", s.rmse, "mae", s.mae, "mean", s.mean, "median", s.median, "units",
        "eV", "dimers", s.n_dimers);
    shoal_status status = SHOAL_OK;
    for (int k = 0; k < N_GROUPINGS && status == SHOAL_OK; ++k) {
        int32_t n = 0;
        status = shoal_errors_group(data, error, (shoal_errors_by)k, rows, &n);
        const int32_t most = k == SHOAL_ERRORS_BY_DIMER && n_worst < n ? n_worst : n;
        if (status == SHOAL_OK) put_error_rows(j, rows, most, (shoal_errors_by)k);
    }
    free(rows);
    return status;
}
