/* SPDX-License-Identifier: BSD-3-Clause
 * Fields of a surface by tricubic B-splines: valid as C17 and as OpenCL C 1.2.
 *
 * Coefficients of a column of nodes lie side by side, so that those a point needs are one vector;
 * sums run over the columns first and over the vector at the end. grid_vector, a vector of reals, is
 * defined by whoever includes this. */
#ifndef SHOAL_KERNELS_GRID_TERMS_H
#define SHOAL_KERNELS_GRID_TERMS_H

#include "real.h"

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define GRID_FLOOR(x) convert_int_rtn(x)
#else
#define GRID_FLOOR(x) ((int)(x) - ((real)(int)(x) > (x)))
#endif

/* Nodes per angstrom: a = ax x + ay y, b = bx x + by y, height = cz z. */
typedef struct grid_frame {
    real ax, ay, bx, by, cz;
    real wall;         /* eV per squared node: steepens what lies below the grid */
    real per_a, per_b; /* 1 / n_a and 1 / n_b */
    /* 0, 1 and the largest place that is looked at. Compilers that know these numbers branch on them
     * early, and loops over lanes do not vectorise then. */
    real zero, one, most;
    int n_a, n_b, n_z;
} grid_frame;

/* Where the zero of a system's coordinates is: a node and what is beyond it, 0 <= f < 1. Counting
 * from there keeps the digits of a float wherever the system lies. */
typedef struct grid_anchor {
    int a, b, z;
    real fa, fb, fz;
} grid_anchor;

/* A point: first of its four nodes along a and b (wrapped) and first coefficient of its columns, the
 * position within the cell, and how far outside it is along z, in nodes; above is not 0 where it is
 * for the next level to say. */
typedef struct grid_spot {
    int a, b, z, above;
    real ta, tb, tz, beyond;
} grid_spot;

/* Whole part for values of any size, NaN included. */
SHOAL_FN int grid_whole(real u, real most)
{
    const real low = u < most ? u : most, safe = low > -most ? low : -most;
    return GRID_FLOOR(safe);
}

/* i modulo n without a division, which would cost more than all the rest. */
SHOAL_FN int grid_wrap(int i, int n, real per_n)
{
    const int turns = GRID_FLOOR((real)i * per_n), r = i - n * turns;
    const int low = r < 0 ? r + n : r;
    return low < n ? low : low - n;
}

SHOAL_FN grid_spot grid_locate(const grid_frame f, const grid_anchor at, v3 r)
{
    const real ua = at.fa + (f.ax * r.x + f.ay * r.y), ub = at.fb + (f.bx * r.x + f.by * r.y);
    const real uz = at.fz + f.cz * r.z;
    const int ia = grid_whole(ua, f.most), ib = grid_whole(ub, f.most);
    const int iz = grid_whole(uz, f.most), k = at.z + iz, last = f.n_z - 2;
    grid_spot s;
    s.ta = ua - (real)ia;
    s.tb = ub - (real)ib;
    s.a = grid_wrap(at.a + ia - 1, f.n_a, f.per_a);
    s.b = grid_wrap(at.b + ib - 1, f.n_b, f.per_b);
    /* Above the last level, the last coefficients are zero, and so are the fields. */
    s.above = k > last;
    const int up = k < 0 ? 0 : k;
    s.z = up > last ? last : up;
    const real t = (real)(k - s.z) + (uz - (real)iz);
    const real low = t < f.zero ? f.zero : t;
    s.tz = low > f.one ? f.one : low;
    s.beyond = t < f.zero ? t : f.zero;
    return s;
}

/* The four basis functions of a cell and their slopes. */
typedef struct grid_basis4 {
    real b0, b1, b2, b3, d0, d1, d2, d3;
} grid_basis4;

SHOAL_FN grid_basis4 grid_basis(real t)
{
    const real s = R(1.0) - t, sixth = R(0.16666666666666666667);
    grid_basis4 w;
    w.b0 = sixth * s * s * s;
    w.b3 = sixth * t * t * t;
    w.b1 = sixth * (R(4.0) - R(3.0) * t * t * (R(2.0) - t));
    w.b2 = sixth * (R(4.0) - R(3.0) * s * s * (R(2.0) - s));
    w.d0 = R(-0.5) * s * s;
    w.d3 = R(0.5) * t * t;
    w.d1 = R(0.5) * t * (R(3.0) * t - R(4.0));
    w.d2 = R(-0.5) * s * (R(3.0) * s - R(4.0));
    return w;
}

/* Basis functions along z for a point that is beyond the grid by so many nodes: straight lines. */
SHOAL_FN grid_basis4 grid_basis_z(real t, real beyond)
{
    grid_basis4 w = grid_basis(t);
    w.b0 += beyond * w.d0;
    w.b1 += beyond * w.d1;
    w.b2 += beyond * w.d2;
    w.b3 += beyond * w.d3;
    return w;
}

/* Sums over columns: of the field and its slopes along a and b. */
typedef struct grid_sum {
    grid_vector value, along_a, along_b;
} grid_sum;

/* Adds four columns with the same index along a; ba and da are its basis function and slope. */
SHOAL_FN void grid_add_row(grid_sum *s, const grid_basis4 b, real ba, real da, grid_vector c0,
                           grid_vector c1, grid_vector c2, grid_vector c3)
{
    const grid_vector row = b.b0 * c0 + b.b1 * c1 + b.b2 * c2 + b.b3 * c3;
    const grid_vector slope = b.d0 * c0 + b.d1 * c1 + b.d2 * c2 + b.d3 * c3;
    s->value += ba * row;
    s->along_a += da * row;
    s->along_b += ba * slope;
}

/* A field and its slopes per node along a, b and z. */
typedef struct grid_field {
    real value, a, b, z;
} grid_field;

/* What an atom type feels apart from charges is as steep as 1/r^12 and kept compressed: e for E = c (t^4 - 1) with
 * t = 1 + e/4c, so that e is E where that is small, and t falls off as r^-3 in the wall. inverse = 1/4c; zero: e is E.
 * Nothing but a straight line below the grid gets to the ends of t. */
SHOAL_FN grid_field grid_expand(const grid_field e, real inverse)
{
    const real free = R(1.0) + e.value * inverse, low = free > R(0.0) ? free : R(0.0);
    const real t = low < R(1024.0) ? low : R(1024.0), t2 = t * t, slope = t2 * t;
    grid_field out;
    out.value = e.value * (R(0.25) * (t + R(1.0)) * (t2 + R(1.0)));
    out.a = slope * e.a;
    out.b = slope * e.b;
    out.z = slope * e.z;
    return out;
}

/* Energy of an atom and the force on it, eV and eV/angstrom, from the compressed field of its type and that of
 * charges times its own. Below the grid a wall is added. */
SHOAL_FN real grid_finish(const grid_frame f, const grid_field type, real inverse,
                          const grid_field charge, real beyond, v3 *force)
{
    const grid_field e = grid_expand(type, inverse);
    const real ga = e.a + charge.a, gb = e.b + charge.b, gz = e.z + charge.z;
    const real slope = gz + f.wall * beyond;
    *force = v3_make(-(f.ax * ga + f.bx * gb), -(f.ay * ga + f.by * gb), -(f.cz * slope));
    return e.value + charge.value + R(0.5) * f.wall * beyond * beyond;
}

#endif
