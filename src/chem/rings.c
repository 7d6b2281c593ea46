/* SPDX-License-Identifier: BSD-3-Clause
 * Relevant cycles of finite molecules: bridges are cut away, what is left falls into components,
 * and each component yields its cycles by increasing length until they span its cycle space. */
#include "chem/rings.h"

#include <string.h>

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
                if (graph_degree(g, j) == 1) { /* most of them hydrogen */
                    in_ring[end->bond] = false;
                    order[j] = ++clock;
                    continue;
                }
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

/* Room for n numbers, used of which are kept. What was too small stays in the arena until it is reset. */
static int32_t *grow(int32_t *old, size_t used, size_t n, arena *memory)
{
    int32_t *more = arena_alloc_dirty(memory, n, sizeof *more);
    if (more && used > 0) memcpy(more, old, used * sizeof *more);
    return more;
}

static shoal_status reserve_ring(ring_search *s, int32_t n)
{
    ring_set *r = &s->found;
    const int32_t used = r->n_rings > 0 ? r->start[r->n_rings] : 0;
    if (r->n_rings == s->ring_capacity) {
        s->ring_capacity = 8 + 2 * s->ring_capacity;
        r->start = grow(r->start, (size_t)r->n_rings + (r->n_rings > 0),
                        (size_t)s->ring_capacity + 1, s->memory);
        if (!r->start) return SHOAL_E_MEMORY;
        r->start[0] = 0;
    }
    if (used + n <= s->member_capacity) return SHOAL_OK;
    s->member_capacity = 2 * (used + n) + 16;
    r->atoms = grow(r->atoms, (size_t)used, (size_t)s->member_capacity, s->memory);
    r->bonds = grow(r->bonds, (size_t)used, (size_t)s->member_capacity, s->memory);
    return r->atoms && r->bonds ? SHOAL_OK : SHOAL_E_MEMORY;
}

shoal_status rings_add(ring_search *s, const int32_t *atoms, const int32_t *bonds, int32_t n)
{
    ring_set *r = &s->found;
    SHOAL_TRY(reserve_ring(s, n));
    const int32_t used = r->start[r->n_rings];
    memcpy(r->atoms + used, atoms, (size_t)n * sizeof *atoms);
    memcpy(r->bonds + used, bonds, (size_t)n * sizeof *bonds);
    r->start[++r->n_rings] = used + n;
    return SHOAL_OK;
}

/* A component whose atoms all have two ring bonds is one cycle: walk it. */
static shoal_status add_simple_cycle(ring_search *s, const int32_t *members, int32_t n)
{
    int32_t at = members[0], from = -1;
    for (int32_t k = 0; k < n; ++k) {
        const ring_end *end = &s->ends[s->start[at]];
        if (end->bond == from) ++end;
        s->walk_atoms[k] = at;
        s->walk_bonds[k] = from = end->bond;
        at = end->atom;
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
    for (int32_t i = 0; i < s->g->n_atoms; ++i) {
        if (s->start[i] == s->start[i + 1] || s->seen[i]) continue;
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

/* The graph of ring bonds. */
static shoal_status keep_ring_bonds(ring_search *s, int32_t n_ring_bonds)
{
    const graph *g = s->g;
    s->start = arena_alloc_dirty(s->memory, (size_t)g->n_atoms + 1, sizeof *s->start);
    s->ends = arena_alloc_dirty(s->memory, 2 * (size_t)n_ring_bonds, sizeof *s->ends);
    if (!s->start || !s->ends) return SHOAL_E_MEMORY;
    int32_t n = 0;
    for (int32_t i = 0; i < g->n_atoms; ++i) {
        s->start[i] = n;
        for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e)
            if (s->in_ring[g->ends[e].bond])
                s->ends[n++] = (ring_end){g->ends[e].atom, g->ends[e].bond};
    }
    s->start[g->n_atoms] = n;
    return SHOAL_OK;
}

static shoal_status search(ring_search *s, int32_t n_ring_bonds)
{
    const size_t n = (size_t)s->g->n_atoms, n_bonds = (size_t)s->mol->n_bonds;
    arena *memory = s->memory;
    s->seen = arena_alloc(memory, n, sizeof *s->seen);
    s->offset = arena_alloc_dirty(memory, n, sizeof *s->offset);
    s->walk_atoms = arena_alloc_dirty(memory, n + RINGS_MAX_ISOMETRIC, sizeof *s->walk_atoms);
    s->walk_bonds = arena_alloc_dirty(memory, n + RINGS_MAX_ISOMETRIC, sizeof *s->walk_bonds);
    s->local_bond = arena_alloc_dirty(memory, n_bonds, sizeof *s->local_bond);
    s->depth = arena_alloc_dirty(memory, n, sizeof *s->depth);
    int32_t *members = arena_alloc_dirty(memory, n, sizeof *members);
    if (!s->seen || !s->offset || !s->walk_atoms || !s->walk_bonds || !s->local_bond || !s->depth ||
        !members)
        return SHOAL_E_MEMORY;
    SHOAL_TRY(keep_ring_bonds(s, n_ring_bonds));
    return find_in_components(s, members);
}

shoal_status rings_find(ring_set *out, const graph *g, const shoal_molecule *mol, arena *memory)
{
    ring_search s = {.g = g, .mol = mol, .memory = memory};
    int32_t n_ring_bonds = 0;
    *out = (ring_set){0};
    s.in_ring = arena_alloc_dirty(memory, (size_t)mol->n_bonds, sizeof *s.in_ring);
    if (!s.in_ring) return SHOAL_E_MEMORY;
    SHOAL_TRY(mark_ring_bonds(g, mol->n_bonds, s.in_ring, memory));
    for (int32_t b = 0; b < mol->n_bonds; ++b) n_ring_bonds += s.in_ring[b];
    if (n_ring_bonds > 0) SHOAL_TRY(search(&s, n_ring_bonds));
    if (s.found.n_rings == 0) SHOAL_TRY(reserve_ring(&s, 0));
    *out = s.found;
    return SHOAL_OK;
}
