/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of selections, for library code that explains them. */
#ifndef SHOAL_CHEM_SELECTION_H
#define SHOAL_CHEM_SELECTION_H

#include "base/text.h"
#include "shoal/selection.h"

/* As shoal_selection_missing; *what becomes the condition that names the atom, borrowed. */
int32_t selection_missing(const shoal_selection *selection, int32_t n_atoms, shoal_span *what);

#endif
