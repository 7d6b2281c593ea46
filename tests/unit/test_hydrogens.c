/* SPDX-License-Identifier: BSD-3-Clause
 * Hydrogen that molecules lack: how much, where it goes, and that molecules with all of theirs raise no alarm.
 * SHOAL_TEST_MOLECULES may name an SD file of more molecules, with their hydrogen. */
#include <math.h>
#include <stdlib.h>

#include "chem/element.h"
#include "uff_fixture.h"

#define PI 3.14159265358979323846

static int32_t missing(const shoal_molecule *mol, int32_t *counts)
{
    const int32_t n = shoal_molecule_missing_hydrogens(mol, counts);
    CHECK_TEXT(shoal_error_text(), "");
    return n;
}

/* Orders and charges of the molecule are given, as by an SD file. */
static void state(shoal_molecule *mol)
{
    CHECK(shoal_molecule_set_formal_charge(mol, 0, 0) == SHOAL_OK);
}

static void add(shoal_molecule *mol, int32_t wanted)
{
    int32_t n = -1;
    CHECK(shoal_molecule_add_hydrogens(mol, &n) == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
    CHECK(n == wanted);
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    CHECK(missing(mol, NULL) == 0);
}

static double distance(const shoal_molecule *mol, int32_t i, int32_t j)
{
    double r2 = 0;
    for (int c = 0; c < 3; ++c) r2 += pow(mol->pos[i][c] - mol->pos[j][c], 2);
    return sqrt(r2);
}

/* Degrees. */
static double angle(const shoal_molecule *mol, int32_t i, int32_t j, int32_t k)
{
    double d = 0;
    for (int c = 0; c < 3; ++c)
        d += (mol->pos[i][c] - mol->pos[j][c]) * (mol->pos[k][c] - mol->pos[j][c]);
    return acos(d / distance(mol, i, j) / distance(mol, j, k)) * 180 / PI;
}

/* Volume spanned by the directions from i to three atoms: 0 in a plane. */
static double spanned(const shoal_molecule *mol, int32_t i, int32_t a, int32_t b, int32_t c)
{
    double d[3][3];
    const int32_t to[3] = {a, b, c};
    for (int k = 0; k < 3; ++k)
        for (int x = 0; x < 3; ++x)
            d[k][x] = (mol->pos[to[k]][x] - mol->pos[i][x]) / distance(mol, i, to[k]);
    return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) +
           d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
           d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
}

/* The least distance between any two atoms, angstrom. */
static double closest(const shoal_molecule *mol)
{
    double least = HUGE_VAL;
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        for (int32_t j = 0; j < i; ++j) least = fmin(least, distance(mol, i, j));
    return least;
}

/* --- valences -----------------------------------------------------------------------------------*/

static void test_lone_atoms(void)
{
    /* by charge -1, 0 and +1; RDKit's numbers, but for silicon cations */
    static const struct {
        const char *symbol;
        int32_t n[3];
    } rows[] = {{"B", {4, 3, 2}},  {"C", {3, 4, 3}},  {"N", {2, 3, 4}},  {"O", {1, 2, 3}},
                {"F", {0, 1, 2}},  {"Si", {3, 4, 3}}, {"P", {2, 3, 4}},  {"S", {1, 2, 3}},
                {"Cl", {0, 1, 2}}, {"Se", {1, 2, 3}}, {"Br", {0, 1, 2}}, {"I", {0, 1, 2}},
                {"Na", {0, 0, 0}}, {"Fe", {0, 0, 0}}, {"Zn", {0, 0, 0}}, {"Xe", {0, 0, 0}},
                {"H", {0, 0, 0}},  {"Al", {0, 0, 0}}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k)
        for (int32_t charge = -1; charge <= 1; ++charge) {
            shoal_molecule *mol = chem_atoms(rows[k].symbol, 1);
            CHECK(shoal_molecule_set_formal_charge(mol, 0, charge) == SHOAL_OK);
            CHECK(missing(mol, NULL) == 0); /* not perceived */
            chem_perceive(mol, 0);
            if (missing(mol, NULL) != rows[k].n[charge + 1])
                (void)printf("%s, charge %d\n", rows[k].symbol, charge);
            CHECK(missing(mol, NULL) == rows[k].n[charge + 1]);
            shoal_molecule_destroy(mol);
        }
    shoal_molecule *water = chem_atoms("O", 1); /* as in an xyz file: an atom */
    chem_perceive(water, 0);
    CHECK(missing(water, NULL) == 0);
    shoal_molecule_destroy(water);
    CHECK(shoal_molecule_missing_hydrogens(NULL, NULL) == 0);
    CHECK(shoal_molecule_add_hydrogens(NULL, NULL) == SHOAL_E_ARGUMENT);
}

/* A centre with single-letter partners, all bonds of one order. */
static shoal_molecule *star(const char *centre, const char *partners, shoal_bond_order order)
{
    shoal_molecule *mol = chem_atoms(centre, 1);
    for (int32_t k = 0; partners[k]; ++k) {
        chem_atom(mol, (const char[2]){partners[k], '\0'}, 3.0 * k, 5, k);
        chem_bond(mol, 0, k + 1, order);
    }
    state(mol);
    return mol;
}

static void check_star(shoal_molecule *mol, int32_t charge, int32_t radical, int32_t wanted)
{
    int32_t counts[8] = {-1};
    CHECK(shoal_molecule_set_formal_charge(mol, 0, charge) == SHOAL_OK);
    CHECK(shoal_molecule_set_radical(mol, 0, radical) == SHOAL_OK);
    chem_perceive(mol, 0);
    (void)missing(mol, counts);
    CHECK(counts[0] == wanted);
    shoal_molecule_destroy(mol);
}

static void test_stars(void)
{
    check_star(star("S", "FFF", SHOAL_ORDER_SINGLE), 0, 0, 1); /* 2, 4, 6 */
    check_star(star("S", "CCC", SHOAL_ORDER_SINGLE), 1, 0, 0);
    check_star(star("S", "OO", SHOAL_ORDER_DOUBLE), 0, 0, 0);
    check_star(star("P", "FFFFFF", SHOAL_ORDER_SINGLE), -1, 0, 0);
    check_star(star("P", "FFFF", SHOAL_ORDER_SINGLE), 0, 0, 1);
    check_star(star("I", "FF", SHOAL_ORDER_SINGLE), -1, 0, 0);
    check_star(star("C", "FFF", SHOAL_ORDER_SINGLE), 0, 0, 1);
    check_star(star("C", "FFF", SHOAL_ORDER_SINGLE), 0, 1, 0); /* the file says radical */
    check_star(star("C", "FF", SHOAL_ORDER_SINGLE), 0, 2, 0);
    check_star(star("N", "CCCC", SHOAL_ORDER_SINGLE), 1, 0, 0);
    check_star(star("B", "FFFF", SHOAL_ORDER_SINGLE), -1, 0, 0);
    check_star(star("C", "O", SHOAL_ORDER_TRIPLE), -1, 0, 0);
    check_star(star("O", "K", SHOAL_ORDER_SINGLE), 0, 0, 0); /* beside a metal */
    check_star(star("S", "CC", SHOAL_ORDER_SINGLE), 15, 0, 0);
}

/* Orders given, charges not: a mol2 file, or a program. */
static void test_without_charges(void)
{
    shoal_molecule *butane = chem_skeleton(4, "0-1 1-2 2-3", SHOAL_ORDER_SINGLE);
    int32_t counts[4];
    chem_perceive(butane, 0);
    CHECK(missing(butane, counts) == 10);
    CHECK(counts[0] == 3 && counts[1] == 2 && counts[2] == 2 && counts[3] == 3);
    shoal_molecule_destroy(butane);
    /* with hydrogen on one carbon atom the others are radicals or ions */
    shoal_molecule *radical = chem_skeleton(3, "0-1 1-2", SHOAL_ORDER_SINGLE);
    chem_atom(radical, "H", 0, 1, 0);
    chem_bond(radical, 0, 3, SHOAL_ORDER_SINGLE);
    chem_perceive(radical, 0);
    CHECK(missing(radical, NULL) == 0);
    shoal_molecule_destroy(radical);
    shoal_molecule *cyanide = chem_atoms("C", 1);
    chem_atom(cyanide, "N", 1.17, 0, 0);
    chem_bond(cyanide, 0, 1, SHOAL_ORDER_TRIPLE);
    chem_perceive(cyanide, -1);
    CHECK(missing(cyanide, NULL) == 0);
    shoal_molecule_destroy(cyanide);
}

/* --- geometry -----------------------------------------------------------------------------------*/

static void test_alone(void)
{
    shoal_molecule *mol = chem_atoms("C", 1);
    state(mol);
    add(mol, 4);
    for (int32_t i = 1; i <= 4; ++i) {
        CHECK_NEAR(distance(mol, 0, i), 1.09, 0.03);
        for (int32_t j = i + 1; j <= 4; ++j) CHECK_NEAR(angle(mol, i, 0, j), 109.47, 0.01);
    }
    shoal_molecule_destroy(mol);
    mol = chem_atoms("O", 1);
    state(mol);
    add(mol, 2);
    CHECK_NEAR(distance(mol, 0, 1), 0.97, 0.02);
    CHECK_NEAR(angle(mol, 1, 0, 2), 104.5, 0.01);
    shoal_molecule_destroy(mol);
    mol = chem_atoms("B", 1);
    state(mol);
    add(mol, 3);
    CHECK_NEAR(spanned(mol, 0, 1, 2, 3), 0, 1e-12);
    shoal_molecule_destroy(mol);
}

static shoal_molecule *pair(const char *a, const char *b, double r, shoal_bond_order order)
{
    shoal_molecule *mol = chem_atoms(a, 1);
    chem_atom(mol, b, r, 0, 0);
    chem_bond(mol, 0, 1, order);
    state(mol);
    return mol;
}

static void test_pairs(void)
{
    shoal_molecule *mol = pair("C", "C", 1.54, SHOAL_ORDER_SINGLE);
    add(mol, 6);
    CHECK_NEAR(angle(mol, 2, 0, 1), 109.47, 0.01);
    for (int32_t i = 2; i < 5; ++i) /* staggered */
        for (int32_t j = 5; j < 8; ++j) CHECK(distance(mol, i, j) > 2.45);
    shoal_molecule_destroy(mol);
    mol = pair("C", "C", 1.33, SHOAL_ORDER_DOUBLE);
    add(mol, 4);
    CHECK_NEAR(spanned(mol, 0, 1, 2, 4), 0, 1e-9);
    CHECK_NEAR(spanned(mol, 1, 0, 4, 2), 0, 1e-9);
    shoal_molecule_destroy(mol);
    mol = pair("C", "N", 1.16, SHOAL_ORDER_TRIPLE);
    add(mol, 1);
    CHECK_NEAR(angle(mol, 2, 0, 1), 180, 1e-4);
    shoal_molecule_destroy(mol);
    mol = pair("S", "S", 2.05, SHOAL_ORDER_SINGLE);
    add(mol, 2);
    CHECK_NEAR(angle(mol, 2, 0, 1), 95, 0.01);
    shoal_molecule_destroy(mol);
}

/* Beside a multiple bond of carbon or nitrogen a nitrogen is flat, and so is carbon with an unpaired electron or
 * without one. */
static void test_flat(void)
{
    static const char *const flat[][2] = {
        {"N -1.35 0.1 0 C 0 0 0 N 1.16 0 0.05", "0-1 1#2"}, /* cyanamide */
        {"N 0 0 0 N 1.34 0 0 O 1.9 1.05 0", "0-1 1=2"}};    /* nitrosamine */
    for (int k = 0; k < 2; ++k) {
        shoal_molecule *one = chem_placed(flat[k][0], flat[k][1]);
        state(one);
        add(one, 2);
        CHECK_NEAR(spanned(one, 0, 1, 3, 4), 0, 1e-9);
        CHECK_NEAR(angle(one, 3, 0, 4), 120, 0.01);
        shoal_molecule_destroy(one);
    }
    shoal_molecule *mol =
        chem_placed("N 0 0 0 C 1.34 0 0 O 1.95 1.05 0 C 2.0 -1.35 0", "0-1 1=2 1-3");
    state(mol);
    add(mol, 5);
    CHECK_NEAR(angle(mol, 4, 0, 5), 120, 0.01);
    shoal_molecule_destroy(mol);
    mol = chem_new(); /* methanesulfonamide: beside S=O it is a pyramid */
    chem_atom(mol, "N", 0, 0, 0);
    chem_atom(mol, "S", 1.65, 0, 0);
    chem_atom(mol, "O", 2.2, 1.2, 0.6);
    chem_atom(mol, "O", 2.2, -1.2, 0.6);
    chem_atom(mol, "C", 2.3, 0, -1.6);
    chem_bond(mol, 0, 1, SHOAL_ORDER_SINGLE);
    chem_bond(mol, 1, 2, SHOAL_ORDER_DOUBLE);
    chem_bond(mol, 1, 3, SHOAL_ORDER_DOUBLE);
    chem_bond(mol, 1, 4, SHOAL_ORDER_SINGLE);
    state(mol);
    add(mol, 5);
    CHECK_NEAR(angle(mol, 5, 0, 1), 107, 0.01);
    shoal_molecule_destroy(mol);
    mol = pair("N", "C", 1.47, SHOAL_ORDER_SINGLE); /* methylamine, and its ion */
    add(mol, 5);
    CHECK_NEAR(angle(mol, 2, 0, 1), 107, 0.01);
    shoal_molecule_destroy(mol);
    mol = pair("N", "C", 1.5, SHOAL_ORDER_SINGLE);
    CHECK(shoal_molecule_set_formal_charge(mol, 0, 1) == SHOAL_OK);
    add(mol, 6);
    CHECK_NEAR(angle(mol, 2, 0, 3), 109.47, 0.01);
    shoal_molecule_destroy(mol);
    mol = pair("C", "C", 1.45, SHOAL_ORDER_SINGLE); /* the ethyl cation */
    CHECK(shoal_molecule_set_formal_charge(mol, 0, 1) == SHOAL_OK);
    add(mol, 5);
    CHECK_NEAR(angle(mol, 2, 0, 3), 120, 0.01);
    shoal_molecule_destroy(mol);
    mol = pair("C", "C", 1.5, SHOAL_ORDER_SINGLE); /* the ethyl radical */
    CHECK(shoal_molecule_set_radical(mol, 0, 1) == SHOAL_OK);
    add(mol, 5);
    CHECK_NEAR(spanned(mol, 0, 1, 2, 3), 0, 1e-9);
    CHECK_NEAR(angle(mol, 2, 0, 3), 120, 0.01);
    CHECK_NEAR(angle(mol, 4, 1, 5), 109.47, 0.01);
    shoal_molecule_destroy(mol);
}

/* Formamide: both hydrogens of nitrogen in the plane of the others. */
static void test_amide(void)
{
    shoal_molecule *mol = chem_placed("O 1.22 0 0 C 0 0 0 N -0.7 1.17 0", "0=1 1-2");
    state(mol);
    CHECK(shoal_molecule_set_type(mol, 2, "N_R") == SHOAL_OK);
    CHECK(shoal_molecule_set_charge(mol, 2, -0.5) == SHOAL_OK);
    add(mol, 3);
    for (int32_t i = 3; i < 6; ++i) {
        CHECK_NEAR(mol->pos[i][2], 0, 1e-12);
        CHECK(mol->element[i] == 1 && mol->charge[i] == 0 && mol->type[i][0] == '\0');
    }
    CHECK(molecule_has_bond(mol, 1, 3) && molecule_has_bond(mol, 2, 4) &&
          molecule_has_bond(mol, 2, 5));
    CHECK_TEXT(shoal_molecule_type(mol, 2), "N_R");
    CHECK(mol->charge[2] == -0.5 && mol->has_formal_charges);
    shoal_molecule_destroy(mol);
}

/* A pyramid keeps its hand, and a carbon atom drawn flat gets its hydrogen to one side. */
static void test_three_partners(void)
{
    for (int flat = 0; flat < 2; ++flat) {
        shoal_molecule *mol = chem_atoms("C", 1);
        for (int k = 0; k < 3; ++k) {
            const char *const symbols[3] = {"F", "Cl", "Br"};
            const double phi = 2 * PI * k / 3;
            chem_atom(mol, symbols[k], 1.6 * cos(phi), 1.6 * sin(phi), flat ? 0 : 0.5);
            chem_bond(mol, 0, k + 1, SHOAL_ORDER_SINGLE);
        }
        state(mol);
        add(mol, 1);
        CHECK_NEAR(fabs(mol->pos[4][2]), distance(mol, 0, 4), 1e-9);
        if (!flat) CHECK(mol->pos[4][2] < 0);
        shoal_molecule_destroy(mol);
    }
}

/* Polyethylene: carbon atoms of the next cell are partners, and hydrogen keeps away from images. */
static void test_periodic(void)
{
    const double cell[3][3] = {{2.54, 0, 0}, {0, 4.2, 0}, {0, 0, 4.2}};
    shoal_molecule *mol = chem_new();
    chem_atom(mol, "C", 0, 0, 0.42);
    chem_atom(mol, "C", 1.27, 0, -0.42);
    chem_cell(mol, cell, 3);
    chem_bond(mol, 0, 1, SHOAL_ORDER_SINGLE);
    CHECK(shoal_molecule_add_bond(mol, 1, 0, SHOAL_ORDER_SINGLE, (const int32_t[3]){1, 0, 0}) ==
          SHOAL_OK);
    state(mol);
    add(mol, 4);
    CHECK_NEAR(fabs(mol->pos[2][1]), 1.07 * sin(109.4712 / 2 * PI / 180), 1e-3);
    CHECK_NEAR(mol->pos[2][1], -mol->pos[3][1], 1e-9);
    CHECK(mol->pos[2][2] > 0.42 && mol->pos[4][2] < -0.42);
    shoal_molecule_destroy(mol);
}

/* A lone oxygen atom in a cage of images turns its hydrogens to where there is room. */
static void test_crowd(void)
{
    const double cell[3][3] = {{2.6, 0, 0}, {0, 8, 0}, {0, 0, 8}};
    shoal_molecule *mol = chem_atoms("O", 1);
    chem_cell(mol, cell, 3);
    state(mol);
    add(mol, 2);
    for (int32_t h = 1; h <= 2; ++h) CHECK(fabs(mol->pos[h][0]) < 0.7);
    shoal_molecule_destroy(mol);
}

/* Coordinates that are no numbers or all the same cost time and sense, nothing else. */
static void test_hostile(void)
{
    shoal_molecule *mol = chem_skeleton(4, "0-1 1-2 2-3", SHOAL_ORDER_SINGLE);
    state(mol);
    for (int32_t i = 0; i < 4; ++i)
        CHECK(shoal_molecule_set_position(mol, i, (const double[3]){i < 2 ? NAN : 1e300, 0, 0}) ==
              SHOAL_OK);
    add(mol, 10);
    shoal_molecule_destroy(mol);
    mol = chem_skeleton(4, "0-1 1-2 2-3", SHOAL_ORDER_SINGLE);
    state(mol);
    for (int32_t i = 0; i < 4; ++i)
        CHECK(shoal_molecule_set_position(mol, i, (const double[3]){0, 0, 0}) == SHOAL_OK);
    add(mol, 10);
    for (int32_t i = 4; i < 14; ++i) CHECK_NEAR(distance(mol, 0, i), 1.07, 0.01);
    shoal_molecule_destroy(mol);
}

/* --- many molecules -----------------------------------------------------------------------------*/

/* True for hydrogen with one partner, which is no hydrogen and, unless metals may, no metal. */
static bool is_left_out(const shoal_molecule *mol, int32_t i)
{
    const int32_t b = mol->first_bond[i];
    if (mol->element[i] != 1 || mol->formal_charge[i] != 0 || b < 0) return false;
    return mol->next_bond[b][mol->bonds[b].i != i] < 0 &&
           mol->element[mol->bonds[b].i + mol->bonds[b].j - i] != 1;
}

/* The molecule without such hydrogen, with its orders and charges or without; map[n_atoms]: where atoms went. */
static shoal_molecule *strip(const shoal_molecule *mol, bool bare, int32_t *map)
{
    shoal_molecule *out = chem_new();
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        map[i] = -1;
        if (is_left_out(mol, i)) continue;
        map[i] = out->n_atoms;
        CHECK(shoal_molecule_add_atom(out, mol->element[i], mol->pos[i]) == SHOAL_OK);
        if (bare) continue;
        CHECK(shoal_molecule_set_formal_charge(out, map[i], mol->formal_charge[i]) == SHOAL_OK);
        CHECK(shoal_molecule_set_radical(out, map[i], mol->radical[i]) == SHOAL_OK);
    }
    for (int32_t b = 0; b < mol->n_bonds && !bare; ++b) {
        const int32_t i = map[mol->bonds[b].i], j = map[mol->bonds[b].j];
        if (i >= 0 && j >= 0) chem_bond(out, i, j, (shoal_bond_order)mol->bonds[b].order);
    }
    out->has_bonds = !bare;
    return out;
}

static bool has_metal_bond(const shoal_molecule *mol)
{
    for (int32_t b = 0; b < mol->n_bonds; ++b)
        if (element_is_metal(mol->element[mol->bonds[b].i]) ||
            element_is_metal(mol->element[mol->bonds[b].j]))
            return true;
    return false;
}

typedef struct tally {
    int32_t n, n_metal, n_equal; /* molecules; with metal bonds; with the count that was stripped */
    int32_t n_typed, n_same;     /* those that UFF types; with the same types */
    int32_t n_relaxed, n_near;   /* and relax; to within 0.05 eV of the molecule itself */
    int32_t n_bare, n_bare_equal; /* molecules that have CH; found from coordinates alone */
    double closest;               /* angstrom */
} tally;

/* Relaxes two forms of a molecule side by side. */
static void relax_both(shoal_topology *const top[2], shoal_molecule *const mol[2], tally *t)
{
    const shoal_engine_options options = {.device = "cpu", .n_threads = 1};
    shoal_batch *batch;
    shoal_engine *engine;
    shoal_result r[2];
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int k = 0; k < 2; ++k) {
        const shoal_system s = {.topology = top[k], .pos = (const double(*)[3])mol[k]->pos};
        CHECK(shoal_batch_add(batch, &s) == SHOAL_OK);
    }
    CHECK(shoal_engine_create(&engine, batch, &options) == SHOAL_OK);
    CHECK(shoal_engine_relax(engine, NULL, NULL, NULL) == SHOAL_OK);
    for (int k = 0; k < 2; ++k) CHECK(shoal_engine_result(engine, k, &r[k]) == SHOAL_OK);
    if (r[0].status == SHOAL_SYSTEM_CONVERGED) {
        ++t->n_relaxed;
        CHECK(r[1].status == SHOAL_SYSTEM_CONVERGED);
        t->n_near += fabs(r[1].energy - r[0].energy) < 0.05;
        /* no collapse: a crude geometry, not an impossible one */
        const double above = (r[1].energy0 - r[1].energy) / mol[1]->n_atoms;
        const double was = (r[0].energy0 - r[0].energy) / mol[0]->n_atoms;
        if (!(above < was + 1))
            (void)printf("%g eV per atom above the minimum, %g before\n", above, was);
        CHECK(above < was + 1);
    }
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
}

static void compare_types(shoal_molecule *mol, shoal_molecule *again, const int32_t *map, tally *t)
{
    uff u, v;
    uff_make(&u, mol, NULL);
    uff_make(&v, again, NULL);
    if (shoal_topology_status(u.topology) == SHOAL_SYSTEM_OK) {
        bool same = shoal_topology_status(v.topology) == SHOAL_SYSTEM_OK;
        ++t->n_typed;
        for (int32_t i = 0; i < mol->n_atoms && same; ++i)
            if (map[i] >= 0) same = strcmp(u.view.types[i], v.view.types[map[i]]) == 0;
        t->n_same += same;
        relax_both((shoal_topology *const[2]){u.topology, v.topology},
                   (shoal_molecule *const[2]){mol, again}, t);
    }
    uff_free(&u);
    uff_free(&v);
}

/* Without hydrogen, and with what was added instead. */
static void try_stated(shoal_molecule *mol, const shoal_molecule *read, tally *t)
{
    int32_t *map = calloc((size_t)read->n_atoms, sizeof *map), n;
    shoal_molecule *out = strip(read, false, map), *twin = strip(read, false, map);
    const int32_t stripped = read->n_atoms - out->n_atoms;
    CHECK(shoal_molecule_add_hydrogens(out, &n) == SHOAL_OK);
    CHECK(shoal_molecule_add_hydrogens(twin, NULL) == SHOAL_OK);
    CHECK(memcmp(out->pos, twin->pos, (size_t)out->n_atoms * sizeof *out->pos) == 0);
    CHECK(shoal_molecule_perceive(out, NULL) == SHOAL_OK);
    CHECK(missing(out, NULL) == 0);
    t->n_equal += n == stripped;
    if (n == stripped && out->n_atoms > 1) {
        t->closest = fmin(t->closest, closest(out));
        compare_types(mol, out, map, t);
    }
    free(map);
    shoal_molecule_destroy(out);
    shoal_molecule_destroy(twin);
}

/* From coordinates alone: no alarm with hydrogen, and no miss that a molecule full of CH would excuse. */
static void try_bare(const shoal_molecule *read, int32_t total, tally *t)
{
    int32_t *map = calloc((size_t)read->n_atoms, sizeof *map), n_carbon = 0;
    shoal_molecule *whole = chem_bare(read, NULL), *out = strip(read, true, map);
    chem_perceive(whole, total);
    CHECK(missing(whole, NULL) == 0);
    for (int32_t i = 0; i < read->n_atoms; ++i) n_carbon += read->element[i] == 6;
    if (out->n_atoms > 0 && n_carbon > 2 && out->n_atoms < read->n_atoms) {
        chem_perceive(out, 0);
        ++t->n_bare;
        t->n_bare_equal += missing(out, NULL) == read->n_atoms - out->n_atoms;
    }
    free(map);
    shoal_molecule_destroy(whole);
    shoal_molecule_destroy(out);
}

static tally try_file(const char *path)
{
    tally t = {.closest = HUGE_VAL};
    fixture f;
    fixture_open_file(&f, path);
    while (fixture_next(&f) == SHOAL_OK && f.found) {
        const int before = check_failures;
        shoal_molecule *read = chem_new();
        CHECK(shoal_molecule_copy(read, f.mol) == SHOAL_OK);
        CHECK(shoal_molecule_perceive(f.mol, NULL) == SHOAL_OK);
        ++t.n;
        CHECK(missing(f.mol, NULL) == 0);
        if (has_metal_bond(read))
            ++t.n_metal;
        else
            try_stated(f.mol, read, &t);
        try_bare(read, f.mol->total_charge, &t);
        if (check_failures > before) (void)printf("in %s\n", shoal_molecule_name(read));
        shoal_molecule_destroy(read);
    }
    fixture_close(&f);
    (void)printf(
        "%d molecules, %d with metal bonds; %d counts as stripped; types of %d/%d; %d/%d relax to "
        "the same energy; bare %d/%d; closest %.2f A\n",
        t.n, t.n_metal, t.n_equal, t.n_same, t.n_typed, t.n_near, t.n_relaxed, t.n_bare_equal,
        t.n_bare, t.closest);
    return t;
}

static void test_cases(void)
{
    const tally t = try_file(SHOAL_TEST_DATA "/types.sdf");
    CHECK(t.n == 92 && t.n_metal < 20);
    CHECK(t.n_equal >= t.n - t.n_metal - 1); /* hydrogen bridges of diborane */
    CHECK(t.n_same == t.n_typed && t.n_typed > 60);
    CHECK(t.n_near > t.n_relaxed * 3 / 4);
    CHECK(t.closest > 0.8);
}

/* Radicals, carbenes, ions and complexes from coordinates. */
static void test_no_alarm(void)
{
    fixture f;
    fixture_open_file(&f, SHOAL_TEST_DATA "/perceive.xyz");
    while (fixture_next(&f) == SHOAL_OK && f.found)
        for (int given = 0; given < 2; ++given) {
            const int32_t total = atoi(fixture_property(&f, "total"));
            const shoal_perceive_options options = {.total_charge = given ? total : 0};
            shoal_molecule *mol = chem_bare(f.mol, NULL);
            const shoal_status status = shoal_molecule_perceive(mol, &options);
            CHECK(status == SHOAL_OK || (status == SHOAL_E_FORMAT && total != 0 && !given));
            if (missing(mol, NULL)) (void)printf("%s\n", shoal_molecule_name(f.mol));
            CHECK(missing(mol, NULL) == 0);
            shoal_molecule_destroy(mol);
        }
    fixture_close(&f);
}

/* Skeletons without hydrogen, from coordinates of usual lengths, and things that have none. */
static void test_bare(void)
{
    static const struct {
        const char *xyz;
        int32_t n;
    } rows[] = {
        {"6\nbenzene\nC 1.39 0 0\nC 0.695 1.2038 0\nC -0.695 1.2038 0\nC -1.39 0 0\n"
         "C -0.695 -1.2038 0\nC 0.695 -1.2038 0\n",
         6},
        {"3\npropane\nC 0 0 0\nC 1.53 0 0\nC 2.04 1.44 0\n", 8},
        {"3\nethanol\nC 0 0 0\nC 1.52 0 0\nO 2.0 1.34 0\n", 6},
        {"3\npropyne\nC 0 0 0\nC 1.46 0 0\nC 2.66 0 0\n", 4},
        {"3\ncarbon dioxide\nO -1.16 0 0\nC 0 0 0\nO 1.16 0 0\n", 0},
        {"2\nnitrogen\nN 0 0 0\nN 1.1 0 0\n", 0},
        {"2\ncarbon monoxide\nC 0 0 0\nO 1.13 0 0\n", 0},
        {"4\ncyanogen\nN -1.85 0 0\nC -0.69 0 0\nC 0.69 0 0\nN 1.85 0 0\n", 0},
        {"5\nsuboxide\nO -2.45 0 0\nC -1.28 0 0\nC 0 0 0\nC 1.28 0 0\nO 2.45 0 0\n", 0},
        {"2\nsalt\nNa 0 0 0\nCl 2.8 0 0\n", 0},
        {"2\ngraphene\nC 0 0 0\nC 1.42 0 0\n", 0},
        {"2\nstretched\nC 0 0 0\nC 1.50 0 0\n", 0},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        shoal_molecule *mol = chem_xyz(rows[k].xyz);
        const double a = mol->pos[1][0];
        if (k >= 10)
            chem_cell(mol,
                      (const double[3][3]){
                          {1.5 * a, a * sqrt(0.75), 0}, {1.5 * a, -a * sqrt(0.75), 0}, {0, 0, 10}},
                      2);
        chem_perceive(mol, 0);
        if (missing(mol, NULL) != rows[k].n) (void)printf("%s\n", rows[k].xyz);
        CHECK(missing(mol, NULL) == rows[k].n);
        if (rows[k].n > 0) add(mol, rows[k].n);
        shoal_molecule_destroy(mol);
    }
}

int main(void)
{
    test_lone_atoms();
    test_stars();
    test_without_charges();
    test_alone();
    test_pairs();
    test_flat();
    test_amide();
    test_three_partners();
    test_periodic();
    test_crowd();
    test_hostile();
    test_bare();
    test_no_alarm();
    test_cases();
    const char *more = getenv("SHOAL_TEST_MOLECULES");
    if (more) {
        const tally t = try_file(more);
        CHECK(t.n_equal >= (t.n - t.n_metal) * 99 / 100 && t.n_same == t.n_typed);
    } else {
        (void)printf("SHOAL_TEST_MOLECULES names no file: the cases of the tree alone\n");
    }
    return check_done();
}
