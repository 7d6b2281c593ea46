/* SPDX-License-Identifier: BSD-3-Clause
 * Vectors of three doubles in arrays. Sums run from x to z, so that all callers get the same bits. */
#ifndef SHOAL_GEOM_VECTOR_H
#define SHOAL_GEOM_VECTOR_H

#include <math.h>
#include <stdbool.h>

static inline double vector_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double vector_norm(const double a[3])
{
    return sqrt(vector_dot(a, a));
}

/* out = a - b; out may be either. */
static inline void vector_subtract(const double a[3], const double b[3], double out[3])
{
    for (int c = 0; c < 3; ++c) out[c] = a[c] - b[c];
}

static inline double vector_distance(const double a[3], const double b[3])
{
    double d[3];
    vector_subtract(a, b, d);
    return vector_norm(d);
}

/* out is neither a nor b. */
static inline void vector_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Gives a vector the length 1; false, and nothing done, if it is not longer than `shortest`, or not finite. */
static inline bool vector_normalise(double a[3], double shortest)
{
    const double length = vector_norm(a);
    if (!(length > shortest) || !isfinite(length)) return false;
    for (int c = 0; c < 3; ++c) a[c] /= length;
    return true;
}

/* out = x a + y b; out may be either. */
static inline void vector_combine(double x, const double a[3], double y, const double b[3],
                                  double out[3])
{
    for (int c = 0; c < 3; ++c) out[c] = x * a[c] + y * b[c];
}

/* What is left of a beside a unit vector, as a unit vector; false if that is not longer than `shortest`. */
static inline bool vector_aside(double a[3], const double unit[3], double shortest)
{
    vector_combine(1, a, -vector_dot(a, unit), unit, a);
    return vector_normalise(a, shortest);
}

/* Number of the axis that a vector points along least. */
static inline int vector_least_axis(const double a[3])
{
    int least = 0;
    for (int c = 1; c < 3; ++c)
        if (fabs(a[c]) < fabs(a[least])) least = c;
    return least;
}

/* Some unit vector perpendicular to another, the same for the same input. */
static inline void vector_any_aside(const double unit[3], double out[3])
{
    const int least = vector_least_axis(unit);
    for (int c = 0; c < 3; ++c) out[c] = c == least;
    (void)vector_aside(out, unit, 0.1); /* far from parallel */
}

#endif
