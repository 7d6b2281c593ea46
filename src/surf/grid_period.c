/* SPDX-License-Identifier: BSD-3-Clause
 * The smallest in-plane period of a surface: a slab is often a supercell of something smaller. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "surf/grid_lattice.h"

#define EXACT 1e-5 /* angstrom: how well an atom must meet its image */

typedef struct finder {
    const shoal_surface *surface;
    double inverse[2][2];
    int32_t n_bins;
    int32_t *bin_start, *bin_atoms; /* atoms by fraction along a */
} finder;

typedef struct vector2 {
    double x, y, length;
} vector2;

static void fractions(const finder *f, const double r[2], double out[2])
{
    for (int axis = 0; axis < 2; ++axis) {
        const double t = r[0] * f->inverse[0][axis] + r[1] * f->inverse[1][axis];
        out[axis] = t - floor(t);
    }
}

static int32_t bin_of(const finder *f, double fraction)
{
    const int32_t bin = (int32_t)(fraction * f->n_bins);
    return bin < f->n_bins ? bin : f->n_bins - 1;
}

static shoal_status sort_bins(finder *f)
{
    const shoal_surface_view *v = &f->surface->view;
    f->n_bins = v->n_atoms / 4 + 1;
    f->bin_start = shoal_alloc((size_t)f->n_bins + 1, sizeof *f->bin_start);
    f->bin_atoms = shoal_alloc((size_t)v->n_atoms, sizeof *f->bin_atoms);
    int32_t *fill = shoal_alloc((size_t)f->n_bins + 1, sizeof *fill);
    if (!f->bin_start || !f->bin_atoms || !fill) {
        free(fill);
        return SHOAL_E_MEMORY;
    }
    double t[2];
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        fractions(f, v->pos[i], t);
        ++f->bin_start[bin_of(f, t[0]) + 1];
    }
    for (int32_t b = 0; b < f->n_bins; ++b) f->bin_start[b + 1] += f->bin_start[b];
    memcpy(fill, f->bin_start, ((size_t)f->n_bins + 1) * sizeof *fill);
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        fractions(f, v->pos[i], t);
        f->bin_atoms[fill[bin_of(f, t[0])]++] = i;
    }
    free(fill);
    return SHOAL_OK;
}

/* True if atom i, moved by t, meets an atom of the same kind. */
static bool meets(const finder *f, int32_t i, vector2 t)
{
    const shoal_surface *s = f->surface;
    const double(*cell)[2] = (const double(*)[2])s->view.cell;
    const double to[2] = {s->view.pos[i][0] + t.x, s->view.pos[i][1] + t.y};
    double u[2], w[2];
    fractions(f, to, u);
    const int32_t middle = bin_of(f, u[0]);
    for (int32_t k = -1; k <= 1; ++k) {
        const int32_t bin = (middle + k + f->n_bins) % f->n_bins;
        for (int32_t n = f->bin_start[bin]; n < f->bin_start[bin + 1]; ++n) {
            const int32_t j = f->bin_atoms[n];
            fractions(f, s->view.pos[j], w);
            const double da = w[0] - u[0] - round(w[0] - u[0]);
            const double db = w[1] - u[1] - round(w[1] - u[1]);
            if (fabs(s->view.pos[j][2] - s->view.pos[i][2]) < EXACT &&
                fabs(da * cell[0][0] + db * cell[1][0]) < EXACT &&
                fabs(da * cell[0][1] + db * cell[1][1]) < EXACT &&
                memcmp(s->weight[i], s->weight[j], sizeof *s->weight) == 0 &&
                (!s->numbers || memcmp(s->numbers[i], s->numbers[j], sizeof *s->numbers) == 0))
                return true;
        }
    }
    return false;
}

static bool is_period(const finder *f, vector2 t)
{
    for (int32_t i = 0; i < f->surface->view.n_atoms; ++i)
        if (!meets(f, i, t)) return false;
    return true;
}

static int compare_length(const void *a, const void *b)
{
    const vector2 *x = a, *y = b;
    if (x->length != y->length) return x->length < y->length ? -1 : 1;
    if (x->x != y->x) return x->x < y->x ? -1 : 1;
    return (x->y > y->y) - (x->y < y->y);
}

/* Moves of the first atom onto others of its height, and the vectors of the cell, by length. */
static int32_t list_candidates(const finder *f, vector2 *out)
{
    const shoal_surface_view *v = &f->surface->view;
    int32_t n = 0;
    for (int32_t j = 0; j < v->n_atoms; ++j) {
        if (fabs(v->pos[j][2] - v->pos[0][2]) > EXACT) continue;
        const double apart[2] = {v->pos[j][0] - v->pos[0][0], v->pos[j][1] - v->pos[0][1]};
        double t[2]; /* images count from the nearest one, wherever the file puts the atom */
        fractions(f, apart, t);
        for (int axis = 0; axis < 2; ++axis) t[axis] -= round(t[axis]);
        for (int image = 0; image < 25; ++image) {
            const int p = image / 5 - 2, q = image % 5 - 2;
            const double x = (t[0] + p) * v->cell[0][0] + (t[1] + q) * v->cell[1][0];
            const double y = (t[0] + p) * v->cell[0][1] + (t[1] + q) * v->cell[1][1];
            /* Of two opposite vectors one is enough. */
            if (hypot(x, y) < 0.1 || y < -EXACT || (fabs(y) <= EXACT && x < 0)) continue;
            out[n++] = (vector2){x, y, hypot(x, y)};
        }
    }
    qsort(out, (size_t)n, sizeof *out, compare_length);
    return n;
}

/* The two shortest periods that are not parallel span the lattice of all periods. Their exact
 * values follow from the cell, of which they are fractions. */
static void settle(const shoal_surface_view *v, const vector2 t[2], double cell[2][2],
                   int32_t *cells)
{
    const double det = t[0].x * t[1].y - t[0].y * t[1].x;
    double m[2][2]; /* the cell in units of the period */
    for (int k = 0; k < 2; ++k) {
        m[k][0] = round((v->cell[k][0] * t[1].y - v->cell[k][1] * t[1].x) / det);
        m[k][1] = round((v->cell[k][1] * t[0].x - v->cell[k][0] * t[0].y) / det);
    }
    const double count = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    for (int c = 0; c < 2; ++c) {
        cell[0][c] = (m[1][1] * v->cell[0][c] - m[0][1] * v->cell[1][c]) / count;
        cell[1][c] = (m[0][0] * v->cell[1][c] - m[1][0] * v->cell[0][c]) / count;
    }
    *cells = (int32_t)fabs(count);
}

shoal_status grid_period_find(const shoal_surface *surface, double cell[2][2], int32_t *cells)
{
    const shoal_surface_view *v = &surface->view;
    const double det = v->cell[0][0] * v->cell[1][1] - v->cell[0][1] * v->cell[1][0];
    finder f = {.surface = surface,
                .inverse = {{v->cell[1][1] / det, -v->cell[0][1] / det},
                            {-v->cell[1][0] / det, v->cell[0][0] / det}}};
    vector2 *list = shoal_alloc(25 * (size_t)v->n_atoms, sizeof *list), found[2];
    shoal_status status = list ? sort_bins(&f) : SHOAL_E_MEMORY;
    int n_found = 0;
    const int32_t n = status == SHOAL_OK ? list_candidates(&f, list) : 0;
    for (int32_t k = 0; k < n && n_found < 2; ++k) {
        const double cross =
            n_found == 1 ? found[0].x * list[k].y - found[0].y * list[k].x : INFINITY;
        if (fabs(cross) < 0.01 * list[k].length) continue;
        if (is_period(&f, list[k])) found[n_found++] = list[k];
    }
    memcpy(cell, v->cell, sizeof v->cell);
    *cells = 1;
    if (n_found == 2 && det * (found[0].x * found[1].y - found[0].y * found[1].x) < 0) {
        const vector2 first = found[0]; /* turn the same way as the cell */
        found[0] = found[1];
        found[1] = first;
    }
    if (n_found == 2) settle(v, found, cell, cells);
    free(list);
    free(f.bin_start);
    free(f.bin_atoms);
    return status;
}
