/* SPDX-License-Identifier: BSD-3-Clause
 * Orders that resonance structures share. The cheapest structure of a carboxylate has one double bond, and where both bonds are
 * equally long, rounding would say which. So each double bond of a heteroatom, or of a ring without charges, is forbidden in turn: where a structure of the
 * same price is found whose lengths fit as well, bonds that have changed places share the mean of their orders. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/element.h"
#include "chem/orders_inner.h"
#include "chem/perceive.h"

#define ALIKE 0.02                   /* angstrom: lengths that differ by less say nothing */
#define SLACK (400 * RESONANCE_UNIT) /* what such lengths may cost, and more */
#define CHANGE (4 * RESONANCE_UNIT)  /* of an order */
#define FORBIDDEN (INT64_C(10000) * RESONANCE_UNIT)

enum {
    MOST_EDGES = 400,  /* of a part that is looked at */
    MOST_SOLVED = 200, /* structures that are looked for in it */
};

typedef struct sharing {
    orders_search *s;
    int32_t *extra; /* of the part's bonds in the structure that was found */
    int32_t *
        level; /* sum of the orders that such a bond has in two structures: triple bonds change with double ones */
    int32_t *root;      /* of the bonds that a bond shares with; -1: it does not share */
    uint8_t *forbidden; /* bit k: k orders beyond a single bond */
    int64_t price, cost;
    int32_t charge, n_solved;
    bool given_up;
    bool is_plain; /* there are no charges */
    bool
        has_odd_carbon; /* with a charge or an unpaired electron: double bonds between carbon atoms move, too */
} sharing;

static const shoal_bond *bond_of(const sharing *h, int32_t e)
{
    return &h->s->mol->bonds[h->s->part_bonds[e]];
}

/* The two elements of a bond, the same for both directions. */
static int32_t elements_of(const sharing *h, int32_t e)
{
    const int32_t a = h->s->mol->element[bond_of(h, e)->i],
                  b = h->s->mol->element[bond_of(h, e)->j];
    return a < b ? 256 * a + b : 256 * b + a;
}

/* Price of the charges of a structure, and its cost with lengths and tilts. */
static int64_t price_of(const resonance *r, const int32_t *extra, const int32_t *charge,
                        int64_t *cost)
{
    int64_t price = 0, rest = 0;
    for (int32_t i = 0; i < r->n_atoms; ++i) {
        charge_state states[CHARGE_STATES_MOST];
        int32_t x = r->atoms[i].valence, k = 0;
        for (int32_t e = 0; e < r->n_edges; ++e)
            if (r->edges[e].a == i || r->edges[e].b == i) x += extra[e];
        const int32_t n = charge_states(&r->atoms[i].site, x, states);
        while (k < n - 1 && states[k].charge != charge[i]) ++k;
        price += states[k].cost;
        rest += resonance_tilt(r->atoms[i].tilt, charge[i]);
    }
    for (int32_t e = 0; e < r->n_edges; ++e) rest += r->edges[e].misfit[extra[e]];
    *cost = RESONANCE_UNIT * price + rest;
    return price;
}

/* Adds to the prices of orders what tells the structures that are wanted from others, or takes it back. */
static void bias(const sharing *h, int64_t sign)
{
    resonance *r = &h->s->part;
    for (int32_t e = 0; e < r->n_edges; ++e)
        for (int32_t k = 0; k <= RESONANCE_MOST_EXTRA; ++k) {
            if (k != h->extra[e]) r->edges[e].misfit[k] += sign * CHANGE;
            if (h->forbidden[e] >> k & 1) r->edges[e].misfit[k] += sign * FORBIDDEN;
        }
}

/* The best structure without the forbidden double bonds that is else as much as possible like the one that was found, in
 * s->traced; false where none is near. */
static shoal_status solve_without(sharing *h, bool *found)
{
    resonance *r = &h->s->part;
    bool too_wide;
    bias(h, 1);
    const shoal_status status = resonance_solve(r, h->is_plain ? -1 : h->cost + SLACK, &too_wide);
    bias(h, -1);
    *found = false;
    h->given_up = too_wide || ++h->n_solved == MOST_SOLVED;
    if (status != SHOAL_OK || too_wide) return status;
    for (int32_t k = 0; k < r->n_results; ++k) {
        if (r->results[k].charge != h->charge || r->results[k].cost > h->cost + SLACK) continue;
        resonance_trace(r, k, h->s->traced.extra, h->s->traced.charge);
        *found = true;
    }
    return SHOAL_OK;
}

/* Whether those bonds of two elements that lose an order and those that gain one are as many and as long. */
static bool is_even(const sharing *h, int32_t elements)
{
    const int32_t *now = h->s->traced.extra;
    double sum[2] = {0};
    int32_t n[2] = {0};
    for (int32_t e = 0; e < h->s->part.n_edges; ++e) {
        if (now[e] == h->extra[e] || elements_of(h, e) != elements) continue;
        if (now[e] - h->extra[e] != 1 && now[e] - h->extra[e] != -1) return false;
        const int up = now[e] > h->extra[e];
        sum[up] += bond_length(h->s->mol, bond_of(h, e));
        ++n[up];
    }
    return n[0] == n[1] && fabs(sum[0] - sum[1]) <= ALIKE * n[0];
}

/* True where the structure in s->traced is as good as the one that was found. */
static bool is_tied(const sharing *h)
{
    const resonance *r = &h->s->part;
    int64_t cost;
    if (price_of(r, h->s->traced.extra, h->s->traced.charge, &cost) != h->price) return false;
    for (int32_t e = 0; e < r->n_edges; ++e)
        if (h->s->traced.extra[e] != h->extra[e] && !is_even(h, elements_of(h, e))) return false;
    return true;
}

static int32_t find_root(const sharing *h, int32_t e)
{
    while (h->root[e] != e) e = h->root[e];
    return e;
}

static void join(sharing *h, int32_t e, int32_t f)
{
    if (h->root[e] < 0) h->root[e] = e;
    if (h->root[f] < 0) h->root[f] = f;
    const int32_t a = find_root(h, e), b = find_root(h, f);
    h->root[a > b ? a : b] = a < b ? a : b;
}

static bool are_alike(const sharing *h, int32_t e, int32_t f)
{
    return h->level[e] == h->level[f] && elements_of(h, e) == elements_of(h, f);
}

/* Bonds of like elements that changed share their orders. */
static void take_over(sharing *h)
{
    const int32_t n = h->s->part.n_edges, *now = h->s->traced.extra;
    for (int32_t e = 0; e < n; ++e) {
        if (now[e] == h->extra[e]) continue;
        if (h->root[e] < 0) h->level[e] = h->extra[e] + now[e];
        for (int32_t f = 0; f < e; ++f)
            if (now[f] != h->extra[f] && are_alike(h, e, f)) join(h, e, f);
    }
}

/* Forbids the bonds of the elements of e that have become double; false where there are none. */
static bool forbid_new(sharing *h, int32_t e)
{
    const int32_t n = h->s->part.n_edges, *now = h->s->traced.extra;
    bool any = false;
    for (int32_t f = 0; f < n; ++f) {
        const int bit = 1 << now[f];
        if (now[f] <= h->extra[f] || h->forbidden[f] & bit ||
            elements_of(h, f) != elements_of(h, e))
            continue;
        h->forbidden[f] |= (uint8_t)bit;
        any = true;
    }
    return any;
}

/* Bonds of like elements at one atom that share with any share with each other. */
static void join_neighbours(sharing *h)
{
    const resonance *r = &h->s->part;
    for (int32_t e = 0; e < r->n_edges; ++e)
        for (int32_t f = 0; f < e && h->root[e] >= 0; ++f) {
            const resonance_edge *p = &r->edges[e], *q = &r->edges[f];
            const bool meet = p->a == q->a || p->a == q->b || p->b == q->a || p->b == q->b;
            if (h->root[f] >= 0 && meet && are_alike(h, e, f)) join(h, e, f);
        }
}

static void write_means(const sharing *h)
{
    const int32_t n = h->s->part.n_edges;
    for (int32_t e = 0; e < n; ++e) {
        int32_t sum = 0, count = 0;
        if (h->root[e] < 0) continue;
        for (int32_t f = 0; f < n; ++f) {
            if (h->root[f] < 0 || find_root(h, f) != find_root(h, e)) continue;
            sum += 1 + h->extra[f];
            ++count;
        }
        h->s->found.shared[h->s->part_bonds[e]] = (double)sum / count;
    }
}

static bool is_hetero(int32_t z)
{
    return z != 1 && z != 6 && !element_is_metal(z);
}

/* Whether the double bond e may as well be elsewhere. */
static bool is_candidate(const sharing *h, int32_t e)
{
    const shoal_bond *b = bond_of(h, e);
    const int32_t *z = h->s->mol->element;
    return h->extra[e] == 1 &&
           (h->is_plain || h->has_odd_carbon || is_hetero(z[b->i]) || is_hetero(z[b->j]));
}

static bool is_odd_carbon(const sharing *h, int32_t i, int32_t charge)
{
    const resonance *r = &h->s->part;
    int32_t valence = r->atoms[i].valence;
    if (r->atoms[i].site.z != 6) return false;
    for (int32_t e = 0; e < r->n_edges; ++e)
        if (r->edges[e].a == i || r->edges[e].b == i) valence += h->extra[e];
    return charge != 0 || (valence == 3 && r->atoms[i].site.degree == 3);
}

static shoal_status try_all(sharing *h)
{
    const int32_t n = h->s->part.n_edges;
    bool any = false;
    for (int32_t e = 0; e < n; ++e) {
        bool more = is_candidate(h, e);
        memset(h->forbidden, 0, (size_t)n * sizeof *h->forbidden);
        h->forbidden[e] = (uint8_t)(1 << h->extra[e]);
        while (more) {
            SHOAL_TRY(solve_without(h, &more));
            if (h->given_up) return SHOAL_OK; /* rather none than those that come first */
            if (!more || !is_tied(h)) break;
            any = true;
            take_over(h);
            more = forbid_new(h, e);
        }
    }
    if (any) {
        join_neighbours(h);
        write_means(h);
    }
    return SHOAL_OK;
}

shoal_status orders_share(orders_search *s, bool is_plain)
{
    const resonance *r = &s->part;
    const size_t n = (size_t)r->n_edges;
    sharing h = {.s = s, .is_plain = is_plain};
    int32_t *charge = arena_alloc(s->memory, (size_t)r->n_atoms, sizeof *charge);
    if (n < 2 || n > MOST_EDGES) return SHOAL_OK;
    h.extra = arena_alloc(s->memory, n, sizeof *h.extra);
    h.level = arena_alloc(s->memory, n, sizeof *h.level);
    h.root = arena_alloc(s->memory, n, sizeof *h.root);
    h.forbidden = arena_alloc(s->memory, n, sizeof *h.forbidden);
    if (!charge || !h.extra || !h.level || !h.root || !h.forbidden) return SHOAL_E_MEMORY;
    bool any = false;
    for (int32_t e = 0; e < r->n_edges; ++e) {
        h.extra[e] = s->found.extra[s->part_bonds[e]];
        h.root[e] = -1;
    }
    for (int32_t i = 0; i < r->n_atoms; ++i) {
        charge[i] = s->found.charge[s->part_atoms[i]];
        h.charge += charge[i];
        h.has_odd_carbon |= is_odd_carbon(&h, i, charge[i]);
    }
    for (int32_t e = 0; e < r->n_edges; ++e) any |= is_candidate(&h, e);
    if (!any) return SHOAL_OK;
    h.price = price_of(r, h.extra, charge, &h.cost);
    return try_all(&h);
}
