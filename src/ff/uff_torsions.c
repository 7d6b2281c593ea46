/* SPDX-License-Identifier: BSD-3-Clause
 * Torsion and inversion terms. Rappe et al., J. Am. Chem. Soc. 114 (1992) 10024, equations 15-19. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "chem/element.h"
#include "ff/builder.h"

#include "constants.h"

typedef struct barrier {
    double v; /* kcal/mol, of the whole bond */
    int32_t n;
    double d; /* cos(n phi0) */
} barrier;

/* Equation 17: a pi bond of the given order. */
static double pi_barrier(const uff_type *j, const uff_type *k, double order)
{
    const double root = 5 * sqrt(j->uj * k->uj);
    return order == 1 ? root : root * (1 + 4.18 * log(order));
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

/* Barriers about one bond. In RDKit's propene rule they depend on the ends, too. */
typedef struct bond_barriers {
    barrier plain;
    barrier with_sp2_end; /* of torsions that end in an sp2 atom */
} bond_barriers;

static bond_barriers same_for_all(barrier v)
{
    return (bond_barriers){v, v};
}

/* One sp3 and one sp2 centre. The dialects differ in who counts as the other sp2 atom of the propene rule and
 * in what comes first. */
static bond_barriers sp3_sp2(const uff_builder *b, const shoal_bond *jk, int32_t bond)
{
    const bool j_sp3 = b->hyb[jk->i] == HYB_SP3;
    const int32_t sp3 = j_sp3 ? jk->i : jk->j, sp2 = j_sp3 ? jk->j : jk->i;
    const double order = b->order[bond];
    const bool group_16 = is_group_16(b->mol->element[sp3]);
    const bool lone_pair = group_16 && !is_group_16(b->mol->element[sp2]);
    const barrier pi = {pi_barrier(b->types[jk->i], b->types[jk->j], order), 2, -1};
    const barrier threefold = {2, 3, -1}, sixfold = {1, 6, 1};
    if (b->options->dialect == SHOAL_DIALECT_RDKIT) {
        if (order != 1) return same_for_all(sixfold);
        return lone_pair ? same_for_all(pi) : (bond_barriers){sixfold, threefold};
    }
    const bool propene = has_sp2_partner(b, sp2, bond);
    if (b->options->dialect == SHOAL_DIALECT_FIRECORE)
        return same_for_all(propene ? threefold : group_16 ? pi : sixfold);
    return same_for_all(lone_pair ? pi : propene ? threefold : sixfold);
}

static bond_barriers find_barriers(const uff_builder *b, const shoal_bond *jk, int32_t bond)
{
    const uff_type *tj = b->types[jk->i], *tk = b->types[jk->j];
    const bool j_sp3 = b->hyb[jk->i] == HYB_SP3, k_sp3 = b->hyb[jk->j] == HYB_SP3;
    if (j_sp3 && k_sp3) return same_for_all(sp3_sp3(tj, tk, b->order[bond]));
    if (!j_sp3 && !k_sp3) return same_for_all((barrier){pi_barrier(tj, tk, b->order[bond]), 2, 1});
    return sp3_sp2(b, jk, bond);
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
    if (is_uff4mof(b) &&
        (element_is_metal(b->mol->element[bond->i]) || element_is_metal(b->mol->element[bond->j])))
        return false;
    return b->options->dialect == SHOAL_DIALECT_RDKIT ||
           (is_main_group(b->mol->element[bond->i]) && is_main_group(b->mol->element[bond->j]));
}

/* Whether the end atoms i and l of a path i-j-k-l are one and the same, in a ring of three, or an end is the
 * centre at the other side. */
static bool turns_back(const graph_end *ei, const graph_end *el, const shoal_bond *jk)
{
    if (el->atom != jk->i && el->atom != ei->atom) return false;
    int32_t shift[3];
    for (int c = 0; c < 3; ++c) shift[c] = jk->shift[c] + el->shift[c];
    if (el->atom == jk->i && !shift[0] && !shift[1] && !shift[2]) return true;
    return el->atom == ei->atom && memcmp(ei->shift, shift, sizeof shift) == 0;
}

/* Images of a torsion's atoms, that of j at home. */
static void set_shifts(shoal_term *t, const graph_end *ei, const shoal_bond *jk,
                       const graph_end *el)
{
    memcpy(t->shifts[0], ei->shift, sizeof ei->shift);
    memcpy(t->shifts[2], jk->shift, sizeof jk->shift);
    for (int c = 0; c < 3; ++c) t->shifts[3][c] = jk->shift[c] + el->shift[c];
}

/* Appends the torsions about one bond that have a barrier, with all of it; returns how many there are with
 * and without. */
static int32_t add_about_bond(const uff_builder *b, int32_t bond, const bond_barriers *barriers)
{
    const graph *g = b->g;
    const shoal_bond *jk = &b->mol->bonds[bond];
    int32_t n = 0;
    for (int32_t e = g->start[jk->i]; e < g->start[jk->i + 1]; ++e) {
        const graph_end *ei = &g->ends[e];
        if (ei->bond == bond && memcmp(ei->shift, jk->shift, sizeof jk->shift) == 0) continue;
        const bool sp2 = b->hyb[ei->atom] == HYB_SP2;
        for (int32_t f = g->start[jk->j]; f < g->start[jk->j + 1]; ++f) {
            const graph_end *el = &g->ends[f];
            if (turns_back(ei, el, jk)) continue;
            const barrier *v =
                sp2 || b->hyb[el->atom] == HYB_SP2 ? &barriers->with_sp2_end : &barriers->plain;
            ++n;
            if (v->v == 0) continue;
            shoal_term *t = builder_next(b->out, SHOAL_KIND_TORSION);
            t->atoms[0] = ei->atom;
            t->atoms[1] = jk->i;
            t->atoms[2] = jk->j;
            t->atoms[3] = el->atom;
            if (b->shifted) set_shifts(t, ei, jk, el);
            t->p[SHOAL_TORSION_V] = v->v;
            t->p[SHOAL_TORSION_D] = v->d;
            t->p[SHOAL_TORSION_N] = v->n;
        }
    }
    return n;
}

int32_t uff_most_torsions(const uff_builder *b, const shoal_bond *bond)
{
    if (!has_torsions(b, bond)) return 0;
    return (graph_degree(b->g, bond->i) - 1) * (graph_degree(b->g, bond->j) - 1);
}

void uff_build_torsions(uff_builder *b)
{
    shoal_topology_builder *out = b->out;
    for (int32_t k = 0; k < b->mol->n_bonds; ++k) {
        const shoal_bond *bond = &b->mol->bonds[k];
        if (!has_torsions(b, bond)) continue;
        const bond_barriers barriers = find_barriers(b, bond, k);
        if (barriers.plain.v == 0 && barriers.with_sp2_end.v == 0) continue;
        const int32_t first = out->n_terms;
        int32_t shares = add_about_bond(b, k, &barriers);
        if (b->options->dialect == SHOAL_DIALECT_FIRECORE) shares = uff_most_torsions(b, bond);
        /* The barrier of a bond is shared by its torsions. */
        for (int32_t t = first; t < out->n_terms; ++t)
            out->terms[t].p[SHOAL_TORSION_V] *= KCAL_EV / 2 / shares;
    }
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
    const double cosine = cos(degrees * DEGREE);
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

void uff_build_inversions(uff_builder *b)
{
    const graph *g = b->g;
    for (int32_t j = 0; j < g->n_atoms; ++j) {
        inversion v;
        if (!find_inversion(b, j, &v)) continue;
        for (int32_t turn = 0; turn < 3; ++turn) {
            const graph_end *ends = &g->ends[g->start[j]];
            const graph_end *i = &ends[(turn + 1) % 3], *k = &ends[(turn + 2) % 3],
                            *l = &ends[turn];
            shoal_term *t = builder_next(b->out, SHOAL_KIND_INVERSION);
            const int32_t atoms[4] = {i->atom, j, k->atom, l->atom};
            memcpy(t->atoms, atoms, sizeof atoms);
            if (b->shifted) {
                memcpy(t->shifts[0], i->shift, sizeof t->shifts[0]);
                memcpy(t->shifts[2], k->shift, sizeof t->shifts[2]);
                memcpy(t->shifts[3], l->shift, sizeof t->shifts[3]);
            }
            t->p[SHOAL_INVERSION_K] = KCAL_EV * v.k / 3;
            memcpy(t->p + SHOAL_INVERSION_C0, v.c, sizeof v.c);
        }
    }
}
