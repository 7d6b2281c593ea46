/* SPDX-License-Identifier: BSD-3-Clause
 * A pair model as a fit that is only evaluated: every setting of the model is honoured here, or refused. */
#include <stdio.h>
#include <string.h>

#include "fit/objective.h"
#include "shoal/fit_data.h"

/* Evaluators want something that can change; nobody changes it. */
static shoal_status put_some_dof(shoal_string *dofs, const shoal_dataset *data)
{
    for (int32_t i = 0; i < data->n_atoms; ++i) {
        if (data->host[i] >= 0) continue;
        shoal_string_put_text(dofs, shoal_atom_types_get(data->types, data->type[i])->name);
        shoal_string_put_text(dofs, " R 0 1000 1 0 0 0 0\n");
        return shoal_string_status(dofs);
    }
    return shoal_fail(SHOAL_E_ARGUMENT, "the data set has no samples: nothing to evaluate");
}

/* A value that stays: bounds that are equal. */
static void put_fixed(shoal_string *dofs, const char *type, const char *comp, double value)
{
    shoal_string_put_text(dofs, type);
    shoal_string_put_text(dofs, " ");
    shoal_string_put_text(dofs, comp);
    for (int k = 0; k < 2; ++k) {
        shoal_string_put_text(dofs, " ");
        shoal_string_put_number(dofs, value);
    }
    shoal_string_put_text(dofs, " 1 0 0 0 0 ");
    shoal_string_put_number(dofs, value);
    shoal_string_put_text(dofs, "\n");
}

/* Types with a charge of their own are those with a Q among the DOFs. */
static shoal_status put_charges(shoal_string *dofs, const shoal_pair_settings *s,
                                const shoal_dataset *data)
{
    for (int32_t k = 0; k < s->n_charged_types && !s->all_charged; ++k) {
        const char *name = s->charged_types[k];
        const int32_t type = shoal_atom_types_find(data->types, name);
        if (type < 0)
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "type %s has a charge in the model, but is not in the data's table",
                              name);
        put_fixed(dofs, name, "Q", shoal_atom_types_get(data->types, type)->q);
    }
    return shoal_string_status(dofs);
}

static shoal_status put_constants(shoal_string *out, const shoal_pair_settings *s)
{
    for (int32_t k = 0; k < s->n_constants; ++k) {
        if (k > 0) shoal_string_put_text(out, " ");
        shoal_string_put_text(out, s->constants[k].name);
        shoal_string_put_text(out, "=");
        shoal_string_put_number(out, s->constants[k].value);
    }
    return shoal_string_status(out);
}

static shoal_status put_columns(shoal_string *out, const shoal_pair_settings *s)
{
    for (int32_t k = 0; k < s->n_columns; ++k) {
        if (k > 0) shoal_string_put_text(out, " ");
        shoal_string_put_text(out, s->columns[k]);
    }
    return shoal_string_status(out);
}

/* What the options point to. */
typedef struct option_texts {
    shoal_string dofs, constants, columns;
} option_texts;

static shoal_status translate(const shoal_pair_settings *s, const shoal_dataset *data,
                              shoal_fit_options *o, option_texts *texts)
{
    shoal_string *dofs = &texts->dofs;
    SHOAL_TRY(put_constants(&texts->constants, s));
    SHOAL_TRY(put_columns(&texts->columns, s));
    o->model = s->form == SHOAL_FORM_FORMULA ? s->formula : shoal_pair_form_name((int)s->form);
    o->constants = s->n_constants > 0 ? shoal_string_data(&texts->constants) : NULL;
    o->columns = s->n_columns > 0 ? shoal_string_data(&texts->columns) : NULL;
    o->alpha = s->alpha;
    o->hbond = s->hbond;
    o->coulomb = s->coulomb;
    o->coulomb_damping = s->coulomb_damping;
    o->radius_charge = s->radius_charge;
    o->dispersion_damping = s->dispersion_damping;
    o->type_charges = s->all_charged;
    o->neutral = s->neutral;
    if (s->lambda != 0.0 && s->lambda != 1.0) put_fixed(dofs, "*", "lambda", s->lambda);
    return put_charges(dofs, s, data);
}

static shoal_status create_fixed(shoal_fit **out, const shoal_dataset *data,
                                 const shoal_fit_options *options, shoal_string *dofs)
{
    shoal_fit_options o = *options;
    o.evaluator = "pairs";
    o.single = false;
    SHOAL_TRY(put_some_dof(dofs, data));
    return shoal_fit_create_memory(out, data, shoal_string_data(dofs), "model", &o);
}

shoal_status shoal_fit_create_fixed(shoal_fit **out, const shoal_dataset *data,
                                    const shoal_fit_options *options)
{
    static const shoal_fit_options defaults = {0};
    shoal_clear_error();
    SHOAL_NEED(out && data);
    shoal_string dofs = {0};
    *out = NULL;
    const shoal_status status = create_fixed(out, data, options ? options : &defaults, &dofs);
    shoal_string_free(&dofs);
    return status;
}

shoal_status shoal_fit_create_model(shoal_fit **out, shoal_dataset *data,
                                    const shoal_pair_model *model, int32_t n_threads)
{
    shoal_clear_error();
    SHOAL_NEED(out && data && model);
    shoal_fit_options o = {.n_threads = n_threads};
    option_texts texts = {0};
    *out = NULL;
    const shoal_pair_settings *s = shoal_pair_model_settings(model);
    if (data->has_sites)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "the frames came with sites: a pair model puts its own; expected frames "
                          "without");
    if (s->n_sites > 0) SHOAL_TRY(shoal_dataset_put_sites(data, s->sites, s->n_sites));
    if (s->n_increments > 0)
        SHOAL_TRY(shoal_dataset_put_increments(data, s->increments, s->n_increments));
    shoal_status status = translate(s, data, &o, &texts);
    if (status == SHOAL_OK) status = create_fixed(out, data, &o, &texts.dofs);
    shoal_string_free(&texts.dofs);
    shoal_string_free(&texts.constants);
    shoal_string_free(&texts.columns);
    return status;
}
