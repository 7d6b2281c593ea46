/* SPDX-License-Identifier: BSD-3-Clause
 * A formula as a pair model of a fit, and its trial on the data. */
#ifndef SHOAL_FIT_FORMULA_MODEL_H
#define SHOAL_FIT_FORMULA_MODEL_H

#include "ff/formula.h"
#include "fit/fit.h"

/* constants: "b=0.5 c=2", values of names in the formula, or NULL; those without one are NaN in
 * out->constant_values and need a DOF. The names a and alpha are globals[FIT_ALPHA]; *alpha is
 * changed if constants gives it. columns: "A B", names of columns of the table, or NULL. */
shoal_status fit_formula_create(fit_model *out, const char *text, const char *constants,
                                const char *columns, double *alpha);

/* The formula of a model; NULL if it is a built-in one. */
const formula *fit_formula_of(const fit_model *model);
/* Global that holds a constant of the formula, numbered from 0. */
int32_t fit_formula_global(const fit_model *model, int32_t named);

/* Tries the formula on every pair of the data at the parameters p. Fails with SHOAL_E_ARGUMENT,
 * naming the sample and its atoms, where energy or slopes are not finite, where a slope disagrees
 * with differences, where branches of abs, min or max meet with different slopes or a denominator
 * changes its sign between pairs of the data, and where it matters which fragment comes first.
 * poles_alone: only for denominators. */
shoal_status fit_formula_check(const fit_problem *problem, const double *p, bool poles_alone);

#endif
