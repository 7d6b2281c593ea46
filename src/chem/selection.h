/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of selections, for library code that explains them. */
#ifndef SHOAL_CHEM_SELECTION_H
#define SHOAL_CHEM_SELECTION_H

#include "base/text.h"
#include "shoal/selection.h"

/* The first atom that it names by number and a molecule of n_atoms lacks; -1: there is none. *what becomes the
 * condition that names it, borrowed. */
int32_t selection_missing(const shoal_selection *selection, int32_t n_atoms, shoal_span *what);

#endif
