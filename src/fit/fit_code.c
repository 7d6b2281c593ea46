/* SPDX-License-Identifier: BSD-3-Clause
 * The device programs of a fit: options of its model, and a formula as text before the source. */
#include "fit/formula_model.h"

#ifdef SHOAL_HAVE_OPENCL
#include <stdio.h>
#include <string.h>

#include "fit/fit_code.h"

/* Number of a built-in model in kernels/fit_terms.h. */
static int model_number(const fit_model *model)
{
    static const char *const names[] = {"lj",   "lj8",    "lj9",   "morse",
                                        "buck", "morse6", "buck6", "exp6"};
    for (int k = 0; k < (int)(sizeof names / sizeof names[0]); ++k)
        if (strcmp(model->name, names[k]) == 0) return k;
    return -1;
}

static int site_number(const fit_model *model)
{
    if (!model) return 0;
    return strcmp(model->name, "sr") == 0 ? 1 : strcmp(model->name, "sr2") == 0 ? 2 : 3;
}

/* Bit 0: on the repulsion, bit 1: on the attraction. */
static int hbond_bits(shoal_hbond hbond)
{
    return hbond == SHOAL_HBOND_REPULSION    ? 1
           : hbond == SHOAL_HBOND_ATTRACTION ? 2
           : hbond == SHOAL_HBOND_BOTH       ? 3
                                             : 0;
}

/* The same of the columns of the table that it names. */
static shoal_status emit_columns(const fit_model *model, shoal_string *out)
{
    static const char *const fours[] = {"x", "y", "z", "w"};
    char line[160];
    shoal_string_put_text(out, "#define FIT_COLUMN_INPUTS");
    for (int32_t k = 0; k < model->n_extra; ++k) {
        (void)snprintf(line, sizeof line,
                       " \\\n    const real column_%d_i = i.extra.%s, column_%d_j = j.extra.%s;",
                       (int)k, fours[k], (int)k, fours[k]);
        shoal_string_put_text(out, line);
    }
    shoal_string_put_text(out, "\n#define FIT_ADD_COLUMNS");
    for (int32_t k = 0; k < model->n_extra; ++k) {
        (void)snprintf(line, sizeof line,
                       " \\\n    sum->extra.%s += mine ? slope_column_%d_i : slope_column_%d_j;",
                       fours[k], (int)k, (int)k);
        shoal_string_put_text(out, line);
    }
    shoal_string_put_text(out, "\n");
    return shoal_string_status(out);
}

/* Where the constants of a formula come from and where their slopes go. */
static shoal_status emit_constants(const fit_model *model, shoal_string *out)
{
    const int32_t n = formula_n_inputs(fit_formula_of(model)) - FORMULA_N_PAIR;
    char line[120];
    SHOAL_TRY(shoal_string_append(out, shoal_span_of("#define FIT_NAMED")));
    for (int32_t k = 0; k < n; ++k) {
        (void)snprintf(line, sizeof line, " \\\n    const real named_%d = globals[%d];", (int)k,
                       (int)fit_formula_global(model, k));
        SHOAL_TRY(shoal_string_append(out, shoal_span_of(line)));
    }
    SHOAL_TRY(shoal_string_append(out, shoal_span_of("\n#define FIT_ADD_NAMED")));
    for (int32_t k = 0; k < n; ++k) {
        (void)snprintf(line, sizeof line, " \\\n    sum->by_global[%d] += slope_named_%d;",
                       (int)fit_formula_global(model, k), (int)k);
        SHOAL_TRY(shoal_string_append(out, shoal_span_of(line)));
    }
    return shoal_string_append(out, shoal_span_of("\n"));
}

shoal_status fit_code_samples(cl_code *out, cl_target *target, const fit_problem *problem,
                              int group_size, bool is_double)
{
    const bool own = fit_formula_of(&problem->model) != NULL;
    char options[320];
    shoal_string text = {0};
    if (!own && model_number(&problem->model) < 0)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "the model '%s' cannot run on an OpenCL device",
                          problem->model.name);
    (void)snprintf(options, sizeof options,
                   "-DWG=%d -DFIT_MODEL=%d -DFIT_HBOND=%d -DFIT_COULOMB=%d -DFIT_SITE_MODEL=%d "
                   "-DFIT_GLOBALS=%d -DFIT_SITES_MOVE=%d -DFIT_RADII=%d -DFIT_DAMPS=%d "
                   "-DFIT_EXTRA=%d%s",
                   group_size, own ? 0 : model_number(&problem->model),
                   hbond_bits(problem->model.hbond), (int)problem->coulomb,
                   site_number(problem->site_model), (int)problem->n_globals,
                   (int)problem->sites_move, (int)problem->charged_radii, (int)problem->damps,
                   (int)problem->model.n_extra, is_double ? " -DSHOAL_DOUBLE" : "");
    shoal_status status = own ? formula_emit(fit_formula_of(&problem->model), &text) : SHOAL_OK;
    if (status == SHOAL_OK && own) status = emit_constants(&problem->model, &text);
    if (status == SHOAL_OK && own) status = emit_columns(&problem->model, &text);
    if (status == SHOAL_OK)
        status =
            cl_code_build_with(out, target, "fit_pairs.cl", text.data ? text.data : "", options);
    shoal_string_free(&text);
    return status;
}

shoal_status fit_code_gather(cl_code *out, cl_target *target, int group_size, bool is_double)
{
    char options[64];
    (void)snprintf(options, sizeof options, "-DWG=%d%s", group_size,
                   is_double ? " -DSHOAL_DOUBLE" : "");
    return cl_code_build(out, target, "fit_gather.cl", options);
}

#endif
