/* SPDX-License-Identifier: BSD-3-Clause
 * Molecules whose coordinates are none, or those of a drawing. */
#ifndef SHOAL_CHEM_FLAT_H
#define SHOAL_CHEM_FLAT_H

#include "chem/molecule.h"

/* Sets the geometry of a molecule with bonds of its own. There is none if all of several atoms lie at zero; it is flat
 * if all lie in a plane across an axis, and the file calls it 2D, or an atom has four partners, or three and a
 * hydrogen that was left out. Configurations that the file states in other ways become marks of the molecule: parities of atoms
 * without coordinates, wedges and double bonds of drawings. */
shoal_status molecule_find_geometry(shoal_molecule *mol);

/* Whether that is worth a look: by coordinates alone. */
bool molecule_may_be_flat(const shoal_molecule *mol);

/* Partners of an atom with higher numbers than its last hydrogen, which V2000 parities count as the highest. */
int32_t molecule_hydrogen_swaps(const shoal_molecule *mol, int32_t i);

#endif
