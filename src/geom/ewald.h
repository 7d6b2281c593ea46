/* SPDX-License-Identifier: BSD-3-Clause
 * Weights of the k-vectors of Ewald sums of damped charges, for backends other than ref. */
#ifndef SHOAL_GEOM_EWALD_H
#define SHOAL_GEOM_EWALD_H

#include <stdbool.h>
#include <stdint.h>

/* The split alpha (1/angstrom) that balances the work in real and reciprocal space, for a cell of so much
 * volume (three periodic directions) or area (two). */
double ewald_balance(int n_periodic, double measure, int32_t n_atoms);

/* How a sum along one direction is split, see kernels/chain_terms.h. */
typedef struct ewald_chain {
    double alpha, r_cut; /* 1/angstrom, angstrom */
    int32_t n_split;     /* images on either side that r_cut may reach */
    int32_t n_images;    /* images on either side that are summed one by one */
    /* What the pairs' constant is short of, 1/angstrom: the potential of a thin row would be
     * -(2/L) ln(R / 1 angstrom). It counts for half the square of a net charge, which may be rounding. */
    double offset;
} ewald_chain;

/* For a cell of so many angstrom; in float fewer images do. */
ewald_chain ewald_chain_choose(double length, double tolerance, bool is_float);

/* Both sums leave out terms of relative weight exp(-x^2): x for a relative tolerance. The real-space
 * cut-off is x / alpha, that of the k-vectors 2 alpha x. */
double ewald_reach(double tolerance);

/* Transform of erf(alpha s)/s, s^2 = r^2 + damping^2, at the k-vector of square k2 > 0
 * (1/angstrom^2): 4 pi/k^2 exp(-k^2/4 alpha^2) without damping. angstrom^2 */
double ewald_transform(double alpha, double damping, double k2);
/* Its slope by k2, angstrom^4. */
double ewald_transform_slope(double alpha, double damping, double k2);

/* The integral of erfc(alpha s)/s over all space, angstrom^2. */
double ewald_mean_erfc(double alpha, double damping);

#endif
