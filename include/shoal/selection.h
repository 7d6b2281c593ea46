/* SPDX-License-Identifier: BSD-3-Clause
 * Selections: which atoms of a molecule a text means, found anew for every molecule. */
#ifndef SHOAL_SELECTION_H
#define SHOAL_SELECTION_H

#include "shoal/molecule.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parsed once, applied to any number of molecules, by several threads at once. */
typedef struct shoal_selection shoal_selection;

/* Parts, of which one has to hold, are separated by commas; each is made of conditions that all have to hold, separated
 * by '&'. A '!' before a condition turns it round. Conditions, with atoms counted from 0:
 *   I  I-J  I-       an atom, those from I to J, those from I on
 *   element:SYMBOL
 *   below:Z  above:Z angstrom: atoms with z < Z or z > Z
 *   all
 * Blanks are allowed around all of them. Fails with SHOAL_E_ARGUMENT, naming what is wrong. */
SHOAL_API shoal_status shoal_selection_create(shoal_selection **out, const char *text);
SHOAL_API void shoal_selection_destroy(shoal_selection *selection);

/* As it was given; "" of NULL. */
SHOAL_API const char *shoal_selection_text(const shoal_selection *selection);

/* Sets chosen[n_atoms] for all atoms that it selects, where they are now, and leaves the others as they were. */
SHOAL_API shoal_status shoal_selection_apply(shoal_selection *selection, const shoal_molecule *mol,
                                             bool *chosen);

/* Atoms of all molecules that it has selected so far. */
SHOAL_API int64_t shoal_selection_count(const shoal_selection *selection);

#ifdef __cplusplus
}
#endif

#endif
