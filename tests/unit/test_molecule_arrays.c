/* SPDX-License-Identifier: BSD-3-Clause
 * Atoms, bonds and charges given all at once are those given one by one; what is refused changes nothing. */
#include "check.h"
#include "chem/molecule.h"

enum { N_ATOMS = 4, N_BONDS = 3 };
static const int32_t z[N_ATOMS] = {6, 8, 1, 1};
static const double pos[N_ATOMS][3] = {{0, 0, 0}, {1.2, 0, 0}, {-0.5, 0.9, 0}, {-0.5, -0.9, 0}};
static const shoal_bond bonds[N_BONDS] = {
    {.i = 0, .j = 1, .order = SHOAL_ORDER_DOUBLE, .aromatic = true},
    {.i = 2, .j = 0, .order = 1},
    {.i = 0, .j = 3, .order = 1}};

static shoal_molecule *make(bool at_once)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    if (at_once) {
        CHECK(shoal_molecule_add_atoms(mol, 2, z, pos) == SHOAL_OK);
        CHECK(shoal_molecule_add_atoms(mol, 2, z + 2, pos + 2) == SHOAL_OK);
        CHECK(shoal_molecule_add_bonds(mol, N_BONDS, bonds) == SHOAL_OK);
        return mol;
    }
    for (int i = 0; i < N_ATOMS; ++i) CHECK(shoal_molecule_add_atom(mol, z[i], pos[i]) == SHOAL_OK);
    for (int b = 0; b < N_BONDS; ++b)
        CHECK(shoal_molecule_add_bond(mol, bonds[b].i, bonds[b].j, (shoal_bond_order)bonds[b].order,
                                      NULL) == SHOAL_OK);
    return mol;
}

static bool same(const shoal_molecule *a, const shoal_molecule *b)
{
    const size_t n = (size_t)a->n_atoms, m = (size_t)a->n_bonds;
    return a->n_atoms == b->n_atoms && a->n_bonds == b->n_bonds && a->has_bonds == b->has_bonds &&
           memcmp(a->element, b->element, n * sizeof *a->element) == 0 &&
           memcmp(a->pos, b->pos, n * sizeof *a->pos) == 0 &&
           memcmp(a->formal_charge, b->formal_charge, n * sizeof *a->formal_charge) == 0 &&
           memcmp(a->charge, b->charge, n * sizeof *a->charge) == 0 &&
           memcmp(a->first_bond, b->first_bond, n * sizeof *a->first_bond) == 0 &&
           memcmp(a->next_bond, b->next_bond, m * sizeof *a->next_bond) == 0 &&
           memcmp(a->bonds, b->bonds, m * sizeof *a->bonds) == 0 &&
           a->has_charges == b->has_charges && a->has_formal_charges == b->has_formal_charges;
}

static void test_same(void)
{
    static const int32_t formal[N_ATOMS] = {1, -1, 0, 0};
    static const double charges[N_ATOMS] = {0.4, -0.4, 0.1, -0.1};
    double moved[N_ATOMS][3];
    memcpy(moved, pos, sizeof moved);
    moved[3][2] = 0.25;
    shoal_molecule *a = make(true), *b = make(false);
    CHECK(same(a, b) && a->has_bonds && !a->bonds[0].aromatic);
    CHECK(shoal_molecule_set_positions(a, (const double(*)[3])moved) == SHOAL_OK);
    CHECK(!same(a, b));
    CHECK(shoal_molecule_set_position(b, 3, moved[3]) == SHOAL_OK);
    CHECK(same(a, b));
    CHECK(shoal_molecule_perceive(a, NULL) == SHOAL_OK);
    CHECK(shoal_molecule_set_formal_charges(a, formal) == SHOAL_OK && !a->perceived);
    for (int i = 0; i < N_ATOMS; ++i)
        CHECK(shoal_molecule_set_formal_charge(b, i, formal[i]) == SHOAL_OK);
    a->bonds[0] = b->bonds[0]; /* perception marks bonds */
    CHECK(shoal_molecule_set_charges(a, charges) == SHOAL_OK);
    for (int i = 0; i < N_ATOMS; ++i)
        CHECK(shoal_molecule_set_charge(b, i, charges[i]) == SHOAL_OK);
    CHECK(a->has_charges && a->has_formal_charges);
    CHECK(memcmp(a->formal_charge, b->formal_charge, sizeof formal) == 0);
    CHECK(memcmp(a->charge, b->charge, sizeof charges) == 0);
    shoal_molecule_destroy(a);
    shoal_molecule_destroy(b);
}

/* Everything before the wrong one is taken back. */
static void test_refused(void)
{
    static const int32_t wrong_z[2] = {6, 0}, wrong_formal[N_ATOMS] = {0, 0, 0, 16};
    static const double wrong_charges[N_ATOMS] = {1, 2, NAN, 3};
    static const shoal_bond wrong[4][2] = {
        {{.i = 1, .j = 2, .order = 1}, {.i = 2, .j = 1, .order = 1}},
        {{.i = 1, .j = 2, .order = 1}, {.i = 2, .j = 4, .order = 1}},
        {{.i = 1, .j = 2, .order = 1}, {.i = 3, .j = 3, .order = 1}},
        {{.i = 1, .j = 2, .order = 1}, {.i = 2, .j = 3, .order = 7}}};
    shoal_molecule *a = make(true), *b = make(true), *none = NULL;
    CHECK(shoal_molecule_perceive(a, NULL) == SHOAL_OK);
    CHECK(shoal_molecule_perceive(b, NULL) == SHOAL_OK);
    CHECK(shoal_molecule_add_atoms(a, 2, wrong_z, pos) == SHOAL_E_ARGUMENT);
    CHECK(shoal_molecule_add_atoms(a, -1, z, pos) == SHOAL_E_ARGUMENT);
    for (int k = 0; k < 4; ++k) CHECK(shoal_molecule_add_bonds(a, 2, wrong[k]) == SHOAL_E_ARGUMENT);
    CHECK(shoal_molecule_add_bonds(a, -2, wrong[0]) == SHOAL_E_ARGUMENT);
    CHECK(shoal_molecule_set_formal_charges(a, wrong_formal) == SHOAL_E_ARGUMENT);
    CHECK(shoal_molecule_set_charges(a, wrong_charges) == SHOAL_E_ARGUMENT);
    CHECK(same(a, b) && a->perceived);
    CHECK(shoal_molecule_create(&none) == SHOAL_OK);
    CHECK(shoal_molecule_add_atoms(none, 2, z + 2, pos) == SHOAL_OK);
    CHECK(shoal_molecule_add_bonds(none, 2, wrong[0]) == SHOAL_E_ARGUMENT && !none->has_bonds);
    CHECK(none->first_bond[0] == -1 && none->first_bond[1] == -1);
    shoal_molecule_destroy(a);
    shoal_molecule_destroy(b);
    shoal_molecule_destroy(none);
}

/* Who says that there are no bonds gets none by distance. */
/* Bonds to other images of an atom are other bonds, in whichever direction they are written. */
static void test_images(void)
{
    static const double cell[3][3] = {{4, 0, 0}, {0, 4, 0}, {0, 0, 4}};
    static const bool pbc[3] = {true, true, true};
    static const struct {
        int32_t i, j, shift[3];
        bool is_new;
    } cases[] = {{0, 1, {1, 2, -1}, true},  {0, 1, {1, 2, -1}, false}, {1, 0, {-1, -2, 1}, false},
                 {1, 0, {1, -2, 1}, true},  {1, 0, {-1, 2, 1}, true},  {1, 0, {-1, -2, -1}, true},
                 {1, 0, {1, 2, -1}, true},  {0, 2, {1, 2, -1}, true},  {1, 1, {1, 0, 0}, true},
                 {1, 1, {-1, 0, 0}, false}, {1, 1, {0, 1, 0}, true},   {1, 1, {0, 0, 0}, false}};
    shoal_molecule *mol = make(false);
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
        CHECK((shoal_molecule_add_bond(mol, cases[k].i, cases[k].j, 1, cases[k].shift) ==
               SHOAL_OK) == cases[k].is_new);
    shoal_molecule_destroy(mol);
}

/* The thinnest cell, angstrom between its faces, and the heaviest isotope. */
static void test_extremes(void)
{
    static const bool pbc[3] = {true, true, true}, slab[3] = {true, true, false};
    const double thin[3][3] = {{4, 0, 0}, {0, 4, 0}, {3, 1, 0.21}};
    const double thinner[3][3] = {{4, 0, 0}, {0, 4, 0}, {3, 1, 0.19}};
    shoal_molecule *mol = make(false);
    CHECK(shoal_molecule_set_cell(mol, thin, pbc) == SHOAL_OK);
    CHECK(shoal_molecule_set_cell(mol, thinner, pbc) == SHOAL_E_ARGUMENT);
    CHECK(shoal_molecule_set_cell(mol, thinner, slab) == SHOAL_OK);
    CHECK(shoal_molecule_set_isotope(mol, 0, 400) == SHOAL_OK);
    CHECK(shoal_molecule_set_isotope(mol, 0, 401) == SHOAL_E_ARGUMENT);
    CHECK(shoal_molecule_isotope(mol, 0) == 400);
    shoal_molecule_destroy(mol);
}

static void test_none(void)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int k = 0; k < 2; ++k) {
        shoal_molecule_clear(mol);
        CHECK(shoal_molecule_add_atoms(mol, N_ATOMS, z, pos) == SHOAL_OK);
        if (k == 1) CHECK(shoal_molecule_add_bonds(mol, 0, NULL) == SHOAL_OK);
        (void)shoal_molecule_perceive(mol, NULL);
        CHECK(mol->n_bonds == (k == 0 ? N_BONDS : 0));
    }
    shoal_molecule_destroy(mol);
}

int main(void)
{
    test_same();
    test_refused();
    test_images();
    test_extremes();
    test_none();
    return check_done();
}
