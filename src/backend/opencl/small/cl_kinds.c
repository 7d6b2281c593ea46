/* SPDX-License-Identifier: BSD-3-Clause
 * Atoms of buffered pairs packed for kernels: by kinds, with a table of pairs (pair_by_kinds of kernels/group_pairs.h). */
#include <stdlib.h>

#include "backend/opencl/small/cl_pack.h"
#include "form_numbers.h"

/* The place of an atom among the first ones of every kind; n: a new kind. Pairs follow from these numbers. */
static int32_t find_kind(const shoal_topology_view *v, const int32_t *firsts, int32_t n, int32_t i)
{
    for (int32_t k = 0; k < n; ++k) {
        const int32_t f = firsts[k];
        if (v->vdw_x[f] == v->vdw_x[i] && v->vdw_d[f] == v->vdw_d[i] &&
            v->hbonds[f] == v->hbonds[i])
            return k;
    }
    return n;
}

/* Pairs of n kinds, two in four reals. */
static bool pack_pairs(cl_pack *pack, const shoal_topology_view *v, const int32_t *firsts,
                       int32_t n)
{
    const double share = pack->options->terms_off >> SHOAL_TERM_VDW & 1 ? 0 : BUFFERED_WALL;
    for (int32_t k = 0; k < n * n; k += 2) {
        double c[4] = {0};
        for (int32_t m = 0; m < 2 && k + m < n * n; ++m) {
            const pair_numbers p =
                pair_model_numbers(v->model, v, firsts[(k + m) / n], firsts[(k + m) % n]);
            c[2 * m] = 1 / p.k;
            c[2 * m + 1] = share * p.a;
        }
        if (!cl_pack_four(pack, &pack->forms, c[0], c[1], c[2], c[3])) return false;
    }
    return true;
}

bool cl_pack_kinds(cl_pack *pack, const shoal_topology_view *v)
{
    int32_t n = 0, *kinds = calloc(2 * (size_t)v->n_atoms + 1, sizeof *kinds);
    if (!kinds) return false;
    int32_t *firsts = kinds + v->n_atoms;
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        kinds[i] = find_kind(v, firsts, n, i);
        if (kinds[i] == n) firsts[n++] = i;
    }
    bool ok = pack_pairs(pack, v, firsts, n);
    for (int32_t i = 0; i < v->n_atoms && ok; ++i) {
        double row[4];
        cl_model_row(v, pack->options, i, row);
        ok = cl_pack_four(pack, &pack->atoms, KIND_ZERO + 2 * kinds[i],
                          KIND_ZERO + 2 * n * kinds[i], row[2], 0);
    }
    free(kinds);
    return ok;
}
