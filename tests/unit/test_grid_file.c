/* SPDX-License-Identifier: BSD-3-Clause
 * Grid files: what is written is read, what is cut, changed, foreign or stale is refused; exports. */
#include <stdlib.h>
#include <unistd.h>

#include "grid_fixture.h"
#include "surf/grid.h"
#include "surf/grid_build.h"
#include "surf/surface.h"

static char folder[256];

static const char *path_of(const char *name)
{
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static char *read_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    *size = 0;
    if (!file) return NULL;
    (void)fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    bytes = malloc(*size + 1);
    if (fread(bytes, 1, *size, file) != *size) *size = 0;
    (void)fclose(file);
    return bytes;
}

static void write_bytes(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, size, file) == size);
    if (file) (void)fclose(file);
}

static void check_refused(const char *name, const shoal_surface *surface, shoal_status status,
                          const char *reason)
{
    shoal_grid *grid = (shoal_grid *)(void *)folder;
    CHECK(shoal_grid_read(&grid, path_of(name), surface) == status && !grid);
    CHECK(strstr(shoal_error_text(), reason) != NULL);
    if (!strstr(shoal_error_text(), reason)) (void)printf("%s: %s\n", name, shoal_error_text());
    CHECK(strstr(shoal_error_text(), name) != NULL);
}

static void test_round_trip(shoal_grid *grid, shoal_surface *surface)
{
    shoal_grid *again = NULL;
    CHECK(shoal_grid_write(grid, path_of("a.h5")) == SHOAL_OK);
    CHECK(access(path_of("a.h5.part"), F_OK) != 0);
    CHECK(shoal_grid_read(&again, path_of("a.h5"), surface) == SHOAL_OK);
    if (!again) return;
    CHECK(memcmp(again->view.shape, grid->view.shape, sizeof grid->view.shape) == 0);
    CHECK(grid->view.n_levels > 0 && again->view.n_levels == grid->view.n_levels);
    CHECK(again->view.top == grid->view.top && again->view.bytes == grid->view.bytes);
    for (double z = 2; z < grid->view.top + 5; z *= 1.3) {
        const double at[3] = {0.4, 0.7, z};
        double f[SHOAL_N_CHANNELS][4], g[SHOAL_N_CHANNELS][4];
        shoal_grid_fields(grid, at, f);
        shoal_grid_fields(again, at, g);
        CHECK(memcmp(f, g, sizeof f) == 0);
    }
    CHECK(memcmp(&again->view.errors, &grid->view.errors, sizeof grid->view.errors) == 0);
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) {
        CHECK((again->channel[c] != NULL) == (grid->channel[c] != NULL));
        if (grid->channel[c])
            CHECK(memcmp(again->channel[c], grid->channel[c],
                         grid_count_coefficients(grid) * sizeof(float)) == 0);
    }
    shoal_grid_destroy(again);
    /* Without a surface it brings its own, which gives the same fields. */
    CHECK(shoal_grid_read(&again, path_of("a.h5"), NULL) == SHOAL_OK);
    const double r[3] = {0.4, 0.7, 2.1};
    double a[SHOAL_N_CHANNELS][4], b[SHOAL_N_CHANNELS][4];
    shoal_surface_fields(surface, r, a);
    shoal_surface_fields(again->surface, r, b);
    CHECK(memcmp(a, b, sizeof a) == 0);
    shoal_grid_destroy(again);
}

/* A substrate that is not the one that was written is told by its hash before anything is made of it. */
static void test_other_numbers(shoal_grid *grid)
{
    const double alpha = grid->surface->view.alpha;
    grid->surface->view.alpha = -1.0;
    CHECK(shoal_grid_write(grid, path_of("alpha.h5")) == SHOAL_OK);
    grid->surface->view.alpha = alpha;
    check_refused("alpha.h5", NULL, SHOAL_E_FORMAT, "its substrate does not have its hash");
}

static void test_refusals(shoal_grid *grid)
{
    size_t size;
    char *bytes = read_bytes(path_of("a.h5"), &size);
    CHECK(bytes && size > 1000);
    if (!bytes) return;
    write_bytes(path_of("half.h5"), bytes, size / 2);
    check_refused("half.h5", NULL, SHOAL_E_FORMAT, "cut short");
    write_bytes(path_of("start.h5"), bytes, 16);
    check_refused("start.h5", NULL, SHOAL_E_FORMAT, "HDF5");
    const size_t middle = size / 2;
    bytes[middle] = (char)(bytes[middle] ^ 0x10);
    write_bytes(path_of("changed.h5"), bytes, size);
    check_refused("changed.h5", NULL, SHOAL_E_FORMAT, "checksum");
    write_bytes(path_of("text.h5"), "4\nnot a grid\n", 13);
    check_refused("text.h5", NULL, SHOAL_E_FORMAT, "not an HDF5 file");
    check_refused("none.h5", NULL, SHOAL_E_IO, "cannot be opened");
    free(bytes);
    shoal_molecule *mol = fixture_salt(1, 3, 0.8);
    shoal_surface *other = fixture_surface(mol, NULL);
    check_refused("a.h5", other, SHOAL_E_FORMAT, "another surface or of other parameters");
    shoal_surface_destroy(other);
    shoal_molecule_destroy(mol);
    CHECK(shoal_grid_write(grid, path_of("no/such/folder.h5")) == SHOAL_E_IO);
}

static void test_exports(const shoal_grid *grid)
{
    const shoal_grid_view *v = &grid->view;
    double weights[SHOAL_N_CHANNELS] = {0}, direct[SHOAL_N_CHANNELS][4];
    size_t size;
    weights[SHOAL_CHANNEL_Q] = 1;
    CHECK(shoal_grid_export(grid, path_of("v.npy"), weights) == SHOAL_OK);
    char *bytes = read_bytes(path_of("v.npy"), &size);
    const size_t nodes = grid_count_nodes(grid), header = size - 8 * nodes;
    CHECK(bytes && header % 64 == 0 && header < 256);
    CHECK(bytes && memcmp(bytes, "\x93NUMPY", 6) == 0 && bytes[header - 1] == '\n');
    /* A node 2.5 A up: the value of the field itself. */
    const size_t a = 3, b = 5, z = 30;
    const double r[3] = {3 * v->cell[0][0] / v->shape[0] + 5 * v->cell[1][0] / v->shape[1],
                         3 * v->cell[0][1] / v->shape[0] + 5 * v->cell[1][1] / v->shape[1],
                         v->origin[2] + 30 * v->step[2]};
    double value = NAN;
    if (bytes)
        memcpy(&value,
               bytes + header + 8 * ((a * (size_t)v->shape[1] + b) * (size_t)v->shape[2] + z),
               sizeof value);
    shoal_surface_fields(grid->surface, r, direct);
    CHECK_NEAR(value, direct[SHOAL_CHANNEL_Q][0], 1e-5);
    free(bytes);
    CHECK(shoal_grid_export(grid, path_of("v.cube"), weights) == SHOAL_OK);
    CHECK(shoal_grid_export(grid, path_of("v.xsf"), weights) == SHOAL_OK);
    bytes = read_bytes(path_of("v.xsf"), &size);
    if (bytes) bytes[size] = '\0';
    CHECK(bytes && strstr(bytes, "BEGIN_DATAGRID_3D_field\n") && strstr(bytes, "END_BLOCK"));
    free(bytes);
    CHECK(shoal_grid_export(grid, path_of("v.txt"), weights) == SHOAL_E_ARGUMENT);
    CHECK(strstr(shoal_error_text(), ".cube, .xsf or .npy") != NULL);
}

/* What a check says follows from its samples; points begin at contact, two thirds of them within 2 angstrom of it. */
static void test_check(const shoal_grid *grid)
{
    enum { N = 500 };
    static shoal_grid_sample samples[N];
    shoal_grid_report r;
    double e2 = 0, f2 = 0, max_e = 0, max_f = 0, low = INFINITY, high = 0;
    double of_probes = 0, of_bands = 0;
    int64_t n_probes = 0, n_bands = 0;
    int32_t n_near = 0;
    CHECK(shoal_grid_check(grid, N, 3, 2, &r, samples) == SHOAL_OK);
    for (int k = 0; k < N; ++k) {
        e2 += samples[k].de * samples[k].de / N;
        f2 += samples[k].df * samples[k].df / N;
        max_e = fmax(max_e, samples[k].de);
        max_f = fmax(max_f, samples[k].df);
        low = fmin(low, samples[k].height);
        high = fmax(high, samples[k].height);
        n_near += samples[k].height < 2;
    }
    CHECK(r.all.samples == N && r.all.max_e == max_e && r.all.max_f == max_f);
    CHECK_NEAR(r.all.rms_e / sqrt(e2), 1, 1e-9);
    CHECK_NEAR(r.all.rms_f / sqrt(f2), 1, 1e-9);
    CHECK(low >= 0 && low < 0.05 && high > 10 && n_near > 285 && n_near < 380);
    for (int p = 0; p < SHOAL_GRID_PROBES; ++p) {
        n_probes += r.probes[p].samples;
        of_probes += (double)r.probes[p].samples * r.probes[p].rms_e * r.probes[p].rms_e;
    }
    for (int b = 0; b < SHOAL_GRID_BANDS; ++b) {
        n_bands += r.bands[b].samples;
        of_bands += (double)r.bands[b].samples * r.bands[b].rms_e * r.bands[b].rms_e;
        CHECK(b == 0 || r.bands[b].max_e <= r.bands[0].max_e);
    }
    CHECK(n_probes == N && n_bands == N);
    CHECK_NEAR(of_bands / of_probes, 1, 1e-9);
    CHECK(r.bands[0].samples > 100 && r.bands[SHOAL_GRID_BANDS - 1].samples < n_bands / 4);
}

/* What a grid would cost: nodes and bytes are near those that it has, and a larger cell of the same crystal costs nothing
 * more, be it by grid or by direct sums. */
static void test_estimate(const shoal_grid *grid, const shoal_surface *surface)
{
    const shoal_grid_options options = {.step = 0.1};
    shoal_grid_view v;
    shoal_grid_plan small, large;
    shoal_surface *twice = make_salt(2);
    shoal_grid_get(grid, &v);
    CHECK(shoal_grid_estimate(&small, surface, &options) == SHOAL_OK);
    CHECK(shoal_grid_estimate(&large, twice, &options) == SHOAL_OK);
    CHECK_NEAR((double)small.bytes / (double)v.bytes, 1.2, 0.1); /* never less */
    CHECK_NEAR((double)small.bytes, 4.0 * 3 * (double)small.nodes,
               16); /* three channels of floats */
    CHECK(small.build_bytes > small.bytes && small.build_seconds > 0 && small.direct_seconds > 0);
    CHECK_NEAR((double)large.nodes / (double)small.nodes, 1, 1e-9);
    CHECK_NEAR(large.build_seconds / small.build_seconds, 1, 1e-6);
    CHECK_NEAR(large.direct_seconds / small.direct_seconds, 1, 0.3);
    shoal_surface_destroy(twice);
}

/* Steeper forms have finer grids; a grid that ends early fades to nothing, smoothly. */
static void test_ends(void)
{
    for (int lj = 0; lj < 2; ++lj) {
        const shoal_surface_options form = {.form = lj ? SHOAL_SURFACE_LJ : SHOAL_SURFACE_MORSE};
        const shoal_grid_options zero = {0}, early = {.step = 0.25, .height = 5, .samples = -1};
        shoal_molecule *mol = fixture_salt(1, 2, 0.9);
        shoal_surface *surface = fixture_surface(mol, &form);
        shoal_grid *grid = NULL;
        shoal_grid_view v;
        CHECK_NEAR(grid_choose_step(surface, &zero), lj ? 0.07 : 0.1, 0);
        CHECK(shoal_grid_build(&grid, surface, &early) == SHOAL_OK);
        shoal_grid_get(grid, &v);
        for (int k = 0; k <= 10; ++k) { /* 10 t^3 - 15 t^4 + 6 t^5 of 3 angstrom */
            const double t = 0.1 * k, r[3] = {0.3, 0.4, v.switch_z + 3 * t};
            const double fade = 1 - t * t * t * (10 - 15 * t + 6 * t * t);
            double a[SHOAL_N_CHANNELS][4], b[SHOAL_N_CHANNELS][4];
            shoal_grid_fields(grid, r, a);
            shoal_surface_fields(surface, r, b);
            CHECK_NEAR(a[SHOAL_CHANNEL_L][0] / b[SHOAL_CHANNEL_L][0], fade, 0.01);
        }
        shoal_grid_destroy(grid);
        shoal_surface_destroy(surface);
        shoal_molecule_destroy(mol);
    }
}

int main(void)
{
    const char *top = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%s/shoal-grid-XXXXXX", top && *top ? top : ".");
    if (!mkdtemp(folder)) {
        (void)printf("skipped: no place for files\n");
        return 77;
    }
    shoal_surface *surface = make_salt(1);
    shoal_grid *grid = NULL;
    const shoal_grid_options options = {.step = 0.1, .samples = 50};
    CHECK(shoal_grid_build(&grid, surface, &options) == SHOAL_OK);
    CHECK(grid && grid->view.errors.samples == 50);
    test_exports(grid);
    test_check(grid);
    test_estimate(grid, surface);
    test_ends();
    int code = 0;
    if (shoal_grid_write(grid, path_of("a.h5")) == SHOAL_E_UNSUPPORTED) {
        CHECK(strstr(shoal_error_text(), "HDF5") != NULL);
        (void)printf("skipped: files, as this build has no HDF5\n");
        code = 77;
    } else {
        test_round_trip(grid, surface);
        test_other_numbers(grid);
        test_refusals(grid);
    }
    static const char *const names[] = {"a.h5",  "half.h5", "start.h5", "changed.h5", "text.h5",
                                        "v.npy", "v.cube",  "v.xsf",    "alpha.h5"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) (void)unlink(path_of(names[k]));
    CHECK(rmdir(folder) == 0);
    shoal_grid_destroy(grid);
    shoal_surface_destroy(surface);
    const int done = check_done();
    return done != 0 ? done : code;
}
