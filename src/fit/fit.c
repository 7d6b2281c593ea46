/* SPDX-License-Identifier: BSD-3-Clause
 * A fit: created from data, options and DOFs; its values, objective and predictions. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fit/book.h"
#include "fit/fit_opencl.h"
#include "fit/formula_model.h"
#include "fit/problem.h"
#include "fit/split.h"
#include "io/atom_types.h"

static shoal_status copy_text(shoal_fit *fit, const char **text)
{
    if (!*text) return SHOAL_OK;
    char *copy = arena_alloc(&fit->memory, strlen(*text) + 1, 1);
    if (!copy) return SHOAL_E_MEMORY;
    memcpy(copy, *text, strlen(*text));
    *text = copy;
    return SHOAL_OK;
}

static shoal_status check_options(const shoal_fit_options *o)
{
    if (o->unregularized && (o->pool != 0.0 || o->tether != 0.0))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "no regularization, but pool %g and tether %g: expected "
                          "neither",
                          o->pool, o->tether);
    if (!isfinite(o->tether) || !isfinite(o->clamp_from) || !isfinite(o->clamp_to) ||
        o->clamp_from < 0.0 || o->clamp_to < 0.0)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "tether %g, clamp from %g to %g eV: expected finite numbers, the clamp's "
                          "not below 0",
                          o->tether, o->clamp_from, o->clamp_to);
    if (o->clamp_from > 0.0 && o->clamp_to <= o->clamp_from)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "clamp from %g to %g eV: expected the second above the "
                          "first",
                          o->clamp_from, o->clamp_to);
    return SHOAL_OK;
}

/* Whether the energy of the model between atoms, or of sites, knows the charges. */
static bool uses_charges(const shoal_fit *fit)
{
    const formula *f = fit_formula_of(&fit->problem.model);
    const bool coulomb = fit->problem.coulomb != SHOAL_COULOMB_NONE;
    if (!f) return coulomb;
    return formula_uses(f, FORMULA_IN_Q) || formula_uses(f, FORMULA_IN_QI) ||
           formula_uses(f, FORMULA_IN_QJ) || (coulomb && fit->problem.data->has_sites);
}

/* Charges that make radii alone count, too. */
static bool has_charged_radii(const shoal_fit *fit)
{
    const shoal_fit_options *o = &fit->options;
    return fit->problem.charged_radii || o->radius_charge != 0.0 || o->fit_radius_charge;
}

/* Options that would change nothing are mistakes. */
static shoal_status refuse_ignored(const shoal_fit *fit)
{
    const shoal_fit_options *o = &fit->options;
    const fit_model *model = &fit->problem.model;
    const bool own = fit_formula_of(model) != NULL, sites = fit->problem.data->has_sites;
    const char *why = NULL;
    if ((o->alpha != 0.0 || o->fit_alpha) && !(model->globals_used & 1u << FIT_ALPHA))
        why = own ? "alpha: the formula has no a" : "alpha: the model has none";
    else if (own && o->hbond != SHOAL_HBOND_REPULSION)
        why = "hydrogen bonds: a formula says by H itself what they do";
    else if (own && !sites && o->coulomb != SHOAL_COULOMB_PLAIN)
        why = "a Coulomb kernel: all of the energy is in the formula";
    else if (o->fit_lambda && !uses_charges(fit))
        why = "lambda: the model has no charges";
    else if (o->type_charges && !uses_charges(fit) && !has_charged_radii(fit))
        why = "charges of types: the model has no charges";
    else if (o->site_model && !sites)
        why = "a model of sites: the data have none";
    if (!why) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "%s (model %.40s); expected no such option", why,
                      o->model ? o->model : "morse");
}

/* An atom without a charge would count as neutral without a word. */
static shoal_status refuse_bare(const shoal_fit *fit)
{
    const shoal_dataset *data = fit->problem.data;
    const bool needed = uses_charges(fit) || has_charged_radii(fit);
    for (int32_t k = 0; k < data->n_bare && needed; ++k) {
        const fit_bare *bare = &data->bare[k];
        if (fit->problem.type_charge[bare->type]) continue;
        return shoal_fail(
            SHOAL_E_FORMAT,
            "%s:%d: atom %s has no charge: expected one in column 5, charges of types "
            "from the table, or a model without Coulomb",
            data->sets[bare->set].label, (int)bare->line,
            shoal_atom_types_get(data->types, bare->type)->name);
    }
    return SHOAL_OK;
}

/* The width of a site's short-range term is its R. */
static shoal_status refuse_thin_sites(const shoal_fit *fit)
{
    const fit_problem *problem = &fit->problem;
    const shoal_dataset *data = problem->data;
    double *p = shoal_alloc((size_t)problem->n_slots, sizeof *p);
    if (!p) return SHOAL_E_MEMORY;
    fit_slots(fit, fit->value, p);
    int32_t thin = -1;
    for (int32_t i = 0; i < data->n_atoms && thin < 0; ++i)
        if (data->host[i] >= 0 && !(p[FIT_N_COMPS * data->type[i] + FIT_R] > 0.0))
            thin = data->type[i];
    free(p);
    if (thin < 0) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "site model %s: sites of type %s have no width: expected an R above 0 in the "
                      "table of types",
                      fit->options.site_model, shoal_atom_types_get(data->types, thin)->name);
}

static shoal_status make_evaluator(fit_evaluator **out, const fit_problem *problem,
                                   const char *name, bool single)
{
    if (strcmp(name, "moments") == 0) return fit_moments_create(out, problem);
    if (strcmp(name, "pairs") == 0) return fit_pairs_create(out, problem);
    if (strcmp(name, "opencl") == 0 || strncmp(name, "opencl:", 7) == 0)
        return fit_opencl_create(out, problem, name[6] ? name + 7 : "", !single);
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "evaluator '%s': expected moments, pairs or opencl[:WHICH], or several with "
                      "commas between them",
                      name);
}

static shoal_status choose_evaluator(shoal_fit *fit)
{
    const shoal_fit_options *o = &fit->options;
    const char *name = o->evaluator, *why;
    const fit_problem *problem = &fit->problem;
    if (!name) name = fit_moments_possible(problem, &why) ? "moments" : "pairs";
    const bool shared = strchr(name, ',') || (o->peers && o->peers->size > 1);
    if (!shared) return make_evaluator(&fit->evaluator, problem, name, o->single);
    return fit_split_create(&fit->evaluator, problem, name, o->single, o->peers, make_evaluator);
}

static shoal_status build(shoal_fit *fit, const char *path, const char *text, const char *label)
{
    SHOAL_TRY(copy_text(fit, &fit->options.model));
    SHOAL_TRY(copy_text(fit, &fit->options.constants));
    SHOAL_TRY(copy_text(fit, &fit->options.columns));
    SHOAL_TRY(copy_text(fit, &fit->options.site_model));
    SHOAL_TRY(copy_text(fit, &fit->options.evaluator));
    SHOAL_TRY(check_options(&fit->options));
    SHOAL_TRY(problem_set_model(fit));
    if (fit->options.strict) SHOAL_TRY(refuse_ignored(fit));
    if (path)
        SHOAL_TRY(fit_dofs_read(fit, path));
    else
        SHOAL_TRY(fit_dofs_read_memory(fit, text, label));
    SHOAL_TRY(fit_dofs_settle(fit));
    SHOAL_TRY(problem_settle(fit));
    SHOAL_TRY(refuse_bare(fit));
    if (fit->problem.site_model) SHOAL_TRY(refuse_thin_sites(fit));
    if (fit->problem.n_free == 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "%s: no DOF of a type that occurs in the data",
                          path ? path : label);
    if (fit_formula_of(&fit->problem.model)) {
        double *p = arena_alloc(&fit->memory, (size_t)fit->problem.n_slots, sizeof *p);
        if (!p) return SHOAL_E_MEMORY;
        fit_slots(fit, fit->value, p);
        SHOAL_TRY(fit_formula_check(&fit->problem, p, false));
    }
    return choose_evaluator(fit);
}

static shoal_status create(shoal_fit **out, const shoal_dataset *data, const char *path,
                           const char *text, const char *label, const shoal_fit_options *options)
{
    *out = NULL;
    if (data->n_samples == 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "the data set has no samples: nothing to fit");
    shoal_fit *fit = shoal_alloc(1, sizeof *fit);
    if (!fit) return SHOAL_E_MEMORY;
    if (options) fit->options = *options;
    fit->problem.data = data;
    const shoal_status status = build(fit, path, text, label);
    if (status != SHOAL_OK) {
        shoal_fit_destroy(fit);
        return status;
    }
    *out = fit;
    return SHOAL_OK;
}

shoal_status shoal_fit_create(shoal_fit **out, const shoal_dataset *data, const char *dofs,
                              const shoal_fit_options *options)
{
    shoal_clear_error();
    SHOAL_NEED(out && data && dofs);
    return create(out, data, dofs, NULL, NULL, options);
}

shoal_status shoal_fit_create_memory(shoal_fit **out, const shoal_dataset *data,
                                     const char *dofs_text, const char *label,
                                     const shoal_fit_options *options)
{
    shoal_clear_error();
    SHOAL_NEED(out && data && dofs_text && label);
    return create(out, data, NULL, dofs_text, label, options);
}

shoal_status shoal_fit_leave_peers(shoal_fit *fit)
{
    shoal_clear_error();
    SHOAL_NEED(fit);
    if (!fit->options.peers || fit->options.peers->size == 1) return SHOAL_OK;
    fit->evaluator->destroy(fit->evaluator);
    fit->evaluator = NULL;
    fit->options.peers = NULL;
    return choose_evaluator(fit);
}

void shoal_fit_destroy(shoal_fit *fit)
{
    if (!fit) return;
    fit_book_destroy(fit->book);
    if (fit->evaluator) fit->evaluator->destroy(fit->evaluator);
    if (fit->problem.model.destroy) fit->problem.model.destroy(&fit->problem.model);
    free(fit->dofs);
    free(fit->trajectory.rows);
    free(fit->covariance);
    free(fit->independent);
    free(fit->bootstrap);
    free(fit->folds);
    free(fit->predicted);
    free(fit->kept_error);
    free(fit->kept_dimers);
    arena_free(&fit->memory);
    free(fit);
}

const char *shoal_fit_evaluator(const shoal_fit *fit)
{
    return fit && fit->evaluator ? fit->evaluator->name : "";
}

int32_t shoal_fit_dofs(const shoal_fit *fit)
{
    return fit ? fit->n_dofs : 0;
}

int32_t shoal_fit_free_dofs(const shoal_fit *fit)
{
    return fit ? fit->problem.n_free : 0;
}

static shoal_status check_index(const shoal_fit *fit, int32_t dof)
{
    if (dof >= 0 && dof < fit->n_dofs) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "DOF %d of %d: there is none", (int)dof, (int)fit->n_dofs);
}

/* Standard deviation of the value where that of the scaled variable is error. A depth is a square:
 * var (s u)^2 = 4 s^4 u^2 var u + 2 s^4 var^2 u for normal u, which counts where it is near 0. */
static double spread(const fit_dof *dof, double u, double error)
{
    const bool squared = dof->type >= 0 && dof->comp == FIT_Y;
    const double straight = fit_dof_rate(dof, u) * error;
    const double bent = squared ? sqrt(2.0) * dof->scale * dof->scale * error * error : 0.0;
    return sqrt(straight * straight + bent * bent);
}

shoal_status shoal_fit_dof(const shoal_fit *fit, int32_t index, shoal_dof_info *info)
{
    shoal_clear_error();
    SHOAL_NEED(fit && info);
    SHOAL_TRY(check_index(fit, index));
    const fit_dof *dof = &fit->dofs[index];
    const double x = fit->value[index], u = fit_dof_scaled(dof, x);
    const double range = fit_dof_scaled(dof, dof->max) - fit_dof_scaled(dof, dof->min);
    *info = (shoal_dof_info){
        .type =
            dof->type < 0 ? "*" : shoal_atom_types_get(fit->problem.data->types, dof->type)->name,
        .comp = dof->type < 0 ? dof->name : fit_comp_name(&fit->problem, dof->comp),
        .start = dof->start,
        .value = x,
        .min = dof->min,
        .max = dof->max,
        .uncertainty = NAN,
        .independent = NAN,
        .bootstrap = NAN,
        .low = NAN,
        .high = NAN,
        .n_atoms = dof->n_atoms,
        .frozen = dof->frozen,
        .why = dof->frozen ? fit_dof_frozen_why(dof) : NULL,
        .at_bound = !dof->frozen && (u - fit_dof_scaled(dof, dof->min) < 1e-9 * range ||
                                     fit_dof_scaled(dof, dof->max) - u < 1e-9 * range)};
    if (fit->covariance && dof->column >= 0) {
        const int64_t at = (int64_t)dof->column * (fit->problem.n_free + 1);
        info->uncertainty = spread(dof, u, sqrt(fit->covariance[at]));
        info->independent = spread(dof, u, fit->independent[dof->column]);
    }
    if (fit->bootstrap && dof->column >= 0) {
        info->bootstrap = fit->bootstrap[dof->column].error;
        info->low = fit->bootstrap[dof->column].low;
        info->high = fit->bootstrap[dof->column].high;
    }
    return SHOAL_OK;
}

shoal_status shoal_fit_set_value(shoal_fit *fit, int32_t dof, double value)
{
    shoal_clear_error();
    SHOAL_NEED(fit);
    SHOAL_TRY(check_index(fit, dof));
    const fit_dof *d = &fit->dofs[dof];
    if (!(value >= d->min && value <= d->max))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "%s = %g: expected a value between its bounds %g and %g", d->name, value,
                          d->min, d->max);
    if (d->frozen)
        return shoal_fail(SHOAL_E_ARGUMENT, "%s is frozen: %s", d->name, fit_dof_frozen_why(d));
    fit->value[dof] = value;
    return SHOAL_OK;
}

shoal_status shoal_fit_objective(shoal_fit *fit, double *j, double *gradient)
{
    shoal_clear_error();
    SHOAL_NEED(fit && j);
    fit_objective *o;
    const size_t n = (size_t)fit->problem.n_free;
    double *u = shoal_alloc(2 * n, sizeof *u);
    if (!u) return SHOAL_E_MEMORY;
    shoal_status status = objective_create(&o, fit, false);
    for (size_t i = 0; i < n && status == SHOAL_OK; ++i)
        u[i] = fit_dof_scaled(&fit->dofs[fit->free_dofs[i]], fit->value[fit->free_dofs[i]]);
    if (status == SHOAL_OK) status = objective_value(o, u, j, u + n);
    for (int32_t i = 0; i < fit->n_dofs && gradient && status == SHOAL_OK; ++i) {
        const fit_dof *dof = &fit->dofs[i];
        const double *at = dof->column < 0 ? NULL : &u[dof->column];
        gradient[i] = at ? at[n] / fit_dof_rate(dof, *at) : 0.0;
    }
    objective_destroy(o);
    free(u);
    return status;
}

shoal_status shoal_fit_predict(shoal_fit *fit, double (*parts)[SHOAL_N_PARTS])
{
    shoal_clear_error();
    SHOAL_NEED(fit && parts);
    double *p = shoal_alloc((size_t)fit->problem.n_slots, sizeof *p);
    if (!p) return SHOAL_E_MEMORY;
    fit_slots(fit, fit->value, p);
    const shoal_status status = fit_pairs_parts(&fit->problem, p, parts);
    free(p);
    return status;
}

shoal_status shoal_fit_types(const shoal_fit *fit, shoal_atom_types **out)
{
    shoal_clear_error();
    SHOAL_NEED(fit && out);
    SHOAL_TRY(shoal_atom_types_copy(out, fit->problem.data->types));
    shoal_status status = SHOAL_OK;
    for (int32_t i = 0; i < fit->n_dofs && status == SHOAL_OK; ++i) {
        const fit_dof *dof = &fit->dofs[i];
        if (dof->type < 0 || dof->comp == FIT_L) continue;
        if (dof->comp >= FIT_EXTRA) {
            status =
                shoal_atom_types_set_column(*out, dof->type, dof->comp - FIT_EXTRA, fit->value[i]);
            continue;
        }
        const shoal_atom_type *t = shoal_atom_types_get(*out, dof->type);
        double v[FIT_N_COMPS] = {t->r, t->e, t->q, t->h};
        v[dof->comp] = fit->value[i];
        status = shoal_atom_types_set(*out, dof->type, v[FIT_R], v[FIT_Y], v[FIT_Q], v[FIT_H]);
    }
    if (status == SHOAL_OK) {
        const shoal_dataset *data = fit->problem.data;
        if (data->n_increments > 0) atom_types_truncate(*out, data->first_increment);
        return SHOAL_OK;
    }
    shoal_atom_types_destroy(*out);
    *out = NULL;
    return status;
}
