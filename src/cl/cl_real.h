/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays of numbers in the precision of a device. */
#ifndef SHOAL_CL_REAL_H
#define SHOAL_CL_REAL_H

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

#endif
