/* SPDX-License-Identifier: BSD-3-Clause
 * Edmonds' blossom algorithm, breadth-first, with contraction by bases. */
#include "chem/matching.h"

#include <stdbool.h>
#include <string.h>

typedef struct search {
    matching *m;
    int32_t stage;
    bool *accepted;  /* covered for good */
    int32_t *parent; /* odd vertices: the even vertex they were reached from */
    int32_t *base;   /* base of the blossom a vertex lies in */
    bool *even;      /* reached at even distance from the root */
    int32_t *mark;   /* equal to stamp: marked */
    int32_t stamp;
    int32_t *touched; /* vertices of the present search, cleared after it */
    int32_t n_touched;
    int32_t *queue;
    int32_t n_queue;
} search;

static int32_t common_base(search *s, int32_t a, int32_t b)
{
    ++s->stamp;
    for (;;) {
        a = s->base[a];
        s->mark[a] = s->stamp;
        if (s->m->match[a] < 0) break; /* the root */
        a = s->parent[s->m->match[a]];
    }
    for (b = s->base[b]; s->mark[b] != s->stamp; b = s->base[b]) b = s->parent[s->m->match[b]];
    return b;
}

static void mark_path(search *s, int32_t v, int32_t base, int32_t child)
{
    while (s->base[v] != base) {
        const int32_t w = s->m->match[v];
        s->mark[s->base[v]] = s->mark[s->base[w]] = s->stamp;
        s->parent[v] = child;
        child = w;
        v = s->parent[w];
    }
}

static void contract(search *s, int32_t v, int32_t w)
{
    const int32_t base = common_base(s, v, w);
    ++s->stamp;
    mark_path(s, v, base, w);
    mark_path(s, w, base, v);
    for (int32_t k = 0; k < s->n_touched; ++k) {
        const int32_t i = s->touched[k];
        if (s->mark[s->base[i]] != s->stamp) continue;
        s->base[i] = base;
        if (s->even[i]) continue;
        s->even[i] = true;
        s->queue[s->n_queue++] = i;
    }
}

/* Searches from an uncovered root. Returns an uncovered vertex at the end of an augmenting path,
 * or -1; then *freed is a covered, not yet accepted vertex of lower priority that may give its
 * partner away, or -1. */
static int32_t search_from(search *s, int32_t root, int32_t *freed)
{
    const matching *m = s->m;
    *freed = -1;
    s->even[root] = true;
    s->touched[s->n_touched++] = root;
    s->queue[0] = root;
    s->n_queue = 1;
    for (int32_t k = 0; k < s->n_queue; ++k) {
        const int32_t v = s->queue[k];
        if (v != root && !s->accepted[v] && m->priority[v] < m->priority[root] &&
            (*freed < 0 || m->priority[v] < m->priority[*freed]))
            *freed = v;
        for (int32_t e = m->start[v]; e < m->start[v + 1]; ++e) {
            const int32_t w = m->next[e];
            if (m->stage[w] > s->stage || s->base[v] == s->base[w] || m->match[v] == w) continue;
            if (s->even[w]) {
                contract(s, v, w);
            } else if (s->parent[w] < 0) {
                s->parent[w] = v;
                s->touched[s->n_touched++] = w;
                if (m->match[w] < 0) return w;
                s->even[m->match[w]] = true;
                s->touched[s->n_touched++] = m->match[w];
                s->queue[s->n_queue++] = m->match[w];
            }
        }
    }
    return -1;
}

/* Flips the path that ends at the odd vertex w. */
static void flip(search *s, int32_t w)
{
    while (w >= 0) {
        const int32_t v = s->parent[w], next = s->m->match[v];
        s->m->match[w] = v;
        s->m->match[v] = w;
        w = next;
    }
}

/* Only what the search touched: most searches are short, whatever the size of the graph. */
static void clear_search(search *s)
{
    for (int32_t k = 0; k < s->n_touched; ++k) {
        const int32_t i = s->touched[k];
        s->base[i] = i;
        s->parent[i] = -1;
        s->even[i] = false;
    }
    s->n_touched = 0;
}

static void cover(search *s, int32_t root)
{
    int32_t freed;
    int32_t end = search_from(s, root, &freed);
    if (end < 0 && freed >= 0) {
        end = s->m->match[freed];
        s->m->match[freed] = -1;
        s->m->match[end] = -1;
    }
    if (end >= 0) flip(s, end);
    clear_search(s);
}

shoal_status matching_solve(matching *m, arena *memory)
{
    const size_t n = (size_t)m->n;
    search s = {.m = m};
    s.accepted = arena_alloc(memory, n, sizeof *s.accepted);
    s.parent = arena_alloc_dirty(memory, n, sizeof *s.parent);
    s.base = arena_alloc_dirty(memory, n, sizeof *s.base);
    s.even = arena_alloc(memory, n, sizeof *s.even);
    s.mark = arena_alloc(memory, n, sizeof *s.mark);
    s.queue = arena_alloc_dirty(memory, n, sizeof *s.queue);
    s.touched = arena_alloc_dirty(memory, 2 * n, sizeof *s.touched);
    if (!s.touched || !s.accepted || !s.parent || !s.base || !s.even || !s.mark || !s.queue)
        return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < m->n; ++i) {
        s.base[i] = i;
        s.parent[i] = -1;
    }
    int32_t highest = -1;
    for (int32_t i = 0; i < m->n; ++i)
        if (m->priority[i] > highest) highest = m->priority[i];
    for (s.stage = 0; s.stage < m->n_stages; ++s.stage) {
        memset(s.accepted, 0, n * sizeof *s.accepted);
        for (int32_t level = highest; level >= 0; --level) {
            for (int32_t v = 0; v < m->n; ++v) {
                if (m->priority[v] != level) continue;
                if (m->match[v] < 0) cover(&s, v);
                s.accepted[v] = m->match[v] >= 0;
            }
        }
    }
    return SHOAL_OK;
}
