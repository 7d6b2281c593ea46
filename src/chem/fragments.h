/* SPDX-License-Identifier: BSD-3-Clause
 * Molecules that consist of two, of which it is known who belongs to whom: dimers of fits. */
#ifndef SHOAL_CHEM_FRAGMENTS_H
#define SHOAL_CHEM_FRAGMENTS_H

#include "chem/molecule.h"

/* The first half of perception for a molecule with n_first: each fragment on its own, with bonds inside of
 * it only. Its charge is the one that the file states for it, else that of its partial charges, else 0; and
 * what fits its bonds best where 0 does not, or leaves unpaired electrons. */
shoal_status fragments_perceive(shoal_molecule *mol, const shoal_perceive_options *options);
/* The atoms of fragment k, 0 or 1, as a molecule without bonds and name; dst is cleared first. */
shoal_status fragment_copy(shoal_molecule *dst, const shoal_molecule *src, int32_t k);

#endif
