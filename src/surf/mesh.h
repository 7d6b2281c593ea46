/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of a mesh, and what its readers leave to be finished. */
#ifndef SHOAL_SURF_MESH_H
#define SHOAL_SURF_MESH_H

#include "base/text.h"
#include "shoal/mesh.h"

enum { MESH_NAME = 64, MESH_LEAST = 6, MESH_MOST = 20000 };
#define MESH_MOST_NODES 1e9

struct shoal_mesh {
    shoal_mesh_view view;
    char name[MESH_NAME];
    double *values;
    int32_t *elements;
    double (*pos)[3];
    int32_t atom_capacity;
    double inverse[3][3]; /* fraction k of a place r: row k . (r - origin) */
    /* [shape[0]][shape[1]][depth]: coefficient k of a column belongs to node k - 1. */
    double *coefficients;
    int32_t depth; /* shape[2] + 2, of a mesh that repeats along C + 3 */
};

/* A mesh as its reader fills it: shape, origin, cell and values by growing arrays. */
typedef struct mesh_draft {
    shoal_mesh *mesh;
    const shoal_mesh_options *options;
    shoal_mesh_unit unit; /* usual of the format */
    bool x_fastest;       /* values as the file has them */
    size_t n, capacity;   /* values */
    int32_t digits;       /* the most that a value has */
} mesh_draft;

/* Whether a shape is one of a mesh; the text of the failure says where it comes from. */
shoal_status mesh_check_shape(const int32_t shape[3], const char *where);
/* Makes room for n more values; grows by doubling, so that a file that lies costs no memory. */
shoal_status mesh_reserve(mesh_draft *d, size_t n);

shoal_status mesh_read_cube(mesh_draft *d, const char *path);
shoal_status mesh_read_xsf(mesh_draft *d, const char *path);
shoal_status mesh_read_npy(mesh_draft *d, const char *path);

/* How wrong the spline of a mesh may be at a place, twice what is to be expected: value and length of the gradient. */
void mesh_error(const shoal_mesh *mesh, const double r[3], double *value, double *slope);

/* Replaces A and B by vectors that are the same but for rounding. */
void mesh_settle_cell(shoal_mesh *mesh, const double cell[2][2]);

#endif
