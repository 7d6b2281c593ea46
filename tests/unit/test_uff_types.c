/* SPDX-License-Identifier: BSD-3-Clause
 * UFF types: a table of molecules, overrides, atoms that fit no type, and the dialects. */
#include "uff_fixture.h"

/* Labels in types.sdf follow RDKit 2022.09, or docs/uff.md where it has none. */
static void test_table(void)
{
    fixture f;
    int32_t n = 0;
    fixture_open_file(&f, SHOAL_TEST_DATA "/types.sdf");
    while (fixture_next(&f) == SHOAL_OK && f.found) {
        const int before = check_failures;
        char text[CHEM_TEXT];
        uff u;
        uff_make_typed(&u, f.mol, NULL);
        CHECK_TEXT(uff_labels(&u, text), fixture_property(&f, "expect"));
        uff_free(&u);
        if (check_failures > before) (void)printf("in %s\n", shoal_molecule_name(f.mol));
        ++n;
    }
    fixture_close(&f);
    CHECK(n == 92);
}

/* Neutral closed-shell molecules have the same types when bonds and orders must be found. */
static void test_from_coordinates(void)
{
    fixture f;
    int32_t n = 0;
    fixture_open_file(&f, SHOAL_TEST_DATA "/types.sdf");
    while (fixture_next(&f) == SHOAL_OK && f.found) {
        bool charged = strstr(shoal_molecule_name(f.mol), "radical") != NULL;
        for (int32_t i = 0; i < f.mol->n_atoms; ++i) charged |= f.mol->formal_charge[i] != 0;
        if (charged) continue;
        const int before = check_failures;
        char text[CHEM_TEXT];
        uff u;
        shoal_molecule *bare = chem_bare(f.mol, NULL);
        uff_make_typed(&u, bare, NULL);
        CHECK_TEXT(uff_labels(&u, text), fixture_property(&f, "expect"));
        uff_free(&u);
        shoal_molecule_destroy(bare);
        if (check_failures > before) (void)printf("in %s\n", shoal_molecule_name(f.mol));
        ++n;
    }
    fixture_close(&f);
    CHECK(n > 65);
}

/* Resonance in the paper's sense, drawn: the carbon of an amide stands behind the hydrogens of its nitrogen; an aldehyde
 * beside a carbon with three partners is no amide. */
static void test_paper_amides(void)
{
    static const char *const drawn[2][3] = {
        {"H H N C O H", "0-2 1-2 2-3 3=4 3-5", "H_ H_ N_R C_R O_2 H_"},
        {"C C C O H H H H", "0=1 1-2 2=3 0-4 0-5 1-6 2-7", "C_2 C_2 C_2 O_2 H_ H_ H_ H_"}};
    for (int k = 0; k < 2; ++k) {
        char text[CHEM_TEXT];
        uff u;
        shoal_molecule *mol = chem_drawn(drawn[k][0], drawn[k][1]);
        uff_make_typed(&u, mol, &(shoal_typing_options){.dialect = SHOAL_DIALECT_PAPER});
        CHECK_TEXT(uff_labels(&u, text), drawn[k][2]);
        uff_free(&u);
        shoal_molecule_destroy(mol);
    }
}

/* --- overrides and failures ---------------------------------------------------------------------*/

static void check_reason(shoal_molecule *mol, const char *want)
{
    uff u;
    uff_make(&u, mol, NULL);
    CHECK(shoal_topology_status(u.topology) == SHOAL_SYSTEM_UNTYPED);
    CHECK_TEXT(shoal_topology_reason(u.topology), want);
    CHECK(u.view.n_atoms == mol->n_atoms && terms_count(&u.view, SHOAL_KIND_BOND) == 0);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

static void test_overrides(void)
{
    shoal_molecule *mol = uff_case("ethene");
    char text[CHEM_TEXT];
    uff u;
    CHECK(shoal_molecule_set_type(mol, 0, "C_R") == SHOAL_OK);
    CHECK(shoal_molecule_set_type(mol, 2, "H_b") == SHOAL_OK);
    uff_make_typed(&u, mol, NULL);
    CHECK_TEXT(uff_labels(&u, text), "C_R C_2 H_b H_ H_ H_");
    uff_free(&u);
    CHECK(shoal_molecule_set_type(mol, 0, "") == SHOAL_OK);
    CHECK(shoal_molecule_set_type(mol, 2, "") == SHOAL_OK);
    uff_make_typed(&u, mol, NULL);
    CHECK_TEXT(uff_labels(&u, text), "C_2 C_2 H_ H_ H_ H_");
    uff_free(&u);
    CHECK(shoal_molecule_set_type(mol, 1, "C_9") == SHOAL_OK);
    check_reason(mol, "atom 1 (C): 'C_9' is no UFF type");
    mol = uff_case("ethene");
    CHECK(shoal_molecule_set_type(mol, 1, "N_R") == SHOAL_OK);
    check_reason(mol, "atom 1 (C): type 'N_R' belongs to N");
    mol = uff_case("ethene");
    CHECK(shoal_molecule_set_type(mol, 99, "C_R") == SHOAL_E_ARGUMENT);
    CHECK(shoal_molecule_set_type(mol, 0, "C_R_long") == SHOAL_E_ARGUMENT);
    shoal_molecule_destroy(mol);
}

/* An overriding label brings its geometry: a carbon of ethane as C_2 gets trigonal angles. */
static void test_override_geometry(void)
{
    shoal_molecule *mol = uff_case("ethane");
    uff u;
    CHECK(shoal_molecule_set_type(mol, 0, "C_2") == SHOAL_OK);
    uff_make_typed(&u, mol, NULL);
    for (int32_t k = 0; k < terms_count(&u.view, SHOAL_KIND_ANGLE); ++k)
        CHECK_NEAR(terms_of(&u.view, SHOAL_KIND_ANGLE)[k].p[SHOAL_ANGLE_C0 + 3],
                   terms_of(&u.view, SHOAL_KIND_ANGLE)[k].atoms[1] == 0 ? -1 : 0, 0);
    for (int32_t k = 0; k < terms_count(&u.view, SHOAL_KIND_TORSION); ++k)
        CHECK(terms_of(&u.view, SHOAL_KIND_TORSION)[k].p[SHOAL_TORSION_N] == 6);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

/* Labels that perception would choose anyway change nothing: a written file can be read again. */
static void test_override_by_itself(void)
{
    fixture f;
    fixture_open_file(&f, SHOAL_TEST_DATA "/types.sdf");
    while (fixture_next(&f) == SHOAL_OK && f.found) {
        uff found, given;
        uff_make_typed(&found, f.mol, NULL);
        for (int32_t i = 0; i < f.mol->n_atoms; ++i)
            CHECK(shoal_molecule_set_type(f.mol, i, found.view.types[i]) == SHOAL_OK);
        uff_make_typed(&given, f.mol, NULL);
        CHECK(terms_count(&given.view, SHOAL_KIND_ANGLE) ==
              terms_count(&found.view, SHOAL_KIND_ANGLE));
        CHECK(terms_count(&given.view, SHOAL_KIND_TORSION) ==
              terms_count(&found.view, SHOAL_KIND_TORSION));
        for (int32_t k = 0; k < terms_count(&found.view, SHOAL_KIND_ANGLE); ++k) {
            const shoal_term *a = &terms_of(&found.view, SHOAL_KIND_ANGLE)[k],
                             *b = &terms_of(&given.view, SHOAL_KIND_ANGLE)[k];
            CHECK(memcmp(a->p, b->p, sizeof a->p) == 0);
        }
        uff_free(&found);
        uff_free(&given);
    }
    fixture_close(&f);
}

static shoal_molecule *six_coordinate_carbon(void)
{
    shoal_molecule *mol = chem_atoms("C", 1);
    for (int32_t k = 1; k <= 6; ++k) {
        chem_atom(mol, "H", k, 1, 0);
        chem_bond(mol, 0, k, SHOAL_ORDER_SINGLE);
    }
    return mol;
}

static void test_untypable(void)
{
    check_reason(six_coordinate_carbon(), "atom 0 (C): valence 6; no C has more than 5");
    check_reason(chem_atoms("Rf", 1), "atom 0 (Rf, valence 0, 0 neighbours, charge 0): no UFF type "
                                      "Rf?; the table has none for this element");
}

/* Metals that RDKit cannot type, without partners or with a few. */
static void test_metals(void)
{
    static const struct {
        const char *symbol;
        int n;
        const char *label;
    } cases[] = {{"Zr", 4, "Zr3+4"}, {"W", 6, "W_6+6"},  {"W", 4, "W_3+4"},  {"Pt", 4, "Pt4+2"},
                 {"Zn", 2, "Zn3+2"}, {"Zn", 4, "Zn3+2"}, {"Sr", 2, "Sr6+2"}, {"Y", 3, "Y_3+3"},
                 {"Ru", 6, "Ru6+2"}, {"Rh", 6, "Rh6+3"}, {"Ba", 2, "Ba6+2"}, {"Hf", 4, "Hf3+4"},
                 {"Os", 6, "Os6+6"}, {"Ir", 6, "Ir6+3"}, {"Pb", 4, "Pb3"},   {"Ra", 2, "Ra6+2"},
                 {"Lr", 3, "Lw6+3"}, {"Mo", 6, "Mo6+6"}, {"Mo", 4, "Mo3+6"}, {"Re", 6, "Re6+5"},
                 {"Re", 4, "Re3+7"}, {"Fe", 4, "Fe3+2"}, {"Fe", 3, "Fe3+2"}, {"Fe", 6, "Fe6+2"},
                 {"Fe", 5, "Fe6+2"}, {"Ti", 6, "Ti6+4"}, {"Ti", 4, "Ti3+4"}, {"Hg", 2, "Hg1+2"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        shoal_molecule *mol = chem_atoms(cases[k].symbol, 1);
        for (int32_t c = 1; c <= cases[k].n; ++c) {
            chem_atom(mol, "Cl", c, 2, 0);
            chem_bond(mol, 0, c, SHOAL_ORDER_SINGLE);
        }
        uff u;
        uff_make_typed(&u, mol, NULL);
        CHECK_TEXT(u.view.types[0], cases[k].label);
        uff_free(&u);
        shoal_molecule_destroy(mol);
    }
}

/* A chain of four donors, trien, holds a metal atom as a macrocycle does: neighbours among the donors are joined, the ends
 * are not. Two chelates of two donors each leave it tetrahedral. */
static void test_chelates(void)
{
    const char *const bonds[] = {"0-1 0-2 0-3 0-4 1-5 5-6 6-2 2-7 7-8 8-3 3-9 9-10 10-4",
                                 "0-1 0-2 0-3 0-4 1-5 5-6 6-2 3-9 9-10 10-4 7-8"};
    const char *const labels[] = {"Fe6+2", "Fe3+2"};
    for (int k = 0; k < 2; ++k) {
        shoal_molecule *mol = chem_drawn("Fe N N N N C C C C C C", bonds[k]);
        for (int32_t i = 0; i < mol->n_atoms; ++i)
            CHECK(shoal_molecule_set_formal_charge(mol, i, 0) == SHOAL_OK);
        uff u;
        uff_make_typed(&u, mol, NULL);
        CHECK_TEXT(u.view.types[0], labels[k]);
        uff_free(&u);
        shoal_molecule_destroy(mol);
    }
}

/* The table ends with lawrencium; a bare atom has the geometry of its electron pairs. */
static void test_all_elements(void)
{
    for (int32_t z = 1; z <= 118; ++z) {
        shoal_molecule *mol = chem_atoms(shoal_element_symbol(z), 1);
        uff u;
        uff_make(&u, mol, NULL);
        CHECK((shoal_topology_status(u.topology) == SHOAL_SYSTEM_OK) == (z <= 103));
        if (z < 103) /* the table calls lawrencium Lw */
            CHECK(strncmp(u.view.types[0], shoal_element_symbol(z),
                          strlen(shoal_element_symbol(z))) == 0);
        uff_free(&u);
        shoal_molecule_destroy(mol);
    }
}

/* --- dialects -----------------------------------------------------------------------------------*/

static void check_labels(const char *name, shoal_dialect dialect, const char *want)
{
    const shoal_typing_options options = {.dialect = dialect};
    shoal_molecule *mol = uff_case(name);
    char text[CHEM_TEXT];
    uff u;
    uff_make_typed(&u, mol, &options);
    CHECK_TEXT(uff_labels(&u, text), want);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

static void test_dialect_labels(void)
{
    check_labels("formamide", SHOAL_DIALECT_PAPER, "N_R C_R O_2 H_ H_ H_");
    check_labels("formamide", SHOAL_DIALECT_FIRECORE, "N_R C_R O_R H_ H_ H_");
    check_labels("formic_acid", SHOAL_DIALECT_PAPER, "O_3 C_2 O_2 H_ H_");
    check_labels("methyl_acetate", SHOAL_DIALECT_PAPER, "C_3 C_2 O_2 O_3 C_3 H_ H_ H_ H_ H_ H_");
    check_labels("butadiene", SHOAL_DIALECT_PAPER, "C_2 C_2 C_2 C_2 H_ H_ H_ H_ H_ H_");
    check_labels("furan", SHOAL_DIALECT_PAPER, "C_R C_R C_R O_R C_R H_ H_ H_ H_");
    check_labels("phenol", SHOAL_DIALECT_PAPER, "O_3 C_R C_R C_R C_R C_R C_R H_ H_ H_ H_ H_ H_");
    check_labels("aniline", SHOAL_DIALECT_PAPER,
                 "N_3 C_R C_R C_R C_R C_R C_R H_ H_ H_ H_ H_ H_ H_");
}

static double order_between(const uff *u, int32_t i, int32_t j)
{
    for (int32_t b = 0; b < terms_count(&u->view, SHOAL_KIND_BOND); ++b) {
        const shoal_term *t = &terms_of(&u->view, SHOAL_KIND_BOND)[b];
        const int32_t a = t->atoms[0], c = t->atoms[1];
        if ((a == i && c == j) || (a == j && c == i)) return t->p[SHOAL_BOND_ORDER];
    }
    return -1;
}

static void test_amide_order(void)
{
    static const double want[] = {1, 1.41, 1.41}, carbonyl[] = {2, 2, 1.5};
    for (int d = 0; d < 3; ++d) {
        const shoal_typing_options options = {.dialect = (shoal_dialect)d};
        shoal_molecule *mol = uff_case("formamide");
        uff u;
        uff_make_typed(&u, mol, &options);
        CHECK_NEAR(order_between(&u, 0, 1), want[d], 0);
        CHECK_NEAR(order_between(&u, 1, 2), carbonyl[d], 0);
        uff_free(&u);
        shoal_molecule_destroy(mol);
    }
    /* an order given by the user wins in all of them */
    const shoal_bond_override order = {1, 0, 1.3};
    const shoal_typing_options options = {
        .dialect = SHOAL_DIALECT_PAPER, .orders = &order, .n_orders = 1};
    shoal_molecule *mol = uff_case("formamide");
    uff u;
    uff_make_typed(&u, mol, &options);
    CHECK_NEAR(order_between(&u, 0, 1), 1.3, 0);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

/* Only C-N bonds of amides, not those between amides (oxamide), nor to a nitrogen of an aromatic ring
 * (1-formylpyrrole), between nitrogens (diformylhydrazine), to sp3 carbon (N-methylformamide), nor to a carbon
 * of an aromatic ring (formanilide). */
static void test_no_amide_order(void)
{
    static const struct {
        const char *atoms, *bonds;
        int32_t i, j;
        double order;
    } cases[] = {
        {"C C O O N N H H H H", "0-1 0=2 1=3 0-4 1-5 4-6 4-7 5-8 5-9", 0, 1, 1},
        {"C C O O N N H H H H", "0-1 0=2 1=3 0-4 1-5 4-6 4-7 5-8 5-9", 1, 5, 1.41},
        {"N C C C C C O H H H H H", "0-1 1=2 2-3 3=4 4-0 0-5 5=6 5-7 1-8 2-9 3-10 4-11", 0, 5, 1},
        {"N C C C C C O H H H H H", "0-1 1=2 2-3 3=4 4-0 0-5 5=6 5-7 1-8 2-9 3-10 4-11", 0, 1, 1.5},
        {"N C C C C C O H H H H H", "0-1 1=2 2-3 3=4 4-0 5-0 5=6 5-7 1-8 2-9 3-10 4-11", 0, 5, 1},
        {"N N C C O O H H H H", "0-1 0-2 1-3 2=4 3=5 2-6 3-7 0-8 1-9", 0, 1, 1},
        {"N N C C O O H H H H", "0-1 0-2 3-1 2=4 3=5 2-6 3-7 0-8 1-9", 1, 3, 1.41},
        {"N C C O H H H H H", "0-1 0-2 2=3 2-4 0-5 1-6 1-7 1-8", 0, 1, 1},
        {"N C C O H H H H H", "1-0 0-2 2=3 2-4 0-5 1-6 1-7 1-8", 0, 1, 1},
        {"C C C C C C N C O H H H H H H H",
         "0=1 1-2 2=3 3-4 4=5 5-0 0-6 6-7 7=8 1-9 2-10 3-11 4-12 5-13 6-14 7-15", 0, 6, 1},
        {"C C C C C C N C O H H H H H H H",
         "0=1 1-2 2=3 3-4 4=5 5-0 0-6 6-7 7=8 1-9 2-10 3-11 4-12 5-13 6-14 7-15", 6, 7, 1.41},
    };
    const shoal_typing_options paper = {.dialect = SHOAL_DIALECT_PAPER};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        shoal_molecule *mol = chem_drawn(cases[k].atoms, cases[k].bonds);
        uff u;
        uff_make_typed(&u, mol, &paper);
        CHECK_NEAR(order_between(&u, cases[k].i, cases[k].j), cases[k].order, 0);
        uff_free(&u);
        shoal_molecule_destroy(mol);
    }
}

/* The article has torsions about bonds between main-group atoms alone: vinyl on the first and the last metals
 * of each series. */
static void test_main_group(void)
{
    static const struct {
        const char *symbol;
        int32_t n_hydrogen;
        bool main_group;
    } cases[] = {{"Al", 2, true}, {"Sc", 2, false}, {"Zn", 1, false}, {"Ga", 2, true},
                 {"Ge", 3, true}, {"Y", 2, false},  {"Cd", 1, false}, {"In", 2, true},
                 {"Sn", 3, true}, {"La", 2, false}, {"Tl", 2, true},  {"Pb", 3, true}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
        for (int d = 0; d < 2; ++d) {
            const shoal_typing_options options = {.dialect = (shoal_dialect)d};
            char atoms[64];
            uff u;
            int32_t n = 0;
            (void)snprintf(atoms, sizeof atoms, "C C %s H H H", cases[k].symbol);
            shoal_molecule *mol =
                chem_drawn(atoms, k % 2 ? "0=1 1-2 0-3 0-4 1-5" : "0=1 2-1 0-3 0-4 1-5");
            for (int32_t h = 0; h < cases[k].n_hydrogen; ++h) {
                chem_atom(mol, "H", 6, 2 + h, 3 * h);
                chem_bond(mol, 2, mol->n_atoms - 1, SHOAL_ORDER_SINGLE);
            }
            uff_make_typed(&u, mol, &options);
            for (int32_t t = 0; t < terms_count(&u.view, SHOAL_KIND_TORSION); ++t) {
                const shoal_term *x = &terms_of(&u.view, SHOAL_KIND_TORSION)[t];
                n += x->atoms[1] == 2 || x->atoms[2] == 2;
            }
            CHECK((n > 0) == (cases[k].main_group || d == SHOAL_DIALECT_RDKIT));
            uff_free(&u);
            shoal_molecule_destroy(mol);
        }
}

/* Torsions about the single bond of propene: RDKit asks the end atoms, the others the sp2 centre. */
static void test_propene_rule(void)
{
    for (int d = 0; d < 3; ++d) {
        const shoal_typing_options options = {.dialect = (shoal_dialect)d};
        shoal_molecule *mol = uff_case("propene");
        uff u;
        uff_make_typed(&u, mol, &options);
        int32_t threefold = 0, sixfold = 0, twofold = 0;
        for (int32_t k = 0; k < terms_count(&u.view, SHOAL_KIND_TORSION); ++k) {
            const shoal_term *t = &terms_of(&u.view, SHOAL_KIND_TORSION)[k];
            const double n = t->p[SHOAL_TORSION_N], barrier = t->p[SHOAL_TORSION_V];
            threefold += n == 3;
            sixfold += n == 6;
            twofold += n == 2;
            if (n == 3) CHECK_NEAR(barrier, 2 * KCAL / 2 / 6, 1e-15);
            if (n == 6) CHECK_NEAR(barrier, 1 * KCAL / 2 / 6, 1e-15);
            if (n != 2) CHECK_NEAR(t->p[SHOAL_TORSION_D], n == 3 ? -1 : 1, 0);
        }
        CHECK(twofold == 4); /* about the double bond */
        CHECK(threefold == (d == SHOAL_DIALECT_RDKIT ? 3 : 6));
        CHECK(sixfold == (d == SHOAL_DIALECT_RDKIT ? 3 : 0));
        uff_free(&u);
        shoal_molecule_destroy(mol);
    }
}

/* Largest inversion constant of a molecule, kcal/mol. */
static double stiffest_inversion(const char *name, shoal_dialect dialect)
{
    const shoal_typing_options options = {.dialect = dialect};
    shoal_molecule *mol = uff_case(name);
    double k = 0;
    uff u;
    uff_make_typed(&u, mol, &options);
    for (int32_t t = 0; t < terms_count(&u.view, SHOAL_KIND_INVERSION); ++t)
        k = fmax(k, 3 * terms_of(&u.view, SHOAL_KIND_INVERSION)[t].p[SHOAL_INVERSION_K] / KCAL);
    uff_free(&u);
    shoal_molecule_destroy(mol);
    return k;
}

static void test_carbonyl_inversion(void)
{
    for (int d = 0; d < 3; ++d)
        CHECK_NEAR(stiffest_inversion("acetone", (shoal_dialect)d), 50, 1e-12);
    CHECK_NEAR(stiffest_inversion("formamide", SHOAL_DIALECT_RDKIT), 50, 1e-12);
    CHECK_NEAR(stiffest_inversion("formamide", SHOAL_DIALECT_PAPER), 50, 1e-12); /* O_2 there */
    CHECK_NEAR(stiffest_inversion("formamide", SHOAL_DIALECT_FIRECORE), 6, 1e-12);
    CHECK_NEAR(stiffest_inversion("phenol", SHOAL_DIALECT_RDKIT), 50, 1e-12);
    CHECK_NEAR(stiffest_inversion("phenol", SHOAL_DIALECT_PAPER), 6, 1e-12);
}

static void test_charge_sources(void)
{
    const shoal_typing_options wanted = {.charges = SHOAL_CHARGES_FILE};
    shoal_molecule *mol = uff_case("water");
    uff u;
    uff_make(&u, mol, &wanted);
    CHECK(shoal_topology_status(u.topology) == SHOAL_SYSTEM_UNTYPED);
    CHECK_TEXT(shoal_topology_reason(u.topology),
               "the file gives no partial charges, but they were requested");
    uff_free(&u);
    CHECK(shoal_molecule_set_charge(mol, 0, -0.8) == SHOAL_OK);
    uff_make_typed(&u, mol, &wanted);
    CHECK(u.view.has_charges);
    CHECK_NEAR(u.view.charges[0], -0.8, 0);
    CHECK_NEAR(u.view.charges[1], 0, 0);
    uff_free(&u);
    const shoal_typing_options none = {.charges = SHOAL_CHARGES_NONE};
    uff_make_typed(&u, mol, &none);
    CHECK(!u.view.has_charges);
    CHECK_NEAR(u.view.charges[0], 0, 0);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    test_table();
    test_from_coordinates();
    test_overrides();
    test_override_geometry();
    test_override_by_itself();
    test_untypable();
    test_metals();
    test_chelates();
    test_all_elements();
    test_dialect_labels();
    test_amide_order();
    test_no_amide_order();
    test_main_group();
    test_propene_rule();
    test_carbonyl_inversion();
    test_charge_sources();
    test_paper_amides();
    return check_done();
}
