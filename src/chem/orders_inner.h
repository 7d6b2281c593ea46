/* SPDX-License-Identifier: BSD-3-Clause
 * Shared by the files that find bond orders: see orders.c. */
#ifndef SHOAL_CHEM_ORDERS_INNER_H
#define SHOAL_CHEM_ORDERS_INNER_H

#include "chem/orders.h"
#include "chem/resonance.h"

/* What an atom has and can take. */
typedef struct order_atom {
    charge_site site;
    int32_t valence; /* open orders counted single, and what was settled */
    int32_t wanted;  /* orders that it lacks to its normal valence */
    int32_t most;    /* orders that it can take at all */
    int64_t tilt[2]; /* see resonance_atom */
} order_atom;

typedef struct orders_search {
    const shoal_molecule *mol;
    const graph *g;
    order_atom *atoms;
    orders_found found;
    orders_found traced; /* of the part */
    resonance part;      /* the one looked at, its atoms and bonds by number: */
    int32_t *part_atoms, *part_bonds;
    int32_t *local; /* [n_atoms] number in the part, -1 */
    arena *memory;
} orders_search;

/* Makes a part of the atoms that hang together with one through open bonds. Those take part that can take
 * more orders: rooms[n_atoms]. */
shoal_status orders_take_part(orders_search *s, int32_t from, const int32_t *rooms);
/* The structure of a result becomes that of the molecule. */
void orders_settle(orders_search *s, int32_t result);

/* Means of tied structures for the part in s->part, whose structure is that of the molecule. is_plain: among those
 * without charges alone. */
shoal_status orders_share(orders_search *s, bool is_plain);

/* Every atom in its normal valence, without a charge. *done: there is such a structure. */
shoal_status orders_find_plain(orders_search *s, bool *done);
/* The cheapest structure with charges; total as in orders_find. */
shoal_status orders_find_charged(orders_search *s, const int32_t *total);

#endif
