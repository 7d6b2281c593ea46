/* SPDX-License-Identifier: BSD-3-Clause
 * Orders that resonance structures share: no rotation and no order of the atoms chooses between bonds that are alike. */
#include <math.h>
#include <string.h>

#include "chem_fixture.h"

typedef struct place {
    int32_t z;
    double r[3];
} place;

typedef struct ion {
    const char *name;
    int32_t charge, n, of[2]; /* of: elements of the bonds that share */
    double shared;            /* order; 0: none */
    const char *label;        /* of the terminal atoms */
    place atoms[9];
} ion;

#define T 0.57735026918962576
static const ion ions[] = {
    {"formate",
     -1,
     4,
     {6, 8},
     1.5,
     "O_R",
     {{6, {0, 0, 0}}, {8, {1.1, 0.61, 0}}, {8, {-1.1, 0.61, 0}}, {1, {0, -1.1, 0}}}},
    {"nitrate",
     -1,
     4,
     {7, 8},
     4.0 / 3,
     "O_R",
     {{7, {0, 0, 0}},
      {8, {1.26, 0, 0}},
      {8, {-0.63, 1.0911920087683927, 0}},
      {8, {-0.63, -1.0911920087683927, 0}}}},
    {"sulfate",
     -2,
     5,
     {8, 16},
     1.5,
     "O_2",
     {{16, {0, 0, 0}},
      {8, {1.49 * T, 1.49 * T, 1.49 * T}},
      {8, {1.49 * T, -1.49 * T, -1.49 * T}},
      {8, {-1.49 * T, 1.49 * T, -1.49 * T}},
      {8, {-1.49 * T, -1.49 * T, 1.49 * T}}}},
    {"perchlorate",
     -1,
     5,
     {8, 17},
     1.75,
     "O_2",
     {{17, {0, 0, 0}},
      {8, {1.45 * T, 1.45 * T, 1.45 * T}},
      {8, {1.45 * T, -1.45 * T, -1.45 * T}},
      {8, {-1.45 * T, 1.45 * T, -1.45 * T}},
      {8, {-1.45 * T, -1.45 * T, 1.45 * T}}}},
    {"malondialdehyde anion",
     -1,
     8,
     {6, 8},
     1.5,
     "O_R",
     {{6, {0, 0, 0}},
      {6, {1.2, 0.72, 0}},
      {6, {-1.2, 0.72, 0}},
      {8, {1.3, 1.97, 0}},
      {8, {-1.3, 1.97, 0}},
      {1, {0, -1.09, 0}},
      {1, {2.1, 0.1, 0}},
      {1, {-2.1, 0.1, 0}}}},
    {"allyl anion",
     -1,
     8,
     {6, 6},
     1.5,
     "C_R",
     {{6, {0, 0, 0}},
      {6, {1.2, 0.65, 0}},
      {6, {-1.2, 0.65, 0}},
      {1, {0, -1.09, 0}},
      {1, {1.2, 1.74, 0}},
      {1, {2.15, 0.1, 0}},
      {1, {-1.2, 1.74, 0}},
      {1, {-2.15, 0.1, 0}}}},
    /* lengths that differ by 0.03 angstrom say where the double bond is */
    {"formate, uneven",
     -1,
     4,
     {6, 8},
     0,
     "O_R",
     {{6, {0, 0, 0}}, {8, {1.11, 0.64, 0}}, {8, {-1.1, 0.60, 0}}, {1, {0, -1.1, 0}}}},
};
enum { N_IONS = sizeof ions / sizeof ions[0], N_TURNS = 12 };

/* Rotation number k, atoms from the first or from the last. */
static shoal_molecule *make(const ion *a, int k)
{
    const double t = 0.7 * k, u = 1.3 * k;
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int32_t n = 0; n < a->n; ++n) {
        const place *p = &a->atoms[k % 2 ? a->n - 1 - n : n];
        const double x = cos(t) * p->r[0] - sin(t) * p->r[1],
                     y = sin(t) * p->r[0] + cos(t) * p->r[1];
        const double r[3] = {x, cos(u) * y - sin(u) * p->r[2], sin(u) * y + cos(u) * p->r[2]};
        CHECK(shoal_molecule_add_atom(mol, p->z, r) == SHOAL_OK);
    }
    const shoal_perceive_options o = {.total_charge = a->charge, .has_total_charge = true};
    CHECK(shoal_molecule_perceive(mol, &o) == SHOAL_OK);
    return mol;
}

static bool is_of(const shoal_molecule *v, const shoal_bond *b, const int32_t of[2])
{
    const int32_t p = v->element[b->i], q = v->element[b->j];
    return (p == of[0] && q == of[1]) || (p == of[1] && q == of[0]);
}

static void check_orders(const ion *a, const shoal_molecule *mol)
{
    int n = 0;
    double sum = 0;
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        if (!is_of(mol, &mol->bonds[b], a->of)) continue;
        CHECK_NEAR(mol->bonds[b].shared, a->shared, 1e-15);
        sum += mol->bonds[b].order;
        ++n;
    }
    CHECK(n >= 2);
    if (a->shared > 0) CHECK_NEAR(sum / n, a->shared, 1e-12); /* no electron is lost */
}

/* Bonds of one kind have the same parameters, and their outer atoms the same type. */
static void check_terms(const ion *a, shoal_molecule *mol)
{
    shoal_topology *top = NULL;
    shoal_topology_view t;
    int32_t n;
    double first[2] = {0};
    CHECK(shoal_topology_create(&top, mol, NULL) == SHOAL_OK);
    shoal_topology_get(top, &t);
    const shoal_term *bonds = shoal_topology_terms(&t, SHOAL_KIND_BOND, &n);
    for (int32_t b = 0; b < n && a->shared > 0; ++b) {
        const shoal_bond bond = {.i = bonds[b].atoms[0], .j = bonds[b].atoms[1]};
        if (!is_of(mol, &bond, a->of)) continue;
        if (first[0] == 0) memcpy(first, bonds[b].p, sizeof first);
        CHECK(memcmp(first, bonds[b].p, sizeof first) == 0);
        CHECK_NEAR(bonds[b].p[SHOAL_BOND_ORDER], a->shared, 1e-15);
        const int32_t outer = t.elements[bond.i] == a->of[0] && a->of[0] == 8 ? bond.i : bond.j;
        const int32_t tip = t.elements[outer] == 8    ? outer
                            : t.elements[bond.i] == 8 ? bond.i
                                                      : outer;
        if (t.elements[tip] == 8) CHECK(strcmp(t.types[tip], a->label) == 0);
    }
    shoal_topology_destroy(top);
}

/* Triple bonds change with double ones, and the ends are linear wherever the charge is drawn. */
static void test_dicyanamide(void)
{
    static const ion dicyanamide = {.name = "dicyanamide",
                                    .charge = -1,
                                    .n = 5,
                                    .atoms = {{7, {0, 0, 0}},
                                              {6, {1.1, 0.6, 0}},
                                              {6, {-1.1, 0.6, 0}},
                                              {7, {2.1, 1.15, 0}},
                                              {7, {-2.1, 1.15, 0}}}};
    for (int k = 0; k < N_TURNS; ++k) {
        shoal_molecule *mol = make(&dicyanamide, k);
        shoal_topology *top = NULL;
        shoal_topology_view t;
        CHECK(shoal_topology_create(&top, mol, NULL) == SHOAL_OK);
        shoal_topology_get(top, &t);
        const int32_t middle = k % 2 ? 4 : 0;
        for (int32_t b = 0; b < mol->n_bonds; ++b) {
            const shoal_bond *bond = &mol->bonds[b];
            const bool inner = bond->i == middle || bond->j == middle;
            CHECK_NEAR(bond->shared, inner ? 1.5 : 2.5, 1e-15);
        }
        for (int32_t i = 0; i < 5; ++i)
            if (mol->element[i] == 7 && i != middle) CHECK(strcmp(t.types[i], "N_1") == 0);
        shoal_topology_destroy(top);
        shoal_molecule_destroy(mol);
    }
}

/* The charge of dihydrogen borate is on its oxygen, not on a boron with a double bond. */
static void test_borate(void)
{
    static const ion borate = {.name = "borate",
                               .charge = -1,
                               .n = 6,
                               .atoms = {{5, {0, 0, 0}},
                                         {8, {1.30, 0, 0}},
                                         {8, {-0.70, 1.21, 0}},
                                         {8, {-0.70, -1.21, 0}},
                                         {1, {-1.65, 1.1, 0}},
                                         {1, {-1.65, -1.1, 0}}}};
    shoal_molecule *mol = make(&borate, 0);
    CHECK(mol->formal_charge[0] == 0 && mol->formal_charge[1] == -1);
    shoal_molecule_destroy(mol);
}

/* A flat ring of eight with equal bonds has two structures without any charge. */
static void test_neutral_ring(void)
{
    ion ring = {.name = "ring", .n = 8};
    for (int k = 0; k < 8; ++k) {
        const double t = 0.78539816339744831 * k, r = 1.40 / (2 * sin(0.39269908169872414));
        ring.atoms[k] = (place){6, {r * cos(t), r * sin(t), 0}};
    }
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int32_t n = 0; n < 16; ++n) {
        const double by = n < 8 ? 1 : 1.6, *r = ring.atoms[n % 8].r;
        CHECK(shoal_molecule_add_atom(mol, n < 8 ? 6 : 1, (double[3]){by * r[0], by * r[1], 0}) ==
              SHOAL_OK);
    }
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    int n_shared = 0;
    for (int32_t b = 0; b < mol->n_bonds; ++b) n_shared += mol->bonds[b].shared == 1.5;
    CHECK(mol->n_bonds == 16 && n_shared == 8);
    shoal_molecule_destroy(mol);
}

/* A copy is perceived anew, and keeps what was found. */
static void test_copy(void)
{
    shoal_molecule *mol = make(&ions[0], 0), *copy = chem_new();
    CHECK(shoal_molecule_copy(copy, mol) == SHOAL_OK);
    CHECK(shoal_molecule_perceive(copy, NULL) == SHOAL_OK);
    check_orders(&ions[0], copy);
    check_terms(&ions[0], copy);
    shoal_molecule_destroy(copy);
    shoal_molecule_destroy(mol);
}

/* What a file says stays. */
static void test_given(void)
{
    const ion *a = &ions[0];
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int32_t n = 0; n < a->n; ++n)
        CHECK(shoal_molecule_add_atom(mol, a->atoms[n].z, a->atoms[n].r) == SHOAL_OK);
    CHECK(shoal_molecule_add_bond(mol, 0, 1, SHOAL_ORDER_DOUBLE, NULL) == SHOAL_OK);
    CHECK(shoal_molecule_add_bond(mol, 0, 2, SHOAL_ORDER_SINGLE, NULL) == SHOAL_OK);
    CHECK(shoal_molecule_add_bond(mol, 0, 3, SHOAL_ORDER_SINGLE, NULL) == SHOAL_OK);
    CHECK(shoal_molecule_set_formal_charge(mol, 2, -1) == SHOAL_OK);
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    for (int32_t b = 0; b < mol->n_bonds; ++b) CHECK(mol->bonds[b].shared == 0);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    for (int m = 0; m < N_IONS; ++m)
        for (int k = 0; k < N_TURNS; ++k) {
            const int before = check_failures;
            shoal_molecule *mol = make(&ions[m], k);
            check_orders(&ions[m], mol);
            check_terms(&ions[m], mol);
            shoal_molecule_destroy(mol);
            if (check_failures != before) (void)printf("  %s, turn %d\n", ions[m].name, k);
        }
    test_dicyanamide();
    test_borate();
    test_neutral_ring();
    test_copy();
    test_given();
    return check_done();
}
