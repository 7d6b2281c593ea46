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
static bool is_triple(const shoal_inversion_term *t)
{
    for (int k = 1; k < 3; ++k)
        if (t[k].j != t[0].j || t[k].force_k != t[0].force_k ||
            memcmp(t[k].c, t[0].c, sizeof t[0].c) != 0)
            return false;
    return t[1].i == t[0].k && t[1].k == t[0].l && t[1].l == t[0].i && t[2].i == t[0].l &&
           t[2].k == t[0].i && t[2].l == t[0].k;
}

static bool pack_inversion(cl_pack *pack, const shoal_inversion_term *t)
{
    const int32_t form = cl_pack_form(pack, t->c), atoms[4] = {t->i, t->j, t->k, t->l};
    cl_word4 w[2] = {{{(uint32_t)t->i, (uint32_t)t->j, (uint32_t)t->k, (uint32_t)t->l}},
                     {{(uint32_t)form, 0, (uint32_t)pack->slots.n, 0}}};
    if (form < 0 || !cl_pack_word(pack, t->force_k, &w[1].v[1])) return false;
    cl_word4 *p = cl_array_append(&pack->inversions, 2);
    if (!p || !cl_pack_slots(pack, atoms, 4)) return false;
    memcpy(p, w, sizeof w);
    return true;
}

/* Finds the centres, of[atom] = index or -1, and packs the inversions of others. */
static bool find_centres(cl_pack *pack, const shoal_topology_view *v, planar_centre *list,
                         int32_t *n, int32_t *of)
{
    *n = 0;
    for (int32_t i = 0; i < v->n_atoms; ++i) of[i] = -1;
    for (int32_t k = 0; k < v->n_inversions; ++k) {
        const shoal_inversion_term *t = &v->inversions[k];
        if (k + 3 > v->n_inversions || !is_triple(t) || of[t->j] >= 0) {
            if (!pack_inversion(pack, t)) return false;
            continue;
        }
        of[t->j] = *n;
        list[(*n)++] = (planar_centre){.inversion = k,
                                       .arms = {t->i, t->k, t->l},
                                       .bonds = {-1, -1, -1},
                                       .angles = {-1, -1, -1}};
        k += 2;
    }
    return true;
}

static int32_t find_arm(const planar_centre *c, int32_t atom)
{
    for (int32_t a = 0; a < 3; ++a)
        if (c->arms[a] == atom) return a;
    return -1;
}

/* Gives a centre a bond or an angle that is between its atoms, if it has none yet. */
static bool take(int32_t *place, int32_t term)
{
    if (*place >= 0) return false;
    *place = term;
    return true;
}

static void take_terms(cl_pack *pack, const shoal_topology_view *v, planar_centre *list,
                       const int32_t *of)
{
    for (int32_t k = 0; k < v->n_bonds; ++k)
        for (int end = 0; end < 2 && !pack->bond_taken[k]; ++end) {
            const int32_t centre = of[end ? v->bonds[k].j : v->bonds[k].i];
            if (centre < 0) continue;
            const int32_t a = find_arm(&list[centre], end ? v->bonds[k].i : v->bonds[k].j);
            pack->bond_taken[k] = a >= 0 && take(&list[centre].bonds[a], k);
        }
    for (int32_t k = 0; k < v->n_angles; ++k) {
        const shoal_angle_term *t = &v->angles[k];
        if (of[t->j] < 0) continue;
        planar_centre *c = &list[of[t->j]];
        const int32_t a = find_arm(c, t->i), b = find_arm(c, t->k);
        /* 01, 02, 12 by the sum of the arms */
        pack->angle_taken[k] = a >= 0 && b >= 0 && a != b && take(&c->angles[a + b - 1], k);
    }
}

static bool pack_arm_bond(cl_pack *pack, const shoal_topology_view *v, int32_t bond, uint32_t *to)
{
    return cl_pack_word(pack, bond < 0 ? 0 : v->bonds[bond].k, to) &&
           cl_pack_word(pack, bond < 0 ? 0 : v->bonds[bond].r0, to + 1);
}

static bool pack_centre(cl_pack *pack, const shoal_topology_view *v, const planar_centre *c,
                        cl_word4 w[CENTRE_WORDS])
{
    const shoal_inversion_term *t = &v->inversions[c->inversion];
    const int32_t form = cl_pack_form(pack, t->c), atoms[4] = {t->i, t->j, t->k, t->l};
    double constant = 0;
    memset(w, 0, CENTRE_WORDS * sizeof *w);
    w[0] = (cl_word4){
        {cl_pack_atoms2(t->i, t->j), cl_pack_atoms2(t->k, t->l), (uint32_t)pack->slots.n, 0}};
    w[1].v[0] = (uint32_t)form;
    if (form < 0 || !cl_pack_slots(pack, atoms, 4) || !cl_pack_word(pack, t->force_k, &w[1].v[1]) ||
        !pack_arm_bond(pack, v, c->bonds[0], &w[1].v[2]) ||
        !pack_arm_bond(pack, v, c->bonds[1], &w[2].v[0]) ||
        !pack_arm_bond(pack, v, c->bonds[2], &w[2].v[2]))
        return false;
    for (int a = 0; a < 3; ++a) {
        const shoal_angle_term none = {0};
        double p[5];
        cl_pack_powers(c->angles[a] < 0 ? &none : &v->angles[c->angles[a]], p);
        constant += p[0];
        for (int k = 0; k < 4; ++k)
            if (!cl_pack_word(pack, p[k + 1], &w[3 + a].v[k])) return false;
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
    planar_centre *list = malloc(((size_t)view->n_inversions + 1) * sizeof *list);
    int32_t *of = malloc(((size_t)view->n_atoms + 1) * sizeof *of);
    bool ok = list && of && find_centres(pack, view, list, &n, of);
    if (ok) take_terms(pack, view, list, of);
    ok = ok && pack_list(pack, view, list, n);
    free(list);
    free(of);
    return ok;
}
