/* SPDX-License-Identifier: BSD-3-Clause
 * What perception finds out about a molecule and typing wants to know. */
#ifndef SHOAL_CHEM_PERCEIVE_H
#define SHOAL_CHEM_PERCEIVE_H

#include "chem/element.h"
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
    bool shares;     /* has a bond whose order is a mean of resonance structures */
    bool in_ring3, in_ring4;
} atom_state;

typedef struct chem_perception {
    arena memory;
    graph graph;
    bool has_graph;    /* of the molecule as it is now */
    atom_state *atoms; /* [n_atoms] */
    ring_set rings;
} chem_perception;

void perception_destroy(chem_perception *p);

/* Keeps the total charge that options ask for, for perception without options. */
void perception_ask(shoal_molecule *mol, const shoal_perceive_options *options);

/* shoal_molecule_perceive of a molecule that is not perceived, in two halves. The first does all that
 * positions and cell decide: bonds by distance, orders and formal charges where they are unknown. What the second finds
 * follows from elements, bonds, charges and radicals alone. */
shoal_status perceive_orders(shoal_molecule *mol, const shoal_perceive_options *options);
shoal_status perceive_rest(shoal_molecule *mol);

/* In place of the second half: what it made of an equal molecule, bonds[n_bonds] and formal_charge[n_atoms].
 * mol->perception stays as it was until shoal_molecule_perceive is asked for it again. */
void perception_adopt(shoal_molecule *mol, const shoal_bond *bonds, const int32_t *formal_charge,
                      int32_t total_charge);

/* Finds bonds by distance and adds them to mol, which must have none. */
shoal_status bonds_search(shoal_molecule *mol, const shoal_perceive_options *options);

static inline bool valence_is_free(const shoal_bond *b)
{
    return b->order == SHOAL_ORDER_UNKNOWN || b->order == SHOAL_ORDER_AROMATIC;
}

/* Bond orders where they are unknown and formal charges are given; see valence.c for the model. */
bool valence_has_free_bonds(const shoal_molecule *mol);
shoal_status valence_find_orders(shoal_molecule *mol, const graph *g, arena *memory);
/* As the former, but what stays unsatisfied is no mistake. */
shoal_status valence_fill_orders(shoal_molecule *mol, const graph *g, arena *memory);
/* What a matching adds to each free bond: extra[n_bonds]. */
shoal_status valence_match(const shoal_molecule *mol, const graph *g, int32_t *extra,
                           arena *memory);
/* Formal charges and, where unknown, orders; see orders.c. The charges add up to *total, or to what
 * fits best where total is NULL. Fails with SHOAL_E_FORMAT if they cannot. */
shoal_status valence_find_charges(shoal_molecule *mol, const graph *g, const int32_t *total,
                                  arena *memory);
void valence_make_dative(shoal_molecule *mol, const graph *g);

/* Fails with SHOAL_E_FORMAT, naming the atom, if one has a valence that no atom of its element has. */
shoal_status valence_check(const shoal_molecule *mol, const graph *g);

/* The charge that decides on an atom's electrons. One that was found for a metal in bonds is only what the
 * other atoms left of the total, and says nothing about its bonds. */
static inline int32_t bonding_charge(const shoal_molecule *mol, int32_t i)
{
    const bool left = !mol->has_formal_charges && mol->first_bond[i] >= 0;
    return left && element_is_metal(mol->element[i]) ? 0 : mol->formal_charge[i];
}

/* What a bond counts for the valence of one of its atoms; open orders count as single. */
static inline int32_t bond_valence(const shoal_bond *b, int32_t atom)
{
    if (b->order == SHOAL_ORDER_SINGLE) return 1; /* most of them */
    switch (b->order) {
    case SHOAL_ORDER_DATIVE: return b->j == atom;
    case SHOAL_ORDER_QUADRUPLE: return 4;
    case SHOAL_ORDER_DOUBLE: return 2;
    case SHOAL_ORDER_TRIPLE: return 3;
    default: return 1;
    }
}

/* Fills valence, n_dative and radicals of all atoms from the orders. */
void valence_count(const shoal_molecule *mol, const graph *g, atom_state *atoms);

/* Marks aromatic atoms and bonds by RDKit's default model. Needs rings and valences. */
shoal_status aromaticity_mark(shoal_molecule *mol, chem_perception *p);

/* Marks conjugated bonds, then sets the hybridisation of every atom. Needs aromaticity. */
void conjugation_mark(shoal_molecule *mol, chem_perception *p);
void hybridization_set(const shoal_molecule *mol, chem_perception *p);

#endif
