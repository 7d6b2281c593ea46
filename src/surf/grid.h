/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of a grid: spline coefficients of the channels. */
#ifndef SHOAL_SURF_GRID_H
#define SHOAL_SURF_GRID_H

#include "shoal/grid.h"

#define GRID_FILE_VERSION 3 /* of what files mean; part of their names in the cache */
#define GRID_SOURCES_VERSION                                                                       \
    4 /* of files with channels from elsewhere, which programs before would take for the surface's */
#define GRID_MOST_NODES 20000 /* each way */
#define GRID_MAX_E 1e-3       /* eV: what a grid may be wrong by where an atom may be */
#define GRID_MAX_F 5e-3       /* eV/angstrom */
#define GRID_WALL 10.0        /* eV/angstrom^2, below the bottom */
#define GRID_NEAR 10.0        /* angstrom above the topmost atom where the finest level ends */

/* What the atoms of one type feel apart from their charge. */
typedef struct grid_class {
    struct grid_class *next;
    double weights[SHOAL_N_CHANNELS]; /* that of Q is zero */
    float *field; /* as a channel, but two numbers a node: this field and that of the charges */
    double
        inverse; /* 1/eV: how the first is compressed, grid_expand of grid_terms.h; 0: it is not */
    const struct grid_class *above; /* the same in the level above, NULL if there is none */
} grid_class;

struct shoal_grid {
    int32_t references; /* changed atomically */
    int32_t version;    /* GRID_FILE_VERSION of what its numbers mean */
    shoal_grid_view view;
    shoal_surface *surface;
    /* [shape[0]][shape[1]][shape[2] + 2], NULL where the view has no channel. Coefficient k of a
     * column belongs to node k - 1. */
    float *channel[SHOAL_N_CHANNELS];
    grid_class *classes; /* made at first use; a list that only grows, changed atomically */
    shoal_grid *above;   /* the next level, coarser and owned, NULL in the last one */
};

/* A grid with its view set and memory for its channels; takes a reference of the surface. */
shoal_status grid_allocate(shoal_grid **out, const shoal_grid_view *view, shoal_surface *surface);

/* Puts the next level on top of those of a grid, which takes it over. */
void grid_put_level(shoal_grid *grid, shoal_grid *level);

/* Height up to which a level is read, angstrom; above it the next one is. */
double grid_level_top(const shoal_grid *level);

/* Numbers of all nodes, and of coefficients of one channel, of one level. */
size_t grid_count_nodes(const shoal_grid *grid);
size_t grid_count_coefficients(const shoal_grid *grid);

/* First atom below the bottom of the grid, -1 if there is none. */
int32_t grid_find_outside(const shoal_grid *grid, const double (*pos)[3], int32_t n);

/* Rows of the inverse of the voxel: steps along a, b and z per angstrom of x, y and z. */
void grid_inverse(const shoal_grid_view *view, double inverse[3][3]);

/* The class of atoms with certain weights, made by so many threads (0: all) if there is none yet; lives as long as the
 * grid. */
shoal_status grid_class_find(shoal_grid *grid, const double weights[SHOAL_N_CHANNELS],
                             int32_t n_threads, const grid_class **out);
void grid_class_free(grid_class *list);

/* A class that the caller frees, with those of the levels above. */
shoal_status grid_class_make(const shoal_grid *grid, const double weights[SHOAL_N_CHANNELS],
                             int32_t n_threads, grid_class **out);
void grid_class_destroy(grid_class *class);
/* Energy of an atom of a class with a charge, and its gradient, as engines have it but in double. */
void grid_class_energy(const shoal_grid *grid, const grid_class *class, double charge,
                       const double r[3], double out[4]);

/* The node below a point (wrapped along a and b) and how far the point is beyond it, in nodes. */
void grid_find_anchor(const shoal_grid_view *view, const double origin[3], int32_t node[3],
                      double rest[3]);

#endif
