/* SPDX-License-Identifier: BSD-3-Clause
 * Grids of surfaces: the numerics they are made of, and their fields against direct sums. */
#include <stdlib.h>

#include "geom/fft.h"
#include "grid_fixture.h"
#include "surf/grid.h"
#include "surf/grid_bessel.h"
#include "surf/grid_spline.h"
#include "surf/surface.h"

#include "constants.h"

static void test_bessel(void)
{
    /* Abramowitz and Stegun, tables 9.8 and 9.9: K_1(1) and K_2(0.1), K_2(5). */
    CHECK_NEAR(grid_bessel(1, 1.0), 0.6019072302, 1e-10);
    CHECK_NEAR(grid_bessel(2, 0.1), 0.01 * 199.503965, 1e-8);
    CHECK_NEAR(grid_bessel(2, 5.0), 25 * 0.0053089437, 1e-9);
    CHECK_NEAR(grid_bessel(5, 0.0), 384.0, 1e-12);
    for (double x = 1.999; x < 2.01; x += 0.002) /* both sides of the seam */
        CHECK_NEAR(grid_bessel(2, x) - grid_bessel(2, x - 1e-6), -1e-6 * x * grid_bessel(1, x),
                   1e-11);
}

static void test_fft(void)
{
    CHECK(fft_size(7) == 8 && fft_size(121) == 125 && fft_size(1) == 1);
    enum { A = 18, B = 50 }; /* all radices */
    double *x = calloc(2 * A * B, sizeof *x), *work = calloc(2 * A * B, sizeof *work);
    double *from = calloc(2 * A * B, sizeof *from), worst = 0;
    for (int i = 0; i < 2 * A * B; ++i) x[i] = from[i] = sin(1.7 * i) + cos(0.3 * i * i);
    CHECK(fft_plane(x, work, A, B) == SHOAL_OK);
    for (int j = 0; j < A; j += 5)
        for (int k = 0; k < B; k += 7) {
            double sum[2] = {0, 0};
            for (int m = 0; m < A * B; ++m) {
                const double t = TWO_PI * (j * (m / B) / (double)A + k * (m % B) / (double)B);
                sum[0] += from[2 * m] * cos(t) - from[2 * m + 1] * sin(t);
                sum[1] += from[2 * m] * sin(t) + from[2 * m + 1] * cos(t);
            }
            worst = fmax(worst, fabs(sum[0] - x[2 * (j * B + k)]));
            worst = fmax(worst, fabs(sum[1] - x[2 * (j * B + k) + 1]));
        }
    CHECK_NEAR(worst, 0.0, 1e-10);
    free(x);
    free(work);
    free(from);
}

/* Coefficients give the values back; a cubic is met exactly with open ends. */
static void test_spline(void)
{
    for (int n = 1; n <= 40; n += 13) {
        double f[41], c[41], worst = 0;
        for (int i = 0; i < n; ++i) f[i] = c[i] = sin(3.0 * i * i + 1);
        grid_spline_cyclic(c, n, 1);
        for (int i = 0; i < n; ++i)
            worst = fmax(worst, fabs((c[(i + n - 1) % n] + 4 * c[i] + c[(i + 1) % n]) / 6 - f[i]));
        CHECK_NEAR(worst, 0.0, 1e-13);
    }
    enum { N = 20 };
    double f[N], c[N], first, last, work[N];
    for (int i = 0; i < N; ++i) f[i] = c[i] = 1 + 0.5 * i - 0.02 * i * i + 0.003 * i * i * i;
    grid_spline_open(c, N, 1, &first, &last, work);
    CHECK_NEAR((first + 4 * c[0] + c[1]) / 6, f[0], 1e-12);
    CHECK_NEAR((c[N - 2] + 4 * c[N - 1] + last) / 6, f[N - 1], 1e-11);
    CHECK_NEAR((c[1] - first) / 2, 0.5, 1e-12); /* slope at the end */
    CHECK_NEAR(first - 4 * c[0] + 6 * c[1] - 4 * c[2] + c[3], 0.0, 1e-12);
}

/* Bars of accuracy at 0.1 A, and errors that fall with the fourth power of the step. */
static void test_accuracy(void)
{
    shoal_surface *surface = make_salt(2);
    shoal_grid *fine = make_grid(surface, 0.1, false), *coarse = make_grid(surface, 0.2, false);
    shoal_grid_report r, twice;
    CHECK(shoal_grid_check(fine, 3000, 1, 2, &r, NULL) == SHOAL_OK);
    CHECK(shoal_grid_check(coarse, 3000, 1, 2, &twice, NULL) == SHOAL_OK);
    for (int p = 0; p < SHOAL_GRID_PROBES; ++p) {
        CHECK(r.probes[p].samples == 750);
        CHECK(r.probes[p].max_e <= 1e-4 && r.probes[p].max_f <= 1e-3); /* bars: 1e-3 and 5e-3 */
        (void)printf("%s: max dE %.2e eV, max dF %.2e eV/A\n", shoal_grid_probe_name(p),
                     r.probes[p].max_e, r.probes[p].max_f);
    }
    const double ratio_e = twice.all.rms_e / r.all.rms_e, ratio_f = twice.all.rms_f / r.all.rms_f;
    (void)printf("errors at 0.2 A over those at 0.1 A: %.1f (energy), %.1f (force)\n", ratio_e,
                 ratio_f);
    CHECK(ratio_e > 12 && ratio_e < 20);
    CHECK(ratio_f > 6 && ratio_f < 12);
    shoal_grid_destroy(fine);
    shoal_grid_destroy(coarse);
    shoal_surface_destroy(surface);
}

static shoal_surface *make_surface(const shoal_slab_options *slab,
                                   const shoal_surface_options *options)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_slab_build(mol, slab) == SHOAL_OK);
    shoal_surface *surface = fixture_surface(mol, options);
    shoal_molecule_destroy(mol);
    return surface;
}

static void check_bars(const char *name, shoal_surface *surface, shoal_grid *grid, double bar_e,
                       double bar_f)
{
    shoal_grid_report r;
    CHECK(shoal_grid_check(grid, 400, 2, 2, &r, NULL) == SHOAL_OK);
    (void)printf("%s: max dE %.2e eV, max dF %.2e eV/A\n", name, r.all.max_e, r.all.max_f);
    CHECK(r.all.max_e <= bar_e && r.all.max_f <= bar_f);
    shoal_grid_destroy(grid);
    shoal_surface_destroy(surface);
}

/* A cell that is not rectangular, and a dipole: the potential far above is a constant. */
static void test_oblique(void)
{
    shoal_molecule *mol = fixture_oblique();
    const shoal_surface_options options = {.form = SHOAL_SURFACE_MORSE};
    shoal_surface *surface = fixture_surface(mol, &options);
    shoal_grid *grid = make_grid(surface, 0.1, false);
    shoal_grid_view v;
    double direct[SHOAL_N_CHANNELS][4];
    const double high[3] = {0.5, 0.5, 60};
    shoal_grid_get(grid, &v);
    shoal_surface_fields(surface, high, direct);
    CHECK(fabs(v.limit[SHOAL_CHANNEL_Q]) > 0.1);
    CHECK_NEAR(v.limit[SHOAL_CHANNEL_Q], direct[SHOAL_CHANNEL_Q][0], 1e-9);
    check_bars("oblique", surface, grid, 1e-4, 1e-3);
    shoal_molecule_destroy(mol);
}

/* Every form, damping and shape of cell meets the direct sum. */
static void test_forms(void)
{
    const struct {
        const char *name;
        shoal_slab_options slab;
        shoal_surface_options surface;
        double step, bar_e, bar_f;
        bool whole_cell;
    } cases[] = {
        {"lj", {.size = {1, 2}, .charge = 0.9}, {.form = SHOAL_SURFACE_LJ}, 0.06, 1e-3, 5e-3, true},
        {"damped",
         {.size = {1, 1}, .charge = 0.9},
         {.form = SHOAL_SURFACE_MORSE, .damping = 1.0},
         0.1,
         1e-4,
         1e-3,
         false},
        {"weakly damped",
         {.size = {1, 1}, .charge = 0.9},
         {.form = SHOAL_SURFACE_MORSE, .damping = 0.3},
         0.1,
         1e-4,
         1e-3,
         false},
        {"graphene",
         {.kind = SHOAL_SLAB_GRAPHENE, .size = {2, 1}},
         {.form = SHOAL_SURFACE_MORSE, .alpha = 1.7},
         0.1,
         1e-4,
         1e-3,
         true},
        {"metal",
         {.kind = SHOAL_SLAB_FCC111, .size = {2, 2}},
         {.form = SHOAL_SURFACE_MORSE},
         0.1,
         1e-4,
         1e-3,
         false},
        {"step",
         {.size = {2, 2}, .layers = 2, .charge = 0.9, .step = 1},
         {.form = SHOAL_SURFACE_MORSE},
         0.1,
         1e-4,
         1e-3,
         false},
        /* Atoms stand beside those of the upper terrace, at their height. */
        {"step, hardly damped",
         {.size = {1, 4}, .layers = 2, .charge = 0.9, .step = 2},
         {.form = SHOAL_SURFACE_MORSE, .damping = 0.03},
         0.1,
         1e-4,
         1e-3,
         false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        shoal_surface *surface = make_surface(&cases[k].slab, &cases[k].surface);
        shoal_grid *grid = make_grid(surface, cases[k].step, cases[k].whole_cell);
        check_bars(cases[k].name, surface, grid, cases[k].bar_e, cases[k].bar_f);
    }
}

/* A check tells the errors of hydrogen bonds, and does not overlook what is no number. */
static void test_check(void)
{
    static const char text[] = "Na * Na E 1 0 0 0 1.0 1.4915 0.0013 0.9 0.3\n"
                               "Cl * Cl E 1 0 0 0 1.0 1.9735 0.0098 -0.9 -0.5\n";
    shoal_atom_types *types = NULL;
    CHECK(shoal_atom_types_read_memory(&types, text, sizeof text - 1, "text") == SHOAL_OK);
    const shoal_slab_options slab = {.size = {1, 1}, .layers = 1};
    const shoal_surface_options options = {.form = SHOAL_SURFACE_MORSE, .types = types};
    shoal_surface *surface = make_surface(&slab, &options);
    shoal_grid *grid = make_grid(surface, 0.2, false);
    shoal_grid_report r;
    CHECK(shoal_grid_check(grid, 400, 1, 2, &r, NULL) == SHOAL_OK);
    CHECK(r.channels[SHOAL_CHANNEL_P].max_e > 0 && r.channels[SHOAL_CHANNEL_DONOR].max_e > 0 &&
          r.channels[SHOAL_CHANNEL_ACCEPTOR].max_e > 0);
    CHECK(r.channels[SHOAL_CHANNEL_ACCEPTOR].max_e < r.channels[SHOAL_CHANNEL_P].max_e);
    for (size_t k = 0; k < grid_count_coefficients(grid); ++k)
        grid->channel[SHOAL_CHANNEL_Q][k] = NAN;
    CHECK(shoal_grid_check(grid, 400, 1, 2, &r, NULL) == SHOAL_OK);
    CHECK(isnan(r.all.max_e) && isnan(r.all.max_f));
    shoal_grid_destroy(grid);
    shoal_surface_destroy(surface);
    shoal_atom_types_destroy(types);
}

/* The small period of a supercell is found, and gives what the whole cell gives. */
static void test_period(void)
{
    shoal_surface *surface = make_salt(2);
    shoal_grid *small = make_grid(surface, 0.15, false), *whole = make_grid(surface, 0.15, true);
    shoal_grid_view v, w;
    shoal_grid_get(small, &v);
    shoal_grid_get(whole, &w);
    CHECK(v.cells == 4 && w.cells == 1);
    /* Above the switch, over 3 angstrom or 8 nodes, there are four nodes of nothing. */
    const double last = v.n_levels > 0 ? v.levels[v.n_levels - 1].step[2] : v.step[2];
    CHECK(v.top >= v.switch_z + fmax(3.0, 8 * last) + 4 * last - 1e-9);
    CHECK_NEAR(fabs(v.cell[0][0] * v.cell[1][1] - v.cell[0][1] * v.cell[1][0]),
               surface->view.area / 4, 1e-9);
    for (int k = 0; k < 50; ++k) {
        const double r[3] = {0.37 * k - 8, 5 - 0.71 * k, 1.5 + 0.1 * k};
        double a[SHOAL_N_CHANNELS][4], b[SHOAL_N_CHANNELS][4];
        shoal_grid_fields(small, r, a);
        shoal_grid_fields(whole, r, b);
        for (int c = 0; c < 3; ++c) CHECK_NEAR(a[c][0], b[c][0], 1e-4 * fabs(b[c][0]) + 1e-7);
    }
    shoal_grid_destroy(small);
    shoal_grid_destroy(whole);
    shoal_surface_destroy(surface);
    /* Atoms may be listed in any image of the cell. */
    shoal_molecule *mol = fixture_salt(2, 3, 0.9);
    for (int32_t i = 1; i < shoal_molecule_n_atoms(mol); i += 2) {
        const double *r = shoal_molecule_positions(mol)[i];
        const double to[3] = {r[0] + 5 * v.cell[0][0] * 2, r[1] - 7 * v.cell[1][1] * 2, r[2]};
        CHECK(shoal_molecule_set_position(mol, i, to) == SHOAL_OK);
    }
    surface = fixture_surface(mol, NULL);
    small = make_grid(surface, 0.4, false);
    shoal_grid_get(small, &v);
    CHECK(v.cells == 4);
    shoal_grid_destroy(small);
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(mol);
    /* A vacancy in the cell leaves no smaller period. */
    const int32_t vacancies[2] = {0, 1};
    const shoal_slab_options slab = {
        .size = {2, 2}, .charge = 0.9, .vacancies = vacancies, .n_vacancies = 2};
    surface = make_surface(&slab, NULL);
    small = make_grid(surface, 0.4, false);
    shoal_grid_get(small, &v);
    CHECK(v.cells == 1);
    shoal_grid_destroy(small);
    shoal_surface_destroy(surface);
}

/* No jump at the bottom, between levels, where fields begin to be switched off or at the top; slopes
 * are those of the values. */
static void test_ends(void)
{
    shoal_surface *surface = make_salt(1);
    shoal_grid *grid = make_grid(surface, 0.1, false);
    shoal_grid_view v;
    shoal_grid_get(grid, &v);
    const double top = v.top, seam = v.levels[0].bottom, h = 1e-5;
    const double heights[] = {v.origin[2] - 2,    v.origin[2] - 1e-7, v.origin[2],
                              v.origin[2] + 1e-7, seam - 1e-7,        seam,
                              seam + 1e-7,        v.switch_z,         v.switch_z + 1.4,
                              top - 1e-7,         top + 1e-7,         top + 5};
    for (size_t k = 0; k < sizeof heights / sizeof heights[0]; ++k)
        for (int x = 0; x < 3; ++x) {
            double r[3] = {0.3, 1.1, heights[k]}, at[SHOAL_N_CHANNELS][4];
            double up[SHOAL_N_CHANNELS][4], down[SHOAL_N_CHANNELS][4];
            shoal_grid_fields(grid, r, at);
            r[x] += h;
            shoal_grid_fields(grid, r, up);
            r[x] -= 2 * h;
            shoal_grid_fields(grid, r, down);
            for (int c = 0; c < 3; ++c)
                CHECK_NEAR(at[c][1 + x], (up[c][0] - down[c][0]) / (2 * h),
                           1e-4 * (1 + fabs(at[c][1 + x])));
        }
    double far[SHOAL_N_CHANNELS][4];
    const double above[3] = {1, 2, top + 30};
    shoal_grid_fields(grid, above, far);
    for (int c = 0; c < 3; ++c) CHECK_NEAR(far[c][0], v.limit[c], 0);
    const double pos[2][3] = {{0, 0, 3}, {0, 0, v.origin[2] - 0.1}};
    CHECK(grid_find_outside(grid, pos, 1) == -1 && grid_find_outside(grid, pos, 2) == 1);
    shoal_grid_destroy(grid);
    shoal_surface_destroy(surface);
}

static bool stop_at_once(void *user, double done)
{
    *(double *)user = done;
    return false;
}

/* Threads do not change a bit; the monitor can stop a build; nonsense is refused. */
static void test_build(void)
{
    shoal_surface *surface = make_salt(1);
    shoal_grid *grids[2] = {NULL, NULL}, *none = NULL;
    for (int k = 0; k < 2; ++k) {
        const shoal_grid_options options = {.step = 0.2, .n_threads = 1 + 2 * k, .samples = -1};
        CHECK(shoal_grid_build(&grids[k], surface, &options) == SHOAL_OK);
    }
    for (int c = 0; c < 3; ++c)
        CHECK(memcmp(grids[0]->channel[c], grids[1]->channel[c],
                     grid_count_coefficients(grids[0]) * sizeof(float)) == 0);
    CHECK(!grids[0]->channel[SHOAL_CHANNEL_ACCEPTOR] && !grids[0]->channel[SHOAL_CHANNEL_DONOR]);
    shoal_grid_destroy(grids[0]);
    shoal_grid_destroy(grids[1]);
    double done = -1;
    shoal_grid_options options = {.step = 0.2, .monitor = stop_at_once, .user = &done};
    CHECK(shoal_grid_build(&none, surface, &options) != SHOAL_OK && !none);
    CHECK(done > 0 && done < 1);
    options = (shoal_grid_options){.step = 1e-9};
    CHECK(shoal_grid_build(&none, surface, &options) == SHOAL_E_ARGUMENT);
    CHECK(strstr(shoal_error_text(), "step") != NULL);
    shoal_surface_destroy(surface);
}

/* A device gives what the processor gives, for both forms. */
static void test_device(void)
{
    if (shoal_device_check("opencl:cpu") != SHOAL_OK) {
        (void)printf("opencl left out: %s\n", shoal_error_text());
        return;
    }
    for (int form = SHOAL_SURFACE_LJ; form <= SHOAL_SURFACE_MORSE; ++form) {
        const shoal_surface_options options = {.form = (shoal_surface_form)form};
        shoal_molecule *mol = fixture_oblique();
        shoal_surface *surface = fixture_surface(mol, &options);
        shoal_grid_options build = {.step = 0.25, .samples = -1};
        shoal_grid *grids[2] = {NULL, NULL};
        CHECK(shoal_grid_build(&grids[0], surface, &build) == SHOAL_OK);
        build.device = "opencl:cpu";
        CHECK(shoal_grid_build(&grids[1], surface, &build) == SHOAL_OK);
        for (int c = 0; c < SHOAL_CHANNEL_Q && grids[0] && grids[1]; ++c)
            for (size_t i = 0; i < grid_count_coefficients(grids[0]); ++i) {
                const double a = (double)grids[0]->channel[c][i];
                const double d = fabs(a - (double)grids[1]->channel[c][i]);
                if (!(d <= 1e-6 * fabs(a) + 1e-9))
                    CHECK_NEAR((double)grids[1]->channel[c][i], a, 0);
            }
        shoal_grid_destroy(grids[0]);
        shoal_grid_destroy(grids[1]);
        shoal_surface_destroy(surface);
        shoal_molecule_destroy(mol);
    }
    shoal_surface *surface = make_salt(1);
    shoal_grid *none = NULL;
    const shoal_grid_options build = {.device = "abacus"};
    CHECK(shoal_grid_build(&none, surface, &build) == SHOAL_E_DEVICE && !none);
    shoal_surface_destroy(surface);
}

int main(void)
{
    test_bessel();
    test_fft();
    test_spline();
    test_accuracy();
    test_forms();
    test_oblique();
    test_check();
    test_period();
    test_ends();
    test_build();
    test_device();
    return check_done();
}
