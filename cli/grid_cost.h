/* SPDX-License-Identifier: BSD-3-Clause
 * What a grid is wanted for, and what --grid auto chose. */
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

/* What the run chose that is gone on with, from its checkpoint: 1 a grid, 0 direct sums, -1 unknown. */
int grid_chosen_before(const grid_workload *work);
/* Notes the choice of this run for its checkpoint and its log. */
void grid_note_choice(bool direct);

#endif
