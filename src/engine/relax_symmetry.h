/* SPDX-License-Identifier: BSD-3-Clause
 * Relaxations that keep the symmetry of crystals. */
#ifndef SHOAL_ENGINE_RELAX_SYMMETRY_H
#define SHOAL_ENGINE_RELAX_SYMMETRY_H

#include "engine/relax.h"
#include "geom/crystal_group.h"

/* Finds the operations of all active systems, puts atoms on their places, and rejects what the force field treats otherwise
 * than its symmetry; until relax_symmetry_free. */
shoal_status relax_symmetry_begin(relax_run *run);
/* As relax_atoms, with atoms put back on their places every so many steps. */
shoal_status relax_symmetry_atoms(relax_run *run);
/* The operations of a system, NULL: none are kept. */
const crystal_group *relax_symmetry_of(const relax_run *run, int32_t i);
/* Evaluates all systems where they have come to, and notes what was kept. */
shoal_status relax_symmetry_end(relax_run *run);
void relax_symmetry_free(relax_run *run);

#endif
