/* SPDX-License-Identifier: BSD-3-Clause
 * Configurations as signed volumes and double bonds, and planes of sp2 centres as volumes near zero. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "embed/embed.h"

#define LEAST_SHARE 0.55 /* of its natural volume that a centre has to have */
#define FLAT_VOLUME 0.2  /* angstrom^3, of a planar centre */

static double middle(const embed_bounds *b, int32_t i, int32_t j)
{
    const size_t ij = (size_t)i * (size_t)b->n + (size_t)j;
    return 0.5 * (b->lower[ij] + b->upper[ij]);
}

/* Volume of the parallelepiped by the distances of its corners: the root of Gram's determinant. */
static double natural_volume(const embed_bounds *b, const int32_t atoms[4])
{
    double g[3][3];
    for (int r = 0; r < 3; ++r)
        for (int s = 0; s < 3; ++s) {
            const double x = middle(b, atoms[0], atoms[r + 1]),
                         y = middle(b, atoms[0], atoms[s + 1]);
            const double z = r == s ? 0 : middle(b, atoms[r + 1], atoms[s + 1]);
            g[r][s] = 0.5 * (x * x + y * y - z * z);
        }
    const double det = g[0][0] * (g[1][1] * g[2][2] - g[1][2] * g[2][1]) -
                       g[0][1] * (g[1][0] * g[2][2] - g[1][2] * g[2][0]) +
                       g[0][2] * (g[1][0] * g[2][1] - g[1][1] * g[2][0]);
    return sqrt(fmax(det, 1));
}

static shoal_status add_volume(embed_problem *p, const embed_volume *volume)
{
    SHOAL_TRY(SHOAL_RESERVE(&p->volumes, &p->volume_capacity, p->n_volumes + 1));
    p->volumes[p->n_volumes++] = *volume;
    return SHOAL_OK;
}

/* Partners in the order of their numbers. */
static void sort_partners(const graph *g, int32_t i, int32_t *out)
{
    int32_t n = 0;
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
        int32_t k = n++;
        for (; k > 0 && out[k - 1] > g->ends[e].atom; --k) out[k] = out[k - 1];
        out[k] = g->ends[e].atom;
    }
}

static int32_t count_ring_bonds(const embed_problem *p, int32_t i)
{
    const graph *g = &p->mol->perception->graph;
    const ring_set *rings = p->rings;
    int32_t n = 0;
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
        bool found = false;
        for (int32_t k = 0; k < rings->start[rings->n_rings] && !found; ++k)
            found = rings->bonds[k] == g->ends[e].bond;
        n += found;
    }
    return n;
}

/* Nitrogen with a lone pair turns inside out, unless rings hold it. */
static bool is_held(const embed_problem *p, int32_t i)
{
    return p->mol->element[i] != 7 || p->mol->perception->atoms[i].in_ring3 ||
           count_ring_bonds(p, i) == 3;
}

static shoal_status add_centre(embed_problem *p, int32_t i)
{
    const graph *g = &p->mol->perception->graph;
    const int32_t mark = molecule_mark(&p->mol->stereo, i), degree = graph_degree(g, i);
    embed_volume v = {.centre = i};
    if (mark == 0 || degree < 3 || degree > 4 || (degree == 3 && !is_held(p, i))) return SHOAL_OK;
    sort_partners(g, i, v.atoms);
    if (degree == 3) v.atoms[3] = i;
    const double least = LEAST_SHARE * natural_volume(&p->bounds, v.atoms);
    /* Anticlockwise from the first is a negative volume. */
    v.low = mark > 0 ? -EMBED_BOUNDLESS : least;
    v.high = mark > 0 ? -least : EMBED_BOUNDLESS;
    return add_volume(p, &v);
}

static shoal_status add_plane(embed_problem *p, int32_t i)
{
    const graph *g = &p->mol->perception->graph;
    if (p->mol->perception->atoms[i].hyb != HYB_SP2 || graph_degree(g, i) != 3) return SHOAL_OK;
    embed_volume v = {.atoms = {i}, .low = -FLAT_VOLUME, .high = FLAT_VOLUME, .centre = -1};
    sort_partners(g, i, v.atoms + 1);
    return add_volume(p, &v);
}

static bool is_in_small_ring(const embed_problem *p, int32_t bond)
{
    const ring_set *rings = p->rings;
    for (int32_t r = 0; r < rings->n_rings; ++r)
        for (int32_t k = rings->start[r]; k < rings->start[r + 1]; ++k)
            if (rings->bonds[k] == bond && rings->start[r + 1] - rings->start[r] < 8) return true;
    return false;
}

int32_t embed_lowest_partner(const graph *g, int32_t i, int32_t other)
{
    int32_t lowest = -1;
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
        const int32_t to = g->ends[e].atom;
        if (to != other && (lowest < 0 || to < lowest)) lowest = to;
    }
    return lowest;
}

static shoal_status add_double_bond(embed_problem *p, int32_t k)
{
    const graph *g = &p->mol->perception->graph;
    const shoal_bond *b = &p->mol->bonds[k];
    const int32_t mark = molecule_mark(&p->mol->cis_trans, k);
    if (mark == 0 || b->order != SHOAL_ORDER_DOUBLE || b->aromatic || is_in_small_ring(p, k))
        return SHOAL_OK;
    const int32_t i = embed_lowest_partner(g, b->i, b->j), l = embed_lowest_partner(g, b->j, b->i);
    if (i < 0 || l < 0) return SHOAL_OK;
    SHOAL_TRY(SHOAL_RESERVE(&p->torsions, &p->torsion_capacity, p->n_torsions + 1));
    p->torsions[p->n_torsions++] = (embed_torsion){{i, b->i, b->j, l}, mark > 0};
    return SHOAL_OK;
}

/* Whether rings meet in an atom whose configuration is open. */
static bool is_open(const embed_problem *p, int32_t i)
{
    return molecule_mark(&p->mol->stereo, i) == 0 && p->mol->perception->atoms[i].hyb == HYB_SP3 &&
           graph_degree(&p->mol->perception->graph, i) == 4 && count_ring_bonds(p, i) > 2;
}

shoal_status embed_find_stereo(embed_problem *p)
{
    for (int32_t i = 0; i < p->mol->n_atoms; ++i) {
        p->n_open += is_open(p, i);
        SHOAL_TRY(add_centre(p, i));
        SHOAL_TRY(add_plane(p, i));
    }
    for (int32_t k = 0; k < p->mol->n_bonds; ++k) SHOAL_TRY(add_double_bond(p, k));
    return SHOAL_OK;
}
