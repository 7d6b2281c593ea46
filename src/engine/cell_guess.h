/* SPDX-License-Identifier: BSD-3-Clause
 * What bonds alone say of a cell that is strained, before anything is known of it. */
#ifndef SHOAL_ENGINE_CELL_GUESS_H
#define SHOAL_ENGINE_CELL_GUESS_H

#include "backend/backend.h"

enum { CELL_STRAINS = 6 };

/* For each of n strains (r moves by the strain times r): how atoms move beyond it, response[n_points][strain] in angstrom by its
 * size, if bonds are the springs of the preconditioner (stiffness.h), which want to keep their vectors; and the stiffness
 * of the bonds that are stretched in spite of it, stiff[strain][strain] in eV. *found is false, and all is zero, where
 * there are no bonds. */
shoal_status cell_guess(const backend_system *system, const double (*pos)[3], int32_t n,
                        const double (*strains)[3][3], double (*response)[CELL_STRAINS][3],
                        double stiff[CELL_STRAINS][CELL_STRAINS], bool *found);

#endif
