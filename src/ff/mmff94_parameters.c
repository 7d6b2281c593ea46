/* SPDX-License-Identifier: BSD-3-Clause
 * Classes and constants of MMFF94's bonded terms, by its tables and the steps down to more general types (T. A. Halgren,
 * J. Comput. Chem. 17 (1996) 490-641). */
#include <math.h>
#include <string.h>

#include "ff/mmff94_rules.h"

/* Types that stand for this one, step by step: itself, then levels 3, 4 and 5. */
enum { N_LEVELS = 4 };
static int32_t level_of(int32_t type, int level)
{
    return level == 0 ? type : mmff94_type_get(type)->level[level - 1];
}

static void swap(int32_t *x, int32_t *y)
{
    const int32_t z = *x;
    *x = *y;
    *y = z;
}

int32_t mmff94_bond_class(const mmff94 *m, int32_t bond)
{
    const shoal_bond *b = &m->mol->bonds[bond];
    const mmff94_type *i = mmff94_type_get(m->type[b->i]), *j = mmff94_type_get(m->type[b->j]);
    if (mmff94_order(m, bond) != MMFF94_SINGLE) return 0;
    return (i->sbmb && j->sbmb) || (i->arom && j->arom);
}

bool mmff94_bond_of(const mmff94 *m, int32_t bond, mmff94_bond *out)
{
    const shoal_bond *b = &m->mol->bonds[bond];
    int32_t i = m->type[b->i], j = m->type[b->j];
    if (i > j) swap(&i, &j);
    out->class = mmff94_bond_class(m, bond);
    const double *row = mmff94_row(MMFF94_BONDS, 10000 * out->class + 100 * i + j);
    if (!row) return mmff94_bond_by_rule(m, b, out);
    out->k = row[0];
    out->r0 = row[1];
    return true;
}

static bool is_same(const shoal_image *x, const shoal_image *y)
{
    return x->atom == y->atom && memcmp(x->shift, y->shift, sizeof x->shift) == 0;
}

static shoal_image behind(const shoal_image *from, const graph_end *end)
{
    shoal_image x = {.atom = end->atom};
    for (int c = 0; c < 3; ++c) x.shift[c] = from->shift[c] + end->shift[c];
    return x;
}

static bool are_joined(const mmff94 *m, const shoal_image *x, const shoal_image *y)
{
    MMFF94_ENDS(m, x->atom, end)
    {
        const shoal_image next = behind(x, end);
        if (is_same(&next, y)) return true;
    }
    return false;
}

/* Whether two atoms have a common neighbour besides these two. */
static bool are_bridged(const mmff94 *m, const shoal_image *x, const shoal_image *y,
                        const shoal_image *but, const shoal_image *nor)
{
    MMFF94_ENDS(m, x->atom, end)
    {
        const shoal_image next = behind(x, end);
        if (!is_same(&next, but) && !is_same(&next, nor) && are_joined(m, &next, y)) return true;
    }
    return false;
}

/* 3 or 4 for an angle in such a ring, else 0. */
static int32_t ring_of_angle(const mmff94 *m, int32_t centre, const graph_end *a,
                             const graph_end *b)
{
    const shoal_image j = {.atom = centre}, i = behind(&j, a), k = behind(&j, b);
    if (are_joined(m, &i, &k)) return 3;
    return are_bridged(m, &i, &k, &j, &j) ? 4 : 0;
}

static int32_t class_of_angle(int32_t sum, int32_t ring)
{
    if (ring == 0) return sum;
    return sum == 0 ? ring : ring + sum + ring - 2;
}

bool mmff94_angle_of(const mmff94 *m, int32_t centre, const graph_end *a, const graph_end *b,
                     mmff94_angle *out)
{
    mmff94_bond ij, jk;
    const double *row = NULL;
    if (!mmff94_bond_of(m, a->bond, &ij) || !mmff94_bond_of(m, b->bond, &jk)) return false;
    out->ring = ring_of_angle(m, centre, a, b);
    out->class = class_of_angle(ij.class + jk.class, out->ring);
    for (int level = 0; level < N_LEVELS && !row; ++level) {
        int32_t i = level_of(m->type[a->atom], level), k = level_of(m->type[b->atom], level);
        if (i > k) swap(&i, &k);
        row =
            mmff94_row(MMFF94_ANGLES, 1000000 * out->class + 10000 * i + 100 * m->type[centre] + k);
    }
    const mmff94_type *type = mmff94_type_get(m->type[centre]);
    out->linear = type->lin != 0;
    out->theta0 = row ? row[1] : mmff94_rest_angle(type, out->ring);
    out->ka = row ? row[0] : 0;
    if (out->ka == 0)
        out->ka = mmff94_angle_constant(mmff94_z(m, a->atom), type->z, mmff94_z(m, b->atom), ij.r0,
                                        jk.r0, out);
    return true;
}

/* By the class of the angle and that of its first bond. */
static int32_t class_of_stretch_bend(int32_t angle, int32_t first)
{
    switch (angle) {
    case 1: return first ? 1 : 2;
    case 2: return 3;
    case 3: return 5;
    case 4: return 4;
    case 5: return first ? 6 : 7;
    case 6: return 8;
    case 7: return first ? 9 : 10;
    case 8: return 11;
    default: return 0;
    }
}

static int32_t row_of(int32_t z)
{
    return z <= 2 ? 0 : z <= 10 ? 1 : z <= 18 ? 2 : z <= 36 ? 3 : 4;
}

/* The end with the lower type goes first; of equal types the one with the bond of class 1. */
void mmff94_stretch_bend_of(const mmff94 *m, int32_t centre, const graph_end *a, const graph_end *b,
                            const mmff94_angle *angle, mmff94_stretch_bend *out)
{
    int32_t i = m->type[a->atom], k = m->type[b->atom];
    int32_t first = mmff94_bond_class(m, a->bond), last = mmff94_bond_class(m, b->bond);
    bool turned = i > k || (i == k && first < last);
    if (turned) {
        swap(&i, &k);
        swap(&first, &last);
    }
    out->class = class_of_stretch_bend(angle->class, first);
    const double *row = mmff94_row(MMFF94_STRETCH_BENDS,
                                   1000000 * out->class + 10000 * i + 100 * m->type[centre] + k);
    if (!row) {
        int32_t ri = row_of(mmff94_z(m, a->atom)), rk = row_of(mmff94_z(m, b->atom));
        turned = ri > rk;
        if (turned) swap(&ri, &rk);
        row = mmff94_row(MMFF94_STRETCH_BEND_RULES,
                         10000 * ri + 100 * row_of(mmff94_z(m, centre)) + rk);
    }
    out->kijk = row ? row[turned] : 0;
    out->kkji = row ? row[!turned] : 0;
}

static void sort3(int32_t x[3])
{
    if (x[0] > x[1]) swap(&x[0], &x[1]);
    if (x[1] > x[2]) swap(&x[1], &x[2]);
    if (x[0] > x[1]) swap(&x[0], &x[1]);
}

double mmff94_out_of_plane(const mmff94 *m, int32_t centre, bool is_s)
{
    const graph_end *ends = &m->g->ends[m->g->start[centre]];
    for (int level = 0; level < N_LEVELS; ++level) {
        int32_t x[3];
        for (int c = 0; c < 3; ++c) x[c] = level_of(m->type[ends[c].atom], level);
        sort3(x);
        const double *row = mmff94_row(
            MMFF94_OUT_OF_PLANE, 1000000 * x[0] + 10000 * m->type[centre] + 100 * x[1] + x[2]);
        if (row) return row[is_s];
    }
    return 0;
}

/* 4 or 5 for a torsion in such a ring, else 0. Two fused rings of three are no ring of four. */
static int32_t ring_of_torsion(const mmff94 *m, const mmff94_chain *c)
{
    const shoal_image j = {.atom = c->j}, i = behind(&j, c->a), k = behind(&j, c->jk);
    const shoal_image l = behind(&k, c->b);
    if (are_joined(m, &i, &l)) return are_joined(m, &i, &k) || are_joined(m, &j, &l) ? 0 : 4;
    return are_bridged(m, &i, &l, &j, &k) ? 5 : 0;
}

enum { TORSION_STEPS = 4 };

/* *step: how far down the row was found. */
static const double *torsion_row(const mmff94 *m, const mmff94_chain *c, int32_t class, bool is_s,
                                 int *step_out)
{
    static const int levels[TORSION_STEPS][2] = {{0, 0}, {1, 3}, {3, 1}, {3, 3}};
    for (int step = 0; step < TORSION_STEPS; ++step) {
        int32_t i = level_of(m->type[c->a->atom], levels[step][0]), j = m->type[c->j];
        int32_t l = level_of(m->type[c->b->atom], levels[step][1]), k = m->type[c->jk->atom];
        if (j > k || (j == k && i > l)) {
            swap(&i, &l);
            swap(&j, &k);
        }
        const double *row = mmff94_row(is_s ? MMFF94S_TORSIONS : MMFF94_TORSIONS,
                                       100000000 * class + 1000000 * i + 10000 * j + 100 * k + l);
        *step_out = step;
        if (row) return row;
    }
    return NULL;
}

/* Class 5 wants an sp3 carbon in the ring. Where a class has no row, another one serves: of a ring that without it, else
 * 0; so it does where that of a ring of five has only the row for any ends. (The publications do not say so, and the
 * validation suite wants it.) */
void mmff94_torsion_of(const mmff94 *m, const mmff94_chain *c, bool is_s, mmff94_torsion *out)
{
    const int32_t central = c->jk->bond, jk = mmff94_bond_class(m, central);
    const bool beside =
        mmff94_bond_class(m, c->a->bond) == 1 || mmff94_bond_class(m, c->b->bond) == 1;
    const int32_t plain = jk == 0 && beside && mmff94_order(m, central) == MMFF94_SINGLE ? 2 : jk;
    const int32_t ring = ring_of_torsion(m, c);
    const bool alkyl = m->type[c->a->atom] == 1 || m->type[c->j] == 1 ||
                       m->type[c->jk->atom] == 1 || m->type[c->b->atom] == 1;
    const bool ringed = ring == 4 || (ring == 5 && alkyl);
    const int32_t second = ringed ? plain : 0;
    int step, other_step;
    out->class = ringed ? ring : plain;
    const double *row = torsion_row(m, c, out->class, is_s, &step);
    if (!row || (out->class == 5 && step == TORSION_STEPS - 1 && second != 0)) {
        const double *other = torsion_row(m, c, second, is_s, &other_step);
        if (other || !row) out->class = second;
        if (other) row = other;
    }
    if (row)
        memcpy(out->v, row, sizeof out->v);
    else
        mmff94_torsion_by_rule(m, c->j, c->jk, out->v);
}
