/* SPDX-License-Identifier: BSD-3-Clause
 * Dense systems of equations. */
#ifndef SHOAL_GEOM_DENSE_H
#define SHOAL_GEOM_DENSE_H

#include <stdbool.h>
#include <stdint.h>

/* Solves a x = b by elimination with pivots; a[n][n] is spoilt, x takes the place of b. False where a is singular. */
bool dense_solve(int32_t n, double *a, double *b);

#endif
