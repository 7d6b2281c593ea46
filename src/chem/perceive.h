/* SPDX-License-Identifier: BSD-3-Clause
 * What perception finds out about a molecule and typing wants to know. */
#ifndef SHOAL_CHEM_PERCEIVE_H
#define SHOAL_CHEM_PERCEIVE_H

#include "chem/graph.h"
#include "chem/rings.h"

typedef enum hybridization {
    HYB_UNSPECIFIED = 0,
    HYB_S,
    HYB_SP,
    HYB_SP2,
    HYB_SP3,
    HYB_SP2D, /* square planar */
    HYB_SP3D,
    HYB_SP3D2,
} hybridization;

typedef struct atom_state {
    int32_t valence;  /* sum of Kekule orders; a dative bond counts for its acceptor only */
    int32_t n_dative; /* dative bonds that this atom donates to */
    int32_t radicals; /* unpaired electrons, given or found */
    hybridization hyb;
    bool aromatic;
    bool conjugated; /* has a conjugated bond */
    bool in_ring3, in_ring4;
} atom_state;

typedef struct chem_perception {
    arena memory;
    graph graph;
    atom_state *atoms; /* [n_atoms] */
    ring_set rings;
} chem_perception;

void perception_destroy(chem_perception *p);

/* Finds bonds by distance and adds them to mol, which must have none. */
shoal_status bonds_search(shoal_molecule *mol, const shoal_perceive_options *options);

/* Bond orders and formal charges where they are unknown; see valence.c for the model. */
shoal_status valence_assign(shoal_molecule *mol, const graph *g, int32_t total_charge,
                            arena *memory);

/* Fills valence, n_dative and radicals of all atoms from the orders. */
void valence_count(const shoal_molecule *mol, const graph *g, atom_state *atoms);

/* Marks aromatic atoms and bonds by RDKit's default model. Needs rings and valences. */
shoal_status aromaticity_mark(shoal_molecule *mol, chem_perception *p);

/* Marks conjugated bonds, then sets the hybridisation of every atom. Needs aromaticity. */
void conjugation_mark(shoal_molecule *mol, chem_perception *p);
void hybridization_set(const shoal_molecule *mol, chem_perception *p);

#endif
