/* SPDX-License-Identifier: BSD-3-Clause
 * MMFFsp3: types, bonds, terms and refusals, by the rules of the original and by the mended ones. */
#include <math.h>

#include "ff/topology.h"
#include "ff/topology_cache.h"
#include "mmff_fixture.h"

/* --- types --------------------------------------------------------------------------------------*/

typedef struct type_case {
    const char *name, *atoms, *bonds, *original;
    const char *own; /* NULL: the same */
} type_case;

/* Table 6.8 of the specification, and what the order of atoms must not matter for. */
static const type_case cases[] = {
    {"water", "O H H", "0-1 0-2", "O_3 H H", "O_3 H_OH H_OH"},
    {"methanol", "C O H H H H", "0-1 0-2 0-3 0-4 1-5", "C_3 O_3 H_CH3 H_CH3 H_CH3 H",
     "C_3 O_3 H_CH3 H_CH3 H_CH3 H_OH"},
    {"ammonia", "N H H H", "0-1 0-2 0-3", "N_3 H_NH2 H_NH2 H_NH2", NULL},
    {"formic acid", "C O O H H", "0=1 0-2 0-3 2-4", "C_COO O_pCOO O_sCOO H H",
     "C_COO O_pCOO O_sCOO H H_OH"},
    {"acetamide", "C C O N H H H H H", "0-1 1=2 1-3 0-4 0-5 0-6 3-7 3-8",
     "C_3 C_ald O_ald N_R H_CH3 H_CH3 H_CH3 H_NH2 H_NH2", NULL},
    {"ethylene", "C C H H H H", "0=1 0-2 0-3 1-4 1-5", "C_2 C_2 H_ene H_ene H_ene H_ene", NULL},
    {"acetylene", "C C H H", "0#1 0-2 1-3", "C_1 C_1 H H", NULL},
    {"hydrogen cyanide", "C N H", "0#1 0-2", "C_1 N_1 H", NULL},
    {"carbon dioxide", "C O O", "0=1 0=2", "C_1 O_2 O_2", NULL},
    {"benzene", "C C C C C C H H H H H H", "0:1 1:2 2:3 3:4 4:5 5:0 0-6 1-7 2-8 3-9 4-10 5-11",
     "C_R C_R C_R C_R C_R C_R H_ene H_ene H_ene H_ene H_ene H_ene", NULL},
    {"butadiene", "C C C C H H H H H H", "0=1 1-2 2=3 0-4 0-5 1-6 2-7 3-8 3-9",
     "C_2 C_R C_R C_2 H_ene H_ene H_ene H_ene H_ene H_ene", NULL},
    {"pyridine", "N C C C C C H H H H H", "0:1 1:2 2:3 3:4 4:5 5:0 1-6 2-7 3-8 4-9 5-10",
     "N_2 C_R C_R C_R C_R C_R H_ene H_ene H_ene H_ene H_ene", NULL},
    {"aniline", "N C C C C C C H H H H H H H",
     "0-1 1:2 2:3 3:4 4:5 5:6 6:1 0-7 0-8 2-9 3-10 4-11 5-12 6-13",
     "N_R C_R C_R C_R C_R C_R C_R H_NH2 H_NH2 H_ene H_ene H_ene H_ene H_ene", NULL},
    {"phenol", "O C C C C C C H H H H H H",
     "0-1 1:2 2:3 3:4 4:5 5:6 6:1 0-7 2-8 3-9 4-10 5-11 6-12",
     "O_3 C_R C_R C_R C_R C_R C_R H H_ene H_ene H_ene H_ene H_ene",
     "O_3 C_R C_R C_R C_R C_R C_R H_OH H_ene H_ene H_ene H_ene H_ene"},
    {"furan", "O C C C C H H H H", "0:1 1:2 2:3 3:4 4:0 1-5 2-6 3-7 4-8",
     "O_3 C_2 C_R C_R C_2 H_ene H_ene H_ene H_ene", NULL},
    {"methyl formate", "C O O C H H H H", "0=1 0-2 2-3 0-4 3-5 3-6 3-7",
     "C_COO O_pCOO O_sCOO C_3 H H_CH3 H_CH3 H_CH3", NULL},
    {"acetone", "C C C O H H H H H H", "0-1 1-2 1=3 0-4 0-5 0-6 2-7 2-8 2-9",
     "C_3 C_ald C_3 O_ald H_CH3 H_CH3 H_CH3 H_CH3 H_CH3 H_CH3", NULL},
    {"methanethiol", "C S H H H H", "0-1 0-2 0-3 0-4 1-5", "C_3 S H_CH3 H_CH3 H_CH3 H", NULL},
    {"chloroethene", "C C Cl H H H", "0=1 1-2 0-3 0-4 1-5", "C_2 C_R Cl H_ene H_ene H_ene",
     "C_2 C_2 Cl H_ene H_ene H_ene"},
    {"formic anhydride", "C O O C O H H", "0=1 0-2 2-3 3=4 0-5 3-6", NULL,
     "C_COO O_pCOO O_sCOO C_COO O_pCOO H H"},
    {"anhydride, oxygen first", "O C C O O H H", "0-1 0-2 1=3 2=4 1-5 2-6", NULL,
     "O_sCOO C_COO C_COO O_pCOO O_pCOO H H"},
    {"methanimine", "N C H H H", "0=1 0-2 1-3 1-4", NULL, "N_2 C_2 H_NH2 H_ene H_ene"},
    {"iodomethane", "I C H H H", "0-1 1-2 1-3 1-4", NULL, "I C_3 H_CH3 H_CH3 H_CH3"},
};

static void check_labels(const type_case *c, const shoal_typing_options *o, const char *want)
{
    char text[CHEM_TEXT];
    const int before = check_failures;
    shoal_molecule *mol = mmff_graph(c->atoms, c->bonds);
    uff u;
    uff_make_typed(&u, mol, o);
    CHECK_TEXT(uff_labels(&u, text), want);
    uff_free(&u);
    shoal_molecule_destroy(mol);
    if (check_failures > before) (void)printf("in %s\n", c->name);
}

static void test_types(void)
{
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        if (cases[k].original) check_labels(&cases[k], &mmff_original, cases[k].original);
        check_labels(&cases[k], &mmff_own, cases[k].own ? cases[k].own : cases[k].original);
    }
}

/* Ions: formal charges do not matter beyond the bonds. */
static void test_ions(void)
{
    char text[CHEM_TEXT];
    for (int k = 0; k < 2; ++k) {
        shoal_molecule *acetate = mmff_graph("C C O O H H H", "0-1 1=2 1-3 0-4 0-5 0-6");
        shoal_molecule *nitro = mmff_graph("C N O O H H H", "0-1 1=2 1-3 0-4 0-5 0-6");
        acetate->formal_charge[3] = nitro->formal_charge[3] = -1;
        nitro->formal_charge[1] = 1;
        acetate->has_formal_charges = nitro->has_formal_charges = true;
        uff u;
        uff_make_typed(&u, acetate, k ? &mmff_own : &mmff_original);
        CHECK_TEXT(uff_labels(&u, text), "C_3 C_ald O_ald O_ald H_CH3 H_CH3 H_CH3");
        uff_free(&u);
        uff_make_typed(&u, nitro, k ? &mmff_own : &mmff_original);
        CHECK_TEXT(uff_labels(&u, text), "C_3 N_R O_2 O_2 H_CH3 H_CH3 H_CH3");
        CHECK(mmff_bond(&u.view, 1, 3)->p[SHOAL_BOND_R0] == 1.415);
        CHECK(mmff_bond(&u.view, 1, 2)->p[SHOAL_BOND_R0] == (k ? 1.243 : 1.415));
        uff_free(&u);
        shoal_molecule_destroy(acetate);
        shoal_molecule_destroy(nitro);
    }
}

/* --- parameters ---------------------------------------------------------------------------------*/

static void check_stretch(const char *atoms, const char *bonds, const shoal_typing_options *o,
                          double length, double constant)
{
    shoal_molecule *mol = mmff_graph(atoms, bonds);
    uff u;
    uff_make_typed(&u, mol, o);
    const double *p = mmff_bond(&u.view, 0, 1)->p;
    CHECK_NEAR(p[SHOAL_BOND_R0], length, 5e-5);
    CHECK_NEAR(p[SHOAL_BOND_K], constant, 5e-3);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

static const char benzene_atoms[] = "C C C C C C H H H H H H";
static const char benzene_bonds[] = "0:1 1:2 2:3 3:4 4:5 5:0 0-6 1-7 2-8 3-9 4-10 5-11";
static const char diene_atoms[] = "C C C C H H H H H H";
static const char diene_bonds[] = "1-0 0=2 1=3 0-4 1-5 2-6 2-7 3-8 3-9";

/* The original makes every bond between pi atoms double; the mended rules ask perception. */
static void test_stretches(void)
{
    check_stretch(benzene_atoms, benzene_bonds, &mmff_original, 1.334, 20.893);
    check_stretch(benzene_atoms, benzene_bonds, &mmff_own, 1.4187, 15.4368);
    check_stretch(diene_atoms, diene_bonds, &mmff_original, 1.334, 20.893);
    check_stretch(diene_atoms, diene_bonds, &mmff_own, 1.538, 10.082);
    check_stretch("C N H", "0#1 0-2", &mmff_original, 1.153, 38.659);
    check_stretch("C N H", "0#1 0-2", &mmff_own, 1.153, 38.659);
    check_stretch("O H H", "0-1 0-2", &mmff_own, 0.973, 24.436);
    const shoal_bond_override override = {.i = 1, .j = 0, .order = 1.41};
    for (int k = 0; k < 2; ++k) {
        shoal_typing_options o = k ? mmff_own : mmff_original;
        o.orders = &override;
        o.n_orders = 1;
        check_stretch(diene_atoms, diene_bonds, &o, 1.538 - 0.204 * log2(1.41), 14.4681);
    }
    shoal_typing_options o = mmff_own;
    o.bond_scale = 2;
    check_stretch("O H H", "0-1 0-2", &o, 0.973, 48.872);
}

/* Rows that are missing: 2.0 A in the original, UFF's length and half its constant; both say so. */
static void test_missing_rows(void)
{
    const double uff_k = 0.5 * 664.12 * KCAL;
    check_stretch("S H H", "0-1 0-2", &mmff_original, 2, 10);
    check_stretch("Cl C C H H H", "0-1 1=2 1-3 2-4 2-5", &mmff_original, 2, 10);
    shoal_molecule *mol = mmff_graph("Cl C H H H", "0-1 1-2 1-3 1-4");
    uff own, like;
    uff_make_typed(&own, mol, &mmff_own);
    uff_make_typed(&like, mol, NULL);
    const double *p = mmff_bond(&own.view, 0, 1)->p, *want = mmff_bond(&like.view, 0, 1)->p;
    CHECK_NEAR(p[SHOAL_BOND_R0], want[SHOAL_BOND_R0], 1e-12);
    CHECK_NEAR(p[SHOAL_BOND_K], 0.5 * want[SHOAL_BOND_K], 1e-9);
    CHECK(p[SHOAL_BOND_K] < uff_k);
    CHECK_TEXT(shoal_topology_warning(own.topology),
               "MMFFsp3 has no bond Cl-C of order 1 (atoms 0 and 1): UFF's length and half its "
               "constant stand in for it, here and wherever else a row is missing");
    CHECK(own.view.vdw_x[0] == 2 * 1.9735);
    uff_free(&own);
    uff_free(&like);
    shoal_molecule_destroy(mol);
}

static void check_hbonds(const char *atoms, const char *bonds, const shoal_typing_options *o,
                         int32_t n, const double *want)
{
    shoal_molecule *mol = mmff_graph(atoms, bonds);
    uff u;
    uff_make_typed(&u, mol, o);
    for (int32_t i = 0; i < n; ++i) CHECK(u.view.hbonds[i] == want[i]);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

/* Donors of the original are C-H and planar N; of the mended rules H on N, O and F. */
static void test_hbonds(void)
{
    static const char atoms[] = "C C O N H H H H H", bonds[] = "0-1 1=2 1-3 0-4 0-5 0-6 3-7 3-8";
    check_hbonds(atoms, bonds, &mmff_original, 9,
                 (const double[]){0, 0, 0, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9});
    check_hbonds(atoms, bonds, &mmff_own, 9, (const double[]){0, 0, 0, 0, 0, 0, 0, 0.9, 0.9});
    check_hbonds("O H H", "0-1 0-2", &mmff_original, 3, (const double[]){-0.95, 0, 0});
    check_hbonds("O H H", "0-1 0-2", &mmff_own, 3, (const double[]){-0.95, 0.93, 0.93});
    check_hbonds("F H", "0-1", &mmff_own, 2, (const double[]){-0.98, 0.9});
    shoal_molecule *mol = mmff_graph("Br C H H H", "0-1 1-2 1-3 1-4");
    for (int k = 0; k < 2; ++k) {
        uff u;
        uff_make_typed(&u, mol, k ? &mmff_own : &mmff_original);
        CHECK(u.view.vdw_x[0] == (k ? 2 * 2.0945 : 2 * 2.0));
        if (k) CHECK_NEAR(u.view.vdw_d[0], 0.251 * KCAL, 1e-8); /* UFF's */
        uff_free(&u);
    }
    shoal_molecule_destroy(mol);
}

/* --- terms --------------------------------------------------------------------------------------*/

static const shoal_term *find_term(const shoal_topology_view *v, int kind, int32_t a, int32_t b)
{
    int32_t n;
    const shoal_term *t = shoal_topology_terms(v, kind, &n);
    const int32_t first = v->n_atoms + v->n_pairs;
    for (int32_t k = 0; k < n; ++k) {
        const int32_t x =
            kind == SHOAL_KIND_PI_PI ? v->direction_atoms[t[k].atoms[0] - first] : t[k].atoms[1];
        const int32_t y =
            kind == SHOAL_KIND_PI_PI ? v->direction_atoms[t[k].atoms[1] - first] : t[k].atoms[2];
        if ((x == a && y == b) || (kind == SHOAL_KIND_PI_PI && x == b && y == a)) return &t[k];
    }
    return NULL;
}

/* Section 9.2 and 9.5 of the specification. */
static void test_terms(void)
{
    shoal_molecule *acid = mmff_graph("C O O H H", "0=1 0-2 0-3 2-4");
    shoal_molecule *amide = mmff_graph("C C O N H H H H H", "0-1 1=2 1-3 0-4 0-5 0-6 3-7 3-8");
    for (int k = 0; k < 2; ++k) {
        const shoal_typing_options *o = k ? &mmff_own : &mmff_original;
        uff u;
        uff_make_typed(&u, acid, o);
        const shoal_topology_view *v = &u.view;
        CHECK(v->n_directions == 3 && v->n_pairs == 0 && v->inertias[1] == 1);
        CHECK(terms_count(v, SHOAL_KIND_HALF_ANGLE) == 4);
        CHECK(terms_count(v, SHOAL_KIND_SIGMA_PI) == 6 && terms_count(v, SHOAL_KIND_PI_PI) == 2);
        CHECK_NEAR(find_term(v, SHOAL_KIND_PI_PI, 0, 1)->p[SHOAL_PI_K], 1, 1e-12);
        CHECK_NEAR(find_term(v, SHOAL_KIND_PI_PI, 0, 2)->p[SHOAL_PI_K], 0.707106781187, 1e-12);
        const double *p = find_term(v, SHOAL_KIND_SIGMA_PI, 2, 4)->p;
        CHECK_NEAR(p[SHOAL_SIGMA_C0], -0.333806859234, 1e-12);
        CHECK(p[SHOAL_SIGMA_K] == 1);
        p = terms_of(v, SHOAL_KIND_HALF_ANGLE)[0].p;
        CHECK_NEAR(p[SHOAL_HALF_K], 4 * 5.94, 1e-12);
        CHECK_NEAR(p[SHOAL_HALF_T0], 2.0943951023931953, 1e-12);
        uff_free(&u);
        uff_make_typed(&u, amide, o);
        v = &u.view;
        CHECK(v->n_directions == 3); /* the methyl carbon has none */
        CHECK_NEAR(find_term(v, SHOAL_KIND_PI_PI, 1, 3)->p[SHOAL_PI_K], 1.140175425099, 1e-12);
        CHECK(!find_term(v, SHOAL_KIND_PI_PI, 0, 1));
        CHECK_NEAR(find_term(v, SHOAL_KIND_SIGMA_PI, 2, 1)->p[SHOAL_SIGMA_C0],
                   k ? 0 : 0.008726535498, 1e-12);
        uff_free(&u);
    }
    shoal_molecule_destroy(acid);
    shoal_molecule_destroy(amide);
}

static void test_options(void)
{
    shoal_molecule *mol = mmff_graph("C C H H H H", "0=1 0-2 0-3 1-4 1-5");
    shoal_typing_options o = mmff_own;
    o.pi_inertia = 3;
    o.pi_softening = 0.05;
    uff u;
    uff_make_typed(&u, mol, &o);
    CHECK(u.view.inertias[0] == 3);
    CHECK(find_term(&u.view, SHOAL_KIND_PI_PI, 0, 1)->p[SHOAL_PI_SOFT] == 0.05);
    uff_free(&u);
    o.bond_scale = -1;
    CHECK(shoal_topology_create(&u.topology, mol, &o) == SHOAL_E_ARGUMENT);
    CHECK_TEXT(shoal_error_text(), "MMFFsp3: bond_scale is -1, expected 0 or more");
    shoal_molecule_destroy(mol);
}

/* A bond across the border: terms know the image. */
static void test_shifts(void)
{
    static const double cell[3][3] = {{8, 0, 0}, {0, 8, 0}, {0, 0, 8}};
    shoal_molecule *mol = chem_new();
    chem_atom(mol, "C", 0.1, 1, 1);
    chem_atom(mol, "C", 6.9, 1, 1);
    chem_cell(mol, cell, 3);
    CHECK(shoal_molecule_add_bond(mol, 0, 1, SHOAL_ORDER_TRIPLE, (const int32_t[]){-1, 0, 0}) ==
          SHOAL_OK);
    chem_atom(mol, "H", 1.2, 1, 1);
    chem_atom(mol, "H", 5.8, 1, 1);
    chem_bond(mol, 0, 2, SHOAL_ORDER_SINGLE);
    chem_bond(mol, 1, 3, SHOAL_ORDER_SINGLE);
    uff u;
    uff_make_typed(&u, mol, &mmff_own);
    CHECK(find_term(&u.view, SHOAL_KIND_SIGMA_PI, 0, 1)->shifts[2][0] == -1);
    CHECK(find_term(&u.view, SHOAL_KIND_SIGMA_PI, 1, 0)->shifts[2][0] == 1);
    CHECK(topology_excludes(&u.view, 2, 1, (const int32_t[]){-1, 0, 0}));
    CHECK(!topology_excludes(&u.view, 2, 1, (const int32_t[]){0, 0, 0}));
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

/* --- electron pairs -----------------------------------------------------------------------------*/

static const shoal_typing_options with_pairs = {.forcefield = SHOAL_FORCEFIELD_MMFFSP3,
                                                .electron_pairs = true};

/* Water: all slots have angles, the host lacks what the pairs carry, exclusions are the host's. */
static void test_water_pairs(void)
{
    shoal_molecule *mol = mmff_graph("O H H", "0-1 0-2");
    static const double q[3] = {-0.8, 0.4, 0.4};
    CHECK(shoal_molecule_set_charges(mol, q) == SHOAL_OK);
    uff u;
    uff_make_typed(&u, mol, &with_pairs);
    const shoal_topology_view *v = &u.view;
    CHECK(v->n_atoms == 3 && v->n_pairs == 2 && v->n_directions == 0);
    CHECK(terms_count(v, SHOAL_KIND_BOND) == 4 && terms_count(v, SHOAL_KIND_HALF_ANGLE) == 6);
    const double *p = mmff_bond(v, 0, 3)->p;
    CHECK(p[SHOAL_BOND_R0] == 0.5 && p[SHOAL_BOND_K] == 10);
    CHECK_NEAR(v->charges[0], -0.4, 1e-15);
    for (int32_t e = 3; e < 5; ++e) {
        CHECK(v->charges[e] == -0.2 && v->elements[e] == 0 && v->vdw_d[e] == 0);
        CHECK(v->vdw_x[e] == 0.6 && v->masses[e] == 1);
        CHECK_TEXT(v->types[e], "E");
        for (int32_t j = 0; j < 5; ++j)
            CHECK(topology_excludes(v, e, j, (const int32_t[]){0, 0, 0}) == (j != e));
    }
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

/* How many pairs and directions a molecule gets. */
static void check_auxiliary(const char *atoms, const char *bonds, int32_t n_pairs,
                            int32_t n_directions)
{
    shoal_molecule *mol = mmff_graph(atoms, bonds);
    uff u;
    uff_make_typed(&u, mol, &with_pairs);
    CHECK(u.view.n_pairs == n_pairs && u.view.n_directions == n_directions);
    CHECK(!u.view.has_charges);
    for (int32_t i = 0; i < u.view.n_atoms + u.view.n_pairs; ++i) CHECK(u.view.charges[i] == 0);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

static void test_pairs(void)
{
    check_auxiliary("N H H H", "0-1 0-2 0-3", 1, 0);
    check_auxiliary("C O O H H", "0=1 0-2 0-3 2-4", 4, 2); /* single O: points instead of p */
    check_auxiliary("C C O N H H H H H", "0-1 1=2 1-3 0-4 0-5 0-6 3-7 3-8", 2, 3); /* N_R: p */
    check_auxiliary("C N H", "0#1 0-2", 1, 2);
    check_auxiliary("N C H H H", "0=1 0-2 1-3 1-4", 1, 2);
    check_auxiliary("C F H H H", "0-1 0-2 0-3 0-4", 0, 0);
    check_auxiliary("C S H H H H", "0-1 0-2 0-3 0-4 1-5", 2, 0);
    shoal_molecule *mol = mmff_graph("N C H H H", "0=1 0-2 1-3 1-4");
    uff u; /* sigma-pi also holds the pair of a pi atom */
    uff_make_typed(&u, mol, &with_pairs);
    CHECK(find_term(&u.view, SHOAL_KIND_SIGMA_PI, 0, 5)->p[SHOAL_SIGMA_K] == 1.6);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

/* --- refusals -----------------------------------------------------------------------------------*/

static void check_reason(const char *atoms, const char *bonds, const shoal_typing_options *o,
                         const char *want)
{
    shoal_molecule *mol = mmff_graph(atoms, bonds);
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        if (strncmp(atoms, "N H H H H", 9) == 0) mol->formal_charge[0] = 1;
    uff u;
    uff_make(&u, mol, o);
    CHECK(shoal_topology_status(u.topology) == SHOAL_SYSTEM_UNTYPED);
    CHECK_TEXT(shoal_topology_reason(u.topology), want);
    CHECK(u.view.n_atoms == mol->n_atoms && u.view.n_terms == 0);
    CHECK(u.view.n_directions == 0 && u.view.n_pairs == 0);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

/* Atom `which`, which has so many lone pairs, has more bonds than room for them. */
static void check_room(const char *atoms, const char *bonds, const shoal_typing_options *typing,
                       const char *which, const char *pairs_and_room)
{
    char reason[200];
    (void)snprintf(reason, sizeof reason,
                   "atom %s: with %s bonds, not for ammonium, sulfone, phosphate and the like",
                   which, pairs_and_room);
    check_reason(atoms, bonds, typing, reason);
}

static void test_refusals(void)
{
    const shoal_typing_options *both[] = {&mmff_own, &mmff_original};
    for (int k = 0; k < 2; ++k) {
        check_room("N H H H H", "0-1 0-2 0-3 0-4", both[k], "0 (N, 4 bonds, charge 1)",
                   "1 lone pair MMFFsp3 has room for 3");
        check_room("C C S O O H H H H H H", "0-2 1-2 2=3 2=4 0-5 0-6 0-7 1-8 1-9 1-10", both[k],
                   "2 (S, 4 bonds, charge 0)", "2 lone pairs MMFFsp3 has room for 2");
        check_room("P O O O O H H H", "0=1 0-2 0-3 0-4 2-5 3-6 4-7", both[k],
                   "0 (P, 4 bonds, charge 0)", "1 lone pair MMFFsp3 has room for 3");
        check_reason("H H", "0-1", both[k],
                     "atom 0 (H, 1 bond to H): a hydrogen of MMFFsp3 has one bond, to an atom "
                     "that is no hydrogen");
    }
    check_reason("B F F F", "0-1 0-2 0-3", &mmff_own,
                 "atom 0 (B, 3 bonds): MMFFsp3 has no type for this element; it has H, C, N, O, "
                 "F, Si, P, S, Cl, Br, I");
    check_reason("I C H H H", "0-1 1-2 1-3 1-4", &mmff_original,
                 "atom 0 (I, 1 bond): MMFFsp3:firecore has no type for this element; it has H, "
                 "C, N, O, F, Si, P, S, Cl, Br");
}

/* Types that the molecule brings are kept; those that do not fit are refused. */
static void test_given(void)
{
    char text[CHEM_TEXT];
    shoal_molecule *mol = mmff_graph("C O H H H H", "0-1 0-2 0-3 0-4 1-5");
    CHECK(shoal_molecule_set_type(mol, 1, "O_OH") == SHOAL_OK);
    CHECK(shoal_molecule_set_type(mol, 0, "C") == SHOAL_OK); /* the element: nothing special */
    uff u;
    uff_make_typed(&u, mol, &mmff_original);
    CHECK_TEXT(uff_labels(&u, text), "C_3 O_OH H_CH3 H_CH3 H_CH3 H_OH");
    CHECK(u.view.n_directions == 1);
    uff_free(&u);
    CHECK(shoal_molecule_set_type(mol, 0, "N_3") == SHOAL_OK);
    uff_make(&u, mol, &mmff_own);
    CHECK_TEXT(shoal_topology_reason(u.topology), "atom 0 (C): type 'N_3' belongs to N");
    uff_free(&u);
    CHECK(shoal_molecule_set_type(mol, 0, "C_X") == SHOAL_OK);
    uff_make(&u, mol, &mmff_own);
    CHECK_TEXT(shoal_topology_reason(u.topology), "atom 0 (C): 'C_X' is no MMFFsp3 type");
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

/* --- pair models --------------------------------------------------------------------------------*/

static void test_models(void)
{
    shoal_molecule *mol = mmff_graph("O H H", "0-1 0-2");
    uff own, again, original, fitted;
    uff_make_typed(&own, mol, &mmff_own);
    uff_make_typed(&again, mol, &mmff_own);
    uff_make_typed(&original, mol, &mmff_original);
    CHECK(own.view.model && own.view.model == again.view.model);
    CHECK(topology_equal(own.topology, again.topology));
    CHECK(original.view.model && original.view.model != own.view.model);
    CHECK(shoal_pair_model_settings(own.view.model)->coulomb == SHOAL_COULOMB_PLAIN);
    CHECK(shoal_pair_model_settings(original.view.model)->coulomb == SHOAL_COULOMB_DAMPED);
    CHECK(shoal_pair_model_settings(original.view.model)->coulomb_damping == 1);
    CHECK(!shoal_pair_model_types(own.view.model));
    CHECK(shoal_pair_model_write(own.view.model, "none.dat", NULL) == SHOAL_E_ARGUMENT);
    static const char table[] = "O_3 * O * 2 0 0 0 0.66 1.6 0.003 -0.6 -0.5\n"
                                "H_OH * H * 1 0 0 0 0.3 1.1 0.001 0.3 0.5\n";
    shoal_pair_model *model;
    CHECK(shoal_pair_model_read_memory(&model, table, strlen(table), "table") == SHOAL_OK);
    shoal_typing_options o = with_pairs;
    o.model = model;
    uff_make_typed(&fitted, mol, &o);
    CHECK(fitted.view.vdw_x[0] == 3.2 && fitted.view.hbonds[1] == 0.5);
    CHECK(fitted.view.charges[0] == -0.6 + 0.2 + 0.2 && fitted.view.charges[3] == -0.2);
    CHECK(fitted.view.model == model && fitted.view.n_pairs == 2);
    uff_free(&fitted);
    shoal_molecule_destroy(mol);
    mol = mmff_graph("N H H H", "0-1 0-2 0-3");
    uff_make(&fitted, mol, &o);
    CHECK_TEXT(shoal_topology_reason(fitted.topology),
               "atom 0 (N, MMFFsp3 type N_3): the table of parameters has no N_3");
    uff_free(&fitted);
    shoal_pair_model_destroy(model);
    uff_free(&own);
    uff_free(&again);
    uff_free(&original);
    shoal_molecule_destroy(mol);
}

/* --- more atoms ---------------------------------------------------------------------------------*/

/* Electron pairs and directions move behind the new atoms. */
static void test_append(void)
{
    shoal_molecule *mol = mmff_graph("N C H H H", "0=1 0-2 1-3 1-4");
    uff u;
    uff_make_typed(&u, mol, &with_pairs);
    const topology_atoms more = {.n = 2,
                                 .elements = (const int32_t[]){11, 17},
                                 .types = (const char *const[]){"Na", "Cl"},
                                 .masses = (const double[]){23, 35},
                                 .x = (const double[]){3, 4},
                                 .d = (const double[]){0.1, 0.2},
                                 .q = (const double[]){1, -1},
                                 .h = (const double[]){0, 0}};
    shoal_topology *longer, *same;
    shoal_topology_view v;
    CHECK(topology_append(&longer, u.topology, &more) == SHOAL_OK);
    CHECK(topology_append(&same, u.topology, &more) == SHOAL_OK);
    shoal_topology_get(longer, &v);
    CHECK(topology_equal(longer, same) && !topology_equal(longer, u.topology));
    CHECK(v.n_atoms == 7 && v.n_pairs == 1 && v.n_directions == 2);
    CHECK(v.elements[5] == 11 && v.elements[6] == 17 && v.elements[7] == 0);
    CHECK_TEXT(v.types[6], "Cl");
    CHECK_TEXT(v.types[7], "E");
    CHECK(v.vdw_x[6] == 4 && v.vdw_x[7] == 0.6);
    CHECK(mmff_bond(&v, 0, 7)->p[SHOAL_BOND_R0] == 0.5);
    CHECK(find_term(&v, SHOAL_KIND_SIGMA_PI, 0, 7) && find_term(&v, SHOAL_KIND_PI_PI, 0, 1));
    CHECK(v.direction_atoms[1] == 1);
    CHECK(topology_excludes(&v, 7, 0, (const int32_t[]){0, 0, 0}));
    CHECK(topology_excludes(&v, 0, 7, (const int32_t[]){0, 0, 0}));
    CHECK(v.exclude_start[5] == v.exclude_start[7] && v.exclude_start[8] > v.exclude_start[7]);
    shoal_topology_destroy(longer);
    shoal_topology_destroy(same);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

/* Conformers share a topology; other options make another one. */
static void test_sharing(void)
{
    shoal_molecule *first = mmff_graph("N C H H H", "0=1 0-2 1-3 1-4");
    shoal_molecule *second = mmff_graph("N C H H H", "0=1 0-2 1-3 1-4");
    shoal_molecule *third = mmff_graph("N C H H H", "0=1 0-2 1-3 1-4");
    second->pos[0][1] += 0.5;
    uff u, more;
    shoal_topology *cached[2];
    uff_make_typed(&u, first, &with_pairs);
    uff_make_typed(&more, second, &mmff_own);
    CHECK(!topology_equal(u.topology, more.topology));
    topology_cache *cache = topology_cache_create(&(typing_options){.forcefield = &with_pairs});
    CHECK(topology_cache_type(cache, third, &cached[0]) == SHOAL_OK);
    shoal_molecule_destroy(second);
    second = mmff_graph("N C H H H", "0=1 0-2 1-3 1-4");
    CHECK(topology_cache_type(cache, second, &cached[1]) == SHOAL_OK);
    CHECK(cached[0] == cached[1] && topology_equal(cached[0], u.topology));
    shoal_topology_destroy(cached[0]);
    shoal_topology_destroy(cached[1]);
    topology_cache_destroy(cache);
    uff_free(&u);
    uff_free(&more);
    shoal_molecule_destroy(first);
    shoal_molecule_destroy(second);
    shoal_molecule_destroy(third);
}

int main(void)
{
    test_sharing();
    test_types();
    test_ions();
    test_stretches();
    test_missing_rows();
    test_hbonds();
    test_terms();
    test_options();
    test_shifts();
    test_water_pairs();
    test_pairs();
    test_refusals();
    test_given();
    test_models();
    test_append();
    return check_done();
}
