/* SPDX-License-Identifier: BSD-3-Clause
 * Short rings of infinite (periodic) and very large components. The search runs on the unfolded
 * graph, whose nodes are (atom, image), so that a ring may pass an atom of a small cell several
 * times and a path through the border is no ring. A ring is kept if it is met from every one of its
 * members by shortest paths, that is, if no short cut joins two of them. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/element.h"
#include "chem/rings_inner.h"

/* Look-ups of one root. Metals and oxides take 1e5 to 2e6 of them; atoms with some 20 partners and
 * more, as in a cell smaller than an atom, would take for ever. */
#define MAX_STEPS 10000000

typedef struct node {
    int32_t atom;
    int32_t shift[3];
    int32_t depth;
} node;

/* A bond and the image it lies in, that of its lower node. */
typedef struct placed_bond {
    int32_t bond;
    int32_t shift[3];
} placed_bond;

typedef struct found_ring {
    int32_t atoms[RINGS_MAX_ISOMETRIC];
    int32_t bonds[RINGS_MAX_ISOMETRIC];
    placed_bond key[RINGS_MAX_ISOMETRIC]; /* ascending, relative to the first */
    int32_t n;
} found_ring;

typedef struct unfolded {
    ring_search *s;
    node *nodes; /* reached from the present root, by depth */
    int32_t n_nodes, node_capacity;
    int32_t *table; /* open addressing: index of a node, -1 empty */
    int32_t table_size;
    int32_t ring_nodes[RINGS_MAX_ISOMETRIC];
    int32_t ring_bonds[RINGS_MAX_ISOMETRIC];
    int32_t length;
    int32_t n_steps; /* of the present root */
    found_ring *found;
    int32_t n_found, found_capacity;
} unfolded;

static uint32_t hash_node(int32_t atom, const int32_t shift[3])
{
    uint32_t h = (uint32_t)atom * 2654435761u;
    for (int c = 0; c < 3; ++c) h = (h ^ (uint32_t)shift[c]) * 16777619u;
    return h ^ h >> 15;
}

/* Index of a node, or -1 with *slot at its place in the table. */
static int32_t find_node(const unfolded *u, int32_t atom, const int32_t shift[3], uint32_t *slot)
{
    const uint32_t mask = (uint32_t)u->table_size - 1;
    for (uint32_t h = hash_node(atom, shift) & mask;; h = (h + 1) & mask) {
        const int32_t i = u->table[h];
        *slot = h;
        if (i < 0) return -1;
        if (u->nodes[i].atom == atom && memcmp(u->nodes[i].shift, shift, sizeof(int32_t[3])) == 0)
            return i;
    }
}

static shoal_status grow_table(unfolded *u)
{
    const int32_t size = u->table_size ? 2 * u->table_size : 1024;
    int32_t *table = realloc(u->table, (size_t)size * sizeof *table);
    if (!table) return shoal_fail(SHOAL_E_MEMORY, "out of memory in the ring search");
    u->table = table;
    u->table_size = size;
    memset(table, -1, (size_t)size * sizeof *table);
    for (int32_t i = 0; i < u->n_nodes; ++i) {
        uint32_t slot;
        (void)find_node(u, u->nodes[i].atom, u->nodes[i].shift, &slot);
        table[slot] = i;
    }
    return SHOAL_OK;
}

/* Ends a search that would take too long. */
static shoal_status check_steps(const unfolded *u)
{
    if (u->n_steps <= MAX_STEPS) return SHOAL_OK;
    const graph *g = u->s->g;
    const int32_t root = u->nodes[0].atom;
    return shoal_fail(SHOAL_E_FORMAT,
                      "atom %d (%s) has %d bonds and too many rings to be listed, expected atoms "
                      "and images further apart",
                      root, shoal_element_symbol(u->s->mol->element[root]), graph_degree(g, root));
}

static shoal_status add_node(unfolded *u, int32_t atom, const int32_t shift[3], int32_t depth)
{
    uint32_t slot;
    ++u->n_steps;
    if (4 * u->n_nodes >= u->table_size) SHOAL_TRY(grow_table(u));
    if (find_node(u, atom, shift, &slot) >= 0) return SHOAL_OK;
    SHOAL_TRY(SHOAL_RESERVE(&u->nodes, &u->node_capacity, u->n_nodes + 1));
    u->nodes[u->n_nodes] = (node){atom, {shift[0], shift[1], shift[2]}, depth};
    u->table[slot] = u->n_nodes++;
    return SHOAL_OK;
}

static void partner(const node *from, const graph_end *end, int32_t shift[3])
{
    for (int c = 0; c < 3; ++c) shift[c] = from->shift[c] + end->shift[c];
}

/* The node at the other end of a bond, -1 if it was not reached or lies in another layer. */
static int32_t step_to(unfolded *u, int32_t from, const graph_end *end, int32_t depth)
{
    int32_t shift[3];
    uint32_t slot;
    ++u->n_steps;
    partner(&u->nodes[from], end, shift);
    const int32_t i = find_node(u, end->atom, shift, &slot);
    return i >= 0 && u->nodes[i].depth == depth ? i : -1;
}

static int compare_shift(const int32_t a[3], const int32_t b[3])
{
    for (int c = 0; c < 3; ++c)
        if (a[c] != b[c]) return a[c] < b[c] ? -1 : 1;
    return 0;
}

static int compare_placed(const void *a, const void *b)
{
    const placed_bond *x = a, *y = b;
    if (x->bond != y->bond) return x->bond < y->bond ? -1 : 1;
    return compare_shift(x->shift, y->shift);
}

static const node *lower_node(const node *a, const node *b)
{
    if (a->atom != b->atom) return a->atom < b->atom ? a : b;
    return compare_shift(a->shift, b->shift) < 0 ? a : b;
}

static shoal_status record_ring(unfolded *u)
{
    SHOAL_TRY(SHOAL_RESERVE(&u->found, &u->found_capacity, u->n_found + 1));
    found_ring *r = &u->found[u->n_found++];
    *r = (found_ring){.n = u->length};
    for (int32_t k = 0; k < r->n; ++k) {
        const node *here = &u->nodes[u->ring_nodes[k]];
        const node *low = lower_node(here, &u->nodes[u->ring_nodes[(k + 1) % r->n]]);
        r->atoms[k] = here->atom;
        r->bonds[k] = r->key[k].bond = u->ring_bonds[k];
        memcpy(r->key[k].shift, low->shift, sizeof low->shift);
    }
    qsort(r->key, (size_t)r->n, sizeof *r->key, compare_placed);
    for (int32_t k = r->n - 1; k >= 0; --k)
        for (int c = 0; c < 3; ++c) r->key[k].shift[c] -= r->key[0].shift[c];
    return SHOAL_OK;
}

/* As extend_arms in rings_relevant.c, on the unfolded graph. */
static shoal_status extend_arms(unfolded *u, int32_t layer)
{
    const graph *g = u->s->g;
    const int32_t left = u->ring_nodes[layer], right = u->ring_nodes[u->length - layer];
    const int32_t la = u->nodes[left].atom, ra = u->nodes[right].atom;
    SHOAL_TRY(check_steps(u));
    for (int32_t e = g->start[la]; e < g->start[la + 1]; ++e) {
        const int32_t l = step_to(u, left, &g->ends[e], layer - 1);
        if (l < 0) continue;
        u->ring_nodes[layer - 1] = l;
        u->ring_bonds[layer - 1] = g->ends[e].bond;
        for (int32_t f = g->start[ra]; f < g->start[ra + 1]; ++f) {
            const int32_t r = step_to(u, right, &g->ends[f], layer - 1);
            if (r < 0) continue;
            u->ring_bonds[u->length - layer] = g->ends[f].bond;
            if (layer == 1) {
                SHOAL_TRY(record_ring(u));
            } else if (r != l) {
                u->ring_nodes[u->length - layer + 1] = r;
                SHOAL_TRY(extend_arms(u, layer - 1));
            }
        }
    }
    return SHOAL_OK;
}

static shoal_status close_odd(unfolded *u, int32_t x)
{
    const graph *g = u->s->g;
    const int32_t d = u->nodes[x].depth, a = u->nodes[x].atom;
    u->length = 2 * d + 1;
    if (d < 1 || u->length > RINGS_MAX_ISOMETRIC) return SHOAL_OK;
    for (int32_t e = g->start[a]; e < g->start[a + 1]; ++e) {
        const int32_t y = step_to(u, x, &g->ends[e], d);
        if (y <= x) continue;
        u->ring_nodes[d] = x;
        u->ring_bonds[d] = g->ends[e].bond;
        u->ring_nodes[d + 1] = y;
        SHOAL_TRY(extend_arms(u, d));
    }
    return SHOAL_OK;
}

static shoal_status close_even(unfolded *u, int32_t y)
{
    const graph *g = u->s->g;
    const int32_t d = u->nodes[y].depth, a = u->nodes[y].atom;
    u->length = 2 * d;
    if (d < 2) return SHOAL_OK;
    for (int32_t e = g->start[a]; e < g->start[a + 1]; ++e) {
        const int32_t l = step_to(u, y, &g->ends[e], d - 1);
        if (l < 0) continue;
        for (int32_t f = e + 1; f < g->start[a + 1]; ++f) {
            const int32_t r = step_to(u, y, &g->ends[f], d - 1);
            if (r < 0) continue;
            u->ring_nodes[d] = y;
            u->ring_nodes[d - 1] = l;
            u->ring_bonds[d - 1] = g->ends[e].bond;
            u->ring_bonds[d] = g->ends[f].bond;
            u->ring_nodes[d + 1] = r;
            SHOAL_TRY(extend_arms(u, d - 1));
        }
    }
    return SHOAL_OK;
}

static shoal_status search_root(unfolded *u, int32_t root)
{
    const graph *g = u->s->g;
    const int32_t home[3] = {0, 0, 0};
    u->n_nodes = u->n_steps = 0;
    if (u->table) memset(u->table, -1, (size_t)u->table_size * sizeof *u->table);
    SHOAL_TRY(add_node(u, root, home, 0));
    for (int32_t k = 0; k < u->n_nodes; ++k) {
        const node from = u->nodes[k];
        if (from.depth == RINGS_MAX_ISOMETRIC / 2) break;
        SHOAL_TRY(check_steps(u));
        for (int32_t e = g->start[from.atom]; e < g->start[from.atom + 1]; ++e) {
            int32_t shift[3];
            if (!u->s->in_ring[g->ends[e].bond]) continue;
            partner(&from, &g->ends[e], shift);
            SHOAL_TRY(add_node(u, g->ends[e].atom, shift, from.depth + 1));
        }
    }
    for (int32_t k = 1; k < u->n_nodes; ++k) {
        SHOAL_TRY(check_steps(u));
        SHOAL_TRY(close_odd(u, k));
        SHOAL_TRY(close_even(u, k));
    }
    return SHOAL_OK;
}

static int compare_ring(const void *a, const void *b)
{
    const found_ring *x = a, *y = b;
    if (x->n != y->n) return x->n < y->n ? -1 : 1;
    for (int32_t k = 0; k < x->n; ++k) {
        const int order = compare_placed(&x->key[k], &y->key[k]);
        if (order) return order;
    }
    return 0;
}

/* Rings met from all their members stand in the sorted list n times. */
static shoal_status keep_isometric(unfolded *u)
{
    if (u->n_found > 0) qsort(u->found, (size_t)u->n_found, sizeof *u->found, compare_ring);
    for (int32_t first = 0, last; first < u->n_found; first = last) {
        const found_ring *r = &u->found[first];
        for (last = first + 1; last < u->n_found && compare_ring(r, &u->found[last]) == 0;) ++last;
        if (last - first == r->n) SHOAL_TRY(rings_add(u->s, r->atoms, r->bonds, r->n));
    }
    return SHOAL_OK;
}

shoal_status rings_search_isometric(ring_search *s, const int32_t *members, int32_t n)
{
    unfolded u = {.s = s};
    shoal_status status = SHOAL_OK;
    for (int32_t k = 0; k < n && status == SHOAL_OK; ++k) status = search_root(&u, members[k]);
    if (status == SHOAL_OK) status = keep_isometric(&u);
    free(u.nodes);
    free(u.table);
    free(u.found);
    return status;
}
