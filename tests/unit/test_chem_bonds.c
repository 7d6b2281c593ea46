/* SPDX-License-Identifier: BSD-3-Clause
 * Bonds from distances: isolated and periodic, by the plain and by the grid search, in any order of
 * the atoms, and what is dropped where an atom has too many partners. */
#include "chem/orders.h"
#include "chem_fixture.h"
#include "io_fixture.h"

static int32_t degree_of(const shoal_molecule *mol, int32_t i)
{
    return graph_degree(&mol->perception->graph, i);
}

/* --- isolated molecules -------------------------------------------------------------------------*/

/* Adds helium far away, so that the search takes the grid. */
static shoal_molecule *with_company(const shoal_molecule *src, int32_t n)
{
    shoal_molecule *mol = chem_new();
    CHECK(shoal_molecule_copy(mol, src) == SHOAL_OK);
    for (int32_t k = 0; k < n; ++k) chem_atom(mol, "He", 40.0 + 5.0 * k, -30.0, 7.0);
    return mol;
}

static bool same_bonds(const shoal_molecule *a, const shoal_molecule *b)
{
    if (a->n_bonds != b->n_bonds) return false;
    for (int32_t k = 0; k < a->n_bonds; ++k)
        if (a->bonds[k].i != b->bonds[k].i || a->bonds[k].j != b->bonds[k].j ||
            a->bonds[k].order != b->bonds[k].order)
            return false;
    return true;
}

/* Every bond of mixed, by its original atoms, must be one of mol. */
static bool same_bonds_permuted(const shoal_molecule *mol, const shoal_molecule *mixed,
                                const int32_t *order)
{
    if (mol->n_bonds != mixed->n_bonds) return false;
    for (int32_t k = 0; k < mixed->n_bonds; ++k)
        if (chem_order(mol, order[mixed->bonds[k].i], order[mixed->bonds[k].j]) < 0) return false;
    return true;
}

static void test_searches_agree(void)
{
    fixture f;
    uint64_t seed = 3;
    fixture_open_file(&f, SHOAL_TEST_DATA "/perceive.xyz");
    while (fixture_next(&f) == SHOAL_OK && f.found) {
        int32_t order[256];
        const int32_t total = atoi(fixture_property(&f, "total"));
        shoal_molecule *large = with_company(f.mol, 80);
        chem_shuffle(order, f.mol->n_atoms, &seed);
        shoal_molecule *mixed = chem_bare(f.mol, order);
        chem_perceive(f.mol, total);
        chem_perceive(large, total);
        chem_perceive(mixed, total);
        CHECK(same_bonds(f.mol, large));
        CHECK(same_bonds_permuted(f.mol, mixed, order));
        shoal_molecule_destroy(large);
        shoal_molecule_destroy(mixed);
    }
    fixture_close(&f);
}

/* Methane with a fifth hydrogen a little further away loses that one. */
static void test_overfull_carbon(void)
{
    shoal_molecule *mol = chem_xyz("6\n\nC 0 0 0\nH 1.3 0 0\nH .63 .63 .63\nH .63 -.63 -.63\n"
                                   "H -.63 .63 -.63\nH -.63 -.63 .63\n");
    chem_perceive(mol, 0);
    CHECK(mol->n_bonds == 4);
    CHECK(chem_order(mol, 0, 1) < 0);
    for (int32_t h = 2; h < 6; ++h) CHECK(chem_order(mol, 0, h) == SHOAL_ORDER_SINGLE);
    shoal_molecule_destroy(mol);
}

/* Hydrogen between two oxygen atoms belongs to the nearer one. */
static void test_hydrogen_bond(void)
{
    shoal_molecule *mol = chem_xyz("6\n\nO 0 0 0\nH -.6 .75 0\nH 1.0 0 0\nO 2.35 0 0\n"
                                   "H 2.7 .9 0\nH 2.7 -.9 0\n");
    chem_perceive(mol, 0);
    CHECK(mol->n_bonds == 4);
    CHECK(chem_order(mol, 0, 2) == SHOAL_ORDER_SINGLE && chem_order(mol, 2, 3) < 0);
    shoal_molecule_destroy(mol);
}

/* A methoxide leaning over to its metal: carbon with four partners does not bond to it, while a
 * bridging methyl group does. */
static void test_carbon_at_metal(void)
{
    shoal_molecule *mol = chem_xyz("6\n\nZr 0 0 0\nO 1.95 0 0\nC 2.4 1.35 0\nH 3.5 1.3 0\n"
                                   "H 2.1 1.9 .9\nH 2.1 1.9 -.9\n");
    chem_perceive(mol, 0);
    CHECK(mol->n_bonds == 5 && chem_order(mol, 0, 2) < 0);
    shoal_molecule_destroy(mol);
    mol = chem_xyz("6\n\nAl 1.3 0 0\nAl -1.3 0 0\nC 0 1.65 0\nH 0 2.2 .95\nH .9 2.2 -.5\n"
                   "H -.9 2.2 -.5\n");
    chem_perceive(mol, 0);
    CHECK(chem_order(mol, 0, 2) > 0 && chem_order(mol, 1, 2) > 0);
    CHECK(chem_order(mol, 0, 1) == SHOAL_ORDER_SINGLE); /* between metals nothing is donated */
    shoal_molecule_destroy(mol);
}

/* Bromine atoms of one molecule that come close are not bonded; Br3 and ICl3 are. */
static void test_halogens_touch(void)
{
    shoal_molecule *mol = chem_xyz("4\n\nC 0 0 0\nBr 1.9 0 0\nBr 2.0 2.62 0\nC 0 2.62 0\n");
    chem_perceive(mol, 0);
    CHECK(mol->n_bonds == 2 && chem_order(mol, 1, 2) < 0);
    shoal_molecule_destroy(mol);
    mol = chem_xyz("3\n\nBr -2.55 0 0\nBr 0 0 0\nBr 2.55 0 0\n");
    chem_perceive(mol, -1);
    CHECK(mol->n_bonds == 2);
    shoal_molecule_destroy(mol);
    mol = chem_xyz("4\n\nI 0 0 0\nCl 2.4 0 0\nCl -2.4 0 0\nCl 0 2.3 0\n");
    chem_perceive(mol, 0);
    CHECK(mol->n_bonds == 3);
    shoal_molecule_destroy(mol);
}

/* Two of each halogen, bonded alone and not where both have partners; twice the covalent radius and a little. */
static void test_each_halogen(void)
{
    static const struct {
        const char *symbol;
        double radius; /* Cordero et al. 2008, angstrom */
    } cases[] = {{"F", 0.57}, {"Cl", 1.02}, {"Br", 1.20}, {"I", 1.39}, {"At", 1.50}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
        for (int partners = 0; partners < 2; ++partners) {
            const double r = cases[k].radius, gap = 2 * r + 0.15;
            shoal_molecule *mol = chem_new();
            chem_atom(mol, cases[k].symbol, 0, 0, 0);
            chem_atom(mol, cases[k].symbol, gap, 0, 0);
            if (partners) chem_atom(mol, "C", 0, r + 0.7, 0);
            if (partners) chem_atom(mol, "C", gap, r + 0.7, 0);
            chem_perceive(mol, 0);
            CHECK(mol->n_bonds == (partners ? 2 + (chem_order(mol, 2, 3) >= 0) : 1));
            CHECK((chem_order(mol, 0, 1) < 0) == (partners == 1));
            shoal_molecule_destroy(mol);
        }
}

/* Carbon and nitrogen with four partners keep off a metal, whichever comes first in the file; oxygen does not. */
static void test_saturated(void)
{
    static const double corner[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    static const char *const symbols[] = {"C", "N", "O"};
    for (int k = 0; k < 6; ++k) {
        const bool first = k >= 3, oxygen = k % 3 == 2;
        const int32_t centre = first ? 1 : 0;
        shoal_molecule *mol = chem_new();
        if (first) chem_atom(mol, "Zr", -2.2, 0, 0);
        chem_atom(mol, symbols[k % 3], 0, 0, 0);
        for (int h = 0; h < (oxygen ? 2 : 4); ++h)
            chem_atom(mol, "H", 0.6 * corner[h][0], 0.6 * corner[h][1], 0.6 * corner[h][2]);
        if (!first) chem_atom(mol, "Zr", -2.2, 0, 0);
        chem_perceive(mol, 0);
        CHECK((chem_order(mol, centre, first ? 0 : mol->n_atoms - 1) >= 0) == oxygen);
        shoal_molecule_destroy(mol);
    }
}

/* The longest bond of a pair: both covalent radii and 0.30 A, 0.45 A with hydrogen, 0.40 A with a metal that has
 * more than two valence electrons. */
static void test_longest(void)
{
    static const struct {
        const char *symbols[2];
        double longest;
    } cases[] = {{{"C", "C"}, 1.52 + 0.30},  {{"C", "H"}, 1.07 + 0.45},  {{"H", "O"}, 0.97 + 0.45},
                 {{"Al", "C"}, 1.97 + 0.40}, {{"C", "Fe"}, 2.08 + 0.40}, {{"Sc", "O"}, 2.36 + 0.40},
                 {{"C", "Zn"}, 1.98 + 0.30}, {{"Mg", "C"}, 2.17 + 0.30}, {{"C", "Li"}, 2.04 + 0.30},
                 {{"Al", "H"}, 1.52 + 0.30}, {{"H", "Zr"}, 2.06 + 0.30}, {{"H", "H"}, 0.62 + 0.45}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
        for (int apart = 0; apart < 2; ++apart) {
            shoal_molecule *mol = chem_new();
            chem_atom(mol, cases[k].symbols[0], 0, 0, 0);
            chem_atom(mol, cases[k].symbols[1], 0, cases[k].longest + (apart ? 0.002 : -0.002), 0);
            chem_perceive(mol, 0);
            CHECK(mol->n_bonds == !apart);
            if (mol->n_bonds != !apart)
                (void)printf("  %s-%s\n", cases[k].symbols[0], cases[k].symbols[1]);
            shoal_molecule_destroy(mol);
        }
}

static void test_limits(void)
{
    const shoal_perceive_options tight = {.bond_slack = 0.01}, wide = {.bond_slack = 1.0};
    const shoal_perceive_options scaled = {.bond_scale = 1.5};
    const shoal_perceive_options *options[] = {NULL, &tight, &wide, &scaled};
    static const double far[] = {0, 1.5, 2.3, 2.2}; /* C-C: twice 0.76 A and the slack */
    for (int k = 0; k < 4; ++k) {
        shoal_molecule *mol = chem_atoms("C", 2);
        const double pos[3] = {far[k] > 0 ? far[k] : 1.7, 0, 0};
        CHECK(shoal_molecule_set_position(mol, 1, pos) == SHOAL_OK);
        CHECK(shoal_molecule_perceive(mol, options[k]) == SHOAL_OK);
        CHECK(mol->n_bonds == 1);
        shoal_molecule_destroy(mol);
    }
    shoal_molecule *mol = chem_atoms("C", 3); /* coincident atoms are not bonded */
    for (int32_t i = 0; i < 3; ++i) {
        const double pos[3] = {0.1 * i, 0, 0};
        CHECK(shoal_molecule_set_position(mol, i, pos) == SHOAL_OK);
    }
    chem_perceive(mol, 0);
    CHECK(mol->n_bonds == 0);
    shoal_molecule_destroy(mol);
}

/* Given bonds are kept, unless they are to be found again. */
static void test_rebuild(void)
{
    const shoal_perceive_options again = {.rebuild_bonds = true};
    shoal_molecule *mol = chem_xyz("3\n\nO 0 0 0\nH .96 0 0\nH -.3 .92 0\n");
    chem_bond(mol, 1, 2, SHOAL_ORDER_SINGLE);
    chem_perceive(mol, 0);
    CHECK(mol->n_bonds == 1);
    CHECK(shoal_molecule_perceive(mol, &again) == SHOAL_OK);
    CHECK(mol->n_bonds == 2);
    CHECK(chem_order(mol, 0, 1) == 1 && chem_order(mol, 0, 2) == 1 && chem_order(mol, 1, 2) < 0);
    shoal_molecule_destroy(mol);
}

static void test_far_apart(void)
{
    shoal_molecule *mol = chem_atoms("C", 100);
    const double pos[3] = {1e9, -1e9, 1e9};
    CHECK(shoal_molecule_set_position(mol, 50, pos) == SHOAL_OK);
    chem_perceive(mol, 0);
    CHECK(mol->n_bonds == 0);
    shoal_molecule_destroy(mol);
}

/* --- periodic -----------------------------------------------------------------------------------*/

/* One atom in a cubic cell of edge a, periodic along n axes. */
static shoal_molecule *lone_atom(const char *symbol, double a, int n)
{
    const double cell[3][3] = {{a, 0, 0}, {0, a, 0}, {0, 0, a}};
    shoal_molecule *mol = chem_atoms(symbol, 1);
    chem_cell(mol, cell, n);
    chem_perceive(mol, 0);
    return mol;
}

static void test_own_images(void)
{
    for (int n = 1; n <= 3; ++n) {
        shoal_molecule *mol = lone_atom("Si", 2.35, n);
        CHECK(mol->n_bonds == n);
        for (int32_t b = 0; b < mol->n_bonds; ++b) {
            CHECK(mol->bonds[b].i == 0 && mol->bonds[b].j == 0);
            CHECK_NEAR(bond_length(mol, &mol->bonds[b]), 2.35, 1e-12);
        }
        CHECK(degree_of(mol, 0) == 2 * n);
        shoal_molecule_destroy(mol);
    }
    shoal_molecule *mol = lone_atom("C", 1.3, 1); /* carbyne */
    CHECK(mol->n_bonds == 1 && degree_of(mol, 0) == 2);
    shoal_molecule_destroy(mol);
    mol = lone_atom("Si", 4.0, 3); /* too far */
    CHECK(mol->n_bonds == 0);
    shoal_molecule_destroy(mol);
}

/* In a cell shorter than a bond, images beyond the next ones count. */
static void test_tiny_cell(void)
{
    shoal_molecule *mol = lone_atom("Si", 0.8, 1);
    CHECK(mol->n_bonds == 3); /* at 0.8, 1.6 and 2.4 A */
    CHECK(degree_of(mol, 0) == 6);
    shoal_molecule_destroy(mol);
}

/* The same crystal with its atoms moved by lattice vectors has the same bonds. */
static void check_shifted(const shoal_molecule *src, uint64_t seed)
{
    shoal_molecule *mol = chem_bare(src, NULL);
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        for (int k = 0; k < 3; ++k) {
            const int32_t n = mol->pbc[k] ? chem_random(&seed, 9) - 4 : 0;
            for (int c = 0; c < 3; ++c) mol->pos[i][c] += n * mol->cell[k][c];
        }
    chem_perceive(mol, 0);
    CHECK(mol->n_bonds == src->n_bonds);
    double sum = 0, want = 0;
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        sum += bond_length(mol, &mol->bonds[b]);
        want += bond_length(src, &src->bonds[b]);
    }
    CHECK_NEAR(sum, want, 1e-9);
    for (int32_t i = 0; i < mol->n_atoms; ++i) CHECK(degree_of(mol, i) == degree_of(src, i));
    shoal_molecule_destroy(mol);
}

/* Graphene, 1.42 A, in n x n cells given by skewed vectors. */
static void test_graphene(int32_t n)
{
    const double a = 1.42 * sqrt(3);
    const double cell[3][3] = {{n * a, 0, 0}, {n * (a / 2 + a), n * 2.13, 0}, {0, 0, 15}};
    shoal_molecule *mol = chem_new();
    for (int32_t x = 0; x < n; ++x)
        for (int32_t y = 0; y < n; ++y) {
            chem_atom(mol, "C", (x + 1.5 * y) * a, 2.13 * y, 7);
            chem_atom(mol, "C", (x + 1.5 * y + 0.5) * a, 2.13 * y + 0.71, 7);
        }
    chem_cell(mol, cell, 2);
    chem_perceive(mol, 0);
    CHECK(mol->n_bonds == 3 * n * n);
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        CHECK_NEAR(bond_length(mol, &mol->bonds[b]), 1.42, 1e-12);
        CHECK(mol->bonds[b].aromatic);
    }
    CHECK(mol->perception->rings.n_rings == n * n);
    check_shifted(mol, 13);
    shoal_molecule_destroy(mol);
}

static void test_wrapped_benzene(void)
{
    static const char text[] =
        "12\nLattice=\"7 0 0 1 7 0 0 2 8\"\n"
        "C 1.397 0 0\nC .6985 1.2098 0\nC -.6985 1.2098 0\nC -1.397 0 0\nC -.6985 -1.2098 0\n"
        "C .6985 -1.2098 0\nH 2.481 0 0\nH 1.2405 2.1486 0\nH -1.2405 2.1486 0\nH -2.481 0 0\n"
        "H -1.2405 -2.1486 0\nH 1.2405 -2.1486 0\n";
    shoal_molecule *mol = chem_xyz(text);
    shoal_molecule *moved = chem_bare(mol, NULL);
    chem_perceive(mol, 0);
    CHECK(mol->n_bonds == 12 && mol->perception->rings.n_rings == 1);
    for (int32_t b = 0; b < 12; ++b) CHECK(mol->bonds[b].aromatic == (mol->bonds[b].j < 6));
    for (int32_t i = 0; i < 12; ++i) /* every second atom into another cell */
        for (int c = 0; c < 3; ++c)
            moved->pos[i][c] += (i % 2) * mol->cell[0][c] - (i % 3) * mol->cell[2][c];
    chem_perceive(moved, 0);
    CHECK(moved->n_bonds == 12 && moved->perception->rings.n_rings == 1);
    for (int32_t b = 0; b < 12; ++b) CHECK(moved->bonds[b].aromatic == (moved->bonds[b].j < 6));
    shoal_molecule_destroy(moved);
    shoal_molecule_destroy(mol);
}

/* Zinc blende in its cubic and diamond in its primitive cell: four partners each. */
static void test_crystals(void)
{
    shoal_molecule *mol = chem_xyz("8\nLattice=\"5.41 0 0 0 5.41 0 0 0 5.41\"\n"
                                   "Zn 0 0 0\nZn 0 2.705 2.705\nZn 2.705 0 2.705\n"
                                   "Zn 2.705 2.705 0\nS 1.3525 1.3525 1.3525\n"
                                   "S 1.3525 4.0575 4.0575\nS 4.0575 1.3525 4.0575\n"
                                   "S 4.0575 4.0575 1.3525\n");
    chem_perceive(mol, 0);
    CHECK(mol->n_bonds == 16);
    for (int32_t i = 0; i < 8; ++i) CHECK(degree_of(mol, i) == 4);
    check_shifted(mol, 11);
    shoal_molecule_destroy(mol);
    mol = chem_xyz("2\nLattice=\"0 1.7834 1.7834 1.7834 0 1.7834 1.7834 1.7834 0\"\n"
                   "C 0 0 0\nC .8917 .8917 .8917\n");
    chem_perceive(mol, 0);
    CHECK(mol->n_bonds == 4 && degree_of(mol, 0) == 4 && degree_of(mol, 1) == 4);
    check_shifted(mol, 12);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    test_searches_agree();
    test_overfull_carbon();
    test_hydrogen_bond();
    test_carbon_at_metal();
    test_halogens_touch();
    test_each_halogen();
    test_saturated();
    test_longest();
    test_limits();
    test_rebuild();
    test_far_apart();
    test_own_images();
    test_tiny_cell();
    test_graphene(1);
    test_graphene(2);
    test_graphene(5);
    test_wrapped_benzene();
    test_crystals();
    return check_done();
}
