/* SPDX-License-Identifier: BSD-3-Clause
 * What was fitted as a pair model, for engines: everything that shoal_fit_predict uses, or a refusal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fit/formula_model.h"
#include "fit/objective.h"
#include "io/atom_types.h"
#include "shoal/version.h"

/* A model on its way out. */
typedef struct model_parts {
    const double *p; /* [n_slots] */
    const double *globals;
    shoal_pair_settings s;
    shoal_site_rule *sites;
    char (*charged)[SHOAL_TYPE_NAME_SIZE];
    shoal_charge_increment *increments;
    shoal_pair_constant constants[FORMULA_N_NAMED];
    shoal_string formula;
} model_parts;

/* Rules of the data with the distances that were fitted. */
static shoal_status take_sites(const shoal_fit *fit, model_parts *m)
{
    const fit_problem *problem = &fit->problem;
    const shoal_dataset *data = problem->data;
    if (data->has_sites && data->n_site_rules == 0)
        return shoal_fail(SHOAL_E_UNSUPPORTED,
                          "the frames came with sites: a pair model needs rules that put them "
                          "there; expected frames without, and sites by the fit");
    m->sites = shoal_alloc((size_t)data->n_site_rules + 1, sizeof *m->sites);
    if (!m->sites) return SHOAL_E_MEMORY;
    if (data->n_site_rules > 0)
        memcpy(m->sites, data->site_rules, (size_t)data->n_site_rules * sizeof *m->sites);
    for (int32_t r = 0; r < data->n_site_rules; ++r) {
        const int32_t type = shoal_atom_types_find(data->types, m->sites[r].site);
        if (problem->sites_move) m->sites[r].distance = m->p[problem->site_slot[type]];
        if (m->sites[r].kind == SHOAL_SITE_BEYOND) m->sites[r].n = 1;
    }
    m->s.sites = m->sites;
    m->s.n_sites = data->n_site_rules;
    return SHOAL_OK;
}

/* Types of atoms with a charge of their own; those of sites always have theirs. */
static shoal_status take_charges(const shoal_fit *fit, model_parts *m)
{
    const fit_problem *problem = &fit->problem;
    m->charged = shoal_alloc((size_t)problem->n_types + 1, sizeof *m->charged);
    if (!m->charged) return SHOAL_E_MEMORY;
    m->s.all_charged = fit->options.type_charges;
    m->s.neutral = problem->neutral;
    if (!m->s.all_charged) m->s.charges = problem->data->charges;
    for (int32_t t = 0; t < problem->n_types && !m->s.all_charged; ++t) {
        const shoal_atom_type *type = shoal_atom_types_get(problem->data->types, t);
        const char *name = type->name;
        bool atom = strcmp(type->element, ATOM_TYPE_NO_ATOM) != 0;
        for (int32_t r = 0; r < m->s.n_sites; ++r)
            atom = atom && strcmp(m->sites[r].site, name) != 0;
        if (problem->type_charge[t] && atom)
            memcpy(m->charged[m->s.n_charged_types++], name, strlen(name) + 1);
    }
    m->s.charged_types = (const char(*)[SHOAL_TYPE_NAME_SIZE])m->charged;
    return SHOAL_OK;
}

static shoal_status take_increments(const shoal_fit *fit, model_parts *m)
{
    m->s.n_increments = shoal_fit_increments(fit, NULL);
    m->increments = shoal_alloc((size_t)m->s.n_increments + 1, sizeof *m->increments);
    if (!m->increments) return SHOAL_E_MEMORY;
    (void)shoal_fit_increments(fit, m->increments);
    m->s.increments = m->increments;
    return SHOAL_OK;
}

/* The formula with lambda at every Q, which is the plain product of two charges in a pair model. */
static shoal_status put_lambda(shoal_string *out, const char *text, double lambda)
{
    for (const char *p = text; *p;) {
        const char *end = p;
        while (shoal_is_letter(*end) || shoal_is_digit(*end) || *end == '_') ++end;
        if (end == p) ++end;
        if (end - p == 1 && *p == 'Q') {
            shoal_string_put_text(out, "(");
            shoal_string_put_number(out, lambda);
            shoal_string_put_text(out, "*Q)");
        } else {
            shoal_string_put(out, p, (size_t)(end - p));
        }
        p = end;
    }
    return shoal_string_status(out);
}

static shoal_status take_formula(const shoal_fit *fit, const formula *f, model_parts *m)
{
    const double lambda = m->globals[FIT_LAMBDA];
    m->s.form = SHOAL_FORM_FORMULA;
    m->s.formula = formula_text(f);
    if (lambda != 1.0 && formula_uses(f, FORMULA_IN_Q)) {
        SHOAL_TRY(put_lambda(&m->formula, formula_text(f), lambda));
        m->s.formula = shoal_string_data(&m->formula);
    }
    for (int32_t k = 0; k < formula_n_inputs(f) - FORMULA_N_PAIR; ++k) {
        shoal_pair_constant *c = &m->constants[m->s.n_constants++];
        (void)snprintf(c->name, sizeof c->name, "%s", formula_input_name(f, FORMULA_N_PAIR + k));
        c->value = m->globals[fit_formula_global(&fit->problem.model, k)];
    }
    m->s.constants = m->constants;
    m->s.columns = formula_columns_of(f)->names;
    m->s.n_columns = formula_columns_of(f)->n;
    return SHOAL_OK;
}

static void take_form(const shoal_fit *fit, model_parts *m)
{
    const fit_problem *problem = &fit->problem;
    const bool off = m->globals[FIT_LAMBDA] == 0.0; /* which settings would take as the usual 1 */
    const bool soft =
        problem->coulomb == SHOAL_COULOMB_DAMPED || problem->coulomb == SHOAL_COULOMB_ERF;
    m->s.form = (shoal_pair_form)shoal_pair_form_by_name(problem->model.name);
    if (problem->model.globals_used & 1u << FIT_ALPHA) m->s.alpha = m->globals[FIT_ALPHA];
    m->s.hbond = problem->model.hbond;
    m->s.coulomb = off ? SHOAL_COULOMB_NONE : problem->coulomb;
    if (soft && !off) m->s.coulomb_damping = m->globals[FIT_COULOMB_D];
    m->s.lambda = m->globals[FIT_LAMBDA];
    m->s.radius_charge = m->globals[FIT_RADIUS_C];
    if (problem->damps) m->s.dispersion_damping = m->globals[FIT_BETA];
}

static shoal_status make(const shoal_fit *fit, model_parts *m, shoal_pair_model **out)
{
    const formula *f = fit_formula_of(&fit->problem.model);
    shoal_atom_types *types;
    if (fit->problem.site_model)
        return shoal_fail(SHOAL_E_UNSUPPORTED,
                          "short-range terms of sites (%s) are known to fits alone: no pair model "
                          "has them",
                          fit->options.site_model);
    SHOAL_TRY(take_sites(fit, m));
    SHOAL_TRY(take_charges(fit, m));
    SHOAL_TRY(take_increments(fit, m));
    if (f)
        SHOAL_TRY(take_formula(fit, f, m));
    else
        take_form(fit, m);
    SHOAL_TRY(shoal_fit_types(fit, &types));
    const shoal_status status = shoal_pair_model_create(out, &m->s, types);
    shoal_atom_types_destroy(types);
    return status;
}

shoal_status shoal_fit_pair_model(const shoal_fit *fit, shoal_pair_model **out)
{
    shoal_clear_error();
    SHOAL_NEED(fit && out);
    double *p = shoal_alloc((size_t)fit->problem.n_slots, sizeof *p);
    if (!p) return SHOAL_E_MEMORY;
    fit_slots(fit, fit->value, p);
    model_parts m = {.p = p, .globals = p + FIT_N_COMPS * fit->problem.n_types};
    *out = NULL;
    const shoal_status status = make(fit, &m, out);
    free(m.sites);
    free(m.charged);
    free(m.increments);
    shoal_string_free(&m.formula);
    free(p);
    return status;
}

shoal_status shoal_fit_write_model(const shoal_fit *fit, const char *path)
{
    shoal_clear_error();
    SHOAL_NEED(fit && path);
    shoal_pair_model *model;
    char comment[128];
    (void)snprintf(comment, sizeof comment, "fitted by shoal " SHOAL_VERSION " to %d samples",
                   (int)fit->problem.data->n_samples);
    SHOAL_TRY(shoal_fit_pair_model(fit, &model));
    const shoal_status status = shoal_pair_model_write(model, path, comment);
    shoal_pair_model_destroy(model);
    return status;
}
