/* SPDX-License-Identifier: BSD-3-Clause
 * What 'shoal fit' prints: tables of data, parameters, errors and checks, and the JSON line. */
#ifndef SHOAL_CLI_FIT_REPORT_H
#define SHOAL_CLI_FIT_REPORT_H

#include "fit_options.h"

/* Sets, types and DOFs as they were read; fit may be NULL. Returns an exit code. */
int report_data(const fit_job *job);
/* Every DOF: analytic slope, numeric slope, verdict. Exit code 1 if one fails. */
int report_derivatives(const fit_job *job);
/* Start, value and error of every DOF, the directions that the data leave open. */
int report_dofs(const fit_job *job);
/* Root mean square errors by set; rmse[n_sets], eV, is filled in. */
int report_sets(const fit_job *job, const shoal_cv_result *cv, bool print, double *rmse);
/* Speed of the evaluator on n_sets sets of parameters, as JSON or in words. */
int report_speed(const fit_job *job, const fit_options *o);
void report_folds(const shoal_cv_result *cv);

#endif
