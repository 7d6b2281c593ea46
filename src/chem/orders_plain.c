/* SPDX-License-Identifier: BSD-3-Clause
 * Structures in which every atom has its normal valence and no charge. Atoms with one neighbour left to share
 * with have no choice and are settled first, which leaves rings. */
#include <string.h>

#include "chem/orders_inner.h"
#include "chem/perceive.h"

typedef struct peeling {
    orders_search *s;
    int32_t *rooms;  /* orders that an atom still lacks */
    int32_t *n_left; /* bonds to atoms that lack some as well */
    int32_t *queue;  /* atoms that have one of them */
    int32_t n_queue;
} peeling;

/* True for an atom that costs nothing as it is. */
static bool is_content(const order_atom *a)
{
    charge_state states[CHARGE_STATES_MOST];
    if (a->valence == valence_normal(a->site.z) && a->valence > 0) return true;
    (void)charge_states(&a->site, a->valence, states);
    return states[0].cost == 0 && states[0].charge == 0;
}

static bool is_shared(const peeling *p, int32_t i, const graph_end *end)
{
    return end->atom != i && p->rooms[i] > 0 && p->rooms[end->atom] > 0 &&
           valence_is_free(&p->s->mol->bonds[end->bond]) && p->s->found.extra[end->bond] == 0;
}

static bool count_left(peeling *p)
{
    const graph *g = p->s->g;
    for (int32_t i = 0; i < p->s->mol->n_atoms; ++i) {
        if (p->rooms[i] == 0) continue;
        for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e)
            p->n_left[i] += is_shared(p, i, &g->ends[e]);
        if (p->n_left[i] == 0) return false;
        if (p->n_left[i] == 1) p->queue[p->n_queue++] = i;
    }
    return true;
}

/* An atom that lacks nothing any more, or a bond that has its order, is no choice for others. */
static bool lose_one(peeling *p, int32_t i)
{
    if (p->rooms[i] == 0) return true;
    if (--p->n_left[i] == 1) p->queue[p->n_queue++] = i;
    return p->n_left[i] > 0;
}

/* Raises the only bond that is left to an atom by all it lacks. */
static bool settle_end(peeling *p, int32_t i)
{
    const graph *g = p->s->g;
    int32_t e = g->start[i];
    while (e < g->start[i + 1] && !is_shared(p, i, &g->ends[e])) ++e;
    if (e == g->start[i + 1]) return false;
    const int32_t j = g->ends[e].atom, n = p->rooms[i];
    if (n > RESONANCE_MOST_EXTRA || n > p->rooms[j]) return false;
    const bool full = p->rooms[j] == n;
    for (int32_t k = g->start[j]; full && k < g->start[j + 1]; ++k)
        if (k != e && g->ends[k].bond != g->ends[e].bond && is_shared(p, j, &g->ends[k]) &&
            g->ends[k].atom != i && !lose_one(p, g->ends[k].atom))
            return false;
    p->s->found.extra[g->ends[e].bond] = n;
    p->rooms[i] = 0;
    p->rooms[j] -= n;
    return full || lose_one(p, j);
}

static bool peel(peeling *p)
{
    if (!count_left(p)) return false;
    for (int32_t k = 0; k < p->n_queue; ++k)
        if (p->rooms[p->queue[k]] > 0 && !settle_end(p, p->queue[k])) return false;
    return true;
}

/* What went wrong is undone: the search with charges begins anew. */
static shoal_status give_up(orders_search *s)
{
    memset(s->found.extra, 0, (size_t)s->mol->n_bonds * sizeof *s->found.extra);
    memset(s->found.shared, 0, (size_t)s->mol->n_bonds * sizeof *s->found.shared);
    return SHOAL_OK;
}

/* The rings that one atom is left in, as a part; *done: they have a structure, which is taken. */
static shoal_status settle_rings(peeling *p, int32_t from, bool *done)
{
    orders_search *s = p->s;
    bool too_wide;
    SHOAL_TRY(orders_take_part(s, from, p->rooms));
    for (int32_t k = 0; k < s->part.n_atoms; ++k) { /* some orders may be settled */
        resonance_atom *a = &s->part.atoms[k];
        p->rooms[s->part_atoms[k]] = 0;
        a->valence = valence_normal(a->site.z) - a->most;
    }
    SHOAL_TRY(resonance_solve(&s->part, -1, &too_wide));
    *done = !too_wide && s->part.n_results > 0;
    if (!*done) return SHOAL_OK;
    orders_settle(s, 0);
    return orders_share(s, true);
}

shoal_status orders_find_plain(orders_search *s, bool *done)
{
    const int32_t n = s->mol->n_atoms;
    peeling p = {.s = s};
    p.rooms = arena_alloc_dirty(s->memory, (size_t)n, sizeof *p.rooms);
    p.n_left = arena_alloc(s->memory, (size_t)n, sizeof *p.n_left);
    p.queue = arena_alloc_dirty(s->memory, 2 * (size_t)n, sizeof *p.queue);
    if (!p.rooms || !p.n_left || !p.queue) return SHOAL_E_MEMORY;
    *done = false;
    for (int32_t i = 0; i < n; ++i) {
        p.rooms[i] = s->atoms[i].wanted;
        if (p.rooms[i] == 0 && !is_content(&s->atoms[i])) return SHOAL_OK;
        if (s->atoms[i].valence + p.rooms[i] < valence_normal(s->atoms[i].site.z)) return SHOAL_OK;
    }
    if (!peel(&p)) return give_up(s);
    for (int32_t i = 0; i < n; ++i) {
        if (p.rooms[i] == 0) continue;
        SHOAL_TRY(settle_rings(&p, i, done));
        if (!*done) return give_up(s);
    }
    *done = true;
    return SHOAL_OK;
}
