/* SPDX-License-Identifier: BSD-3-Clause
 * Vectors of three doubles, for the reference backend. */
#ifndef SHOAL_BACKEND_REF_VECTOR_H
#define SHOAL_BACKEND_REF_VECTOR_H

#include <math.h>

typedef struct v3 {
    double x, y, z;
} v3;

static inline v3 v3_from(const double a[3])
{
    return (v3){a[0], a[1], a[2]};
}

static inline v3 v3_add(v3 a, v3 b)
{
    return (v3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline v3 v3_sub(v3 a, v3 b)
{
    return (v3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline v3 v3_scale(double s, v3 a)
{
    return (v3){s * a.x, s * a.y, s * a.z};
}

static inline double v3_dot(v3 a, v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline v3 v3_cross(v3 a, v3 b)
{
    return (v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double v3_length(v3 a)
{
    return sqrt(v3_dot(a, a));
}

#endif
