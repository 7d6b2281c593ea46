/* SPDX-License-Identifier: BSD-3-Clause
 * What building a grid and planning for it have in common. */
#ifndef SHOAL_SURF_GRID_BUILD_H
#define SHOAL_SURF_GRID_BUILD_H

#include "surf/grid.h"

#define GRID_GHOSTS 8      /* nodes beyond the ends, so that those of the spline are far away */
#define GRID_EMPTY 4       /* nodes at the top of the last level where the fields are zero */
#define GRID_BELOW 0.5     /* angstrom from the floor of the surface to the bottom of the grid */
#define GRID_DECAY 40.0    /* k-vectors weaker than exp(-GRID_DECAY) are left out */
#define GRID_SHARPEST 33.6 /* 1/angstrom: the longest k-vector of charges that are not damped */
/* Angstrom from a plane of atoms where k-vectors do for every channel. No node there is within the core of an atom
 * (grid_near_terms.h), which k-vectors do not know, and GRID_DECAY / GRID_FAR is below GRID_SHARPEST: a cut of k-vectors
 * at this distance shows, times the r^-12 of an atom, as a seam in the field. */
#define GRID_FAR 1.2
#define GRID_MOST_PLANES                                                                           \
    32 /* where there are more, GRID_FAR_MANY: k-vectors are as few as those of smooth parts */
#define GRID_FAR_MANY 3.2

/* Fails with SHOAL_E_UNSUPPORTED where a grid cannot hold the fields of a surface. */
shoal_status grid_refuse(const shoal_surface *surface);

/* The step that options ask for, angstrom. */
double grid_choose_step(const shoal_surface *surface, const shoal_grid_options *options);

#endif
