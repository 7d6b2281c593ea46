/* SPDX-License-Identifier: BSD-3-Clause
 * A SMILES as the parser leaves it: atoms and bonds as written, before orders, hydrogens and
 * configurations are worked out. The language is OpenSMILES 1.0. */
#ifndef SHOAL_IO_SMILES_H
#define SHOAL_IO_SMILES_H

#include "chem/graph.h"
#include "chem/molecule.h"

/* The partners of an atom have a rank: their place in the text as seen from that atom. */
typedef struct smiles_atom {
    int32_t z, isotope, charge;
    int32_t
        n_h; /* stated hydrogens; -1 of a bare symbol, which has those that its valence asks for */
    int32_t map;     /* atom class, 0 without one */
    int32_t turn;    /* 1 for @, -1 for @@, 0 without a mark */
    int32_t h_rank;  /* of a single stated hydrogen */
    int32_t n_ranks; /* given away so far */
    int32_t n_rings; /* bonds written as ring closures */
    int32_t column;  /* in the SMILES, from 1 */
    bool aromatic;   /* in lower case */
} smiles_atom;

typedef struct smiles_bond {
    int32_t a, b;
    int32_t rank_a, rank_b; /* of b as seen from a, and of a as seen from b */
    int32_t up;             /* 1: b lies above a, -1: below, 0: nothing is said */
    char symbol;            /* '-', '=', '#', '$' or ':'; 0 for none, and for / and \ */
} smiles_bond;

/* An open ring closure. */
typedef struct smiles_ring {
    int32_t atom; /* -1: free */
    int32_t rank, up, column;
    char symbol;
} smiles_ring;

enum { SMILES_N_RINGS = 100 };

/* Start with all zero; the memory is used again from text to text. */
typedef struct smiles_graph {
    smiles_atom *atoms;
    smiles_bond *bonds;
    int32_t *branches; /* atoms that open branches return to */
    int32_t n_atoms, n_bonds, n_branches;
    int32_t atom_capacity, bond_capacity, branch_capacity;
    smiles_ring rings[SMILES_N_RINGS];
    arena memory;
} smiles_graph;

/* What is wrong with a SMILES, and where. */
typedef struct smiles_error {
    const char *what, *expected;
    int32_t column; /* from 1 */
} smiles_error;

/* Reads a SMILES into an emptied graph. SHOAL_E_FORMAT: *error says why; the thread's error text is not set. */
shoal_status smiles_parse(smiles_graph *g, shoal_span text, smiles_error *error);
void smiles_free(smiles_graph *g);

/* The configurations of a molecule whose first atoms are those of g: marks of its atoms and bonds. */
shoal_status smiles_set_stereo(const smiles_graph *g, shoal_molecule *mol, smiles_error *error);

#endif
