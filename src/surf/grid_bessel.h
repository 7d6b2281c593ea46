/* SPDX-License-Identifier: BSD-3-Clause
 * Modified Bessel functions of the second kind, as the transforms of 1/r^6 and 1/r^12 need them. */
#ifndef SHOAL_SURF_GRID_BESSEL_H
#define SHOAL_SURF_GRID_BESSEL_H

/* x^n K_n(x) for n = 1 .. 8 and x >= 0, good to 1e-10 of its value. */
double grid_bessel(int n, double x);

#endif
