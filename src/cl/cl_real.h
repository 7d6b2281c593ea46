/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays of numbers in the precision of a device. */
#ifndef SHOAL_CL_REAL_H
#define SHOAL_CL_REAL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t cl_real_size(bool is_double)
{
    return is_double ? sizeof(double) : sizeof(float);
}

static inline double cl_real_get(bool is_double, const void *array, size_t i)
{
    return is_double ? ((const double *)array)[i] : (double)((const float *)array)[i];
}

static inline void cl_real_set(bool is_double, void *array, size_t i, double value)
{
    if (is_double)
        ((double *)array)[i] = value;
    else
        ((float *)array)[i] = (float)value;
}

/* Length of the longest of n forces; NaN if any of them is. */
static inline double cl_longest(const double (*forces)[3], int32_t n)
{
    double most2 = 0;
    for (int32_t i = 0; i < n && !isnan(most2); ++i) {
        const double *f = forces[i], f2 = f[0] * f[0] + f[1] * f[1] + f[2] * f[2];
        if (!(f2 <= most2)) most2 = f2;
    }
    return sqrt(most2);
}

#endif
