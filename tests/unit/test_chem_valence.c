/* SPDX-License-Identifier: BSD-3-Clause
 * Orders, charges, radicals and donated pairs from coordinates alone. The expected valences in
 * perceive.xyz are RDKit's (tools/make_cases.py); complexes are made here by arithmetic. */
#include "chem_fixture.h"
#include "ff/term_table.h"
#include "io_fixture.h"

#include "constants.h"

/* Perceives a molecule without bonds and compares its valences. */
static void check_valences(shoal_molecule *mol, int32_t total, const char *want)
{
    char text[CHEM_TEXT];
    chem_perceive(mol, total);
    CHECK_TEXT(chem_valences(mol, text), want);
    int32_t sum = 0;
    for (int32_t i = 0; i < mol->n_atoms; ++i) sum += mol->formal_charge[i];
    CHECK(sum == total);
}

static void test_file(void)
{
    fixture f;
    uint64_t seed = 5;
    int32_t n_frames = 0;
    fixture_open_file(&f, SHOAL_TEST_DATA "/perceive.xyz");
    while (fixture_next(&f) == SHOAL_OK && f.found) {
        const int before = check_failures;
        const int32_t total = atoi(fixture_property(&f, "total"));
        int32_t order[256];
        chem_shuffle(order, shoal_molecule_n_atoms(f.mol), &seed);
        shoal_molecule *mixed = chem_bare(f.mol, order);
        check_valences(f.mol, total, fixture_property(&f, "expect"));
        check_valences(mixed, total, fixture_property(&f, "expect"));
        shoal_molecule_destroy(mixed);
        if (check_failures > before) (void)printf("in %s\n", shoal_molecule_name(f.mol));
        ++n_frames;
    }
    fixture_close(&f);
    CHECK(n_frames == 96);
}

/* --- complexes ----------------------------------------------------------------------------------*/

/* A flat ring in the plane z with its first atom in the direction angle (radians), and hydrogen on
 * all carbon atoms; symbols has one letter per ring atom. */
static void add_ring(shoal_molecule *mol, const char *symbols, double x, double y, double z,
                     double angle)
{
    const int n = (int)strlen(symbols);
    const double radius = 1.39 / (2 * sin(PI / n));
    for (int k = 0; k < n; ++k) {
        const char symbol[2] = {symbols[k], '\0'};
        const double a = angle + 2 * PI * k / n;
        chem_atom(mol, symbol, x + radius * cos(a), y + radius * sin(a), z);
        if (symbols[k] == 'C')
            chem_atom(mol, "H", x + (radius + 1.08) * cos(a), y + (radius + 1.08) * sin(a), z);
    }
}

/* A ring whose first atom is 2.05 A from the origin, in the direction angle. */
static void add_ligand(shoal_molecule *mol, const char *symbols, double angle)
{
    const double far = 2.05 + 1.39 / (2 * sin(PI / (double)strlen(symbols)));
    add_ring(mol, symbols, far * cos(angle), far * sin(angle), 0, angle + PI);
}

/* Lone pairs of uncharged donors are given: [Zn](Cl)(Cl)(<-pyridine)2. */
static void test_pyridine_on_zinc(void)
{
    shoal_molecule *mol = chem_new();
    chem_atom(mol, "Zn", 0, 0, 0);
    add_ligand(mol, "NCCCCC", 0);
    add_ligand(mol, "NCCCCC", PI);
    chem_atom(mol, "Cl", 0, 2.2, 0);
    chem_atom(mol, "Cl", 0, -2.2, 0);
    check_valences(mol, 0, "C4 C4 C4 C4 C4 C4 C4 C4 C4 C4 Cl1 Cl1 N3> N3> Zn4");
    CHECK(chem_order(mol, 0, 1) == SHOAL_ORDER_DATIVE);
    for (int32_t b = 0; b < mol->n_bonds; ++b)
        if (mol->bonds[b].order == SHOAL_ORDER_DATIVE) CHECK(mol->bonds[b].j == 0);
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        if (mol->element[i] == 7) CHECK(mol->perception->atoms[i].aromatic);
    shoal_molecule_destroy(mol);
}

/* An anionic donor shares its electrons: Zn bis(imidazolate) with two pyridines. */
static void test_imidazolate_on_zinc(void)
{
    shoal_molecule *mol = chem_new();
    chem_atom(mol, "Zn", 0, 0, 0);
    add_ligand(mol, "NCNCC", 0);
    add_ligand(mol, "NCNCC", PI);
    char text[CHEM_TEXT];
    chem_perceive(mol, 0);
    CHECK_TEXT(chem_valences(mol, text), "C4 C4 C4 C4 C4 C4 N3 N3 N3 N3 Zn2");
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        CHECK(mol->formal_charge[i] == 0);
        if (mol->element[i] == 7) CHECK(mol->perception->atoms[i].aromatic);
    }
    shoal_molecule_destroy(mol);
}

static void test_water_on_magnesium(void)
{
    shoal_molecule *mol = chem_new();
    chem_atom(mol, "Mg", 0, 0, 0);
    for (int k = 0; k < 6; ++k) {
        double r[3][3] = {{0}};
        const double s = k % 2 ? -1 : 1;
        const int axis = k / 2, side = (axis + 1) % 3;
        r[0][axis] = 2.07 * s;
        r[1][axis] = r[2][axis] = 2.65 * s;
        r[1][side] = 0.76;
        r[2][side] = -0.76;
        chem_atom(mol, "O", r[0][0], r[0][1], r[0][2]);
        chem_atom(mol, "H", r[1][0], r[1][1], r[1][2]);
        chem_atom(mol, "H", r[2][0], r[2][1], r[2][2]);
    }
    char text[CHEM_TEXT];
    chem_perceive(mol, 2);
    CHECK_TEXT(chem_valences(mol, text), "Mg6++ O2> O2> O2> O2> O2> O2>");
    shoal_molecule_destroy(mol);
}

static void test_ferrocene(void)
{
    shoal_molecule *mol = chem_new();
    chem_atom(mol, "Fe", 0, 0, 0);
    add_ring(mol, "CCCCC", 0, 0, 1.66, 0);
    add_ring(mol, "CCCCC", 0, 0, -1.66, 0.3);
    chem_perceive(mol, 0);
    CHECK(mol->n_bonds == 30);
    CHECK(mol->perception->rings.n_rings > 0);
    shoal_topology *topology;
    CHECK(shoal_topology_create(&topology, mol, NULL) == SHOAL_OK);
    CHECK(shoal_topology_status(topology) == SHOAL_SYSTEM_OK ||
          strlen(shoal_topology_reason(topology)) > 20);
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(mol);
}

/* closo-Carborane: an icosahedron, five partners in the cage for everyone. */
static void test_carborane(void)
{
    const double p = (1 + sqrt(5)) / 2, size = 1.75 / 2, out = 1.12 / sqrt(1 + p * p);
    shoal_molecule *mol = chem_new();
    for (int k = 0; k < 12; ++k) {
        double r[3] = {0, 0, 0};
        r[k % 3] = (k / 3) & 1 ? -1 : 1;
        r[(k + 1) % 3] = (k / 6) & 1 ? -p : p;
        const double h = size + out;
        chem_atom(mol, k < 2 ? "C" : "B", size * r[0], size * r[1], size * r[2]);
        chem_atom(mol, "H", h * r[0], h * r[1], h * r[2]);
    }
    chem_perceive(mol, 0);
    CHECK(mol->n_bonds == 30 + 12);
    for (int32_t i = 0; i < 24; ++i)
        CHECK(graph_degree(&mol->perception->graph, i) == (i % 2 ? 1 : 6));
    shoal_topology *topology;
    CHECK(shoal_topology_create(&topology, mol, NULL) == SHOAL_OK);
    CHECK(shoal_topology_status(topology) == SHOAL_SYSTEM_UNTYPED);
    CHECK(strncmp(shoal_topology_reason(topology), "atom 0 (C", 9) == 0);
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(mol);
}

static void test_diborane(void)
{
    shoal_molecule *mol = chem_xyz("8\n\nB .88 0 0\nB -.88 0 0\nH 0 0 .98\nH 0 0 -.98\n"
                                   "H 1.46 1.04 0\nH 1.46 -1.04 0\nH -1.46 1.04 0\n"
                                   "H -1.46 -1.04 0\n");
    chem_perceive(mol, 0);
    for (int32_t h = 2; h < 4; ++h) CHECK(graph_degree(&mol->perception->graph, h) == 2);
    CHECK(chem_order(mol, 0, 2) == SHOAL_ORDER_SINGLE && chem_order(mol, 1, 2) == 1);
    shoal_topology *topology;
    shoal_topology_view v;
    CHECK(shoal_topology_create(&topology, mol, NULL) == SHOAL_OK);
    shoal_topology_get(topology, &v);
    CHECK_TEXT(v.types[2], "H_b");
    CHECK_TEXT(v.types[3], "H_b");
    CHECK_TEXT(v.types[4], "H_");
    /* A bridge bends to 83.5 degrees: the general form, not the linear one. */
    for (int32_t k = 0; k < terms_count(&v, SHOAL_KIND_ANGLE); ++k)
        if (terms_of(&v, SHOAL_KIND_ANGLE)[k].atoms[1] == 2) {
            const double c2 = terms_of(&v, SHOAL_KIND_ANGLE)[k].p[SHOAL_ANGLE_C0 + 2];
            CHECK(c2 > 0.25 && c2 < 0.26);
        }
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(mol);
}

/* --- choices between structures -----------------------------------------------------------------*/

/* Hypervalent chlorine, as the geometry alone suggests it. */
static void test_perchloric_acid(void)
{
    shoal_molecule *mol = chem_xyz("6\n\nCl 0 0 0\nO .82 .82 .82\nO .82 -.82 -.82\n"
                                   "O -.82 .82 -.82\nO -.94 -.94 .94\nH -1.5 -.9 1.7\n");
    check_valences(mol, 0, "Cl7 O2 O2 O2 O2");
    shoal_molecule_destroy(mol);
}

/* H-C18-H along a line, from bond lengths. */
static shoal_molecule *carbon_chain(double first, double second)
{
    shoal_molecule *mol = chem_new();
    double x = 0;
    for (int k = 0; k < 18; ++k) {
        chem_atom(mol, "C", x, 0, 0);
        x += k % 2 ? second : first;
    }
    return mol;
}

static void test_polyyne(void)
{
    shoal_molecule *mol = carbon_chain(1.21, 1.37);
    chem_atom(mol, "H", -1.06, 0, 0);
    chem_atom(mol, "H", mol->pos[17][0] + 1.06, 0, 0);
    chem_perceive(mol, 0);
    for (int32_t k = 0; k < 17; ++k) CHECK(chem_order(mol, k, k + 1) == (k % 2 ? 1 : 3));
    shoal_molecule_destroy(mol);
}

static void test_cumulene(void)
{
    shoal_molecule *mol = carbon_chain(1.29, 1.29);
    for (int side = -1; side <= 1; side += 2) {
        chem_atom(mol, "H", -0.55, 0.93 * side, 0);
        chem_atom(mol, "H", mol->pos[17][0] + 0.55, 0.93 * side, 0);
    }
    chem_perceive(mol, 0);
    for (int32_t k = 0; k < 17; ++k) CHECK(chem_order(mol, k, k + 1) == SHOAL_ORDER_DOUBLE);
    shoal_molecule_destroy(mol);
}

/* What the file gives is kept, and perceiving twice changes nothing. */
static void test_given_orders(void)
{
    shoal_molecule *mol = chem_skeleton(4, "0-1 1-2 2-3", SHOAL_ORDER_SINGLE);
    CHECK(shoal_molecule_set_formal_charge(mol, 0, 2) == SHOAL_OK);
    chem_perceive(mol, 0);
    chem_perceive(mol, 0);
    CHECK(mol->formal_charge[0] == 2 && mol->formal_charge[3] == 0);
    for (int32_t b = 0; b < 3; ++b) CHECK(mol->bonds[b].order == SHOAL_ORDER_SINGLE);
    shoal_molecule_destroy(mol);
}

/* Five-valent nitrogen of old files becomes charge-separated at the first partner that can. */
static void test_five_valent_nitrogen(void)
{
    shoal_molecule *mol = chem_new();
    static const char *const nitro[] = {"C", "N", "O", "O", "H", "H", "H"};
    for (int k = 0; k < 7; ++k) chem_atom(mol, nitro[k], 2.0 * k, 0, 0);
    chem_bond(mol, 0, 1, SHOAL_ORDER_SINGLE);
    chem_bond(mol, 1, 2, SHOAL_ORDER_DOUBLE);
    chem_bond(mol, 1, 3, SHOAL_ORDER_DOUBLE);
    for (int32_t h = 4; h < 7; ++h) chem_bond(mol, 0, h, SHOAL_ORDER_SINGLE);
    check_valences(mol, 0, "C4 N4+ O1- O2");
    CHECK(mol->formal_charge[2] == -1);
    shoal_molecule_destroy(mol);
    mol = chem_new();
    static const char *const azide[] = {"H", "N", "N", "N"};
    for (int k = 0; k < 4; ++k) chem_atom(mol, azide[k], 2.0 * k, 0, 0);
    chem_bond(mol, 0, 1, SHOAL_ORDER_SINGLE);
    chem_bond(mol, 1, 2, SHOAL_ORDER_DOUBLE);
    chem_bond(mol, 2, 3, SHOAL_ORDER_TRIPLE);
    check_valences(mol, 0, "N2- N3 N4+");
    shoal_molecule_destroy(mol);
}

/* H2B=CH2 with the charge on boron stated: as many electrons as in ethene. */
static void test_charged_boron(void)
{
    static const char *const symbols[] = {"B", "C", "H", "H", "H", "H"};
    shoal_molecule *mol = chem_new();
    for (int i = 0; i < 6; ++i) chem_atom(mol, symbols[i], 10.0 * i, 0, 0);
    chem_bond(mol, 0, 1, SHOAL_ORDER_UNKNOWN);
    for (int i = 2; i < 6; ++i) chem_bond(mol, i / 4, i, SHOAL_ORDER_SINGLE);
    for (int i = 0; i < 6; ++i)
        CHECK(shoal_molecule_set_formal_charge(mol, i, i == 0 ? -1 : 0) == SHOAL_OK);
    check_valences(mol, -1, "B4- C4");
    CHECK(chem_order(mol, 0, 1) == SHOAL_ORDER_DOUBLE);
    shoal_molecule_destroy(mol);
}

/* --- the total charge ---------------------------------------------------------------------------*/

static void check_refused(shoal_molecule *mol, const shoal_perceive_options *options,
                          const char *want)
{
    CHECK(shoal_molecule_perceive(mol, options) == SHOAL_E_FORMAT);
    CHECK_TEXT(shoal_error_text(), want);
    shoal_topology *topology;
    CHECK(shoal_topology_create(&topology, mol, NULL) == SHOAL_OK);
    CHECK(shoal_topology_status(topology) == SHOAL_SYSTEM_UNTYPED);
    CHECK_TEXT(shoal_topology_reason(topology), want);
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(mol);
}

#define AMMONIUM "N 0 0 0\nH .6 .6 .6\nH .6 -.6 -.6\nH -.6 .6 -.6\nH -.6 -.6 .6\n"
#define NO_CHARGE "no bond orders give the total charge 0; those that fit best have 1"

/* Asked for, stated by the file, the sum of its partial charges, or 0, in this order. */
static void test_who_says_the_charge(void)
{
    static const shoal_perceive_options none = {.bond_scale = 0}, cation = {.total_charge = 1},
                                        zero = {.has_total_charge = true};
    check_refused(chem_xyz("5\n\n" AMMONIUM), NULL, NO_CHARGE);
    check_refused(chem_xyz("5\n\n" AMMONIUM), &none, NO_CHARGE);
    check_refused(chem_xyz("5\ncharge=1\n" AMMONIUM), &zero, NO_CHARGE);
    check_refused(chem_xyz("2\ncharge=0.5\nH 0 0 0\nH 0 0 .7\n"), NULL,
                  "the file states the total charge 0.5, expected a whole number");
    check_refused(chem_xyz("2\ncharge=2000\nH 0 0 0\nH 0 0 .7\n"), NULL,
                  "no bond orders give the total charge 2000; those that fit best have 0");
    static const char *const stated[] = {
        "5\ncharge=1\n" AMMONIUM, "5\nion total_charge=+1\n" AMMONIUM,
        "5\nCharge=\"1.0\" a=b\n" AMMONIUM, "5\ncharge=0.9999998\n" AMMONIUM};
    for (int k = 0; k < 4; ++k) {
        shoal_molecule *mol = chem_xyz(stated[k]), *copy = chem_new();
        CHECK(shoal_molecule_copy(copy, mol) == SHOAL_OK);
        CHECK(shoal_molecule_perceive(mol, k ? NULL : &none) == SHOAL_OK && mol->total_charge == 1);
        CHECK(shoal_molecule_perceive(copy, NULL) == SHOAL_OK && copy->formal_charge[0] == 1);
        shoal_molecule_clear(copy);
        CHECK(!copy->has_file_charge);
        shoal_molecule_destroy(mol);
        shoal_molecule_destroy(copy);
    }
    shoal_molecule *mol = chem_xyz("5\n\nN 0 0 0 -.6\nH .6 .6 .6 .4\nH .6 -.6 -.6 .4\n"
                                   "H -.6 .6 -.6 .4\nH -.6 -.6 .6 .4\n");
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK && mol->total_charge == 1);
    shoal_molecule_destroy(mol);
    for (int k = 0; k < 2; ++k) { /* partial charges may be off by 0.05 e in all, stated ones too */
        char text[160];
        (void)snprintf(text, sizeof text, "5\n\nN 0 0 0 %s\nH .6 .6 .6 .4\nH .6 -.6 -.6 .4\n%s",
                       k ? "-.654" : "-.646", "H -.6 .6 -.6 .4\nH -.6 -.6 .6 .4\n");
        mol = chem_xyz(text);
        CHECK((shoal_molecule_perceive(mol, NULL) == SHOAL_OK) == (k == 0));
        shoal_molecule_destroy(mol);
        mol = chem_xyz(k ? "5\ncharge=1.06\n" AMMONIUM : "5\ncharge=1.04\n" AMMONIUM);
        CHECK((shoal_molecule_perceive(mol, NULL) == SHOAL_OK) == (k == 0));
        shoal_molecule_destroy(mol);
    }
    mol = chem_xyz("1\n\nNe 0 0 0 1\n"); /* a hint that cannot be met */
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK && mol->total_charge == 0);
    CHECK_TEXT(shoal_error_text(), "");
    shoal_molecule_destroy(mol);
    mol = chem_xyz("5\n\n" AMMONIUM);
    check_valences(mol, 1, "N4+");
    CHECK(shoal_molecule_perceive(mol, &cation) == SHOAL_OK);
    shoal_molecule_destroy(mol);
}

/* Orders that a file gives are kept: without a word about the charge it is theirs. */
static void test_charge_of_given_orders(void)
{
    shoal_molecule *mol = chem_xyz("5\n\n" AMMONIUM);
    for (int32_t h = 1; h < 5; ++h) chem_bond(mol, 0, h, SHOAL_ORDER_SINGLE);
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK && mol->total_charge == 1);
    CHECK(mol->formal_charge[0] == 1);
    shoal_molecule_destroy(mol);
}

/* The shorter bond of a nitro group is the double one, whichever atom comes first. */
static void test_lengths_decide(void)
{
    static const char *const texts[] = {
        "7\n\nC -1.49 0 0\nN 0 0 0\nO .625 1.0825 0\nO .69 -1.195 0\nH -1.85 1 0\n"
        "H -1.85 -.5 .87\nH -1.85 -.5 -.87\n",
        "7\n\nC -1.49 0 0\nN 0 0 0\nO .69 -1.195 0\nO .625 1.0825 0\nH -1.85 1 0\n"
        "H -1.85 -.5 .87\nH -1.85 -.5 -.87\n",
        /* the same, both longer than any bond should be */
        "7\n\nC -1.49 0 0\nN 0 0 0\nO .8 1.3856 0\nO .83 -1.4376 0\nH -1.85 1 0\n"
        "H -1.85 -.5 .87\nH -1.85 -.5 -.87\n",
        "7\n\nC -1.49 0 0\nN 0 0 0\nO .83 -1.4376 0\nO .8 1.3856 0\nH -1.85 1 0\n"
        "H -1.85 -.5 .87\nH -1.85 -.5 -.87\n"};
    for (int32_t k = 0; k < 4; ++k) {
        shoal_molecule *mol = chem_xyz(texts[k]);
        check_valences(mol, 0, "C4 N4+ O1- O2");
        CHECK(chem_order(mol, 1, 2 + k % 2) == SHOAL_ORDER_DOUBLE);
        CHECK(mol->formal_charge[3 - k % 2] == -1);
        shoal_molecule_destroy(mol);
    }
}

/* Crooked butadiene less an electron: charge and unpaired electron are at the same atoms, whatever their order. */
static void test_radical_ion(void)
{
    static const char *const texts[] = {"10\n\n"
                                        "C 1.721 0.205 -0.647\nC 0.695 -0.199 0.136\n"
                                        "C -0.695 0.199 -0.136\nC -1.691 -0.205 0.647\n"
                                        "H 1.508 0.838 -1.506\nH 2.707 -0.098 -0.429\n"
                                        "H 0.920 -0.831 0.987\nH -0.920 0.831 -0.987\n"
                                        "H -2.707 0.098 0.429\nH -1.508 -0.838 1.506\n",
                                        "10\n\n"
                                        "H -1.508 -0.838 1.506\nH -2.707 0.098 0.429\n"
                                        "H -0.920 0.831 -0.987\nH 0.920 -0.831 0.987\n"
                                        "H 2.707 -0.098 -0.429\nH 1.508 0.838 -1.506\n"
                                        "C -1.691 -0.205 0.647\nC -0.695 0.199 -0.136\n"
                                        "C 0.695 -0.199 0.136\nC 1.721 0.205 -0.647\n"};
    shoal_molecule *mol[2];
    for (int k = 0; k < 2; ++k) {
        mol[k] = chem_xyz(texts[k]);
        chem_perceive(mol[k], 1);
    }
    for (int i = 0; i < 10; ++i) CHECK(mol[0]->formal_charge[i] == mol[1]->formal_charge[9 - i]);
    for (int k = 0; k < 2; ++k) shoal_molecule_destroy(mol[k]);
}

/* What the ligands leave of the total is the metal's and changes nothing about its bonds. */
static void test_metals_take_the_rest(void)
{
    hybridization hyb[2];
    for (int32_t total = 0; total < 2; ++total) {
        shoal_molecule *mol = chem_new();
        chem_atom(mol, "Fe", 0, 0, 0);
        for (int k = 0; k < 4; ++k)
            chem_atom(mol, "Cl", k & 1 ? 1.27 : -1.27, k & 2 ? 1.27 : -1.27,
                      k == 0 || k == 3 ? 1.27 : -1.27);
        check_valences(mol, -total, total ? "Cl1 Cl1 Cl1 Cl1 Fe4-" : "Cl1 Cl1 Cl1 Cl1 Fe4");
        CHECK(mol->formal_charge[0] == -total);
        hyb[total] = mol->perception->atoms[0].hyb;
        shoal_molecule_destroy(mol);
    }
    CHECK(hyb[0] == hyb[1]);
}

/* Two sodium ions, carbonate and water in one box. */
static void test_salt(void)
{
    shoal_molecule *mol =
        chem_xyz("9\n\nNa 5 0 0\nNa -5 0 0\nC 0 0 0\nO 1.28 0 0\nO -.64 1.1085 0\n"
                 "O -.64 -1.1085 0\nO 0 0 9\nH .76 0 9.6\nH -.76 0 9.6\n");
    check_valences(mol, 0, "C4 Na0+ Na0+ O1- O1- O2 O2");
    shoal_molecule_destroy(mol);
}

/* A sheet too wide for comparing its structures: the matching gives them. */
static void test_wide_sheet(void)
{
    shoal_molecule *mol = chem_new();
    const double a = 2.46, h = a * sqrt(3) / 2;
    for (int i = 0; i < 30; ++i)
        for (int j = 0; j < 30; ++j)
            for (int k = 0; k < 2; ++k)
                chem_atom(mol, "C", a * i + a / 2 * (j + k), h * j + k * h / 3, 0);
    const double cell[3][3] = {{30 * a, 0, 0}, {15 * a, 30 * h, 0}, {0, 0, 20}};
    chem_cell(mol, cell, 2);
    chem_perceive(mol, 0);
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        CHECK(mol->perception->atoms[i].valence == 4 && mol->formal_charge[i] == 0);
    shoal_molecule_destroy(mol);
}

/* --- valences that no atom has ------------------------------------------------------------------*/

static shoal_molecule *star(const char *centre, const char *partner, int32_t n, int32_t order)
{
    shoal_molecule *mol = chem_new();
    chem_atom(mol, centre, 0, 0, 0);
    for (int32_t k = 1; k <= n; ++k) {
        chem_atom(mol, partner, 3.0 * k, 0, 0);
        chem_bond(mol, 0, k, (shoal_bond_order)order);
    }
    CHECK(shoal_molecule_set_formal_charge(mol, 0, 0) == SHOAL_OK);
    return mol;
}

static void test_impossible_valences(void)
{
    check_refused(star("N", "O", 4, SHOAL_ORDER_DOUBLE), NULL,
                  "atom 0 (N): valence 8; no N has more than 5");
    check_refused(star("H", "C", 8, SHOAL_ORDER_SINGLE), NULL,
                  "atom 0 (H): valence 8; no H has more than 2");
    shoal_molecule *mol = star("H", "Ti", 6, SHOAL_ORDER_SINGLE); /* as in metal hydrides */
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    shoal_molecule_destroy(mol);
}

static void test_empty(void)
{
    shoal_molecule *mol = chem_new();
    chem_perceive(mol, 0);
    CHECK(mol->n_bonds == 0);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    test_file();
    test_pyridine_on_zinc();
    test_imidazolate_on_zinc();
    test_water_on_magnesium();
    test_ferrocene();
    test_carborane();
    test_diborane();
    test_perchloric_acid();
    test_polyyne();
    test_cumulene();
    test_given_orders();
    test_five_valent_nitrogen();
    test_charged_boron();
    test_who_says_the_charge();
    test_charge_of_given_orders();
    test_lengths_decide();
    test_radical_ion();
    test_metals_take_the_rest();
    test_salt();
    test_wide_sheet();
    test_impossible_valences();
    test_empty();
    return check_done();
}
