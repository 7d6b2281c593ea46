/* SPDX-License-Identifier: BSD-3-Clause
 * A topology with more atoms behind its own, which have pairs with all and no bonded terms. Electron pairs and
 * directions stay behind all atoms, so that they get other numbers. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "ff/term_table.h"
#include "ff/topology.h"

/* How many atoms there are, how many more, and how many electron pairs behind them. */
typedef struct join_counts {
    size_t n, more, pairs;
} join_counts;

/* One array: atoms of the topology, the new ones, electron pairs. NULL when memory is out. */
static void *join_array(arena *memory, const void *first, const void *more, const join_counts *c,
                        size_t size)
{
    char *to = arena_alloc(memory, c->n + c->more + c->pairs, size);
    if (!to) return NULL;
    const char *from = first;
    if (from && c->n > 0) memcpy(to, from, c->n * size);
    if (more && c->more > 0) memcpy(to + c->n * size, more, c->more * size);
    if (from && c->pairs > 0)
        memcpy(to + (c->n + c->more) * size, from + c->n * size, c->pairs * size);
    return to;
}

static void *copy_array(arena *memory, const void *from, int32_t n, size_t size)
{
    return join_array(memory, from, NULL, &(join_counts){.n = (size_t)n}, size);
}

/* The number that what has this one gets. */
static int32_t renumber(const shoal_topology_view *from, const topology_atoms *more, int32_t i)
{
    return i < from->n_atoms ? i : i + more->n;
}

static const char *keep_label(arena *memory, const char *label)
{
    const size_t size = strlen(label) + 1;
    char *copy = arena_alloc_dirty(memory, size, 1);
    if (copy) memcpy(copy, label, size);
    return copy;
}

static shoal_status join_labels(shoal_topology *t, const shoal_topology_view *from,
                                const topology_atoms *more)
{
    const int32_t n = from->n_atoms, n_own = n + from->n_pairs;
    const char **types = arena_alloc(&t->memory, (size_t)(n_own + more->n), sizeof *types);
    if (!types) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < n_own + more->n; ++i) {
        const int32_t to = i < n_own ? renumber(from, more, i) : n + i - n_own;
        types[to] = keep_label(&t->memory, i < n_own ? from->types[i] : more->types[i - n_own]);
        if (!types[to]) return SHOAL_E_MEMORY;
    }
    t->view.types = types;
    return SHOAL_OK;
}

static shoal_status join_atoms(shoal_topology *t, const shoal_topology_view *from,
                               const topology_atoms *more)
{
    shoal_topology_view *v = &t->view;
    const int32_t n = from->n_atoms, m = more->n;
    const join_counts c = {(size_t)n, (size_t)m, (size_t)from->n_pairs};
    arena *a = &t->memory;
    v->elements = join_array(a, from->elements, more->elements, &c, sizeof *v->elements);
    v->masses = join_array(a, from->masses, more->masses, &c, sizeof *v->masses);
    v->vdw_x = join_array(a, from->vdw_x, more->x, &c, sizeof *v->vdw_x);
    v->vdw_d = join_array(a, from->vdw_d, more->d, &c, sizeof *v->vdw_d);
    v->charges = join_array(a, from->charges, more->q, &c, sizeof *v->charges);
    /* Those without h of their own are looked up by label, which must go on. */
    v->hbonds = from->hbonds ? join_array(a, from->hbonds, more->h, &c, sizeof *v->hbonds) : NULL;
    if (!v->elements || !v->masses || !v->vdw_x || !v->vdw_d || !v->charges ||
        (from->hbonds && !v->hbonds))
        return SHOAL_E_MEMORY;
    v->n_atoms = n + m;
    for (int32_t i = 0; i < m; ++i) v->has_charges = v->has_charges || more->q[i] != 0.0;
    return join_labels(t, from, more);
}

static shoal_status copy_terms(shoal_topology *t, const shoal_topology_view *from,
                               const topology_atoms *more)
{
    shoal_topology_view *v = &t->view;
    arena *a = &t->memory;
    shoal_term *terms = copy_array(a, from->terms, from->n_terms, sizeof *terms);
    shoal_special_pair *pairs =
        copy_array(a, from->special_pairs, from->n_special_pairs, sizeof *pairs);
    v->term_start =
        copy_array(a, from->term_start, shoal_term_kind_count() + 1, sizeof *v->term_start);
    v->direction_atoms =
        copy_array(a, from->direction_atoms, from->n_directions, sizeof *v->direction_atoms);
    v->inertias = copy_array(a, from->inertias, from->n_directions, sizeof *v->inertias);
    if (!terms || !v->term_start || !pairs || !v->direction_atoms || !v->inertias)
        return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < from->n_terms; ++k)
        for (int i = 0; i < term_shapes[terms[k].kind].n_atoms; ++i)
            terms[k].atoms[i] = renumber(from, more, terms[k].atoms[i]);
    for (int32_t k = 0; k < from->n_special_pairs; ++k) {
        pairs[k].i = renumber(from, more, pairs[k].i);
        pairs[k].j = renumber(from, more, pairs[k].j);
    }
    v->terms = terms;
    v->special_pairs = pairs;
    return SHOAL_OK;
}

/* Exclusions are those of the first atoms and of the electron pairs. Partners stay sorted. */
static shoal_status copy_exclusions(shoal_topology *t, const shoal_topology_view *from,
                                    const topology_atoms *more)
{
    arena *a = &t->memory;
    const int32_t n = from->n_atoms, n_own = n + from->n_pairs;
    const int32_t *old = from->exclude_start, n_excluded = old ? old[n_own] : 0;
    int32_t *start = arena_alloc(a, (size_t)(n_own + more->n) + 1, sizeof *start);
    shoal_image *excluded = copy_array(a, from->excluded, n_excluded, sizeof *excluded);
    if (!start || !excluded) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i <= n_own + more->n && old; ++i)
        start[i] = old[i <= n ? i : i <= n + more->n ? n : i - more->n];
    for (int32_t k = 0; k < n_excluded; ++k)
        excluded[k].atom = renumber(from, more, excluded[k].atom);
    t->view.exclude_start = start;
    t->view.excluded = excluded;
    return SHOAL_OK;
}

shoal_status topology_append(shoal_topology **out, const shoal_topology *topology,
                             const topology_atoms *more)
{
    *out = NULL;
    if (topology->view.n_sites > 0)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "atoms cannot be added behind those of a topology with sites");
    if (topology->view.table_types)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "atoms cannot be added behind those of a formula that names columns of "
                          "its table: they have no row there");
    shoal_topology *t = shoal_alloc(1, sizeof *t);
    if (!t) return SHOAL_E_MEMORY;
    *t = (shoal_topology){.references = 1,
                          .uses_positions = topology->uses_positions,
                          .model = shoal_pair_model_retain(topology->model),
                          .view = topology->view};
    memcpy(t->warning, topology->warning, sizeof t->warning);
    memcpy(t->view.pbc, more->pbc, sizeof t->view.pbc);
    shoal_status status = join_atoms(t, &topology->view, more);
    if (status == SHOAL_OK) status = copy_terms(t, &topology->view, more);
    if (status == SHOAL_OK) status = copy_exclusions(t, &topology->view, more);
    if (status != SHOAL_OK) {
        shoal_topology_destroy(t);
        return status;
    }
    topology_seal(t);
    *out = t;
    return SHOAL_OK;
}
