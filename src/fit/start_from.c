/* SPDX-License-Identifier: BSD-3-Clause
 * Values of a pair model taken over into a fit, to go on from there. */
#include <math.h>
#include <string.h>

#include "fit/formula_model.h"
#include "fit/objective.h"
#include "fit/problem.h"

/* NaN: the model does not say. */
static double constant_of(const shoal_pair_settings *s, const char *name)
{
    for (int32_t k = 0; k < s->n_constants; ++k)
        if (strcmp(s->constants[k].name, name) == 0) return s->constants[k].value;
    return NAN;
}

static double site_distance(const shoal_pair_settings *s, const char *type)
{
    for (int32_t k = 0; k < s->n_sites; ++k)
        if (!type || strcmp(s->sites[k].site, type) == 0) return s->sites[k].distance;
    return NAN;
}

static double increment_of(const shoal_pair_settings *s, const shoal_charge_increment *x)
{
    for (int32_t k = 0; k < s->n_increments; ++k) {
        const shoal_charge_increment *y = &s->increments[k];
        if (strcmp(x->from, y->from) == 0 && strcmp(x->to, y->to) == 0) return y->value;
        if (strcmp(x->from, y->to) == 0 && strcmp(x->to, y->from) == 0) return -y->value;
    }
    return NAN;
}

static double global_value(const fit_dof *dof, const shoal_pair_settings *s)
{
    const bool own = s->form == SHOAL_FORM_FORMULA;
    switch (dof->comp) {
    case FIT_ALPHA: return own ? constant_of(s, "a") : s->alpha > 0.0 ? s->alpha : NAN;
    case FIT_LAMBDA: return own ? NAN : s->lambda > 0.0 ? s->lambda : 1.0;
    case FIT_SITE_L: return site_distance(s, NULL);
    case FIT_RADIUS_C: return s->radius_charge;
    case FIT_BETA: return s->dispersion_damping > 0.0 ? s->dispersion_damping : NAN;
    case FIT_COULOMB_D: return s->coulomb_damping > 0.0 ? s->coulomb_damping : NAN;
    default: return constant_of(s, dof->name);
    }
}

static double type_value(const shoal_fit *fit, const fit_dof *dof, const shoal_pair_model *model)
{
    const shoal_dataset *data = fit->problem.data;
    const shoal_pair_settings *s = shoal_pair_model_settings(model);
    const shoal_atom_types *types = shoal_pair_model_types(model);
    const char *name = shoal_atom_types_get(data->types, dof->type)->name;
    if (data->n_increments > 0 && dof->type >= data->first_increment)
        return increment_of(s, &data->increments[dof->type - data->first_increment]);
    if (dof->comp == FIT_L) return site_distance(s, name);
    const int32_t row = shoal_atom_types_find(types, name);
    if (row < 0) return NAN;
    const shoal_atom_type *t = shoal_atom_types_get(types, row);
    switch (dof->comp) {
    case FIT_R: return t->r;
    case FIT_Y: return t->e;
    case FIT_Q: return t->q;
    case FIT_H: return t->h;
    default: break;
    }
    const char *column = fit_comp_name(&fit->problem, dof->comp);
    for (int32_t k = 0; k < s->n_columns; ++k)
        if (strcmp(s->columns[k], column) == 0) return shoal_atom_types_column(types, row, k);
    return NAN;
}

shoal_status shoal_fit_start_from(shoal_fit *fit, const shoal_pair_model *model, int32_t *n_taken)
{
    shoal_clear_error();
    SHOAL_NEED(fit && model);
    int32_t n = 0;
    if (!shoal_pair_model_types(model))
        return shoal_fail(SHOAL_E_ARGUMENT, "the model has no table of types to start from");
    const shoal_pair_settings *s = shoal_pair_model_settings(model);
    const int form = shoal_pair_form_by_name(fit->problem.model.name);
    for (int32_t i = 0; i < fit->n_dofs; ++i) {
        const fit_dof *dof = &fit->dofs[i];
        if (dof->frozen) continue;
        /* alpha means another thing in another form */
        const bool other = dof->type < 0 && dof->comp == FIT_ALPHA && form != (int)s->form &&
                           !fit_formula_of(&fit->problem.model);
        const double x = other           ? NAN
                         : dof->type < 0 ? global_value(dof, s)
                                         : type_value(fit, dof, model);
        if (!isfinite(x)) continue;
        fit->value[i] = fmin(fmax(x, dof->min), dof->max);
        ++n;
    }
    if (n_taken) *n_taken = n;
    if (n > 0) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "the model has none of the parameters that are fitted: expected one of the "
                      "same types");
}
