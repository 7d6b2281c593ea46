/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs that the bonded terms already describe: 1-2 and 1-3 partners, image by image. */
#include <string.h>

#include "base/error.h"
#include "ff/topology.h"

static int compare(const shoal_image *a, const shoal_image *b)
{
    if (a->atom != b->atom) return a->atom < b->atom ? -1 : 1;
    for (int c = 0; c < 3; ++c)
        if (a->shift[c] != b->shift[c]) return a->shift[c] < b->shift[c] ? -1 : 1;
    return 0;
}

/* Puts an image into a sorted list of n unless it is there; returns the new length. Lists are as
 * short as an atom's second neighbours, so insertion is the fastest sort. */
static int32_t insert(shoal_image *list, int32_t n, const shoal_image *x)
{
    int32_t at = n;
    while (at > 0) {
        const int order = compare(&list[at - 1], x);
        if (order == 0) return n;
        if (order < 0) break;
        --at;
    }
    memmove(&list[at + 1], &list[at], (size_t)(n - at) * sizeof *list);
    list[at] = *x;
    return n + 1;
}

static int32_t collect(const graph *g, int32_t i, shoal_image *list)
{
    int32_t n = 0;
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
        const graph_end *first = &g->ends[e];
        shoal_image x = {first->atom, {first->shift[0], first->shift[1], first->shift[2]}};
        n = insert(list, n, &x);
        for (int32_t f = g->start[first->atom]; f < g->start[first->atom + 1]; ++f) {
            const graph_end *second = &g->ends[f];
            shoal_image y = {second->atom, {0}};
            for (int c = 0; c < 3; ++c) y.shift[c] = first->shift[c] + second->shift[c];
            if (y.atom == i && !y.shift[0] && !y.shift[1] && !y.shift[2]) continue;
            n = insert(list, n, &y);
        }
    }
    return n;
}

shoal_status build_exclusions(uff_builder *b)
{
    const graph *g = b->g;
    arena *memory = &b->topology->memory;
    size_t most = 0;
    for (int32_t i = 0; i < g->n_atoms; ++i)
        for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e)
            most += 1 + (size_t)graph_degree(g, g->ends[e].atom);
    int32_t *start = arena_alloc_dirty(memory, (size_t)g->n_atoms + 1, sizeof *start);
    shoal_image *excluded = arena_alloc_dirty(memory, most, sizeof *excluded);
    if (!start || !excluded) return SHOAL_E_MEMORY;
    start[0] = 0;
    for (int32_t i = 0; i < g->n_atoms; ++i)
        start[i + 1] = start[i] + collect(g, i, excluded + start[i]);
    b->topology->view.exclude_start = start;
    b->topology->view.excluded = excluded;
    return SHOAL_OK;
}
