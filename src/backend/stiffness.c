/* SPDX-License-Identifier: BSD-3-Clause
 * Sparse elimination of the rough Hessian of a topology, atoms with the fewest partners first, so
 * that chains and trees get no new couplings at all and rings only a few. */
#include "backend/stiffness.h"

#include <string.h>

enum {
    FRONT = 24, /* partners up to which new couplings are made: their number grows as its square */
    BUCKETS = 2 * FRONT, /* degrees that are told apart */
    FIRST_LINKS = 8,
};

typedef struct link {
    int32_t atom;
    double w; /* minus the entry of the matrix, positive */
} link;

typedef struct node {
    link *links; /* to atoms that are not eliminated yet, or were not when this one was */
    int32_t n, capacity;
    double diagonal;
    int32_t next, previous; /* in the list of its degree; -1 at the ends */
} node;

typedef struct elimination {
    node *nodes;
    int32_t heads[BUCKETS + 1]; /* first atom of every degree, -1 if there is none */
    arena *memory;
} elimination;

static int32_t bucket_of(const node *a)
{
    return a->n < BUCKETS ? a->n : BUCKETS;
}

static void list_insert(elimination *e, int32_t i)
{
    int32_t *head = &e->heads[bucket_of(&e->nodes[i])];
    e->nodes[i].previous = -1;
    e->nodes[i].next = *head;
    if (*head >= 0) e->nodes[*head].previous = i;
    *head = i;
}

static void list_remove(elimination *e, int32_t i)
{
    const node *a = &e->nodes[i];
    if (a->next >= 0) e->nodes[a->next].previous = a->previous;
    if (a->previous >= 0)
        e->nodes[a->previous].next = a->next;
    else
        e->heads[bucket_of(a)] = a->next;
}

/* Adds w to the coupling of i to j, one way. */
static shoal_status couple(elimination *e, int32_t i, int32_t j, double w)
{
    node *a = &e->nodes[i];
    for (int32_t k = 0; k < a->n; ++k) {
        if (a->links[k].atom != j) continue;
        a->links[k].w += w;
        return SHOAL_OK;
    }
    if (a->n == a->capacity) {
        const int32_t capacity = a->capacity ? 2 * a->capacity : FIRST_LINKS;
        link *links = arena_alloc_dirty(e->memory, (size_t)capacity, sizeof *links);
        if (!links) return SHOAL_E_MEMORY;
        if (a->n > 0) memcpy(links, a->links, (size_t)a->n * sizeof *links);
        a->links = links;
        a->capacity = capacity;
    }
    a->links[a->n++] = (link){j, w};
    return SHOAL_OK;
}

static void uncouple(node *a, int32_t j)
{
    int32_t k = 0;
    while (a->links[k].atom != j) ++k;
    a->links[k] = a->links[--a->n];
}

static shoal_status eliminate(elimination *e, int32_t i)
{
    const node *a = &e->nodes[i];
    list_remove(e, i);
    for (int32_t k = 0; k < a->n; ++k) {
        const link *to = &a->links[k];
        list_remove(e, to->atom);
        uncouple(&e->nodes[to->atom], i);
        e->nodes[to->atom].diagonal -= to->w * to->w / a->diagonal;
    }
    for (int32_t k = 0; k < a->n && a->n <= FRONT; ++k)
        for (int32_t m = 0; m < k; ++m) {
            const link *x = &a->links[k], *y = &a->links[m];
            const double w = x->w * y->w / a->diagonal;
            SHOAL_TRY(couple(e, x->atom, y->atom, w));
            SHOAL_TRY(couple(e, y->atom, x->atom, w));
        }
    for (int32_t k = 0; k < a->n; ++k) list_insert(e, a->links[k].atom);
    return SHOAL_OK;
}

static double share_of(double k)
{
    return k > 0 ? STIFFNESS_BOND_SHARE * k : 0;
}

static shoal_status begin(elimination *e, const shoal_topology_view *v, const bool *fixed,
                          const int32_t *bodies)
{
    int32_t n_bonds;
    const shoal_term *bonds = shoal_topology_bonds(v, &n_bonds);
    e->nodes = arena_alloc(e->memory, (size_t)v->n_atoms, sizeof *e->nodes);
    if (!e->nodes) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < v->n_atoms; ++i) e->nodes[i].diagonal = STIFFNESS_ANCHOR;
    for (int32_t b = 0; b < n_bonds; ++b) {
        const int32_t i = bonds[b].atoms[0], j = bonds[b].atoms[1];
        const double w = stiffness_of_bond(&bonds[b]);
        const bool held[2] = {stiffness_is_rigid(bodies, i), stiffness_is_rigid(bodies, j)};
        if (!(w > 0)) continue;
        if (!held[0]) e->nodes[i].diagonal += w;
        if (!held[1]) e->nodes[j].diagonal += w;
        if (held[0] || held[1] || (fixed && (fixed[i] || fixed[j]))) continue;
        SHOAL_TRY(couple(e, i, j, w));
        SHOAL_TRY(couple(e, j, i, w));
    }
    for (int32_t k = 0; k <= BUCKETS; ++k) e->heads[k] = -1;
    for (int32_t i = v->n_atoms - 1; i >= 0; --i) list_insert(e, i);
    return SHOAL_OK;
}

/* Directions, which are coupled to nothing, follow the atoms. */
static void hold_directions(stiffness *out, const shoal_topology_view *v)
{
    const shoal_term *tilts = terms_of(v, SHOAL_KIND_SIGMA_PI),
                     *twists = terms_of(v, SHOAL_KIND_PI_PI);
    for (int32_t i = v->n_atoms; i < out->n; ++i) {
        out->order[i] = i;
        out->start[i + 1] = out->start[i];
        out->inverse[i] = STIFFNESS_ANCHOR;
    }
    for (int32_t t = 0; t < terms_count(v, SHOAL_KIND_SIGMA_PI); ++t)
        out->inverse[tilts[t].atoms[0]] += 2 * share_of(tilts[t].p[SHOAL_SIGMA_K]);
    for (int32_t t = 0; t < terms_count(v, SHOAL_KIND_PI_PI); ++t)
        for (int c = 0; c < 2; ++c)
            out->inverse[twists[t].atoms[c]] += share_of(twists[t].p[SHOAL_PI_K]);
    for (int32_t i = v->n_atoms; i < out->n; ++i) out->inverse[i] = 1 / out->inverse[i];
}

/* The columns of the factor, as the eliminated atoms left them. */
static shoal_status collect(stiffness *out, const elimination *e, int32_t n_atoms)
{
    int32_t n = 0;
    for (int32_t i = 0; i < n_atoms; ++i) n += e->nodes[i].n;
    out->later = arena_alloc_dirty(e->memory, (size_t)n, sizeof *out->later);
    out->share = arena_alloc_dirty(e->memory, (size_t)n, sizeof *out->share);
    if (!out->later || !out->share) return SHOAL_E_MEMORY;
    n = 0;
    for (int32_t p = 0; p < n_atoms; ++p) {
        const node *a = &e->nodes[out->order[p]];
        out->start[p] = n;
        out->inverse[p] = 1 / a->diagonal;
        for (int32_t k = 0; k < a->n; ++k, ++n) {
            out->later[n] = a->links[k].atom;
            out->share[n] = a->links[k].w / a->diagonal;
        }
    }
    out->start[n_atoms] = n;
    return SHOAL_OK;
}

shoal_status stiffness_factorise(stiffness *out, const shoal_topology_view *view, const bool *fixed,
                                 const int32_t *bodies, arena *memory)
{
    elimination e = {.memory = memory};
    const size_t n = (size_t)view->n_atoms + (size_t)view->n_directions;
    *out = (stiffness){.n = (int32_t)n,
                       .order = arena_alloc(memory, n, sizeof *out->order),
                       .start = arena_alloc(memory, n + 1, sizeof *out->start),
                       .inverse = arena_alloc(memory, n, sizeof *out->inverse)};
    if (!out->order || !out->start || !out->inverse) return SHOAL_E_MEMORY;
    SHOAL_TRY(begin(&e, view, fixed, bodies));
    for (int32_t p = 0; p < view->n_atoms; ++p) {
        int32_t degree = 0;
        while (e.heads[degree] < 0) ++degree;
        out->order[p] = e.heads[degree];
        SHOAL_TRY(eliminate(&e, out->order[p]));
    }
    SHOAL_TRY(collect(out, &e, view->n_atoms));
    hold_directions(out, view);
    return SHOAL_OK;
}

/* Solves P x = b in place. */
static void solve(const stiffness *s, double *x)
{
    for (int32_t p = 0; p < s->n; ++p)
        for (int32_t m = s->start[p]; m < s->start[p + 1]; ++m)
            x[s->later[m]] += s->share[m] * x[s->order[p]];
    for (int32_t p = s->n - 1; p >= 0; --p) {
        double *to = &x[s->order[p]];
        *to *= s->inverse[p];
        for (int32_t m = s->start[p]; m < s->start[p + 1]; ++m) *to += s->share[m] * x[s->later[m]];
    }
}

void stiffness_invert(const stiffness *stiff, double *out)
{
    const size_t n = (size_t)stiff->n;
    for (size_t j = 0; j < n; ++j) {
        double *column = out + j * n; /* and row */
        memset(column, 0, n * sizeof *column);
        column[j] = 1;
        solve(stiff, column);
    }
}
