/* SPDX-License-Identifier: BSD-3-Clause
 * Bond orders and formal charges from connectivity. A structure has a price, the sum over its atoms of what
 * their charges cost (charge_states.c) and over its bonds of how badly their lengths fit. Most molecules need
 * no charge on any atom: such structures are tried first, and only lengths compare them (orders_plain.c).
 * Otherwise the molecule falls into parts that do not conjugate with each other, and each tells its price for
 * every charge (orders_charged.c). Prices and misfits are integers, so that the order of the atoms changes no sum. */
#include "chem/orders.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/element.h"
#include "chem/orders_inner.h"
#include "chem/perceive.h"

/* Lengths of single, double and triple bonds over the sum of covalent radii. */
static const double ideal[RESONANCE_MOST_EXTRA + 1] = {1.0, 0.88, 0.78};
#define SHORTEST 0.7 /* beyond these a length says little more */
#define LONGEST 1.15
#define BEYOND 0.01 /* just enough to tell two of them apart */
/* Price of a squared difference of 1 from these. A double bond as long as a single one and a single as
 * short as a double together cost as much as the step from an anion of nitrogen to one of carbon. */
#define MISFIT_UNITS 1e13
/* Of a mean ratio of 1: a twentieth of a unit at most. */
#define TILT_UNITS 1e8

/* Orders beyond its bonds that an atom can take, and those it lacks. */
static void set_room(order_atom *a, bool aromatic_only)
{
    const int32_t z = a->site.z, v = a->valence, normal = valence_normal(z);
    if (valence_highest(z) == 0) return;
    a->wanted = normal > v ? normal - v : 0;
    /* One double bond on an aromatic atom: what else it lacks is hydrogen left out. */
    if (aromatic_only && a->wanted > 1) a->wanted = 1;
    a->most = a->wanted;
    if ((z == 7 && v <= 3) || (z == 8 && v <= 2) || (z == 5 && v <= 3)) ++a->most;
    if (z != 6 && z != 5) a->most += a->site.n_metal;
    const bool end_halogen = normal == 1 && v < 2;
    const int32_t reached = v > normal ? v : normal;
    if (valence_highest(z) > reached && !end_halogen) a->most += valence_highest(z) - reached;
    if (a->most > 7) a->most = 7;
}

double bond_length(const shoal_molecule *mol, const shoal_bond *b)
{
    double r2 = 0;
    for (int c = 0; c < 3; ++c) {
        double d = mol->pos[b->j][c] - mol->pos[b->i][c];
        for (int k = 0; k < 3; ++k) d += b->shift[k] * mol->cell[k][c];
        r2 += d * d;
    }
    return sqrt(r2);
}

double bond_ratio(const shoal_molecule *mol, const shoal_bond *b)
{
    return bond_length(mol, b) /
           (element_get(mol->element[b->i])->radius + element_get(mol->element[b->j])->radius);
}

static double length_ratio(const shoal_molecule *mol, const shoal_bond *b)
{
    const double ratio = bond_ratio(mol, b);
    const double near = fmin(fmax(ratio, SHORTEST), LONGEST);
    return isfinite(ratio) ? near + BEYOND * (ratio - near) : LONGEST;
}

/* Cations rather where bonds are short, anions where they are long. */
static void set_tilt(orders_search *s, int32_t i)
{
    const graph *g = s->g;
    int64_t sum = 0; /* of integers, in whatever order */
    if (graph_degree(g, i) == 0 || element_is_metal(s->mol->element[i])) return;
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e)
        sum += llround(TILT_UNITS * length_ratio(s->mol, &s->mol->bonds[g->ends[e].bond]));
    const int64_t mean = sum / graph_degree(g, i), most = llround(2 * TILT_UNITS);
    s->atoms[i].tilt[0] = mean < most ? mean : most;
    s->atoms[i].tilt[1] = most - s->atoms[i].tilt[0];
}

/* The oxygen of an aminoxyl: alone at a nitrogen atom whose two other neighbours are carbon with four neighbours each. */
static bool is_aminoxyl(const orders_search *s, int32_t i)
{
    const graph *g = s->g;
    const int32_t *z = s->mol->element;
    if (z[i] != 8 || graph_degree(g, i) != 1) return false;
    const int32_t n = g->ends[g->start[i]].atom;
    if (z[n] != 7 || graph_degree(g, n) != 3) return false;
    for (int32_t e = g->start[n]; e < g->start[n + 1]; ++e) {
        const int32_t k = g->ends[e].atom;
        if (k != i && (z[k] != 6 || graph_degree(g, k) != 4)) return false;
    }
    return true;
}

static void look_at_atom(orders_search *s, int32_t i)
{
    const graph *g = s->g;
    order_atom *a = &s->atoms[i];
    int32_t n_free = 0, n_aromatic = 0;
    a->site = (charge_site){
        .z = s->mol->element[i], .degree = graph_degree(g, i), .is_aminoxyl = is_aminoxyl(s, i)};
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
        const shoal_bond *b = &s->mol->bonds[g->ends[e].bond];
        a->valence += bond_valence(b, i);
        n_free += valence_is_free(b);
        n_aromatic += b->order == SHOAL_ORDER_AROMATIC;
        a->site.n_metal += element_is_metal(s->mol->element[g->ends[e].atom]);
    }
    if (n_free > 0) set_room(a, n_aromatic == n_free);
}

static void measure(resonance_edge *e, const shoal_molecule *mol, const shoal_bond *b)
{
    const double ratio = length_ratio(mol, b);
    int64_t least = INT64_MAX;
    for (int k = 0; k <= RESONANCE_MOST_EXTRA; ++k) {
        e->misfit[k] = llround(MISFIT_UNITS * (ratio - ideal[k]) * (ratio - ideal[k]));
        if (e->misfit[k] < least) least = e->misfit[k];
    }
    for (int k = 0; k <= RESONANCE_MOST_EXTRA; ++k) e->misfit[k] -= least;
}

static shoal_status add_atom(orders_search *s, int32_t i, int32_t room)
{
    resonance *r = &s->part;
    SHOAL_TRY(SHOAL_RESERVE(&r->atoms, &r->atom_capacity, r->n_atoms + 1));
    s->local[i] = r->n_atoms;
    s->part_atoms[r->n_atoms] = i;
    const order_atom *a = &s->atoms[i];
    r->atoms[r->n_atoms++] = (resonance_atom){a->site, a->valence, room, {a->tilt[0], a->tilt[1]}};
    return SHOAL_OK;
}

static shoal_status add_edge(orders_search *s, int32_t bond)
{
    resonance *r = &s->part;
    const shoal_bond *b = &s->mol->bonds[bond];
    SHOAL_TRY(SHOAL_RESERVE(&r->edges, &r->edge_capacity, r->n_edges + 1));
    s->part_bonds[r->n_edges] = bond;
    resonance_edge *e = &r->edges[r->n_edges++];
    e->a = s->local[b->i];
    e->b = s->local[b->j];
    measure(e, s->mol, b);
    return SHOAL_OK;
}

shoal_status orders_take_part(orders_search *s, int32_t from, const int32_t *rooms)
{
    const graph *g = s->g;
    resonance *r = &s->part;
    r->n_atoms = r->n_edges = 0;
    SHOAL_TRY(add_atom(s, from, rooms[from]));
    for (int32_t k = 0; k < r->n_atoms; ++k) {
        const int32_t i = s->part_atoms[k];
        for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
            const int32_t j = g->ends[e].atom;
            if (i == j || !valence_is_free(&s->mol->bonds[g->ends[e].bond])) continue;
            if (rooms[j] > 0 && s->local[j] < 0) SHOAL_TRY(add_atom(s, j, rooms[j]));
            /* every bond once, when the second of its ends is looked at */
            if (s->local[j] >= 0 && s->local[j] < k) SHOAL_TRY(add_edge(s, g->ends[e].bond));
        }
    }
    for (int32_t k = 0; k < r->n_atoms; ++k) s->local[s->part_atoms[k]] = -1;
    return SHOAL_OK;
}

void orders_settle(orders_search *s, int32_t result)
{
    const resonance *r = &s->part;
    resonance_trace(r, result, s->traced.extra, s->traced.charge);
    for (int32_t e = 0; e < r->n_edges; ++e) s->found.extra[s->part_bonds[e]] = s->traced.extra[e];
    for (int32_t k = 0; k < r->n_atoms; ++k)
        s->found.charge[s->part_atoms[k]] = s->traced.charge[k];
}

static shoal_status begin(orders_search *s)
{
    const size_t n = (size_t)s->mol->n_atoms, m = (size_t)s->mol->n_bonds;
    int32_t **const by_atom[] = {&s->found.charge, &s->traced.charge, &s->part_atoms, &s->local};
    int32_t **const by_bond[] = {&s->found.extra, &s->traced.extra, &s->part_bonds};
    for (int k = 0; k < 4; ++k)
        if (!(*by_atom[k] = arena_alloc(s->memory, n, sizeof **by_atom[k]))) return SHOAL_E_MEMORY;
    for (int k = 0; k < 3; ++k)
        if (!(*by_bond[k] = arena_alloc(s->memory, m, sizeof **by_bond[k]))) return SHOAL_E_MEMORY;
    s->atoms = arena_alloc(s->memory, n, sizeof *s->atoms);
    s->found.shared = arena_alloc(s->memory, m, sizeof *s->found.shared);
    if (!s->atoms || !s->found.shared) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < s->mol->n_atoms; ++i) {
        s->local[i] = -1;
        look_at_atom(s, i);
    }
    return SHOAL_OK;
}

shoal_status orders_find(orders_found *out, const shoal_molecule *mol, const graph *g,
                         const int32_t *total, arena *memory)
{
    orders_search s = {.mol = mol, .g = g, .memory = memory};
    bool done = false;
    shoal_status status = begin(&s);
    if (status == SHOAL_OK && (!total || *total == 0)) status = orders_find_plain(&s, &done);
    for (int32_t i = 0; i < mol->n_atoms && status == SHOAL_OK && !done; ++i) set_tilt(&s, i);
    if (status == SHOAL_OK && !done) status = orders_find_charged(&s, total);
    *out = s.found;
    resonance_free(&s.part);
    return status;
}
