/* SPDX-License-Identifier: BSD-3-Clause
 * Metals of substrates: which atoms belong to one, and parameters that were fitted to adsorption on it. */
#include "surf/metals.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "chem/element.h"
#include "ff/topology.h"
#include "geom/lattice.h"
#include "geom/vector.h"

#include "constants.h"

#define TOUCHING 0.7 /* angstrom beyond the sum of covalent radii, of neighbours in solids */
enum {
    SUPPORT = 3,     /* atoms of a metal below one that has other neighbours, too: an adsorbate */
    IMAGES = 3,      /* of a cell each way */
    MOST_BOXES = 64, /* along a direction */
};

/* Of an element, for LJ with UFF's geometric rule. */
typedef struct metal_numbers {
    int32_t z;
    double x; /* angstrom, the distance of the minimum */
    double d; /* kcal/mol, its depth */
} metal_numbers;

static const metal_numbers table[] = {
#include "metals_table.inc"
};

static const metal_numbers *find(int32_t z)
{
    for (size_t k = 0; k < sizeof table / sizeof table[0]; ++k)
        if (table[k].z == z) return &table[k];
    return NULL;
}

/* --- atoms of metals ------------------------------------------------------------------------------ */

/* Atoms in boxes no smaller than the reach of any two, so that those that touch are in the same or in
 * neighbouring boxes. */
typedef struct substrate {
    const shoal_surface_view *view;
    geom_lattice lattice;
    int32_t n[3];     /* boxes along the reduced vectors, which repeat, and along z */
    double low, high; /* of the atoms along z, angstrom */
    int32_t *start;   /* [n boxes + 1] into atoms */
    int32_t *atoms;   /* [n_atoms] by box */
} substrate;

static bool is_metal(const substrate *s, int32_t i)
{
    return element_is_metal(s->view->elements[i]);
}

static bool touch(const substrate *s, int32_t i, int32_t j)
{
    const double *a = s->view->pos[i], *b = s->view->pos[j];
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    const double reach = element_get(s->view->elements[i])->radius +
                         element_get(s->view->elements[j])->radius + TOUCHING;
    return lattice_shortest2(&s->lattice, d) <= reach * reach;
}

static void find_box(const substrate *s, int32_t i, int32_t box[3])
{
    for (int k = 0; k < 3; ++k) {
        double f = lattice_fraction(&s->lattice, s->view->pos[i], k);
        f = k < 2 ? f - floor(f) : (f - s->low) / (s->high - s->low);
        box[k] = (int32_t)fmin(f * s->n[k], s->n[k] - 1);
    }
}

static int32_t number_box(const substrate *s, const int32_t box[3])
{
    return (box[2] * s->n[1] + box[1]) * s->n[0] + box[0];
}

/* The boxes along one direction that are next to a box, itself among them, each once. */
static int32_t list_next(const substrate *s, const int32_t box[3], int k, int32_t out[3])
{
    int32_t n_out = 0;
    for (int32_t step = -1; step <= 1; ++step) {
        const int32_t at = k < 2 ? (box[k] + step + s->n[k]) % s->n[k] : box[k] + step;
        if (at < 0 || at >= s->n[k] || (n_out > 0 && at == out[0])) continue;
        if (n_out < 2 || at != out[1]) out[n_out++] = at;
    }
    return n_out;
}

/* Atoms that may touch atom i are those of boxes[0 .. n], n returned. */
static int32_t list_boxes(const substrate *s, int32_t i, int32_t boxes[27])
{
    int32_t box[3], next[3][3], n[3], n_boxes = 0;
    find_box(s, i, box);
    for (int k = 0; k < 3; ++k) n[k] = list_next(s, box, k, next[k]);
    for (int32_t c = 0; c < n[2]; ++c)
        for (int32_t b = 0; b < n[1]; ++b)
            for (int32_t a = 0; a < n[0]; ++a)
                boxes[n_boxes++] =
                    number_box(s, (const int32_t[3]){next[0][a], next[1][b], next[2][c]});
    return n_boxes;
}

/* How many boxes there are along each direction. */
static void count_boxes(substrate *s)
{
    double radius = 0;
    s->low = s->high = lattice_fraction(&s->lattice, s->view->pos[0], 2);
    for (int32_t i = 0; i < s->view->n_atoms; ++i) {
        const double z = lattice_fraction(&s->lattice, s->view->pos[i], 2);
        s->low = fmin(s->low, z);
        s->high = fmax(s->high, z);
        radius = fmax(radius, element_get(s->view->elements[i])->radius);
    }
    s->high += TOUCHING; /* a plane has a height, too */
    for (int k = 0; k < 3; ++k) {
        const double width = k < 2 ? 1 / vector_norm(s->lattice.dual[k]) : s->high - s->low;
        s->n[k] = (int32_t)fmax(1, fmin(MOST_BOXES, width / (2 * radius + TOUCHING)));
    }
}

static shoal_status fill_boxes(substrate *s)
{
    int32_t box[3];
    count_boxes(s);
    const int32_t n_boxes = s->n[0] * s->n[1] * s->n[2], n = s->view->n_atoms;
    s->start = shoal_alloc((size_t)n_boxes + 2, sizeof *s->start);
    s->atoms = shoal_alloc((size_t)n, sizeof *s->atoms);
    if (!s->start || !s->atoms) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < n; ++i) {
        find_box(s, i, box);
        ++s->start[number_box(s, box) + 2];
    }
    for (int32_t k = 1; k <= n_boxes; ++k) s->start[k + 1] += s->start[k];
    for (int32_t i = 0; i < n; ++i) {
        find_box(s, i, box);
        s->atoms[s->start[number_box(s, box) + 1]++] = i;
    }
    return SHOAL_OK;
}

/* Whether a metal atom, or one that is none, touches atom i. */
static bool has_neighbour(const substrate *s, int32_t i, bool metal)
{
    int32_t boxes[27];
    const int32_t n = list_boxes(s, i, boxes);
    for (int32_t k = 0; k < n; ++k)
        for (int32_t at = s->start[boxes[k]]; at < s->start[boxes[k] + 1]; ++at) {
            const int32_t j = s->atoms[at];
            if (j != i && is_metal(s, j) == metal && touch(s, i, j)) return true;
        }
    return false;
}

/* How many images of atom j touch atom i: those of a small cell count as the atoms of a larger one do. */
static int32_t count_touching(const substrate *s, int32_t i, int32_t j)
{
    const shoal_surface_view *v = s->view;
    const double *a = v->pos[i], *b = v->pos[j];
    const double reach =
        element_get(v->elements[i])->radius + element_get(v->elements[j])->radius + TOUCHING;
    int32_t n = 0;
    for (int p = -IMAGES; p <= IMAGES; ++p)
        for (int q = -IMAGES; q <= IMAGES; ++q) {
            const double dx = a[0] - b[0] + p * v->cell[0][0] + q * v->cell[1][0];
            const double dy = a[1] - b[1] + p * v->cell[0][1] + q * v->cell[1][1];
            const double dz = a[2] - b[2], r2 = dx * dx + dy * dy + dz * dz;
            n += r2 <= reach * reach && (i != j || p != 0 || q != 0);
        }
    return n;
}

static bool is_supported(const substrate *s, int32_t i, const bool *naked)
{
    int32_t boxes[27], n = 0;
    const int32_t n_boxes = list_boxes(s, i, boxes);
    for (int32_t k = 0; k < n_boxes && n < SUPPORT; ++k)
        for (int32_t at = s->start[boxes[k]]; at < s->start[boxes[k] + 1]; ++at) {
            const int32_t j = s->atoms[at];
            if (!naked[j] || (j != i && !touch(s, i, j))) continue;
            const int32_t images = count_touching(s, i, j);
            n += images > 0 || j == i ? images : 1; /* atoms may lie cells away */
        }
    return n >= SUPPORT;
}

/* Naked atoms of a metal first, then those on top of them. */
static shoal_status mark_mixed(const substrate *s, bool *out)
{
    const int32_t n = s->view->n_atoms;
    bool any = false, *naked = shoal_alloc((size_t)n, sizeof *naked);
    if (!naked) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < n; ++i) {
        naked[i] = is_metal(s, i) && !has_neighbour(s, i, false) &&
                   (has_neighbour(s, i, true) || count_touching(s, i, i) > 0);
        any = any || naked[i];
    }
    for (int32_t i = 0; i < n; ++i)
        out[i] = naked[i] || (any && is_metal(s, i) && is_supported(s, i, naked));
    free(naked);
    return SHOAL_OK;
}

static shoal_status mark(const shoal_surface_view *v, bool *out)
{
    substrate s = {.view = v};
    const double cell[3][3] = {{v->cell[0][0], v->cell[0][1]}, {v->cell[1][0], v->cell[1][1]}};
    const bool pbc[3] = {true, true, false};
    int32_t n_metal = 0;
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        out[i] = is_metal(&s, i);
        n_metal += out[i];
    }
    if (n_metal == 0 || n_metal == v->n_atoms) return SHOAL_OK;
    if (!lattice_init_reduced(&s.lattice, cell, pbc))
        return shoal_fail(SHOAL_E_ARGUMENT, "surface: the cell vectors a and b span no area");
    shoal_status status = fill_boxes(&s);
    if (status == SHOAL_OK) status = mark_mixed(&s, out);
    free(s.start);
    free(s.atoms);
    return status;
}

/* --- their numbers -------------------------------------------------------------------------------- */

shoal_status metals_replace(const shoal_surface_view *v, double *radius, double *depth)
{
    bool *metal = shoal_alloc((size_t)v->n_atoms, sizeof *metal);
    shoal_status status = metal ? mark(v, metal) : SHOAL_E_MEMORY;
    for (int32_t i = 0; i < v->n_atoms && status == SHOAL_OK; ++i) {
        const metal_numbers *m = metal[i] ? find(v->elements[i]) : NULL;
        if (!m) continue;
        radius[i] = 0.5 * m->x;
        depth[i] = KCAL_EV * m->d;
    }
    free(metal);
    return status;
}

static bool is_fitted(const shoal_surface_view *v, int32_t i)
{
    const metal_numbers *m = find(v->elements[i]);
    return m && v->radius[i] == 0.5 * m->x && v->depth[i] == KCAL_EV * m->d;
}

double metals_size(const shoal_surface_view *v, int32_t i)
{
    int32_t n;
    return is_fitted(v, i) ? fmax(v->radius[i], 0.5 * uff_types_of(v->elements[i], &n)->x1)
                           : v->radius[i];
}

static bool is_uff(const shoal_surface_view *v, int32_t i)
{
    int32_t n;
    const uff_type *type = uff_types_of(v->elements[i], &n);
    return type && v->radius[i] == 0.5 * type->x1 && v->depth[i] == KCAL_EV * type->d1;
}

shoal_status metals_name(const shoal_surface_view *v, const char **out)
{
    bool fitted = false, uff = false, *metal = shoal_alloc((size_t)v->n_atoms, sizeof *metal);
    const shoal_status status = metal ? mark(v, metal) : SHOAL_E_MEMORY;
    for (int32_t i = 0; i < v->n_atoms && status == SHOAL_OK; ++i) {
        fitted = fitted || (metal[i] && is_fitted(v, i));
        uff = uff || (metal[i] && is_uff(v, i));
    }
    free(metal);
    *out = !fitted ? (uff ? "uff" : "") : uff ? "adsorption, uff" : "adsorption";
    return status;
}
