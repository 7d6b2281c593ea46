/* SPDX-License-Identifier: BSD-3-Clause
 * Order in a topology that was built by hand: terms by kind and group, exclusions by atom. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ff/builder.h"

/* A term among those of its kind. Terms of one group (a bond, a centre) have the same key. */
typedef struct sort_row {
    int32_t key[6]; /* kind, atoms and shift of the group */
    int32_t index;  /* where it stood */
    int32_t first;  /* where the first of its group stood */
    bool reversed;  /* a torsion the other way round */
} sort_row;

static int compare_ints(const int32_t *a, const int32_t *b, int n)
{
    for (int k = 0; k < n; ++k)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

static int compare_group(const void *a, const void *b)
{
    const sort_row *x = a, *y = b;
    const int order = compare_ints(x->key, y->key, 6);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static int compare_place(const void *a, const void *b)
{
    const sort_row *x = a, *y = b;
    if (x->key[0] != y->key[0]) return x->key[0] < y->key[0] ? -1 : 1;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* True for the direction of a bond that stands for both. */
static bool is_forward(int32_t j, int32_t k, const int32_t shift[3])
{
    static const int32_t home[3] = {0};
    return j != k ? j < k : compare_ints(shift, home, 3) > 0;
}

static sort_row row_of(const shoal_term *t, int32_t index)
{
    sort_row r = {.key = {t->kind}, .index = index};
    if (t->kind == SHOAL_KIND_TORSION) {
        r.reversed = !is_forward(t->atoms[1], t->atoms[2], t->shifts[2]);
        r.key[1] = t->atoms[r.reversed ? 2 : 1];
        r.key[2] = t->atoms[r.reversed ? 1 : 2];
        for (int c = 0; c < 3; ++c) r.key[3 + c] = r.reversed ? -t->shifts[2][c] : t->shifts[2][c];
    } else if (t->kind == SHOAL_KIND_INVERSION) {
        r.key[1] = t->atoms[1];
    } else {
        r.key[1] = index; /* a group of its own */
    }
    return r;
}

/* The same torsion from the other end. */
static void reverse(shoal_term *t)
{
    const shoal_term old = *t;
    for (int k = 0; k < 4; ++k) {
        t->atoms[k] = old.atoms[3 - k];
        memcpy(t->shifts[k], old.shifts[3 - k], sizeof t->shifts[k]);
    }
    builder_normalise(t);
}

/* All torsions of a group get the direction of its first. */
static void align_groups(shoal_term *terms, sort_row *rows, int32_t n)
{
    for (int32_t k = 0, head = 0; k < n; ++k) {
        if (compare_ints(rows[k].key, rows[head].key, 6) != 0) head = k;
        rows[k].first = rows[head].index;
        if (rows[k].reversed != rows[head].reversed) reverse(&terms[rows[k].index]);
    }
}

shoal_status builder_sort(shoal_topology_builder *b)
{
    const size_t n = (size_t)b->n_terms;
    if (b->is_grouped || n == 0) return SHOAL_OK;
    sort_row *rows = shoal_alloc(n, sizeof *rows);
    shoal_term *sorted = shoal_alloc(n, sizeof *sorted);
    if (!rows || !sorted) {
        free(rows);
        free(sorted);
        return SHOAL_E_MEMORY;
    }
    for (int32_t k = 0; k < b->n_terms; ++k) rows[k] = row_of(&b->terms[k], k);
    qsort(rows, n, sizeof *rows, compare_group);
    align_groups(b->terms, rows, b->n_terms);
    qsort(rows, n, sizeof *rows, compare_place);
    for (size_t k = 0; k < n; ++k) sorted[k] = b->terms[rows[k].index];
    free(b->terms);
    free(rows);
    b->terms = sorted;
    b->terms_capacity = b->n_terms;
    return SHOAL_OK;
}

static int compare_excluded(const void *a, const void *b)
{
    const excluded_pair *x = a, *y = b;
    if (x->i != y->i) return x->i < y->i ? -1 : 1;
    if (x->partner.atom != y->partner.atom) return x->partner.atom < y->partner.atom ? -1 : 1;
    return compare_ints(x->partner.shift, y->partner.shift, 3);
}

/* Both directions of n pairs, sorted; NULL when memory is out. */
static excluded_pair *both_ways(const excluded_pair *from, int32_t n)
{
    excluded_pair *list = shoal_alloc(2 * (size_t)n, sizeof *list);
    for (int32_t k = 0; list && k < n; ++k) {
        list[2 * k] = list[2 * k + 1] = from[k];
        list[2 * k + 1].i = from[k].partner.atom;
        list[2 * k + 1].partner.atom = from[k].i;
        for (int c = 0; c < 3; ++c) list[2 * k + 1].partner.shift[c] = -from[k].partner.shift[c];
    }
    if (list && n > 0) qsort(list, 2 * (size_t)n, sizeof *list, compare_excluded);
    return list;
}

shoal_status builder_check_pairs(const shoal_topology_builder *b)
{
    excluded_pair *named = shoal_alloc((size_t)b->n_pairs, sizeof *named);
    if (!named) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < b->n_pairs; ++k) {
        named[k] = (excluded_pair){.i = b->pairs[k].i, .partner.atom = b->pairs[k].j};
        memcpy(named[k].partner.shift, b->pairs[k].shift, sizeof b->pairs[k].shift);
    }
    excluded_pair *list = both_ways(named, b->n_pairs);
    shoal_status status = list ? SHOAL_OK : SHOAL_E_MEMORY;
    for (int32_t k = 1; status == SHOAL_OK && k < 2 * b->n_pairs; ++k)
        if (compare_excluded(&list[k - 1], &list[k]) == 0)
            status = shoal_fail(SHOAL_E_ARGUMENT, "pair %d,%d is special twice", list[k].i,
                                list[k].partner.atom);
    free(named);
    free(list);
    return status;
}

shoal_status builder_exclude(shoal_topology_builder *b)
{
    shoal_topology_view *v = &b->topology->view;
    const int32_t n = 2 * b->n_excluded;
    int32_t *start = arena_alloc(&b->topology->memory, (size_t)v->n_atoms + 1, sizeof *start);
    shoal_image *images = arena_alloc(&b->topology->memory, (size_t)n, sizeof *images);
    excluded_pair *list = both_ways(b->excluded, b->n_excluded);
    if (!start || !images || !list) {
        free(list);
        return SHOAL_E_MEMORY;
    }
    int32_t kept = 0;
    for (int32_t k = 0; k < n; ++k) {
        if (k > 0 && compare_excluded(&list[k - 1], &list[k]) == 0) continue;
        images[kept++] = list[k].partner;
        ++start[list[k].i + 1];
    }
    for (int32_t i = 0; i < v->n_atoms; ++i) start[i + 1] += start[i];
    v->exclude_start = start;
    v->excluded = images;
    free(list);
    return SHOAL_OK;
}
