/* SPDX-License-Identifier: BSD-3-Clause
 * How far the results of a device are from those of ref. */
#ifndef SHOAL_CLI_COMPARE_H
#define SHOAL_CLI_COMPARE_H

#include "shoal/shoal.h"

/* Forces are compared with the largest one of the system, or with these if it is smaller: where
 * all forces cancel, what is left of them is rounding. eV/angstrom. */
#define COMPARE_LEAST_FORCE 1.0

typedef struct comparison {
    bool comparable;     /* both have numbers */
    bool same_status;    /* both have numbers, or neither has */
    double force_error;  /* largest |F - F_ref|, eV/angstrom */
    double force;        /* largest |F_ref| */
    double relative;     /* force_error / force */
    double verdict;      /* force_error / max(force, COMPARE_LEAST_FORCE) */
    int32_t atom;        /* with the largest error */
    double energy_error; /* of the term with the largest one, over the sum of all |terms| + 1 eV */
    int term;
} comparison;

void compare_results(const shoal_result *ref, const shoal_result *device, int32_t n_atoms,
                     comparison *out);

/* Largest verdict and energy_error that pass for the precision, or the grid, of a device. */
double compare_tolerance(const shoal_engine_options *options);

#endif
