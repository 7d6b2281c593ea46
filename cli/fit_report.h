/* SPDX-License-Identifier: BSD-3-Clause
 * What 'shoal fit' prints: tables of parameters and errors, and speeds. */
#ifndef SHOAL_CLI_FIT_REPORT_H
#define SHOAL_CLI_FIT_REPORT_H

#include "fit_options.h"
#include "json.h"

/* The last part of a path, which is enough to know a set. */
const char *set_name(const char *path);
/* Start, value and error of every DOF, the directions that the data leave open. */
int report_dofs(const fit_job *job, bool bootstrap);
/* Root mean square errors by set; rmse[n_sets], eV, is filled in. */
int report_sets(const fit_job *job, const shoal_cv_result *cv, bool print, double *rmse);
/* Speed of the evaluator on n_sets sets of parameters, as JSON or in words. */
int report_speed(const fit_job *job, const fit_options *o);
void report_folds(const shoal_cv_result *cv);
/* The dimers with the largest errors while kept back. */
void report_worst(const shoal_cv_result *cv);
/* Opens the object of a DOF: its name, atoms and start. */
void json_open_dof(json *j, const shoal_dof_info *d);
/* Parameters with their errors and correlations, and folds, as members of an object. */
void json_parameters(json *j, const shoal_fit *fit);
void json_folds(json *j, const shoal_cv_result *cv);

#endif
