/* SPDX-License-Identifier: BSD-3-Clause
 * Whether a system may stand on the surface of an engine. */
#ifndef SHOAL_ENGINE_PLACEMENT_H
#define SHOAL_ENGINE_PLACEMENT_H

#include "backend/backend.h"

/* Rows of the lattice that periodic systems must fit: the cell of the surface, or its smallest
 * period where a system fits no cell. Left alone without a surface. */
shoal_status placement_lattice(const backend_system *systems, int32_t n_systems,
                               const shoal_engine_options *options, double lattice[2][2]);

/* Rejects a result, with the reason, if an atom is below the surface or its grid, or if a periodic
 * system does not fit the lattice or an atom is far away from everything. */
void placement_check(const backend_system *system, const shoal_engine_options *options,
                     const double lattice[2][2], backend_result *result);

#endif
