/* SPDX-License-Identifier: BSD-3-Clause
 * A hashed grid of atoms: those of the home cell, and their images within reach of it. */
#include "chem/hydrogens_sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/cell.h"
#include "geom/vector.h"

static uint32_t bucket_of(const site_grid *g, const int32_t cell[3])
{
    const uint32_t h = (uint32_t)cell[0] * 73856093u ^ (uint32_t)cell[1] * 19349663u ^
                       (uint32_t)cell[2] * 83492791u;
    return (h ^ h >> 15) & g->mask;
}

/* False for a position that no grid cell has a number for. */
static bool find_cell(const double pos[3], int32_t cell[3])
{
    for (int c = 0; c < 3; ++c) {
        const double t = floor(pos[c] / SITES_REACH);
        if (!(fabs(t) < 1e9)) return false;
        cell[c] = (int32_t)t;
    }
    return true;
}

static shoal_status add_entry(site_grid *g, int32_t atom, const double pos[3])
{
    SHOAL_TRY(SHOAL_RESERVE(&g->entries, &g->capacity, g->n + 1));
    site_entry *e = &g->entries[g->n];
    if (!find_cell(pos, e->cell)) return SHOAL_OK;
    memcpy(e->pos, pos, sizeof e->pos);
    e->atom = atom;
    const uint32_t bucket = bucket_of(g, e->cell);
    e->next = g->head[bucket];
    g->head[bucket] = g->n++;
    return SHOAL_OK;
}

/* Fractional coordinates along periodic directions, 0 along open ones. */
static void fractions(const site_grid *g, const double pos[3], double out[3])
{
    for (int k = 0; k < 3; ++k) {
        const double f = vector_dot(g->dual[k], pos);
        out[k] = g->mol->pbc[k] && fabs(f) < 1e6 ? f : 0;
    }
}

static void displace(const site_grid *g, const double pos[3], const int32_t by[3], double out[3])
{
    for (int c = 0; c < 3; ++c) {
        out[c] = pos[c];
        for (int k = 0; k < 3; ++k) out[c] += by[k] * g->full[k][c];
    }
}

shoal_status sites_add(site_grid *g, int32_t atom, const double pos[3])
{
    if (!g->periodic) return add_entry(g, atom, pos);
    double f[3];
    int32_t low[3], high[3], by[3];
    fractions(g, pos, f);
    for (int k = 0; k < 3; ++k) {
        low[k] = g->mol->pbc[k] ? (int32_t)ceil(-g->margin[k] - f[k]) : 0;
        high[k] = g->mol->pbc[k] ? (int32_t)floor(1 + g->margin[k] - f[k]) : 0;
    }
    for (by[0] = low[0]; by[0] <= high[0]; ++by[0])
        for (by[1] = low[1]; by[1] <= high[1]; ++by[1])
            for (by[2] = low[2]; by[2] <= high[2]; ++by[2]) {
                double image[3];
                displace(g, pos, by, image);
                SHOAL_TRY(add_entry(g, atom, image));
            }
    return SHOAL_OK;
}

shoal_status sites_create(site_grid *g, const shoal_molecule *mol, int32_t n_more)
{
    uint32_t size = 64;
    double height[3];
    *g = (site_grid){.mol = mol, .periodic = shoal_molecule_is_periodic(mol)};
    while (size < (uint32_t)mol->n_atoms + (uint32_t)n_more) size *= 2;
    if (g->periodic) {
        cell_complete((const double(*)[3])mol->cell, mol->pbc, g->full);
        cell_dual((const double(*)[3])g->full, g->dual, height);
        for (int k = 0; k < 3; ++k) g->margin[k] = mol->pbc[k] ? SITES_REACH / height[k] : 0;
    }
    g->mask = size - 1;
    g->head = shoal_alloc_dirty(size, sizeof *g->head);
    if (!g->head) return SHOAL_E_MEMORY;
    for (uint32_t k = 0; k < size; ++k) g->head[k] = -1;
    for (int32_t i = 0; i < mol->n_atoms; ++i) SHOAL_TRY(sites_add(g, i, mol->pos[i]));
    return SHOAL_OK;
}

void sites_free(site_grid *g)
{
    free(g->head);
    free(g->entries);
}

/* Images of the own atom are others. */
static bool is_own(const site_query *q, int32_t atom, double r2)
{
    if (atom == q->atom) return r2 < 1.02 * q->length * q->length;
    for (int32_t k = 0; k < q->n_partners; ++k)
        if (q->partners[k] == atom) return true;
    return false;
}

static double cell_clearance(const site_grid *g, const int32_t cell[3], const double pos[3],
                             const site_query *q, double wider)
{
    double least = SITES_REACH;
    for (int32_t k = g->head[bucket_of(g, cell)]; k >= 0; k = g->entries[k].next) {
        const site_entry *e = &g->entries[k];
        double r2 = 0;
        if (memcmp(e->cell, cell, sizeof e->cell) != 0) continue;
        for (int c = 0; c < 3; ++c) r2 += (e->pos[c] - pos[c]) * (e->pos[c] - pos[c]);
        if (r2 >= SITES_REACH * SITES_REACH || is_own(q, e->atom, r2)) continue;
        const bool hydrogen = e->atom < 0 || g->mol->element[e->atom] == 1;
        least = fmin(least, sqrt(r2) - (hydrogen ? 0 : wider));
    }
    return least;
}

double sites_clearance(const site_grid *g, const site_query *q, double wider)
{
    double home[3], f[3], least = SITES_REACH;
    int32_t at[3], by[3] = {0, 0, 0};
    memcpy(home, q->pos, sizeof home);
    if (g->periodic) {
        fractions(g, q->pos, f);
        for (int k = 0; k < 3; ++k) by[k] = (int32_t)-floor(f[k]);
        displace(g, q->pos, by, home);
    }
    if (!find_cell(home, at)) return 0;
    for (int32_t x = at[0] - 1; x <= at[0] + 1; ++x)
        for (int32_t y = at[1] - 1; y <= at[1] + 1; ++y)
            for (int32_t z = at[2] - 1; z <= at[2] + 1; ++z)
                least = fmin(least, cell_clearance(g, (const int32_t[3]){x, y, z}, home, q, wider));
    return least;
}
