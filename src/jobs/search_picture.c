/* SPDX-License-Identifier: BSD-3-Clause
 * The sites of minima on a surface, seen from above. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chem/element.h"
#include "chem/molecule.h"
#include "io/canvas.h"
#include "jobs/search.h"
#include "results/results_record.h"

#define SIDE 600       /* points: the larger side of the drawing */
#define MARGIN 46      /* points, for title and legend */
#define AROUND 0.35    /* of the cell, that is drawn beyond it .. */
#define LEAST 11.0     /* angstrom: .. or more, for the molecule */
#define IMAGES 6       /* cells to each side, at most */
#define DEEP 4.0       /* angstrom: atoms further below the topmost are not drawn */
#define LAYER 0.3      /* angstrom */
#define MOST_SITES 200 /* that are drawn; ranks beyond the first 20 are dots without a number */
#define NUMBERED 20
#define LISTED 6  /* whose energies are told below the drawing */
#define EDGE 1.2  /* angstrom: what is drawn beyond an atom of it */
#define BALL 0.45 /* angstrom: the radius of an atom of the molecule, times that of its bonds */

typedef struct view {
    canvas *c;
    const search_substrate *s;
    double low[2], scale; /* angstrom, points per angstrom */
    double height;        /* points */
} view;

/* The lowest minimum, where it is drawn. */
typedef struct shown {
    shoal_molecule *mol; /* NULL: there is none */
    int32_t n;           /* its own atoms */
} shown;

static canvas_point spot(const view *v, double x, double y)
{
    return (canvas_point){MARGIN + (x - v->low[0]) * v->scale,
                          MARGIN + v->height - (y - v->low[1]) * v->scale};
}

/* Jmol's, but for white, which would be lost on paper. */
static int32_t element_colour(int32_t z)
{
    static const struct {
        int32_t z, colour;
    } of[] = {{1, 0xe6e6e6},  {3, 0xcc80ff},  {5, 0xffb5b5},  {6, 0x909090},  {7, 0x3050f8},
              {8, 0xff0d0d},  {9, 0x90e050},  {11, 0xab5cf2}, {12, 0x8aff00}, {13, 0xbfa6a6},
              {14, 0xf0c8a0}, {15, 0xff8000}, {16, 0xe6c619}, {17, 0x1ff01f}, {19, 0x8f40d4},
              {20, 0x3dff00}, {22, 0xbfc2c7}, {26, 0xe06633}, {29, 0xc88033}, {30, 0x7d80b0},
              {35, 0xa62929}, {47, 0xc0c0c0}, {53, 0x940094}, {78, 0xd0d0e0}, {79, 0xffd123}};
    for (size_t k = 0; k < sizeof of / sizeof of[0]; ++k)
        if (of[k].z == z) return of[k].colour;
    return 0xa0a0a0;
}

static void place_at(const search_substrate *s, double a, double b, double out[2])
{
    for (int x = 0; x < 2; ++x) out[x] = a * s->cell[0][x] + b * s->cell[1][x];
}

static void widen(view *v, double high[2], double x, double y)
{
    v->low[0] = fmin(v->low[0], x);
    v->low[1] = fmin(v->low[1], y);
    high[0] = fmax(high[0], x);
    high[1] = fmax(high[1], y);
}

/* What is drawn: the cell and a bit around it, and all of the molecule. */
static void frame_view(view *v, const shown *lowest, double size[2])
{
    double high[2] = {-INFINITY, -INFINITY};
    double around[2];
    v->low[0] = v->low[1] = INFINITY;
    for (int k = 0; k < 2; ++k) {
        const double length = hypot(v->s->cell[k][0], v->s->cell[k][1]);
        around[k] = fmin(fmax(AROUND, (LEAST / length - 1) / 2), IMAGES - 1);
    }
    for (int k = 0; k < 4; ++k) {
        double at[2];
        place_at(v->s, k % 2 ? 1 + around[0] : -around[0], k / 2 ? 1 + around[1] : -around[1], at);
        widen(v, high, at[0], at[1]);
    }
    for (int32_t i = 0; i < lowest->n; ++i) {
        const double *r = lowest->mol->pos[i];
        for (int by = -1; by <= 1; by += 2) widen(v, high, r[0] + by * EDGE, r[1] + by * EDGE);
    }
    v->scale = SIDE / fmax(high[0] - v->low[0], high[1] - v->low[1]);
    v->height = (high[1] - v->low[1]) * v->scale;
    size[0] = (high[0] - v->low[0]) * v->scale + 2 * MARGIN;
    size[1] = v->height + 2 * MARGIN;
}

/* All images of an atom that lie in what is drawn. */
static void draw_atom(const view *v, const double pos[3], int32_t z, double depth)
{
    double f[2], at[2];
    substrate_fractions(v->s, pos, f);
    for (int k = 0; k < 2; ++k) f[k] -= floor(f[k]);
    const double radius = 0.7 * element_get(z)->radius * v->scale;
    for (int p = -IMAGES; p <= IMAGES; ++p)
        for (int q = -IMAGES; q <= IMAGES; ++q) {
            place_at(v->s, f[0] + p, f[1] + q, at);
            canvas_disc(v->c, spot(v, at[0], at[1]), radius, element_colour(z),
                        fmax(0.12, 0.6 - 0.16 * depth));
        }
}

/* True if an atom is the image of an earlier one: a file has many cells. */
static bool is_image(const view *v, const shoal_surface_view *atoms, int32_t i)
{
    for (int32_t j = 0; j < i; ++j) {
        const double d[2] = {atoms->pos[i][0] - atoms->pos[j][0],
                             atoms->pos[i][1] - atoms->pos[j][1]};
        double f[2];
        if (fabs(atoms->pos[i][2] - atoms->pos[j][2]) > 0.01) continue;
        substrate_fractions(v->s, d, f);
        if (fabs(f[0] - round(f[0])) < 1e-3 && fabs(f[1] - round(f[1])) < 1e-3) return true;
    }
    return false;
}

/* Deeper layers first. */
static void draw_surface(const view *v, const shoal_surface *surface, double top)
{
    shoal_surface_view atoms;
    if (!surface) return;
    shoal_surface_get(surface, &atoms);
    for (double depth = DEEP; depth > -LAYER; depth -= LAYER)
        for (int32_t i = 0; i < atoms.n_atoms; ++i) {
            const double below = top - atoms.pos[i][2];
            if (below <= depth && below > depth - LAYER && !is_image(v, &atoms, i))
                draw_atom(v, atoms.pos[i], atoms.elements[i], fmax(below, 0));
        }
}

static void draw_cell(const view *v)
{
    static const double corners[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
    canvas_point points[5];
    for (int k = 0; k < 5; ++k) {
        double at[2];
        place_at(v->s, corners[k][0], corners[k][1], at);
        points[k] = spot(v, at[0], at[1]);
    }
    canvas_polyline(v->c, points, 5, (canvas_pen){.colour = 0x202020, .width = 1.2});
}

static void get_position(const results_view *r, int32_t i, double pos[3])
{
    memcpy(pos, r->at[RESULTS_POSITION] + (size_t)i * 3 * sizeof *pos, 3 * sizeof *pos);
}

/* A minimum's middle in the cell, and the lattice vector that takes it there. */
static bool find_site(const shoal_search *s, const shoal_minimum *m, results_view *r, double at[2],
                      double shift[2])
{
    double sum[2] = {0, 0}, f[2], pos[3];
    if (results_look(m->record, m->record_size, r) != SHOAL_OK) return false;
    const int32_t n = (int32_t)r->head.rows[RESULTS_ATOM] - s->n_movable;
    for (int32_t i = 0; i < n; ++i) {
        get_position(r, i, pos);
        for (int x = 0; x < 2; ++x) sum[x] += pos[x] / n;
    }
    substrate_fractions(&s->substrate, sum, f);
    place_at(&s->substrate, f[0] - floor(f[0]), f[1] - floor(f[1]), at);
    for (int x = 0; x < 2; ++x) shift[x] = at[x] - sum[x];
    return true;
}

/* The lowest minimum as a molecule, moved into the cell. */
static shoal_status find_lowest(const shoal_search *s, int64_t molecule, shown *out)
{
    results_view r;
    double at[2], shift[2];
    const shoal_minimum *m = search_listed(s, molecule, 0);
    if (!m || !find_site(s, m, &r, at, shift)) return SHOAL_OK;
    SHOAL_TRY(shoal_molecule_create(&out->mol));
    SHOAL_TRY(results_make_molecule((shoal_span){m->record, m->record_size}, "", NULL, out->mol));
    out->n = out->mol->n_atoms - s->n_movable;
    for (int32_t i = 0; i < out->n; ++i)
        for (int x = 0; x < 2; ++x) out->mol->pos[i][x] += shift[x];
    return SHOAL_OK;
}

static canvas_point spot_of(const view *v, const shown *m, int32_t i)
{
    return spot(v, m->mol->pos[i][0], m->mol->pos[i][1]);
}

static void draw_ball(const view *v, const shown *m, int32_t i)
{
    const int32_t z = m->mol->element[i];
    const double radius = BALL * (0.4 + element_get(z)->radius) * v->scale;
    canvas_disc(v->c, spot_of(v, m, i), radius + 1, 0x303030, 1);
    canvas_disc(v->c, spot_of(v, m, i), radius, element_colour(z), 1);
}

/* Bonds and atoms of the lowest minimum, what lies deeper first. */
static void draw_molecule(const view *v, const shown *m)
{
    double above = -INFINITY;
    for (int32_t b = 0; m->mol && b < m->mol->n_bonds; ++b) {
        const shoal_bond *bond = &m->mol->bonds[b];
        if (bond->i >= m->n || bond->j >= m->n) continue;
        const canvas_point from = spot_of(v, m, bond->i), to = spot_of(v, m, bond->j);
        canvas_line(v->c, from.x, from.y, to.x, to.y, (canvas_pen){.colour = 0x303030, .width = 3});
    }
    for (;;) { /* the lowest of those that are above the ones that were drawn */
        double next = INFINITY;
        for (int32_t i = 0; i < m->n; ++i)
            if (m->mol->pos[i][2] > above) next = fmin(next, m->mol->pos[i][2]);
        if (!isfinite(next)) return;
        for (int32_t i = 0; i < m->n; ++i)
            if (!(m->mol->pos[i][2] < next) && !(m->mol->pos[i][2] > next)) draw_ball(v, m, i);
        above = next;
    }
}

/* The lowest on top. */
static void draw_sites(const view *v, const shoal_search *s, int64_t molecule)
{
    for (int64_t i = s->n_ranked - 1; i >= 0; --i) {
        const shoal_minimum *m = &s->ranked[i];
        results_view r;
        double at[2], shift[2];
        char rank[16];
        if (m->molecule != molecule || m->rank > MOST_SITES) continue;
        if (!find_site(s, m, &r, at, shift)) continue;
        const canvas_point p = spot(v, at[0], at[1]);
        canvas_disc(v->c, p, m->rank == 1 ? 6 : 4, m->rank == 1 ? 0xc01818 : 0x1a1a66,
                    m->rank <= NUMBERED ? 0.9 : 0.35);
        if (m->rank > NUMBERED) continue;
        (void)snprintf(rank, sizeof rank, "%d", m->rank);
        canvas_text(v->c, (canvas_point){p.x + 6, p.y - 4}, (canvas_font){.size = 12, .halo = true},
                    rank);
    }
}

/* "1: -0.352 eV, 2: -0.330 eV": energies of adsorption, of some minima, if they are known. */
static void put_energies(const shoal_search *s, int64_t molecule, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int32_t k = 0; k < LISTED; ++k) {
        const shoal_minimum *m = search_listed(s, molecule, k);
        if (!m || !isfinite(m->adsorption_energy) || used + 40 > size) return;
        used += (size_t)snprintf(out + used, size - used, "%s%d: %.3f eV", k ? ", " : "", m->rank,
                                 m->adsorption_energy);
    }
}

static void draw_legend(const view *v, const shoal_search *s, const shown *lowest, int64_t molecule)
{
    char text[200];
    const canvas_font small = {.size = 12};
    int64_t n = 0;
    const shoal_minimum *first = search_listed(s, molecule, 0);
    for (int64_t i = 0; i < s->n_ranked; ++i) n += s->ranked[i].molecule == molecule;
    const char *name = lowest->mol ? shoal_molecule_name(lowest->mol) : "";
    int used = snprintf(text, sizeof text, "%.60s%s%lld minim%s", name, *name ? ": " : "",
                        (long long)n, n == 1 ? "um" : "a");
    if (first && isfinite(first->adsorption_energy))
        (void)snprintf(text + used, sizeof text - (size_t)used, ", adsorption energy %.3f eV",
                       first->adsorption_energy);
    canvas_text(v->c, (canvas_point){MARGIN, MARGIN - 16}, (canvas_font){.size = 14}, text);
    put_energies(s, molecule, text, sizeof text);
    if (n > 1) canvas_text(v->c, (canvas_point){MARGIN, MARGIN + v->height + 18}, small, text);
    (void)snprintf(text, sizeof text, "cell %.3f by %.3f A, %d motions",
                   hypot(v->s->cell[0][0], v->s->cell[0][1]),
                   hypot(v->s->cell[1][0], v->s->cell[1][1]), v->s->n_motions);
    canvas_text(v->c, (canvas_point){MARGIN, MARGIN + v->height + 36}, small, text);
}

static void draw(const view *v, const shoal_search *search, const shown *lowest, int64_t molecule,
                 const double size[2])
{
    const canvas_box box = {MARGIN, MARGIN, size[0] - MARGIN, size[1] - MARGIN};
    canvas_clip(v->c, &box);
    draw_surface(v, search->options.surface, search->substrate.top);
    draw_surface(v, search->options.movable, search->substrate.top);
    draw_cell(v);
    draw_molecule(v, lowest);
    canvas_clip(v->c, NULL);
    canvas_frame(v->c, box, (canvas_pen){.colour = 0xa0a0a0, .width = 0.8});
    draw_sites(v, search, molecule);
    draw_legend(v, search, lowest, molecule);
}

shoal_status shoal_search_picture(const shoal_search *search, int64_t molecule, const char *path)
{
    shoal_clear_error();
    SHOAL_NEED(search && path);
    if (!search->setting.substrate)
        return shoal_fail(SHOAL_E_ARGUMENT, "search: without a surface there are no sites to draw");
    double size[2];
    view v = {.s = &search->substrate};
    shown lowest = {0};
    shoal_status status = find_lowest(search, molecule, &lowest);
    if (status == SHOAL_OK) {
        frame_view(&v, &lowest, size);
        status = canvas_open(&v.c, path, (int32_t)size[0], (int32_t)size[1]);
    }
    if (status == SHOAL_OK) {
        draw(&v, search, &lowest, molecule, size);
        status = canvas_close(v.c);
        canvas_destroy(v.c);
    }
    shoal_molecule_destroy(lowest.mol);
    return status;
}
