/* SPDX-License-Identifier: BSD-3-Clause
 * What a grid says of its own errors: where its check looks, what passes, and who is told. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grid_fixture.h"
#include "surf/grid.h"

static shoal_grid *build(shoal_surface *surface, double step, int32_t samples)
{
    const shoal_grid_options options = {.step = step, .samples = samples};
    shoal_grid *grid = NULL;
    CHECK(shoal_grid_build(&grid, surface, &options) == SHOAL_OK);
    return grid;
}

/* The largest error of the force on a charged oxygen atom above a cation, down to +2 eV. */
static double worst_above(const shoal_surface *surface, const shoal_grid *grid, const double at[3])
{
    shoal_probe oxygen = shoal_grid_probe(0);
    oxygen.charge = -0.8;
    double w[SHOAL_N_CHANNELS], worst = 0;
    grid_class *class = NULL;
    shoal_surface_weights(surface, &oxygen, w);
    CHECK(grid_class_make(grid, w, 0, &class) == SHOAL_OK);
    for (double z = 3; z > 0; z -= 0.003) {
        const double r[3] = {at[0], at[1], at[2] + z};
        double f[SHOAL_N_CHANNELS][4], spline[4], direct[4] = {0}, d2 = 0;
        shoal_surface_fields(surface, r, f);
        grid_class_energy(grid, class, w[SHOAL_CHANNEL_Q], r, spline);
        for (int c = 0; c < SHOAL_N_CHANNELS; ++c)
            for (int k = 0; k < 4; ++k) direct[k] += w[c] * f[c][k];
        if (direct[0] > 2 || z < 1.2) break;
        for (int k = 1; k < 4; ++k) d2 += (spline[k] - direct[k]) * (spline[k] - direct[k]);
        worst = fmax(worst, sqrt(d2));
    }
    grid_class_destroy(class);
    return worst;
}

/* A check goes where charges take an atom: no known error is much larger than those that it found. */
static void test_reach(shoal_surface *surface)
{
    shoal_grid *grid = build(surface, 0.12, -1);
    shoal_grid_report r;
    shoal_surface_view v;
    double worst = 0;
    shoal_surface_get(surface, &v);
    for (int32_t i = 0; i < v.n_atoms; ++i)
        if (v.pos[i][2] == v.top) worst = fmax(worst, worst_above(surface, grid, v.pos[i]));
    CHECK(shoal_grid_check(grid, 4000, 1, 2, &r, NULL) == SHOAL_OK);
    (void)printf("a charged atom: %.2e eV/A, the check: %.2e, of O %.2e\n", worst, r.all.max_f,
                 r.probes[0].max_f);
    CHECK(r.probes[0].max_f > 0.8 * worst);
    shoal_grid_destroy(grid);
}

/* Every result of an engine carries what is wrong with its grid, and nothing else does. */
static void expect_warning(shoal_surface *surface, shoal_grid *grid, const char *want)
{
    const double pos[1][3] = {{0.1, 0.2, 3.1}};
    static const int32_t oxygen = 8;
    const shoal_atom_parameters numbers = {.vdw_x = 3.5, .vdw_d = 0.0026};
    shoal_topology_builder *builder = NULL;
    shoal_topology *atom = NULL;
    shoal_batch *batch = NULL;
    CHECK(shoal_topology_begin(&builder, 1, &oxygen) == SHOAL_OK);
    CHECK(shoal_topology_set_atom(builder, 0, &numbers) == SHOAL_OK);
    CHECK(shoal_topology_finish(builder, SHOAL_EXCLUDE_BONDS_AND_ANGLES, &atom) == SHOAL_OK);
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    const shoal_system system = {.topology = atom, .pos = pos};
    for (int k = 0; k < 3; ++k) CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    for (int off = 0; off < 2; ++off) {
        const shoal_engine_options o = {.device = "cpu",
                                        .surface = surface,
                                        .grid = grid,
                                        .terms_off = off ? 1U << SHOAL_TERM_SURFACE : 0};
        shoal_engine *engine = NULL;
        CHECK(shoal_engine_create(&engine, batch, &o) == SHOAL_OK);
        for (int relax = 0; relax < 2; ++relax) {
            CHECK((relax ? shoal_engine_relax(engine, NULL, NULL, NULL)
                         : shoal_engine_eval(engine)) == SHOAL_OK);
            for (int k = 0; k < 3; ++k) {
                shoal_result r;
                CHECK(shoal_engine_result(engine, k, &r) == SHOAL_OK);
                CHECK(off || !*want ? !r.warning[0] : strstr(r.warning, want) != NULL);
            }
        }
        shoal_engine_destroy(engine);
    }
    shoal_batch_destroy(batch);
    shoal_topology_destroy(atom);
}

static void test_verdict(shoal_surface *surface)
{
    char why[160] = "";
    shoal_grid *good = build(surface, 0, 0), *bad = build(surface, 0.2, 0);
    shoal_grid *unknown = build(surface, 0.2, -1), *again = NULL;
    CHECK(shoal_grid_passes(good, why, sizeof why) && !why[0]);
    CHECK(shoal_grid_passes(NULL, NULL, 0));
    CHECK(!shoal_grid_passes(bad, why, sizeof why) && strstr(why, "failed its check"));
    CHECK(!shoal_grid_passes(unknown, why, sizeof why) && strstr(why, "never measured"));
    expect_warning(surface, NULL, "");
    expect_warning(surface, good, "");
    expect_warning(surface, bad, "the grid failed its check: errors of up to ");
    expect_warning(surface, unknown, "the errors of the grid were never measured");
    /* Energies and forces are limited each. */
    bad->view.errors = (shoal_grid_errors){.samples = 10, .max_e = 9e-4, .max_f = 4.9e-3};
    CHECK(shoal_grid_passes(bad, NULL, 0));
    bad->view.errors.max_e = 1.1e-3;
    CHECK(!shoal_grid_passes(bad, NULL, 0));
    bad->view.errors.max_e = 1e-5;
    bad->view.errors.max_f = 5.1e-3;
    CHECK(!shoal_grid_passes(bad, NULL, 0));
    /* The file knows it, too. */
    char path[] = "verdict-XXXXXX";
    const int file = mkstemp(path);
    CHECK(file >= 0 && close(file) == 0);
    if (shoal_grid_write(bad, path) == SHOAL_OK) {
        CHECK(shoal_grid_read(&again, path, surface) == SHOAL_OK);
        CHECK(!shoal_grid_passes(again, why, sizeof why) && strstr(why, "0.0051 eV/A"));
    }
    (void)remove(path);
    shoal_grid_destroy(good);
    shoal_grid_destroy(bad);
    shoal_grid_destroy(unknown);
    shoal_grid_destroy(again);
}

int main(void)
{
    const shoal_surface_options lj = {.form = SHOAL_SURFACE_LJ};
    shoal_molecule *mol = fixture_salt(1, 2, 0.9);
    shoal_surface *surface = fixture_surface(mol, &lj);
    shoal_molecule *charged = fixture_salt(1, 2, 3.0); /* draws the atom deep into the wall */
    shoal_surface *strong = fixture_surface(charged, &lj);
    test_reach(strong);
    test_verdict(surface);
    shoal_surface_destroy(surface);
    shoal_surface_destroy(strong);
    shoal_molecule_destroy(mol);
    shoal_molecule_destroy(charged);
    return check_done();
}
