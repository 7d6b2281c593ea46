/* SPDX-License-Identifier: BSD-3-Clause
 * Weights of the waves of Ewald sums of damped charges, for backends other than ref. */
#ifndef SHOAL_BACKEND_EWALD_H
#define SHOAL_BACKEND_EWALD_H

/* Transform of erf(alpha s)/s, s^2 = r^2 + damping^2, at the wave vector of square k2 > 0
 * (1/angstrom^2): 4 pi/k^2 exp(-k^2/4 alpha^2) without damping. angstrom^2 */
double ewald_transform(double alpha, double damping, double k2);

/* The integral of erfc(alpha s)/s over all space, angstrom^2. */
double ewald_mean_sharp(double alpha, double damping);

#endif
