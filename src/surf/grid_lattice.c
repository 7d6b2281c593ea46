/* SPDX-License-Identifier: BSD-3-Clause
 * The lattice that a grid is built of: atoms of one period sorted by height, k-vectors, reach. */
#include "surf/grid_lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "surf/grid_build.h"

#define SHOAL_REAL double
#include "surface_terms.h"

#include "constants.h"

#define SAME_PLANE 1e-9 /* angstrom */
#define SHORTEST 23.0   /* k-vectors end where exp(-SHORTEST) is reached at the softest length */
#define TOLERANCE 1e-7  /* eV: what lies beyond the reach, for a strong probe */
#define MOST_KVECS 2e7

/* Fraction of the cell, in [0, 1). */
static double fraction(const double (*inverse)[2], const double *r, int axis)
{
    const double f = r[0] * inverse[0][axis] + r[1] * inverse[1][axis];
    return f - floor(f);
}

static bool is_image(const grid_lattice *l, const double r[3], const double s[3])
{
    if (fabs(r[2] - s[2]) > 1e-4) return false;
    for (int axis = 0; axis < 2; ++axis) {
        const double(*inverse)[2] = (const double(*)[2])l->inverse;
        const double d = fraction(inverse, r, axis) - fraction(inverse, s, axis);
        if (fabs(d - round(d)) > 1e-3) return false;
    }
    return true;
}

/* One atom of every set of images. */
static shoal_status pick_atoms(grid_lattice *l)
{
    const shoal_surface *s = l->surface;
    const int32_t n = s->view.n_atoms, want = n / l->cells;
    l->pos = arena_alloc(&l->memory, (size_t)want, sizeof *l->pos);
    l->weight = arena_alloc(&l->memory, (size_t)want, sizeof *l->weight);
    if (!l->pos || !l->weight) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < n; ++i) {
        int32_t k = 0;
        while (l->cells > 1 && k < l->n_atoms && !is_image(l, s->view.pos[i], l->pos[k])) ++k;
        if (l->cells > 1 && k < l->n_atoms) continue;
        if (l->n_atoms == want)
            return shoal_fail(SHOAL_E_ARGUMENT, "grid: the period of the surface is not clear");
        const double fa = fraction((const double(*)[2])l->inverse, s->view.pos[i], 0);
        const double fb = fraction((const double(*)[2])l->inverse, s->view.pos[i], 1);
        l->pos[l->n_atoms][0] = fa * l->cell[0][0] + fb * l->cell[1][0];
        l->pos[l->n_atoms][1] = fa * l->cell[0][1] + fb * l->cell[1][1];
        l->pos[l->n_atoms][2] = s->view.pos[i][2];
        memcpy(l->weight[l->n_atoms++], s->weight[i], sizeof *l->weight);
    }
    return SHOAL_OK;
}

typedef struct row {
    double pos[3], weight[SHOAL_N_CHANNELS];
} row;

static int compare_height(const void *a, const void *b)
{
    const row *x = a, *y = b;
    return (x->pos[2] > y->pos[2]) - (x->pos[2] < y->pos[2]);
}

static shoal_status sort_planes(grid_lattice *l)
{
    row *rows = shoal_alloc((size_t)l->n_atoms, sizeof *rows);
    l->plane_start = arena_alloc(&l->memory, (size_t)l->n_atoms + 1, sizeof *l->plane_start);
    if (!rows || !l->plane_start) {
        free(rows);
        return SHOAL_E_MEMORY;
    }
    for (int32_t i = 0; i < l->n_atoms; ++i) {
        memcpy(rows[i].pos, l->pos[i], sizeof rows[i].pos);
        memcpy(rows[i].weight, l->weight[i], sizeof rows[i].weight);
    }
    qsort(rows, (size_t)l->n_atoms, sizeof *rows, compare_height);
    for (int32_t i = 0; i < l->n_atoms; ++i) {
        memcpy(l->pos[i], rows[i].pos, sizeof *l->pos);
        memcpy(l->weight[i], rows[i].weight, sizeof *l->weight);
        if (i == 0 || l->pos[i][2] - l->pos[l->plane_start[l->n_planes - 1]][2] > SAME_PLANE)
            l->plane_start[l->n_planes++] = i;
    }
    l->plane_start[l->n_planes] = l->n_atoms;
    free(rows);
    return SHOAL_OK;
}

static int compare_kvec(const void *a, const void *b)
{
    const grid_kvec *x = a, *y = b;
    if (x->g != y->g) return x->g < y->g ? -1 : 1;
    if (x->m != y->m) return x->m < y->m ? -1 : 1;
    return (x->n > y->n) - (x->n < y->n);
}

/* One of every pair of opposite k-vectors up to a length. */
static shoal_status list_kvecs(grid_lattice *l)
{
    const double d = l->surface->view.damping;
    const double longest =
        d >= GRID_SMOOTH_DAMPING ? fmax(SHORTEST / d, GRID_SHARPEST) : GRID_SHARPEST;
    const double count = l->area * longest * longest / (8 * PI);
    if (!(count < MOST_KVECS))
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "grid: the period of the surface is %g angstrom^2 large, which makes %.0f "
            "k-vectors; at most %.0f can be summed, direct sums do without",
            l->area, count, MOST_KVECS);
    /* Rows of 2 pi inverse^T are the reciprocal vectors. */
    const double ba[2] = {2 * PI * l->inverse[0][0], 2 * PI * l->inverse[1][0]};
    const double bb[2] = {2 * PI * l->inverse[0][1], 2 * PI * l->inverse[1][1]};
    const int32_t most_m = (int32_t)(longest * hypot(l->cell[0][0], l->cell[0][1]) / (2 * PI)) + 1;
    const int32_t most_n = (int32_t)(longest * hypot(l->cell[1][0], l->cell[1][1]) / (2 * PI)) + 1;
    for (int pass = 0; pass < 2; ++pass) {
        l->n_kvecs = 0;
        for (int32_t m = 0; m <= most_m; ++m)
            for (int32_t n = m == 0 ? 1 : -most_n; n <= most_n; ++n) {
                const double g = hypot(m * ba[0] + n * bb[0], m * ba[1] + n * bb[1]);
                if (g > longest) continue;
                if (pass == 1) l->kvecs[l->n_kvecs] = (grid_kvec){m, n, g};
                ++l->n_kvecs;
            }
        if (pass == 0) l->kvecs = arena_alloc(&l->memory, (size_t)l->n_kvecs, sizeof *l->kvecs);
        if (!l->kvecs) return SHOAL_E_MEMORY;
    }
    l->most_m = most_m;
    l->most_n = most_n;
    qsort(l->kvecs, (size_t)l->n_kvecs, sizeof *l->kvecs, compare_kvec);
    return SHOAL_OK;
}

static void fill_phases(double *to, int32_t n, double turn)
{
    for (int32_t m = 0; m <= n; ++m) {
        const double turns = turn * m, angle = -2 * PI * (turns - floor(turns));
        to[2 * m] = cos(angle);
        to[2 * m + 1] = sin(angle);
    }
}

static shoal_status make_phases(grid_lattice *l)
{
    const size_t n = (size_t)l->n_atoms, n_a = (size_t)l->most_m + 1, n_b = (size_t)l->most_n + 1;
    l->phase_a = arena_alloc(&l->memory, n * n_a, 2 * sizeof *l->phase_a);
    l->phase_b = arena_alloc(&l->memory, n * n_b, 2 * sizeof *l->phase_b);
    if (!l->phase_a || !l->phase_b) return SHOAL_E_MEMORY;
    for (size_t s = 0; s < n; ++s) {
        const double(*inverse)[2] = (const double(*)[2])l->inverse;
        fill_phases(l->phase_a + 2 * s * n_a, l->most_m, fraction(inverse, l->pos[s], 0));
        fill_phases(l->phase_b + 2 * s * n_b, l->most_n, fraction(inverse, l->pos[s], 1));
    }
    return SHOAL_OK;
}

/* What a channel leaves beyond a reach in pairs, for atoms that lie dense in a plane of the weight w per angstrom^2. */
static double pairs_left(const shoal_surface *s, int channel, double w, double reach)
{
    const int p = surface_channel_power(s, channel);
    const double a = surface_channel_exponent(s, channel), x = GRID_ETA * reach;
    double more;
    const double rest =
        p == 0 ? (reach / a + 1 / (a * a)) * exp(-a * reach)
               : surface_share(p, x, x * x, exp(-x * x), &more) / ((p - 2) * pow(reach, p - 2));
    return 2 * PI * w * rest;
}

double grid_lattice_reach(const shoal_surface *s, int channel)
{
    const shoal_probe large = {.radius = 2.25, .depth = 0.015}; /* iodine */
    double weights[SHOAL_N_CHANNELS], sum = 0, reach = 2;
    shoal_surface_weights(s, &large, weights);
    if (channel == SHOAL_CHANNEL_ACCEPTOR || channel == SHOAL_CHANNEL_DONOR)
        weights[channel] = weights[SHOAL_CHANNEL_P];
    for (int32_t i = 0; i < s->view.n_atoms; ++i) sum += fabs(s->weight[i][channel]);
    const double w = fabs(weights[channel]) * sum / s->view.area;
    while (reach < 60 && pairs_left(s, channel, w, reach) >= TOLERANCE) reach += 0.25;
    return reach;
}

static double nearest_height(const grid_lattice *l, int32_t plane, const double z[2])
{
    const double at = l->pos[l->plane_start[plane]][2];
    return fmin(fabs(z[0] - at), fabs(z[1] - at));
}

bool grid_lattice_is_near(const grid_lattice *l, int32_t plane, const double z[2])
{
    const double far = l->n_planes > GRID_MOST_PLANES ? GRID_FAR_MANY : GRID_FAR;
    return nearest_height(l, plane, z) < far;
}

bool grid_lattice_has_near(const grid_lattice *l, const double z[2])
{
    for (int32_t p = 0; p < l->n_planes; ++p)
        if (grid_lattice_is_near(l, p, z)) return true;
    return false;
}

static shoal_status build(grid_lattice *l, bool whole_cell)
{
    const shoal_surface_view *v = &l->surface->view;
    memcpy(l->cell, v->cell, sizeof l->cell);
    l->cells = 1;
    if (!whole_cell) SHOAL_TRY(grid_period_find(l->surface, l->cell, &l->cells));
    const double det = l->cell[0][0] * l->cell[1][1] - l->cell[0][1] * l->cell[1][0];
    l->area = fabs(det);
    l->inverse[0][0] = l->cell[1][1] / det;
    l->inverse[0][1] = -l->cell[0][1] / det;
    l->inverse[1][0] = -l->cell[1][0] / det;
    l->inverse[1][1] = l->cell[0][0] / det;
    SHOAL_TRY(pick_atoms(l));
    SHOAL_TRY(sort_planes(l));
    SHOAL_TRY(list_kvecs(l));
    SHOAL_TRY(make_phases(l));
    power_rule_make(&l->rule);
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c)
        if (v->has_channel[c] && c != SHOAL_CHANNEL_Q)
            l->reach[c] = grid_lattice_reach(l->surface, c);
    return SHOAL_OK;
}

shoal_status grid_lattice_create(grid_lattice *out, const shoal_surface *surface, bool whole_cell)
{
    *out = (grid_lattice){.surface = surface};
    const shoal_status status = build(out, whole_cell);
    if (status != SHOAL_OK) grid_lattice_free(out);
    return status;
}

void grid_lattice_free(grid_lattice *lattice)
{
    arena_free(&lattice->memory);
    *lattice = (grid_lattice){0};
}
