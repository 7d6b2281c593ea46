/* SPDX-License-Identifier: BSD-3-Clause
 * How far the result of a device is from that of ref. */
#ifndef SHOAL_COMPARE_H
#define SHOAL_COMPARE_H

#include "shoal/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_comparison {
    bool comparable;    /* both have numbers */
    bool same_status;   /* both have numbers, or the same reason for having none */
    double force_error; /* largest |F - F_ref|, eV/angstrom */
    double force;       /* largest |F_ref| */
    double relative;    /* force_error / force */
    /* force_error / max(force, 1 eV/angstrom): where all forces cancel, what is left of them is
     * rounding. */
    double verdict;
    int32_t atom;        /* with the largest error */
    double energy_error; /* of the term with the largest one, over the sum of all |terms| + 1 eV */
    int term;
} shoal_comparison;

/* Compares two results of the same system of n_atoms atoms. */
SHOAL_API void shoal_compare(const shoal_result *ref, const shoal_result *device, int32_t n_atoms,
                             shoal_comparison *out);

/* Largest verdict and energy_error that pass for an engine of these options: 1e-9 in double precision,
 * else 1e-4; 1e-3 on a grid, as ref sums directly and the errors of a spline are no mistakes. */
SHOAL_API double shoal_compare_tolerance(const shoal_engine_options *options);

#ifdef __cplusplus
}
#endif

#endif
