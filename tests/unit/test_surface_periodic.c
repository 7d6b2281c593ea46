/* SPDX-License-Identifier: BSD-3-Clause
 * Periodic systems on surfaces: a chain whose period is a lattice vector of the slab is the same on ref,
 * cpu and opencl, with direct sums and with a grid, alone and beside a small system. */
#include "grid_fixture.h"
#include "periodic_fixture.h"

#define UNIT 2.52 /* angstrom, of polyethylene; three of them are two cells of the salt */

/* Of n x n cells; vacancies may be NULL. */
static shoal_surface *make_slab(int32_t n, const int32_t vacancies[2])
{
    const shoal_slab_options o = {.a = 1.5 * UNIT * sqrt(2.0),
                                  .size = {n, n},
                                  .layers = 2,
                                  .charge = 0.5,
                                  .vacancies = vacancies,
                                  .n_vacancies = vacancies ? 2 : 0};
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_slab_build(mol, &o) == SHOAL_OK);
    shoal_surface *surface = fixture_surface(mol, NULL);
    shoal_molecule_destroy(mol);
    return surface;
}

/* Polyethylene along x, its carbon plane upright; or chains side by side, which
 * may have charges. */
static void add_chain(set *s, int n_periodic)
{
    static const int32_t z[6] = {6, 1, 1, 6, 1, 1}, three[3] = {3, 1, 1};
    static const double charges[6] = {-0.2, 0.1, 0.1, -0.2, 0.1, 0.1};
    static const double pos[6][3] = {{0, 0, 4.42},    {0, 0.89, 5.05},    {0, -0.89, 5.05},
                                     {1.26, 0, 3.58}, {1.26, 0.89, 2.95}, {1.26, -0.89, 2.95}};
    static const double cell[3][3] = {{UNIT, 0, 0}, {0, 3 * UNIT, 0}, {0, 0, 0}};
    shoal_molecule *mol =
        periodic_molecule(6, z, pos, n_periodic > 1 ? charges : NULL, cell, n_periodic);
    (void)periodic_add(s, periodic_repeat(mol, three), "chain", 0.03);
}

static double largest_difference(const outcome *a, const outcome *b, int32_t n)
{
    double worst = 0.0;
    for (int32_t i = 0; i < n; ++i)
        for (int x = 0; x < 3; ++x) worst = fmax(worst, fabs(a->forces[i][x] - b->forces[i][x]));
    return worst;
}

static void test_device(const set *s, const char *device, shoal_surface *surface, shoal_grid *grid,
                        double bar)
{
    static outcome want, got;
    const int32_t n = s->systems[0].n_atoms;
    run_options o = {.engine = {.device = "ref", .surface = surface}};
    run_set(s, NULL, 1, &o, &want);
    CHECK(want.r.status == SHOAL_SYSTEM_OK && want.r.terms[SHOAL_TERM_SURFACE] < -0.1);
    for (int p = SHOAL_PRECISION_FLOAT; p <= SHOAL_PRECISION_DOUBLE; ++p) {
        const double least = fmax(bar, p == SHOAL_PRECISION_FLOAT ? 1e-5 : 1e-9);
        o.engine = (shoal_engine_options){
            .device = device, .precision = (shoal_precision)p, .surface = surface, .grid = grid};
        run_set(s, NULL, 1, &o, &got);
        CHECK(got.r.status == SHOAL_SYSTEM_OK);
        CHECK_NEAR(got.r.terms[SHOAL_TERM_SURFACE], want.r.terms[SHOAL_TERM_SURFACE], least);
        CHECK_NEAR(got.r.energy, want.r.energy, least * (1.0 + fabs(want.r.energy)));
        CHECK(largest_difference(&got, &want, n) <= least * want.r.fmax);
        outcomes_free(&got, 1);
    }
    outcomes_free(&want, 1);
}

/* The surface is the same under every image of an atom. */
static void test_images(set *s, shoal_surface *surface)
{
    static outcome one, spread;
    set_system *chain = &s->systems[0];
    const run_options o = {
        .engine = {.device = "cpu", .surface = surface, .terms_off = ~(1u << SHOAL_TERM_SURFACE)}};
    run_set(s, NULL, 1, &o, &one);
    for (int32_t i = 6; i < 12; ++i) chain->pos[i][0] += 5 * chain->cell[0][0];
    run_set(s, NULL, 1, &o, &spread);
    CHECK_NEAR(spread.r.energy, one.r.energy, 1e-5);
    CHECK(largest_difference(&spread, &one, chain->n_atoms) <= 1e-5 * one.r.fmax);
    outcomes_free(&spread, 1);
    outcomes_free(&one, 1);
}

/* A relaxation beside a small system leaves both of them at rest. */
static void test_relaxation(const set *s, const char *device, shoal_surface *surface,
                            shoal_grid *grid)
{
    static outcome out[2];
    const shoal_relax_options relax = {.fmax = 0.05};
    const run_options o = {.engine = {.device = device, .surface = surface, .grid = grid},
                           .relax = &relax,
                           .n_times = 1};
    run_set(s, NULL, s->n, &o, out);
    for (int32_t k = 0; k < s->n; ++k) {
        CHECK(out[k].r.status == SHOAL_SYSTEM_CONVERGED && out[k].r.fmax <= 0.0501);
        CHECK(out[k].r.energy < out[k].r.energy0);
    }
    outcomes_free(out, s->n);
}

static void run_chain(const char *device, shoal_surface *surface, outcome *out)
{
    static set s;
    const run_options o = {
        .engine = {.device = device, .precision = SHOAL_PRECISION_DOUBLE, .surface = surface}};
    add_chain(&s, 2);
    run_set(&s, NULL, 1, &o, out);
    set_free(&s);
}

/* A chain of two cells of the salt on slabs of two, three and five, which are the same surface; on
 * one with vacancies, five cells wide, it has no place. */
static void test_supercells(const char *device)
{
    static const int32_t vacancies[2] = {0, 1}; /* neighbours, Na and Cl */
    static const int32_t sizes[3] = {2, 3, 5};
    static outcome out[3], none;
    for (int k = 0; k < 3; ++k) {
        shoal_surface *surface = make_slab(sizes[k], NULL);
        run_chain(device, surface, &out[k]);
        shoal_surface_destroy(surface);
        CHECK(out[k].r.status == SHOAL_SYSTEM_OK);
        CHECK_NEAR(out[k].r.terms[SHOAL_TERM_SURFACE], out[0].r.terms[SHOAL_TERM_SURFACE], 1e-9);
        CHECK(largest_difference(&out[k], &out[0], 18) <= 1e-9);
    }
    outcomes_free(out, 3);
    shoal_surface *surface = make_slab(5, vacancies);
    run_chain(device, surface, &none);
    CHECK(none.r.status == SHOAL_SYSTEM_UNTYPED);
    shoal_surface_destroy(surface);
    outcomes_free(&none, 1);
}

/* A period that climbs is none of the surface, short as its way along the surface may be. */
static void test_tilted(shoal_surface *surface)
{
    static set s;
    outcome out;
    const run_options o = {.engine = {.device = "cpu", .surface = surface}};
    add_chain(&s, 1);
    s.systems[0].cell[0][2] = 0.01;
    run_set(&s, NULL, 1, &o, &out);
    CHECK(out.r.status == SHOAL_SYSTEM_UNTYPED);
    outcomes_free(&out, 1);
    set_free(&s);
}

static void test_chain(int n_periodic, shoal_surface *surface, shoal_grid *grid, const char *second)
{
    static set s;
    const char *const devices[2] = {"cpu", second};
    add_chain(&s, n_periodic);
    for (int k = 0; k < 2 && devices[k]; ++k) {
        test_device(&s, devices[k], surface, NULL, 0.0);
        test_device(&s, devices[k], surface, grid, 1e-3);
    }
    (void)set_add_size(&s, 5, false);
    for (int32_t i = 0; i < 5; ++i) s.systems[1].pos[i][2] += 4.0;
    for (int k = 0; k < 2 && devices[k]; ++k) test_relaxation(&s, devices[k], surface, grid);
    test_images(&s, surface);
    set_free(&s);
}

int main(void)
{
    shoal_surface *surface = make_slab(2, NULL);
    shoal_grid *grid = make_grid(surface, 0.1, false);
    const char *device = getenv("SHOAL_TEST_DEVICE");
    if (!device) device = "opencl:cpu";
    if (shoal_device_check(device) != SHOAL_OK) {
        (void)printf("%s left out: %s\n", device, shoal_error_text());
        device = NULL;
    }
    test_chain(1, surface, grid, device);
    test_chain(2, surface, grid, device);
    test_tilted(surface);
    test_supercells("ref");
    test_supercells("cpu");
    shoal_grid_destroy(grid);
    shoal_surface_destroy(surface);
    return check_done();
}
