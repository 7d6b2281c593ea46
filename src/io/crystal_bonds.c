/* SPDX-License-Identifier: BSD-3-Clause
 * Bonds of a crystal's list, multiplied by its symmetry. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "geom/vector.h"
#include "io/crystal.h"

/* What distances of the list and of the coordinates may differ by, angstrom. */
static const double TOLERANCE = 0.05;
enum { MOST_BONDS_PER_SITE = 16 };

static int compare_spans(shoal_span a, shoal_span b)
{
    const int order = memcmp(a.text, b.text, a.size < b.size ? a.size : b.size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* Heap sort: qsort has no place for the sites. */
static void sift(const crystal *c, int32_t *of, int32_t i, int32_t n)
{
    for (;;) {
        int32_t k = 2 * i + 1;
        if (k >= n) return;
        if (k + 1 < n && compare_spans(c->sites[of[k]].label, c->sites[of[k + 1]].label) < 0) ++k;
        if (compare_spans(c->sites[of[i]].label, c->sites[of[k]].label) >= 0) return;
        const int32_t swap = of[i];
        of[i] = of[k];
        of[k] = swap;
        i = k;
    }
}

/* False where a label stands for two sites. */
static bool sort_labels(crystal *c)
{
    const int32_t n = c->n_sites;
    for (int32_t i = 0; i < n; ++i) c->by_label[i] = i;
    for (int32_t i = n / 2 - 1; i >= 0; --i) sift(c, c->by_label, i, n);
    for (int32_t m = n - 1; m > 0; --m) {
        const int32_t swap = c->by_label[0];
        c->by_label[0] = c->by_label[m];
        c->by_label[m] = swap;
        sift(c, c->by_label, 0, m);
    }
    for (int32_t i = 1; i < n; ++i)
        if (compare_spans(c->sites[c->by_label[i - 1]].label, c->sites[c->by_label[i]].label) == 0)
            return false;
    return true;
}

static const crystal_site *find_site(const crystal *c, shoal_span label)
{
    int32_t low = 0, high = c->n_sites;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (compare_spans(c->sites[c->by_label[middle]].label, label) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low >= c->n_sites) return NULL;
    const crystal_site *s = &c->sites[c->by_label[low]];
    return compare_spans(s->label, label) == 0 ? s : NULL;
}

/* An end of a bond: "." or "3" or "3_565", of the site. False for anything else. */
static bool place_end(const crystal *c, const crystal_site *s, shoal_span code, double f[3])
{
    int32_t number = 1;
    memcpy(f, s->frac, sizeof s->frac);
    if (code.size == 0 || shoal_span_equal(code, ".") || shoal_span_equal(code, "?")) return true;
    const char *bar = memchr(code.text, '_', code.size);
    const size_t n = bar ? (size_t)(bar - code.text) : code.size;
    if (!shoal_text_int((shoal_span){code.text, n}, &number) || number < 1) return false;
    if (number > c->n_listed && number != 1) return false;
    if (c->n_listed > 0) symmetry_apply(&c->listed[number - 1], s->frac, f);
    if (!bar) return true;
    const shoal_span cells = shoal_span_after(code, n + 1);
    if (cells.size != 3) return false;
    for (int k = 0; k < 3; ++k) {
        if (!shoal_is_digit(cells.text[k])) return false;
        f[k] += cells.text[k] - '5';
    }
    return true;
}

static void between(const crystal *c, const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = (b[0] - a[0]) * c->cell[0][k] + (b[1] - a[1]) * c->cell[1][k] +
                 (b[2] - a[2]) * c->cell[2][k];
}

/* The atom of a site that is at a place, in the cell shift; -1 without one. */
static int32_t atom_at(const crystal *c, const crystal_site *s, const double f[3], int32_t shift[3])
{
    for (int32_t i = s->first; i < s->first + s->n; ++i) {
        double image[3], r[3];
        for (int k = 0; k < 3; ++k) {
            const double cells = round(f[k] - c->frac[i][k]);
            if (fabs(cells) > 1e6) return -1;
            shift[k] = (int32_t)cells;
            image[k] = c->frac[i][k] + cells;
        }
        between(c, f, image, r);
        if (vector_norm(r) < 0.2) return i;
    }
    return -1;
}

/* One way round, so that a bond that comes from both ends is known. */
static void orient(shoal_bond *b)
{
    bool turn = b->i > b->j;
    for (int k = 2; k >= 0 && b->i == b->j; --k)
        if (b->shift[k] != 0) turn = b->shift[k] < 0;
    if (!turn) return;
    const int32_t i = b->i;
    b->i = b->j;
    b->j = i;
    for (int k = 0; k < 3; ++k) b->shift[k] = -b->shift[k];
}

static int compare_bonds(const void *left, const void *right)
{
    const shoal_bond *a = left, *b = right;
    if (a->i != b->i) return a->i < b->i ? -1 : 1;
    if (a->j != b->j) return a->j < b->j ? -1 : 1;
    for (int k = 0; k < 3; ++k)
        if (a->shift[k] != b->shift[k]) return a->shift[k] < b->shift[k] ? -1 : 1;
    return a->order - b->order;
}

/* All images of one bond of the list. */
static shoal_status add_images(crystal *c, const crystal_site *const s[2], double f[2][3],
                               int32_t order, bool *good)
{
    for (int32_t o = 0; o < c->group.n && *good; ++o) {
        int32_t atom[2], shift[2][3];
        for (int k = 0; k < 2; ++k) {
            double image[3];
            symmetry_apply(&c->group.ops[o], f[k], image);
            atom[k] = atom_at(c, s[k], image, shift[k]);
            *good = *good && atom[k] >= 0;
        }
        if (!*good) break;
        shoal_bond bond = {.i = atom[0], .j = atom[1], .order = order};
        for (int k = 0; k < 3; ++k) bond.shift[k] = shift[1][k] - shift[0][k];
        *good = bond.i != bond.j || bond.shift[0] || bond.shift[1] || bond.shift[2];
        orient(&bond);
        SHOAL_TRY(SHOAL_RESERVE(&c->found, &c->found_capacity, c->n_found + 1));
        c->found[c->n_found++] = bond;
    }
    return SHOAL_OK;
}

static shoal_status refuse(char why[160], const crystal_bond *b, const char *what)
{
    char ends[2][SHOAL_QUOTE_SIZE];
    for (int k = 0; k < 2; ++k) shoal_text_quote(ends[k], b->label[k]);
    (void)snprintf(why, 160, "%.40s-%.40s: %s", ends[0], ends[1], what);
    return SHOAL_OK;
}

static shoal_status add_bond(crystal *c, const crystal_bond *b, char why[160])
{
    const crystal_site *s[2];
    double f[2][3], r[3];
    bool good = true;
    for (int k = 0; k < 2; ++k) {
        s[k] = find_site(c, b->label[k]);
        if (!s[k]) return refuse(why, b, "no such site");
        if (s[k]->dropped) return SHOAL_OK;
        if (!place_end(c, s[k], b->symmetry[k], f[k]))
            return refuse(why, b, "a code of symmetry that is none of the file's operations");
    }
    /* Without codes the nearest image is meant. */
    if (b->symmetry[0].size == 0 && b->symmetry[1].size == 0)
        for (int k = 0; k < 3; ++k) f[1][k] -= round(f[1][k] - f[0][k]);
    between(c, f[0], f[1], r);
    if (b->distance > 0 && !(fabs(vector_norm(r) - b->distance) < TOLERANCE))
        return refuse(why, b, "the coordinates have another distance than the list");
    SHOAL_TRY(add_images(c, s, f, b->order, &good));
    return good ? SHOAL_OK : refuse(why, b, "no atom where the list has one");
}

/* Bonds that come more than once; false where one has two orders. */
static bool drop_doubles(crystal *c)
{
    int32_t n = 0;
    if (c->n_found > 1) qsort(c->found, (size_t)c->n_found, sizeof *c->found, compare_bonds);
    for (int32_t k = 0; k < c->n_found; ++k) {
        const shoal_bond *last = n > 0 ? &c->found[n - 1] : NULL;
        const shoal_bond *b = &c->found[k];
        if (last && last->i == b->i && last->j == b->j &&
            memcmp(last->shift, b->shift, sizeof b->shift) == 0) {
            if (last->order != b->order) return false;
            continue;
        }
        c->found[n++] = *b;
    }
    c->n_found = n;
    return true;
}

/* An atom that no bond names, or -1. */
static int32_t find_lone(const crystal *c, int32_t n_atoms)
{
    int32_t lone = -1;
    bool *named = shoal_alloc((size_t)n_atoms, sizeof *named);
    if (!named) return 0;
    for (int32_t k = 0; k < c->n_found; ++k) named[c->found[k].i] = named[c->found[k].j] = true;
    for (int32_t i = n_atoms - 1; i >= 0; --i)
        if (!named[i]) lone = i;
    free(named);
    return lone;
}

shoal_status crystal_take_bonds(crystal *c, shoal_molecule *mol, char why[160])
{
    *why = '\0';
    if (c->n_bonds / MOST_BONDS_PER_SITE > c->n_sites) {
        (void)snprintf(why, 160, "more than %d bonds for each site", MOST_BONDS_PER_SITE);
        return SHOAL_OK;
    }
    SHOAL_TRY(SHOAL_RESERVE(&c->by_label, &c->label_capacity, c->n_sites));
    if (!sort_labels(c)) {
        (void)snprintf(why, 160, "sites share a label");
        return SHOAL_OK;
    }
    for (int32_t k = 0; k < c->n_bonds && *why == '\0'; ++k)
        SHOAL_TRY(add_bond(c, &c->bonds[k], why));
    if (*why != '\0') return SHOAL_OK;
    if (!drop_doubles(c)) {
        (void)snprintf(why, 160, "a bond with two orders");
        return SHOAL_OK;
    }
    const int32_t lone = find_lone(c, mol->n_atoms);
    if (lone >= 0) {
        (void)snprintf(why, 160, "none at atom %d, the list is not complete", lone);
        return SHOAL_OK;
    }
    return shoal_molecule_add_bonds(mol, c->n_found, c->found);
}
