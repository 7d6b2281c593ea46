/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs of near atoms, shared by the search for bonds and the look for salts and metals. */
#ifndef SHOAL_CHEM_BONDS_INNER_H
#define SHOAL_CHEM_BONDS_INNER_H

#include "chem/molecule.h"

typedef struct bond_pair {
    int32_t i, j;
    int32_t shift[3];
    double stretch; /* distance over the sum of radii */
    bool hydrogen;  /* takes part */
    bool contact;   /* near, yet too far for a bond */
    bool dropped;
} bond_pair;

/* Takes out of pairs[*n_pairs] the contacts and the bonds that ions and metals do not have, and, where no formal
 * charges are given, writes those of ions; valence_find_charges keeps them. For molecules with metals. */
shoal_status solids_take_out(shoal_molecule *mol, bond_pair *pairs, int32_t *n_pairs);

#endif
