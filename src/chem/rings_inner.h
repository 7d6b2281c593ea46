/* SPDX-License-Identifier: BSD-3-Clause
 * State shared by the two ring searches. */
#ifndef SHOAL_CHEM_RINGS_INNER_H
#define SHOAL_CHEM_RINGS_INNER_H

#include "chem/rings.h"

/* Components with more bonds than this, and infinite ones, are searched for short rings only. */
#define RINGS_MAX_SPAN 2000
#define RINGS_MAX_ISOMETRIC 8

/* A neighbour over a bond that lies on a cycle. */
typedef struct ring_end {
    int32_t atom, bond;
} ring_end;

typedef struct ring_search {
    const graph *g;
    const shoal_molecule *mol;
    arena *memory;
    bool *in_ring;  /* [n_bonds] the bond lies on a cycle */
    int32_t *start; /* [n_atoms + 1] the graph of those bonds alone: neighbours of atom i are */
    ring_end *ends; /* ends[start[i] .. start[i + 1]), in the order of the graph */
    bool *seen;     /* [n_atoms] */
    int32_t (*offset)[3]; /* [n_atoms] image of an atom within its component */
    int32_t *walk_atoms;  /* scratch for one ring, [n_atoms + RINGS_MAX_ISOMETRIC] */
    int32_t *walk_bonds;
    int32_t *local_bond; /* scratch of the relevant search, [n_bonds] and [n_atoms] */
    int32_t *depth;

    /* Rings found so far, in the memory of the arena. */
    ring_set found;
    int32_t ring_capacity, member_capacity;
} ring_search;

shoal_status rings_add(ring_search *s, const int32_t *atoms, const int32_t *bonds, int32_t n);

/* Relevant cycles of a finite component with n atoms and n_bonds ring bonds. */
shoal_status rings_search_relevant(ring_search *s, const int32_t *members, int32_t n,
                                   int32_t n_bonds);

/* Isometric cycles (no short cut between any two members) of at most RINGS_MAX_ISOMETRIC atoms,
 * for infinite and very large components. Fails with SHOAL_E_FORMAT where atoms have so many bonds
 * that there is no end of them. */
shoal_status rings_search_isometric(ring_search *s, const int32_t *members, int32_t n);

#endif
