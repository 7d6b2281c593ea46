/* SPDX-License-Identifier: BSD-3-Clause
 * Dynamic programming over a sweep through the part. Atoms enter one after the other; all that matters of
 * those that have met only some of their neighbours is how many orders they have taken, so of all partial
 * structures that agree in these numbers and in the charge so far only the cheapest is kept. An atom whose
 * neighbours have all been met leaves with one of its charge states. Chains and rings keep two or three
 * atoms open at a time, whatever their number. */
#include "chem/resonance.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum {
    MOST_OPEN = 14,        /* atoms that have met some neighbours but not all */
    MOST_STATES = 1 << 13, /* at one step */
    MOST_IN_ALL = 1 << 18, /* over all steps */
    FEW = 12,              /* below this a list is looked through */
    SLOT_BITS = 3,         /* orders that an open atom has taken */
    CHARGE_BITS = 44,      /* above the slots */
    CHARGE_ZERO = 1 << 15,
};

/* A bond gets its order, or (edge < 0) an atom leaves. */
typedef struct sweep_step {
    int32_t edge;
    int32_t atom; /* that leaves, or the end of the bond that is in slot_a */
    int32_t slot_a, slot_b;
} sweep_step;

typedef struct sweep_state {
    uint64_t key;
    int64_t cost;
    int32_t parent; /* state of the step before */
    int32_t choice; /* extra order of the bond, or charge of the atom */
} sweep_state;

typedef struct resonance_work {
    sweep_step *steps;
    sweep_state *states;
    int32_t *layers; /* [n_steps + 2] first state after each step */
    int32_t n_steps, n_states;
    int32_t step_capacity, state_capacity, layer_capacity;
    /* adjacency of the part: bonds by atom */
    int32_t *start, *ends;
    int32_t start_capacity, end_capacity;
    int32_t *slot; /* of an atom: -1 has not entered, -2 has left */
    int32_t *open; /* neighbours that have not entered */
    int32_t slot_capacity, open_capacity;
    int32_t *table; /* states of the present step by hash, -1 if empty */
    int32_t table_size, table_capacity;
} resonance_work;

void resonance_free(resonance *r)
{
    resonance_work *w = r->work;
    free(r->atoms);
    free(r->edges);
    free(r->results);
    if (!w) return;
    free(w->steps);
    free(w->states);
    free(w->layers);
    free(w->start);
    free(w->ends);
    free(w->slot);
    free(w->open);
    free(w->table);
    free(w);
}

static shoal_status make_adjacency(const resonance *r, resonance_work *w)
{
    const int32_t n = r->n_atoms;
    SHOAL_TRY(SHOAL_RESERVE(&w->start, &w->start_capacity, n + 2));
    SHOAL_TRY(SHOAL_RESERVE(&w->ends, &w->end_capacity, 2 * r->n_edges));
    SHOAL_TRY(SHOAL_RESERVE(&w->slot, &w->slot_capacity, n));
    SHOAL_TRY(SHOAL_RESERVE(&w->open, &w->open_capacity, n));
    memset(w->start, 0, ((size_t)n + 2) * sizeof *w->start);
    for (int32_t e = 0; e < r->n_edges; ++e) {
        ++w->start[r->edges[e].a + 2];
        ++w->start[r->edges[e].b + 2];
    }
    for (int32_t i = 0; i < n; ++i) {
        w->open[i] = w->start[i + 2];
        w->slot[i] = -1;
        w->start[i + 2] += w->start[i + 1];
    }
    for (int32_t e = 0; e < r->n_edges; ++e) {
        w->ends[w->start[r->edges[e].a + 1]++] = e;
        w->ends[w->start[r->edges[e].b + 1]++] = e;
    }
    return SHOAL_OK;
}

static int32_t other_end(const resonance_edge *e, int32_t atom)
{
    return e->a == atom ? e->b : e->a;
}

/* How many more atoms are open once this one has entered. */
static int32_t growth(const resonance *r, const resonance_work *w, int32_t atom)
{
    int32_t n_new = 0, n_closed = 0;
    for (int32_t k = w->start[atom]; k < w->start[atom + 1]; ++k) {
        const int32_t j = other_end(&r->edges[w->ends[k]], atom);
        n_new += w->slot[j] == -1;
        n_closed += w->slot[j] >= 0 && w->open[j] == 1;
    }
    return (n_new > 0) - n_closed;
}

/* The next atom: a neighbour of the open ones that leaves fewest open; at first, one at an end. */
static int32_t next_atom(const resonance *r, const resonance_work *w, const int32_t *by_slot)
{
    int32_t best = -1, least = 0;
    for (int32_t s = 0; s < MOST_OPEN; ++s) {
        const int32_t i = by_slot[s];
        for (int32_t k = i < 0 ? 0 : w->start[i]; i >= 0 && k < w->start[i + 1]; ++k) {
            const int32_t j = other_end(&r->edges[w->ends[k]], i);
            if (w->slot[j] != -1) continue;
            const int32_t more = growth(r, w, j);
            if (best >= 0 && more >= least) continue;
            best = j;
            least = more;
        }
    }
    for (int32_t i = 0; i < r->n_atoms && best < 0; ++i) best = w->slot[i] == -1 ? i : -1;
    return best;
}

static shoal_status add_step(resonance_work *w, sweep_step step)
{
    SHOAL_TRY(SHOAL_RESERVE(&w->steps, &w->step_capacity, w->n_steps + 1));
    w->steps[w->n_steps++] = step;
    return SHOAL_OK;
}

static shoal_status leave(resonance_work *w, int32_t atom, int32_t *by_slot)
{
    const int32_t slot = w->slot[atom];
    by_slot[slot] = -1;
    w->slot[atom] = -2;
    return add_step(w, (sweep_step){-1, atom, slot, -1});
}

/* An atom enters, its bonds to those that are there get their orders, and who has met all leaves. */
static shoal_status enter(const resonance *r, resonance_work *w, int32_t atom, int32_t *by_slot)
{
    int32_t slot = 0;
    while (by_slot[slot] >= 0) ++slot;
    by_slot[slot] = atom;
    w->slot[atom] = slot;
    for (int32_t k = w->start[atom]; k < w->start[atom + 1]; ++k) {
        const int32_t e = w->ends[k], j = other_end(&r->edges[e], atom);
        --w->open[j];
        if (w->slot[j] < 0) continue;
        SHOAL_TRY(add_step(w, (sweep_step){e, atom, slot, w->slot[j]}));
        if (w->open[j] == 0) SHOAL_TRY(leave(w, j, by_slot));
    }
    return w->open[atom] == 0 ? leave(w, atom, by_slot) : SHOAL_OK;
}

static shoal_status plan_sweep(const resonance *r, resonance_work *w, bool *too_wide)
{
    int32_t by_slot[MOST_OPEN], first = 0;
    SHOAL_TRY(make_adjacency(r, w));
    w->n_steps = 0;
    for (int32_t s = 0; s < MOST_OPEN; ++s) by_slot[s] = -1;
    for (int32_t i = 1; i < r->n_atoms; ++i)
        if (w->open[i] < w->open[first]) first = i;
    for (int32_t n = 0; n < r->n_atoms; ++n) {
        int32_t n_open = 0;
        for (int32_t s = 0; s < MOST_OPEN; ++s) n_open += by_slot[s] >= 0;
        *too_wide = n_open == MOST_OPEN;
        if (*too_wide) return SHOAL_OK;
        SHOAL_TRY(enter(r, w, n == 0 ? first : next_atom(r, w, by_slot), by_slot));
    }
    return SHOAL_OK;
}

static uint32_t hash_of(uint64_t key)
{
    key *= UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(key >> 32);
}

static void put_in_table(resonance_work *w, int32_t s)
{
    uint32_t at = hash_of(w->states[s].key) & (uint32_t)(w->table_size - 1);
    while (w->table[at] >= 0) at = (at + 1) & (uint32_t)(w->table_size - 1);
    w->table[at] = s;
}

static shoal_status grow_table(resonance_work *w, int32_t first)
{
    w->table_size = 8 * (w->n_states - first);
    int32_t size = 64;
    while (size < w->table_size) size *= 2;
    w->table_size = size;
    SHOAL_TRY(SHOAL_RESERVE(&w->table, &w->table_capacity, size));
    for (int32_t k = 0; k < size; ++k) w->table[k] = -1;
    for (int32_t s = first; s < w->n_states; ++s) put_in_table(w, s);
    return SHOAL_OK;
}

/* The state of a key among those of the present step, or -1. */
static int32_t find_state(const resonance_work *w, int32_t first, uint64_t key)
{
    if (w->n_states - first <= FEW) {
        for (int32_t s = first; s < w->n_states; ++s)
            if (w->states[s].key == key) return s;
        return -1;
    }
    uint32_t at = hash_of(key) & (uint32_t)(w->table_size - 1);
    while (w->table[at] >= 0 && w->states[w->table[at]].key != key)
        at = (at + 1) & (uint32_t)(w->table_size - 1);
    return w->table[at];
}

/* Keeps a state unless there is an equal one that is no dearer. */
static shoal_status keep(resonance_work *w, int32_t first, const sweep_state *state)
{
    const int32_t s = find_state(w, first, state->key);
    if (s >= 0) {
        sweep_state *old = &w->states[s];
        if (state->cost < old->cost) *old = *state;
        return SHOAL_OK;
    }
    SHOAL_TRY(SHOAL_RESERVE(&w->states, &w->state_capacity, w->n_states + 1));
    w->states[w->n_states++] = *state;
    const int32_t n = w->n_states - first;
    if (n == FEW + 1 || (n > FEW && 2 * n > w->table_size)) return grow_table(w, first);
    if (n > FEW) put_in_table(w, w->n_states - 1);
    return SHOAL_OK;
}

static int32_t taken(uint64_t key, int32_t slot)
{
    return (int32_t)(key >> (SLOT_BITS * slot) & ((1 << SLOT_BITS) - 1));
}

static shoal_status raise_bond(const resonance *r, const sweep_step *step, int32_t from,
                               int32_t first)
{
    resonance_work *w = r->work;
    const resonance_edge *e = &r->edges[step->edge];
    const uint64_t unit =
        UINT64_C(1) << (SLOT_BITS * step->slot_a) | UINT64_C(1) << (SLOT_BITS * step->slot_b);
    const sweep_state old = w->states[from];
    const int32_t room_a = r->atoms[step->atom].most - taken(old.key, step->slot_a);
    const int32_t room_b = r->atoms[other_end(e, step->atom)].most - taken(old.key, step->slot_b);
    for (int32_t k = 0; k <= RESONANCE_MOST_EXTRA && k <= room_a && k <= room_b; ++k) {
        const sweep_state next = {.key = old.key + (uint64_t)k * unit,
                                  .cost = old.cost + e->misfit[k],
                                  .parent = from,
                                  .choice = k};
        SHOAL_TRY(keep(w, first, &next));
    }
    return SHOAL_OK;
}

static shoal_status let_leave(const resonance *r, const sweep_step *step, int32_t from,
                              int32_t first, int64_t budget)
{
    resonance_work *w = r->work;
    charge_state states[CHARGE_STATES_MOST];
    const resonance_atom *atom = &r->atoms[step->atom];
    const sweep_state old = w->states[from];
    const int32_t x = taken(old.key, step->slot_a);
    const uint64_t key = old.key - ((uint64_t)x << (SLOT_BITS * step->slot_a));
    const int32_t n = charge_states(&atom->site, atom->valence + x, states);
    for (int32_t k = 0; k < n; ++k) {
        const int32_t charge = states[k].charge;
        const int64_t cost =
            old.cost + RESONANCE_UNIT * states[k].cost + resonance_tilt(atom->tilt, charge);
        if (budget < 0 ? states[k].cost > 0 : cost > budget) continue;
        const sweep_state next = {.key = key + ((uint64_t)(int64_t)charge << CHARGE_BITS),
                                  .cost = cost,
                                  .parent = from,
                                  .choice = charge};
        SHOAL_TRY(keep(w, first, &next));
    }
    return SHOAL_OK;
}

static shoal_status sweep(const resonance *r, int64_t budget, bool *too_wide)
{
    resonance_work *w = r->work;
    SHOAL_TRY(SHOAL_RESERVE(&w->layers, &w->layer_capacity, w->n_steps + 2));
    const sweep_state start = {.key = (uint64_t)CHARGE_ZERO << CHARGE_BITS, .parent = -1};
    w->n_states = 0;
    SHOAL_TRY(keep(w, 0, &start));
    w->layers[0] = 0;
    w->layers[1] = 1;
    for (int32_t t = 0; t < w->n_steps; ++t) {
        const int32_t first = w->layers[t + 1];
        for (int32_t s = w->layers[t]; s < first; ++s) {
            const sweep_step *step = &w->steps[t];
            SHOAL_TRY(step->edge >= 0 ? raise_bond(r, step, s, first)
                                      : let_leave(r, step, s, first, budget));
        }
        w->layers[t + 2] = w->n_states;
        *too_wide = w->n_states - first > MOST_STATES || w->n_states > MOST_IN_ALL;
        if (*too_wide) return SHOAL_OK;
    }
    return SHOAL_OK;
}

shoal_status resonance_solve(resonance *r, int64_t budget, bool *too_wide)
{
    if (!r->work) r->work = shoal_alloc(1, sizeof *r->work);
    if (!r->work) return SHOAL_E_MEMORY;
    resonance_work *w = r->work;
    *too_wide = false;
    r->n_results = 0;
    SHOAL_TRY(plan_sweep(r, w, too_wide));
    if (*too_wide) return SHOAL_OK;
    SHOAL_TRY(sweep(r, budget, too_wide));
    if (*too_wide) return SHOAL_OK;
    const int32_t first = w->layers[w->n_steps];
    SHOAL_TRY(SHOAL_RESERVE(&r->results, &r->result_capacity, w->n_states - first));
    for (int32_t s = first; s < w->n_states; ++s) {
        const sweep_state *state = &w->states[s];
        const int32_t charge = (int32_t)(state->key >> CHARGE_BITS) - CHARGE_ZERO;
        r->results[r->n_results++] = (resonance_result){charge, state->cost};
    }
    return SHOAL_OK;
}

void resonance_trace(const resonance *r, int32_t result, int32_t *extra, int32_t *charge)
{
    const resonance_work *w = r->work;
    int32_t s = w->layers[w->n_steps] + result;
    for (int32_t t = w->n_steps - 1; t >= 0; --t) {
        const sweep_step *step = &w->steps[t];
        *(step->edge >= 0 ? &extra[step->edge] : &charge[step->atom]) = w->states[s].choice;
        s = w->states[s].parent;
    }
}
