/* SPDX-License-Identifier: BSD-3-Clause
 * Terms and exclusions of UFF topologies: counts, parameters, sum rules, rings of three and four,
 * periodic images, and sizes without limit. */
#include "ff/uff_table.h"
#include "uff_fixture.h"

#define RADIAN 0.017453292519943295

typedef struct counts {
    int32_t bonds, angles, torsions, inversions, excluded;
} counts;

static void check_counts(const uff *u, counts want)
{
    CHECK_NEAR(terms_count(&u->view, SHOAL_KIND_BOND), want.bonds, 0);
    CHECK_NEAR(terms_count(&u->view, SHOAL_KIND_ANGLE), want.angles, 0);
    CHECK_NEAR(terms_count(&u->view, SHOAL_KIND_TORSION), want.torsions, 0);
    CHECK_NEAR(terms_count(&u->view, SHOAL_KIND_INVERSION), want.inversions, 0);
    CHECK_NEAR(u->view.exclude_start[u->view.n_atoms], want.excluded, 0);
}

/* --- exclusions, found once more by walking the bonds -------------------------------------------*/

static bool is_excluded(const uff *u, int32_t i, int32_t j, const int32_t shift[3])
{
    for (int32_t e = u->view.exclude_start[i]; e < u->view.exclude_start[i + 1]; ++e) {
        const shoal_image *x = &u->view.excluded[e];
        if (x->atom == j && memcmp(x->shift, shift, sizeof x->shift) == 0) return true;
    }
    return false;
}

static int compare_images(const shoal_image *a, const shoal_image *b)
{
    if (a->atom != b->atom) return a->atom < b->atom ? -1 : 1;
    for (int c = 0; c < 3; ++c)
        if (a->shift[c] != b->shift[c]) return a->shift[c] < b->shift[c] ? -1 : 1;
    return 0;
}

/* Sorted, each image once, in both directions, and never the atom itself. */
static void check_lists(const uff *u)
{
    const int32_t home[3] = {0, 0, 0};
    int32_t n_wrong = 0;
    for (int32_t i = 0; i < u->view.n_atoms; ++i) {
        n_wrong += is_excluded(u, i, i, home);
        for (int32_t e = u->view.exclude_start[i]; e < u->view.exclude_start[i + 1]; ++e) {
            const shoal_image *x = &u->view.excluded[e];
            const int32_t back[3] = {-x->shift[0], -x->shift[1], -x->shift[2]};
            n_wrong += !is_excluded(u, x->atom, i, back);
            if (e > u->view.exclude_start[i]) n_wrong += compare_images(x - 1, x) >= 0;
        }
    }
    CHECK(n_wrong == 0);
}

/* Ends of bonds and angles are the excluded pairs, no more and no less. */
static void check_excluded_pairs(const uff *u)
{
    int32_t n_missing = 0;
    for (int32_t b = 0; b < terms_count(&u->view, SHOAL_KIND_BOND); ++b)
        n_missing += !is_excluded(u, terms_of(&u->view, SHOAL_KIND_BOND)[b].atoms[0],
                                  terms_of(&u->view, SHOAL_KIND_BOND)[b].atoms[1],
                                  terms_of(&u->view, SHOAL_KIND_BOND)[b].shifts[1]);
    for (int32_t a = 0; a < terms_count(&u->view, SHOAL_KIND_ANGLE); ++a) {
        const shoal_term *t = &terms_of(&u->view, SHOAL_KIND_ANGLE)[a];
        int32_t shift[3];
        for (int c = 0; c < 3; ++c) shift[c] = t->shifts[2][c] - t->shifts[0][c];
        n_missing += !is_excluded(u, t->atoms[0], t->atoms[2], shift);
    }
    CHECK(n_missing == 0);
    check_lists(u);
}

/* --- molecules ----------------------------------------------------------------------------------*/

/* Takes over the molecule. */
static void check_terms(shoal_molecule *mol, counts want)
{
    uff u;
    uff_make_typed(&u, mol, NULL);
    check_counts(&u, want);
    check_excluded_pairs(&u);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

static void check_case(const char *name, counts want)
{
    check_terms(uff_case(name), want);
}

static void test_counts(void)
{
    check_case("methane", (counts){4, 6, 0, 0, 20});
    check_case("ethane", (counts){7, 12, 9, 0, 2 * 7 + 6 * 4});
    check_case("ethene", (counts){5, 6, 4, 6, 2 * 5 + 4 * 3});
    check_case("ethyne", (counts){3, 2, 0, 0, 2 * 3 + 2 * 2});
    check_case("benzene", (counts){12, 18, 24, 18, 6 * 7 + 6 * 3});
    check_case("water", (counts){2, 1, 0, 0, 6});
    check_case("hydrogen_peroxide", (counts){3, 2, 1, 0, 10});
    check_case("formamide", (counts){5, 6, 4, 6, 5 + 3 + 5 + 3 + 3 + 3});
    /* the torsion within a ring of three has equal ends and is none; pairs are excluded once */
    check_case("cyclopropane", (counts){9, 18, 24, 0, 3 * 8 + 6 * 4});
    check_case("cyclobutane", (counts){12, 24, 36, 0, 4 * 9 + 8 * 4});
    check_case("bicyclobutane", (counts){11, 24, 7 + 4 * 8, 0, 2 * 9 + 2 * 7 + 2 * 4 + 4 * 4});
    check_case("cubane", (counts){20, 48, 12 * 9, 0, 8 * 10 + 8 * 4});
    check_case("sodium_chloride", (counts){0, 0, 0, 0, 0});
    check_case("sulfur_hexafluoride", (counts){6, 15, 0, 0, 42});
    check_case("allene", (counts){6, 7, 0, 6, 2 * 4 + 6 + 4 * 3});
}

/* Bonds without an sp centre share a barrier; it is divided by the torsions about them. */
static void check_barrier(const char *name, int32_t j, int32_t k, double barrier)
{
    shoal_molecule *mol = uff_case(name);
    double sum = 0;
    int32_t n = 0;
    uff u;
    uff_make_typed(&u, mol, NULL);
    for (int32_t t = 0; t < terms_count(&u.view, SHOAL_KIND_TORSION); ++t) {
        const shoal_term *x = &terms_of(&u.view, SHOAL_KIND_TORSION)[t];
        const int32_t a = x->atoms[1], b = x->atoms[2];
        if (!((a == j && b == k) || (a == k && b == j))) continue;
        sum += 2 * x->p[SHOAL_TORSION_V] / KCAL;
        ++n;
    }
    CHECK(n > 0);
    CHECK_NEAR(sum, barrier, 1e-12);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

static void test_barriers(void)
{
    check_barrier("ethane", 0, 1, 2.119);
    check_barrier("cyclopropane", 0, 1, 2.119);
    check_barrier("bicyclobutane", 0, 2, 2.119);
    check_barrier("ethene", 0, 1, 10 * (1 + 4.18 * log(2)));
    check_barrier("benzene", 0, 1, 10 * (1 + 4.18 * log(1.5)));
    check_barrier("biphenyl", 5, 6, 10);
    check_barrier("hydrogen_peroxide", 0, 1, 2.0);
    check_barrier("dimethyl_disulfide", 1, 2, 6.8);
    check_barrier("methanol", 0, 1, sqrt(2.119 * 0.018));
    check_barrier("methylamine", 0, 1, sqrt(2.119 * 0.45));
    check_barrier("acetone", 0, 1, 0.5 * (1 + 2)); /* H-C-C=O: 2, H-C-C-C: 1 */
    check_barrier("nitromethane", 0, 1, 2);
    check_barrier("formamide", 0, 1, 10);
}

/* A torsion between oxygen and sulfur has the mean of both barriers, in either direction. */
static void test_unlike_chalcogens(void)
{
    const char *const atoms[] = {"H O S H", "H S O H"};
    for (int k = 0; k < 2; ++k) {
        shoal_molecule *mol = chem_drawn(atoms[k], "0-1 1-2 2-3");
        uff u;
        uff_make_typed(&u, mol, NULL);
        CHECK(terms_count(&u.view, SHOAL_KIND_TORSION) == 1);
        CHECK_NEAR(2 * terms_of(&u.view, SHOAL_KIND_TORSION)[0].p[SHOAL_TORSION_V] / KCAL,
                   sqrt(2.0 * 6.8), 1e-12);
        uff_free(&u);
        shoal_molecule_destroy(mol);
    }
}

/* Chlorine trifluoride is a T: two fluorine atoms at the ends of an axis, and right angles to the third. */
static void test_trifluoride(void)
{
    shoal_molecule *mol = chem_xyz("4\n\nCl 0 0 0\nF 0 0 1.7\nF 0 0 -1.7\nF 1.6 0 0\n");
    for (int32_t k = 1; k < 4; ++k) chem_bond(mol, 0, k, SHOAL_ORDER_SINGLE);
    uff u;
    uff_make_typed(&u, mol, NULL);
    CHECK(terms_count(&u.view, SHOAL_KIND_ANGLE) == 3);
    for (int32_t t = 0; t < 3; ++t) {
        const shoal_term *x = &terms_of(&u.view, SHOAL_KIND_ANGLE)[t];
        const double *c = x->p + SHOAL_ANGLE_C0;
        const bool axis = x->atoms[0] + x->atoms[2] == 3;
        CHECK(x->p[SHOAL_ANGLE_K] > 0 && x->p[SHOAL_ANGLE_K] < 100);
        if (axis)
            CHECK_NEAR(c[0] + c[2], 0, 1e-12); /* 1 - cos 2t */
        else
            CHECK(fabs(c[1]) < 1e-12 && fabs(c[0] - c[2]) < 1e-12 && c[2] > 0); /* right */
    }
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

/* Three inversions per centre, each with a third of its constant. */
static void test_inversions(void)
{
    static const struct {
        const char *name;
        int32_t centre;
        double k; /* kcal/mol */
    } cases[] = {{"ethene", 0, 6}, {"benzene", 3, 6}, {"acetone", 1, 50}, {"pyrrole", 3, 6}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        shoal_molecule *mol = uff_case(cases[c].name);
        double sum = 0;
        uff u;
        uff_make_typed(&u, mol, NULL);
        for (int32_t t = 0; t < terms_count(&u.view, SHOAL_KIND_INVERSION); ++t)
            if (terms_of(&u.view, SHOAL_KIND_INVERSION)[t].atoms[1] == cases[c].centre)
                sum += terms_of(&u.view, SHOAL_KIND_INVERSION)[t].p[SHOAL_INVERSION_K] / KCAL;
        CHECK_NEAR(sum, cases[c].k, 1e-12);
        uff_free(&u);
        shoal_molecule_destroy(mol);
    }
}

/* Group 15: zero at the natural angle of the article, 22 kcal/mol when planar. */
static void test_pyramidal(void)
{
    static const struct {
        const char *atoms;
        double degrees;
    } cases[] = {
        {"P H H H", 84.4339}, {"As H H H", 86.9735}, {"Sb H H H", 87.7047}, {"Bi H H H", 90}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        shoal_molecule *mol = chem_drawn(cases[k].atoms, "0-1 0-2 0-3");
        uff u;
        uff_make_typed(&u, mol, NULL);
        CHECK(terms_count(&u.view, SHOAL_KIND_INVERSION) == 3);
        for (int32_t t = 0; t < terms_count(&u.view, SHOAL_KIND_INVERSION); ++t) {
            const shoal_term *x = &terms_of(&u.view, SHOAL_KIND_INVERSION)[t];
            const double w = cases[k].degrees * RADIAN;
            const double *c = x->p + SHOAL_INVERSION_C0;
            CHECK_NEAR(c[0] + c[1] * cos(w) + c[2] * cos(2 * w), 0, 1e-14);
            CHECK_NEAR(-c[1] * sin(w) - 2 * c[2] * sin(2 * w), 0, 1e-14); /* its minimum */
            CHECK_NEAR(3 * x->p[SHOAL_INVERSION_K] * (c[0] + c[1] + c[2]) / KCAL, 22, 1e-12);
            for (int e = 0; e < 4; ++e) /* each neighbour is out of plane once */
                CHECK(e == 1 ? x->atoms[1] == 0 : x->atoms[e] > 0);
            CHECK(x->atoms[0] != x->atoms[2] && x->atoms[2] != x->atoms[3] &&
                  x->atoms[3] != x->atoms[0]);
            for (int32_t other = 0; other < t; ++other)
                CHECK(terms_of(&u.view, SHOAL_KIND_INVERSION)[other].atoms[3] != x->atoms[3]);
        }
        uff_free(&u);
        shoal_molecule_destroy(mol);
    }
}

/* --- guards of small angles ----------------------------------------------------------------------*/

/* By the form of the angle, 0 general or n of the periodic ones: how many there are, the strength in force
 * constants of the harmonic angle, and where it begins. */
typedef struct guards {
    const char *name;
    int32_t centre, count[5];
    double strength[5], degrees[5];
} guards;

static void check_guards(const guards *g, shoal_molecule *mol)
{
    int32_t count[5] = {0};
    uff u;
    uff_make_typed(&u, mol, NULL);
    for (int32_t k = 0; k < terms_count(&u.view, SHOAL_KIND_ANGLE); ++k) {
        const shoal_term *t = &terms_of(&u.view, SHOAL_KIND_ANGLE)[k];
        const double *c = t->p + SHOAL_ANGLE_C0;
        if (t->atoms[1] != g->centre) continue;
        const int n = c[4] == -1 ? 4 : c[3] == -1 ? 3 : c[2] == -1 ? 2 : 0;
        ++count[n];
        const double whole = t->p[SHOAL_ANGLE_K] * (n > 0 ? n * n : 1);
        CHECK_NEAR(t->p[SHOAL_ANGLE_GUARD], g->strength[n] * whole, 1e-12 * whole);
        if (g->strength[n] > 0)
            CHECK_NEAR(t->p[SHOAL_ANGLE_GUARD_FROM], cos(g->degrees[n] * RADIAN), 1e-15);
    }
    for (int n = 0; n < 5; ++n) CHECK(count[n] == g->count[n]);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

/* Crowded centres have small angles of their own: theirs begin later (docs/decisions/0017-angle-guard.md). */
static void test_guards(void)
{
    static const guards cases[] = {
        {"ethane", 0, {6}, {0}, {0}},
        {"ethene", 0, {[3] = 3}, {[3] = 10}, {[3] = 80}},
        {"phosphorus_pentafluoride",
         1,
         {6, 0, 1, 3, 0},
         {0},
         {0}}, /* terms of their own: test_bipyramids */
        {"sulfur_tetrafluoride", 0, {4, 0, 1, 1, 0}, {0}, {0}},
        {"sulfur_hexafluoride", 0, {[4] = 15}, {[4] = 10}, {[4] = 70}},
    };
    static const guards four = {"C_2 with four partners", 0, {[3] = 6}, {[3] = 30}, {[3] = 63}};
    static const guards seven = {"WF7", 0, {[4] = 21}, {[4] = 30}, {[4] = 68}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        shoal_molecule *mol = uff_case(cases[k].name);
        check_guards(&cases[k], mol);
    }
    shoal_molecule *mol = uff_case("ethane");
    CHECK(shoal_molecule_set_type(mol, 0, "C_2") == SHOAL_OK);
    check_guards(&four, mol);
    check_guards(&seven, chem_drawn("W F F F F F F F", "0-1 0-2 0-3 0-4 0-5 0-6 0-7"));
}

/* A straight natural angle gives way to that of the electron pairs: chlorine in HClO4 is a tetrahedron. */
static void test_straight_angle(void)
{
    shoal_molecule *mol = uff_case("perchloric_acid");
    int32_t n = 0;
    uff u;
    uff_make_typed(&u, mol, NULL);
    for (int32_t k = 0; k < terms_count(&u.view, SHOAL_KIND_ANGLE); ++k) {
        const shoal_term *t = &terms_of(&u.view, SHOAL_KIND_ANGLE)[k];
        const double *c = t->p + SHOAL_ANGLE_C0;
        if (mol->element[t->atoms[1]] != 17) continue;
        CHECK_NEAR(-c[1] / (4 * c[2]), cos(109.47 * RADIAN), 1e-14);
        ++n;
    }
    CHECK(n == 6);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

/* The axis of a bipyramid is that of the images which are bonded. */
static void test_axis_of_images(void)
{
    static const double cell[3][3] = {{9, 0, 0}, {1, 8, 0}, {0, 2, 10}};
    shoal_molecule *mol = uff_case("phosphorus_pentafluoride"), *moved = chem_new();
    uff u, v;
    for (int32_t i = 0; i < mol->n_atoms; ++i) { /* every atom into another cell */
        double pos[3];
        for (int c = 0; c < 3; ++c) pos[c] = mol->pos[i][c] + (i % 2 ? 1 : -2) * cell[i % 3][c];
        CHECK(shoal_molecule_add_atom(moved, mol->element[i], pos) == SHOAL_OK);
    }
    chem_cell(mol, cell, 3);
    chem_cell(moved, cell, 3);
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        const shoal_bond *e = &mol->bonds[b];
        int32_t shift[3] = {0, 0, 0};
        shift[e->i % 3] += e->i % 2 ? 1 : -2;
        shift[e->j % 3] -= e->j % 2 ? 1 : -2;
        CHECK(shoal_molecule_add_bond(moved, e->i, e->j, (shoal_bond_order)e->order, shift) ==
              SHOAL_OK);
    }
    uff_make_typed(&u, mol, NULL);
    uff_make_typed(&v, moved, NULL);
    CHECK(terms_count(&u.view, SHOAL_KIND_ANGLE) == 10);
    CHECK(terms_count(&v.view, SHOAL_KIND_ANGLE) == 10);
    for (int32_t k = 0; k < terms_count(&u.view, SHOAL_KIND_ANGLE); ++k) {
        const shoal_term *a = &terms_of(&u.view, SHOAL_KIND_ANGLE)[k],
                         *b = &terms_of(&v.view, SHOAL_KIND_ANGLE)[k];
        CHECK(memcmp(a->atoms, b->atoms, sizeof a->atoms) == 0);
        CHECK(memcmp(a->p, b->p, sizeof a->p) == 0);
    }
    uff_free(&u);
    uff_free(&v);
    shoal_molecule_destroy(mol);
    shoal_molecule_destroy(moved);
}

/* --- parameters ---------------------------------------------------------------------------------*/

/* A molecule of types joined in a row, to look at its parameters. */
static shoal_molecule *typed_row(int32_t n, const char *const *labels)
{
    shoal_molecule *mol = chem_new();
    for (int32_t i = 0; i < n; ++i) {
        const uff_type *type = uff_type_by_label(labels[i]);
        chem_atom(mol, shoal_element_symbol(type->z), 1.5 * i, 0.3 * (i % 2), 0);
        CHECK(shoal_molecule_set_type(mol, i, labels[i]) == SHOAL_OK);
        if (i > 0) chem_bond(mol, i - 1, i, SHOAL_ORDER_SINGLE);
    }
    return mol;
}

/* Values of an independent program, in angstrom and eV/angstrom^2. */
static void test_bond_parameters(void)
{
    static const struct {
        const char *labels[2];
        double order, r0, k;
    } cases[] = {
        {{"C_3", "C_3"}, 1, 1.51400, 30.3372},    {{"C_3", "H_"}, 1, 1.10940, 28.7131},
        {{"C_R", "C_R"}, 1.5, 1.37926, 40.1252},  {{"C_2", "C_2"}, 2, 1.32883, 44.8685},
        {{"C_1", "C_1"}, 3, 1.20537, 60.1155},    {{"C_2", "H_"}, 1, 1.08442, 30.7438},
        {{"C_R", "H_"}, 1, 1.08142, 31.0002},     {{"C_1", "H_"}, 1, 1.05843, 33.0640},
        {{"C_2", "O_2"}, 2, 1.21945, 69.8386},    {{"C_R", "O_R"}, 1.5, 1.31194, 56.0855},
        {{"C_2", "O_3"}, 1, 1.36926, 49.3326},    {{"C_3", "O_3"}, 1, 1.39384, 46.7681},
        {{"O_3", "H_"}, 1, 0.99025, 48.5674},     {{"N_3", "H_"}, 1, 1.04442, 45.7877},
        {{"N_R", "H_"}, 1, 1.04342, 45.9191},     {{"C_3", "N_3"}, 1, 1.45107, 45.8475},
        {{"C_R", "N_R"}, 1.41, 1.35684, 56.0782}, {{"C_R", "N_R"}, 1.5, 1.34507, 57.5632},
        {{"N_R", "O_R"}, 1.5, 1.29972, 76.7494},  {{"C_1", "N_1"}, 3, 1.15715, 90.4093},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        const shoal_bond_override order = {0, 1, cases[c].order};
        const shoal_typing_options options = {.orders = &order, .n_orders = 1};
        shoal_molecule *mol = typed_row(2, cases[c].labels);
        uff u;
        uff_make_typed(&u, mol, &options);
        CHECK_NEAR(terms_of(&u.view, SHOAL_KIND_BOND)[0].p[SHOAL_BOND_R0], cases[c].r0, 6e-6);
        CHECK_NEAR(terms_of(&u.view, SHOAL_KIND_BOND)[0].p[SHOAL_BOND_K], cases[c].k, 6e-5);
        uff_free(&u);
        shoal_molecule_destroy(mol);
    }
}

/* Curvature at the minimum, eV/rad^2. */
static void test_angle_parameters(void)
{
    static const struct {
        const char *labels[3];
        double first, second, k;
        int n; /* of the periodic form, 0 for the general one */
    } cases[] = {
        {{"C_3", "C_3", "C_3"}, 1, 1, 9.2891, 0},  {{"H_", "C_3", "H_"}, 1, 1, 3.2739, 0},
        {{"H_", "C_3", "C_3"}, 1, 1, 5.0874, 0},   {{"C_R", "C_R", "C_R"}, 1.5, 1.5, 9.6526, 3},
        {{"C_R", "C_R", "H_"}, 1.5, 1, 4.9686, 3}, {{"H_", "O_3", "H_"}, 1, 1, 5.2254, 0},
        {{"H_", "N_3", "H_"}, 1, 1, 4.2071, 0},    {{"O_2", "C_2", "O_3"}, 2, 1, 16.8270, 3},
        {{"C_2", "O_3", "H_"}, 1, 1, 7.8400, 0},   {{"H_", "C_2", "O_2"}, 1, 2, 7.3891, 3},
        {{"C_1", "C_1", "H_"}, 3, 1, 3.3793, 1},   {{"O_R", "C_R", "N_R"}, 1.5, 1.41, 17.0546, 3},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        const shoal_bond_override orders[] = {{0, 1, cases[c].first}, {1, 2, cases[c].second}};
        const shoal_typing_options options = {.orders = orders, .n_orders = 2};
        const int n = cases[c].n;
        shoal_molecule *mol = typed_row(3, cases[c].labels);
        uff u;
        uff_make_typed(&u, mol, &options);
        CHECK(terms_count(&u.view, SHOAL_KIND_ANGLE) == 1);
        const shoal_term *t = &terms_of(&u.view, SHOAL_KIND_ANGLE)[0];
        const double *cs = t->p + SHOAL_ANGLE_C0;
        CHECK_NEAR(t->p[SHOAL_ANGLE_K] * (n > 0 ? n * n : 1), cases[c].k, 6e-5);
        if (n > 0) CHECK_NEAR(cs[n], n == 1 ? 1 : -1, 0);
        if (n == 0) CHECK(cs[2] > 0 && cs[3] == 0 && cs[4] == 0);
        uff_free(&u);
        shoal_molecule_destroy(mol);
    }
}

/* --- periodic -----------------------------------------------------------------------------------*/

static void check_periodic(const char *text, counts want)
{
    check_terms(chem_xyz(text), want);
}

#define GRAPHENE                                                                                   \
    "2\nLattice=\"2.46 0 0 1.23 2.1304 0 0 0 15\" pbc=\"T T F\"\nC 0 0 0\nC 1.23 0.7101 0\n"
#define DIAMOND                                                                                    \
    "2\nLattice=\"0 1.7834 1.7834 1.7834 0 1.7834 1.7834 1.7834 0\"\nC 0 0 0\n"                    \
    "C .8917 .8917 .8917\n"
#define POLYETHYLENE                                                                               \
    "6\nLattice=\"2.54 0 0 0 20 0 0 0 20\" pbc=\"T F F\"\nC 0 0 .43\nC 1.27 0 -.43\n"              \
    "H 0 .88 1.07\nH 0 -.88 1.07\nH 1.27 .88 -1.07\nH 1.27 -.88 -1.07\n"
#define NITRIDE                                                                                    \
    "2\nLattice=\"2.5 0 0 1.25 2.1651 0 0 0 15\" pbc=\"T T F\"\nB 0 0 0\nN 1.25 0.7217 0\n"
#define SULFUR_CHAIN "1\nLattice=\"2.05 0 0 0 20 0 0 0 20\" pbc=\"T F F\"\nS 0 0 0\n"
#define SILICON_CUBIC "1\nLattice=\"2.35 0 0 0 2.35 0 0 0 2.35\"\nSi 0 0 0\n"

static void test_periodic_counts(void)
{
    check_periodic(GRAPHENE, (counts){3, 6, 12, 6, 18});
    check_periodic(DIAMOND, (counts){4, 12, 36, 0, 2 * 16});
    check_periodic(POLYETHYLENE, (counts){6, 12, 18, 0, 2 * 10 + 4 * 4});
    check_periodic(SULFUR_CHAIN, (counts){1, 1, 1, 0, 4});
    check_periodic(SILICON_CUBIC, (counts){3, 15, 0, 0, 24}); /* octahedral: no torsions */
}

static shoal_molecule *supercell(const shoal_molecule *src, const int32_t n[3])
{
    shoal_molecule *mol = chem_new();
    double cell[3][3];
    for (int k = 0; k < 3; ++k)
        for (int c = 0; c < 3; ++c) cell[k][c] = n[k] * src->cell[k][c];
    for (int32_t x = 0; x < n[0]; ++x)
        for (int32_t y = 0; y < n[1]; ++y)
            for (int32_t z = 0; z < n[2]; ++z)
                for (int32_t i = 0; i < src->n_atoms; ++i) {
                    double r[3];
                    for (int c = 0; c < 3; ++c)
                        r[c] = src->pos[i][c] + x * src->cell[0][c] + y * src->cell[1][c] +
                               z * src->cell[2][c];
                    CHECK(shoal_molecule_add_atom(mol, src->element[i], r) == SHOAL_OK);
                }
    CHECK(shoal_molecule_set_cell(mol, (const double(*)[3])cell, src->pbc) == SHOAL_OK);
    return mol;
}

static void evaluate(shoal_molecule *mol, double terms[SHOAL_N_TERMS], char *label)
{
    uff u;
    uff_run run;
    uff_make_typed(&u, mol, NULL);
    uff_run_make(&run, &u, mol);
    CHECK(run.result.status == SHOAL_SYSTEM_OK);
    memcpy(terms, run.result.terms, SHOAL_N_TERMS * sizeof *terms);
    (void)snprintf(label, 8, "%s", u.view.types[0]);
    uff_run_free(&run);
    uff_free(&u);
}

/* A crystal is the same in any of its cells: energy per cell, term by term. */
static void check_supercells(const char *text, int n_periodic)
{
    shoal_molecule *mol = chem_xyz(text);
    double small[SHOAL_N_TERMS];
    char label[8], again[8];
    shoal_molecule *bare = chem_bare(mol, NULL);
    evaluate(bare, small, label);
    for (int32_t size = 2; size <= 3; ++size) {
        const int32_t n[3] = {size, n_periodic > 1 ? size : 1, n_periodic > 2 ? size : 1};
        shoal_molecule *large = supercell(mol, n);
        double terms[SHOAL_N_TERMS];
        evaluate(large, terms, again);
        CHECK_TEXT(again, label);
        for (int t = 0; t < SHOAL_N_TERMS; ++t)
            CHECK_NEAR(terms[t] / (n[0] * n[1] * n[2]), small[t], 1e-9 + 1e-9 * fabs(small[t]));
        shoal_molecule_destroy(large);
    }
    shoal_molecule_destroy(bare);
    shoal_molecule_destroy(mol);
}

static void test_supercells(void)
{
    check_supercells(GRAPHENE, 2);
    check_supercells(DIAMOND, 3);
    check_supercells(POLYETHYLENE, 1);
    check_supercells(NITRIDE, 2);
    check_supercells(SULFUR_CHAIN, 1);
    check_supercells(SILICON_CUBIC, 3);
}

/* --- sizes --------------------------------------------------------------------------------------*/

static void test_many_neighbours(void)
{
    shoal_molecule *mol = chem_atoms("Pb", 1);
    for (int32_t k = 1; k <= 200; ++k) {
        chem_atom(mol, "Cl", 0.1 * k, 3, 0);
        chem_bond(mol, 0, k, SHOAL_ORDER_SINGLE);
    }
    uff u;
    uff_make_typed(&u, mol, NULL);
    check_counts(&u, (counts){200, 19900, 0, 0, 200 + 200 * 200});
    check_lists(&u);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

/* H-S1500-H: RDKit stops after 500 bonds with torsions. */
static void test_long_chain(void)
{
    shoal_molecule *mol = chem_atoms("S", 1500);
    for (int32_t i = 0; i < 1499; ++i) chem_bond(mol, i, i + 1, SHOAL_ORDER_SINGLE);
    for (int32_t end = 0; end < 2; ++end) {
        chem_atom(mol, "H", 0, 5, 0);
        chem_bond(mol, 1499 * end, 1500 + end, SHOAL_ORDER_SINGLE);
    }
    uff u;
    uff_make_typed(&u, mol, NULL);
    CHECK(terms_count(&u.view, SHOAL_KIND_TORSION) == 1499);
    for (int32_t t = 0; t < terms_count(&u.view, SHOAL_KIND_TORSION); ++t)
        CHECK_NEAR(terms_of(&u.view, SHOAL_KIND_TORSION)[t].p[SHOAL_TORSION_V], 6.8 * KCAL / 2,
                   1e-15);
    CHECK(terms_count(&u.view, SHOAL_KIND_ANGLE) == 1500);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    test_counts();
    test_barriers();
    test_unlike_chalcogens();
    test_trifluoride();
    test_inversions();
    test_pyramidal();
    test_guards();
    test_straight_angle();
    test_axis_of_images();
    test_bond_parameters();
    test_angle_parameters();
    test_periodic_counts();
    test_supercells();
    test_many_neighbours();
    test_long_chain();
    return check_done();
}
