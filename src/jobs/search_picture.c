/* SPDX-License-Identifier: BSD-3-Clause
 * The sites of minima on a surface, seen from above. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chem/element.h"
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

typedef struct view {
    canvas *c;
    const search_substrate *s;
    double low[2], scale; /* angstrom, points per angstrom */
    double height;        /* points */
} view;

static canvas_point spot(const view *v, double x, double y)
{
    return (canvas_point){MARGIN + (x - v->low[0]) * v->scale,
                          MARGIN + v->height - (y - v->low[1]) * v->scale};
}

static int32_t element_colour(int32_t z)
{
    switch (z) {
    case 6: return 0x707070;
    case 7: return 0x4a6fd8;
    case 8: return 0xd84a4a;
    case 9: return 0x8fd16a;
    case 11: return 0xa98ce0;
    case 17: return 0x7cc97c;
    case 20: return 0x5fb8a5;
    case 79: return 0xe3c04c;
    default: return (int32_t)(0x909090 + (z * 0x050b11 & 0x3f3f3f));
    }
}

static void place_at(const search_substrate *s, double a, double b, double out[2])
{
    for (int x = 0; x < 2; ++x) out[x] = a * s->cell[0][x] + b * s->cell[1][x];
}

/* What is drawn: the cell and a bit around it. */
static void frame_view(view *v, double size[2])
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
        for (int x = 0; x < 2; ++x) {
            v->low[x] = fmin(v->low[x], at[x]);
            high[x] = fmax(high[x], at[x]);
        }
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
                        fmax(0.15, 0.9 - 0.25 * depth));
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

/* The bonds of the lowest minimum. */
static void draw_molecule(const view *v, const shoal_search *s, int64_t molecule)
{
    results_view r;
    double at[2], shift[2], ends[2][3];
    const shoal_minimum *m = search_listed(s, molecule, 0);
    if (!m || !find_site(s, m, &r, at, shift)) return;
    for (uint32_t b = 0; b < r.head.rows[RESULTS_BOND]; ++b) {
        int32_t atoms[2];
        memcpy(atoms, r.at[RESULTS_BOND_ATOMS] + b * sizeof atoms, sizeof atoms);
        for (int k = 0; k < 2; ++k) get_position(&r, atoms[k], ends[k]);
        const canvas_point from = spot(v, ends[0][0] + shift[0], ends[0][1] + shift[1]);
        const canvas_point to = spot(v, ends[1][0] + shift[0], ends[1][1] + shift[1]);
        canvas_line(v->c, from.x, from.y, to.x, to.y,
                    (canvas_pen){.colour = 0x303030, .width = 1.5});
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

static void draw_legend(const view *v, const shoal_search *s, int64_t molecule)
{
    char text[160];
    int64_t n = 0;
    double lowest = NAN;
    for (int64_t i = 0; i < s->n_ranked; ++i) {
        if (s->ranked[i].molecule != molecule) continue;
        if (n++ == 0) lowest = s->ranked[i].energy;
    }
    (void)snprintf(text, sizeof text, "%lld minima, by rank; the lowest %.4f eV", (long long)n,
                   lowest);
    canvas_text(v->c, (canvas_point){MARGIN, MARGIN - 16}, (canvas_font){.size = 14}, text);
    (void)snprintf(text, sizeof text, "cell %.3f by %.3f A, %d motions",
                   hypot(v->s->cell[0][0], v->s->cell[0][1]),
                   hypot(v->s->cell[1][0], v->s->cell[1][1]), v->s->n_motions);
    canvas_text(v->c, (canvas_point){MARGIN, MARGIN + v->height + 24}, (canvas_font){.size = 12},
                text);
}

shoal_status shoal_search_picture(const shoal_search *search, int64_t molecule, const char *path)
{
    shoal_clear_error();
    SHOAL_NEED(search && path);
    if (!search->setting.substrate)
        return shoal_fail(SHOAL_E_ARGUMENT, "search: without a surface there are no sites to draw");
    double size[2];
    view v = {.s = &search->substrate};
    frame_view(&v, size);
    SHOAL_TRY(canvas_open(&v.c, path, (int32_t)size[0], (int32_t)size[1]));
    const canvas_box box = {MARGIN, MARGIN, size[0] - MARGIN, size[1] - MARGIN};
    canvas_clip(v.c, &box);
    draw_surface(&v, search->options.surface, search->substrate.top);
    draw_surface(&v, search->options.movable, search->substrate.top);
    draw_cell(&v);
    draw_molecule(&v, search, molecule);
    canvas_clip(v.c, NULL);
    canvas_frame(v.c, box, (canvas_pen){.colour = 0xa0a0a0, .width = 0.8});
    draw_sites(&v, search, molecule);
    draw_legend(&v, search, molecule);
    const shoal_status status = canvas_close(v.c);
    canvas_destroy(v.c);
    return status;
}
