/* SPDX-License-Identifier: BSD-3-Clause
 * Cells that are relaxed with their atoms. */
#ifndef SHOAL_ENGINE_RELAX_CELL_H
#define SHOAL_ENGINE_RELAX_CELL_H

#include "engine/relax.h"

/* Refuses what cannot be relaxed, or with a cell that moves. */
shoal_status relax_cells_check(const shoal_engine *engine, const shoal_relax_options *options);

/* Relaxes atoms and cells of all active systems; the cells that are kept belong to the run until relax_cells_free. */
shoal_status relax_cells(relax_run *run);
void relax_cells_free(relax_cells_state *cells);

/* Moves the cell and the atoms of a system by f r; directions stay. */
void relax_cells_strain(shoal_engine *engine, int32_t i, const double f[3][3]);

/* The verdict on the cell of a system whose atoms have converged; its reason goes to the result. */
shoal_system_status relax_cells_judge(const relax_cells_state *cells, int32_t i, backend_result *r);

#endif
