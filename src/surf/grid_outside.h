/* SPDX-License-Identifier: BSD-3-Clause
 * Channels of a grid that come from meshes of other programs. */
#ifndef SHOAL_SURF_GRID_OUTSIDE_H
#define SHOAL_SURF_GRID_OUTSIDE_H

#include "surf/grid.h"
#include "surf/mesh.h"
#include "surf/surface.h"

/* A mesh over a surface: less its value in the vacuum, switched off between begin and end. */
typedef struct grid_outside {
    bool there;
    shoal_mesh mesh; /* with the arrays of the caller's, and vectors that fit exactly */
    double zero;     /* eV, taken off: the mean over the plane where it ends */
    double bottom;   /* angstrom, of the first nodes; -INFINITY of a mesh that repeats */
    double begin, end;
    double
        cut; /* the most it has where it is switched off, eV of a carbon atom with a unit charge */
} grid_outside;

/* Whether cells of a grid are whole numbers of those of a mesh, within 0.01 angstrom. */
bool grid_outside_fits(const shoal_mesh *mesh, const double cell[2][2]);

/* Fails with SHOAL_E_ARGUMENT for a mesh that is not over this surface, does not reach from its atoms into the vacuum, or has
 * the sign of electrons. */
shoal_status grid_outside_prepare(grid_outside *out, const shoal_surface *surface, int channel,
                                  const shoal_mesh *mesh, const double cell[2][2]);

/* Field and slopes: nothing above the end. */
void grid_outside_field(const grid_outside *o, const double r[3], double out[4]);

/* How wrong a channel that was read at a place may be: value and length of the gradient. */
void grid_outside_error(const grid_outside *o, const double r[3], const double read[4], double *de,
                        double *df);

/* Carbon's weights with unit charge, that errors of channels are told with. */
void grid_bare_weights(const shoal_surface *surface, double bare[SHOAL_N_CHANNELS]);

/* shoal_grid_check, while the meshes are there (NULL: their errors are those that the grid keeps). */
shoal_status grid_check(const shoal_grid *grid, int32_t n, uint64_t seed, int32_t n_threads,
                        const grid_outside *outside, shoal_grid_report *report,
                        shoal_grid_sample *samples);

#endif
