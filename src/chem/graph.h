/* SPDX-License-Identifier: BSD-3-Clause
 * Adjacency of a molecule's atoms, periodic images included. */
#ifndef SHOAL_CHEM_GRAPH_H
#define SHOAL_CHEM_GRAPH_H

#include "base/arena.h"
#include "chem/molecule.h"

/* One end of a bond, seen from an atom. */
typedef struct graph_end {
    int32_t atom;     /* the partner */
    int32_t bond;     /* index into the molecule's bonds */
    int32_t shift[3]; /* image of the partner relative to the atom */
} graph_end;

/* ends[start[i] .. start[i+1]) are the partners of atom i, in the order of the bonds. An atom
 * bonded to its own image stands in its own list twice, with opposite shifts. */
typedef struct graph {
    int32_t n_atoms;
    int32_t *start;
    graph_end *ends;
} graph;

/* The graph's memory belongs to the arena. */
shoal_status graph_build(graph *out, const shoal_molecule *mol, arena *memory);

/* Whether two neighbours of an atom, in the images that it sees, are bonded to each other. */
bool graph_are_joined(const graph *g, const graph_end *i, const graph_end *k);

static inline int32_t graph_degree(const graph *g, int32_t atom)
{
    return g->start[atom + 1] - g->start[atom];
}

#endif
