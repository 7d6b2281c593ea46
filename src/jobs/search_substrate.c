/* SPDX-License-Identifier: BSD-3-Clause
 * Motions of the plane that map a substrate onto itself, found from its atoms. */
#include "jobs/search_substrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "surf/grid_lattice.h"

#define MEETS 0.01      /* angstrom: how well an atom must meet its image */
#define MOST_SITES 3000 /* of a cell: motions of larger ones are not looked for */
#define SAME 1e-6       /* relative: parameters of atoms of one kind */

typedef struct site {
    double pos[3];
    int32_t z;
    double numbers[4]; /* radius, depth, charge, h */
} site;

typedef struct finder {
    search_substrate *s;
    site *sites; /* of one cell */
    int32_t n_sites;
} finder;

static bool are_like(const site *a, const site *b)
{
    if (a->z != b->z) return false;
    for (int k = 0; k < 4; ++k)
        if (!(fabs(a->numbers[k] - b->numbers[k]) <= SAME * (1 + fabs(a->numbers[k]))))
            return false;
    return true;
}

/* Distance of two places in the plane, images counted. */
static double apart(const search_substrate *s, const double a[2], const double b[2])
{
    const double d[2] = {a[0] - b[0], a[1] - b[1]};
    double f[2];
    substrate_fractions(s, d, f);
    for (int k = 0; k < 2; ++k) f[k] -= round(f[k]);
    return hypot(f[0] * s->cell[0][0] + f[1] * s->cell[1][0],
                 f[0] * s->cell[0][1] + f[1] * s->cell[1][1]);
}

/* The site that an atom of this kind at this place is an image of, -1 if there is none. */
static int32_t find_site(const finder *f, const site *like, const double at[2])
{
    for (int32_t k = 0; k < f->n_sites; ++k)
        if (fabs(f->sites[k].pos[2] - like->pos[2]) < MEETS && are_like(&f->sites[k], like) &&
            apart(f->s, f->sites[k].pos, at) < MEETS)
            return k;
    return -1;
}

/* Atoms of a surface, one of those that are images of each other in the cell. */
static void add_sites(finder *f, const shoal_surface *surface)
{
    shoal_surface_view v;
    shoal_surface_get(surface, &v);
    for (int32_t i = 0; i < v.n_atoms; ++i) {
        const site at = {.pos = {v.pos[i][0], v.pos[i][1], v.pos[i][2]},
                         .z = v.elements[i],
                         .numbers = {v.radius[i], v.depth[i], v.charges[i], v.hbond[i]}};
        if (find_site(f, &at, at.pos) < 0) f->sites[f->n_sites++] = at;
    }
}

static bool maps_all(const finder *f, const substrate_motion *m)
{
    for (int32_t k = 0; k < f->n_sites; ++k) {
        double to[2];
        substrate_move(m, f->sites[k].pos, to);
        if (find_site(f, &f->sites[k], to) < 0) return false;
    }
    return true;
}

/* The matrix of a motion that takes a and b to the integer combinations n; false if lengths or angle change. */
static bool make_turn(const search_substrate *s, const int n[2][2], double turn[2][2])
{
    double to[2][2];
    for (int k = 0; k < 2; ++k)
        for (int x = 0; x < 2; ++x) to[k][x] = n[k][0] * s->cell[0][x] + n[k][1] * s->cell[1][x];
    for (int k = 0; k < 3; ++k) {
        const int p = k / 2, q = (k + 1) / 2;
        const double before = s->cell[p][0] * s->cell[q][0] + s->cell[p][1] * s->cell[q][1];
        const double after = to[p][0] * to[q][0] + to[p][1] * to[q][1];
        if (!(fabs(before - after) < MEETS)) return false;
    }
    for (int x = 0; x < 2; ++x)
        for (int y = 0; y < 2; ++y)
            turn[x][y] = s->inverse[y][0] * to[0][x] + s->inverse[y][1] * to[1][x];
    return true;
}

/* One shift for each turn that the sites allow; more of them would be translations smaller than the cell. */
static void try_turn(finder *f, const int n[2][2])
{
    search_substrate *s = f->s;
    substrate_motion m = {0};
    if (s->n_motions == SUBSTRATE_MOST_MOTIONS || !make_turn(s, n, m.turn)) return;
    double turned[2];
    substrate_move(&m, f->sites[0].pos, turned);
    for (int32_t k = 0; k < f->n_sites; ++k) {
        for (int x = 0; x < 2; ++x) m.shift[x] = f->sites[k].pos[x] - turned[x];
        if (fabs(f->sites[0].pos[2] - f->sites[k].pos[2]) > MEETS ||
            !are_like(&f->sites[0], &f->sites[k]) || !maps_all(f, &m))
            continue;
        s->motions[s->n_motions++] = m;
        return;
    }
}

static void set_cell(search_substrate *s, const double cell[2][2])
{
    memcpy(s->cell, cell, sizeof s->cell);
    const double det = s->cell[0][0] * s->cell[1][1] - s->cell[0][1] * s->cell[1][0];
    s->inverse[0][0] = s->cell[1][1] / det;
    s->inverse[0][1] = -s->cell[0][1] / det;
    s->inverse[1][0] = -s->cell[1][0] / det;
    s->inverse[1][1] = s->cell[0][0] / det;
}

/* True if all atoms of a surface, moved by the vectors of a cell, meet their likes, in the surface's own cell. */
static bool repeats_by(const shoal_surface *surface, const double cell[2][2], site *room)
{
    shoal_surface_view v;
    shoal_surface_get(surface, &v);
    search_substrate own = {.n_motions = 0};
    finder f = {.s = &own, .sites = room};
    set_cell(&own, (const double(*)[2])v.cell);
    add_sites(&f, surface);
    for (int k = 0; k < 2; ++k) {
        const substrate_motion m = {{{1, 0}, {0, 1}}, {cell[k][0], cell[k][1]}};
        if (!maps_all(&f, &m)) return false;
    }
    return true;
}

/* The smallest period of the surface, if layers that move have it, too; else its cell. */
static shoal_status find_cell(finder *f, const shoal_surface *surface, const shoal_surface *movable)
{
    shoal_surface_view v;
    double cell[2][2];
    int32_t cells;
    shoal_surface_get(surface, &v);
    SHOAL_TRY(grid_period_find(surface, cell, &cells));
    const bool small = !movable || repeats_by(movable, (const double(*)[2])cell, f->sites);
    set_cell(f->s, small ? (const double(*)[2])cell : (const double(*)[2])v.cell);
    return SHOAL_OK;
}

/* A site that few others are like comes first: a shift is tried for each of those. */
static void begin_with_rarest(finder *f)
{
    int32_t best = 0, fewest = f->n_sites + 1;
    for (int32_t i = 0; i < f->n_sites; ++i) {
        int32_t n = 0;
        for (int32_t j = 0; j < f->n_sites && n < fewest; ++j)
            n += fabs(f->sites[i].pos[2] - f->sites[j].pos[2]) < MEETS &&
                 are_like(&f->sites[i], &f->sites[j]);
        if (n >= fewest) continue;
        fewest = n;
        best = i;
    }
    const site first = f->sites[best];
    f->sites[best] = f->sites[0];
    f->sites[0] = first;
}

/* The identity, then all others whose matrices have elements -1, 0 and 1: enough for a cell of short vectors. */
static void find_motions(finder *f)
{
    static const int identity[2][2] = {{1, 0}, {0, 1}};
    try_turn(f, identity);
    if (f->n_sites > MOST_SITES) return;
    for (int code = 0; code < 81; ++code) {
        const int n[2][2] = {{code % 3 - 1, code / 3 % 3 - 1}, {code / 9 % 3 - 1, code / 27 - 1}};
        if (n[0][0] * n[1][1] - n[0][1] * n[1][0] == 0) continue;
        if (memcmp(n, identity, sizeof n) != 0) try_turn(f, n);
    }
}

shoal_status search_substrate_find(search_substrate *out, const shoal_surface *surface,
                                   const shoal_surface *movable)
{
    shoal_surface_view v, layers = {0};
    *out = (search_substrate){0};
    shoal_surface_get(surface, &v);
    if (movable) shoal_surface_get(movable, &layers);
    out->top = movable && layers.top > v.top ? layers.top : v.top;
    finder f = {.s = out};
    f.sites = shoal_alloc((size_t)v.n_atoms + (size_t)layers.n_atoms, sizeof *f.sites);
    if (!f.sites) return SHOAL_E_MEMORY;
    const shoal_status status = find_cell(&f, surface, movable);
    if (status == SHOAL_OK) {
        if (movable) add_sites(&f, movable);
        add_sites(&f, surface);
        begin_with_rarest(&f);
        find_motions(&f);
    }
    free(f.sites);
    return status;
}

/* Fractions in [0, 1), of which 1 - 1e-9 is 0. */
static void wrap(double f[2])
{
    for (int k = 0; k < 2; ++k) {
        f[k] -= floor(f[k]);
        if (f[k] > 1 - 1e-9) f[k] = 0;
    }
}

void search_substrate_fold(const search_substrate *s, double at[2])
{
    double best[2] = {2, 2};
    for (int32_t m = 0; m < s->n_motions; ++m) {
        double to[2], f[2];
        substrate_move(&s->motions[m], at, to);
        substrate_fractions(s, to, f);
        wrap(f);
        const bool less = f[0] + f[1] < best[0] + best[1] - 1e-9 ||
                          (f[0] + f[1] < best[0] + best[1] + 1e-9 && f[0] < best[0]);
        if (less) memcpy(best, f, sizeof best);
    }
    for (int x = 0; x < 2; ++x) at[x] = best[0] * s->cell[0][x] + best[1] * s->cell[1][x];
}
