/* SPDX-License-Identifier: BSD-3-Clause
 * What --grid auto weighs: a grid that is built once against direct sums over the whole input. */
#ifndef SHOAL_CLI_GRID_COST_H
#define SHOAL_CLI_GRID_COST_H

#include "shoal/shoal.h"
#include "systems.h"

/* What the fields of a surface are wanted for. */
typedef struct grid_workload {
    const systems_options *systems;
    const char **files;
    int n_files;
    double evaluations; /* of a system, about */
    bool plans;         /* --dry-run: nothing is built */
} grid_workload;

/* Atoms in all files, by their sizes; INFINITY where one of them is a pipe. Every shard and rank of a run
 * counts the same. */
double grid_count_atoms(const grid_workload *work);

/* Bytes that this process can have on the host, about. */
double grid_free_memory(void);
/* Bytes that fields may take on a device; INFINITY on the processor. */
double grid_device_memory(const char *device);

/* The verdict, and the reason as a text. */
typedef struct grid_cost {
    shoal_grid_plan plan;
    bool direct;
    char why[200];
} grid_cost;

/* Weighs both ways. work NULL: nobody knows how much there is to do, a grid if it fits. */
shoal_status grid_weigh(const shoal_surface *surface, const grid_workload *work, const char *device,
                        grid_cost *out);

/* Whether the fields of a grid that was read fit into the memory that is free, too. */
bool grid_fits(const shoal_grid *grid, const char *device);

/* What the run chose that is gone on with, from its checkpoint: 1 a grid, 0 direct sums, -1 unknown. */
int grid_chosen_before(const grid_workload *work);
/* Notes the choice of this run for its checkpoint and its log. */
void grid_note_choice(bool direct);

#endif
