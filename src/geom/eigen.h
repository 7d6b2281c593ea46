/* SPDX-License-Identifier: BSD-3-Clause
 * Eigenvalues and eigenvectors of symmetric matrices. The same bits on every machine: no library that chooses its
 * order of summation by processor or threads is asked. */
#ifndef SHOAL_GEOM_EIGEN_H
#define SHOAL_GEOM_EIGEN_H

#include <stdbool.h>
#include <stdint.h>

/* a[n][n] is symmetric; afterwards its rows are the orthonormal eigenvectors, in the order of values[n], which ascend.
 * work[n] is scratch. False if it does not converge, as with numbers that are not finite. */
bool eigen_symmetric(int32_t n, double *a, double *values, double *work);

#endif
