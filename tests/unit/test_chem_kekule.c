/* SPDX-License-Identifier: BSD-3-Clause
 * Kekule structures and aromaticity of rings given with aromatic bonds, and what has none. */
#include "chem_fixture.h"

/* Hydrogen on every carbon atom that has two partners. */
static void add_hydrogen(shoal_molecule *mol)
{
    const int32_t n = mol->n_atoms;
    for (int32_t i = 0; i < n; ++i) {
        int32_t degree = 0;
        for (int32_t b = 0; b < mol->n_bonds; ++b)
            degree += mol->bonds[b].i == i || mol->bonds[b].j == i;
        if (mol->element[i] != 6 || degree != 2) continue;
        chem_atom(mol, "H", mol->pos[i][0], 5, 0);
        chem_bond(mol, i, mol->n_atoms - 1, SHOAL_ORDER_SINGLE);
    }
}

/* Aromatic carbon skeleton with hydrogen and formal charges stated, all zero but one. */
static shoal_molecule *aromatic(int32_t n, const char *bonds, int32_t charge)
{
    shoal_molecule *mol = chem_skeleton(n, bonds, SHOAL_ORDER_AROMATIC);
    add_hydrogen(mol);
    CHECK(shoal_molecule_set_formal_charge(mol, 0, charge) == SHOAL_OK);
    return mol;
}

/* Every carbon atom must have one double bond, up to n_without of them none. */
static void check_kekule(const shoal_molecule *mol, int32_t n_without)
{
    int32_t n_double[1024] = {0}, without = 0;
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        const shoal_bond *e = &mol->bonds[b];
        CHECK(e->order == SHOAL_ORDER_SINGLE || e->order == SHOAL_ORDER_DOUBLE);
        if (e->order != SHOAL_ORDER_DOUBLE) continue;
        ++n_double[e->i];
        ++n_double[e->j];
    }
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        if (mol->element[i] != 6) continue;
        CHECK(n_double[i] <= 1);
        without += n_double[i] == 0;
    }
    CHECK(without == n_without);
}

static int32_t count_aromatic(const shoal_molecule *mol)
{
    int32_t n = 0;
    for (int32_t b = 0; b < mol->n_bonds; ++b) n += mol->bonds[b].aromatic;
    return n;
}

static void check_aromatic(shoal_molecule *mol, int32_t n_without, int32_t n_aromatic)
{
    chem_perceive(mol, 0);
    check_kekule(mol, n_without);
    CHECK_NEAR(count_aromatic(mol), n_aromatic, 0);
    shoal_molecule_destroy(mol);
}

#define BENZENE "0-1 1-2 2-3 3-4 4-5 5-0"
#define NAPHTHALENE BENZENE " 4-6 6-7 7-8 8-9 9-5"
#define AZULENE "0-1 1-2 2-3 3-4 4-0 4-5 5-6 6-7 7-8 8-9 9-3"
#define PYRENE                                                                                     \
    "0-1 1-2 2-3 3-4 4-5 5-6 6-7 7-8 8-9 9-10 10-11 11-12 12-13 13-0 13-14 14-3 14-15 15-6 15-10"

static void test_carbon(void)
{
    check_aromatic(aromatic(6, BENZENE, 0), 0, 6);
    check_aromatic(aromatic(10, NAPHTHALENE, 0), 0, 11);
    check_aromatic(aromatic(10, AZULENE, 0), 0, 10); /* the rim, not the shared bond */
    check_aromatic(aromatic(5, "0-1 1-2 2-3 3-4 4-0", -1), 1, 5);
    check_aromatic(aromatic(7, "0-1 1-2 2-3 3-4 4-5 5-6 6-0", 1), 1, 7);
    check_aromatic(aromatic(3, "0-1 1-2 2-0", 1), 1, 3);
    check_aromatic(aromatic(4, "0-1 1-2 2-3 3-0", 0), 0, 0);                 /* cyclobutadiene */
    check_aromatic(aromatic(8, "0-1 1-2 2-3 3-4 4-5 5-6 6-7 7-0", 0), 0, 0); /* cyclooctatetraene */
}

static void test_pyrene(void)
{
    shoal_molecule *mol = aromatic(16, PYRENE, 0);
    chem_perceive(mol, 0);
    check_kekule(mol, 0);
    CHECK(mol->perception->rings.n_rings == 4);
    for (int32_t i = 0; i < 16; ++i) CHECK(mol->perception->atoms[i].aromatic);
    shoal_molecule_destroy(mol);
}

/* A row of n hexagons. */
static void test_acene(int32_t n)
{
    shoal_molecule *mol = chem_atoms("C", 4 * n + 2);
    for (int32_t side = 0; side < 2; ++side)
        for (int32_t k = 0; k < 2 * n; ++k)
            chem_bond(mol, side * (2 * n + 1) + k, side * (2 * n + 1) + k + 1,
                      SHOAL_ORDER_AROMATIC);
    for (int32_t k = 0; k <= n; ++k) chem_bond(mol, 2 * k, 2 * n + 1 + 2 * k, SHOAL_ORDER_AROMATIC);
    add_hydrogen(mol);
    CHECK(shoal_molecule_set_formal_charge(mol, 0, 0) == SHOAL_OK);
    check_aromatic(mol, 0, 5 * n + 1);
}

/* Five-membered rings with one atom that gives two electrons. */
static void test_heteroaromatic(void)
{
    static const struct {
        const char *symbol;
        bool hydrogen;
    } cases[] = {{"N", true}, {"O", false}, {"S", false}, {"Se", false}};
    for (int k = 0; k < 4; ++k) {
        shoal_molecule *mol = chem_new();
        chem_atom(mol, cases[k].symbol, 0, 0, 0);
        for (int i = 1; i < 5; ++i) chem_atom(mol, "C", 10.0 * i, 0, 0);
        for (int32_t i = 0; i < 5; ++i) chem_bond(mol, i, (i + 1) % 5, SHOAL_ORDER_AROMATIC);
        add_hydrogen(mol);
        if (cases[k].hydrogen) {
            chem_atom(mol, "H", 0, 5, 0);
            chem_bond(mol, 0, mol->n_atoms - 1, SHOAL_ORDER_SINGLE);
        }
        CHECK(shoal_molecule_set_formal_charge(mol, 0, 0) == SHOAL_OK);
        check_aromatic(mol, 0, 5);
    }
}

/* Porphine's frame given as aromatic: two of the four nitrogen atoms have hydrogen. */
static void test_porphine(void)
{
    shoal_molecule *mol = chem_new();
    for (int32_t i = 0; i < 24; ++i) chem_atom(mol, i < 20 && i % 5 == 0 ? "N" : "C", i, 0, 0);
    for (int32_t ring = 0; ring < 4; ++ring) {
        const int32_t first = 5 * ring, next = 5 * ((ring + 1) % 4);
        for (int32_t k = 0; k < 5; ++k)
            chem_bond(mol, first + k, first + (k + 1) % 5, SHOAL_ORDER_AROMATIC);
        chem_bond(mol, first + 1, 20 + ring, SHOAL_ORDER_AROMATIC);
        chem_bond(mol, 20 + ring, next + 4, SHOAL_ORDER_AROMATIC);
    }
    for (int32_t k = 0; k < 2; ++k) {
        chem_atom(mol, "H", 10.0 * k, 9, 0);
        chem_bond(mol, 10 * k, 24 + k, SHOAL_ORDER_SINGLE);
    }
    add_hydrogen(mol);
    CHECK(shoal_molecule_set_formal_charge(mol, 0, 0) == SHOAL_OK);
    chem_perceive(mol, 0);
    check_kekule(mol, 0);
    CHECK(mol->perception->rings.n_rings == 5);
    shoal_molecule_destroy(mol);
}

/* --- no structure -------------------------------------------------------------------------------*/

static void check_refused(shoal_molecule *mol)
{
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_E_FORMAT);
    CHECK(strstr(shoal_error_text(), "no Kekule structure: atom ") != NULL);
    CHECK(strstr(shoal_error_text(), "(C, charge ") != NULL);
    shoal_topology *topology;
    CHECK(shoal_topology_create(&topology, mol, NULL) == SHOAL_OK);
    CHECK(shoal_topology_status(topology) == SHOAL_SYSTEM_UNTYPED);
    CHECK(strstr(shoal_topology_reason(topology), "no Kekule structure: atom ") != NULL);
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(mol);
}

static void test_odd(void)
{
    check_refused(aromatic(5, "0-1 1-2 2-3 3-4 4-0", 0));
    check_refused(aromatic(7, "0-1 1-2 2-3 3-4 4-5 5-6 6-0", 0));
    check_refused(aromatic(6, BENZENE, 1));
    check_refused(aromatic(6, BENZENE, -1));
    /* phenalenyl: thirteen atoms, three rings around one */
    check_refused(
        aromatic(13, "0-1 1-2 2-3 3-4 4-5 5-6 6-7 7-8 8-9 9-10 10-11 11-0 12-3 12-7 12-11", 0));
    /* its cation has one; as in RDKit, the ring with the charge is not aromatic */
    check_aromatic(
        aromatic(13, "0-1 1-2 2-3 3-4 4-5 5-6 6-7 7-8 8-9 9-10 10-11 11-0 12-3 12-7 12-11", 1), 1,
        11);
}

/* An even number of atoms is not enough: in a star, the ends have one partner between them. */
static void test_even_without(void)
{
    shoal_molecule *mol = chem_skeleton(4, "0-1 0-2 0-3", SHOAL_ORDER_AROMATIC);
    CHECK(shoal_molecule_set_formal_charge(mol, 0, 0) == SHOAL_OK);
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_E_FORMAT);
    CHECK(strstr(shoal_error_text(), "no Kekule structure") != NULL);
    shoal_molecule_destroy(mol);
}

/* Carbon without its hydrogen still has one double bond, not two. */
static void test_without_hydrogen(void)
{
    shoal_molecule *mol = chem_skeleton(6, BENZENE, SHOAL_ORDER_AROMATIC);
    CHECK(shoal_molecule_set_formal_charge(mol, 0, 0) == SHOAL_OK);
    check_aromatic(mol, 0, 6);
}

/* Without stated charges the missing partner is a radical, not an error. */
static void test_unstated_charges(void)
{
    shoal_molecule *mol = chem_skeleton(5, "0-1 1-2 2-3 3-4 4-0", SHOAL_ORDER_AROMATIC);
    add_hydrogen(mol);
    char text[CHEM_TEXT];
    chem_perceive(mol, 0);
    CHECK_TEXT(chem_valences(mol, text), "C3* C4 C4 C4 C4");
    shoal_molecule_destroy(mol);
}

int main(void)
{
    test_carbon();
    test_pyrene();
    test_acene(3);
    test_acene(40);
    test_acene(150);
    test_heteroaromatic();
    test_porphine();
    test_odd();
    test_even_without();
    test_without_hydrogen();
    test_unstated_charges();
    return check_done();
}
