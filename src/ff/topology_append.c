/* SPDX-License-Identifier: BSD-3-Clause
 * A topology with more atoms behind its own, which have pairs with all and no bonded terms. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "ff/topology.h"

/* One array: that of the topology, then that of the new atoms. NULL when memory is out. */
static void *join_array(arena *memory, const void *first, int32_t n, const void *more,
                        int32_t n_more, size_t size)
{
    char *to = arena_alloc(memory, (size_t)n + (size_t)n_more, size);
    if (!to) return NULL;
    if (first && n > 0) memcpy(to, first, (size_t)n * size);
    if (more && n_more > 0) memcpy(to + (size_t)n * size, more, (size_t)n_more * size);
    return to;
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
    const int32_t n = from->n_atoms;
    const char **types = arena_alloc(&t->memory, (size_t)(n + more->n), sizeof *types);
    if (!types) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < n + more->n; ++i) {
        types[i] = keep_label(&t->memory, i < n ? from->types[i] : more->types[i - n]);
        if (!types[i]) return SHOAL_E_MEMORY;
    }
    t->view.types = types;
    return SHOAL_OK;
}

static shoal_status join_atoms(shoal_topology *t, const shoal_topology_view *from,
                               const topology_atoms *more)
{
    shoal_topology_view *v = &t->view;
    const int32_t n = from->n_atoms, m = more->n;
    arena *a = &t->memory;
    v->elements = join_array(a, from->elements, n, more->elements, m, sizeof *v->elements);
    v->masses = join_array(a, from->masses, n, more->masses, m, sizeof *v->masses);
    v->vdw_x = join_array(a, from->vdw_x, n, more->x, m, sizeof *v->vdw_x);
    v->vdw_d = join_array(a, from->vdw_d, n, more->d, m, sizeof *v->vdw_d);
    v->charges = join_array(a, from->charges, n, more->q, m, sizeof *v->charges);
    /* Those without h of their own are looked up by label, which must go on. */
    v->hbonds = from->hbonds ? join_array(a, from->hbonds, n, more->h, m, sizeof *v->hbonds) : NULL;
    if (!v->elements || !v->masses || !v->vdw_x || !v->vdw_d || !v->charges ||
        (from->hbonds && !v->hbonds))
        return SHOAL_E_MEMORY;
    v->n_atoms = n + m;
    for (int32_t i = 0; i < m; ++i) v->has_charges = v->has_charges || more->q[i] != 0.0;
    return join_labels(t, from, more);
}

/* Terms, exclusions and special pairs are those of the first atoms. */
static shoal_status copy_terms(shoal_topology *t, const shoal_topology_view *from,
                               const topology_atoms *more)
{
    shoal_topology_view *v = &t->view;
    arena *a = &t->memory;
    const int32_t n = from->n_atoms, n_kinds = shoal_term_kind_count();
    const int32_t n_excluded = from->exclude_start ? from->exclude_start[n] : 0;
    int32_t *start = join_array(a, from->exclude_start, from->exclude_start ? n + 1 : 0, NULL,
                                more->n + (from->exclude_start ? 0 : n + 1), sizeof *start);
    v->terms = join_array(a, from->terms, from->n_terms, NULL, 0, sizeof *v->terms);
    v->term_start = join_array(a, from->term_start, n_kinds + 1, NULL, 0, sizeof *v->term_start);
    v->excluded = join_array(a, from->excluded, n_excluded, NULL, 0, sizeof *v->excluded);
    v->special_pairs = join_array(a, from->special_pairs, from->n_special_pairs, NULL, 0,
                                  sizeof *v->special_pairs);
    if (!start || !v->terms || !v->term_start || !v->excluded || !v->special_pairs)
        return SHOAL_E_MEMORY;
    for (int32_t i = n + 1; i <= n + more->n; ++i) start[i] = n_excluded;
    v->exclude_start = start;
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
    if (status != SHOAL_OK) {
        shoal_topology_destroy(t);
        return status;
    }
    topology_seal(t);
    *out = t;
    return SHOAL_OK;
}
