/* SPDX-License-Identifier: BSD-3-Clause
 * Pair models on OpenCL devices. */
#include "backend/opencl/cl_model.h"

#include <math.h>
#include <stdio.h>

#include "constants.h"
#include "form_numbers.h"

/* As MODEL_ON_ of kernels/model_terms.h. */
static int hbond_bits(shoal_hbond hbond)
{
    return hbond == SHOAL_HBOND_REPULSION    ? 1
           : hbond == SHOAL_HBOND_ATTRACTION ? 2
           : hbond == SHOAL_HBOND_BOTH       ? 3
                                             : 0;
}

/* The rate of the exponential is without a unit, to be divided by R0. */
static bool is_scaled(shoal_pair_form form)
{
    return form == SHOAL_FORM_MORSE6 || form == SHOAL_FORM_BUCK6 || form == SHOAL_FORM_EXP6;
}

static bool is_on(const shoal_engine_options *options, int term)
{
    return !(options->terms_off >> term & 1);
}

/* Factors of A and B, and the rate of the exponential. A formula is multiplied by nothing; b says whether it is on. */
static void find_numbers(cl_model *m, const shoal_pair_settings *s,
                         const shoal_engine_options *options)
{
    double *n = m->numbers;
    const double al = s->alpha;
    n[CL_MODEL_A] = 2;
    n[CL_MODEL_B] = 1;
    n[CL_MODEL_K] = al;
    switch (s->form) {
    case SHOAL_FORM_LJ8: n[CL_MODEL_A] = 4, n[CL_MODEL_B] = 3; break;
    case SHOAL_FORM_LJ9: n[CL_MODEL_A] = 3, n[CL_MODEL_B] = 2; break;
    case SHOAL_FORM_BUCK:
    case SHOAL_FORM_BUCK6: n[CL_MODEL_K] = 2 * al; break;
    case SHOAL_FORM_EXP6: n[CL_MODEL_A] = al / (al - 6), n[CL_MODEL_B] = 6 / (al - 6); break;
    case SHOAL_FORM_FORMULA: n[CL_MODEL_B] = is_on(options, SHOAL_TERM_VDW); break;
    default: break;
    }
    n[CL_MODEL_BETA] = s->dispersion_damping;
    n[CL_MODEL_D] = m->length;
}

/* Rows of the table of types, h and the columns that the formula names; and those columns of two atoms. */
static shoal_status write_columns(const shoal_pair_model *model, shoal_string *text)
{
    const int32_t n = model->settings.n_columns, n_types = shoal_atom_types_count(model->types);
    char line[160];
    if (n == 0) return SHOAL_OK;
    (void)snprintf(line, sizeof line, "#define MODEL_TYPES %d\n#define MODEL_COLUMNS %d\n",
                   (int)n_types, (int)n);
    shoal_string_put_text(text, line);
    shoal_string_put_text(text, "#define MODEL_TABLE {");
    for (int32_t t = 0; t < n_types; ++t)
        for (int32_t k = 0; k <= n; ++k) {
            SHOAL_TRY(formula_emit_number(text, k == 0 ? shoal_atom_types_get(model->types, t)->h
                                                       : model->columns[t * n + k - 1]));
            shoal_string_put_text(text, ", ");
        }
    shoal_string_put_text(text, "}\n#define MODEL_COLUMN_INPUTS");
    for (int32_t k = 0; k < n; ++k) {
        (void)snprintf(line, sizeof line,
                       " const real column_%d_i = row_i[%d], column_%d_j = row_j[%d];", (int)k,
                       (int)k + 1, (int)k, (int)k + 1);
        shoal_string_put_text(text, line);
    }
    shoal_string_put_text(text, "\n");
    return shoal_string_status(text);
}

/* Definitions of the program. */
static shoal_status write_text(cl_model *m, const shoal_pair_settings *s)
{
    char text[320];
    const bool own = s->form == SHOAL_FORM_FORMULA;
    (void)snprintf(text, sizeof text,
                   "#define SHOAL_MODEL\n#define MODEL_FAMILY %d\n#define MODEL_SCALED %d\n"
                   "#define MODEL_HBOND %d\n#define MODEL_DAMPED %d\n#define MODEL_COULOMB %d\n%s",
                   pair_model_family(m->model), is_scaled(s->form), hbond_bits(s->hbond),
                   s->dispersion_damping > 0, own ? FORM_COULOMB_NONE : m->coulomb,
                   own && formula_uses_own(m->model->formula) ? "#define MODEL_ORDERED\n" : "");
    SHOAL_TRY(shoal_string_append(&m->text, shoal_span_of(text)));
    SHOAL_TRY(write_columns(m->model, &m->text));
    return own ? formula_emit_force(m->model->formula, m->model->named, &m->text) : SHOAL_OK;
}

shoal_status cl_model_create(cl_model *out, const shoal_pair_model *model,
                             const shoal_engine_options *options)
{
    const shoal_pair_settings *s = &model->settings;
    const bool engine = s->coulomb == SHOAL_COULOMB_PLAIN && options->coulomb_damping > 0;
    *out = (cl_model){.model = model,
                      .coulomb = engine ? SHOAL_COULOMB_DAMPED : (int)s->coulomb,
                      .length = engine ? options->coulomb_damping : s->coulomb_damping};
    find_numbers(out, s, options);
    const shoal_status status = write_text(out, s);
    if (status != SHOAL_OK) cl_model_free(out);
    return status;
}

void cl_model_free(cl_model *model)
{
    shoal_string_free(&model->text);
    *model = (cl_model){0};
}

void cl_model_row(const shoal_topology_view *view, const shoal_engine_options *options, int32_t i,
                  double row[4])
{
    const bool own = view->model->settings.form == SHOAL_FORM_FORMULA;
    const bool vdw = own || is_on(options, SHOAL_TERM_VDW);
    const bool coulomb = own || (is_on(options, SHOAL_TERM_COULOMB) &&
                                 view->model->settings.coulomb != SHOAL_COULOMB_NONE);
    const double unit = own ? 1 : sqrt(pair_model_unit(view->model));
    /* Without a depth the radius does not count, but nothing may be divided by 0. */
    row[0] = pair_model_radius(view, i);
    row[1] = vdw ? sqrt(view->vdw_d[i]) : 0;
    row[2] = coulomb ? unit * view->charges[i] : 0;
    row[3] = view->hbonds ? view->hbonds[i] : 0;
    if (vdw && view->model->settings.form == SHOAL_FORM_BUFFERED)
        row[1] = buffered_atom_of(view, i).strength;
    if (view->table_types) row[3] = view->table_types[i]; /* which has h, too */
}

shoal_status cl_model_bind(const cl_model *model, cl_routine *routine, int32_t *next)
{
    static const char *const labels[CL_MODEL_NUMBERS] = {"model_a", "model_b", "model_k",
                                                         "model_beta", "model_d"};
    for (int k = 0; k < CL_MODEL_NUMBERS; ++k)
        SHOAL_TRY(cl_routine_real(routine, (*next)++, labels[k], model->numbers[k]));
    return SHOAL_OK;
}
