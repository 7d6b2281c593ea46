/* SPDX-License-Identifier: BSD-3-Clause
 * Parameters of the atoms of metals: the fitted numbers, which atoms have them, and that it is said. */
#include "surface_fixture.h"

#include <string.h>
#include <time.h>

#include "surf/metals.h"

#include "constants.h"

#define KCAL 0.0433641 /* eV */

static const shoal_surface_options uff = {.metals = SHOAL_METALS_UFF};

static shoal_molecule *make_slab(shoal_slab_kind kind, int32_t a, int32_t b, double constant)
{
    shoal_molecule *mol = NULL;
    const shoal_slab_options o = {.kind = kind,
                                  .elements = {a, b},
                                  .a = constant,
                                  .size = {2, 2},
                                  .layers = 3,
                                  .no_charges = b != 0};
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_slab_build(mol, &o) == SHOAL_OK);
    return mol;
}

static void add(shoal_molecule *mol, int32_t z, double x, double y, double height)
{
    const double pos[3] = {x, y, height};
    CHECK(shoal_molecule_add_atom(mol, z, pos) == SHOAL_OK);
}

/* Distance of the minimum, angstrom, and depth, kcal/mol, of atom i of a substrate; mol is destroyed. */
static void check_atom(shoal_molecule *mol, const shoal_surface_options *options, int32_t i,
                       double x, double d, const char *metals)
{
    shoal_surface_view v;
    shoal_surface *surface = fixture_surface(mol, options);
    shoal_surface_get(surface, &v);
    if (i < 0) i += v.n_atoms;
    CHECK_NEAR(2 * v.radius[i], x, 1e-12);
    CHECK_NEAR(v.depth[i] / KCAL, d, 1e-5);
    CHECK_TEXT(v.metals, metals);
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(mol);
}

/* data/metals.tsv and data/uff.tsv. */
static void test_numbers(void)
{
    static const struct {
        int32_t z;
        double x, d, uff_x, uff_d;
    } metals[] = {
        {29, 3.214, 0.437, 3.495, 0.005}, {47, 3.465, 0.498, 3.148, 0.036},
        {79, 3.603, 0.394, 3.293, 0.039}, {46, 2.993, 1.179, 2.899, 0.048},
        {78, 2.993, 1.179, 2.754, 0.080}, {82, 4.231, 0.746, 4.297, 0.663},
    };
    for (size_t k = 0; k < sizeof metals / sizeof metals[0]; ++k) {
        const int32_t z = metals[k].z;
        check_atom(make_slab(SHOAL_SLAB_FCC111, z, 0, 0), NULL, 3, metals[k].x, metals[k].d,
                   "adsorption");
        check_atom(make_slab(SHOAL_SLAB_FCC100, z, 0, 0), &uff, 3, metals[k].uff_x, metals[k].uff_d,
                   "uff");
    }
    check_atom(make_slab(SHOAL_SLAB_FCC111, 28, 0, 0), NULL, 0, 2.834, 0.015, "uff"); /* nickel */
    check_atom(make_slab(SHOAL_SLAB_GRAPHENE, 0, 0, 0), NULL, 0, 3.851, 0.105, "");
}

/* Ions of salts and oxides, and lone atoms, are no metal; what lies on one is. */
static void test_whose(void)
{
    check_atom(make_slab(SHOAL_SLAB_ROCKSALT, 47, 17, 5.55), NULL, 0, 3.148, 0.036, "");
    check_atom(make_slab(SHOAL_SLAB_ROCKSALT, 46, 8, 4.4), NULL, 0, 2.899, 0.048, "");
    check_atom(make_slab(SHOAL_SLAB_FLUORITE111, 82, 9, 5.94), NULL, 1, 4.297, 0.663, "");
    shoal_molecule *step = make_slab(SHOAL_SLAB_FCC111, 47, 0, 0);
    add(step, 47, 1.44, 0.83, 2.36); /* an adatom */
    check_atom(step, NULL, -1, 3.465, 0.498, "adsorption");
    for (int far = 0; far < 2; ++far) {
        shoal_molecule *lone = make_slab(SHOAL_SLAB_GRAPHENE, 0, 0, 0);
        add(lone, 78, 0.0, 0.0, far ? 3.4 : 2.2);
        check_atom(lone, NULL, -1, 2.754, 0.080, "");
    }
    for (int i = 0; i < 2;
         ++i) { /* oxygen on copper: neither it nor the atoms below it are an oxide */
        shoal_molecule *covered = make_slab(SHOAL_SLAB_FCC111, 29, 0, 0);
        add(covered, 8, 1.28, 0.74, 1.1);
        check_atom(covered, NULL, i == 0 ? 0 : -1, i == 0 ? 3.214 : 3.5, i == 0 ? 0.437 : 0.06,
                   "adsorption");
    }
    shoal_molecule *alloy = make_slab(SHOAL_SLAB_FCC111, 79, 0, 0);
    add(alloy, 28, 1.44, 0.83, 2.36);
    check_atom(alloy, NULL, -1, 2.834, 0.015, "adsorption, uff");
}

static void test_warnings(void)
{
    static const char *const said = "the surface is a metal with UFF's parameters, which bind "
                                    "molecules several times too weakly or too strongly";
    shoal_molecule *mol = make_slab(SHOAL_SLAB_FCC111, 79, 0, 0), *xenon = NULL;
    shoal_topology *topology = NULL;
    shoal_surface *fitted = fixture_surface(mol, NULL), *plain = fixture_surface(mol, &uff);
    CHECK(shoal_molecule_create(&xenon) == SHOAL_OK);
    add(xenon, 54, 0, 0, 3.5);
    CHECK(shoal_topology_create(&topology, xenon, NULL) == SHOAL_OK);
    CHECK_TEXT(shoal_surface_warning(fitted, topology), "");
    CHECK_TEXT(shoal_surface_warning(plain, topology), said);
    shoal_surface_view v, w;
    shoal_surface_get(fitted, &v);
    shoal_surface_get(plain, &w);
    CHECK(v.hash != w.hash); /* so that grids and checkpoints tell them apart */
    shoal_surface_destroy(fitted);
    shoal_surface_destroy(plain);
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(xenon);
    shoal_molecule_destroy(mol);
}

static void test_refusals(void)
{
    shoal_molecule *mol = make_slab(SHOAL_SLAB_FCC111, 79, 0, 0);
    shoal_surface *surface = NULL, *rest = NULL, *movable = NULL;
    static const char text[] = "Au * Au * 0 0 0 0 1 1.5 0.002 0 0\n";
    shoal_atom_types *types = NULL;
    CHECK(shoal_atom_types_read_memory(&types, text, strlen(text), "gold") == SHOAL_OK);
    const shoal_surface_options both = {.types = types, .metals = SHOAL_METALS_UFF};
    CHECK(shoal_surface_create(&surface, mol, &both) == SHOAL_E_ARGUMENT);
    CHECK_TEXT(shoal_error_text(),
               "surface: UFF's parameters of metals contradict those of a table or pair model");
    const shoal_surface_options unknown = {.metals = (shoal_metals)7};
    CHECK(shoal_surface_create(&surface, mol, &unknown) == SHOAL_E_ARGUMENT);
    const shoal_surface_options table = {.types = types};
    check_atom(make_slab(SHOAL_SLAB_FCC111, 79, 0, 0), &table, 0, 3.0, 0.002 / KCAL, "");
    surface = fixture_surface(mol, NULL);
    CHECK(shoal_surface_split(surface, 1, &rest, &movable) == SHOAL_E_ARGUMENT);
    CHECK(strstr(shoal_error_text(), "fitted to adsorption push layers apart") != NULL);
    shoal_surface_destroy(surface);
    shoal_atom_types_destroy(types);
    shoal_molecule_destroy(mol);
}

#define MAGNESIUM_X 3.021 /* UFF: angstrom, kcal/mol */
#define MAGNESIUM_D 0.111
enum { MOST = 16384 };

/* CPU seconds to name the metals of a layer of MgO whose atoms stand by element: the partners of an atom are far
 * from it in the file. */
static double time_sorted(int32_t n_side)
{
    static double pos[MOST][3], radius[MOST], depth[MOST];
    static int32_t elements[MOST];
    const int32_t n = n_side * n_side, half = n / 2;
    shoal_surface_view v = {.n_atoms = n,
                            .elements = elements,
                            .pos = (const double(*)[3])pos,
                            .radius = radius,
                            .depth = depth,
                            .cell = {{2.1 * n_side, 0}, {0, 2.1 * n_side}}};
    const char *name = NULL;
    double least = 1e9;
    for (int32_t k = 0; k < n; ++k) {
        const int32_t a = k / n_side, b = k % n_side, metal = (a + b) % 2;
        const int32_t i = k / 2 + metal * half;
        pos[i][0] = 2.1 * a;
        pos[i][1] = 2.1 * b;
        elements[i] = metal ? 12 : 8;
        radius[i] = 0.5 * MAGNESIUM_X;
        depth[i] = KCAL_EV * MAGNESIUM_D;
    }
    for (int k = 0; k < 3; ++k) {
        const clock_t begin = clock();
        CHECK(metals_name(&v, &name) == SHOAL_OK);
        least = fmin(least, (double)(clock() - begin) / CLOCKS_PER_SEC);
        CHECK_TEXT(name, ""); /* no atom of an oxide is one of a metal */
    }
    return least;
}

/* Two atoms of magnesium, with oxygen beside them across the border of a wide cell, or in its midst. */
static const char *name_across(double x)
{
    const int32_t elements[] = {12, 12, 8, 8};
    const double pos[][3] = {{0.2, 0, 0}, {0.2, 2.9, 0}, {x, 0, 0}, {x, 2.9, 0}};
    double radius[4], depth[4];
    const char *name = NULL;
    for (int i = 0; i < 4; ++i) {
        radius[i] = 0.5 * MAGNESIUM_X;
        depth[i] = KCAL_EV * MAGNESIUM_D;
    }
    const shoal_surface_view v = {.n_atoms = 4,
                                  .elements = elements,
                                  .pos = pos,
                                  .radius = radius,
                                  .depth = depth,
                                  .cell = {{40, 0}, {0, 5.8}}};
    CHECK(metals_name(&v, &name) == SHOAL_OK);
    return name;
}

/* Sixteen times as many atoms take about sixteen times as long, not 256 times. */
static void test_sorted(void)
{
    CHECK_TEXT(name_across(38.4), "");
    CHECK_TEXT(name_across(20), "uff");
    const double few = time_sorted(32), many = time_sorted(128);
    printf("%.5f s, %.5f s\n", few, many);
    CHECK(many < 64 * few);
}

int main(void)
{
    test_numbers();
    test_whose();
    test_warnings();
    test_refusals();
    test_sorted();
    return check_done();
}
