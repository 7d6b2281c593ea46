/* SPDX-License-Identifier: BSD-3-Clause
 * Coefficients of cubic B-splines through given values: exact, line by line. */
#ifndef SHOAL_SURF_GRID_SPLINE_H
#define SHOAL_SURF_GRID_SPLINE_H

#include <stddef.h>
#include <stdint.h>

/* Turns values at the nodes of closed lines into coefficients, (c_-1 + 4 c_0 + c_1) / 6 = f.
 * rows[n][width] holds width lines side by side. */
void grid_spline_cyclic(double *rows, int32_t n, size_t width);

/* The same for open lines with not-a-knot ends, n >= 6. first[width] and last[width] get the
 * coefficients before the first and behind the last node. work[n] is scratch. */
void grid_spline_open(double *rows, int32_t n, size_t width, double *first, double *last,
                      double *work);

/* Values at the nodes of closed lines from their coefficients. work[2 width] is scratch. */
void grid_spline_values(double *rows, int32_t n, size_t width, double *work);

#endif
