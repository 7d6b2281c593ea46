/* SPDX-License-Identifier: BSD-3-Clause
 * Periodic systems on surfaces: a chain whose period is a lattice vector of the slab is the same on ref
 * and cpu, with direct sums and with a grid; opencl refuses it, and no other system suffers. */
#include "grid_fixture.h"
#include "periodic_fixture.h"

#define UNIT 2.52 /* angstrom, of polyethylene; three of them are two cells of the salt */

static shoal_surface *make_slab(void)
{
    const shoal_slab_options o = {
        .a = 1.5 * UNIT * sqrt(2.0), .size = {2, 2}, .layers = 2, .charge = 0.5};
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

static void test_cpu(const set *s, shoal_surface *surface, shoal_grid *grid, double bar)
{
    static outcome want, got;
    const int32_t n = s->systems[0].n_atoms;
    run_options o = {.engine = {.device = "ref", .surface = surface}};
    run_set(s, NULL, 1, &o, &want);
    CHECK(want.r.status == SHOAL_SYSTEM_OK && want.r.terms[SHOAL_TERM_SURFACE] < -0.1);
    for (int p = SHOAL_PRECISION_FLOAT; p <= SHOAL_PRECISION_DOUBLE; ++p) {
        const double least = fmax(bar, p == SHOAL_PRECISION_FLOAT ? 1e-5 : 1e-9);
        o.engine = (shoal_engine_options){
            .device = "cpu", .precision = (shoal_precision)p, .surface = surface, .grid = grid};
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

static void test_refused(const set *s, shoal_surface *surface, shoal_grid *grid, const char *device)
{
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    shoal_result r;
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int32_t k = 0; k < s->n; ++k) {
        const set_system *sys = &s->systems[k];
        const shoal_system system = {.topology = sys->topology,
                                     .pos = (const double(*)[3])sys->pos,
                                     .cell = (const double(*)[3])sys->cell};
        CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    }
    const shoal_engine_options o = {.device = device, .surface = surface, .grid = grid};
    CHECK(shoal_engine_create(&engine, batch, &o) == SHOAL_OK);
    for (int what = 0; what < 2; ++what) {
        if (what == 0) CHECK(shoal_engine_eval(engine) == SHOAL_OK);
        if (what == 1) CHECK(shoal_engine_relax(engine, NULL, NULL, NULL) == SHOAL_OK);
        CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
        CHECK(r.status == SHOAL_SYSTEM_UNTYPED && isnan(r.energy));
        CHECK_TEXT(r.reason, "on a surface, large and periodic systems run on cpu and ref only");
        if (s->n == 1) continue;
        CHECK(shoal_engine_result(engine, 1, &r) == SHOAL_OK);
        CHECK(r.status == (what == 0 ? SHOAL_SYSTEM_OK : SHOAL_SYSTEM_CONVERGED));
    }
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
}

static void test_chain(int n_periodic, shoal_surface *surface, shoal_grid *grid, const char *device)
{
    static set s;
    add_chain(&s, n_periodic);
    test_cpu(&s, surface, NULL, 0.0);
    test_cpu(&s, surface, grid, 1e-3);
    test_images(&s, surface);
    if (device) test_refused(&s, surface, grid, device); /* nothing is left to run */
    (void)set_add_size(&s, 5, false);
    for (int32_t i = 0; i < 5; ++i) s.systems[1].pos[i][2] += 4.0;
    if (device) test_refused(&s, surface, NULL, device);
    set_free(&s);
}

int main(void)
{
    shoal_surface *surface = make_slab();
    shoal_grid *grid = make_grid(surface, 0.1, false);
    const char *device = getenv("SHOAL_TEST_DEVICE");
    if (!device) device = "opencl:cpu";
    if (shoal_device_check(device) != SHOAL_OK) {
        (void)printf("%s left out: %s\n", device, shoal_error_text());
        device = NULL;
    }
    test_chain(1, surface, grid, device);
    test_chain(2, surface, grid, device);
    shoal_grid_destroy(grid);
    shoal_surface_destroy(surface);
    return check_done();
}
