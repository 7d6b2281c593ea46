/* SPDX-License-Identifier: BSD-3-Clause
 * Salts and metals from coordinates: no covalent bonds, charges of the ions, a warning; and what looks like them
 * and keeps its bonds. Types of zeolites and boron nitride. */
#include "chem/element.h"
#include "uff_fixture.h"

/* Atoms of a cubic cell in units of its edge. */
typedef struct site {
    const char *symbol;
    double at[3];
} site;

static shoal_molecule *crystal(double a, const site *sites, int32_t n)
{
    shoal_molecule *mol = chem_new();
    const double cell[3][3] = {{a, 0, 0}, {0, a, 0}, {0, 0, a}};
    for (int32_t i = 0; i < n; ++i)
        chem_atom(mol, sites[i].symbol, a * sites[i].at[0], a * sites[i].at[1], a * sites[i].at[2]);
    chem_cell(mol, cell, 3);
    return mol;
}

static const double corners[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};

/* Face-centred cells with further atoms moved by each of the n shifts along the diagonal or an edge. */
static shoal_molecule *face_centred(double a, const char *first, const char *second,
                                    const double (*moves)[3], int32_t n)
{
    site sites[16];
    int32_t count = 0;
    for (int32_t c = 0; c < 4; ++c) {
        sites[count++] = (site){first, {corners[c][0], corners[c][1], corners[c][2]}};
        for (int32_t k = 0; k < n; ++k)
            sites[count++] = (site){second,
                                    {corners[c][0] + moves[k][0], corners[c][1] + moves[k][1],
                                     corners[c][2] + moves[k][2]}};
    }
    return crystal(a, sites, count);
}

static shoal_molecule *rocksalt(double a, const char *first, const char *second)
{
    static const double moves[][3] = {{0.5, 0, 0}};
    return face_centred(a, first, second, moves, 1);
}

static shoal_molecule *fluorite(double a, const char *first, const char *second)
{
    static const double moves[][3] = {{0.25, 0.25, 0.25}, {0.75, 0.25, 0.25}};
    return face_centred(a, first, second, moves, 2);
}

static shoal_molecule *body_centred(double a, const char *first, const char *second)
{
    const site sites[] = {{first, {0, 0, 0}}, {second, {0.5, 0.5, 0.5}}};
    return crystal(a, sites, 2);
}

/* Every atom moved by up to 0.08 angstrom. */
static void shake(shoal_molecule *mol)
{
    uint64_t seed = 11;
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        for (int c = 0; c < 3; ++c) mol->pos[i][c] += 0.16 * (chem_random(&seed, 1001) / 1e3 - 0.5);
}

/* Without bonds, with these charges, and with this warning; the molecule is destroyed. */
static void check_bare(shoal_molecule *mol, int32_t first, int32_t second, const char *warning)
{
    const int before = check_failures;
    const int32_t z = mol->element[0];
    uff u;
    uff_make_typed(&u, mol, NULL);
    CHECK(mol->n_bonds == 0);
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        CHECK(mol->formal_charge[i] == (mol->element[i] == z ? first : second));
    CHECK_TEXT(shoal_topology_warning(u.topology), warning);
    if (check_failures > before) (void)printf("in %s\n", warning);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

static void test_salts(void)
{
#define IONS ": taken as ions, without covalent bonds"
    check_bare(rocksalt(5.64, "Na", "Cl"), 1, -1, "4 Na, 4 Cl" IONS);
    check_bare(rocksalt(6.60, "K", "Br"), 1, -1, "4 K, 4 Br" IONS);
    check_bare(rocksalt(4.03, "Li", "F"), 1, -1, "4 Li, 4 F" IONS);
    check_bare(rocksalt(6.00, "Li", "I"), 1, -1, "4 Li, 4 I" IONS);
    check_bare(rocksalt(4.08, "Li", "H"), 1, -1, "4 H, 4 Li" IONS);
    check_bare(rocksalt(4.21, "Mg", "O"), 2, -2, "4 O, 4 Mg" IONS);
    check_bare(rocksalt(5.20, "Mg", "S"), 2, -2, "4 Mg, 4 S" IONS);
    check_bare(rocksalt(4.81, "Ca", "O"), 2, -2, "4 O, 4 Ca" IONS);
    check_bare(rocksalt(4.17, "Ni", "O"), 2, -2, "4 O, 4 Ni" IONS);
    check_bare(rocksalt(5.55, "Ag", "Cl"), 1, -1, "4 Cl, 4 Ag" IONS);
    check_bare(rocksalt(4.24, "Ti", "N"), 3, -3, "4 N, 4 Ti" IONS);
    check_bare(fluorite(5.46, "Ca", "F"), 2, -1, "8 F, 4 Ca" IONS);
    check_bare(fluorite(5.41, "Ce", "O"), 4, -2, "8 O, 4 Ce" IONS);
    check_bare(fluorite(4.62, "O", "Li"), -2, 1, "8 Li, 4 O" IONS);
    check_bare(body_centred(4.12, "Cs", "Cl"), 1, -1, "1 Cl, 1 Cs" IONS);
    shoal_molecule *warm = rocksalt(5.64, "Na", "Cl");
    shake(warm);
    check_bare(warm, 1, -1, "4 Na, 4 Cl" IONS);
    const site perovskite[] = {{"Sr", {0, 0, 0}},
                               {"Ti", {0.5, 0.5, 0.5}},
                               {"O", {0.5, 0.5, 0}},
                               {"O", {0.5, 0, 0.5}},
                               {"O", {0, 0.5, 0.5}}};
    shoal_molecule *mol = crystal(3.905, perovskite, 5);
    chem_perceive(mol, 0);
    CHECK(mol->n_bonds == 0);
    CHECK(mol->formal_charge[0] == 2 && mol->formal_charge[1] == 4 && mol->formal_charge[4] == -2);
    shoal_molecule_destroy(mol);
}

/* A crystal of 3240 atoms, whose nickel has thousands of charges to share. */
static void test_large_salt(void)
{
    enum { N = 9 };
    shoal_molecule *mol = chem_new();
    const double a = 4.17, cell[3][3] = {{N * a, 0, 0}, {0, N * a, 0}, {0, 0, 5 * a}};
    for (int x = 0; x < 2 * N; ++x)
        for (int y = 0; y < 2 * N; ++y)
            for (int z = 0; z < 10; ++z)
                chem_atom(mol, (x + y + z) % 2 ? "O" : "Ni", x * a / 2, y * a / 2, z * a / 2);
    chem_cell(mol, cell, 3);
    chem_perceive(mol, 0);
    CHECK(mol->n_bonds == 0);
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        CHECK(mol->formal_charge[i] == (mol->element[i] == 28 ? 2 : -2));
    shoal_molecule_destroy(mol);
}

/* Half a layer on top of two: anions and metals at its edges have few partners. */
static void test_step(void)
{
    const double d = 4.17 / 2, cell[3][3] = {{4 * d, 0, 0}, {0, 4 * d, 0}, {0, 0, 30}};
    shoal_molecule *mol = chem_new();
    for (int k = 0; k < 40; ++k) {
        const int layer = k / 16, i = k % 16 / 4, j = k % 4;
        chem_atom(mol, (i + j + layer) % 2 ? "O" : "Ni", i * d, j * d, layer * d);
    }
    chem_cell(mol, cell, 2);
    check_bare(mol, 2, -2, "20 O, 20 Ni" IONS);
}

static void test_metals(void)
{
#define METAL " without covalent bonds; UFF describes metals poorly"
    static const double none[1][3];
    check_bare(face_centred(3.615, "Cu", "Cu", none, 0), 0, 0, "metal: 4 Cu" METAL);
    check_bare(face_centred(4.078, "Au", "Au", none, 0), 0, 0, "metal: 4 Au" METAL);
    check_bare(body_centred(2.866, "Fe", "Fe"), 0, 0, "metal: 2 Fe" METAL);
    check_bare(body_centred(3.165, "W", "W"), 0, 0, "metal: 2 W" METAL);
    check_bare(body_centred(2.88, "Ni", "Al"), 0, 0, "metal: 1 Al, 1 Ni" METAL);
    check_bare(body_centred(4.29, "Na", "Na"), 0, 0, "metal: 2 Na" METAL);
    check_bare(face_centred(5.58, "Ca", "Ca", none, 0), 0, 0, "metal: 4 Ca" METAL);
    shoal_molecule *warm = body_centred(4.29, "Na", "Na"); /* two of them as near as in a bond */
    for (int c = 0; c < 3; ++c) warm->pos[1][c] -= 0.07;
    check_bare(warm, 0, 0, "metal: 2 Na" METAL);
    const double edge = 2.866 / 2,
                 primitive[3][3] = {{-edge, edge, edge}, {edge, -edge, edge}, {edge, edge, -edge}};
    shoal_molecule *one = chem_atoms("Fe", 1);
    chem_cell(one, primitive, 3);
    check_bare(one, 0, 0, "metal: 1 Fe" METAL);
    shoal_molecule *cluster = chem_atoms("Au", 0);
    chem_atom(cluster, "Au", 0, 0, 0);
    for (int32_t k = 0; k < 12; ++k) { /* the corners of a cuboctahedron */
        const double s = 2.88 / sqrt(2), x = k & 1 ? s : -s, y = k & 2 ? s : -s;
        const double at[3][3] = {{x, y, 0}, {x, 0, y}, {0, x, y}};
        chem_atom(cluster, "Au", at[k / 4][0], at[k / 4][1], at[k / 4][2]);
    }
    check_bare(cluster, 0, 0, "metal: 13 Au" METAL);
}

/* Atoms as "symbol x y z" lines of xyz; how many bonds metals have left, and the sum of formal charges. */
static void check_metal_bonds(const char *text, int32_t want)
{
    shoal_molecule *mol = chem_xyz(text);
    int32_t n = 0;
    chem_perceive(mol, 0);
    for (int32_t b = 0; b < mol->n_bonds; ++b)
        n += element_is_metal(mol->element[mol->bonds[b].i]) ||
             element_is_metal(mol->element[mol->bonds[b].j]);
    CHECK(n == want);
    if (n != want) (void)printf("%d bonds in %s\n", n, text);
    shoal_molecule_destroy(mol);
}

static void test_ions_and_molecules(void)
{
    check_metal_bonds("2\n\nNa 0 0 0\nCl 2.36 0 0\n", 0);
    check_metal_bonds("8\n\nNa 0 0 0\nCl 2.7 0 0\nO 0 2.4 0\nH 0.76 2.99 0\nH -0.76 2.99 0\n"
                      "O 0 -2.4 0\nH 0.76 -2.99 0\nH -0.76 -2.99 0\n",
                      0);
    check_metal_bonds(
        "8\n\nC -1.35 0 0\nC 0.17 0 0\nO 0.75 1.11 0\nO 0.75 -1.11 0\nH -1.72 1.02 0\n"
        "H -1.72 -0.51 0.88\nH -1.72 -0.51 -0.88\nNa 2.7 0 0\n",
        0);
    check_metal_bonds(
        "5\n\nLi 0 0 2\nC 0 0 0\nH 1.03 0 -0.36\nH -0.51 0.89 -0.36\nH -0.51 -0.89 -0.36\n", 1);
    check_metal_bonds("6\n\nMg 0 0 2.1\nC 0 0 0\nH 1.03 0 -0.36\nH -0.51 0.89 -0.36\n"
                      "H -0.51 -0.89 -0.36\nCl 0 0 4.3\n",
                      2);
    check_metal_bonds("2\n\nCu 0 0 0\nCu 2.22 0 0\n", 1);
    check_metal_bonds("4\n\nCu 1.4 0 0\nCu -1.4 0 0\nO 0 1.2 0\nO 0 -1.2 0\n", 4);
    check_metal_bonds("4\n\nAl 0 0 0\nCl 2.07 0 0\nCl -1.035 1.793 0\nCl -1.035 -1.793 0\n", 3);
    check_metal_bonds("6\n\nAl 0 0 0\nCl 1.23 1.23 1.23\nCl 1.23 -1.23 -1.23\nCl -1.23 1.23 -1.23\n"
                      "Cl -1.23 -1.23 1.23\nNa 3.3 0 0\n",
                      4);
}

/* The paddle wheel of copper formate: two Cu-Cu and eight Cu-O bonds; that of a salt would have none. */
static void test_complexes_stay(void)
{
    static const double turn[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    shoal_molecule *mol = chem_new();
    chem_atom(mol, "Cu", 0, 0, 1.31);
    chem_atom(mol, "Cu", 0, 0, -1.31);
    for (int k = 0; k < 4; ++k) {
        const double x = turn[k][0], y = turn[k][1];
        chem_atom(mol, "O", 1.95 * x, 1.95 * y, 1.12);
        chem_atom(mol, "O", 1.95 * x, 1.95 * y, -1.12);
        chem_atom(mol, "C", 2.53 * x, 2.53 * y, 0);
        chem_atom(mol, "H", 3.62 * x, 3.62 * y, 0);
    }
    uff u;
    uff_make_typed(&u, mol, NULL);
    CHECK(mol->n_bonds == 1 + 8 + 8 + 4 && chem_order(mol, 0, 1) > 0);
    CHECK_TEXT(shoal_topology_warning(u.topology), "");
    uff_free(&u);
    shoal_molecule_destroy(mol);
    static const double quarter[][3] = {{0.25, 0.25, 0.25}};
    shoal_molecule *blende = face_centred(5.41, "Zn", "S", quarter, 1);
    chem_perceive(blende, 0);
    CHECK(blende->n_bonds == 16);
    shoal_molecule_destroy(blende);
}

/* Rutile: Ti-O bonds, and none between the metals that oxygen holds apart. */
static void test_oxide(void)
{
    const double a = 4.594, c = 2.959, u = 0.305 * a, h = a / 2;
    const double cell[3][3] = {{a, 0, 0}, {0, a, 0}, {0, 0, c}};
    shoal_molecule *mol = chem_new();
    chem_atom(mol, "Ti", 0, 0, 0);
    chem_atom(mol, "Ti", h, h, c / 2);
    chem_atom(mol, "O", u, u, 0);
    chem_atom(mol, "O", a - u, a - u, 0);
    chem_atom(mol, "O", h + u, h - u, c / 2);
    chem_atom(mol, "O", h - u, h + u, c / 2);
    chem_cell(mol, cell, 3);
    uff t;
    char text[CHEM_TEXT];
    uff_make_typed(&t, mol, NULL);
    CHECK(mol->n_bonds == 12);
    CHECK_TEXT(uff_labels(&t, text), "Ti6+4 Ti6+4 O_3 O_3 O_3 O_3");
    uff_free(&t);
    shoal_molecule_destroy(mol);
}

/* What the file says of bonds is kept. */
static void test_given_bonds_stay(void)
{
    shoal_molecule *mol = chem_new();
    chem_atom(mol, "Na", 0, 0, 0);
    chem_atom(mol, "Cl", 2.36, 0, 0);
    chem_bond(mol, 0, 1, SHOAL_ORDER_SINGLE);
    chem_perceive(mol, 0);
    CHECK(mol->n_bonds == 1);
    shoal_molecule_destroy(mol);
}

/* --- either side of the rules --------------------------------------------------------------------*/

/* Bonds of a molecule with a total charge, which is destroyed. */
static int32_t count_bonds(shoal_molecule *mol, int32_t charge)
{
    chem_perceive(mol, charge);
    const int32_t n = mol->n_bonds;
    shoal_molecule_destroy(mol);
    return n;
}

/* The structure of corundum, R-3c in hexagonal axes. */
static shoal_molecule *corundum(double a, double c, const char *metal, const char *anion)
{
    static const double centring[3][3] = {
        {0, 0, 0}, {2 / 3.0, 1 / 3.0, 1 / 3.0}, {1 / 3.0, 2 / 3.0, 2 / 3.0}};
    const double z = 0.3448, x = 0.313;
    const double metals[4] = {z, 0.5 - z, -z, 0.5 + z};
    const double anions[6][3] = {{x, 0, 0.25},  {0, x, 0.25},  {-x, -x, 0.25},
                                 {-x, 0, 0.75}, {0, -x, 0.75}, {x, x, 0.75}};
    const double cell[3][3] = {{a, 0, 0}, {-a / 2, a * sqrt(0.75), 0}, {0, 0, c}};
    shoal_molecule *mol = chem_new();
    for (int k = 0; k < 30; ++k) {
        const int n = k % 10;
        double f[3] = {0, 0, n < 4 ? metals[n] : 0};
        for (int d = 0; d < 3; ++d) f[d] = (n < 4 ? f[d] : anions[n - 4][d]) + centring[k / 10][d];
        chem_atom(mol, n < 4 ? metal : anion, a * f[0] - a / 2 * f[1], a * sqrt(0.75) * f[1],
                  c * f[2]);
    }
    chem_cell(mol, cell, 3);
    return mol;
}

static shoal_molecule *rutile(double a, double c, const char *metal, const char *anion)
{
    const double u = 0.303 * a, h = a / 2, cell[3][3] = {{a, 0, 0}, {0, a, 0}, {0, 0, c}};
    shoal_molecule *mol = chem_new();
    chem_atom(mol, metal, 0, 0, 0);
    chem_atom(mol, metal, h, h, c / 2);
    chem_atom(mol, anion, u, u, 0);
    chem_atom(mol, anion, a - u, a - u, 0);
    chem_atom(mol, anion, h + u, h - u, c / 2);
    chem_atom(mol, anion, h - u, h + u, c / 2);
    chem_cell(mol, cell, 3);
    return mol;
}

/* Oxides with four metals about oxygen and fluorides with three are salts; so is a metal of group 2. */
static void test_more_salts(void)
{
    check_bare(corundum(5.149, 13.642, "Ti", "O"), 3, -2, "18 O, 12 Ti" IONS);
    check_bare(corundum(4.954, 13.599, "Cr", "O"), 3, -2, "18 O, 12 Cr" IONS);
    check_bare(rutile(4.651, 3.084, "Ni", "F"), 2, -1, "4 F, 2 Ni" IONS);
    check_bare(rutile(4.874, 3.300, "Mn", "F"), 2, -1, "4 F, 2 Mn" IONS);
    const double a = 3.209, c = 5.211,
                 cell[3][3] = {{a, 0, 0}, {-a / 2, a * sqrt(0.75), 0}, {0, 0, c}};
    shoal_molecule *mol = chem_new();
    chem_atom(mol, "Mg", 0, 0, 0);
    chem_atom(mol, "Mg", 0, a / sqrt(3), c / 2);
    chem_cell(mol, cell, 3);
    chem_perceive(mol, 0);
    CHECK(mol->radical[0] == 2 && mol->radical[1] == 2); /* what tells it from an ion */
    check_bare(mol, 0, 0, "metal: 2 Mg" METAL);
    check_metal_bonds("3\n\nCu 0 0 0\nCu 2.5 0 0\nCu 1.25 2.165 0\n", 0);
}

/* Oxygen with three metals, as that of La(OH)3 would have without its hydrogen: a salt, as lanthanum has nine. */
static void test_shared_rule(void)
{
    const double a = 6.53, c = 3.85, x = 0.39, y = 0.31;
    const double f[8][3] = {{1 / 3.0, 2 / 3.0, 0.25}, {2 / 3.0, 1 / 3.0, 0.75}, {x, y, 0.25},
                            {-y, x - y, 0.25},        {y - x, -x, 0.25},        {-x, -y, 0.75},
                            {y, y - x, 0.75},         {x - y, x, 0.75}};
    const double cell[3][3] = {{a, 0, 0}, {-a / 2, a * sqrt(0.75), 0}, {0, 0, c}};
    shoal_molecule *mol = chem_new();
    for (int k = 0; k < 8; ++k)
        chem_atom(mol, k < 2 ? "La" : "O", a * f[k][0] - a / 2 * f[k][1], a * sqrt(0.75) * f[k][1],
                  c * f[k][2]);
    chem_cell(mol, cell, 3);
    CHECK(count_bonds(mol, 0) == 0);
}

/* Atoms along the axes from a centre: six directions, so many of each element. */
static shoal_molecule *star(const char *centre, const char *const *arms, const double *r, int n)
{
    static const double axes[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                      {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    shoal_molecule *mol = chem_new();
    chem_atom(mol, centre, 0, 0, 0);
    for (int k = 0; k < n; ++k)
        chem_atom(mol, arms[k], r[k] * axes[k][0], r[k] * axes[k][1], r[k] * axes[k][2]);
    return mol;
}

/* Oxygen between two titanium atoms is that of a perovskite with four strontium ions, and a bridge with three; one of
 * its titanium atoms alone keeps its bond. */
static void test_perovskite_rule(void)
{
    const char *const arms[] = {"Ti", "Ti", "Sr", "Sr", "Sr", "Sr"};
    const char *const one[] = {"Ti", "Sr", "Sr", "Sr", "Sr", "Sr"};
    const double r[] = {1.95, 1.95, 2.76, 2.76, 2.76, 2.76};
    const double r_one[] = {1.95, 2.76, 2.76, 2.76, 2.76, 2.76};
    CHECK(count_bonds(star("O", arms, r, 6), 14) == 0);
    CHECK(count_bonds(star("O", arms, r, 5), 12) == 2);
    CHECK(count_bonds(star("O", one, r_one, 6), 12) == 1);
}

/* Nickel about one oxygen, each with so many chlorine atoms outside: with five, the oxygen is that of a salt, and
 * so are metals of which half of the partners are; with four, all bonds stay. */
static shoal_molecule *nickel_star(int n_metal, int n_chlorine)
{
    const char *const arms[] = {"Ni", "Ni", "Ni", "Ni", "Ni", "Ni"};
    const double r[] = {2.05, 2.05, 2.05, 2.05, 2.05, 2.05};
    shoal_molecule *mol = star("O", arms, r, n_metal);
    for (int k = 1; k <= n_metal; ++k)
        for (int l = 0; l < n_chlorine; ++l) {
            double at[3];
            for (int c = 0; c < 3; ++c) {
                const double along = mol->pos[k][c] / 2.05;
                const double aside = mol->pos[k][(c + 1) % 3] / 2.05 * (l ? -1 : 1);
                at[c] =
                    mol->pos[k][c] + 2.2 * (n_chlorine == 1 ? along : 0.8 * along + 0.6 * aside);
            }
            chem_atom(mol, "Cl", at[0], at[1], at[2]);
        }
    return mol;
}

static void test_packed_rule(void)
{
    CHECK(count_bonds(nickel_star(5, 1), 0) == 0);
    CHECK(count_bonds(nickel_star(5, 2), 0) == 10);
    CHECK(count_bonds(nickel_star(4, 1), 0) == 8);
}

/* Magnesium is an ion among anions and solvent, or where anions are half of its partners. */
static void test_magnesium(void)
{
    static const char *const nitriles[] = {"Cl", "N", "N"};
    static const double r[] = {2.3, 2.1, 2.1};
    for (int n = 1; n < 3; ++n) {
        shoal_molecule *mol = star("Mg", nitriles, r, 1 + n);
        chem_atom(mol, "C", -3.26, 0, 0);
        chem_atom(mol, "H", -4.33, 0, 0);
        if (n == 2) {
            chem_atom(mol, "C", 0, 3.26, 0);
            chem_atom(mol, "H", 0, 4.33, 0);
        }
        CHECK(count_bonds(mol, 1) == (n == 1 ? 2 : 3 + 4));
    }
    static const char *const ammonia[] = {"Cl", "N", "N", "N"};
    static const double d[] = {2.3, 2.1, 2.1, 2.1};
    shoal_molecule *mol = star("Mg", ammonia, d, 4);
    for (int k = 2; k < 5; ++k)
        for (int h = 0; h < 3; ++h) {
            const double phi = 2 * acos(-1) * h / 3;
            double at[3];
            for (int c = 0; c < 3; ++c) {
                const double along = mol->pos[k][c] / 2.1, p = mol->pos[k][(c + 1) % 3] / 2.1,
                             q = mol->pos[k][(c + 2) % 3] / 2.1;
                at[c] = mol->pos[k][c] + 0.35 * along + 0.95 * (cos(phi) * p + sin(phi) * q);
            }
            chem_atom(mol, "H", at[0], at[1], at[2]);
        }
    CHECK(count_bonds(mol, 1) == 9); /* N-H alone */
}

/* Hydrogen between two lithium atoms is bonded to them, among three it is that of a salt. */
static void test_hydrides(void)
{
    shoal_molecule *rhomb = chem_xyz("4\n\nLi 1.15 0 0\nLi -1.15 0 0\nH 0 1.35 0\nH 0 -1.35 0\n");
    chem_perceive(rhomb, 0);
    for (int32_t k = 0; k < 4; ++k) CHECK(chem_order(rhomb, k % 2, 2 + k / 2) > 0);
    shoal_molecule_destroy(rhomb);
    shoal_molecule *cube = chem_new();
    for (int k = 0; k < 8; ++k) {
        const int x = k & 1, y = k >> 1 & 1, z = k >> 2;
        chem_atom(cube, (x + y + z) % 2 ? "H" : "Li", 1.85 * x, 1.85 * y, 1.85 * z);
    }
    CHECK(count_bonds(cube, 0) == 0);
}

/* [Mo6Cl14]2-: the chlorine atoms on the faces of a cluster with bonds between its metals are its ligands. */
static void test_cluster(void)
{
    shoal_molecule *mol = chem_new();
    for (int k = 0; k < 6; ++k) {
        double at[3] = {0, 0, 0};
        at[k / 2] = k % 2 ? 1.845 : -1.845;
        chem_atom(mol, "Mo", at[0], at[1], at[2]);
        at[k / 2] = k % 2 ? 4.27 : -4.27;
        chem_atom(mol, "Cl", at[0], at[1], at[2]);
    }
    for (int k = 0; k < 8; ++k)
        chem_atom(mol, "Cl", k & 1 ? 1.745 : -1.745, k & 2 ? 1.745 : -1.745,
                  k & 4 ? 1.745 : -1.745);
    CHECK(count_bonds(mol, -2) == 12 + 24 + 6);
}

/* --- types ---------------------------------------------------------------------------------------*/

/* The sodalite cage of silica; the piece of it that lies in the first cell when it is not repeated. */
static shoal_molecule *sodalite(void)
{
    static const double t[6][3] = {{0.25, 0, 0.5}, {0.75, 0, 0.5}, {0.5, 0.25, 0},
                                   {0.5, 0.75, 0}, {0, 0.5, 0.25}, {0, 0.5, 0.75}};
    const double y = 0.3529;
    site sites[36];
    int32_t n = 0;
    for (int half = 0; half < 2; ++half) {
        const double m = 0.5 * half;
        for (int k = 0; k < 6; ++k)
            sites[n++] = (site){"Si", {t[k][0] + m, t[k][1] + m, t[k][2] + m}};
        for (int k = 0; k < 4; ++k) {
            const double p = k & 1 ? y : -y, q = k & 2 ? y : -y;
            sites[n++] = (site){"O", {m, p + m, q + m}};
            sites[n++] = (site){"O", {p + m, m, q + m}};
            sites[n++] = (site){"O", {p + m, q + m, m}};
        }
    }
    return crystal(8.83, sites, n);
}

static int32_t count_label(const uff *u, const char *label)
{
    int32_t n = 0;
    for (int32_t i = 0; i < u->view.n_atoms; ++i) n += strcmp(u->view.types[i], label) == 0;
    return n;
}

static void test_zeolite(void)
{
    shoal_molecule *mol = sodalite();
    uff u;
    uff_run r;
    uff_make_typed(&u, mol, NULL);
    CHECK(count_label(&u, "O_3_z") == 24 && count_label(&u, "Si3") == 12);
    uff_run_make(&r, &u, mol);
    CHECK(r.result.energy < 1); /* 75 eV with O_3 */
    uff_run_free(&r);
    uff_free(&u);
    CHECK(shoal_molecule_set_type(mol, 6, "O_3") == SHOAL_OK);
    uff_make_typed(&u, mol, NULL);
    CHECK(count_label(&u, "O_3_z") == 23);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

/* A chain of silicic acid: its bridges are a framework where it has no end. */
static void test_silicate_chain(void)
{
    const double cell[3][3] = {{3.1, 0, 0}, {0, 20, 0}, {0, 0, 20}};
    for (int n_periodic = 0; n_periodic < 2; ++n_periodic) {
        shoal_molecule *mol =
            chem_xyz("6\n\nSi 0 0 0\nO 1.55 0.45 0\nO 0 -0.85 1.35\nO 0 -0.85 -1.35\n"
                     "H 0 -0.35 2.2\nH 0 -0.35 -2.2\n");
        uff u;
        if (n_periodic) chem_cell(mol, cell, 1);
        uff_make_typed(&u, mol, NULL);
        CHECK(count_label(&u, "O_3_z") == n_periodic);
        uff_free(&u);
        shoal_molecule_destroy(mol);
    }
}

/* A sheet of n x n cells of two atoms, repeated in two directions or cut out. */
static shoal_molecule *honeycomb(int n, int n_periodic)
{
    const double a = 2.504, h = a * sqrt(3) / 2;
    const double cell[3][3] = {{n * a, 0, 0}, {-n * a / 2, n * h, 0}, {0, 0, 20}};
    shoal_molecule *mol = chem_new();
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            chem_atom(mol, "B", a * i - a / 2 * j, h * j + 2 * h / 3, 5);
            chem_atom(mol, "N", a * i - a / 2 * j + a / 2, h * j + h / 3, 5);
        }
    if (n_periodic) chem_cell(mol, cell, n_periodic);
    return mol;
}

static void test_boron_nitride(void)
{
    for (int n = 1; n <= 4; ++n) {
        shoal_molecule *mol = honeycomb(n, 2);
        uff u;
        uff_run r;
        uff_make_typed(&u, mol, NULL);
        CHECK(count_label(&u, "N_R") == n * n && count_label(&u, "B_2") == n * n);
        CHECK(terms_count(&u.view, SHOAL_KIND_INVERSION) == 3 * n * n);
        uff_run_make(&r, &u, mol);
        CHECK(r.result.energy < 0.25 * n * n); /* bonds of 1.44 angstrom, flat angles */
        uff_run_free(&r);
        uff_free(&u);
        shoal_molecule_destroy(mol);
    }
    shoal_molecule *flake = honeycomb(5, 0);
    uff cut;
    uff_make_typed(&cut, flake, NULL);
    CHECK(count_label(&cut, "N_R") >= 9); /* those among three B, at the least */
    uff_free(&cut);
    shoal_molecule_destroy(flake);
    shoal_molecule *borazine = chem_new();
    for (int k = 0; k < 6; ++k) {
        const double x = cos(k * 1.0471975512), y = sin(k * 1.0471975512), r = k % 2 ? 2.45 : 2.64;
        chem_atom(borazine, k % 2 ? "N" : "B", 1.44 * x, 1.44 * y, 0);
        chem_atom(borazine, "H", r * x, r * y, 0);
    }
    uff u;
    uff_make_typed(&u, borazine, NULL);
    CHECK(count_label(&u, "N_3") == 3 && count_label(&u, "B_2") == 3);
    uff_free(&u);
    shoal_molecule_destroy(borazine);
}

/* --- metals with several types --------------------------------------------------------------------*/

static void check_centre(const char *text, int32_t charge, const char *want)
{
    shoal_molecule *mol = chem_xyz(text);
    uff u;
    chem_perceive(mol, charge);
    uff_make_typed(&u, mol, NULL);
    CHECK_TEXT(u.view.types[0], want);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

static void test_centres(void)
{
#define FOUR(M, A, B)                                                                              \
    "5\n\n" M " 0 0 0\n" A " 1.25 1.25 1.25\n" A " 1.25 -1.25 -1.25\n" B " -1.25 1.25 -1.25\n" B   \
    " -1.25 -1.25 1.25\n"
#define TWO(M)                                                                                     \
    "5\n\n" M " 0 0 0\nO 0.98 0.98 0.98\nO 0.98 -0.98 -0.98\nCl -1.3 1.3 -1.3\nCl -1.3 -1.3 1.3\n"
    for (int32_t charge = -2; charge <= 0; ++charge)
        check_centre(FOUR("Fe", "Cl", "Cl"), charge, "Fe3+2");
    check_centre(FOUR("W", "Cl", "Cl"), 0, "W_3+4");
    check_centre(TWO("W"), 0, "W_3+6");
    check_centre(TWO("Mo"), 0, "Mo3+6");
    check_centre(
        "7\n\nW 0 0 0\nF 1.83 0 0\nF -1.83 0 0\nF 0 1.83 0\nF 0 -1.83 0\nF 0 0 1.83\nF 0 0 -1.83\n",
        0, "W_6+6");
    shoal_molecule *given = chem_xyz(TWO("W")); /* the same with double bonds, as files have them */
    for (int32_t k = 1; k <= 4; ++k)
        chem_bond(given, 0, k, k < 3 ? SHOAL_ORDER_DOUBLE : SHOAL_ORDER_SINGLE);
    uff u;
    uff_make_typed(&u, given, NULL);
    CHECK_TEXT(u.view.types[0], "W_3+6");
    uff_free(&u);
    shoal_molecule_destroy(given);
}

/* Iron in a ring of four nitrogen atoms with three carbon atoms between neighbours. */
static shoal_molecule *iron_in_ring(void)
{
    shoal_molecule *mol = chem_new();
    chem_atom(mol, "Fe", 0, 0, 0);
    for (int32_t k = 0; k < 16; ++k) {
        const double angle = k * 0.39269908169872414, r = k % 4 ? 3.5 : 2;
        chem_atom(mol, k % 4 ? "C" : "N", r * cos(angle), r * sin(angle), 0);
    }
    for (int32_t k = 0; k < 16; ++k) {
        chem_bond(mol, 1 + k, 1 + (k + 1) % 16, SHOAL_ORDER_SINGLE);
        if (k % 4 == 0) chem_bond(mol, 0, 1 + k, SHOAL_ORDER_SINGLE);
    }
    return mol;
}

/* Rings of a framework do not hold a metal atom in a plane, those of a macrocycle do. */
static void test_rings_of_centres(void)
{
    static const double quarter[][3] = {{0.25, 0.25, 0.25}};
    shoal_molecule *blende = face_centred(5.2, "Fe", "S", quarter, 1), *ring = iron_in_ring();
    uff u;
    uff_make_typed(&u, blende, NULL);
    CHECK(count_label(&u, "Fe3+2") == 4);
    uff_free(&u);
    uff_make_typed(&u, ring, NULL);
    CHECK_TEXT(u.view.types[0], "Fe6+2");
    uff_free(&u);
    shoal_molecule_destroy(blende);
    shoal_molecule_destroy(ring);
}

/* Guards of angles: a sheet of carbon whose smallest cell holds two neighbours of an atom that are images of one: they have others in
 * common, but not the same images of these. */
static void test_guards_of_images(void)
{
    static const double cell[3][3] = {{1.9, 0, 0}, {0, 5.82, 0}, {0, 0, 20}};
    shoal_molecule *mol = chem_xyz("4\n\nC 0 0 0\nC .95 1.41 0\nC .95 2.91 0\nC 0 4.32 0\n");
    uff u;
    chem_cell(mol, cell, 2);
    uff_make_typed(&u, mol, NULL);
    const int32_t n = terms_count(&u.view, SHOAL_KIND_ANGLE);
    CHECK(n == 12);
    for (int32_t k = 0; k < n; ++k) {
        const shoal_term *t = &terms_of(&u.view, SHOAL_KIND_ANGLE)[k];
        CHECK_NEAR(t->p[SHOAL_ANGLE_GUARD_FROM], cos(80 * 0.017453292519943295), 1e-12);
    }
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

/* SF4: as documented, S_3+4 with the axes of a see-saw and no torsions. */
static void test_see_saw(void)
{
    shoal_molecule *mol =
        chem_xyz("5\n\nS 0 0 0\nF 0 0 1.64\nF 0 0 -1.64\nF 1.2 0.97 0\nF -1.2 0.97 0\n");
    uff u;
    uff_make_typed(&u, mol, NULL);
    CHECK_TEXT(u.view.types[0], "S_3+4");
    CHECK(terms_count(&u.view, SHOAL_KIND_ANGLE) == 6);
    CHECK(terms_count(&u.view, SHOAL_KIND_TORSION) == 0);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    test_salts();
    test_large_salt();
    test_step();
    test_metals();
    test_ions_and_molecules();
    test_complexes_stay();
    test_oxide();
    test_given_bonds_stay();
    test_more_salts();
    test_shared_rule();
    test_perovskite_rule();
    test_packed_rule();
    test_magnesium();
    test_hydrides();
    test_cluster();
    test_zeolite();
    test_silicate_chain();
    test_boron_nitride();
    test_centres();
    test_rings_of_centres();
    test_guards_of_images();
    test_see_saw();
    return check_done();
}
