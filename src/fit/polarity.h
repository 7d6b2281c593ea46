/* SPDX-License-Identifier: BSD-3-Clause
 * How bonds are polarised, by electronegativity alone: a physical start for charges, and a check of charges that files have. */
#ifndef SHOAL_FIT_POLARITY_H
#define SHOAL_FIT_POLARITY_H

#include <stdbool.h>
#include <stdint.h>

/* Charge that an atom of element z_i gets in a bond with one of z_j, e: 0.08 for each eV between the electronegativities of
 * QEq, 0.34 in O-H. 0 where one of them is no element. */
double polarity_of_bond(int32_t z_i, int32_t z_j);
/* The same, and 0 for bonds that count as not polar: B-H, C-P, S-I. */
double polarity_of_polar_bond(int32_t z_i, int32_t z_j);

/* Whether charges point the other way than the polarities of n atoms, each the sum over its polar bonds, as a whole:
 * the cosine between the two is below -0.7. */
bool polarity_contradicts(const double *polarity, const double *charge, int32_t n);

#endif
