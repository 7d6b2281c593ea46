/* SPDX-License-Identifier: BSD-3-Clause
 * 1-4 pairs with factors of their own: taken from all other pairs, and put back as special pairs. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ff/builder.h"
#include "ff/topology.h"

bool topology_has_14(const shoal_pair_model *m)
{
    return m && (m->settings.vdw_14 != 0.0 || m->settings.coulomb_14 != 0.0);
}

size_t topology_most_14(const uff_builder *b)
{
    size_t n = 0;
    for (int32_t k = 0; topology_has_14(b->options->model) && k < b->mol->n_bonds; ++k)
        n += (size_t)(graph_degree(b->g, b->mol->bonds[k].i) - 1) *
             (size_t)(graph_degree(b->g, b->mol->bonds[k].j) - 1);
    return n;
}

/* Named from its lower end, or, of an atom and its own image, from the lower one. */
static shoal_special_pair normal(int32_t i, int32_t j, const int32_t shift[3])
{
    shoal_special_pair p = {.i = i, .j = j, .shift = {shift[0], shift[1], shift[2]}};
    bool turn = j < i;
    for (int c = 0; i == j && c < 3 && !turn; ++c) {
        if (shift[c] > 0) break;
        turn = shift[c] < 0;
    }
    if (!turn) return p;
    p.i = j;
    p.j = i;
    for (int c = 0; c < 3; ++c) p.shift[c] = -shift[c];
    return p;
}

static int compare(const void *x, const void *y)
{
    const shoal_special_pair *a = x, *b = y;
    if (a->i != b->i) return a->i < b->i ? -1 : 1;
    if (a->j != b->j) return a->j < b->j ? -1 : 1;
    for (int c = 0; c < 3; ++c)
        if (a->shift[c] != b->shift[c]) return a->shift[c] < b->shift[c] ? -1 : 1;
    return 0;
}

/* Whether an end is the bond itself, seen from its first atom (way 1) or from its second one (-1). One that leads to an
 * image of its own atom stands there twice; the other of the two is the next bond of a chain. */
static bool is_along(const graph_end *end, const shoal_bond *bond, int32_t number, int way)
{
    if (end->bond != number) return false;
    for (int c = 0; c < 3; ++c)
        if (end->shift[c] != way * bond->shift[c]) return false;
    return true;
}

/* Ends of all chains of three bonds that are neither one atom nor 1-2 nor 1-3 partners; each once. */
static int32_t find_pairs(const uff_builder *b, shoal_special_pair *out)
{
    const graph *g = b->g;
    int32_t n = 0, kept = 0;
    for (int32_t k = 0; k < b->mol->n_bonds; ++k) {
        const shoal_bond *bond = &b->mol->bonds[k];
        for (int32_t s = g->start[bond->i]; s < g->start[bond->i + 1]; ++s)
            for (int32_t e = g->start[bond->j]; e < g->start[bond->j + 1]; ++e) {
                const graph_end *a = &g->ends[s], *d = &g->ends[e];
                int32_t shift[3];
                if (is_along(a, bond, k, 1) || is_along(d, bond, k, -1)) continue;
                for (int c = 0; c < 3; ++c) shift[c] = bond->shift[c] + d->shift[c] - a->shift[c];
                if (a->atom == d->atom && !shift[0] && !shift[1] && !shift[2]) continue;
                if (topology_excludes(&b->topology->view, a->atom, d->atom, shift)) continue;
                out[n++] = normal(a->atom, d->atom, shift);
            }
    }
    qsort(out, (size_t)n, sizeof *out, compare);
    for (int32_t k = 0; k < n; ++k)
        if (k == 0 || compare(&out[k], &out[k - 1]) != 0) out[kept++] = out[k];
    return kept;
}

static void add_terms(const uff_builder *b, int kind, double scale, const shoal_special_pair *pairs,
                      int32_t n)
{
    for (int32_t k = 0; k < n && scale != 0.0; ++k) {
        shoal_term *t = builder_next(b->out, kind);
        t->atoms[0] = pairs[k].i;
        t->atoms[1] = pairs[k].j;
        memcpy(t->shifts[1], pairs[k].shift, sizeof pairs[k].shift);
        t->p[SHOAL_PAIR_SCALE] = scale;
    }
}

/* Exclusions with the pairs in both directions. */
static shoal_status exclude_pairs(uff_builder *b, const shoal_special_pair *pairs, int32_t n)
{
    const shoal_topology_view *v = &b->topology->view;
    shoal_topology_builder list = {.topology = b->topology};
    const int32_t n_old = v->exclude_start[v->n_atoms];
    shoal_status status = SHOAL_RESERVE(&list.excluded, &list.excluded_capacity, n_old + n);
    for (int32_t i = 0; i < v->n_atoms && status == SHOAL_OK; ++i)
        for (int32_t e = v->exclude_start[i]; e < v->exclude_start[i + 1]; ++e)
            list.excluded[list.n_excluded++] = (excluded_pair){i, v->excluded[e]};
    for (int32_t k = 0; k < n && status == SHOAL_OK; ++k) {
        excluded_pair *x = &list.excluded[list.n_excluded++];
        *x = (excluded_pair){.i = pairs[k].i, .partner.atom = pairs[k].j};
        memcpy(x->partner.shift, pairs[k].shift, sizeof x->partner.shift);
    }
    if (status == SHOAL_OK) status = builder_exclude(&list);
    free(list.excluded);
    return status;
}

shoal_status topology_add_14(uff_builder *b)
{
    const shoal_pair_model *m = b->options->model;
    if (!topology_has_14(m)) return SHOAL_OK;
    shoal_special_pair *pairs =
        arena_alloc(&b->topology->memory, topology_most_14(b), sizeof *pairs);
    if (!pairs) return SHOAL_E_MEMORY;
    const int32_t n = find_pairs(b, pairs);
    const double vdw = 1.0 + m->settings.vdw_14, coulomb = 1.0 + m->settings.coulomb_14;
    for (int32_t k = 0; k < n; ++k) {
        pairs[k].vdw_scale = vdw;
        pairs[k].coulomb_scale = coulomb;
    }
    const bool plain = pair_model_is_plain(m);
    if (plain) add_terms(b, SHOAL_KIND_PAIR_VDW, vdw, pairs, n);
    if (m->settings.coulomb != SHOAL_COULOMB_NONE)
        add_terms(b, SHOAL_KIND_PAIR_COULOMB, coulomb, pairs, n);
    if (!plain) add_terms(b, SHOAL_KIND_PAIR_FORM, vdw, pairs, n);
    b->topology->view.special_pairs = pairs;
    b->topology->view.n_special_pairs = n;
    return exclude_pairs(b, pairs, n);
}

void topology_settle_14(shoal_topology *t)
{
    const shoal_topology_view *v = &t->view;
    int32_t n;
    shoal_term *terms = (shoal_term *)shoal_topology_terms(v, SHOAL_KIND_PAIR_FORM, &n);
    for (int32_t k = 0; k < n; ++k) {
        double *p = terms[k].p;
        const double scale = p[SHOAL_PAIR_SCALE];
        const pair_numbers x =
            pair_model_numbers(v->model, v, terms[k].atoms[0], terms[k].atoms[1]);
        p[SHOAL_FORM_FAMILY] = pair_model_family(v->model);
        p[SHOAL_FORM_A] = scale * x.a;
        p[SHOAL_FORM_B] = scale * x.b;
        p[SHOAL_FORM_K] = x.k;
        p[SHOAL_FORM_BETA] = v->model->settings.dispersion_damping;
    }
}
