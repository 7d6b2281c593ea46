/* SPDX-License-Identifier: BSD-3-Clause
 * Fits as JSON: keys of an open object, as docs/fitting.md has them. Energies are in eV. */
#ifndef SHOAL_FIT_JSON_H
#define SHOAL_FIT_JSON_H

#include "shoal/fit_errors.h"
#include "shoal/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What was read: sets, types with their numbers of atoms, DOFs; fit may be NULL. */
SHOAL_API void shoal_fit_json_data(shoal_json *j, const shoal_dataset *data,
                                   const shoal_atom_types *types, const shoal_fit *fit);
/* What came of a run: errors altogether and by set, parameters with their errors and correlations; cv, which adds its
 * folds and the worst dimers, may be NULL. */
SHOAL_API shoal_status shoal_fit_json_result(shoal_json *j, shoal_fit *fit,
                                             const shoal_dataset *data,
                                             const shoal_fit_run_options *run,
                                             const shoal_fit_result *result,
                                             const shoal_cv_result *cv);
/* The slope of a DOF and its verdict. */
SHOAL_API void shoal_fit_json_slope(shoal_json *j, const shoal_dof_info *dof,
                                    const shoal_derivative_check *check);
/* A point of a scan of one DOF or of two. */
SHOAL_API void shoal_fit_json_point(shoal_json *j, const shoal_scan_point *point, bool two);
/* Errors of energies, error[n_samples]: altogether, by set, group and distance, and of the n_worst worst dimers. */
SHOAL_API shoal_status shoal_errors_json(shoal_json *j, const shoal_dataset *data,
                                         const double *error, int32_t n_worst);

#ifdef __cplusplus
}
#endif

#endif
