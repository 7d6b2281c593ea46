/* SPDX-License-Identifier: BSD-3-Clause
 * Which formal charges an atom can have at a valence, and how dear they are. */
#ifndef SHOAL_CHEM_CHARGE_STATES_H
#define SHOAL_CHEM_CHARGE_STATES_H

#include "chem/molecule.h"

enum { CHARGE_STATES_MOST = 17, METAL_CHARGE_MOST = 8 };

/* A charge and its price; a neutral atom of normal valence costs nothing. Where the charge does not explain
 * the valence, the rest are unpaired electrons. */
typedef struct charge_state {
    int32_t charge, cost;
} charge_state;

/* What decides on the states of an atom beside its valence. */
typedef struct charge_site {
    int32_t z, degree;
    int32_t n_metal;  /* bonds to metals, which may turn dative */
    bool is_aminoxyl; /* the oxygen of R2NO between saturated carbon atoms */
} charge_site;

/* States at a valence, bonds to metals included, the cheapest first; returns their number, at least 1. */
int32_t charge_states(const charge_site *site, int32_t valence,
                      charge_state out[CHARGE_STATES_MOST]);

/* Valence of an uncharged main-group atom, 0 for metals and noble gases; the highest one it can have. */
int32_t valence_normal(int32_t z);
int32_t valence_highest(int32_t z);

/* How many of an atom's bonds to metals are donations of lone pairs: those above its normal valence. */
int32_t valence_donated(int32_t z, int32_t normal, int32_t valence, int32_t n_metal);

#endif
