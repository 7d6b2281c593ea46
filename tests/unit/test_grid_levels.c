/* SPDX-License-Identifier: BSD-3-Clause
 * Grids high above a surface: ions over a slab with two vacancies, whose field reaches far, on every
 * device against the direct sum; the levels of a grid, and what ends above them. */
#include "cpu_fixture.h"
#include "grid_fixture.h"
#include "surf/grid.h"

static shoal_surface *surface;
static shoal_grid *grid;

/* A cation and an anion are missing, half a cell apart. */
static shoal_surface *make_defects(shoal_surface_form form)
{
    const int32_t vacancies[2] = {0, 43};
    const shoal_slab_options slab = {
        .size = {6, 6}, .layers = 2, .charge = 0.9, .vacancies = vacancies, .n_vacancies = 2};
    const shoal_surface_options options = {.form = form};
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_slab_build(mol, &slab) == SHOAL_OK);
    shoal_surface *out = fixture_surface(mol, &options);
    shoal_molecule_destroy(mol);
    return out;
}

/* Charged molecules above the levels' seams and between them. */
static void fill(set *s)
{
    shoal_grid_view v;
    shoal_grid_get(grid, &v);
    const double heights[] = {6, v.levels[0].bottom - 0.3, v.levels[0].bottom, 14.7, 21, 22, 30,
                              45};
    for (size_t k = 0; k < sizeof heights / sizeof heights[0]; ++k) {
        set_system *sys = set_add_size(s, k % 2 ? 5 : 1, true);
        const double first = sys->pos[0][2];
        for (int32_t i = 0; i < sys->n_atoms; ++i) {
            sys->pos[i][0] += 0.4 + 17.3 * (double)k;
            sys->pos[i][1] -= 31.9 * (double)k;
            sys->pos[i][2] += heights[k] - first;
        }
    }
}

static void compare(const set *s, const outcome *a, const outcome *b, const char *name)
{
    double de = 0, df = 0, most = 0;
    for (int32_t k = 0; k < s->n; ++k) {
        CHECK(a[k].r.status == SHOAL_SYSTEM_OK && b[k].r.status == SHOAL_SYSTEM_OK);
        de = fmax(de, fabs(a[k].r.terms[SHOAL_TERM_SURFACE] - b[k].r.terms[SHOAL_TERM_SURFACE]));
        most = fmax(most, fabs(b[k].r.terms[SHOAL_TERM_SURFACE]));
        for (int32_t i = 0; i < s->systems[k].n_atoms; ++i)
            for (int c = 0; c < 3; ++c) df = fmax(df, fabs(a[k].forces[i][c] - b[k].forces[i][c]));
    }
    (void)printf("%s: max dE %.1e of %.2e eV, max dF %.1e eV/A\n", name, de, most, df);
    CHECK(de < 2e-5 && df < 2e-5 && most > 1e-3);
}

static void test_devices(const char *form)
{
    static const char *const devices[] = {"cpu", "opencl:cpu"};
    set s = {0};
    outcome direct[SET_SYSTEMS], spline[SET_SYSTEMS];
    fill(&s);
    run_options o = {.engine = {.device = "ref", .surface = surface, .terms_off = 0x3f}};
    run_set(&s, NULL, s.n, &o, direct);
    o.engine.grid = grid;
    for (int k = 0; k < 4; ++k) {
        char name[64];
        o.engine.device = devices[k / 2];
        o.engine.precision = k % 2 ? SHOAL_PRECISION_DOUBLE : SHOAL_PRECISION_FLOAT;
        if (shoal_device_check(o.engine.device) != SHOAL_OK) {
            (void)printf("%s left out: %s\n", o.engine.device, shoal_error_text());
            continue;
        }
        (void)snprintf(name, sizeof name, "%s, %s, %s", form, o.engine.device,
                       k % 2 ? "double" : "float");
        run_set(&s, NULL, s.n, &o, spline);
        compare(&s, spline, direct, name);
        outcomes_free(spline, s.n);
    }
    outcomes_free(direct, s.n);
    set_free(&s);
}

/* Alone or in lanes with others, of which some are in the finest level and some above: the same bits. */
static void test_lanes(void)
{
    set s = {0};
    outcome all[SET_SYSTEMS], alone;
    const run_options o = {.engine = {.device = "cpu", .surface = surface, .grid = grid}};
    for (int k = 0; k < 20; ++k) {
        set_system *sys = set_add_size(&s, 8, true);
        for (int32_t i = 0; i < 8; ++i) {
            sys->pos[i][0] += 0.37 * k;
            sys->pos[i][2] += 5.0 + 1.3 * k;
        }
    }
    run_set(&s, NULL, s.n, &o, all);
    for (int32_t k = 0; k < s.n; k += 3) {
        run_set(&s, &k, 1, &o, &alone);
        CHECK(outcome_same(&all[k], &alone, 8));
        outcomes_free(&alone, 1);
    }
    outcomes_free(all, s.n);
    set_free(&s);
}

/* Levels follow each other, double their heights, and end where nothing is felt; a check looks there. */
static void test_shape(void)
{
    shoal_grid_view v;
    shoal_grid_report r;
    shoal_grid_get(grid, &v);
    CHECK(v.n_levels >= 3 && v.top > v.switch_z && v.switch_z > 45);
    double below = grid_level_top(grid);
    int64_t nodes = 0;
    for (int k = 0; k < v.n_levels; ++k) {
        CHECK_NEAR(v.levels[k].bottom, below, 1e-12);
        CHECK(v.levels[k].step[2] > v.step[2]);
        below = v.levels[k].top;
        nodes += (int64_t)v.levels[k].shape[0] * v.levels[k].shape[1] * v.levels[k].shape[2];
    }
    CHECK_NEAR(v.top, below, 1e-12);
    CHECK(nodes < (int64_t)grid_count_nodes(grid) / 2);
    CHECK(shoal_grid_check(grid, 1500, 3, 2, &r, NULL) == SHOAL_OK);
    for (int b = 5; b < SHOAL_GRID_BANDS; ++b) {
        CHECK(r.bands[b].samples > 50);
        CHECK(r.bands[b].max_e < 2e-6 && r.bands[b].max_f < 1e-5);
    }
    for (double z = 5; z < v.top + 20; z *= 1.13) {
        const double at[3] = {1.7 * z, 0.3 * z, z};
        double a[SHOAL_N_CHANNELS][4], b[SHOAL_N_CHANNELS][4];
        shoal_grid_fields(grid, at, a);
        shoal_surface_fields(surface, at, b);
        for (int c = 0; c < 4; ++c) CHECK_NEAR(a[SHOAL_CHANNEL_Q][c], b[SHOAL_CHANNEL_Q][c], 2e-6);
    }
}

int main(void)
{
    static const char *const names[] = {"morse", "lj"};
    for (int form = SHOAL_SURFACE_LJ; form <= SHOAL_SURFACE_MORSE; ++form) {
        surface = make_defects((shoal_surface_form)form);
        grid = make_grid(surface, 0.2, false);
        test_devices(names[form == SHOAL_SURFACE_LJ]);
        test_shape();
        if (form == SHOAL_SURFACE_MORSE) test_lanes();
        shoal_grid_destroy(grid);
        shoal_surface_destroy(surface);
    }
    return check_done();
}
