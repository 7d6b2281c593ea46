/* SPDX-License-Identifier: BSD-3-Clause
 * Ewald sums over a mesh on OpenCL (PoCL, or the device that SHOAL_TEST_DEVICE names): errors within the tolerance against
 * plain sums of cpu and ref, the same numbers as the mesh of the cpu, slopes against differences, steps, laws bitwise, and
 * where there is none. */
#include "device_fixture.h"
#include "ewald_mesh_fixture.h"
#include "geom/ewald_mesh.h"

static const char *device;

/* Against a plain sum of all digits on another backend. */
static void check_errors(const char *witness, bool large, shoal_precision precision,
                         double tolerance, double most)
{
    static set s;
    static outcome want[SET_SYSTEMS];
    const run_options plain = {
        .engine = only_charges(witness, SHOAL_PRECISION_DOUBLE, 1e-12, SHOAL_EWALD_PLAIN)};
    const shoal_engine_options mesh = only_charges(device, precision, tolerance, SHOAL_EWALD_MESH);
    ewald_crystals(&s, large);
    run_set(&s, NULL, s.n, &plain, want);
    check_mesh_errors(&s, want, &mesh, most);
    outcomes_free(want, s.n);
    set_free(&s);
}

static void test_errors(void)
{
    check_errors("ref", false, SHOAL_PRECISION_DOUBLE, 1e-3, 1e-3);
    check_errors("ref", false, SHOAL_PRECISION_DOUBLE, 1e-10, 1e-10);
    check_errors("cpu", true, SHOAL_PRECISION_DOUBLE, 1e-6, 1e-6);
    check_errors("ref", false, SHOAL_PRECISION_FLOAT, 1e-4, 1e-4);
    check_errors("cpu", true, SHOAL_PRECISION_FLOAT, 1e-10, 1e-5); /* what float resolves */
}

/* Cells of one brick of nodes, of hardly one spline, and of many bricks along one axis. */
static void add_odd_cells(set *s)
{
    static const int32_t tall[3] = {1, 1, 12}, wide[3] = {25, 1, 1};
    (void)periodic_add(s, periodic_silica(periodic_plain), "one cell", 0.05);
    (void)periodic_add(s, periodic_repeat(periodic_silica(periodic_plain), tall), "tall", 0.05);
    (void)periodic_add(s, periodic_repeat(periodic_silica(periodic_plain), wide), "wide", 0.05);
}

/* The mesh of the cpu: the same nodes, and so the same numbers, to rounding. */
static void check_same_mesh(const set *s, double tolerance, double damping)
{
    static outcome got[SET_SYSTEMS], want[SET_SYSTEMS];
    run_options here = {
        .engine = only_charges(device, SHOAL_PRECISION_DOUBLE, tolerance, SHOAL_EWALD_MESH)};
    here.engine.coulomb_damping = damping;
    run_options there = here;
    there.engine.device = "cpu";
    run_set(s, NULL, s->n, &here, got);
    run_set(s, NULL, s->n, &there, want);
    for (int32_t i = 0; i < s->n; ++i) {
        CHECK_NEAR(got[i].r.energy / want[i].r.energy, 1, 1e-12);
        CHECK_NEAR(force_error(&got[i], &want[i], s->systems[i].n_atoms), 0, 1e-11);
        CHECK_NEAR(strain_error(&got[i], &want[i]), 0, 1e-11);
    }
    outcomes_free(got, s->n);
    outcomes_free(want, s->n);
}

static void test_same_mesh(void)
{
    static set s;
    ewald_crystals(&s, false);
    add_odd_cells(&s);
    for (int32_t i = 0; i < s.n; ++i) /* far from the origin, and one atom further */
        for (int32_t a = 0; a < s.systems[i].n_atoms; ++a)
            for (int c = 0; c < 3; ++c)
                s.systems[i].pos[a][c] += 3.7 + c + (a == 2 ? 5 * s.systems[i].cell[1][c] : 0);
    check_same_mesh(&s, 1e-2, 0);
    check_same_mesh(&s, 1e-6, 0.7);
    check_same_mesh(&s, 1e-10, 0);
    set_free(&s);
}

/* Nodes along other vectors than those of the cell, of which the list has many cells. */
static void test_basis(void)
{
    static set s;
    static const int32_t sheets[3][3] = {{8, 8, 1}, {8, 1, 8}, {1, 8, 8}};
    for (int k = 0; k < 3; ++k)
        (void)periodic_add(&s, periodic_repeat(periodic_silica(periodic_skew), sheets[k]),
                           "skew sheet", 0.05);
    check_same_mesh(&s, 1e-2, 0);
    set_free(&s);
}

/* Atoms that leave the cells where lists found them give to the same nodes as on the cpu. */
static void test_steps(void)
{
    static set s;
    static outcome got[SET_SYSTEMS], want[SET_SYSTEMS];
    ewald_crystals(&s, false);
    add_odd_cells(&s); /* with many cells of the list along a vector */
    const shoal_relax_options relax = {.method = SHOAL_METHOD_FIRE, .max_steps = 40, .fmax = 1e-6};
    run_options here = {.engine = {.device = device,
                                   .precision = SHOAL_PRECISION_DOUBLE,
                                   .ewald_tolerance = 1e-2,
                                   .ewald = SHOAL_EWALD_MESH},
                        .relax = &relax};
    run_options there = here;
    there.engine.device = "cpu";
    run_set(&s, NULL, s.n, &here, got);
    run_set(&s, NULL, s.n, &there, want);
    for (int32_t i = 0; i < s.n; ++i) {
        double off = 0, way = 0;
        for (int32_t a = 0; a < s.systems[i].n_atoms; ++a)
            for (int c = 0; c < 3; ++c) {
                off = fmax(off, fabs(got[i].pos[a][c] - want[i].pos[a][c]));
                way = fmax(way, fabs(got[i].pos[a][c] - s.systems[i].pos[a][c]));
            }
        (void)printf("%s: %.2g A moved, %.1g A off\n", s.systems[i].name, way, off);
        CHECK(way > 0.02 && got[i].r.steps == want[i].r.steps);
        CHECK(off < 1e-12);
    }
    outcomes_free(got, s.n);
    outcomes_free(want, s.n);
    set_free(&s);
}

/* A system alone = in company, in any order, and again. */
static void check_laws(const set *s, const shoal_relax_options *relax, shoal_precision precision)
{
    static outcome alone[SET_SYSTEMS], got[SET_SYSTEMS];
    static const int32_t orders[3][6] = {
        {0, 1, 2, 3, 4, 5}, {5, 3, 1, 0, 4, 2}, {2, 2, 5, 0, 2, 1}};
    const run_options o = {.engine = {.device = device,
                                      .precision = precision,
                                      .ewald_tolerance = 1e-5,
                                      .ewald = SHOAL_EWALD_MESH},
                           .relax = relax};
    CHECK(s->n == 6);
    for (int32_t i = 0; i < s->n; ++i) run_set(s, &i, 1, &o, &alone[i]);
    for (int k = 0; k < 3; ++k) {
        run_set(s, orders[k], 6, &o, got);
        for (int32_t i = 0; i < 6; ++i) {
            const int32_t of = orders[k][i];
            CHECK(outcome_same(&got[i], &alone[of], s->systems[of].n_atoms));
        }
        outcomes_free(got, 6);
    }
    outcomes_free(alone, 6);
}

static void test_laws(void)
{
    static set s;
    const shoal_relax_options fire = {.method = SHOAL_METHOD_FIRE, .max_steps = 12},
                              lbfgs = {.method = SHOAL_METHOD_LBFGS, .max_steps = 12};
    ewald_crystals(&s, false);
    add_odd_cells(&s);
    check_laws(&s, NULL, SHOAL_PRECISION_FLOAT);
    if (check_thorough()) check_laws(&s, NULL, SHOAL_PRECISION_DOUBLE);
    check_laws(&s, &fire, SHOAL_PRECISION_FLOAT);
    check_laws(&s, &lbfgs, SHOAL_PRECISION_FLOAT);
    set_free(&s);
}

static shoal_ewald sum_of(const set *s, int32_t i, shoal_ewald asked)
{
    outcome got;
    const run_options o = {.engine = only_charges(device, SHOAL_PRECISION_FLOAT, 1e-5, asked)};
    run_set(s, &i, 1, &o, &got);
    const shoal_ewald sum = got.r.coulomb_sum;
    outcomes_free(&got, 1);
    return sum;
}

/* Slabs, chains, and lines that have no room keep the plain sum; auto takes what costs less. */
static void test_choice(void)
{
    static set s;
    static const int32_t argon[2] = {18, 18};
    static const double far[2][3] = {{0, 0, 0}, {3, 0, 0}}, charges[2] = {1, -1};
    static const double slim[3][3] = {{60000, 0, 0}, {0, 9, 0}, {0, 0, 9}};
    static const double cube[3][3] = {{20, 0, 0}, {0, 20, 0}, {0, 0, 20}};
    ewald_crystals(&s, true);
    CHECK(sum_of(&s, 0, SHOAL_EWALD_AUTO) == SHOAL_EWALD_PLAIN);
    CHECK(sum_of(&s, 3, SHOAL_EWALD_AUTO) == SHOAL_EWALD_MESH);
    CHECK(sum_of(&s, 3, SHOAL_EWALD_PLAIN) == SHOAL_EWALD_PLAIN);
    set_free(&s);
    for (int k = 1; k <= 2; ++k)
        (void)periodic_add(&s, periodic_molecule(2, argon, far, charges, cube, k), "layer", 0);
    (void)periodic_add(&s, periodic_molecule(2, argon, far, charges, slim, 3), "slim", 0);
    for (int32_t i = 0; i < s.n; ++i) CHECK(sum_of(&s, i, SHOAL_EWALD_MESH) == SHOAL_EWALD_PLAIN);
    set_free(&s);
}

int main(void)
{
    device = find_test_device();
    if (!device || strcmp(device, "cpu") == 0) return check_done();
    test_errors();
    test_same_mesh();
    test_basis();
    test_steps();
    shoal_engine_options options =
        only_charges(device, SHOAL_PRECISION_DOUBLE, 1e-9, SHOAL_EWALD_MESH);
    options.coulomb_damping = 0.7;
    check_mesh_slopes(options);
    test_laws();
    test_choice();
    return check_done();
}
