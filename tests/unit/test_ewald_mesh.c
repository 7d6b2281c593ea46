/* SPDX-License-Identifier: BSD-3-Clause
 * Ewald sums over a mesh: errors within the tolerance against plain sums of all digits and against Madelung constants,
 * slopes against differences, the choice between the two. */
#include "ewald_mesh_fixture.h"
#include "geom/ewald.h"
#include "geom/ewald_mesh.h"

#include "constants.h"

static shoal_engine_options on_cpu(double tolerance, shoal_ewald sum)
{
    return only_charges("cpu", SHOAL_PRECISION_DOUBLE, tolerance, sum);
}

static void test_tolerance(void)
{
    static set s;
    static outcome want[SET_SYSTEMS];
    static const double tolerances[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10};
    ewald_crystals(&s, true);
    const run_options exact = {.engine = on_cpu(1e-14, SHOAL_EWALD_PLAIN)};
    run_set(&s, NULL, s.n, &exact, want);
    for (int k = 0; k < 6; ++k) {
        const shoal_engine_options mesh = on_cpu(tolerances[k], SHOAL_EWALD_MESH);
        check_mesh_errors(&s, want, &mesh, tolerances[k]);
    }
    outcomes_free(want, s.n);
    set_free(&s);
}

/* Rock salt and caesium chloride, nearest neighbours 4 A apart, per pair of ions. */
static void test_madelung(void)
{
    static const double fcc[3][3] = {{0, 4, 4}, {4, 0, 4}, {4, 4, 0}},
                        half = 4 / 1.7320508075688772;
    static const double cube[3][3] = {{2 * half, 0, 0}, {0, 2 * half, 0}, {0, 0, 2 * half}};
    static const double salt[2][3] = {{0.3, 0.1, 0}, {4.3, 0.1, 0}};
    static const double caesium[2][3] = {{0.1, 0.2, 0.3}, {0.1 + half, 0.2 + half, 0.3 + half}};
    static const int32_t argon[2] = {18, 18}, repeat[3] = {3, 2, 2};
    static const double charges[2] = {1, -1}, known[2] = {1.7475645946331822, 1.7626747730709884};
    static set s;
    static outcome got[2];
    memset(&s, 0, sizeof s);
    (void)periodic_add(
        &s, periodic_repeat(periodic_molecule(2, argon, salt, charges, fcc, 3), repeat), "NaCl", 0);
    (void)periodic_add(
        &s, periodic_repeat(periodic_molecule(2, argon, caesium, charges, cube, 3), repeat), "CsCl",
        0);
    for (double tolerance = 1e-3; tolerance > 5e-13; tolerance /= 10) {
        const run_options o = {.engine = on_cpu(tolerance, SHOAL_EWALD_MESH)};
        run_set(&s, NULL, 2, &o, got);
        for (int i = 0; i < 2; ++i) {
            CHECK_NEAR(got[i].r.energy / (-12 * COULOMB_CONSTANT / 4 * known[i]), 1, tolerance);
            CHECK_NEAR(got[i].r.fmax, 0, tolerance * COULOMB_CONSTANT / 16);
        }
        outcomes_free(got, 2);
    }
    set_free(&s);
}

static void test_slopes(void)
{
    shoal_engine_options options = on_cpu(1e-9, SHOAL_EWALD_MESH);
    check_mesh_slopes(options);
    options.coulomb_damping = 0.7;
    check_mesh_slopes(options);
}

/* The same bits from any number of threads, and from the sum that auto takes. */
static void test_bits(void)
{
    static set s;
    static outcome one[SET_SYSTEMS], other[SET_SYSTEMS];
    ewald_crystals(&s, true);
    for (int k = 0; k < 3; ++k) {
        run_options a = {.engine = on_cpu(1e-6, SHOAL_EWALD_MESH)}, b = a;
        const int32_t first = k == 1 ? 0 : s.n - 1; /* silica of 96 atoms, and of 1200 */
        a.engine.n_threads = 1;
        b.engine.n_threads = k == 0 ? 3 : 1;
        if (k > 0) b.engine.ewald = SHOAL_EWALD_AUTO;
        if (k == 1) a.engine.ewald = SHOAL_EWALD_PLAIN;
        run_set(&s, &first, 1, &a, one);
        run_set(&s, &first, 1, &b, other);
        CHECK(one[0].r.energy == other[0].r.energy);
        CHECK(memcmp(one[0].forces, other[0].forces,
                     (size_t)s.systems[first].n_atoms * sizeof *one[0].forces) == 0);
        outcomes_free(one, 1);
        outcomes_free(other, 1);
    }
    set_free(&s);
}

/* A relaxation knows the energy that its last geometry has by itself: the mesh stays where it is. */
static void test_places(void)
{
    static set s;
    static outcome end, again;
    const shoal_relax_options relax = {.max_steps = 8, .fmax = 1e-6};
    run_options o = {.engine = on_cpu(1e-3, SHOAL_EWALD_MESH), .relax = &relax};
    ewald_crystals(&s, false);
    o.engine.terms_off = 0;
    run_set(&s, NULL, 1, &o, &end);
    memcpy(s.systems[0].pos, end.pos, (size_t)s.systems[0].n_atoms * sizeof *end.pos);
    o.relax = NULL;
    run_set(&s, NULL, 1, &o, &again);
    CHECK_NEAR(again.r.energy / end.r.energy, 1, 1e-10);
    outcomes_free(&end, 1);
    outcomes_free(&again, 1);
    set_free(&s);
}

/* The cost of the plain sum counts its pairs within the cut-off and its k-vectors, of k and -k one. */
static void test_plain_cost(void)
{
    static const double cell[3][3] = {{21, 0, 0}, {3, 24, 0}, {-2, 5, 26}};
    static const bool pbc[3] = {true, true, true};
    enum { N = 700, REACH = 40 };
    geom_lattice lattice;
    CHECK(lattice_init(&lattice, cell, pbc));
    const double alpha = ewald_balance(3, lattice.measure, N), x = ewald_reach(1e-8);
    int64_t n = 0;
    for (int a = -REACH; a <= REACH; ++a)
        for (int b = -REACH; b <= REACH; ++b)
            for (int c = -REACH; c <= REACH; ++c) {
                double k2 = 0;
                for (int i = 0; i < 3; ++i) {
                    const double k =
                        2 * 3.14159265358979 *
                        (a * lattice.dual[0][i] + b * lattice.dual[1][i] + c * lattice.dual[2][i]);
                    k2 += k * k;
                }
                n += k2 > 0 && k2 < 4 * alpha * alpha * x * x;
            }
    const ewald_costs both = {.kvec = 1}, none = {0};
    const double by_k =
        ewald_plain_cost(&lattice, N, 1e-8, &both) - ewald_plain_cost(&lattice, N, 1e-8, &none);
    CHECK(n > 1000);
    CHECK_NEAR(by_k / N, 0.5 * (double)n, 0.02 * (double)n);
}

int main(void)
{
    test_tolerance();
    test_madelung();
    test_slopes();
    test_places();
    test_plain_cost();
    test_bits();
    return check_done();
}
