/* SPDX-License-Identifier: BSD-3-Clause
 * MMFF94 where its tables end: bonds by rule, and rings whatever Kekule structure they were drawn with. */
#include "ff/mmff94.h"
#include "uff_fixture.h"

static const shoal_typing_options mmff94_typed = {.forcefield = SHOAL_FORCEFIELD_MMFF94};

static const shoal_term *find_bond(const uff *u, int32_t i, int32_t j)
{
    int32_t n;
    const shoal_term *bonds = shoal_topology_terms(&u->view, SHOAL_KIND_QUARTIC_BOND, &n);
    for (int32_t k = 0; k < n; ++k) {
        const int32_t *a = bonds[k].atoms;
        if ((a[0] == i && a[1] == j) || (a[0] == j && a[1] == i)) return &bonds[k];
    }
    CHECK(!"bond");
    return NULL;
}

/* r0 in angstrom and k in md/angstrom of the bond 0-1. */
static void check_bond(const char *atoms, const char *bonds, double r0, double k)
{
    uff u;
    shoal_molecule *mol = chem_drawn(atoms, bonds);
    if (mol->n_atoms == 2 && atoms[0] == 'O')
        CHECK(shoal_molecule_set_formal_charge(mol, 0, -1) == SHOAL_OK);
    uff_make_typed(&u, mol, &mmff94_typed);
    const shoal_term *bond = find_bond(&u, 0, 1);
    CHECK_NEAR(bond->p[SHOAL_BOND_R0], r0, 1e-5);
    CHECK_NEAR(bond->p[SHOAL_BOND_K] / KCAL / 143.9325, k, 1e-3);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

/* Lengths that the logs of the validation suite imply (ERULE_03, ERULE_06); of atoms with multiple bonds those of RDKit. */
static void test_bonds_by_rule(void)
{
    check_bond("Si P C C C C H H H H H H H H H H H H H",
               "0-1 0-2 0-3 0-4 1-5 1-6 2-7 2-8 2-9 3-10 3-11 3-12 4-13 4-14 4-15 5-16 5-17 5-18",
               2.223772, 1.6093);
    check_bond("N F C C H H H H H H", "0-1 0-2 0-3 2-4 2-5 2-6 3-7 3-8 3-9", 1.378618, 5.4378);
    check_bond("O H", "0-1", 0.977808, 7.5097);
    check_bond("C C C C H H", "0-1 0#2 1#3 2-4 3-5", 1.54, 3.4035);
    check_bond("C S S", "0=1 0=2", 1.798345, 2.9822);
    check_bond("F N C H H", "0-1 1=2 2-3 2-4", 1.381408, 5.3723);
    check_bond("I Cl", "0-1", 2.299033, 1.7496);
}

/* Ring atoms of benzocyclobutadiene, drawn with three double bonds in the ring of six, and with two. */
static void test_one_structure(void)
{
    static const char *const drawings[] = {
        "0=1 1-2 2=3 3-4 4=5 5-0 4-6 6=7 7-5 0-8 1-9 2-10 3-11 6-12 7-13",
        "0=1 1-2 2=3 3-4 4-5 5-0 4=6 6-7 7=5 0-8 1-9 2-10 3-11 6-12 7-13",
    };
    for (int k = 0; k < 2; ++k) {
        uff u;
        shoal_molecule *mol = chem_drawn("C C C C C C C C H H H H H H", drawings[k]);
        uff_make_typed(&u, mol, &mmff94_typed);
        for (int i = 0; i < 6; ++i) CHECK_TEXT(u.view.types[i], "CB");
        CHECK_NEAR(find_bond(&u, 0, 1)->p[SHOAL_BOND_R0], 1.374, 1e-9);
        CHECK_NEAR(find_bond(&u, 1, 2)->p[SHOAL_BOND_R0], 1.374, 1e-9);
        uff_free(&u);
        shoal_molecule_destroy(mol);
    }
}

/* Pyrrole that shares a bond with cyclobutadiene, drawn with both double bonds in the ring of five, and with one. */
static void test_ring_of_five(void)
{
    static const char *const drawings[] = {
        "0-1 1=2 2-3 3=4 4-0 1-5 5=6 6-2 0-7 3-8 4-9 5-10 6-11",
        "0-1 1-2 2-3 3=4 4-0 1=5 5-6 6=2 0-7 3-8 4-9 5-10 6-11",
    };
    for (int k = 0; k < 2; ++k) {
        uff u;
        shoal_molecule *mol = chem_drawn("N C C C C C C H H H H H", drawings[k]);
        uff_make_typed(&u, mol, &mmff94_typed);
        CHECK_TEXT(u.view.types[0], "NPYL");
        CHECK_TEXT(u.view.types[1], "C5A");
        CHECK_TEXT(u.view.types[2], "C5B");
        uff_free(&u);
        shoal_molecule_destroy(mol);
    }
}

/* Perylene, whose ring between the naphthalenes has no double bond inside and comes first. Any drawing has the same. */
static void test_perylene(void)
{
#define HYDROGENS " 7-20 8-21 9-22 10-23 11-24 12-25 14-26 15-27 16-28 17-29 18-30 19-31"
    static const char *const drawings[] = {
        "0-1 1-2 2-3 3-4 4-5 5-0 1=6 0=7 7-8 8=9 9-6 2=10 10-11 11=12 12-6 4=13 3=14 14-15 15=16 "
        "16-13 5=17 17-18 18=19 19-13" HYDROGENS,
        "0=1 1-2 2-3 3-4 4=5 5-0 1-6 0-7 7=8 8-9 9=6 2=10 10-11 11=12 12-6 4-13 3=14 14-15 15=16 "
        "16-13 5-17 17=18 18-19 19=13" HYDROGENS,
    };
    double r0[2][40];
    int32_t n = 0;
    for (int k = 0; k < 2; ++k) {
        uff u;
        shoal_molecule *mol = chem_drawn(
            "C C C C C C C C C C C C C C C C C C C C H H H H H H H H H H H H", drawings[k]);
        uff_make_typed(&u, mol, &mmff94_typed);
        const shoal_term *bonds = shoal_topology_terms(&u.view, SHOAL_KIND_QUARTIC_BOND, &n);
        for (int32_t b = 0; b < n && b < 40; ++b) r0[k][b] = bonds[b].p[SHOAL_BOND_R0];
        CHECK_NEAR(find_bond(&u, 2, 3)->p[SHOAL_BOND_R0], 1.374, 1e-9);
        uff_free(&u);
        shoal_molecule_destroy(mol);
    }
    CHECK(n == 36);
    CHECK(memcmp(r0[0], r0[1], sizeof r0[0][0] * 36) == 0);
}

/* Porphine: no ring but those of five and six is aromatic, however many electrons run around it, and the nitrogens without
 * hydrogen are imines, so that the molecule has no charge. */
static void test_porphine(void)
{
    uff u;
    double sum = 0;
    shoal_molecule *mol = chem_drawn(
        "N N N N C C C C C C C C C C C C C C C C C C C C H H H H H H H H H H H H H H",
        "0-4 4=8 8-9 9=5 5-0 1-6 6-10 10=11 11-7 1=7 2-12 12-16 16=17 17-13 13-2 3=14 14-18 18=19 "
        "19-15 15-3 5-20 20=6 7-21 21=12 13=22 22-14 15=23 23-4 0-24 2-25 8-26 9-27 10-28 11-29 "
        "16-30 17-31 18-32 19-33 20-34 21-35 22-36 23-37");
    uff_make_typed(&u, mol, &mmff94_typed);
    for (int32_t i = 0; i < mol->n_atoms; ++i) sum += u.view.charges[i];
    CHECK_NEAR(sum, 0, 1e-12);
    CHECK_TEXT(u.view.types[0], "NPYL");
    CHECK_TEXT(u.view.types[2], "NPYL");
    CHECK_TEXT(u.view.types[1], "N=C");
    CHECK_TEXT(u.view.types[3], "N=C");
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

/* p-Quinodimethane has no structure with three double bonds in the ring. */
static void test_quinoid(void)
{
    uff u;
    shoal_molecule *mol =
        chem_drawn("C C C C C C C C H H H H H H H H",
                   "0-1 1=2 2-3 3-4 4=5 5-0 0=6 3=7 1-8 2-9 4-10 5-11 6-12 6-13 7-14 7-15");
    uff_make_typed(&u, mol, &mmff94_typed);
    for (int i = 0; i < 8; ++i) CHECK_TEXT(u.view.types[i], "C=C");
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

static void check_not_aromatic(const char *atoms, const char *bonds, const char *first)
{
    uff u;
    shoal_molecule *mol = chem_drawn(atoms, bonds);
    uff_make_typed(&u, mol, &mmff94_typed);
    CHECK_TEXT(u.view.types[0], first);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

/* Rings that have six electrons only by a wrong count, and one of seven, whose bonds alternate. */
static void test_no_rings(void)
{
    uff u;
    /* 4H-pyrazol-4-one, 3H-pyrrole */
    check_not_aromatic("N N C C C O H H", "0-1 0=2 1=3 2-4 3-4 4=5 2-6 3-7", "N=C");
    check_not_aromatic("N C C C C H H H H H", "0=1 1-2 2=3 3-4 4-0 1-5 2-6 3-7 4-8 4-9", "N=C");
    shoal_molecule *tropone =
        chem_drawn("C C C C C C C O H H H H H H",
                   "0=1 1-2 2=3 3-4 4=5 5-6 6-0 6=7 0-8 1-9 2-10 3-11 4-12 5-13");
    uff_make_typed(&u, tropone, &mmff94_typed);
    CHECK_NEAR(find_bond(&u, 0, 1)->p[SHOAL_BOND_R0], 1.333, 1e-9);
    CHECK_NEAR(find_bond(&u, 1, 2)->p[SHOAL_BOND_R0], 1.430, 1e-9);
    uff_free(&u);
    shoal_molecule_destroy(tropone);
}

/* Trimethylsulfonium, whose charge no type has. */
static void test_total(void)
{
    uff u;
    shoal_molecule *mol = chem_drawn("S C C C H H H H H H H H H",
                                     "0-1 0-2 0-3 1-4 1-5 1-6 2-7 2-8 2-9 3-10 3-11 3-12");
    CHECK(shoal_molecule_set_formal_charge(mol, 0, 1) == SHOAL_OK);
    uff_make_typed(&u, mol, &mmff94_typed);
    CHECK_TEXT(shoal_topology_warning(u.topology),
               "the charges of MMFF94 add up to 0 e, formal charges to 1 e");
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

static void test_names(void)
{
    shoal_typing_options options = {0};
    CHECK(shoal_forcefield_by_name("mmff", &options) == SHOAL_E_ARGUMENT);
    CHECK(strstr(shoal_error_text(), "MMFF is mmff94 or mmff94s, and mmffsp3 is another") != NULL);
    CHECK(shoal_forcefield_by_name("gaff", &options) == SHOAL_E_ARGUMENT);
    CHECK(strstr(shoal_error_text(), "another") == NULL);
}

int main(void)
{
    test_quinoid();
    test_no_rings();
    test_total();
    test_names();
    test_bonds_by_rule();
    test_one_structure();
    test_ring_of_five();
    test_perylene();
    test_porphine();
    return check_done();
}
