/* SPDX-License-Identifier: BSD-3-Clause
 * Radicals, charges and bonds that structures of the same price would leave to rounding: no rotation and no order of the atoms
 * chooses. */
#include <math.h>
#include <string.h>

#include "chem_fixture.h"

enum { N_TURNS = 10, MOST = 24 };

typedef struct cluster {
    int32_t n, charge;
    const char *symbols[MOST];
    double at[MOST][3];
} cluster;

static void put(cluster *c, const char *symbol, double x, double y, double z)
{
    double *r = c->at[c->n];
    c->symbols[c->n++] = symbol;
    r[0] = x;
    r[1] = y;
    r[2] = z;
}

/* Turn number k, atoms from the first or from the last. */
static shoal_molecule *turn(const cluster *c, int k)
{
    const double t = 0.7 * k, u = 1.3 * k;
    shoal_molecule *mol = chem_new();
    for (int32_t n = 0; n < c->n; ++n) {
        const int32_t i = k % 2 ? c->n - 1 - n : n;
        const double *r = c->at[i];
        const double x = cos(t) * r[0] - sin(t) * r[1], y = sin(t) * r[0] + cos(t) * r[1];
        chem_atom(mol, c->symbols[i], x, cos(u) * y - sin(u) * r[2], sin(u) * y + cos(u) * r[2]);
    }
    chem_perceive(mol, c->charge);
    return mol;
}

/* All atoms of an element have this type, and all bonds between two of them this order. */
static void check_alike(shoal_molecule *mol, const char *symbol, const char *label, double order,
                        const char *warning)
{
    const int32_t z = shoal_element_number(symbol);
    shoal_topology *top;
    shoal_topology_view v;
    int32_t n;
    CHECK(shoal_topology_create(&top, mol, NULL) == SHOAL_OK);
    CHECK(shoal_topology_status(top) == SHOAL_SYSTEM_OK);
    shoal_topology_get(top, &v);
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        if (mol->element[i] == z) CHECK_TEXT(v.types[i], label);
    const shoal_term *bonds = shoal_topology_terms(&v, SHOAL_KIND_BOND, &n);
    for (int32_t b = 0; b < n; ++b)
        if (mol->element[bonds[b].atoms[0]] == z && mol->element[bonds[b].atoms[1]] == z)
            CHECK_NEAR(bonds[b].p[SHOAL_BOND_ORDER], order, 1e-12);
    CHECK(!warning == !*shoal_topology_warning(top));
    if (warning) CHECK(strstr(shoal_topology_warning(top), warning) != NULL);
    shoal_topology_destroy(top);
    shoal_molecule_destroy(mol);
}

/* A ring of n carbon atoms with hydrogen, without that of the first where it is open. */
static cluster make_ring(int32_t n, double length, bool open)
{
    const double step = 6.283185307179586 / n, r = length / (2 * sin(step / 2)), h = r + 1.08;
    cluster c = {0};
    for (int32_t k = 0; k < n; ++k) put(&c, "C", r * cos(k * step), r * sin(k * step), 0);
    for (int32_t k = open; k < n; ++k) put(&c, "H", h * cos(k * step), h * sin(k * step), 0);
    return c;
}

static void test_rings(void)
{
    const cluster cyclopentadienyl = make_ring(5, 1.40, false), tropyl = make_ring(7, 1.40, false);
    cluster phenyl = make_ring(6, 1.395, true);
    for (int k = 0; k < N_TURNS; ++k) {
        check_alike(turn(&cyclopentadienyl, k), "C", "C_R", 1.5, "1 unpaired electron");
        check_alike(turn(&tropyl, k), "C", "C_R", 1.5, "1 unpaired electron");
        phenyl.charge = 0;
        check_alike(turn(&phenyl, k), "C", "C_R", 1.5, "1 unpaired electron");
        phenyl.charge = -1;
        check_alike(turn(&phenyl, k), "C", "C_R", 1.5, NULL);
    }
}

static void test_allyl_radical(void)
{
    cluster c = {0};
    put(&c, "C", 0, 0, 0);
    put(&c, "H", 0, -1.09, 0);
    for (int s = -1; s < 2; s += 2) {
        put(&c, "C", 1.2 * s, 0.68, 0);
        put(&c, "H", 1.2 * s, 1.76, 0);
        put(&c, "H", 2.14 * s, 0.14, 0);
    }
    for (int k = 0; k < N_TURNS; ++k)
        check_alike(turn(&c, k), "C", "C_R", 1.5, "1 unpaired electron");
}

/* A methyl group at (x, y, z) whose bond comes from where ux, uy point to. */
static void put_methyl(cluster *c, double x, double y, double z, double ux, double uy)
{
    put(c, "C", x, y, z);
    put(c, "H", x - 0.36 * ux - 1.03 * uy, y - 0.36 * uy + 1.03 * ux, z);
    put(c, "H", x - 0.36 * ux + 0.51 * uy, y - 0.36 * uy - 0.51 * ux, z + 0.89);
    put(c, "H", x - 0.36 * ux + 0.51 * uy, y - 0.36 * uy - 0.51 * ux, z - 0.89);
}

/* Two aminoxyls are two radicals: no cation and anion, whichever is which. */
static void test_aminoxyl(void)
{
    cluster c = {0};
    for (int m = 0; m < 2; ++m) {
        const double z = 12 * m;
        put(&c, "N", 0, 0, z);
        put(&c, "O", 0, 1.28, z);
        put_methyl(&c, 1.25, -0.74, z, -0.86, 0.51);
        put_methyl(&c, -1.25, -0.74, z, 0.86, 0.51);
    }
    for (int k = 0; k < N_TURNS; ++k) {
        shoal_molecule *mol = turn(&c, k);
        for (int32_t i = 0; i < mol->n_atoms; ++i) CHECK(mol->formal_charge[i] == 0);
        check_alike(mol, "O", "O_3", 1, "2 unpaired electrons");
    }
}

/* Of two dimers of nitrosomethane none gets the electrons of the other, and their oxygens are alike. */
static void test_dimers(void)
{
    cluster c = {0};
    for (int m = 0; m < 2; ++m)
        for (int s = -1; s < 2; s += 2) {
            const double z = 12 * m;
            put(&c, "N", 0, 0.65 * s, z);
            put(&c, "O", 1.08 * s, 1.31 * s, z);
            put_methyl(&c, -1.26 * s, 1.38 * s, z, 0.86 * s, -0.51 * s);
        }
    for (int k = 0; k < N_TURNS; ++k) {
        shoal_molecule *mol = turn(&c, k);
        int32_t upper = 0;
        for (int32_t i = 0; i < 12; ++i) upper += mol->formal_charge[i];
        CHECK(upper == 0);
        check_alike(mol, "O", "O_R", 1.5, NULL);
    }
}

/* Xenon has as many bonds as its neighbours want; with four double ones it is no square. */
static void test_xenon(void)
{
    const double d = 1.74 / sqrt(3);
    cluster oxide = {0}, cation = {.charge = 1};
    put(&oxide, "Xe", 0, 0, 0);
    put(&oxide, "O", d, d, d);
    put(&oxide, "O", d, -d, -d);
    put(&oxide, "O", -d, d, -d);
    put(&oxide, "O", -d, -d, d);
    put(&cation, "Xe", 0, 0, 0);
    put(&cation, "F", 0, 0, 1.85);
    put(&cation, "F", 1.85, 0, 0);
    put(&cation, "F", -1.85, 0, 0);
    put(&cation, "F", 0, 1.85, 0);
    put(&cation, "F", 0, -1.85, 0);
    shoal_molecule *mol = turn(&oxide, 1);
    for (int32_t b = 0; b < 4; ++b) CHECK(mol->bonds[b].order == SHOAL_ORDER_DOUBLE);
    shoal_topology *top;
    shoal_topology_view v;
    int32_t n;
    CHECK(shoal_topology_create(&top, mol, NULL) == SHOAL_OK);
    CHECK_TEXT(shoal_topology_warning(top), "");
    shoal_topology_get(top, &v);
    (void)shoal_topology_terms(&v, SHOAL_KIND_GUARD, &n);
    CHECK(n == 0); /* nothing drives opposite atoms apart */
    const shoal_term *angles = shoal_topology_terms(&v, SHOAL_KIND_ANGLE, &n);
    CHECK(n == 6 && angles[0].p[SHOAL_ANGLE_C0 + 4] == 0);
    shoal_topology_destroy(top);
    shoal_molecule_destroy(mol);
    mol = turn(&cation, 0);
    CHECK(mol->formal_charge[0] == 1);
    shoal_molecule_destroy(mol);
}

/* Across a ring that is too narrow, of two equal gaps at a full carbon atom neither is a bond. */
static void test_gaps(void)
{
    cluster c = {0};
    put(&c, "C", 0, 0, 0);
    put(&c, "C", 0, -1.5, 0);
    put(&c, "N", 1.2, 0.4, 0);
    put(&c, "N", -1.2, 0.4, 0);
    put(&c, "C", 0.61, 1.69, 0);
    put(&c, "C", -0.61, 1.69, 0);
    put(&c, "H", 1.3, 2.35, 0);
    put(&c, "H", -1.3, 2.35, 0);
    put_methyl(&c, 2.6, 0.2, 0, -1, 0);
    c.at[1][1] = -1.5;
    for (int k = 0; k < N_TURNS; ++k) {
        shoal_molecule *mol = turn(&c, k);
        const int32_t first = k % 2 ? c.n - 1 : 0;
        CHECK(graph_degree(&mol->perception->graph, first) == 3);
        shoal_molecule_destroy(mol);
    }
}

/* A crystal tells of its radicals, too, but not of the ends of a sheet. */
static void test_crystal(void)
{
    static const double wide[3][3] = {{15, 0, 0}, {0, 15, 0}, {0, 0, 15}};
    const cluster c = make_ring(5, 1.40, false);
    shoal_molecule *mol = chem_new();
    for (int32_t n = 0; n < c.n; ++n)
        chem_atom(mol, c.symbols[n], c.at[n][0], c.at[n][1], c.at[n][2]);
    chem_cell(mol, wide, 3);
    chem_perceive(mol, 0);
    check_alike(mol, "C", "C_R", 1.5, "1 unpaired electron");
    mol = chem_new();
    for (int32_t n = 0; n < 5; ++n) chem_atom(mol, "C", c.at[n][0], c.at[n][1], 0);
    chem_cell(mol, wide, 3);
    shoal_topology *top;
    CHECK(shoal_topology_create(&top, mol, NULL) == SHOAL_OK);
    CHECK(strstr(shoal_topology_warning(top), "unpaired") == NULL);
    shoal_topology_destroy(top);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    test_rings();
    test_allyl_radical();
    test_aminoxyl();
    test_dimers();
    test_xenon();
    test_gaps();
    test_crystal();
    return check_done();
}
