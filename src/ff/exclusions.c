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

size_t uff_most_exclusions(const graph *g)
{
    size_t most = 0;
    for (int32_t i = 0; i < g->n_atoms; ++i) {
        const size_t degree = (size_t)graph_degree(g, i);
        most += degree * degree;
    }
    return most;
}

/* Partners of all atoms in one cell, by number: those of atom i from start[i] on, in any order. */
static void collect_numbers(const graph *g, int32_t *start, int32_t *found, int32_t *seen)
{
    int32_t n = 0;
    for (int32_t i = 0; i < g->n_atoms; ++i) seen[i] = -1;
    for (int32_t i = 0; i < g->n_atoms; ++i) {
        start[i] = n;
        seen[i] = i;
        for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
            const int32_t j = g->ends[e].atom;
            if (seen[j] != i) found[n++] = j;
            seen[j] = i;
            for (int32_t f = g->start[j]; f < g->start[j + 1]; ++f) {
                const int32_t k = g->ends[f].atom;
                if (seen[k] != i) found[n++] = k;
                seen[k] = i;
            }
        }
    }
    start[g->n_atoms] = n;
}

/* Who excludes whom is mutual: atoms that name themselves to their partners, one after the other, come out
 * sorted. */
static shoal_status exclude_by_number(const uff_builder *b, int32_t *start, shoal_image *excluded,
                                      size_t most)
{
    const graph *g = b->g;
    int32_t *found = arena_alloc_dirty(b->scratch, most, sizeof *found);
    int32_t *fill = arena_alloc_dirty(b->scratch, (size_t)g->n_atoms, sizeof *fill);
    if (!found || !fill) return SHOAL_E_MEMORY;
    collect_numbers(g, start, found, fill);
    for (int32_t i = 0; i < g->n_atoms; ++i) fill[i] = start[i];
    for (int32_t i = 0; i < g->n_atoms; ++i)
        for (int32_t k = start[i]; k < start[i + 1]; ++k)
            excluded[fill[found[k]]++] = (shoal_image){i, {0, 0, 0}};
    return SHOAL_OK;
}

shoal_status uff_build_exclusions(uff_builder *b)
{
    const graph *g = b->g;
    arena *memory = &b->topology->memory;
    const size_t most = uff_most_exclusions(g);
    int32_t *start = arena_alloc_dirty(memory, (size_t)g->n_atoms + 1, sizeof *start);
    shoal_image *excluded = arena_alloc_dirty(memory, most, sizeof *excluded);
    if (!start || !excluded) return SHOAL_E_MEMORY;
    b->topology->view.exclude_start = start;
    b->topology->view.excluded = excluded;
    if (!b->shifted) return exclude_by_number(b, start, excluded, most);
    start[0] = 0;
    for (int32_t i = 0; i < g->n_atoms; ++i)
        start[i + 1] = start[i] + collect(g, i, excluded + start[i]);
    return SHOAL_OK;
}

bool topology_excludes(const shoal_topology_view *v, int32_t i, int32_t j, const int32_t shift[3])
{
    for (int32_t e = v->exclude_start[i]; e < v->exclude_start[i + 1]; ++e)
        if (v->excluded[e].atom == j &&
            memcmp(v->excluded[e].shift, shift, sizeof v->excluded[e].shift) == 0)
            return true;
    return false;
}
