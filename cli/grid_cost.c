/* SPDX-License-Identifier: BSD-3-Clause
 * What --grid auto chose, for the run that goes on. */
#include "grid_cost.h"

#include <stdio.h>
#include <string.h>

#include "options.h"

#define BY_DIRECT "auto, by direct sums"
#define BY_GRID "auto, by a grid"

int grid_chosen_before(const grid_workload *w)
{
    const systems_options *o = w->systems;
    shoal_string *before = NULL;
    int chosen = -1;
    char path[4096] = "";
    if (o->resume && o->checkpoint)
        (void)snprintf(path, sizeof path, "%s", o->checkpoint);
    else if (o->resume && o->n_outputs > 0)
        (void)snprintf(path, sizeof path, "%s.checkpoint", o->outputs[0]);
    if (*path && shoal_string_create(&before) == SHOAL_OK &&
        shoal_run_about(path, before) == SHOAL_OK) {
        if (strstr(shoal_string_data(before), "\n--grid " BY_DIRECT)) chosen = 0;
        if (strstr(shoal_string_data(before), "\n--grid " BY_GRID)) chosen = 1;
    }
    shoal_string_destroy(before);
    return chosen;
}

void grid_note_choice(bool direct)
{
    cli_add_choice("grid", direct ? BY_DIRECT : BY_GRID);
}
