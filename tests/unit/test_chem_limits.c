/* SPDX-License-Identifier: BSD-3-Clause
 * Where perception changes its mind: a geometry with one free number is taken from one side of a rule to the other, and
 * the number at which the answer changes is that of the rule. Lengths are fractions of the sum of covalent radii. */
#include <math.h>

#include "chem/element.h"
#include "chem_fixture.h"

#define CARBONS 1.52 /* angstrom, the sum of the radii of two carbon atoms */

/* An answer for one value of the free number. */
typedef int32_t answer(double x);

/* The answers at both ends, and where between them it changes. */
static void check_limit(answer *ask, double low, double high, int32_t below, int32_t above,
                        double limit)
{
    const int32_t first = ask(low), last = ask(high);
    CHECK(first == below && last == above);
    if (first != below || last != above) (void)printf("answers %d and %d\n", first, last);
    for (int k = 0; k < 30; ++k) {
        const double middle = 0.5 * (low + high);
        if (ask(middle) == below)
            low = middle;
        else
            high = middle;
    }
    CHECK_NEAR(low, limit, 1e-6);
}

/* Hydrogen atoms that bare coordinates lack; the molecule is destroyed. */
static int32_t lacking(shoal_molecule *mol)
{
    chem_perceive(mol, 0);
    const int32_t n = shoal_molecule_missing_hydrogens(mol, NULL);
    shoal_molecule_destroy(mol);
    return n;
}

/* Three carbon atoms: the first bond has a length in angstrom, the second is single; degrees between them. */
static shoal_molecule *chain(double length, double degrees)
{
    const double t = degrees * acos(-1) / 180;
    shoal_molecule *mol = chem_new();
    chem_atom(mol, "C", length, 0, 0);
    chem_atom(mol, "C", 0, 0, 0);
    chem_atom(mol, "C", 1.5 * cos(t), 1.5 * sin(t), 0);
    return mol;
}

static int32_t ask_propene(double ratio)
{
    return lacking(chain(ratio * CARBONS, 120));
}

static int32_t ask_propyne(double ratio)
{
    return lacking(chain(ratio * CARBONS, 180));
}

/* By the cosine of the supplement of the angle. */
static int32_t ask_bent_propyne(double cosine)
{
    return lacking(chain(1.2, 180 - acos(cosine) * 180 / acos(-1)));
}

/* Directions of three bonds that span a volume between 0 and 0.76. */
static void umbrella(double volume, double out[3][3])
{
    double low = 0, high = 1 / 3.0; /* cosine to the axis */
    for (int k = 0; k < 60; ++k) {
        const double h = 0.5 * (low + high);
        if (1.5 * sqrt(3) * (1 - h * h) * h < volume)
            low = h;
        else
            high = h;
    }
    for (int k = 0; k < 3; ++k) {
        const double phi = 2 * k * acos(-1) / 3, across = sqrt(1 - low * low);
        out[k][0] = across * cos(phi);
        out[k][1] = across * sin(phi);
        out[k][2] = low;
    }
}

/* Isobutene, or isobutane where the carbon atom in the middle is no longer flat. */
static int32_t ask_isobutene(double volume)
{
    double d[3][3];
    shoal_molecule *mol = chem_new();
    umbrella(volume, d);
    chem_atom(mol, "C", 0, 0, 0);
    for (int k = 0; k < 3; ++k) {
        const double r = k ? 1.52 : 1.34;
        chem_atom(mol, "C", r * d[k][0], r * d[k][1], r * d[k][2]);
    }
    return lacking(mol);
}

/* Two CF2 with a single bond: pyramids have lost hydrogen, flat ones are a diradical. */
static int32_t ask_pyramids(double volume)
{
    double d[3][3];
    shoal_molecule *mol = chem_new();
    umbrella(volume, d);
    for (int end = 1; end >= -1; end -= 2) { /* the second is the image of the first in a point */
        const double at[3] = {end < 0 ? 1.54 * d[0][0] : 0, end < 0 ? 1.54 * d[0][1] : 0,
                              end < 0 ? 1.54 * d[0][2] : 0};
        chem_atom(mol, "C", at[0], at[1], at[2]);
        for (int k = 1; k < 3; ++k)
            chem_atom(mol, "F", at[0] + end * 1.35 * d[k][0], at[1] + end * 1.35 * d[k][1],
                      at[2] + end * 1.35 * d[k][2]);
    }
    return lacking(mol);
}

/* FCCF: acetylene without its hydrogen never is as long. */
static int32_t ask_long_triple(double ratio)
{
    const double d = ratio * CARBONS;
    shoal_molecule *mol = chem_new();
    chem_atom(mol, "F", -1.3, 0, 0);
    chem_atom(mol, "C", 0, 0, 0);
    chem_atom(mol, "C", d, 0, 0);
    chem_atom(mol, "F", d + 1.3, 0, 0);
    return lacking(mol);
}

/* F2C=C=CF2, one bond of which is long. */
static int32_t ask_long_double(double ratio)
{
    const double d = ratio * CARBONS;
    shoal_molecule *mol = chem_new();
    chem_atom(mol, "C", 0, 0, 0);
    chem_atom(mol, "C", d, 0, 0);
    chem_atom(mol, "C", -1.31, 0, 0);
    for (int k = -1; k < 2; k += 2) {
        chem_atom(mol, "F", d + 0.7, 1.13 * k, 0);
        chem_atom(mol, "F", -2.01, 0, 1.13 * k);
    }
    return lacking(mol);
}

static void test_lost_hydrogen(void)
{
    check_limit(ask_propene, 0.85, 1.0, 6, 8, 0.945);
    check_limit(ask_propyne, 0.75, 0.9, 4, 6, 0.83);
    check_limit(ask_bent_propyne, 0.8, 0.95, 6, 4, 0.87);
    check_limit(ask_isobutene, 0.3, 0.76, 8, 10, 0.62);
    check_limit(ask_pyramids, 0.3, 0.76, 0, 2, 0.68);
    check_limit(ask_long_triple, 0.8, 0.9, 0, 2, 0.86);
    check_limit(ask_long_double, 0.9, 0.99, 0, 2, 0.965);
}

/* Hydroxylamines and nitro groups, from their heavy atoms: one oxygen alone has a hydrogen. */
static void test_nitrogen_and_oxygen(void)
{
    CHECK(lacking(chem_xyz("4\n\nN 0 0 0\nO 0 1.45 0\nC 1.27 -0.72 0\nC -1.27 -0.72 0\n")) == 7);
    CHECK(lacking(chem_xyz("5\n\nN 0 0 0\nO 0 1.22 0\nO -1.06 -0.61 0\nC 1.28 -0.74 0\n"
                           "C 1.9 -0.2 1.28\n")) == 5);
}

/* Half of the carbon atoms have to be pyramids that lack hydrogen: one of three is a radical. A buckled sheet has no
 * hydrogen to lose. */
static void test_whole(void)
{
    double d[3][3];
    umbrella(0.76, d);
    shoal_molecule *mol = chem_new();
    chem_atom(mol, "C", 0, 0, 0);
    chem_atom(mol, "F", 1.35 * d[0][0], 1.35 * d[0][1], 1.35 * d[0][2]);
    for (int k = 1; k < 3; ++k) {
        chem_atom(mol, "C", 1.54 * d[k][0], 1.54 * d[k][1], 1.54 * d[k][2]);
        for (int f = 0; f < 3; ++f) {
            const double sign = -1; /* the umbrella of the end, turned about a point */
            chem_atom(mol, "F", 1.54 * d[k][0] + sign * 1.35 * d[f][0] * (f != k),
                      1.54 * d[k][1] + sign * 1.35 * d[f][1] * (f != k),
                      1.54 * d[k][2] + sign * 1.35 * d[f][2] * (f != k) + 1.35 * (f == k));
        }
    }
    CHECK(lacking(mol) == 0);
    const double a = 2.54, cell[3][3] = {{2 * a, 0, 0}, {-a / 2, a * sqrt(0.75), 0}, {0, 0, 15}};
    shoal_molecule *sheet = chem_new();
    for (int k = 0; k < 2; ++k) {
        chem_atom(sheet, "C", k * a, 0, 0);
        chem_atom(sheet, "C", k * a, a / sqrt(3), 0.46);
    }
    chem_cell(sheet, cell, 2);
    CHECK(lacking(sheet) == 0);
}

/* --- double bonds of a ring of four, by the lengths of its sides ---------------------------------*/

/* Whether a and c are double, whose sides are a, b, c, d in turn; -1: neither pair is. */
static int32_t ask_ring(double a, double b, double c, double d)
{
    /* the fourth corner is as far from the third and the first as sides c and d say */
    const double px = CARBONS * a, py = CARBONS * b, e = hypot(px, py);
    const double r = CARBONS * c, s = CARBONS * d, along = (e * e + r * r - s * s) / (2 * e);
    const double off = sqrt(r * r - along * along);
    shoal_molecule *mol = chem_new();
    chem_atom(mol, "C", 0, 0, 0);
    chem_atom(mol, "C", px, 0, 0);
    chem_atom(mol, "C", px, py, 0);
    chem_atom(mol, "C", px - (along * px + off * py) / e, py - (along * py - off * px) / e, 0);
    for (int k = 0; k < 4; ++k) chem_bond(mol, k, (k + 1) % 4, SHOAL_ORDER_UNKNOWN);
    for (int k = 0; k < 4; ++k) {
        chem_atom(mol, "H", mol->pos[k][0], mol->pos[k][1], 1.1);
        chem_bond(mol, k, 4 + k, SHOAL_ORDER_SINGLE);
    }
    chem_perceive(mol, 0);
    const int32_t first = chem_order(mol, 0, 1), second = chem_order(mol, 1, 2);
    CHECK(first == chem_order(mol, 2, 3) && second == chem_order(mol, 3, 0));
    shoal_molecule_destroy(mol);
    return first == 2 && second == 1 ? 1 : first == 1 && second == 2 ? 0 : -1;
}

/* Sums of opposite sides decide, in which lengths beyond 0.7 and 1.15 hardly count. */
static void test_lengths_count(void)
{
    CHECK(ask_ring(1.02, 1.0, 1.02, 1.03) == 0 && ask_ring(1.0, 1.02, 1.03, 1.02) == 1);
    CHECK(ask_ring(1.15, 1.07, 1.0, 1.07) == 0 && ask_ring(1.30, 1.09, 1.0, 1.09) == 1);
    CHECK(ask_ring(0.60, 0.81, 0.95, 0.81) == 0 && ask_ring(0.72, 0.84, 0.95, 0.84) == 1);
    CHECK(ask_ring(1.40, 1.39, 1.2, 1.2) == 0 && ask_ring(0.59, 0.60, 0.65, 0.65) == 1);
}

/* Order of the bond of benzyne that has no hydrogen at its ends, where charges are stated: triple if it is short enough,
 * double beside two others that are shorter than the rest. */
static int32_t ask_benzyne(double ratio)
{
    const double half = 0.5 * ratio * CARBONS;
    const double pos[6][2] = {{half, 0},    {-half, 0},  {-half - 0.6, 1.15},
                              {-0.72, 2.4}, {0.72, 2.4}, {half + 0.6, 1.15}};
    shoal_molecule *mol = chem_new();
    for (int k = 0; k < 6; ++k) chem_atom(mol, "C", pos[k][0], pos[k][1], 0);
    for (int k = 0; k < 6; ++k) chem_bond(mol, k, (k + 1) % 6, SHOAL_ORDER_UNKNOWN);
    for (int k = 2; k < 6; ++k) {
        chem_atom(mol, "H", 2 * pos[k][0], 2 * pos[k][1], 0);
        chem_bond(mol, k, 4 + k, SHOAL_ORDER_SINGLE);
    }
    for (int32_t i = 0; i < 10; ++i) CHECK(shoal_molecule_set_formal_charge(mol, i, 0) == SHOAL_OK);
    chem_perceive(mol, 0);
    const int32_t order = chem_order(mol, 0, 1);
    shoal_molecule_destroy(mol);
    return order;
}

/* CH2O2 with one charge: it is on the oxygen with the longer bond if it is an anion, and with the shorter one of a
 * cation; the other oxygen has an unpaired electron. */
static void test_where_charges_are(void)
{
    for (int flipped = 0; flipped < 2; ++flipped)
        for (int32_t total = -1; total <= 1; total += 2) {
            const double r[2] = {flipped ? 1.48 : 1.36, flipped ? 1.36 : 1.48};
            shoal_molecule *mol = chem_new();
            chem_atom(mol, "C", 0, 0, 0);
            chem_atom(mol, "O", 0.8 * r[0], 0.6 * r[0], 0);
            chem_atom(mol, "O", -0.8 * r[1], 0.6 * r[1], 0);
            chem_atom(mol, "H", 0, -0.63, 0.89);
            chem_atom(mol, "H", 0, -0.63, -0.89);
            for (int32_t k = 1; k < 5; ++k) chem_bond(mol, 0, k, SHOAL_ORDER_UNKNOWN);
            chem_perceive(mol, total);
            const int32_t at = (total < 0) != flipped ? 2 : 1;
            CHECK(mol->formal_charge[at] == total && mol->formal_charge[3 - at] == 0);
            shoal_molecule_destroy(mol);
        }
}

/* --- metals --------------------------------------------------------------------------------------*/

/* Whether two iron atoms with bridges of sulfur have a bond, by the length over the sum of their radii. */
static int32_t ask_iron_sulfur(double ratio)
{
    const double half = ratio * element_get(26)->radius;
    shoal_molecule *mol = chem_new();
    chem_atom(mol, "Fe", half, 0, 0);
    chem_atom(mol, "Fe", -half, 0, 0);
    chem_atom(mol, "S", 0, sqrt(2.2 * 2.2 - half * half), 0);
    chem_atom(mol, "S", 0, -sqrt(2.2 * 2.2 - half * half), 0);
    chem_perceive(mol, 0);
    const int32_t n = mol->n_bonds;
    shoal_molecule_destroy(mol);
    return n;
}

/* Two metal atoms rather have one charge each than one of them two. */
static void test_shared_charge(void)
{
    shoal_molecule *mol = chem_drawn("Cu N C N Cu H H H H", "0?1 1?2 2?3 3?4 1?5 2?6 2?7 3?8");
    chem_perceive(mol, 2);
    CHECK(mol->formal_charge[0] == 1 && mol->formal_charge[4] == 1);
    shoal_molecule_destroy(mol);
}

static void test_metals(void)
{
    test_shared_charge();
    check_limit(ask_iron_sulfur, 0.9, 1.1, 5, 4, 1.0);
}

/* --- where hydrogen goes -------------------------------------------------------------------------*/

/* A bonded pair without charges; *h is where the hydrogen of the second atom goes. */
static shoal_molecule *hypochlorite(const char *third, const double at[3], double h[3])
{
    shoal_molecule *mol = chem_new();
    int32_t n = 0;
    chem_atom(mol, "Cl", 0, 0, 0);
    chem_atom(mol, "O", 1.7, 0, 0);
    chem_bond(mol, 0, 1, SHOAL_ORDER_SINGLE);
    if (third) chem_atom(mol, third, at[0], at[1], at[2]);
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        CHECK(shoal_molecule_set_formal_charge(mol, i, 0) == SHOAL_OK);
    CHECK(shoal_molecule_add_hydrogens(mol, &n) == SHOAL_OK && n == 1);
    for (int c = 0; c < 3; ++c) h[c] = mol->pos[mol->n_atoms - 1][c];
    return mol;
}

/* Whether an atom of an element so far behind the usual place of a hydrogen sends it elsewhere. */
static int32_t moves_away(const char *symbol, double distance)
{
    double usual[3], now[3], at[3], r = 0;
    shoal_molecule_destroy(hypochlorite(NULL, NULL, usual));
    for (int c = 0; c < 3; ++c) r += pow(usual[c] - (c ? 0 : 1.7), 2);
    for (int c = 0; c < 3; ++c) at[c] = usual[c] + distance * (usual[c] - (c ? 0 : 1.7)) / sqrt(r);
    shoal_molecule_destroy(hypochlorite(symbol, at, now));
    return fabs(usual[0] - now[0]) + fabs(usual[1] - now[1]) + fabs(usual[2] - now[2]) > 0.1;
}

static int32_t ask_neon(double distance)
{
    return moves_away("Ne", distance);
}

static int32_t ask_hydrogen(double distance)
{
    return moves_away("H", distance);
}

/* Carboxylic acids are Z: their hydrogen is beside the carbonyl oxygen, whichever bond was named first. */
static void test_acid(void)
{
    for (int first = 0; first < 2; ++first) {
        shoal_molecule *mol = chem_xyz("4\n\nC 0 0 0\nO 0 1.2 0\nO 1.17 -0.65 0\n"
                                       "H -0.95 -0.55 0\n");
        int32_t n = 0;
        for (int k = 0; k < 2; ++k)
            chem_bond(mol, 0, k == first ? 1 : 3,
                      k == first ? SHOAL_ORDER_DOUBLE : SHOAL_ORDER_SINGLE);
        chem_bond(mol, 0, 2, SHOAL_ORDER_SINGLE);
        for (int32_t i = 0; i < 4; ++i)
            CHECK(shoal_molecule_set_formal_charge(mol, i, 0) == SHOAL_OK);
        CHECK(shoal_molecule_add_hydrogens(mol, &n) == SHOAL_OK && n == 1);
        CHECK_NEAR(mol->pos[4][2], 0, 1e-9);
        CHECK(hypot(mol->pos[4][0] - 0, mol->pos[4][1] - 1.2) < 2.4); /* 3.1 otherwise */
        shoal_molecule_destroy(mol);
    }
}

int main(void)
{
    test_lost_hydrogen();
    test_nitrogen_and_oxygen();
    test_whole();
    test_lengths_count();
    check_limit(ask_benzyne, 0.78, 0.86, 3, 2, 0.83);
    test_where_charges_are();
    test_metals();
    check_limit(ask_neon, 1.9, 2.4, 1, 0, 2.15);
    check_limit(ask_hydrogen, 1.5, 2.0, 1, 0, 1.75);
    test_acid();
    return check_done();
}
