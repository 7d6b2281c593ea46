/* SPDX-License-Identifier: BSD-3-Clause
 * The surface under a system, one atom per work-item. Every node holds the four coefficients of its
 * column that a point above it needs, of the field of an atom type and of the charges: 32 bytes, one
 * sector of the cache, in two loads. High up coarser levels are read. */
#ifndef SHOAL_KERNELS_GROUP_SURFACE_H
#define SHOAL_KERNELS_GROUP_SURFACE_H

#include "group_memory.h"

/* Number of the system among those whose zeros the host sent. */
#ifndef SURFACE_INDEX
#define SURFACE_INDEX sys.index
#endif

#if defined(SHOAL_DIRECT)
#include "group_direct.h"
#elif defined(SHOAL_SURFACE)
typedef real4 grid_vector;
#include "grid_terms.h"

typedef struct surface_data {
    global const float4 *fields; /* [level][class][n_a][n_b][n_z - 1][2] */
    global const real4 *atoms;   /* class, charge, energy far above, inverse of grid_expand */
    global const real *frames;   /* of the levels */
    global const real4 *anchors; /* of the system: two numbers by four for every level */
    int n_levels, n_classes;
    grid_frame frame; /* of the finest level */
    grid_anchor anchor;
} surface_data;

#define SURFACE_ARGUMENTS                                                                          \
    , global const float4 *surface_fields, global const real *surface_frame,                       \
        global const real4 *surface_atoms, global const real4 *surface_anchors

SHOAL_FN grid_frame surface_load_frame(global const real *frame)
{
    grid_frame f;
    f.ax = frame[FRAME_AX];
    f.ay = frame[FRAME_AY];
    f.bx = frame[FRAME_BX];
    f.by = frame[FRAME_BY];
    f.cz = frame[FRAME_CZ];
    f.wall = frame[FRAME_WALL];
    f.per_a = R(1.0) / frame[FRAME_A];
    f.per_b = R(1.0) / frame[FRAME_B];
    f.zero = R(0.0);
    f.one = R(1.0);
    f.most = R(1e6);
    f.n_a = (int)frame[FRAME_A];
    f.n_b = (int)frame[FRAME_B];
    f.n_z = (int)frame[FRAME_Z];
    return f;
}

SHOAL_FN grid_anchor surface_load_anchor(global const real4 *anchor)
{
    const real4 node = anchor[0], rest = anchor[1];
    grid_anchor at;
    at.a = (int)node.x;
    at.b = (int)node.y;
    at.z = (int)node.z;
    at.fa = rest.x;
    at.fb = rest.y;
    at.fz = rest.z;
    return at;
}

SHOAL_FN surface_data surface_setup(global const float4 *fields, global const real *frames,
                                    global const real4 *atoms, global const real4 *anchors,
                                    int index)
{
    surface_data s;
    s.fields = fields;
    s.atoms = atoms;
    s.frames = frames;
    s.n_levels = (int)frames[FRAME_LEVELS];
    s.n_classes = (int)frames[FRAME_CLASSES];
    s.anchors = anchors + 2 * s.n_levels * index;
    s.frame = surface_load_frame(frames);
    s.anchor = surface_load_anchor(s.anchors);
    return s;
}

#ifdef SHOAL_DOUBLE
#define WIDEN(v) convert_double4(v)
#else
#define WIDEN(v) (v)
#endif

/* Adds a column to a row of them: value, slope along b and slope along z. */
SHOAL_FN real4 surface_add_column(real4 row, real4 c, real4 bz, real4 dz, real b, real d)
{
    const real value = dot(c, bz);
    return row + (real4)(b * value, d * value, b * dot(c, dz), 0);
}

/* Adds a row to the sum of all: value and slopes along a, b and z. */
SHOAL_FN real4 surface_add_row(real4 sum, real4 row, real a, real d)
{
    return sum + (real4)(a * row.x, d * row.x, a * row.y, a * row.z);
}

SHOAL_FN grid_field surface_to_field(real4 sum, real factor)
{
    grid_field out;
    out.value = factor * sum.x;
    out.a = factor * sum.y;
    out.b = factor * sum.z;
    out.z = factor * sum.w;
    return out;
}

/* Force on an atom at a spot of one level; par as in surface_data. Columns are summed along z first: that takes half of
 * the operations. */
SHOAL_FN real4 surface_read(const grid_frame f, const grid_spot spot, global const float4 *fields,
                            real4 par, energies *e)
{
    const grid_basis4 a = grid_basis(spot.ta), b = grid_basis(spot.tb);
    const grid_basis4 w = grid_basis_z(spot.tz, spot.beyond);
    const real4 bz = (real4)(w.b0, w.b1, w.b2, w.b3), dz = (real4)(w.d0, w.d1, w.d2, w.d3);
    const size_t column = 2 * (size_t)(f.n_z - 1), row = column * (size_t)f.n_b;
    global const float4 *field = fields + (size_t)par.x * (size_t)f.n_a * row + 2 * (size_t)spot.z;
    const real4 zero = (real4)(0, 0, 0, 0);
    real4 types = zero, charges = zero;
    int na = spot.a;
#pragma unroll
    for (int m = 0; m < 4; ++m) {
        const real ba = m == 0 ? a.b0 : m == 1 ? a.b1 : m == 2 ? a.b2 : a.b3;
        const real da = m == 0 ? a.d0 : m == 1 ? a.d1 : m == 2 ? a.d2 : a.d3;
        real4 type = zero, charge = zero;
        int nb = spot.b;
#pragma unroll
        for (int n = 0; n < 4; ++n) {
            const real bb = n == 0 ? b.b0 : n == 1 ? b.b1 : n == 2 ? b.b2 : b.b3;
            const real db = n == 0 ? b.d0 : n == 1 ? b.d1 : n == 2 ? b.d2 : b.d3;
            global const float4 *p = field + row * (size_t)na + column * (size_t)nb;
            type = surface_add_column(type, WIDEN(p[0]), bz, dz, bb, db);
#ifdef SHOAL_CHARGES
            charge = surface_add_column(charge, WIDEN(p[1]), bz, dz, bb, db);
#endif
            nb = nb + 1 < f.n_b ? nb + 1 : 0;
        }
        types = surface_add_row(types, type, ba, da);
        charges = surface_add_row(charges, charge, ba, da);
        na = na + 1 < f.n_a ? na + 1 : 0;
    }
    v3 g;
    const real energy = par.z + grid_finish(f, surface_to_field(types, R(1.0)), par.w,
                                            surface_to_field(charges, par.y), spot.beyond, &g);
    ADD_ENERGY(e, SURFACE, energy);
    return (real4)(g.x, g.y, g.z, 0);
}

/* An atom that is above the finest level. */
SHOAL_FN real4 surface_force_high(const surface_data *s, real4 par, v3 r, energies *e)
{
    grid_frame f = s->frame;
    grid_spot spot;
    global const float4 *fields = s->fields;
    int level = 1;
    do {
        fields += 2 * (size_t)s->n_classes * (size_t)f.n_a * (size_t)f.n_b * (size_t)(f.n_z - 1);
        f = surface_load_frame(s->frames + level * LAYOUT_FRAME);
        spot = grid_locate(f, surface_load_anchor(s->anchors + 2 * level), r);
    } while (spot.above && ++level < s->n_levels);
    par.w = 0; /* fields up there are not compressed */
    return surface_read(f, spot, fields, par, e);
}

/* Force on atom i, whose parameters are number k. Where molecules are, the frame is the same for all of them and
 * stays in registers: levels in the same code would make steps an eighth slower (NVIDIA H200). */
SHOAL_FN real4 surface_force(const surface_data *s, int k, real4 at, energies *e)
{
    const real4 par = s->atoms[k];
    const v3 r = v3_make(at.x, at.y, at.z);
    const grid_spot spot = grid_locate(s->frame, s->anchor, r);
    if (spot.above && s->n_levels > 1) return surface_force_high(s, par, r, e);
    return surface_read(s->frame, spot, s->fields, par, e);
}

#define SURFACE_SETUP                                                                              \
    surface_setup(surface_fields, surface_frame, surface_atoms, surface_anchors, SURFACE_INDEX)
#define ADD_SURFACE(f, s, k, at, e) ((f) = v3_add(f, from4(surface_force(s, k, at, e))))

#else
typedef struct surface_data {
    int none;
} surface_data;

#define SURFACE_ARGUMENTS
#define SURFACE_SETUP                                                                              \
    {                                                                                              \
        0                                                                                          \
    }
#define ADD_SURFACE(f, s, k, at, e) (void)(s)
#endif

#endif
