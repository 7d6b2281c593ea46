/* SPDX-License-Identifier: BSD-3-Clause
 * Errors of energies of dimers, altogether and by set, group, distance and dimer. */
#ifndef SHOAL_CLI_FIT_ERRORS_H
#define SHOAL_CLI_FIT_ERRORS_H

#include "json.h"
#include "shoal/shoal.h"

typedef enum error_kind {
    ERRORS_BY_SET = 0,
    ERRORS_BY_GROUP,
    ERRORS_BY_X0,
    ERRORS_BY_DIMER
} error_kind;

/* Samples that have something in common. All in eV. */
typedef struct error_row {
    const char *label; /* set, group or name of the dimer; borrowed from the data set */
    double x0;         /* of ERRORS_BY_X0, NaN for samples without it */
    int32_t key, n;
    double sum2, sum_abs;            /* of the errors */
    double rmse, mae, mean, largest; /* largest: in size, with its sign */
} error_row;

typedef struct error_rows {
    error_row *rows;
    int32_t n;
} error_rows;

typedef struct error_summary {
    int32_t n, n_dimers;
    double rmse, mae, mean, median; /* median of the sizes, eV */
} error_summary;

/* Errors of a fit at its present values: error[n_samples], model - reference. */
shoal_status errors_of(shoal_fit *fit, const shoal_dataset *data, double *error);
/* Sorted by x0, dimers by RMSE, worst first; others in the order of the data. rows are freed by the
 * caller. */
shoal_status errors_group(const shoal_dataset *data, const double *error, error_kind kind,
                          error_rows *out);
shoal_status errors_summarise(const shoal_dataset *data, const double *error, error_summary *out);

/* A table in kcal/mol of the first `most` rows; one row that says nothing is not printed. */
void errors_print(const error_rows *rows, error_kind kind, int32_t most);
void errors_json(json *j, const error_rows *rows, error_kind kind, int32_t most);

#endif
