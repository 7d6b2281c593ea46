/* SPDX-License-Identifier: BSD-3-Clause
 * Rings of a molecular graph. */
#ifndef SHOAL_CHEM_RINGS_H
#define SHOAL_CHEM_RINGS_H

#include "chem/graph.h"

/* Ring r visits atoms[start[r] .. start[r+1]) in order; bonds[k] joins atoms[k] to the next one. */
typedef struct ring_set {
    int32_t n_rings;
    int32_t *start;
    int32_t *atoms;
    int32_t *bonds;
} ring_set;

/* The relevant cycles: those that are no sum of shorter ones (Vismara, Electron. J. Combin. 4
 * (1997) R9), which is RDKit's symmetrised smallest set of smallest rings in all but contrived
 * graphs. A path that closes only through a periodic image is no ring. */
shoal_status rings_find(ring_set *out, const graph *g, const shoal_molecule *mol, arena *memory);

#endif
