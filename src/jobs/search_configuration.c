/* SPDX-License-Identifier: BSD-3-Clause
 * Configurations as signs of volumes and of cosines of torsions. */
#include "jobs/search_configuration.h"

#include <math.h>

#include "geom/vector.h"

#define FLAT 0.5    /* angstrom^3: volume of four partners that says nothing of a centre's hand */
#define TWISTED 0.3 /* cosine of a torsion that is neither cis nor trans */

double search_volume(const int32_t atoms[4], const double (*pos)[3])
{
    double d[3][3], n[3];
    for (int k = 0; k < 3; ++k) vector_subtract(pos[atoms[k + 1]], pos[atoms[0]], d[k]);
    vector_cross(d[1], d[2], n);
    return vector_dot(d[0], n);
}

/* Of the torsion about the middle two of four atoms; 0 where they are in line. */
static double torsion_cosine(const int32_t atoms[4], const double (*pos)[3])
{
    double u[3], side[2][3];
    vector_subtract(pos[atoms[2]], pos[atoms[1]], u);
    vector_subtract(pos[atoms[0]], pos[atoms[1]], side[0]);
    vector_subtract(pos[atoms[3]], pos[atoms[2]], side[1]);
    if (!vector_normalise(u, 1e-6)) return 0;
    for (int k = 0; k < 2; ++k) {
        const double along = vector_dot(side[k], u);
        for (int x = 0; x < 3; ++x) side[k][x] -= along * u[x];
        if (!vector_normalise(side[k], 1e-6)) return 0;
    }
    return vector_dot(side[0], side[1]);
}

/* Sulfur, phosphorus and their like hold a configuration with three partners. */
static bool holds_three(int32_t z)
{
    return z == 15 || z == 16 || z == 33 || z == 34 || z == 51 || z == 52;
}

/* Two end atoms of one element: turning inside out changes nothing. */
static bool has_like_ends(const shoal_molecule *mol, const graph *g, int32_t i)
{
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e)
        for (int32_t f = g->start[i]; f < e; ++f) {
            const int32_t a = g->ends[e].atom, b = g->ends[f].atom;
            if (graph_degree(g, a) == 1 && graph_degree(g, b) == 1 &&
                mol->element[a] == mol->element[b])
                return true;
        }
    return false;
}

static void add_centre(search_configuration *c, const shoal_molecule *mol, const graph *g,
                       int32_t i, const double (*pos)[3])
{
    const int32_t degree = graph_degree(g, i);
    const bool three = degree == 3 && holds_three(mol->element[i]) && !has_like_ends(mol, g, i);
    if (degree != 4 && !three) return;
    int32_t *to = c->partners[c->n_centres];
    to[3] = i;
    for (int32_t k = 0; k < degree; ++k) to[k] = g->ends[g->start[i] + k].atom;
    const double v = search_volume(to, pos);
    c->centre[c->n_centres] = i;
    c->hand[c->n_centres++] = (int8_t)(fabs(v) < FLAT ? 0 : v > 0 ? 1 : -1);
}

static int32_t lowest_partner(const graph *g, int32_t i, int32_t besides)
{
    int32_t lowest = -1;
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
        const int32_t to = g->ends[e].atom;
        if (to != besides && (lowest < 0 || to < lowest)) lowest = to;
    }
    return lowest;
}

static void add_double(search_configuration *c, const shoal_molecule *mol, const graph *g,
                       int32_t k, const double (*pos)[3])
{
    const shoal_bond *b = &mol->bonds[k];
    if (b->order != SHOAL_ORDER_DOUBLE || b->aromatic || graph_degree(g, b->i) > 3 ||
        graph_degree(g, b->j) > 3 || has_like_ends(mol, g, b->i) || has_like_ends(mol, g, b->j))
        return;
    int32_t *to = c->around[c->n_doubles];
    to[0] = lowest_partner(g, b->i, b->j);
    to[1] = b->i;
    to[2] = b->j;
    to[3] = lowest_partner(g, b->j, b->i);
    if (to[0] < 0 || to[3] < 0) return;
    const double cosine = torsion_cosine(to, pos);
    c->bond[c->n_doubles] = k;
    c->cis[c->n_doubles++] = (int8_t)(fabs(cosine) < TWISTED ? 0 : cosine > 0 ? 1 : -1);
}

shoal_status search_configuration_find(search_configuration *out, const shoal_molecule *mol,
                                       const graph *g, int32_t n_atoms, const double (*pos)[3],
                                       arena *memory)
{
    const size_t n = (size_t)n_atoms, n_bonds = (size_t)mol->n_bonds;
    *out = (search_configuration){.centre = arena_alloc(memory, n, sizeof *out->centre),
                                  .partners = arena_alloc(memory, n, sizeof *out->partners),
                                  .hand = arena_alloc(memory, n, sizeof *out->hand),
                                  .bond = arena_alloc(memory, n_bonds, sizeof *out->bond),
                                  .around = arena_alloc(memory, n_bonds, sizeof *out->around),
                                  .cis = arena_alloc(memory, n_bonds, sizeof *out->cis)};
    if (!out->centre || !out->partners || !out->hand || !out->bond || !out->around || !out->cis)
        return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < n_atoms; ++i) add_centre(out, mol, g, i, pos);
    for (int32_t k = 0; k < mol->n_bonds; ++k)
        if (mol->bonds[k].i < n_atoms && mol->bonds[k].j < n_atoms) add_double(out, mol, g, k, pos);
    return SHOAL_OK;
}

bool search_configuration_holds(const search_configuration *c, const double (*pos)[3])
{
    for (int32_t k = 0; k < c->n_centres; ++k)
        if (c->hand[k] * search_volume(c->partners[k], pos) < 0) return false;
    for (int32_t k = 0; k < c->n_doubles; ++k)
        if (c->cis[k] * torsion_cosine(c->around[k], pos) < 0) return false;
    return true;
}
