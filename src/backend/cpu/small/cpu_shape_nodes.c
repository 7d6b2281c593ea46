/* SPDX-License-Identifier: BSD-3-Clause
 * Finds the nodes of a topology. What does not fit (atoms with five bonds or two directions, angles between atoms that
 * are not bonded) leaves a topology without them. */
#include <stdlib.h>

#include "backend/cpu/small/cpu_shape.h"

static int find_arm(const cpu_node *c, int32_t atom)
{
    int a = 0;
    while (a < c->n_arms && c->arms[a] != atom) ++a;
    return a < c->n_arms ? a : -1;
}

static bool add_arm(cpu_node *c, int32_t atom, const shoal_term *bond)
{
    if (c->n_arms == CENTRE_ARMS || find_arm(c, atom) >= 0 || atom == c->atom) return false;
    c->bonds[c->n_arms] = bond;
    c->arms[c->n_arms++] = atom;
    return true;
}

static bool add_bonds(cpu_node *all, const shoal_topology_view *v)
{
    const shoal_term *t = terms_of(v, SHOAL_KIND_BOND);
    for (int32_t n = 0; n < terms_count(v, SHOAL_KIND_BOND); ++n) {
        const int32_t i = t[n].atoms[0], j = t[n].atoms[1];
        if (!add_arm(&all[i], j, &t[n]) || !add_arm(&all[j], i, &t[n])) return false;
    }
    return true;
}

static bool add_angles(cpu_node *all, const shoal_topology_view *v)
{
    const shoal_term *t = terms_of(v, SHOAL_KIND_HALF_ANGLE);
    for (int32_t n = 0; n < terms_count(v, SHOAL_KIND_HALF_ANGLE); ++n) {
        cpu_node *c = &all[t[n].atoms[1]];
        const int a = find_arm(c, t[n].atoms[0]), b = find_arm(c, t[n].atoms[2]);
        if (a < 0 || b < 0 || a == b || c->angles[centre_angle_places[a][b]]) return false;
        c->angles[centre_angle_places[a][b]] = &t[n];
    }
    return true;
}

/* The node of a direction; NULL if it has another one, too. */
static cpu_node *take_direction(cpu_node *all, const shoal_topology_view *v, int32_t direction)
{
    cpu_node *c = &all[v->direction_atoms[direction - v->n_atoms]];
    if (c->direction >= 0 && c->direction != direction) return NULL;
    c->direction = direction;
    return c;
}

static bool add_tilts(cpu_node *all, const shoal_topology_view *v)
{
    const shoal_term *t = terms_of(v, SHOAL_KIND_SIGMA_PI);
    for (int32_t n = 0; n < terms_count(v, SHOAL_KIND_SIGMA_PI); ++n) {
        cpu_node *c = take_direction(all, v, t[n].atoms[0]);
        const int a = c && c->atom == t[n].atoms[1] ? find_arm(c, t[n].atoms[2]) : -1;
        if (a < 0 || c->tilts[a]) return false;
        c->tilts[a] = &t[n];
    }
    return true;
}

static bool add_twists(cpu_node *all, const shoal_topology_view *v)
{
    const shoal_term *t = terms_of(v, SHOAL_KIND_PI_PI);
    for (int32_t n = 0; n < terms_count(v, SHOAL_KIND_PI_PI); ++n) {
        cpu_node *c = take_direction(all, v, t[n].atoms[0]);
        if (!c || c->n_twists == CENTRE_ARMS || c->n_arms == 0) return false;
        c->twists[c->n_twists++] = &t[n];
    }
    return true;
}

static int compare_nodes(const void *a, const void *b)
{
    const cpu_node *p = a, *q = b;
    if (p->n_arms != q->n_arms) return q->n_arms - p->n_arms;
    if ((p->direction < 0) != (q->direction < 0)) return p->direction < 0 ? 1 : -1;
    if (p->n_twists != q->n_twists) return q->n_twists - p->n_twists;
    return p->atom - q->atom;
}

/* An end without a direction is no node, but of a lone bond one of the two is. */
static bool is_node(const cpu_node *all, const cpu_node *c)
{
    if (c->n_arms != 1 || c->direction >= 0) return c->n_arms > 0;
    const cpu_node *other = &all[c->arms[0]];
    return other->n_arms == 1 && other->direction < 0 && c->atom < other->atom;
}

/* A bond is counted where it is met first. */
static shoal_status count_bonds_once(cpu_shape *s, int32_t n_atoms)
{
    bool *met = calloc((size_t)n_atoms + 1, sizeof *met);
    if (!met) return shoal_fail(SHOAL_E_MEMORY, "out of memory: %d atoms", n_atoms);
    for (int32_t n = 0; n < s->n_nodes; ++n) {
        cpu_node *c = &s->nodes[n];
        for (int a = 0; a < c->n_arms; ++a)
            if (met[c->arms[a]]) c->bonds[a] = NULL;
        met[c->atom] = true;
    }
    free(met);
    return SHOAL_OK;
}

shoal_status cpu_shape_find_nodes(cpu_shape *s, const shoal_topology_view *v, arena *memory)
{
    cpu_node *all = arena_alloc(memory, (size_t)v->n_atoms, sizeof *all);
    if (!all) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        all[i].atom = i;
        all[i].direction = -1;
    }
    s->has_nodes =
        add_bonds(all, v) && add_angles(all, v) && add_tilts(all, v) && add_twists(all, v);
    if (!s->has_nodes) return SHOAL_OK;
    s->nodes = arena_alloc_dirty(memory, (size_t)v->n_atoms, sizeof *s->nodes);
    if (!s->nodes) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < v->n_atoms; ++i)
        if (is_node(all, &all[i])) s->nodes[s->n_nodes++] = all[i];
    qsort(s->nodes, (size_t)s->n_nodes, sizeof *s->nodes, compare_nodes);
    return count_bonds_once(s, v->n_atoms);
}
