/* SPDX-License-Identifier: BSD-3-Clause
 * Channels of grids that come from meshes: NaCl(001)'s own potential comes back within the error that is stated, from
 * windows and from cells that repeat; what does not belong to a surface is refused. */
#include <unistd.h>

#include "grid_fixture.h"
#include "surf/grid.h"
#include "surf/mesh.h"
#include "surf/surface.h"

#include "constants.h"

enum { N = 20 };
#define HARD                                                                                       \
    150 /* point charges, whose poles at nuclei a mesh cannot follow: what is left of them is bounded from far above */
#define SOFT 30 /* charges that are spread out, as those of electrons */

static char folder[200];

static const char *path_of(const char *name)
{
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Direct sums of one channel on a mesh over the smallest period, or `times` as much each way. */
typedef struct sampler {
    shoal_surface *surface;
    int channel, times, n, n_c;
    double from, height; /* angstrom, of the first nodes and of C */
    double
        mirror; /* angstrom: a slab that is the same from below has its potential there; -INFINITY: none */
} sampler;

static double sample(const sampler *s, const double r[3])
{
    double at[3] = {r[0], r[1], r[2]}, f[SHOAL_N_CHANNELS][4];
    if (isfinite(s->mirror) && r[2] > s->mirror + 0.5 * s->height) at[2] -= s->height;
    if (at[2] < s->mirror) at[2] = 2 * s->mirror - at[2];
    shoal_surface_fields(s->surface, at, f);
    return f[s->channel][0];
}

static void find_cell(const sampler *s, double cell[3][3])
{
    static shoal_grid *grid;
    shoal_grid_view v;
    const shoal_grid_options o = {.step = 0.5, .height = 1, .samples = -1};
    CHECK(shoal_grid_build(&grid, s->surface, &o) == SHOAL_OK);
    shoal_grid_get(grid, &v);
    memset(cell, 0, 9 * sizeof(double));
    for (int k = 0; k < 4; ++k) cell[k / 2][k % 2] = s->times * v.cell[k / 2][k % 2];
    cell[2][2] = s->height;
    shoal_grid_destroy(grid);
}

static void place_node(const sampler *s, double cell[3][3], const int at[3], double r[3])
{
    const double u = (double)at[0] / s->n, w = (double)at[1] / s->n;
    r[0] = u * cell[0][0] + w * cell[1][0];
    r[1] = u * cell[0][1] + w * cell[1][1];
    r[2] = s->from + (double)at[2] / s->n_c * s->height;
}

/* The node of a square that mirrors through the first atom and along its diagonals lead to. */
static void fold(int n, int at[2])
{
    for (int k = 0; k < 2; ++k)
        if (2 * at[k] > n) at[k] = n - at[k];
    if (at[0] > at[1]) {
        const int other = at[0];
        at[0] = at[1];
        at[1] = other;
    }
}

/* Salts have the mirrors of their square cells: an eighth of the nodes is summed. */
static double *fill(const sampler *s, double cell[3][3])
{
    double *values = malloc((size_t)(s->n * s->n * s->n_c) * sizeof *values);
    double r[3];
    find_cell(s, cell);
    const double across = cell[0][0] * cell[1][0] + cell[0][1] * cell[1][1];
    const bool square = fabs(across) < 1e-9 &&
                        fabs(hypot(cell[0][0], cell[0][1]) - hypot(cell[1][0], cell[1][1])) < 1e-9;
    for (int k = 0; k < s->n * s->n * s->n_c; ++k) {
        const int at[3] = {k / s->n_c / s->n, k / s->n_c % s->n, k % s->n_c};
        int like[2] = {at[0], at[1]};
        if (square) fold(s->n, like);
        const bool known = like[0] != at[0] || like[1] != at[1];
        place_node(s, cell, at, r);
        values[k] = known ? values[(like[0] * s->n + like[1]) * s->n_c + at[2]] : sample(s, r);
        if (known && k % 997 == 0)
            CHECK_NEAR(values[k], sample(s, r), 1e-7 * (1 + fabs(values[k])));
    }
    return values;
}

static void write_cube(const sampler *s, const char *name, double factor)
{
    double cell[3][3], *values = fill(s, cell);
    const int n[3] = {s->n, s->n, s->n_c};
    shoal_surface_view v;
    FILE *f = fopen(path_of(name), "wb");
    shoal_surface_get(s->surface, &v);
    (void)fprintf(f, "a\nb\n%d 0 0 %.6f\n", v.n_atoms, s->from / BOHR);
    for (int k = 0; k < 3; ++k)
        (void)fprintf(f, "%d %.8f %.8f %.8f\n", n[k], cell[k][0] / n[k] / BOHR,
                      cell[k][1] / n[k] / BOHR, cell[k][2] / n[k] / BOHR);
    for (int i = 0; i < v.n_atoms; ++i)
        (void)fprintf(f, "%d 0 %.6f %.6f %.6f\n", v.elements[i], v.pos[i][0] / BOHR,
                      v.pos[i][1] / BOHR, v.pos[i][2] / BOHR);
    for (int i = 0; i < n[0] * n[1] * n[2]; ++i)
        (void)fprintf(f, "%.7E%s", factor * values[i] / HARTREE, i % 6 == 5 ? "\n" : " ");
    (void)fclose(f);
    free(values);
}

static shoal_mesh *read_mesh(const char *name, shoal_mesh_options o)
{
    shoal_mesh *mesh = NULL;
    CHECK(shoal_mesh_read(&mesh, path_of(name), &o) == SHOAL_OK);
    if (!mesh) (void)printf("%s\n", shoal_error_text());
    return mesh;
}

static shoal_status build(shoal_surface *surface, int channel, const shoal_mesh *mesh,
                          shoal_grid **out)
{
    shoal_grid_options o = {.step = 0.1, .n_threads = 1};
    *(channel == SHOAL_CHANNEL_P   ? &o.pauli
      : channel == SHOAL_CHANNEL_L ? &o.london
                                   : &o.coulomb) = mesh;
    return shoal_grid_build(out, surface, &o);
}

static shoal_grid *build_well(shoal_surface *surface, int channel, const shoal_mesh *mesh)
{
    shoal_grid *grid = NULL;
    if (build(surface, channel, mesh, &grid) == SHOAL_OK) return grid;
    (void)printf("%s\n", shoal_error_text());
    exit(1);
}

static void random_place(const shoal_surface_view *s, int k, double low, double high, double r[3])
{
    const double fa = fmod((k + 1) * 0.7548776662, 1), fb = fmod((k + 1) * 0.5698402910, 1);
    r[0] = fa * s->cell[0][0] + fb * s->cell[1][0];
    r[1] = fa * s->cell[0][1] + fb * s->cell[1][1];
    r[2] = low + (high - low) * fmod((k + 1) * 0.4301597090, 1);
}

/* From contact to where the channel is switched off it is as far from the direct sum as the grid says, at most, and not `tight`
 * times closer. */
static void compare(const char *what, const shoal_grid *grid, int channel, double limit,
                    double tight)
{
    shoal_grid_view v;
    shoal_surface_view s;
    double worst_e = 0, worst_f = 0, weights[SHOAL_N_CHANNELS];
    const shoal_probe carbon = shoal_grid_probe(1);
    shoal_grid_get(grid, &v);
    shoal_surface_get(v.surface, &s);
    shoal_surface_weights(v.surface, &carbon, weights);
    const double w = channel == SHOAL_CHANNEL_Q ? 1 : fabs(weights[channel]);
    const shoal_grid_source *from = &v.sources[channel];
    for (int k = 0; k < 1500; ++k) {
        double r[3], a[SHOAL_N_CHANNELS][4], b[SHOAL_N_CHANNELS][4], d2 = 0;
        random_place(&s, k, s.top + 1.2, k % 2 ? from->top : s.top + 2, r);
        shoal_grid_fields(grid, r, a);
        shoal_surface_fields(v.surface, r, b);
        for (int x = 1; x < 4; ++x)
            d2 += (a[channel][x] - b[channel][x]) * (a[channel][x] - b[channel][x]);
        worst_e = fmax(worst_e, w * fabs(a[channel][0] - (b[channel][0] - limit)));
        worst_f = fmax(worst_f, w * sqrt(d2));
    }
    (void)printf("%s: %.2e eV of %.2e, %.2e eV/A of %.2e; %.1e left at %.2f A\n", what, worst_e,
                 from->max_e, worst_f, from->max_f, from->cut, from->top);
    CHECK(from->there);
    CHECK(worst_e <= from->max_e && from->max_e < tight * worst_e + 1e-6);
    CHECK(worst_f <= from->max_f && from->max_f < tight * worst_f + 1e-5);
}

/* A window above the surface, as FILE.cube. */
static void test_cube(shoal_surface *salt, double damping, int32_t n)
{
    const double tight = damping > 0 ? SOFT : HARD;
    const sampler s = {salt, SHOAL_CHANNEL_Q, 1, n, 21 * n / 10, -0.6, 8.6, -INFINITY};
    char what[64];
    write_cube(&s, "q.cube", 1);
    shoal_mesh *mesh = read_mesh("q.cube", (shoal_mesh_options){0});
    shoal_grid *grid = build_well(salt, SHOAL_CHANNEL_Q, mesh);
    (void)snprintf(what, sizeof what, "damping %g A, %d x %d nodes", damping, n, n);
    compare(what, grid, SHOAL_CHANNEL_Q, 0, tight);
    CHECK_NEAR(grid->view.sources[SHOAL_CHANNEL_Q].zero, 0, 1e-5);
    CHECK_TEXT(grid->view.sources[SHOAL_CHANNEL_Q].name, "q.cube");
    shoal_grid_destroy(grid);
    shoal_mesh_destroy(mesh);
}

/* Charges that are damped. */
static shoal_surface *soften(double damping)
{
    const shoal_surface_options options = {.form = SHOAL_SURFACE_MORSE, .damping = damping};
    shoal_molecule *mol = fixture_salt(2, 3, 0.9);
    shoal_surface *surface = fixture_surface(mol, &options);
    shoal_molecule_destroy(mol);
    return surface;
}

/* A cell that repeats along z, with another zero, the other sign, and its atoms elsewhere. */
static void test_cell(shoal_surface *salt)
{
    shoal_surface_view v;
    shoal_surface_get(salt, &v);
    const double middle = 0.5 * (v.top + v.bottom);
    const sampler s = {salt, SHOAL_CHANNEL_Q, 1, N, 120, middle + 0.07, 24, middle};
    shoal_mesh_options o = {
        .of_electron = true, .repeats = true, .x_fastest = false, .shift = {0, 0, middle + 0.07}};
    shoal_mesh *mesh = NULL;
    shoal_grid *grid = NULL;
    double *values = fill(&s, o.cell);
    const int32_t n[3] = {N, N, 120};
    for (int i = 0; i < N * N * 120; ++i) values[i] = -values[i] - 4.5;
    CHECK(shoal_mesh_create(&mesh, "cell", n, values, &o) == SHOAL_OK);
    grid = build_well(salt, SHOAL_CHANNEL_Q, mesh);
    compare("a cell that repeats", grid, SHOAL_CHANNEL_Q, 0, HARD);
    CHECK_NEAR(grid->view.sources[SHOAL_CHANNEL_Q].end, middle + 12, 1e-9);
    CHECK_NEAR(grid->view.sources[SHOAL_CHANNEL_Q].zero, 4.5, 1e-5);
    shoal_grid_destroy(grid);
    shoal_mesh_destroy(mesh);
    free(values);
}

/* Two periods each way: the grid is of the whole cell, and its other channels are what they were. */
static void test_supercell(shoal_surface *salt)
{
    const sampler s = {salt, SHOAL_CHANNEL_Q, 2, 2 * N, 46, -0.55, 9.2, -INFINITY};
    shoal_grid *grid = NULL, *own = make_grid(salt, 0.1, false);
    write_cube(&s, "large.cube", 1);
    shoal_mesh *mesh = read_mesh("large.cube", (shoal_mesh_options){0});
    grid = build_well(salt, SHOAL_CHANNEL_Q, mesh);
    CHECK(grid->view.cells == 1 && own->view.cells == 4);
    compare("two periods", grid, SHOAL_CHANNEL_Q, 0, HARD);
    double r[3], a[SHOAL_N_CHANNELS][4], b[SHOAL_N_CHANNELS][4];
    for (int k = 0; k < 100; ++k) {
        random_place(&salt->view, k, 2, 5, r);
        shoal_grid_fields(grid, r, a);
        shoal_grid_fields(own, r, b);
        CHECK_NEAR(a[SHOAL_CHANNEL_P][0], b[SHOAL_CHANNEL_P][0],
                   1e-4 * fabs(b[SHOAL_CHANNEL_P][0]));
        CHECK_NEAR(a[SHOAL_CHANNEL_L][0], b[SHOAL_CHANNEL_L][0],
                   1e-5 * fabs(b[SHOAL_CHANNEL_L][0]));
    }
    shoal_grid_destroy(grid);
    shoal_grid_destroy(own);
    shoal_mesh_destroy(mesh);
}

/* Exponentials of the Morse form, and an oblique cell with a dipole, whose constant far above is taken off. */
static void test_others(shoal_surface *salt)
{
    static const int channels[2] = {SHOAL_CHANNEL_P, SHOAL_CHANNEL_L};
    shoal_mesh_options o = {0};
    for (int k = 0; k < 2; ++k) {
        const sampler s = {salt, channels[k], 1, 24, 56, -0.55, 9, -INFINITY};
        shoal_mesh *mesh = read_mesh((write_cube(&s, "x.cube", 1), "x.cube"), o);
        shoal_grid *grid = NULL;
        grid = build_well(salt, channels[k], mesh);
        compare(shoal_channel_name(channels[k]), grid, channels[k], 0, HARD);
        shoal_grid_destroy(grid);
        shoal_mesh_destroy(mesh);
    }
    shoal_molecule *mol = fixture_oblique();
    const shoal_surface_options form = {.form = SHOAL_SURFACE_MORSE};
    shoal_surface *oblique = fixture_surface(mol, &form);
    const sampler s = {oblique, SHOAL_CHANNEL_Q, 1, 26, 60, -0.9, 11, -INFINITY};
    shoal_mesh *mesh = read_mesh((write_cube(&s, "x.cube", -1), "x.cube"),
                                 (shoal_mesh_options){.of_electron = true});
    shoal_grid *grid = NULL, *own = make_grid(oblique, 0.4, false);
    grid = build_well(oblique, SHOAL_CHANNEL_Q, mesh);
    if (!grid) (void)printf("%s\n", shoal_error_text());
    const double limit = own->view.limit[SHOAL_CHANNEL_Q];
    CHECK(fabs(limit) > 0.1 && grid && grid->view.limit[SHOAL_CHANNEL_Q] == 0);
    CHECK_NEAR(grid->view.sources[SHOAL_CHANNEL_Q].zero, limit, 1e-4);
    compare("oblique", grid, SHOAL_CHANNEL_Q, limit, HARD);
    shoal_grid_destroy(grid);
    shoal_grid_destroy(own);
    shoal_mesh_destroy(mesh);
    shoal_surface_destroy(oblique);
    shoal_molecule_destroy(mol);
}

static void refuse(shoal_surface *surface, int channel, const shoal_mesh *mesh, const char *reason)
{
    shoal_grid *grid = NULL;
    CHECK(build(surface, channel, mesh, &grid) == SHOAL_E_ARGUMENT && !grid);
    CHECK(strstr(shoal_error_text(), reason) != NULL);
    if (!strstr(shoal_error_text(), reason))
        (void)printf("'%s', expected '%s'\n", shoal_error_text(), reason);
}

static void refuse_cube(const sampler *s, double factor, shoal_mesh_options o, const char *reason)
{
    write_cube(s, "bad.cube", factor);
    shoal_mesh *mesh = read_mesh("bad.cube", o);
    refuse(s->surface, s->channel, mesh, reason);
    shoal_mesh_destroy(mesh);
}

static void test_refused(shoal_surface *salt)
{
    const sampler good = {salt, SHOAL_CHANNEL_Q, 1, 10, 40, -0.6, 10, -INFINITY};
    sampler s = good;
    refuse_cube(&s, 1, (shoal_mesh_options){.shift = {0.5, 0, 0}},
                "no atom of it is within 0.3 A of atom 0 of the surface (Na");
    s.height = 5;
    refuse_cube(&s, 1, (shoal_mesh_options){0},
                "the mesh must reach further into the vacuum, and that of a cell");
    s.height = 3;
    refuse_cube(&s, 1, (shoal_mesh_options){0}, "ends at z = 2.3");
    s = good;
    s.from = 1.5;
    refuse_cube(&s, 1, (shoal_mesh_options){0},
                "the mesh begins at z = 1.50 A, expected 1.00 or less");
    s = good;
    s.channel = SHOAL_CHANNEL_P; /* a hill at every atom */
    write_cube(&s, "bad.cube", -1e-6);
    shoal_mesh *mesh = read_mesh("bad.cube", (shoal_mesh_options){0});
    refuse(salt, SHOAL_CHANNEL_Q, mesh, "the sign of the energy of an electron");
    shoal_pair_model *model = NULL;
    shoal_molecule *atoms = fixture_salt(2, 3, 0.9);
    static const char text[] =
        "shoal_pair_model 1\nform morse\nhbond none\ncoulomb plain\ntypes\n"
        "# name parent element epair valence n_epair npi sym Ruff RvdW EvdW Qbase Hb\n"
        "Na * Na E 1 0 0 0 1.5 1.5 0.0013 0 0\nCl * Cl E 1 3 0 0 1.0 1.97 0.0098 0 0\n";
    CHECK(shoal_pair_model_read_memory(&model, text, sizeof text - 1, "model") == SHOAL_OK);
    const shoal_surface_options modelled = {.model = model};
    shoal_surface *pairs = fixture_surface(atoms, &modelled);
    refuse(pairs, SHOAL_CHANNEL_P, mesh, "the surface has a pair model");
    shoal_surface_destroy(pairs);
    shoal_pair_model_destroy(model);
    shoal_molecule_destroy(atoms);
    shoal_molecule *other = fixture_salt(3, 1, 0);
    double cell[3][3];
    bool pbc[3];
    shoal_molecule_cell(other, cell, pbc);
    cell[0][0] *= 1.01;
    CHECK(shoal_molecule_set_cell(other, (const double(*)[3])cell, pbc) == SHOAL_OK);
    shoal_surface *wide = fixture_surface(other, NULL);
    refuse(wide, SHOAL_CHANNEL_Q, mesh, "expected a cell of which the surface's");
    shoal_surface_destroy(wide);
    shoal_molecule_destroy(other);
    shoal_mesh_destroy(mesh);
}

/* An oxygen atom with a charge, alone. */
static double energy_of(shoal_surface *surface, shoal_grid *grid, const char *device,
                        const double r[3])
{
    static const int32_t oxygen = 8;
    const shoal_atom_parameters numbers = {.vdw_x = 3.5, .vdw_d = 0.0026, .charge = -0.4};
    const shoal_engine_options o = {.device = device, .surface = surface, .grid = grid};
    shoal_topology_builder *builder = NULL;
    shoal_topology *atom = NULL;
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    shoal_result result;
    double e = NAN;
    CHECK(shoal_topology_begin(&builder, 1, &oxygen) == SHOAL_OK);
    CHECK(shoal_topology_set_atom(builder, 0, &numbers) == SHOAL_OK);
    CHECK(shoal_topology_finish(builder, SHOAL_EXCLUDE_BONDS_AND_ANGLES, &atom) == SHOAL_OK);
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    const shoal_system system = {.topology = atom, .pos = (const double(*)[3])(const void *)r};
    CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    if (shoal_engine_create(&engine, batch, &o) == SHOAL_OK) {
        CHECK(shoal_engine_eval(engine) == SHOAL_OK);
        CHECK(shoal_engine_result(engine, 0, &result) == SHOAL_OK);
        e = result.energy;
    }
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    shoal_topology_destroy(atom);
    return e;
}

/* A potential that is twice the surface's own: engines feel it, files keep it, direct sums and `auto` do not take it. */
static void test_use(shoal_surface *salt)
{
    const sampler s = {salt, SHOAL_CHANNEL_Q, 1, 28, 64, -0.6, 9.2, -INFINITY};
    const double r[3] = {1.0, 0.4, 3.0};
    double f[SHOAL_N_CHANNELS][4];
    shoal_grid *grid = NULL, *again = NULL;
    shoal_grid_report report;
    char path[256], left_alone[256];
    write_cube(&s, "twice.cube", 2);
    shoal_mesh *mesh = read_mesh("twice.cube", (shoal_mesh_options){0});
    grid = build_well(salt, SHOAL_CHANNEL_Q, mesh);
    shoal_mesh_destroy(mesh);
    shoal_surface_fields(salt, r, f);
    const double own = energy_of(salt, NULL, "cpu", r);
    CHECK(fabs(f[SHOAL_CHANNEL_Q][0]) > 0.01);
    CHECK_NEAR(energy_of(salt, grid, "cpu", r), own - 0.4 * f[SHOAL_CHANNEL_Q][0], 2e-5);
    CHECK(isnan(energy_of(salt, grid, "ref", r)));
    CHECK(strstr(shoal_error_text(),
                 "ref sums over the surface, which does not have the coulomb") != NULL);
    CHECK(shoal_grid_write(grid, path_of("salt.xyz.grid.h5")) == SHOAL_OK);
    CHECK(shoal_grid_read(&again, path_of("salt.xyz.grid.h5"), salt) == SHOAL_OK);
    CHECK(again &&
          memcmp(&again->view.sources[2], &grid->view.sources[2], sizeof *grid->view.sources) == 0);
    CHECK(again && energy_of(salt, again, "cpu", r) == energy_of(salt, grid, "cpu", r));
    CHECK(shoal_grid_check(again, 400, 3, 1, &report, NULL) == SHOAL_OK);
    CHECK_NEAR(report.channels[SHOAL_CHANNEL_Q].max_e, grid->view.sources[2].max_e, 1e-12);
    CHECK(report.all.max_e > 0.1 * grid->view.sources[2].max_e && report.all.max_e < 2e-2);
    shoal_grid_destroy(again);
    again = NULL;
    CHECK(shoal_grid_find(&again, salt, path_of("salt.xyz"), path, left_alone, sizeof path) ==
          SHOAL_OK);
    CHECK(!again && strstr(left_alone, "its coulomb comes from a mesh") != NULL);
    shoal_grid_destroy(again);
    shoal_grid_destroy(grid);
}

int main(void)
{
    const char *top = getenv("TMPDIR");
    char command[300];
    (void)snprintf(folder, sizeof folder, "%s/shoal-outside-XXXXXX", top && *top ? top : ".");
    if (!mkdtemp(folder)) {
        (void)printf("%s cannot be made\n", folder);
        return 1;
    }
    shoal_surface *salt = make_salt(2);
    shoal_surface *soft = soften(0.6);
    test_cube(soft, 0.6, 20);
    test_cube(soft, 0.6, 28);
    shoal_surface_destroy(soft);
    test_cube(salt, 0, 20);
    test_cube(salt, 0, 28);
    test_cell(salt);
    test_supercell(salt);
    test_others(salt);
    test_refused(salt);
    test_use(salt);
    shoal_surface_destroy(salt);
    (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
    CHECK(system(command) == 0);
    return check_done();
}
