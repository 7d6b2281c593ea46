/* SPDX-License-Identifier: BSD-3-Clause
 * Geometry of periodic cells. */
#include "chem/cell.h"

#include <math.h>
#include <string.h>

#include "constants.h"
#include "geom/vector.h"

static void normalize(double v[3])
{
    const double length = vector_norm(v);
    for (int c = 0; c < 3; ++c) v[c] /= length;
}

/* A vector across w: its cross product with the axis it points along least. */
static void any_across(const double w[3], double out[3])
{
    double axis[3] = {0, 0, 0};
    axis[vector_least_axis(w)] = 1;
    vector_cross(w, axis, out);
}

void cell_complete(const double cell[3][3], const bool pbc[3], double out[3][3])
{
    memcpy(out, cell, 9 * sizeof(double));
    int periodic[3], other[3], n_periodic = 0, n_other = 0;
    for (int k = 0; k < 3; ++k) {
        if (pbc[k])
            periodic[n_periodic++] = k;
        else
            other[n_other++] = k;
    }
    if (n_periodic == 2) {
        vector_cross(cell[periodic[0]], cell[periodic[1]], out[other[0]]);
    } else if (n_periodic == 1) {
        any_across(cell[periodic[0]], out[other[0]]);
        vector_cross(cell[periodic[0]], out[other[0]], out[other[1]]);
    }
    for (int k = 0; k < n_other; ++k) normalize(out[other[k]]);
}

void cell_dual(const double cell[3][3], double out[3][3], double height[3])
{
    for (int k = 0; k < 3; ++k) vector_cross(cell[(k + 1) % 3], cell[(k + 2) % 3], out[k]);
    const double volume = vector_dot(cell[0], out[0]);
    for (int k = 0; k < 3; ++k) {
        for (int c = 0; c < 3; ++c) out[k][c] /= volume;
        height[k] = 1 / vector_norm(out[k]);
    }
}

/* Cosine of an angle in degrees, exact for the right angle. */
static double cos_degrees(double angle)
{
    return angle == 90.0 ? 0.0 : cos(angle * (PI / 180.0));
}

void cell_of_parameters(const double p[6], double cell[3][3])
{
    const double ca = cos_degrees(p[3]), cb = cos_degrees(p[4]), cg = cos_degrees(p[5]);
    const double sg = sqrt(1.0 - cg * cg);
    const double cy = (ca - cb * cg) / sg;
    const double cz = 1.0 - cb * cb - cy * cy;
    memset(cell, 0, 9 * sizeof cell[0][0]);
    cell[0][0] = p[0];
    cell[1][0] = p[1] * cg;
    cell[1][1] = p[1] * sg;
    cell[2][0] = p[2] * cb;
    cell[2][1] = p[2] * cy;
    cell[2][2] = p[2] * sqrt(cz > 0.0 ? cz : 0.0);
}
