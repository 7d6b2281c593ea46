/* SPDX-License-Identifier: BSD-3-Clause
 * Covariance of parameters with dimers as clusters. */
#ifndef SHOAL_FIT_CLUSTERS_H
#define SHOAL_FIT_CLUSTERS_H

#include "fit/objective.h"

/* covariance[n][n] of the scaled variables, from the matrix a[n][n] of the objective, its inverse and
 * the energies and rows that the objective holds. alone[n] becomes true where one dimer alone
 * determines a variable, so that its error cannot be told. */
shoal_status fit_cluster_covariance(const fit_objective *o, const double *a, const double *inverse,
                                    double *covariance, bool *alone);

#endif
