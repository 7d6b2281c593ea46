/* SPDX-License-Identifier: BSD-3-Clause
 * Bond orders of one conjugated part: the cheapest structure for each charge that it can have. */
#ifndef SHOAL_CHEM_RESONANCE_H
#define SHOAL_CHEM_RESONANCE_H

#include "chem/charge_states.h"

enum { RESONANCE_MOST_EXTRA = 2 }; /* a bond is at most triple */

typedef struct resonance_atom {
    charge_site site;
    int32_t valence; /* with the bonds of the part counted single */
    int32_t most;    /* orders beyond those that it can take */
    int64_t tilt[2]; /* what a positive and a negative charge cost more; see resonance_tilt */
} resonance_atom;

typedef struct resonance_edge {
    int32_t a, b;                             /* atoms of the part */
    int64_t misfit[RESONANCE_MOST_EXTRA + 1]; /* price of order 1, 2, 3 at its length */
} resonance_edge;

/* The cheapest structure of a charge: price of the formal charges and of the lengths. */
typedef struct resonance_result {
    int32_t charge;
    int64_t cost;
} resonance_result;

/* A connected part, and the memory of its solution, which the next one uses again. */
typedef struct resonance {
    resonance_atom *atoms;
    resonance_edge *edges;
    resonance_result *results; /* one for every charge, in no order */
    int32_t n_atoms, n_edges, n_results;
    int32_t atom_capacity, edge_capacity, result_capacity;
    struct resonance_work *work;
} resonance;

void resonance_free(resonance *r);

/* One unit of charge_states in the units of misfits. */
#define RESONANCE_UNIT INT64_C(4000000000)

/* Far below one unit: who has the charge and who the unpaired electron, where prices and lengths leave that open. */
static inline int64_t resonance_tilt(const int64_t tilt[2], int32_t charge)
{
    return charge > 0 ? charge * tilt[0] : -charge * tilt[1];
}

/* Finds all charges that cost no more than the budget; a budget below 0: structures without any charge or
 * unusual valence, whatever their lengths. *too_wide: there are too many structures to compare, as in sheets
 * of carbon; then there is no result. */
shoal_status resonance_solve(resonance *r, int64_t budget, bool *too_wide);

/* The structure of a result: extra[n_edges] beyond single bonds, charge[n_atoms]. */
void resonance_trace(const resonance *r, int32_t result, int32_t *extra, int32_t *charge);

#endif
