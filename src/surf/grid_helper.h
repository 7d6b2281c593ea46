/* SPDX-License-Identifier: BSD-3-Clause
 * Building a grid with the help of a device, which sums over atoms close to the nodes. */
#ifndef SHOAL_SURF_GRID_HELPER_H
#define SHOAL_SURF_GRID_HELPER_H

#include "shoal/grid.h"
#include "surf/grid_lattice.h"

/* All zero is no help: the processor does everything. */
typedef struct grid_helper {
    void *user;
    /* What grid_near_add adds to planes of zeros: to[2][n_a][n_b]. */
    shoal_status (*near)(void *user, const grid_near_job *job, double *to);
} grid_helper;

/* Builds a grid; options->device is not looked at. */
shoal_status grid_build(shoal_grid **out, shoal_surface *surface, const shoal_grid_options *options,
                        const grid_helper *helper);

#endif
