/* SPDX-License-Identifier: BSD-3-Clause
 * Grids of surfaces: where they come from (a file, one kept beside the surface, or built), and what is printed of
 * them. */
#ifndef SHOAL_CLI_GRID_H
#define SHOAL_CLI_GRID_H

#include "systems.h"

/* What the fields of a surface are wanted for; without files that is unknown. */
typedef struct grid_workload {
    const systems_options *systems;
    const char **files;
    int n_files;
    double evaluations; /* of a system, about */
    bool plans;         /* --dry-run: nothing is built */
} grid_workload;

/* What a grid is wanted for, and by whom. */
typedef struct grid_source {
    const char *how;          /* --grid: a file, "auto" (also NULL) or "off" */
    const char *surface_file; /* NULL: none, nothing is kept beside it */
    const char *device;       /* "ref" sums directly, whatever --grid says by default */
    int n_threads;
    bool quiet;
    const grid_workload *work; /* NULL: unknown */
} grid_source;

/* Builds with a progress bar. Returns an exit code; mistakes are printed. */
int grid_source_build(shoal_surface *surface, shoal_grid_options *options, bool quiet,
                      shoal_grid **out);

/* Finds the grid; *out is NULL for direct sums. Returns an exit code; mistakes are printed. */
int grid_source_load(const grid_source *source, shoal_surface *surface, shoal_grid **out,
                     shoal_grid_settled *found);

void grid_report_info(const char *path, const shoal_grid *grid, bool as_json);
void grid_report_errors(const shoal_grid_report *report, bool as_json);

#endif
