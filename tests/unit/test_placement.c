/* SPDX-License-Identifier: BSD-3-Clause
 * Placement: orientation by axes of inertia, turns, places, copies that differ a little, files with their slab. */
#include "chem_fixture.h"
#include "engine/placement.h"
#include "geom/rotation.h"
#include "geom/vector.h"
#include "shoal/placement.h"
#include "surface_fixture.h"

/* A flat, long, lopsided molecule, turned anyhow. */
static shoal_molecule *make_plate(const double degrees[3])
{
    static const struct {
        const char *symbol;
        double pos[3];
    } atoms[] = {{"C", {0, 0, 0}},   {"C", {1.4, 0, 0}},    {"C", {2.8, 0.2, 0}},
                 {"O", {4.1, 1, 0}}, {"N", {-1.1, 0.9, 0}}, {"H", {0.7, -1.9, 0}}};
    shoal_molecule *mol = chem_new();
    double m[3][3];
    const double centre[3] = {0.3, -2, 1};
    rotation_by_degrees(degrees, m);
    for (int i = 0; i < 6; ++i) {
        double r[3] = {atoms[i].pos[0], atoms[i].pos[1], atoms[i].pos[2]};
        rotation_turn((const double(*)[3])m, centre, r);
        chem_atom(mol, atoms[i].symbol, r[0], r[1], r[2]);
    }
    return mol;
}

static void extent(const shoal_molecule *mol, double out[3])
{
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t i = 0; i < mol->n_atoms; ++i) {
            low = fmin(low, mol->pos[i][k]);
            high = fmax(high, mol->pos[i][k]);
        }
        out[k] = high - low;
    }
}

static double farthest(const shoal_molecule *a, const shoal_molecule *b)
{
    double most = 0;
    for (int32_t i = 0; i < a->n_atoms; ++i)
        most = fmax(most, vector_distance(a->pos[i], b->pos[i]));
    return most;
}

static void test_orientation(void)
{
    static const double ways[4][3] = {{0, 0, 0}, {50, 20, -130}, {-77, 161, 5}, {180, 0, 90}};
    for (int how = SHOAL_ORIENT_FLAT; how <= SHOAL_ORIENT_UPRIGHT; ++how) {
        const shoal_placement p = {
            .orient = (shoal_orientation)how, .has_at = true, .at = {1.5, -2}};
        shoal_molecule *first = make_plate(ways[0]);
        double size[3], d = vector_distance(first->pos[3], first->pos[5]);
        CHECK(shoal_placement_apply(&p, NULL, first) == SHOAL_OK);
        extent(first, size);
        CHECK_NEAR(how == SHOAL_ORIENT_FLAT ? size[2] : size[0], 0, 1e-9);
        CHECK((how == SHOAL_ORIENT_FLAT ? size[0] : size[2]) > 5); /* the long axis */
        CHECK_NEAR(vector_distance(first->pos[3], first->pos[5]), d, 1e-12);
        for (int k = 1; k < 4; ++k) { /* however the file has it */
            shoal_molecule *mol = make_plate(ways[k]);
            CHECK(shoal_placement_apply(&p, NULL, mol) == SHOAL_OK);
            for (int32_t i = 0; i < mol->n_atoms; ++i) mol->pos[i][2] -= mol->pos[0][2];
            for (int32_t i = 0; i < mol->n_atoms; ++i) {
                CHECK_NEAR(mol->pos[i][0], first->pos[i][0], 1e-6);
                CHECK_NEAR(mol->pos[i][1], first->pos[i][1], 1e-6);
            }
            shoal_molecule_destroy(mol);
        }
        shoal_molecule_destroy(first);
    }
}

/* Handedness is kept: no orientation is a mirror. */
static void test_chirality(void)
{
    shoal_molecule *mol = chem_xyz("5\n\nC 0 0 0\nF 1.3 .1 .2\nCl -.5 1.6 0\nBr -.6 -.9 1.5\nH -.4 "
                                   "-.5 -.9\n");
    for (int how = SHOAL_ORIENT_FLAT; how <= SHOAL_ORIENT_UPRIGHT; ++how) {
        const double before = geom_torsion(mol->pos[1], mol->pos[0], mol->pos[2], mol->pos[3]);
        const shoal_placement p = {.orient = (shoal_orientation)how};
        CHECK(shoal_placement_apply(&p, NULL, mol) == SHOAL_OK);
        CHECK_NEAR(geom_torsion(mol->pos[1], mol->pos[0], mol->pos[2], mol->pos[3]), before, 1e-9);
    }
    shoal_molecule_destroy(mol);
}

static void test_place(void)
{
    const double none[3] = {0, 0, 0};
    shoal_molecule *slab = fixture_salt(2, 2, 0.9), *mol = make_plate(none);
    shoal_surface *surface = fixture_surface(slab, NULL);
    shoal_surface_view v;
    double centre[3], low = INFINITY, x = mol->pos[3][0] - mol->pos[0][0];
    shoal_surface_get(surface, &v);
    const shoal_placement p = {
        .rotate = {0, 90, 90}, .has_at = true, .at = {1.5, -2}, .height = 2.5};
    CHECK(shoal_placement_apply(&p, surface, mol) == SHOAL_OK);
    geom_centre((const double(*)[3])mol->pos, mol->n_atoms, centre);
    for (int32_t i = 0; i < mol->n_atoms; ++i) low = fmin(low, mol->pos[i][2]);
    CHECK_NEAR(centre[0], 1.5, 1e-12);
    CHECK_NEAR(centre[1], -2, 1e-12);
    CHECK_NEAR(low, v.top + 2.5, 1e-12);
    CHECK_NEAR(mol->pos[3][2] - mol->pos[0][2], -x, 1e-12); /* about y: x goes to -z */
    CHECK_NEAR(mol->pos[3][0] - mol->pos[0][0], -1, 1e-12); /* about z: y goes to -x */
    const int32_t n = mol->n_atoms;
    CHECK(shoal_molecule_add_surface(mol, surface, (const double[3]){0, 0, 30}) == SHOAL_OK);
    double cell[3][3];
    bool pbc[3];
    shoal_molecule_cell(mol, cell, pbc);
    CHECK(mol->n_atoms == n + v.n_atoms && pbc[0] && pbc[1] && !pbc[2] && cell[2][2] == 30);
    CHECK_NEAR(cell[0][0], v.cell[0][0], 0);
    CHECK_NEAR(mol->charge[n], v.charges[0], 0);
    const shoal_placement turn = {.orient = SHOAL_ORIENT_FLAT};
    CHECK(shoal_placement_apply(&turn, surface, mol) == SHOAL_E_ARGUMENT); /* it repeats */
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(slab);
    shoal_molecule_destroy(mol);
}

/* Vectors of a lattice fit it, to 1e-3 angstrom, whichever of the three they are; others do not. */
static void test_commensurate(void)
{
    static const double lattice[2][2] = {{5.1, 0.9}, {1.9, 4.7}};
    static const double off[5][3] = {
        {0, 0, 0}, {5e-4, -5e-4, 5e-4}, {3e-3, 0, 0}, {0, -3e-3, 0}, {0, 0, 3e-3}};
    shoal_molecule *slab = fixture_salt(2, 2, 0);
    shoal_surface *surface = fixture_surface(slab, NULL);
    const shoal_engine_options options = {.surface = surface};
    double pos[1][3] = {{0, 0, 5}}, forces[1][3];
    for (int k = 0; k < 3 * 25 * 5; ++k) {
        const int axis = k % 3, m = k / 3 % 5 - 2, n = k / 15 % 5 - 2, by = k / 75;
        backend_system system = {.view = {.n_atoms = 1}};
        backend_result result = {.active = true, .pos = pos, .forces = forces};
        system.view.pbc[axis] = true;
        for (int x = 0; x < 3; ++x)
            system.cell[axis][x] = (x < 2 ? m * lattice[0][x] + n * lattice[1][x] : 0) + off[by][x];
        placement_check(&system, &options, lattice, &result);
        CHECK(result.active == (by < 2));
        if (by >= 2) CHECK(strstr(result.reason, "no lattice vector") != NULL);
    }
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(slab);
}

/* Evenly between -d and d along all three axes, independent of each other and of other copies. */
static void test_spread(void)
{
    enum { COPIES = 3000 };
    const shoal_jitter j = {.n_copies = COPIES + 1, .distance = 0.2, .seed = 3};
    double sum[2][3] = {{0}}, square[2][3] = {{0}}, products[3] = {0}, low = 0, high = 0;
    for (int64_t copy = 1; copy <= COPIES; ++copy) {
        double pos[2][3] = {{0}};
        CHECK(shoal_jitter_move(&j, 1, copy, 2, pos) == SHOAL_OK);
        for (int k = 0; k < 6; ++k) {
            const double x = pos[k / 3][k % 3];
            sum[k / 3][k % 3] += x / COPIES;
            square[k / 3][k % 3] += x * x / COPIES;
            low = fmin(low, x);
            high = fmax(high, x);
        }
        products[0] += pos[0][0] * pos[0][1] / COPIES;
        products[1] += pos[0][1] * pos[0][2] / COPIES;
        products[2] += pos[0][0] * pos[1][0] / COPIES;
    }
    for (int k = 0; k < 6; ++k) {
        CHECK_NEAR(sum[k / 3][k % 3], 0, 0.008);                     /* 4 sigma */
        CHECK_NEAR(square[k / 3][k % 3], 0.04 / 3, 0.04 * 0.3 / 14); /* d^2 / 3 */
    }
    for (int k = 0; k < 3; ++k) CHECK_NEAR(products[k], 0, 0.001);
    CHECK(low > -0.2 && low < -0.199 && high < 0.2 && high > 0.199);
}

static void test_jitter(void)
{
    const double none[3] = {0, 0, 0};
    shoal_jitter j = {.n_copies = 4, .distance = 0.1, .seed = 7};
    shoal_molecule *start = make_plate(none), *mol = make_plate(none), *again = make_plate(none);
    CHECK(shoal_jitter_move(&j, 5, 0, 6, mol->pos) == SHOAL_OK);
    CHECK(farthest(start, mol) == 0);
    CHECK(shoal_jitter_move(&j, 5, 2, 6, mol->pos) == SHOAL_OK);
    CHECK(farthest(start, mol) > 0.03 && farthest(start, mol) < 0.1 * sqrt(3.0));
    CHECK(shoal_jitter_move(&j, 5, 2, 6, again->pos) == SHOAL_OK);
    CHECK(farthest(again, mol) == 0);
    static const struct {
        int64_t record, copy;
        uint64_t seed;
    } others[] = {
        {5, 3, 7}, {6, 2, 7}, {5, 2, 8}, {5 + ((int64_t)1 << 32), 2, 7}, {5, 2, 7ull << 32}};
    for (int k = 0; k < 5; ++k) {
        CHECK(shoal_molecule_copy(again, start) == SHOAL_OK);
        j.seed = others[k].seed;
        CHECK(shoal_jitter_move(&j, others[k].record, others[k].copy, 6, again->pos) == SHOAL_OK);
        CHECK(farthest(again, mol) > 0.02);
    }
    shoal_variants v;
    j.n_copies = 0;
    CHECK(shoal_jitter_variants(&j, &v) == SHOAL_E_ARGUMENT);
    shoal_molecule_destroy(start);
    shoal_molecule_destroy(mol);
    shoal_molecule_destroy(again);
}

int main(void)
{
    test_orientation();
    test_chirality();
    test_place();
    test_commensurate();
    test_spread();
    test_jitter();
    return check_done();
}
