/* SPDX-License-Identifier: BSD-3-Clause
 * Batches: systems of any kind and size, one after the other in flat arrays. */
#include "batch/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

shoal_status shoal_batch_create(shoal_batch **out)
{
    shoal_clear_error();
    if (!out) return shoal_fail(SHOAL_E_ARGUMENT, "batch: no place for the result");
    *out = shoal_alloc(1, sizeof **out);
    return *out ? SHOAL_OK : SHOAL_E_MEMORY;
}

void shoal_batch_destroy(shoal_batch *batch)
{
    if (!batch) return;
    for (int32_t i = 0; i < batch->n_systems; ++i)
        shoal_topology_destroy(batch->systems[i].topology);
    free(batch->systems);
    free(batch->pos);
    free(batch);
}

static shoal_status check_system(const shoal_batch *batch, const shoal_system *system,
                                 const shoal_topology_view *view)
{
    const bool periodic = view->pbc[0] || view->pbc[1] || view->pbc[2];
    if (view->n_atoms > 0 && !system->pos)
        return shoal_fail(SHOAL_E_ARGUMENT, "system %d: %d atoms but no positions",
                          batch->n_systems, view->n_atoms);
    if (periodic && !system->cell)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "system %d: its topology is periodic but it has no cell",
                          batch->n_systems);
    if (view->n_atoms > INT32_MAX / 2 - batch->n_atoms)
        return shoal_fail(SHOAL_E_MEMORY, "system %d: more than %d atoms in one batch",
                          batch->n_systems, INT32_MAX / 2);
    return SHOAL_OK;
}

shoal_status shoal_batch_add(shoal_batch *batch, const shoal_system *system)
{
    shoal_clear_error();
    if (!batch || !system || !system->topology)
        return shoal_fail(SHOAL_E_ARGUMENT, "batch, system or topology is missing");
    shoal_topology_view view;
    shoal_topology_get(system->topology, &view);
    SHOAL_TRY(check_system(batch, system, &view));
    SHOAL_TRY(SHOAL_RESERVE(&batch->systems, &batch->system_capacity, batch->n_systems + 1));
    SHOAL_TRY(SHOAL_RESERVE(&batch->pos, &batch->atom_capacity, batch->n_atoms + view.n_atoms));
    batch_system *s = &batch->systems[batch->n_systems++];
    *s = (batch_system){.topology = shoal_topology_retain(system->topology),
                        .atom_start = batch->n_atoms,
                        .n_atoms = view.n_atoms};
    for (int k = 0; k < 3; ++k)
        if (view.pbc[k]) memcpy(s->cell[k], system->cell[k], sizeof s->cell[k]);
    if (view.n_atoms > 0)
        memcpy(batch->pos[batch->n_atoms], system->pos, (size_t)view.n_atoms * sizeof *batch->pos);
    batch->n_atoms += view.n_atoms;
    return SHOAL_OK;
}

int32_t shoal_batch_size(const shoal_batch *batch)
{
    return batch ? batch->n_systems : 0;
}
