/* SPDX-License-Identifier: BSD-3-Clause
 * Where the grid of a surface comes from: a file, one kept beside the surface, or built. */
#ifndef SHOAL_CLI_GRID_SOURCE_H
#define SHOAL_CLI_GRID_SOURCE_H

#include "grid_cost.h"
#include "options.h"
#include "shoal/shoal.h"

/* What a grid is wanted for. */
typedef struct grid_source {
    const char *how;          /* --grid: a file, "auto" (also NULL) or "off" */
    const char *surface_file; /* NULL: none, nothing is kept beside it */
    const char *device;       /* "ref" sums directly, whatever --grid says by default */
    int n_threads;
    bool quiet;
    const grid_workload *work; /* NULL: unknown */
} grid_source;

/* What became of it, for a plan. */
typedef struct grid_found {
    char text[300]; /* "direct sums: ...", "FILE", "to be built: ..." */
    int64_t bytes;  /* of the grid, 0: none */
    double seconds; /* to build it, of a core */
} grid_found;

/* Builds with a progress bar. Returns an exit code; mistakes are printed. */
int grid_source_build(shoal_surface *surface, shoal_grid_options *options, bool quiet,
                      shoal_grid **out);

/* Finds the grid; *out is NULL for direct sums. Returns an exit code; mistakes are printed. */
int grid_source_load(const grid_source *source, shoal_surface *surface, shoal_grid **out,
                     grid_found *found);

#endif
