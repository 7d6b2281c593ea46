/* SPDX-License-Identifier: BSD-3-Clause
 * What building a grid and planning for it have in common. */
#ifndef SHOAL_SURF_GRID_BUILD_H
#define SHOAL_SURF_GRID_BUILD_H

#include "surf/grid.h"

#define GRID_GHOSTS 8       /* nodes beyond the ends, so that those of the spline are far away */
#define GRID_BELOW 0.5      /* angstrom from the floor of the surface to the bottom of the grid */
#define GRID_DECAY 30.0     /* k-vectors weaker than exp(-GRID_DECAY) are left out */
#define GRID_SHARPEST 33.6  /* 1/angstrom: the longest k-vector of charges that are not damped */
#define GRID_FAR 0.7        /* angstrom from all atoms: k-vectors do for every channel ... */
#define GRID_MOST_PLANES 32 /* ... unless there are more planes of atoms */

/* Fails with SHOAL_E_UNSUPPORTED where a grid cannot hold the fields of a surface. */
shoal_status grid_refuse(const shoal_surface *surface);

/* The step that options ask for, angstrom. */
double grid_choose_step(const shoal_surface *surface, const shoal_grid_options *options);

#endif
