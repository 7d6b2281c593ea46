/* SPDX-License-Identifier: BSD-3-Clause
 * Bond orders and formal charges of a molecule whose file gives no formal charges. */
#ifndef SHOAL_CHEM_ORDERS_H
#define SHOAL_CHEM_ORDERS_H

#include "chem/graph.h"

/* What is found: extra[n_bonds] beyond the orders given (open ones count single), charge[n_atoms]; shared[n_bonds]: the mean order of
 * bonds that structures of the same price give in turn, 0 elsewhere. */
typedef struct orders_found {
    int32_t *extra, *charge;
    double *shared;
} orders_found;

/* Angstrom; the same over the sum of covalent radii. */
double bond_length(const shoal_molecule *mol, const shoal_bond *b);
double bond_ratio(const shoal_molecule *mol, const shoal_bond *b);

/* The cheapest structure whose charges add up to *total; of all, where total is NULL. Fails with
 * SHOAL_E_FORMAT if there is none. The arrays belong to the arena. */
shoal_status orders_find(orders_found *out, const shoal_molecule *mol, const graph *g,
                         const int32_t *total, arena *memory);

#endif
