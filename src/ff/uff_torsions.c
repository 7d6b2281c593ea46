/* SPDX-License-Identifier: BSD-3-Clause
 * Torsion and inversion terms. Rappe et al., J. Am. Chem. Soc. 114 (1992) 10024, equations 15-19. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "ff/topology.h"

#define RADIAN 0.017453292519943295

typedef struct barrier {
    double v; /* kcal/mol, of the whole bond */
    int32_t n;
    double d; /* cos(n phi0) */
} barrier;

/* Equation 17: a pi bond of the given order. */
static double pi_barrier(const uff_type *j, const uff_type *k, double order)
{
    return 5 * sqrt(j->uj * k->uj) * (1 + 4.18 * log(order));
}

static barrier sp3_sp3(const uff_type *j, const uff_type *k, double order)
{
    if (order == 1 && is_group_16(j->z) && is_group_16(k->z)) {
        const double vj = j->z == 8 ? 2.0 : 6.8, vk = k->z == 8 ? 2.0 : 6.8;
        return (barrier){sqrt(vj * vk), 2, -1};
    }
    return (barrier){sqrt(j->vi * k->vi), 3, -1};
}

/* True if an sp2 atom has a further sp2 partner besides the bond to `other`. */
static bool has_sp2_partner(const uff_builder *b, int32_t atom, int32_t bond)
{
    for (int32_t e = b->g->start[atom]; e < b->g->start[atom + 1]; ++e)
        if (b->g->ends[e].bond != bond && b->hyb[b->g->ends[e].atom] == HYB_SP2) return true;
    return false;
}

/* One sp3 and one sp2 centre; i and l are the end atoms. The dialects differ in who counts as the
 * other sp2 atom of the propene rule and in what comes first. */
static barrier sp3_sp2(const uff_builder *b, const shoal_torsion_term *t, int32_t bond)
{
    const bool j_sp3 = b->hyb[t->j] == HYB_SP3;
    const int32_t sp3 = j_sp3 ? t->j : t->k, sp2 = j_sp3 ? t->k : t->j;
    const double order = b->order[bond];
    const bool group_16 = is_group_16(b->mol->element[sp3]);
    const bool lone_pair = group_16 && !is_group_16(b->mol->element[sp2]);
    bool propene;
    const barrier pi = {pi_barrier(b->types[t->j], b->types[t->k], order), 2, -1};
    const barrier threefold = {2, 3, -1}, sixfold = {1, 6, 1};
    switch (b->options->dialect) {
    case SHOAL_DIALECT_FIRECORE:
        return has_sp2_partner(b, sp2, bond) ? threefold : group_16 ? pi : sixfold;
    case SHOAL_DIALECT_PAPER:
        propene = has_sp2_partner(b, sp2, bond);
        return lone_pair ? pi : propene ? threefold : sixfold;
    default:
        propene = b->hyb[t->i] == HYB_SP2 || b->hyb[t->l] == HYB_SP2;
        if (order != 1) return sixfold;
        return lone_pair ? pi : propene ? threefold : sixfold;
    }
}

static barrier find_barrier(const uff_builder *b, const shoal_torsion_term *t, int32_t bond)
{
    const uff_type *tj = b->types[t->j], *tk = b->types[t->k];
    const bool j_sp3 = b->hyb[t->j] == HYB_SP3, k_sp3 = b->hyb[t->k] == HYB_SP3;
    if (j_sp3 && k_sp3) return sp3_sp3(tj, tk, b->order[bond]);
    if (!j_sp3 && !k_sp3) return (barrier){pi_barrier(tj, tk, b->order[bond]), 2, 1};
    return sp3_sp2(b, t, bond);
}

static bool is_main_group(int32_t z)
{
    return z <= 20 || (z >= 31 && z <= 38) || (z >= 49 && z <= 56) || (z >= 81 && z <= 88);
}

static bool has_torsions(const uff_builder *b, const shoal_bond *bond)
{
    const hybridization hi = b->hyb[bond->i], hj = b->hyb[bond->j];
    if (graph_degree(b->g, bond->i) < 2 || graph_degree(b->g, bond->j) < 2) return false;
    if ((hi != HYB_SP2 && hi != HYB_SP3) || (hj != HYB_SP2 && hj != HYB_SP3)) return false;
    return b->options->dialect == SHOAL_DIALECT_RDKIT ||
           (is_main_group(b->mol->element[bond->i]) && is_main_group(b->mol->element[bond->j]));
}

static bool same_image(int32_t i, const int32_t si[3], int32_t l, const int32_t sl[3])
{
    return i == l && si[0] == sl[0] && si[1] == sl[1] && si[2] == sl[2];
}

/* Appends all torsions about one bond; returns how many there are, with and without barrier. */
static int32_t add_about_bond(const uff_builder *b, int32_t bond, shoal_torsion_term *out)
{
    const graph *g = b->g;
    const shoal_bond *jk = &b->mol->bonds[bond];
    int32_t n = 0;
    for (int32_t e = g->start[jk->i]; e < g->start[jk->i + 1]; ++e) {
        const graph_end *ei = &g->ends[e];
        if (ei->bond == bond && memcmp(ei->shift, jk->shift, sizeof jk->shift) == 0) continue;
        for (int32_t f = g->start[jk->j]; f < g->start[jk->j + 1]; ++f) {
            const graph_end *el = &g->ends[f];
            shoal_torsion_term t = {.i = ei->atom, .j = jk->i, .k = jk->j, .l = el->atom};
            memcpy(t.shift_i, ei->shift, sizeof t.shift_i);
            memcpy(t.shift_k, jk->shift, sizeof t.shift_k);
            for (int c = 0; c < 3; ++c) t.shift_l[c] = jk->shift[c] + el->shift[c];
            static const int32_t home[3] = {0, 0, 0};
            if (same_image(t.l, t.shift_l, t.j, home)) continue;      /* back along the bond */
            if (same_image(t.i, t.shift_i, t.l, t.shift_l)) continue; /* ring of three */
            const barrier v = find_barrier(b, &t, bond);
            t.v = v.v;
            t.d = v.d;
            t.n = v.n;
            out[n++] = t;
        }
    }
    return n;
}

shoal_status uff_build_torsions(uff_builder *b)
{
    const shoal_molecule *mol = b->mol;
    size_t most = 0;
    for (int32_t k = 0; k < mol->n_bonds; ++k)
        if (has_torsions(b, &mol->bonds[k]))
            most += (size_t)graph_degree(b->g, mol->bonds[k].i) *
                    (size_t)graph_degree(b->g, mol->bonds[k].j);
    shoal_torsion_term *terms = arena_alloc_dirty(&b->topology->memory, most, sizeof *terms);
    if (!terms) return SHOAL_E_MEMORY;
    int32_t n = 0;
    for (int32_t k = 0; k < mol->n_bonds; ++k) {
        const shoal_bond *bond = &mol->bonds[k];
        if (!has_torsions(b, bond)) continue;
        const int32_t count = add_about_bond(b, k, terms + n);
        /* The barrier of a bond is shared by its torsions; those without one are not kept. */
        const int32_t shares =
            b->options->dialect == SHOAL_DIALECT_FIRECORE
                ? (graph_degree(b->g, bond->i) - 1) * (graph_degree(b->g, bond->j) - 1)
                : count;
        int32_t kept = n;
        for (int32_t t = n; t < n + count; ++t) {
            if (terms[t].v == 0) continue;
            terms[kept] = terms[t];
            terms[kept++].v *= KCAL_EV / 2 / shares;
        }
        n = kept;
    }
    b->topology->view.torsions = terms;
    b->topology->view.n_torsions = n;
    return SHOAL_OK;
}

typedef struct inversion {
    double k; /* kcal/mol, of the centre */
    double c[3];
} inversion;

/* Planar centres. Carbon bonded to a carbonyl oxygen is stiffer. */
static inversion planar_inversion(const uff_builder *b, int32_t j)
{
    inversion v = {6, {1, -1, 0}};
    for (int32_t e = b->g->start[j]; e < b->g->start[j + 1] && b->mol->element[j] == 6; ++e) {
        const int32_t i = b->g->ends[e].atom;
        if (b->mol->element[i] != 8 || b->hyb[i] != HYB_SP2) continue;
        if (b->options->dialect == SHOAL_DIALECT_RDKIT || b->types[i]->label[2] == '2') v.k = 50;
    }
    return v;
}

/* Pyramidal centres with the well at w0; the barrier at the plane is 22 kcal/mol. */
static inversion pyramidal_inversion(double degrees)
{
    const double cosine = cos(degrees * RADIAN);
    inversion v = {22, {0, -4 * cosine, 1}};
    v.c[0] = -(v.c[1] * cosine + v.c[2] * (2 * cosine * cosine - 1));
    v.k /= v.c[0] + v.c[1] + v.c[2];
    return v;
}

static bool find_inversion(const uff_builder *b, int32_t j, inversion *out)
{
    if (graph_degree(b->g, j) != 3) return false;
    switch (b->mol->element[j]) {
    case 6:
    case 7:
    case 8:
        if (b->hyb[j] != HYB_SP2) return false;
        *out = planar_inversion(b, j);
        return true;
    case 15: *out = pyramidal_inversion(84.4339); return true;
    case 33: *out = pyramidal_inversion(86.9735); return true;
    case 51: *out = pyramidal_inversion(87.7047); return true;
    case 83: *out = pyramidal_inversion(90.0); return true;
    default: return false;
    }
}

shoal_status uff_build_inversions(uff_builder *b)
{
    const graph *g = b->g;
    size_t most = 0;
    for (int32_t j = 0; j < g->n_atoms; ++j) most += graph_degree(g, j) == 3 ? 3 : 0;
    shoal_inversion_term *terms = arena_alloc_dirty(&b->topology->memory, most, sizeof *terms);
    if (!terms) return SHOAL_E_MEMORY;
    int32_t n = 0;
    for (int32_t j = 0; j < g->n_atoms; ++j) {
        inversion v;
        if (!find_inversion(b, j, &v)) continue;
        for (int32_t turn = 0; turn < 3; ++turn) {
            const graph_end *ends = &g->ends[g->start[j]];
            const graph_end *i = &ends[(turn + 1) % 3], *k = &ends[(turn + 2) % 3],
                            *l = &ends[turn];
            shoal_inversion_term *t = &terms[n++];
            *t = (shoal_inversion_term){.i = i->atom, .j = j, .k = k->atom, .l = l->atom};
            memcpy(t->shift_i, i->shift, sizeof t->shift_i);
            memcpy(t->shift_k, k->shift, sizeof t->shift_k);
            memcpy(t->shift_l, l->shift, sizeof t->shift_l);
            t->force_k = KCAL_EV * v.k / 3;
            memcpy(t->c, v.c, sizeof t->c);
        }
    }
    b->topology->view.inversions = terms;
    b->topology->view.n_inversions = n;
    return SHOAL_OK;
}
