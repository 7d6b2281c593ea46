/* SPDX-License-Identifier: BSD-3-Clause
 * Matching in a general graph with priorities: which vertices must be covered before others. */
#ifndef SHOAL_CHEM_MATCHING_H
#define SHOAL_CHEM_MATCHING_H

#include "base/arena.h"
#include "base/error.h"

typedef struct matching {
    int32_t n;            /* vertices */
    const int32_t *start; /* [n + 1] neighbours of v: next[start[v] .. start[v + 1]) */
    const int32_t *next;
    const int32_t *priority; /* [n] vertices with a higher value are covered first; < 0: only if
                                that helps to cover another one */
    const int32_t *stage;    /* [n] the vertex takes part from this stage on, 0 .. n_stages - 1 */
    int32_t n_stages;
    int32_t *match; /* [n] partner or -1; in: a valid start, out: the result */
} matching;

/* Covers vertices of non-negative priority, the highest first, stage by stage; a later stage only
 * adds what the earlier ones could not do. The sets of vertices that a matching can cover form a
 * matroid, so this greedy order is optimal within each stage. Augmenting paths by Edmonds' blossom
 * algorithm. */
shoal_status matching_solve(matching *m, arena *memory);

#endif
