/* SPDX-License-Identifier: BSD-3-Clause
 * Structures with charges. The molecule falls into parts (single atoms among them), each with a list of the
 * charges it can have and their prices; the total charge is met by the cheapest choice of one from each. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/orders_inner.h"
#include "chem/perceive.h"

enum {
    FARTHEST = 2000, /* total charge beyond the cheapest one that is looked for */
    WAY_ROUND = 16,  /* parts may overshoot the total by that much */
    TOLD = 400,      /* price of another charge than the one that was told */
};

#define NO_LIMIT (INT64_MAX / 4)
/* Times a part's charge squared: of equal parts rather none is charged than one positive and another negative, which rounding would
 * choose. */
#define EVEN (2 * RESONANCE_UNIT)

/* Prices up to which structures are looked for: one charge, a pair, several. */
static const int64_t budgets[] = {100 * RESONANCE_UNIT, 250 * RESONANCE_UNIT, 600 * RESONANCE_UNIT,
                                  2000 * RESONANCE_UNIT, NO_LIMIT};
enum { N_BUDGETS = sizeof budgets / sizeof budgets[0] };

typedef struct charged_part {
    int32_t first;       /* an atom of it */
    bool single;         /* and the only one */
    bool whole;          /* the list is all that there is */
    int64_t budget;      /* all structures up to this price are in the list */
    int64_t least;       /* price of the cheapest */
    int32_t n, capacity; /* the list */
    resonance_result *list;
    int32_t chosen, settled; /* of the list; the one whose orders the molecule has */
} charged_part;

typedef struct charged_search {
    orders_search *s;
    charged_part *parts;
    int32_t n, capacity;
    int32_t *rooms;        /* orders an atom can take */
    bool *known;           /* the part of an atom */
    int32_t *matched;      /* extra orders by matching, NULL before they are wanted */
    int32_t solved;        /* the part that s->part holds the solution of, or -1 */
    int64_t excess, least; /* price of the choice beyond the least of all parts; that one */
} charged_search;

static bool is_cheaper(const resonance_result *a, const resonance_result *b)
{
    if (a->cost != b->cost) return a->cost < b->cost;
    if (abs(a->charge) != abs(b->charge)) return abs(a->charge) < abs(b->charge);
    return a->charge < b->charge;
}

static void choose_cheapest(charged_part *p)
{
    p->chosen = 0;
    for (int32_t k = 1; k < p->n; ++k)
        if (is_cheaper(&p->list[k], &p->list[p->chosen])) p->chosen = k;
    p->least = p->list[p->chosen].cost;
}

static shoal_status add_part(charged_search *c, charged_part part)
{
    SHOAL_TRY(SHOAL_RESERVE(&c->parts, &c->capacity, c->n + 1));
    c->parts[c->n++] = part;
    return SHOAL_OK;
}

/* States of an atom in a valence. Ions of salts and atoms of metals were told by their neighbours
 * (bonds_solids.c); another charge is dearer than any. */
static int32_t list_states(const orders_search *s, int32_t i, int32_t valence,
                           charge_state states[CHARGE_STATES_MOST + 1])
{
    const int32_t told = s->mol->formal_charge[i];
    const int32_t n = charge_states(&s->atoms[i].site, valence, states);
    if (s->atoms[i].site.degree > 0 || (told == 0 && s->mol->radical[i] == 0)) return n;
    for (int32_t k = 0; k < n; ++k) states[k].cost += TOLD;
    states[n] = (charge_state){told, 0};
    return n + 1;
}

/* An atom that cannot take part in multiple bonds, or no more. */
static shoal_status add_single(charged_search *c, int32_t i, int32_t valence)
{
    charge_state states[CHARGE_STATES_MOST + 1];
    const int64_t *tilt = c->s->atoms[i].tilt;
    const int32_t n = list_states(c->s, i, valence, states);
    if (n == 1 && states[0].cost == 0 && states[0].charge == 0) return SHOAL_OK;
    charged_part p = {.first = i, .single = true, .whole = true};
    SHOAL_TRY(SHOAL_RESERVE(&p.list, &p.capacity, n));
    for (int32_t k = 0; k < n; ++k)
        p.list[p.n++] =
            (resonance_result){states[k].charge, RESONANCE_UNIT * states[k].cost +
                                                     resonance_tilt(tilt, states[k].charge)};
    choose_cheapest(&p);
    const shoal_status status = add_part(c, p);
    if (status != SHOAL_OK) free(p.list);
    return status;
}

/* A part with too many structures gets the orders that the matching finds; its charges are open still. */
static shoal_status match_part(charged_search *c)
{
    orders_search *s = c->s;
    if (!c->matched) {
        c->matched = arena_alloc(s->memory, (size_t)s->mol->n_bonds, sizeof *c->matched);
        if (!c->matched) return SHOAL_E_MEMORY;
        SHOAL_TRY(valence_match(s->mol, s->g, c->matched, s->memory));
    }
    const resonance *r = &s->part;
    for (int32_t e = 0; e < r->n_edges; ++e) {
        const int32_t extra = c->matched[s->part_bonds[e]];
        s->found.extra[s->part_bonds[e]] = extra;
        r->atoms[r->edges[e].a].valence += extra;
        r->atoms[r->edges[e].b].valence += extra;
    }
    for (int32_t k = 0; k < r->n_atoms; ++k)
        SHOAL_TRY(add_single(c, s->part_atoms[k], r->atoms[k].valence));
    return SHOAL_OK;
}

/* Makes s->part the part of an atom. */
static shoal_status take_part(charged_search *c, int32_t from)
{
    c->solved = -1;
    return orders_take_part(c->s, from, c->rooms);
}

/* Solves the part in s->part up to a price, takes its list over and settles on the cheapest for now. */
static shoal_status list_part(charged_search *c, charged_part *p, int64_t budget, bool *too_wide)
{
    resonance *r = &c->s->part;
    SHOAL_TRY(resonance_solve(r, budget, too_wide));
    if (*too_wide || r->n_results == 0) return SHOAL_OK;
    SHOAL_TRY(SHOAL_RESERVE(&p->list, &p->capacity, r->n_results));
    memcpy(p->list, r->results, (size_t)r->n_results * sizeof *p->list);
    p->n = r->n_results;
    p->budget = budget;
    p->whole = budget == NO_LIMIT;
    choose_cheapest(p);
    p->settled = p->chosen;
    orders_settle(c->s, p->chosen);
    return SHOAL_OK;
}

static shoal_status add_conjugated(charged_search *c, int32_t from)
{
    charged_part p = {.first = from};
    bool too_wide = false;
    SHOAL_TRY(take_part(c, from));
    for (int32_t k = 0; k < c->s->part.n_atoms; ++k) c->known[c->s->part_atoms[k]] = true;
    if (c->s->part.n_atoms == 1) return add_single(c, from, c->s->atoms[from].valence);
    shoal_status status = SHOAL_OK;
    for (int k = 0; k < N_BUDGETS && p.n == 0 && !too_wide && status == SHOAL_OK; ++k)
        status = list_part(c, &p, budgets[k], &too_wide);
    if (status == SHOAL_OK && p.n == 0) return match_part(c);
    c->solved = c->n;
    if (status == SHOAL_OK) status = add_part(c, p);
    if (status != SHOAL_OK) free(p.list);
    return status;
}

static shoal_status find_parts(charged_search *c)
{
    orders_search *s = c->s;
    for (int32_t i = 0; i < s->mol->n_atoms; ++i) c->rooms[i] = s->atoms[i].most;
    for (int32_t i = 0; i < s->mol->n_atoms; ++i) {
        if (c->known[i]) continue;
        SHOAL_TRY(c->rooms[i] > 0 ? add_conjugated(c, i) : add_single(c, i, s->atoms[i].valence));
    }
    return SHOAL_OK;
}

/* Lists of all parts up to so much beyond their least price. */
static shoal_status widen_lists(charged_search *c, int64_t excess)
{
    for (int32_t k = 0; k < c->n; ++k) {
        charged_part *p = &c->parts[k];
        const int64_t budget = excess == NO_LIMIT ? NO_LIMIT : p->least + excess;
        bool too_wide = false;
        if (p->whole || p->budget >= budget) continue;
        SHOAL_TRY(take_part(c, p->first));
        SHOAL_TRY(list_part(c, p, budget, &too_wide));
        c->solved = too_wide ? -1 : k;
        if (too_wide) p->whole = true; /* what is in the list must do */
    }
    return SHOAL_OK;
}

typedef struct sum_table {
    int32_t low, n;      /* sums of charges beyond the cheapest one: low to low + n - 1 */
    int64_t *now, *next; /* price of the parts so far by sum, -1: cannot be had */
    int32_t *choice;     /* [n_parts][n] */
} sum_table;

static void add_choices(const sum_table *t, const charged_part *p, int32_t *choice)
{
    const int32_t base = p->list[p->chosen].charge;
    for (int32_t k = 0; k < t->n; ++k) t->next[k] = choice[k] = -1;
    for (int32_t k = 0; k < t->n; ++k) {
        if (t->now[k] < 0) continue;
        for (int32_t a = 0; a < p->n; ++a) {
            const int32_t to = k + p->list[a].charge - base;
            if (to < 0 || to >= t->n) continue;
            const int64_t q = p->list[a].charge, price = t->now[k] + p->list[a].cost + EVEN * q * q;
            if (t->next[to] >= 0 && t->next[to] <= price) continue;
            t->next[to] = price;
            choice[to] = a;
        }
    }
}

/* Chooses one charge for each part so that together they are so much above the cheapest choice. */
static shoal_status choose_sum(charged_search *c, int32_t above, bool *found)
{
    sum_table t = {.low = (above < 0 ? above : 0) - WAY_ROUND};
    t.n = (above > 0 ? above : 0) + WAY_ROUND + 1 - t.low;
    const size_t n = (size_t)t.n;
    t.now = arena_alloc(c->s->memory, n, sizeof *t.now);
    t.next = arena_alloc(c->s->memory, n, sizeof *t.next);
    t.choice = arena_alloc_dirty(c->s->memory, n * (size_t)c->n, sizeof *t.choice);
    if (!t.now || !t.next || !t.choice) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < t.n; ++k) t.now[k] = k == -t.low ? 0 : -1;
    for (int32_t k = 0; k < c->n; ++k) {
        add_choices(&t, &c->parts[k], t.choice + (size_t)k * n);
        int64_t *other = t.now;
        t.now = t.next;
        t.next = other;
    }
    int32_t at = above - t.low;
    *found = t.now[at] >= 0;
    c->excess = *found ? t.now[at] - c->least : 0;
    for (int32_t k = c->n - 1; k >= 0 && *found; --k) {
        charged_part *p = &c->parts[k];
        const int32_t base = p->list[p->chosen].charge;
        p->chosen = t.choice[(size_t)k * n + (size_t)at];
        at -= p->list[p->chosen].charge - base;
    }
    return SHOAL_OK;
}

/* The sum of the cheapest charges of all parts. */
static int64_t cheapest_sum(charged_search *c)
{
    int64_t sum = 0;
    c->least = 0;
    for (int32_t k = 0; k < c->n; ++k) {
        choose_cheapest(&c->parts[k]);
        sum += c->parts[k].list[c->parts[k].chosen].charge;
        c->least += c->parts[k].least;
    }
    return sum;
}

/* True if no list was cut off before the price of the choice. */
static bool is_sure(const charged_search *c)
{
    for (int32_t k = 0; k < c->n; ++k) {
        const charged_part *p = &c->parts[k];
        if (!p->whole && p->least + c->excess > p->budget) return false;
    }
    return true;
}

static shoal_status meet_total(charged_search *c, int32_t total)
{
    for (int round = 0; round < 2 * N_BUDGETS; ++round) {
        const int64_t sum = cheapest_sum(c), above = total - sum;
        bool found = false;
        if (above == 0 && round == 0) return SHOAL_OK; /* nothing is cheaper than the cheapest */
        if (above >= -FARTHEST && above <= FARTHEST)
            SHOAL_TRY(choose_sum(c, (int32_t)above, &found));
        if (found && is_sure(c)) return SHOAL_OK;
        if (!found && round >= N_BUDGETS - 1)
            return shoal_fail(
                SHOAL_E_FORMAT,
                "no bond orders give the total charge %d; those that fit best have %lld", total,
                (long long)sum);
        SHOAL_TRY(widen_lists(c, found ? c->excess : budgets[round + 1]));
    }
    return SHOAL_OK;
}

static shoal_status settle_parts(charged_search *c)
{
    orders_search *s = c->s;
    for (int32_t k = 0; k < c->n; ++k) {
        const charged_part *p = &c->parts[k];
        if (p->single) s->found.charge[p->first] = p->list[p->chosen].charge;
        if (p->single || p->chosen == p->settled) continue;
        if (c->solved != k) {
            bool too_wide;
            SHOAL_TRY(take_part(c, p->first));
            SHOAL_TRY(resonance_solve(&s->part, p->budget, &too_wide));
        }
        orders_settle(s, p->chosen);
    }
    return SHOAL_OK;
}

static shoal_status share_parts(charged_search *c)
{
    for (int32_t k = 0; k < c->n; ++k) {
        if (c->parts[k].single) continue;
        SHOAL_TRY(take_part(c, c->parts[k].first));
        SHOAL_TRY(orders_share(c->s, false));
    }
    return SHOAL_OK;
}

shoal_status orders_find_charged(orders_search *s, const int32_t *total)
{
    charged_search c = {.s = s, .solved = -1};
    c.rooms = arena_alloc_dirty(s->memory, (size_t)s->mol->n_atoms, sizeof *c.rooms);
    c.known = arena_alloc(s->memory, (size_t)s->mol->n_atoms, sizeof *c.known);
    shoal_status status = c.rooms && c.known ? find_parts(&c) : SHOAL_E_MEMORY;
    if (status == SHOAL_OK && total) status = meet_total(&c, *total);
    if (status == SHOAL_OK) status = settle_parts(&c);
    if (status == SHOAL_OK) status = share_parts(&c);
    for (int32_t k = 0; k < c.n; ++k) free(c.parts[k].list);
    free(c.parts);
    return status;
}
