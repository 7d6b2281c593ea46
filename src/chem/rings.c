/* SPDX-License-Identifier: BSD-3-Clause
 * Relevant cycles of finite molecules: bridges are cut away, what is left falls into components,
 * and each component yields its cycles by increasing length until they span its cycle space. */
#include "chem/rings.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/rings_inner.h"

/* Marks bonds that lie on a cycle: depth-first search with low links (Tarjan), without recursion. */
static shoal_status mark_ring_bonds(const graph *g, int32_t n_bonds, bool *in_ring, arena *memory)
{
    const size_t n = (size_t)g->n_atoms;
    int32_t *order = arena_alloc(memory, n, sizeof *order); /* 0: not seen */
    int32_t *low = arena_alloc_dirty(memory, n, sizeof *low);
    int32_t *next = arena_alloc_dirty(memory, n, sizeof *next);
    int32_t *via = arena_alloc_dirty(memory, n, sizeof *via); /* bond to the parent */
    int32_t *stack = arena_alloc_dirty(memory, n, sizeof *stack);
    if (!order || !low || !next || !via || !stack) return SHOAL_E_MEMORY;
    for (int32_t b = 0; b < n_bonds; ++b) in_ring[b] = true;
    int32_t clock = 0;
    for (int32_t root = 0; root < g->n_atoms; ++root) {
        if (order[root]) continue;
        int32_t depth = 0;
        stack[0] = root;
        via[root] = -1;
        order[root] = low[root] = ++clock;
        next[root] = g->start[root];
        while (depth >= 0) {
            const int32_t i = stack[depth];
            if (next[i] < g->start[i + 1]) {
                const graph_end *end = &g->ends[next[i]++];
                const int32_t j = end->atom;
                if (end->bond == via[i]) continue;
                if (order[j]) {
                    if (order[j] < low[i]) low[i] = order[j];
                    continue;
                }
                via[j] = end->bond;
                order[j] = low[j] = ++clock;
                next[j] = g->start[j];
                stack[++depth] = j;
            } else {
                --depth;
                if (depth < 0) break;
                const int32_t parent = stack[depth];
                if (low[i] < low[parent]) low[parent] = low[i];
                if (low[i] > order[parent]) in_ring[via[i]] = false;
            }
        }
    }
    return SHOAL_OK;
}

void rings_search_free(ring_search *s)
{
    free(s->atoms);
    free(s->bonds);
    free(s->ends);
}

shoal_status rings_add(ring_search *s, const int32_t *atoms, const int32_t *bonds, int32_t n)
{
    const int32_t used = s->n_members;
    SHOAL_TRY(SHOAL_RESERVE(&s->atoms, &s->atom_capacity, used + n));
    SHOAL_TRY(SHOAL_RESERVE(&s->bonds, &s->bond_capacity, used + n));
    SHOAL_TRY(SHOAL_RESERVE(&s->ends, &s->end_capacity, s->n_rings + 1));
    memcpy(s->atoms + used, atoms, (size_t)n * sizeof *atoms);
    memcpy(s->bonds + used, bonds, (size_t)n * sizeof *bonds);
    s->n_members = used + n;
    s->ends[s->n_rings++] = used + n;
    return SHOAL_OK;
}

/* A component whose atoms all have two ring bonds is one cycle: walk it. */
static shoal_status add_simple_cycle(ring_search *s, const int32_t *members, int32_t n)
{
    const graph *g = s->g;
    int32_t at = members[0], from = -1;
    for (int32_t k = 0; k < n; ++k) {
        for (int32_t e = g->start[at]; e < g->start[at + 1]; ++e) {
            if (!s->in_ring[g->ends[e].bond] || g->ends[e].bond == from) continue;
            s->walk_atoms[k] = at;
            s->walk_bonds[k] = from = g->ends[e].bond;
            at = g->ends[e].atom;
            break;
        }
    }
    return rings_add(s, s->walk_atoms, s->walk_bonds, n);
}

/* Collects the component of an atom over ring bonds; counts its bonds. Tells whether it is finite:
 * whether every atom has one well-defined image (offset) along its bonds. */
static int32_t collect_component(ring_search *s, int32_t first, int32_t *members, int32_t *n_bonds,
                                 bool *finite)
{
    const graph *g = s->g;
    int32_t n = 0;
    *n_bonds = 0;
    *finite = true;
    members[n++] = first;
    s->seen[first] = true;
    memset(s->offset[first], 0, sizeof s->offset[first]);
    for (int32_t k = 0; k < n; ++k) {
        const int32_t i = members[k];
        for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
            const graph_end *end = &g->ends[e];
            if (!s->in_ring[end->bond]) continue;
            ++*n_bonds;
            int32_t offset[3];
            for (int c = 0; c < 3; ++c) offset[c] = s->offset[i][c] + end->shift[c];
            if (!s->seen[end->atom]) {
                s->seen[end->atom] = true;
                memcpy(s->offset[end->atom], offset, sizeof offset);
                members[n++] = end->atom;
            } else if (memcmp(s->offset[end->atom], offset, sizeof offset) != 0) {
                *finite = false;
            }
        }
    }
    *n_bonds /= 2;
    return n;
}

static shoal_status find_in_components(ring_search *s, int32_t *members)
{
    const graph *g = s->g;
    for (int32_t i = 0; i < g->n_atoms; ++i) {
        bool on_ring = false;
        for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e)
            on_ring = on_ring || s->in_ring[g->ends[e].bond];
        if (!on_ring || s->seen[i]) continue;
        int32_t n_bonds;
        bool finite;
        const int32_t n = collect_component(s, i, members, &n_bonds, &finite);
        if (!finite || n_bonds > RINGS_MAX_SPAN)
            SHOAL_TRY(rings_search_isometric(s, members, n));
        else if (n_bonds == n)
            SHOAL_TRY(add_simple_cycle(s, members, n));
        else
            SHOAL_TRY(rings_search_relevant(s, members, n, n_bonds));
    }
    return SHOAL_OK;
}

/* Moves the growing arrays of the search into the arena. */
static shoal_status keep(ring_set *out, const ring_search *s, arena *memory)
{
    const size_t n = (size_t)s->n_members;
    out->n_rings = s->n_rings;
    out->start = arena_alloc(memory, (size_t)s->n_rings + 1, sizeof *out->start);
    out->atoms = arena_alloc(memory, n, sizeof *out->atoms);
    out->bonds = arena_alloc(memory, n, sizeof *out->bonds);
    if (!out->start || !out->atoms || !out->bonds) return SHOAL_E_MEMORY;
    if (s->n_rings == 0) return SHOAL_OK;
    memcpy(out->start + 1, s->ends, (size_t)s->n_rings * sizeof *s->ends);
    memcpy(out->atoms, s->atoms, n * sizeof *s->atoms);
    memcpy(out->bonds, s->bonds, n * sizeof *s->bonds);
    return SHOAL_OK;
}

shoal_status rings_find(ring_set *out, const graph *g, const shoal_molecule *mol, arena *memory)
{
    const size_t n = (size_t)g->n_atoms;
    *out = (ring_set){0};
    ring_search s = {.g = g, .mol = mol, .memory = memory};
    s.in_ring = arena_alloc(memory, (size_t)mol->n_bonds, sizeof *s.in_ring);
    s.seen = arena_alloc(memory, n, sizeof *s.seen);
    s.offset = arena_alloc_dirty(memory, n, sizeof *s.offset);
    s.walk_atoms = arena_alloc_dirty(memory, n + RINGS_MAX_ISOMETRIC, sizeof *s.walk_atoms);
    s.walk_bonds = arena_alloc_dirty(memory, n + RINGS_MAX_ISOMETRIC, sizeof *s.walk_bonds);
    s.local_bond = arena_alloc_dirty(memory, (size_t)mol->n_bonds, sizeof *s.local_bond);
    s.depth = arena_alloc_dirty(memory, n, sizeof *s.depth);
    int32_t *members = arena_alloc_dirty(memory, n, sizeof *members);
    if (!s.in_ring || !s.seen || !s.offset || !s.walk_atoms || !s.walk_bonds || !s.local_bond ||
        !s.depth || !members)
        return SHOAL_E_MEMORY;
    shoal_status status = mark_ring_bonds(g, mol->n_bonds, s.in_ring, memory);
    if (status == SHOAL_OK) status = find_in_components(&s, members);
    if (status == SHOAL_OK) status = keep(out, &s, memory);
    rings_search_free(&s);
    return status;
}
