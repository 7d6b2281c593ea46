/* SPDX-License-Identifier: BSD-3-Clause
 * The field of an atom type as a spline of its fourth root. */
#ifndef SHOAL_SURF_GRID_COMPRESS_H
#define SHOAL_SURF_GRID_COMPRESS_H

#include "surf/grid.h"

/* Writes compressed coefficients of the channels other than Q, weighed and added up, to every second number of a class's
 * field; *inverse is that of grid_expand. Where the field cannot be compressed *inverse is 0, and `to` as it was. */
shoal_status grid_compress(const shoal_grid *grid, const double weights[SHOAL_N_CHANNELS],
                           int32_t n_threads, float *to, double *inverse);

#endif
