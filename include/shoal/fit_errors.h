/* SPDX-License-Identifier: BSD-3-Clause
 * Errors of energies of dimers: altogether, by set, group, distance and dimer, and of two models against each other.
 * All in eV. */
#ifndef SHOAL_FIT_ERRORS_H
#define SHOAL_FIT_ERRORS_H

#include "shoal/fit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of a fit at its present values: error[n_samples], model - reference. An energy that is not finite is an error that
 * names the sample. */
SHOAL_API shoal_status shoal_fit_errors(shoal_fit *fit, const shoal_dataset *data, double *error);
/* The same while samples were kept back, as far as a cross-validation tells. */
SHOAL_API shoal_status shoal_cv_errors(const shoal_cv_result *cv, const shoal_dataset *data,
                                       double *error);

typedef struct shoal_error_summary {
    int32_t n, n_dimers;
    double rmse, mae, mean, median; /* median of the sizes */
} shoal_error_summary;
SHOAL_API shoal_status shoal_errors_summarise(const shoal_dataset *data, const double *error,
                                              shoal_error_summary *out);

typedef enum shoal_errors_by {
    SHOAL_ERRORS_BY_SET = 0,
    SHOAL_ERRORS_BY_GROUP,
    SHOAL_ERRORS_BY_X0,
    SHOAL_ERRORS_BY_DIMER
} shoal_errors_by;

/* Samples that have something in common. */
typedef struct shoal_error_row {
    const char *label; /* set, group or name of the dimer; borrowed from the data set */
    double x0;         /* of SHOAL_ERRORS_BY_X0, NaN for samples without it */
    int32_t key, n;    /* number of the set or the dimer; of samples */
    double rmse, mae, mean, largest; /* largest: in size, with its sign */
} shoal_error_row;

/* rows[n_samples] has room for all that there can be; sorted by x0, dimers by RMSE, worst first, others in the
 * order of the data. */
SHOAL_API shoal_status shoal_errors_group(const shoal_dataset *data, const double *error,
                                          shoal_errors_by by, shoal_error_row *rows, int32_t *n);

/* RMSE of b less that of a, and its standard error by leaving out one dimer after the other: points of a curve err
 * together, dimers are what is counted. NaN of one dimer alone. */
SHOAL_API shoal_status shoal_errors_compare(const shoal_dataset *data, const double *a,
                                            const double *b, double *difference,
                                            double *uncertainty);

/* RMSE of every set over the samples that count: of the fit, rmse[n_sets], and while kept back, kept[n_sets]; cv may be
 * NULL, kept is then zero. */
SHOAL_API shoal_status shoal_fit_set_errors(shoal_fit *fit, const shoal_dataset *data,
                                            const shoal_cv_result *cv, double *rmse, double *kept);

typedef struct shoal_strong_pair {
    double correlation;
    int32_t a, b; /* DOFs */
} shoal_strong_pair;
/* Pairs of DOFs with a correlation beyond least, strongest first, after shoal_fit_analyse. The caller frees *out. */
SHOAL_API shoal_status shoal_fit_strong_pairs(const shoal_fit *fit, double least,
                                              shoal_strong_pair **out, int32_t *n);

#ifdef __cplusplus
}
#endif

#endif
