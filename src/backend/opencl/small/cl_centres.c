/* SPDX-License-Identifier: BSD-3-Clause
 * Planar centres: an atom with three neighbours, and all terms between them (kernels/layout.h). */
#include <stdlib.h>
#include <string.h>

#include "backend/opencl/small/cl_pack.h"

/* Indices of the terms of one centre; -1 where there is none. */
typedef struct planar_centre {
    int32_t inversion; /* first of three */
    int32_t arms[3];
    int32_t bonds[3];  /* to arm 0, 1, 2 */
    int32_t angles[3]; /* between arms 01, 02, 12 */
} planar_centre;

/* The three terms of a centre: each neighbour out of plane in turn, all else equal. */
static bool is_triple(const shoal_term *t)
{
    const int32_t *a = t[0].atoms, *b = t[1].atoms, *c = t[2].atoms;
    for (int k = 1; k < 3; ++k)
        if (t[k].atoms[1] != a[1] || memcmp(t[k].p, t[0].p, sizeof t[0].p) != 0) return false;
    return b[0] == a[2] && b[2] == a[3] && b[3] == a[0] && c[0] == a[3] && c[2] == a[0] &&
           c[3] == a[2];
}

/* Finds the centres, of[atom] = index or -1, and takes their inversions. */
static void find_centres(cl_pack *pack, const shoal_topology_view *v, planar_centre *list,
                         int32_t *n, int32_t *of)
{
    const shoal_term *inversions = terms_of(v, SHOAL_KIND_INVERSION);
    const int32_t n_inversions = cl_pack_count(pack, v, SHOAL_KIND_INVERSION);
    *n = 0;
    for (int32_t i = 0; i < v->n_atoms; ++i) of[i] = -1;
    for (int32_t k = 0; k + 3 <= n_inversions; ++k) {
        const int32_t *at = inversions[k].atoms;
        if (!is_triple(&inversions[k]) || of[at[1]] >= 0) continue;
        of[at[1]] = *n;
        list[(*n)++] = (planar_centre){.inversion = k,
                                       .arms = {at[0], at[2], at[3]},
                                       .bonds = {-1, -1, -1},
                                       .angles = {-1, -1, -1}};
        for (int c = 0; c < 3; ++c) cl_pack_take(pack, v, SHOAL_KIND_INVERSION, k + c);
        k += 2;
    }
}

static int32_t find_arm(const planar_centre *c, int32_t atom)
{
    for (int32_t a = 0; a < 3; ++a)
        if (c->arms[a] == atom) return a;
    return -1;
}

/* Gives a centre a bond or an angle that is between its atoms, if it has none yet. */
static void take(cl_pack *pack, const shoal_topology_view *v, int kind, int32_t k, int32_t *place)
{
    if (*place >= 0) return;
    *place = k;
    cl_pack_take(pack, v, kind, k);
}

static void take_terms(cl_pack *pack, const shoal_topology_view *v, planar_centre *list,
                       const int32_t *of)
{
    const shoal_term *bonds = terms_of(v, SHOAL_KIND_BOND);
    const shoal_term *angles = terms_of(v, SHOAL_KIND_ANGLE);
    for (int32_t k = 0; k < cl_pack_count(pack, v, SHOAL_KIND_BOND); ++k)
        for (int end = 0; end < 2 && !cl_pack_is_taken(pack, v, SHOAL_KIND_BOND, k); ++end) {
            const int32_t centre = of[bonds[k].atoms[end]];
            if (centre < 0) continue;
            const int32_t a = find_arm(&list[centre], bonds[k].atoms[1 - end]);
            if (a >= 0) take(pack, v, SHOAL_KIND_BOND, k, &list[centre].bonds[a]);
        }
    for (int32_t k = 0; k < cl_pack_count(pack, v, SHOAL_KIND_ANGLE); ++k) {
        const int32_t *at = angles[k].atoms;
        if (of[at[1]] < 0) continue;
        planar_centre *c = &list[of[at[1]]];
        const int32_t a = find_arm(c, at[0]), b = find_arm(c, at[2]);
        /* 01, 02, 12 by the sum of the arms */
        if (a >= 0 && b >= 0 && a != b) take(pack, v, SHOAL_KIND_ANGLE, k, &c->angles[a + b - 1]);
    }
}

static bool pack_arm_bond(cl_pack *pack, const shoal_topology_view *v, int32_t bond, uint32_t *to)
{
    const double *p = bond < 0 ? NULL : terms_of(v, SHOAL_KIND_BOND)[bond].p;
    return cl_pack_word(pack, p ? p[SHOAL_BOND_K] : 0, to) &&
           cl_pack_word(pack, p ? p[SHOAL_BOND_R0] : 0, to + 1);
}

static bool pack_centre(cl_pack *pack, const shoal_topology_view *v, const planar_centre *c,
                        cl_word4 w[CENTRE_WORDS])
{
    const shoal_term *t = &terms_of(v, SHOAL_KIND_INVERSION)[c->inversion];
    const int32_t form = cl_pack_form(pack, t->p + SHOAL_INVERSION_C0), *at = t->atoms;
    double constant = 0;
    memset(w, 0, CENTRE_WORDS * sizeof *w);
    w[0] = (cl_word4){
        {cl_pack_atoms2(at[0], at[1]), cl_pack_atoms2(at[2], at[3]), (uint32_t)pack->slots.n, 0}};
    w[1].v[0] = (uint32_t)form;
    if (form < 0 || !cl_pack_slots(pack, at, 4) ||
        !cl_pack_word(pack, t->p[SHOAL_INVERSION_K], &w[1].v[1]) ||
        !pack_arm_bond(pack, v, c->bonds[0], &w[1].v[2]) ||
        !pack_arm_bond(pack, v, c->bonds[1], &w[2].v[0]) ||
        !pack_arm_bond(pack, v, c->bonds[2], &w[2].v[2]))
        return false;
    for (int a = 0; a < 3; ++a) {
        double p[TERM_NUMBERS] = {0};
        if (c->angles[a] >= 0)
            term_numbers(&terms_of(v, SHOAL_KIND_ANGLE)[c->angles[a]], v, pack->options, p);
        constant += p[0];
        for (int k = 0; k < 4; ++k)
            if (!cl_pack_word(pack, p[k + 1], &w[3 + a].v[k])) return false;
        if (!cl_pack_guard(pack, p, &w[6].v[a])) return false;
    }
    return cl_pack_word(pack, constant, &w[0].v[3]);
}

/* Word by word of all centres, so that neighbouring work-items read neighbouring words. */
static bool pack_list(cl_pack *pack, const shoal_topology_view *v, const planar_centre *list,
                      int32_t n)
{
    const int32_t first = pack->centres.n;
    if (!cl_array_append(&pack->centres, n * CENTRE_WORDS)) return false;
    for (int32_t k = 0; k < n; ++k) {
        cl_word4 words[CENTRE_WORDS];
        if (!pack_centre(pack, v, &list[k], words)) return false;
        for (int32_t w = 0; w < CENTRE_WORDS; ++w)
            ((cl_word4 *)pack->centres.data)[first + w * n + k] = words[w];
    }
    return true;
}

bool cl_pack_centres(cl_pack *pack, const shoal_topology_view *view)
{
    int32_t n = 0;
    const size_t most = (size_t)terms_count(view, SHOAL_KIND_INVERSION);
    planar_centre *list = malloc((most + 1) * sizeof *list);
    int32_t *of = malloc(((size_t)view->n_atoms + 1) * sizeof *of);
    bool ok = list && of;
    if (ok) {
        find_centres(pack, view, list, &n, of);
        take_terms(pack, view, list, of);
        ok = pack_list(pack, view, list, n);
    }
    free(list);
    free(of);
    return ok;
}
