/* SPDX-License-Identifier: BSD-3-Clause
 * What the atoms of one topology feel of a surface, in the precision of the kernels, and its field at
 * one point. Included by cpu_tables.h; the same code for every number of lanes. */
#include "surf/grid.h"
#include "surf/surface.h"

/* Four nodes of a column, two fields each. */
typedef real grid_vector __attribute__((vector_size(8 * sizeof(real))));
typedef float float8 __attribute__((vector_size(8 * sizeof(float))));

#include "grid_terms.h"

typedef struct surface_atom {
    const float *field; /* of its class, columns of 2 (n_z + 2) coefficients */
    real charge;
    real inverse;            /* of the class, as in grid_expand */
    const grid_class *above; /* its class in the level above, NULL: none */
} surface_atom;

typedef struct surface_tables {
    const shoal_grid *grid;
    grid_frame frame;
    grid_frame levels[SHOAL_GRID_LEVELS]; /* above the finest */
    surface_atom *atoms;
    real limit; /* eV: energy far above the surface */
} surface_tables;

static void surface_tables_destroy(surface_tables *s)
{
    if (!s) return;
    free(s->atoms);
    free(s);
}

static grid_frame make_frame(const shoal_grid_view *v)
{
    double m[3][3];
    grid_inverse(v, m);
    return (grid_frame){.ax = (real)m[0][0],
                        .ay = (real)m[0][1],
                        .bx = (real)m[1][0],
                        .by = (real)m[1][1],
                        .cz = (real)m[2][2],
                        .wall = (real)(GRID_WALL * v->step[2] * v->step[2]),
                        .per_a = R(1.0) / (real)v->shape[0],
                        .per_b = R(1.0) / (real)v->shape[1],
                        .zero = R(0.0),
                        .one = R(1.0),
                        .most = R(1e6),
                        .n_a = v->shape[0],
                        .n_b = v->shape[1],
                        .n_z = v->shape[2]};
}

/* NULL when memory is out. */
static surface_tables *surface_tables_create(const shoal_topology_view *v,
                                             const shoal_surface *surface, shoal_grid *grid,
                                             int32_t n_threads)
{
    surface_tables *s = calloc(1, sizeof *s);
    const int32_t n = v->n_atoms + v->n_sites;
    if (s) s->atoms = calloc((size_t)n + 1, sizeof *s->atoms);
    if (!s || !s->atoms) {
        surface_tables_destroy(s);
        return NULL;
    }
    double limit = 0;
    s->grid = grid;
    s->frame = make_frame(&grid->view);
    const shoal_grid *level = grid->above;
    for (int k = 0; level; ++k, level = level->above) s->levels[k] = make_frame(&level->view);
    for (int32_t i = 0; i < n; ++i) {
        double w[SHOAL_N_CHANNELS];
        const grid_class *class;
        surface_atom_weights(surface, v, i, w);
        if (grid_class_find(grid, w, n_threads, &class) != SHOAL_OK) {
            surface_tables_destroy(s);
            return NULL;
        }
        s->atoms[i] = (surface_atom){class->field, (real)w[SHOAL_CHANNEL_Q], (real) class->inverse,
                                     class->above};
        for (int c = 0; c < SHOAL_N_CHANNELS; ++c) limit += w[c] * grid->view.limit[c];
    }
    s->limit = (real)limit;
    return s;
}

SHOAL_FN grid_vector load_column(const float *p)
{
    float8 v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, grid_vector);
}

/* Scalar products of both fields, in an order that instruction sets cannot change. */
typedef struct two_fields {
    real type, charge;
} two_fields;

SHOAL_FN two_fields dot8(grid_vector a, grid_vector b)
{
    const grid_vector c = a * b;
    return (two_fields){(c[0] + c[4]) + (c[2] + c[6]), (c[1] + c[5]) + (c[3] + c[7])};
}

/* Basis functions of a point along one axis, as an array. */
typedef struct surface_basis {
    real b[4], d[4];
} surface_basis;

/* Energy of an atom with a class and a charge at a spot, and the force on it. */
SHOAL_FN real surface_field(const grid_frame *f, const surface_atom *atom, const int spot[3],
                            const surface_basis w[3], real beyond, v3 *force)
{
    const real q = atom->charge, *bz = w[2].b, *dz = w[2].d;
    const grid_basis4 b = {w[1].b[0], w[1].b[1], w[1].b[2], w[1].b[3],
                           w[1].d[0], w[1].d[1], w[1].d[2], w[1].d[3]};
    const size_t column = 2 * ((size_t)f->n_z + 2);
    grid_sum sum = {{0}, {0}, {0}};
    size_t at[4];
    for (int k = 0, n = spot[1]; k < 4; ++k, n = n + 1 < f->n_b ? n + 1 : 0)
        at[k] = (size_t)n * column + 2 * (size_t)spot[2];
    for (int k = 0, n = spot[0]; k < 4; ++k, n = n + 1 < f->n_a ? n + 1 : 0) {
        const float *row = atom->field + (size_t)n * (size_t)f->n_b * column;
        grid_add_row(&sum, b, w[0].b[k], w[0].d[k], load_column(row + at[0]),
                     load_column(row + at[1]), load_column(row + at[2]), load_column(row + at[3]));
    }
    const grid_vector value = {bz[0], bz[0], bz[1], bz[1], bz[2], bz[2], bz[3], bz[3]};
    const grid_vector slope = {dz[0], dz[0], dz[1], dz[1], dz[2], dz[2], dz[3], dz[3]};
    const two_fields e = dot8(sum.value, value), ea = dot8(sum.along_a, value);
    const two_fields eb = dot8(sum.along_b, value), ez = dot8(sum.value, slope);
    const grid_field type = {e.type, ea.type, eb.type, ez.type};
    const grid_field charge = {q * e.charge, q * ea.charge, q * eb.charge, q * ez.charge};
    return grid_finish(*f, type, atom->inverse, charge, beyond, force);
}

SHOAL_FN surface_basis to_array(grid_basis4 w)
{
    return (surface_basis){{w.b0, w.b1, w.b2, w.b3}, {w.d0, w.d1, w.d2, w.d3}};
}

/* The same for an atom above the finest level, at a place in angstrom. */
static real surface_above(const surface_tables *s, const surface_atom *atom, const double r[3],
                          v3 *force)
{
    const grid_class *class = atom->above;
    const shoal_grid *level = s->grid->above;
    const grid_frame *f = s->levels;
    for (; level->above && r[2] >= grid_level_top(level); level = level->above, ++f)
        class = class->above;
    int32_t node[3];
    double rest[3];
    grid_find_anchor(&level->view, r, node, rest);
    const grid_anchor zero = {node[0],       node[1],       node[2],
                              (real)rest[0], (real)rest[1], (real)rest[2]};
    const grid_spot spot = grid_locate(*f, zero, v3_make(0, 0, 0));
    const surface_atom there = {.field = class->field, .charge = atom->charge};
    const int at[3] = {spot.a, spot.b, spot.z};
    const surface_basis w[3] = {to_array(grid_basis(spot.ta)), to_array(grid_basis(spot.tb)),
                                to_array(grid_basis_z(spot.tz, spot.beyond))};
    return surface_field(f, &there, at, w, spot.beyond, force);
}
