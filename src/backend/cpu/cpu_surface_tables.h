/* SPDX-License-Identifier: BSD-3-Clause
 * What the atoms of one topology feel of a surface, in the precision of the kernels, and its field at
 * one point. Included by cpu_tables.h; the same code for every number of lanes. */
#include "surf/grid.h"
#include "surf/surface.h"

typedef real real4 __attribute__((vector_size(4 * sizeof(real))));
typedef float float4 __attribute__((vector_size(4 * sizeof(float))));

#include "grid_terms.h"

typedef struct surface_atom {
    const float *field; /* of its class, columns of n_z + 2 coefficients */
    real charge;
} surface_atom;

typedef struct surface_tables {
    const shoal_grid *grid;
    grid_frame frame;
    const float *coulomb; /* NULL: no charges on either side */
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
                        .n_a = v->shape[0],
                        .n_b = v->shape[1],
                        .n_z = v->shape[2]};
}

/* NULL when memory is out. */
static surface_tables *surface_tables_create(const shoal_topology_view *v,
                                             const shoal_surface *surface, shoal_grid *grid)
{
    surface_tables *s = calloc(1, sizeof *s);
    if (s) s->atoms = calloc((size_t)v->n_atoms + 1, sizeof *s->atoms);
    if (!s || !s->atoms) {
        surface_tables_destroy(s);
        return NULL;
    }
    double limit = 0;
    s->grid = grid;
    s->frame = make_frame(&grid->view);
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        double w[SHOAL_N_CHANNELS];
        const grid_class *class;
        surface_atom_weights(surface, v, i, w);
        if (grid_class_find(grid, w, &class) != SHOAL_OK) {
            surface_tables_destroy(s);
            return NULL;
        }
        s->atoms[i] = (surface_atom){class->field, (real)w[SHOAL_CHANNEL_Q]};
        if (w[SHOAL_CHANNEL_Q] != 0) s->coulomb = grid->channel[SHOAL_CHANNEL_Q];
        for (int c = 0; c < SHOAL_N_CHANNELS; ++c) limit += w[c] * grid->view.limit[c];
    }
    s->limit = (real)limit;
    return s;
}

/* Four coefficients of a column. */
SHOAL_FN real4 load_column(const float *p)
{
    float4 v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, real4);
}

SHOAL_FN real4 load_columns(const surface_atom *atom, const float *coulomb, size_t at)
{
    real4 v = load_column(atom->field + at);
    if (coulomb) v += atom->charge * load_column(coulomb + at);
    return v;
}

/* Energy of atom i at r, and the force on it. */
static real surface_field(const surface_tables *s, int32_t i, grid_anchor anchor, v3 r, v3 *force)
{
    const grid_frame f = s->frame;
    const grid_spot spot = grid_locate(f, anchor, r);
    const grid_basis4 a = grid_basis(spot.ta), b = grid_basis(spot.tb);
    const real ba[4] = {a.b0, a.b1, a.b2, a.b3}, da[4] = {a.d0, a.d1, a.d2, a.d3};
    const size_t column = (size_t)f.n_z + 2;
    grid_sum sum = {{0}, {0}, {0}};
    size_t at_b[4];
    for (int k = 0, n = spot.b; k < 4; ++k, n = n + 1 < f.n_b ? n + 1 : 0)
        at_b[k] = (size_t)n * column + (size_t)spot.z;
    for (int k = 0, n = spot.a; k < 4; ++k, n = n + 1 < f.n_a ? n + 1 : 0) {
        const size_t row = (size_t)n * (size_t)f.n_b * column;
        real4 c[4];
        for (int m = 0; m < 4; ++m) c[m] = load_columns(&s->atoms[i], s->coulomb, row + at_b[m]);
        grid_add_row(&sum, b, ba[k], da[k], c[0], c[1], c[2], c[3]);
    }
    return grid_finish(f, &sum, spot.tz, spot.beyond, force);
}
