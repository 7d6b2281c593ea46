/* SPDX-License-Identifier: BSD-3-Clause
 * From options and data to the problem that evaluators see: slots, samples, blocks, columns. */
#include "fit/problem.h"

#ifdef _OPENMP
#include <omp.h>
#endif
#include <string.h>

#include "fit/formula_model.h"
#include "fit/sites.h"
#include "geom/vector.h"

/* A name and nothing else. */
static bool is_word(const char *text)
{
    const char *p = text;
    while (shoal_is_letter(*p) || shoal_is_digit(*p) || *p == '_') ++p;
    return !*p && shoal_is_letter(*text);
}

static bool needs_increments(const char *model)
{
    return model && (strcmp(model, "exp6-full") == 0 || strcmp(model, "best") == 0);
}

/* Models with sites, by name or as the best one. */
static bool needs_sites(const char *model)
{
    return model && (strcmp(model, "exp6-sites") == 0 || needs_increments(model));
}

shoal_status shoal_dataset_complete(shoal_dataset *data, const shoal_fit_options *options)
{
    shoal_clear_error();
    SHOAL_NEED(data && options);
    if (!data->has_sites && needs_sites(options->model))
        SHOAL_TRY(shoal_dataset_auto_sites(data, 0.0));
    const bool increments = options->fit_increments || needs_increments(options->model);
    return increments && data->n_bonds == 0 ? shoal_dataset_add_increments(data) : SHOAL_OK;
}

/* exp-6 whose radii depend on charges, with sites in place of hydrogen bonds. */
static shoal_status spell_out(shoal_fit *fit)
{
    shoal_fit_options *o = &fit->options;
    if (!needs_sites(o->model)) return SHOAL_OK;
    if (o->hbond != SHOAL_HBOND_REPULSION && o->hbond != SHOAL_HBOND_NONE)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "the model %s has no hydrogen-bond factor: expected none", o->model);
    if (!fit->problem.data->has_sites)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "the model %s: the data have no sites, expected those that "
                          "shoal_dataset_auto_sites puts there",
                          o->model);
    if (needs_increments(o->model) && fit->problem.data->n_bonds == 0)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "the model %s: the data have no increments, expected those that "
                          "shoal_dataset_add_increments puts there",
                          o->model);
    o->fit_increments = o->fit_increments || needs_increments(o->model);
    o->model = "exp6";
    o->hbond = SHOAL_HBOND_NONE;
    o->fit_alpha = o->fit_lambda = o->fit_radius_charge = o->fit_site_charges = true;
    return SHOAL_OK;
}

static shoal_status choose_model(shoal_fit *fit, double *alpha)
{
    const shoal_fit_options *o = &fit->options;
    const char *name = o->model ? o->model : "morse";
    fit_problem *problem = &fit->problem;
    if (!fit_model_builtin(name, o->hbond, &problem->model, alpha)) {
        if (is_word(name) && strcmp(name, "r") != 0)
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "model '%.40s': expected morse, lj, lj8, lj9, buck, exp6, morse6, "
                              "buck6, exp6-sites, exp6-full, best or a formula of r",
                              name);
        SHOAL_TRY(fit_formula_create(&problem->model, name, o->constants, o->columns, alpha));
    } else if (o->constants || o->columns) {
        return shoal_fail(SHOAL_E_ARGUMENT, "%s '%.40s': the model %s has none, expected a formula",
                          o->constants ? "constants" : "columns",
                          o->constants ? o->constants : o->columns, name);
    }
    if (o->alpha != 0.0) *alpha = o->alpha;
    if (o->components && fit_formula_of(&problem->model))
        return shoal_fail(SHOAL_E_UNSUPPORTED,
                          "components cannot be fitted with a formula: it is not split into "
                          "repulsion and attraction");
    if (strcmp(name, "exp6") == 0 && *alpha <= 6.0)
        return shoal_fail(SHOAL_E_ARGUMENT, "alpha %g of exp6: expected a number above 6", *alpha);
    if (!(*alpha >= 0.0 && isfinite(*alpha)))
        return shoal_fail(SHOAL_E_ARGUMENT, "alpha %g: expected a number above 0", *alpha);
    return SHOAL_OK;
}

/* Numbers of the types in the columns that a formula names. */
static shoal_status take_extra(const fit_problem *problem, double *p)
{
    const formula *f = fit_formula_of(&problem->model);
    for (int32_t t = 0; f && t < problem->n_types; ++t)
        for (int32_t k = 0; k < problem->model.n_extra; ++k)
            SHOAL_TRY(formula_column_value(formula_columns_of(f), problem->data->types, t, k,
                                           &p[FIT_N_COMPS * t + FIT_EXTRA + k]));
    return SHOAL_OK;
}

/* Sites start where the data have them, those that no atom got where their rules say. */
static void set_site_distances(const fit_problem *problem, double *p)
{
    const shoal_dataset *data = problem->data;
    for (int32_t r = 0; r < data->n_site_rules; ++r) {
        const int32_t type = shoal_atom_types_find(data->types, data->site_rules[r].site);
        p[FIT_N_COMPS * type + FIT_L] = data->site_rules[r].distance;
    }
    for (int32_t s = data->has_sites ? data->n_samples - 1 : -1; s >= 0; --s) {
        const int32_t start = data->samples[s].atom_start;
        for (int32_t i = start; i < start + data->samples[s].n_atoms; ++i) {
            if (data->host[i] < 0) continue;
            const double length = vector_distance(data->pos[i], data->pos[start + data->host[i]]);
            p[FIT_N_COMPS * data->type[i] + FIT_L] = length;
            p[FIT_N_COMPS * problem->n_types + FIT_SITE_L] = length;
        }
    }
}

static shoal_status choose_site_model(shoal_fit *fit)
{
    const char *name = fit->options.site_model;
    if (!name) return SHOAL_OK;
    fit_model *model = arena_alloc(&fit->memory, 1, sizeof *model);
    if (!model) return SHOAL_E_MEMORY;
    if (!fit_site_model(name, model))
        return shoal_fail(SHOAL_E_ARGUMENT, "site model '%s': expected sr, sr2 or sr3", name);
    fit->problem.site_model = model;
    return SHOAL_OK;
}

/* What can be added to a model: radii that depend on charges, damped dispersion. */
static shoal_status check_additions(const shoal_fit *fit)
{
    const shoal_fit_options *o = &fit->options;
    const fit_model *model = &fit->problem.model;
    const bool radii = o->radius_charge != 0.0 || o->fit_radius_charge;
    const bool damped = o->dispersion_damping != 0.0 || o->fit_dispersion_damping;
    if (radii && fit_formula_of(model))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "radii that depend on charges: a formula has its own, write R0 - "
                          "c*(Qi + Qj)");
    if (damped && !model->disperses)
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "damped dispersion: the model %s has no u^6, expected lj, lj8, lj9, buck, "
            "buck6 or exp6",
            model->name);
    if (o->fit_coulomb_damping && o->coulomb != SHOAL_COULOMB_DAMPED &&
        o->coulomb != SHOAL_COULOMB_ERF)
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "fitted damping of the Coulomb energy: expected the kernel damped or erf");
    if (!isfinite(o->radius_charge) || !(o->dispersion_damping >= 0.0) ||
        !isfinite(o->dispersion_damping))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "radius by charge %g A/e, damping of dispersion %g 1/A: expected finite "
                          "numbers, the second not below 0",
                          o->radius_charge, o->dispersion_damping);
    return SHOAL_OK;
}

shoal_status problem_set_model(shoal_fit *fit)
{
    fit_problem *problem = &fit->problem;
    double alpha = 1.6; /* of a formula that does not give its own */
    problem->n_types = shoal_atom_types_count(problem->data->types);
    SHOAL_TRY(spell_out(fit));
    SHOAL_TRY(choose_model(fit, &alpha));
    SHOAL_TRY(choose_site_model(fit));
    SHOAL_TRY(check_additions(fit));
    problem->n_globals = FIT_N_FIXED_GLOBALS + problem->model.n_constants;
    if (problem->n_globals > FIT_MAX_GLOBALS)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "the formula has %d constants, at most %d are known",
                          (int)problem->model.n_constants, FIT_MAX_GLOBALS - FIT_N_FIXED_GLOBALS);
    problem->n_slots = FIT_N_COMPS * problem->n_types + problem->n_globals;
    problem->coulomb = fit->options.coulomb;
    problem->coulomb_damping = fit->options.coulomb_damping;
    if ((problem->coulomb == SHOAL_COULOMB_DAMPED || problem->coulomb == SHOAL_COULOMB_ERF) &&
        !(problem->coulomb_damping > 0.0))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "damping %g A of the Coulomb energy: expected a number "
                          "above 0",
                          problem->coulomb_damping);
    problem->neutral = fit->options.neutral;
    double *p = arena_alloc(&fit->memory, (size_t)problem->n_slots, sizeof *p);
    if (!p) return SHOAL_E_MEMORY;
    for (int32_t t = 0; t < problem->n_types; ++t) {
        const shoal_atom_type *type = shoal_atom_types_get(problem->data->types, t);
        const double slots[FIT_N_COMPS] = {type->r, sqrt(type->e), type->q, type->h, 0.0};
        memcpy(&p[FIT_N_COMPS * t], slots, sizeof slots);
    }
    double *globals = &p[FIT_N_COMPS * problem->n_types];
    globals[FIT_ALPHA] = alpha;
    globals[FIT_LAMBDA] = 1.0;
    globals[FIT_RADIUS_C] = fit->options.radius_charge;
    globals[FIT_BETA] = fit->options.dispersion_damping;
    if (fit->options.fit_dispersion_damping && globals[FIT_BETA] == 0.0) globals[FIT_BETA] = 4.0;
    globals[FIT_COULOMB_D] = problem->coulomb_damping;
    for (int32_t k = 0; k < problem->model.n_constants; ++k)
        globals[FIT_N_FIXED_GLOBALS + k] = problem->model.constant_values[k];
    set_site_distances(problem, p);
    SHOAL_TRY(take_extra(problem, p));
    problem->fixed = p;
    return SHOAL_OK;
}

/* Samples as they are, or three times each with one of its components. */
static shoal_status set_samples(shoal_fit *fit)
{
    fit_problem *problem = &fit->problem;
    const shoal_dataset *data = problem->data;
    const int32_t n_parts = fit->options.components ? 3 : 1, n = data->n_samples;
    const size_t total = (size_t)n_parts * (size_t)n;
    int32_t *source = arena_alloc(&fit->memory, total, sizeof *source);
    double(*scale)[3] = arena_alloc(&fit->memory, total, sizeof *scale);
    fit->reference = arena_alloc(&fit->memory, total, sizeof *fit->reference);
    fit->weight = arena_alloc(&fit->memory, total, sizeof *fit->weight);
    if (!source || !scale || !fit->reference || !fit->weight) return SHOAL_E_MEMORY;
    double sum = 0.0;
    for (int32_t s = 0; s < n; ++s) sum += n_parts * dataset_weight(data, s);
    if (!(sum > 0.0))
        return shoal_fail(SHOAL_E_ARGUMENT, "no sample has a weight above 0: nothing to fit");
    for (int32_t part = 0; part < n_parts; ++part)
        for (int32_t s = 0; s < n; ++s) {
            const int32_t i = part * n + s;
            const double *sapt = data->samples[s].sapt;
            const double by_part[3] = {sapt[SAPT_ELST], sapt[SAPT_EXCH],
                                       sapt[SAPT_IND] + sapt[SAPT_DISP]};
            source[i] = s;
            for (int k = 0; k < 3; ++k) scale[i][k] = n_parts == 1 || k == part ? 1.0 : 0.0;
            fit->reference[i] = n_parts == 1 ? data->samples[s].reference : by_part[part];
            fit->weight[i] = dataset_weight(data, s) / sum;
            if (!isfinite(fit->reference[i]))
                return shoal_fail(SHOAL_E_FORMAT,
                                  "%s: frame %d (%s): expected Elst, Exch, Ind and Disp in its "
                                  "comment, as components are to be fitted",
                                  data->sets[data->samples[s].set].label,
                                  (int)(s - data->sets[data->samples[s].set].first) + 1,
                                  data->samples[s].name);
        }
    problem->n_samples = (int32_t)total;
    problem->source = source;
    problem->part_scale = (const double(*)[3])scale;
    return SHOAL_OK;
}

static bool alike(const shoal_dataset *data, const fit_sample *a, const fit_sample *b)
{
    const size_t n = (size_t)a->n_atoms;
    if (a->n_bonds != b->n_bonds ||
        (a->n_bonds > 0 && memcmp(&data->bonds[a->bond_start], &data->bonds[b->bond_start],
                                  (size_t)a->n_bonds * sizeof *data->bonds) != 0))
        return false;
    return a->n_atoms == b->n_atoms && a->n_first == b->n_first &&
           memcmp(&data->type[a->atom_start], &data->type[b->atom_start], n * sizeof *data->type) ==
               0 &&
           memcmp(&data->host[a->atom_start], &data->host[b->atom_start], n * sizeof *data->host) ==
               0;
}

/* Free DOFs that a sample may depend on. */
static shoal_status find_columns(shoal_fit *fit, const fit_sample *s, bool *present,
                                 fit_block *block)
{
    const shoal_dataset *data = fit->problem.data;
    memset(present, 0, (size_t)fit->problem.n_types * sizeof *present);
    for (int32_t i = 0; i < s->n_atoms; ++i) present[data->type[s->atom_start + i]] = true;
    for (int32_t k = 0; k < s->n_bonds; ++k) present[data->bonds[s->bond_start + k].type] = true;
    int32_t *columns = arena_alloc(&fit->memory, (size_t)fit->problem.n_free, sizeof *columns);
    if (!columns) return SHOAL_E_MEMORY;
    for (int32_t c = 0; c < fit->problem.n_free; ++c) {
        const fit_dof *dof = &fit->dofs[fit->free_dofs[c]];
        if (dof->type < 0 || present[dof->type]) columns[block->n_columns++] = c;
    }
    block->columns = columns;
    return SHOAL_OK;
}

static shoal_status cut_blocks(shoal_fit *fit)
{
    fit_problem *problem = &fit->problem;
    const shoal_dataset *data = problem->data;
    const size_t n = (size_t)problem->n_samples;
    fit_block *blocks = arena_alloc(&fit->memory, n, sizeof *blocks);
    int32_t *block_of = arena_alloc(&fit->memory, n, sizeof *block_of);
    int64_t *row_start = arena_alloc(&fit->memory, n + 1, sizeof *row_start);
    bool *present = arena_alloc(&fit->memory, (size_t)problem->n_types, sizeof *present);
    if (!blocks || !block_of || !row_start || !present) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < problem->n_samples; ++i) {
        const fit_sample *s = &data->samples[problem->source[i]];
        fit_block *last = problem->n_blocks > 0 ? &blocks[problem->n_blocks - 1] : NULL;
        if (!last || last->n == FIT_BLOCK ||
            !alike(data, s, &data->samples[problem->source[last->first]])) {
            last = &blocks[problem->n_blocks++];
            last->first = i;
            SHOAL_TRY(find_columns(fit, s, present, last));
        }
        last->n++;
        block_of[i] = problem->n_blocks - 1;
        row_start[i + 1] = row_start[i] + last->n_columns;
    }
    problem->blocks = blocks;
    problem->block_of = block_of;
    problem->row_start = row_start;
    return SHOAL_OK;
}

static bool is_distance(const fit_dof *dof)
{
    return dof->type >= 0 ? dof->comp == FIT_L : dof->comp == FIT_SITE_L;
}

/* What the energy has to know of a DOF, be it free or held by equal bounds. */
static void note_dof(fit_problem *problem, const fit_dof *dof)
{
    const bool global = dof->type < 0;
    problem->sites_move |= is_distance(dof) && problem->data->has_sites && dof->n_atoms > 0;
    problem->charged_radii |= global && dof->comp == FIT_RADIUS_C;
    problem->damps |= global && dof->comp == FIT_BETA;
    if (global && dof->comp == FIT_COULOMB_D) problem->coulomb_damping = dof->start;
}

/* Every type of sites has its own distance, unless there is a common one. */
static int32_t usual_site_slot(const shoal_fit *fit, int32_t type)
{
    for (int32_t i = 0; i < fit->n_dofs; ++i)
        if (fit->dofs[i].type < 0 && is_distance(&fit->dofs[i])) return fit->dofs[i].slot;
    return FIT_N_COMPS * type + FIT_L;
}

/* Columns of the free DOFs, sources of charges and distances. */
static shoal_status set_columns(shoal_fit *fit)
{
    fit_problem *problem = &fit->problem;
    const size_t n_types = (size_t)problem->n_types, n_dofs = (size_t)fit->n_dofs;
    int32_t *slots = arena_alloc(&fit->memory, n_dofs, sizeof *slots);
    int32_t *site_slot = arena_alloc(&fit->memory, n_types, sizeof *site_slot);
    bool *type_charge = arena_alloc(&fit->memory, n_types, sizeof *type_charge);
    fit->free_dofs = arena_alloc(&fit->memory, n_dofs, sizeof *fit->free_dofs);
    if (!slots || !site_slot || !type_charge || !fit->free_dofs) return SHOAL_E_MEMORY;
    for (size_t t = 0; t < n_types; ++t) {
        site_slot[t] = usual_site_slot(fit, (int32_t)t);
        type_charge[t] = fit->options.type_charges;
    }
    for (int32_t i = 0; i < fit->n_dofs; ++i) {
        fit_dof *dof = &fit->dofs[i];
        if (is_distance(dof) && !problem->data->has_sites) {
            dof->frozen = true;
            dof->why = "the data have no sites";
        }
        if (dof->type >= 0 && dof->comp == FIT_L) site_slot[dof->type] = dof->slot;
        if (dof->type >= 0 && dof->comp == FIT_Q) type_charge[dof->type] = true;
        note_dof(problem, dof);
        if (dof->frozen) continue;
        problem->damping_moves |= dof->type < 0 && dof->comp == FIT_COULOMB_D;
        dof->column = problem->n_free;
        slots[problem->n_free] = dof->slot;
        fit->free_dofs[problem->n_free++] = i;
    }
    const double *globals = &problem->fixed[FIT_N_COMPS * problem->n_types];
    problem->charged_radii = problem->charged_radii || globals[FIT_RADIUS_C] != 0.0;
    problem->damps = problem->damps || globals[FIT_BETA] > 0.0;
    if (problem->damps) problem->model.globals_used |= 1u << FIT_BETA;
    problem->column_slot = slots;
    problem->site_slot = site_slot;
    problem->type_charge = type_charge;
    return SHOAL_OK;
}

/* Constants without a value must be DOFs with a start. */
static shoal_status check_constants(const shoal_fit *fit)
{
    const fit_problem *problem = &fit->problem;
    for (int32_t k = 0; k < problem->model.n_constants; ++k)
        if (isnan(problem->fixed[FIT_N_COMPS * problem->n_types + FIT_N_FIXED_GLOBALS + k]))
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "the formula uses '%s', which has no value: give it one, or list "
                              "'* %s ...' with a start among the DOFs",
                              problem->model.constants[k], problem->model.constants[k]);
    return SHOAL_OK;
}

/* Fragments without charges have those of the molecules that they are, as in engines. */
static shoal_status find_formal(shoal_fit *fit)
{
    fit_problem *problem = &fit->problem;
    if (!problem->neutral || problem->data->n_bare == 0) return SHOAL_OK;
    double(*formal)[2] =
        arena_alloc(&fit->memory, (size_t)problem->data->n_samples, sizeof *formal);
    if (!formal) return SHOAL_E_MEMORY;
    problem->formal = (const double(*)[2])formal;
    return dataset_formal_charges(problem->data, formal);
}

shoal_status problem_settle(shoal_fit *fit)
{
    fit_problem *problem = &fit->problem;
    double *fixed = arena_alloc(&fit->memory, (size_t)problem->n_slots, sizeof *fixed);
    fit->value = arena_alloc(&fit->memory, (size_t)fit->n_dofs, sizeof *fit->value);
    if (!fixed || !fit->value) return SHOAL_E_MEMORY;
    SHOAL_TRY(set_columns(fit));
    memcpy(fixed, problem->fixed, (size_t)problem->n_slots * sizeof *fixed);
    for (int32_t i = 0; i < fit->n_dofs; ++i) {
        const fit_dof *dof = &fit->dofs[i];
        fit->value[i] = dof->start;
        fixed[dof->slot] = dof->frozen ? fit_dof_scaled(dof, dof->start) * dof->scale : 0.0;
    }
    problem->fixed = fixed;
    SHOAL_TRY(check_constants(fit));
    SHOAL_TRY(find_formal(fit));
    SHOAL_TRY(set_samples(fit));
    SHOAL_TRY(cut_blocks(fit));
    SHOAL_TRY(problem_start_charges(fit));
    problem->n_threads = fit->options.n_threads;
    if (problem->n_threads <= 0) {
        problem->n_threads = 1;
#ifdef _OPENMP
        problem->n_threads = omp_get_max_threads();
#endif
    }
    return SHOAL_OK;
}

void fit_slots(const shoal_fit *fit, const double *value, double *p)
{
    memcpy(p, fit->problem.fixed, (size_t)fit->problem.n_slots * sizeof *p);
    for (int32_t i = 0; i < fit->n_dofs; ++i) {
        const fit_dof *dof = &fit->dofs[i];
        p[dof->slot] = fit_dof_scaled(dof, value[i]) * dof->scale;
    }
}
