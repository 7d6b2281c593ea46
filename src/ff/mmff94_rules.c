/* SPDX-License-Identifier: BSD-3-Clause
 * The empirical rules of MMFF94 (T. A. Halgren, J. Comput. Chem. 17 (1996) 616, equations 18 to 23). */
#include "ff/mmff94_rules.h"

#include <math.h>

#include "constants.h"

static bool is_first_row(int32_t z)
{
    return z >= 3 && z <= 10;
}

/* Lengths by Schomaker and Stevenson, constants scaled from those of a single bond, else by Badger's rule. What the
 * validation suite (O-H, Si-P, N-F) and the tables (N-H) print for bonds by rule, all of atoms without multiple bonds but
 * for N-H, follows to 2e-6 angstrom from the numbers here, and not from those of the publication (0.085, and 0.008 off all
 * bonds). For others it shortens radii by the order of the bond, of which nothing is printed and which RDKit leaves out:
 * so does Shoal. */
bool mmff94_bond_by_rule(const mmff94 *m, const shoal_bond *bond, mmff94_bond *out)
{
    const int32_t zi = mmff94_z(m, bond->i), zj = mmff94_z(m, bond->j);
    const bool hydrogen = zi == 1 || zj == 1;
    const bool saturated =
        !mmff94_type_get(m->type[bond->i])->mltb && !mmff94_type_get(m->type[bond->j])->mltb;
    const double c = hydrogen ? 0.05 : saturated ? 0.08 : 0.085;
    double ri, rj, xi, xj;
    if (!mmff94_element(zi, &ri, &xi) || !mmff94_element(zj, &rj, &xj)) return false;
    const double *single = mmff94_bond_rule(zi, zj), *badger = mmff94_badger(zi, zj);
    out->r0 = ri + rj - c * pow(fabs(xi - xj), 1.4);
    if (saturated && is_first_row(zi) && is_first_row(zj)) out->r0 -= 0.008;
    if (single)
        out->k = single[1] * pow(single[0] / out->r0, 6);
    else if (badger)
        out->k = pow(10, (badger[0] - out->r0) / badger[1]);
    else
        return false;
    return true;
}

double mmff94_rest_angle(const mmff94_type *t, int32_t ring)
{
    if (ring == 3) return 60;
    if (ring == 4) return 90;
    if (t->crd == 4) return 109.45;
    if (t->crd == 2) return t->z == 8 ? 105 : t->z > 10 ? 95 : t->lin ? 180 : 120;
    if (t->crd == 3 && t->val == 3 && t->mltb == 0) return t->z == 7 ? 107 : 92;
    return 120;
}

/* Z and C of table VI. */
static const double *angle_factors(int32_t z)
{
    static const struct {
        int32_t z;
        double factors[2];
    } rows[] = {{1, {1.395, 0}},      {6, {2.494, 1.016}},  {7, {2.711, 1.113}},
                {8, {3.045, 1.337}},  {9, {2.847, 0}},      {14, {2.350, 0.811}},
                {15, {2.350, 1.068}}, {16, {2.980, 1.249}}, {17, {2.909, 1.078}},
                {35, {3.017, 0}},     {53, {3.086, 0}}};
    static const double none[2];
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k)
        if (rows[k].z == z) return rows[k].factors;
    return none;
}

double mmff94_angle_constant(int32_t zi, int32_t zj, int32_t zk, double r_ij, double r_jk,
                             const mmff94_angle *angle)
{
    const double sum = r_ij + r_jk, d = (r_ij - r_jk) * (r_ij - r_jk) / (sum * sum);
    const double theta = angle->theta0 * DEGREE;
    const double beta = angle->ring == 3 ? 0.05 * 1.75 : angle->ring == 4 ? 0.85 * 1.75 : 1.75;
    return beta * angle_factors(zi)[0] * angle_factors(zj)[1] * angle_factors(zk)[0] /
           (sum * theta * theta * exp(2 * d));
}

/* U, V and W of table VIII. */
typedef struct torsion_factors {
    double u, v, w;
} torsion_factors;

static torsion_factors factors_of(int32_t z)
{
    switch (z) {
    case 6: return (torsion_factors){2, 2.12, 0};
    case 7: return (torsion_factors){2, 1.5, 0};
    case 8: return (torsion_factors){2, 0.2, 2};
    case 14: return (torsion_factors){1.25, 1.22, 0};
    case 15: return (torsion_factors){1.25, 2.4, 0};
    case 16: return (torsion_factors){1.25, 0.49, 8};
    default: return (torsion_factors){0, 0, 0};
    }
}

static bool is_unsaturated(const mmff94_type *t)
{
    if (t->crd == 3) return t->val == 4 || t->val == 34 || t->mltb;
    return t->crd == 2 && (t->val == 3 || t->mltb);
}

/* A lone pair at a that a multiple bond at b delocalises. */
static double conjugation(const mmff94_type *a, const mmff94_type *b)
{
    if (a->mltb == 1) return 0.5;
    return is_first_row(a->z) && is_first_row(b->z) ? 0.3 : 0.15;
}

/* The part of V2 / (6 sqrt(U U)) of a bond that is neither aromatic nor double, where both ends have pi electrons. */
static double single_bond_share(const mmff94_type *j, const mmff94_type *k)
{
    if (j->pilp && k->pilp) return 0;
    if (j->pilp) return conjugation(j, k);
    if (k->pilp) return conjugation(k, j);
    return (j->mltb == 1 || k->mltb == 1) && (j->z != 6 || k->z != 6) ? 0.4 : 0.15;
}

void mmff94_torsion_by_rule(const mmff94 *m, int32_t atom, const graph_end *end, double v[3])
{
    const mmff94_type *j = mmff94_type_get(m->type[atom]);
    const mmff94_type *k = mmff94_type_get(m->type[end->atom]);
    const torsion_factors fj = factors_of(j->z), fk = factors_of(k->z);
    const double u = sqrt(fj.u * fk.u), n = (j->crd - 1) * (k->crd - 1);
    const double threefold = n > 0 ? sqrt(fj.v * fk.v) / n : 0;
    const int32_t order = mmff94_order(m, end->bond);
    v[0] = v[1] = v[2] = 0;
    if (j->lin || k->lin) return;
    if (j->arom && k->arom && order == MMFF94_AROMATIC) {
        const bool mixed = (j->val == 3 && k->val == 4) || (j->val == 4 && k->val == 3);
        v[1] = (mixed ? 3 : 6) * (!j->pilp && !k->pilp ? 0.5 : 0.3) * u;
    } else if (order == MMFF94_DOUBLE) {
        v[1] = 6 * (j->mltb == 2 && k->mltb == 2 ? 1 : 0.4) * u;
    } else if (j->crd == 4 || k->crd == 4) {
        if (!is_unsaturated(j) && !is_unsaturated(k)) v[2] = threefold;
    } else if ((order == MMFF94_SINGLE && j->mltb && k->mltb) || (j->mltb && k->pilp) ||
               (j->pilp && k->mltb)) {
        v[1] = 6 * single_bond_share(j, k) * u;
    } else if ((j->z == 8 || j->z == 16) && (k->z == 8 || k->z == 16)) {
        v[1] = -sqrt(fj.w * fk.w);
    } else {
        v[2] = threefold;
    }
}
