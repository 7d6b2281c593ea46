/* SPDX-License-Identifier: BSD-3-Clause
 * Probe scans: blocks against sums written out, the same bits whatever is computed at a time, frequency shifts against
 * their integral. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_fixture.h"
#include "jobs/tip.h"
#include "surface_fixture.h"

#define KC 14.3996454784
#define PI 3.14159265358979323846

typedef struct part {
    shoal_molecule *mol;
    shoal_system system;
} part;

static void make_part(part *p, int n, const int32_t *z, const double (*pos)[3], const double *q)
{
    memset(p, 0, sizeof *p);
    CHECK(shoal_molecule_create(&p->mol) == SHOAL_OK);
    for (int i = 0; i < n; ++i) {
        CHECK(shoal_molecule_add_atom(p->mol, z[i], pos[i]) == SHOAL_OK);
        if (q) CHECK(shoal_molecule_set_charge(p->mol, i, q[i]) == SHOAL_OK);
    }
    CHECK(shoal_topology_create(&p->system.topology, p->mol, NULL) == SHOAL_OK);
    p->system.pos = shoal_molecule_positions(p->mol);
}

static void free_part(part *p)
{
    shoal_topology_destroy(p->system.topology);
    shoal_molecule_destroy(p->mol);
}

/* Formic acid that stands on the surface, with charges; and carbon monoxide, its oxygen below. */
static void make_both(part *sample, part *tip)
{
    static const int32_t z[5] = {6, 8, 8, 1, 1}, co[2] = {8, 6};
    static const double pos[5][3] = {
        {2.0, 2.0, 3.5}, {3.2, 2.1, 3.5}, {1.35, 3.15, 3.55}, {1.45, 1.05, 3.6}, {2.0, 3.9, 3.4}};
    static const double q[5] = {0.6, -0.5, -0.55, 0.05, 0.4}, tip_q[2] = {-0.1, 0.1};
    static const double tip_pos[2][3] = {{5.0, 1.0, 2.0}, {5.1, 1.0, 3.13}};
    make_part(sample, 5, z, pos, q);
    make_part(tip, 2, co, tip_pos, tip_q);
}

/* Lennard-Jones and Coulomb of the tip with the sample, and the fields of the surface, written out. */
static double direct(const part *sample, const part *tip, const shoal_surface *surface,
                     const double at[3], double force[3])
{
    shoal_topology_view v[2];
    double energy = 0.0;
    memset(force, 0, 3 * sizeof *force);
    shoal_topology_get(sample->system.topology, &v[0]);
    shoal_topology_get(tip->system.topology, &v[1]);
    for (int32_t j = 0; j < v[1].n_atoms; ++j) {
        double r[3];
        for (int c = 0; c < 3; ++c) r[c] = at[c] + tip->system.pos[j][c] - tip->system.pos[0][c];
        for (int32_t i = 0; i < v[0].n_atoms; ++i) {
            double d[3], d2 = 0.0;
            for (int c = 0; c < 3; ++c) {
                d[c] = r[c] - sample->system.pos[i][c];
                d2 += d[c] * d[c];
            }
            const double x2 = v[0].vdw_x[i] * v[1].vdw_x[j] / d2, u = x2 * x2 * x2;
            const double depth = sqrt(v[0].vdw_d[i] * v[1].vdw_d[j]);
            const double coulomb = KC * v[0].charges[i] * v[1].charges[j] / sqrt(d2);
            energy += depth * (u * u - 2.0 * u) + coulomb;
            const double slope = (12.0 * depth * (u * u - u) + coulomb) / d2;
            for (int c = 0; c < 3; ++c) force[c] += slope * d[c];
        }
        if (!surface) continue;
        const shoal_probe probe = {0.5 * v[1].vdw_x[j], v[1].vdw_d[j], v[1].charges[j], 0.0};
        double fields[SHOAL_N_CHANNELS][4], weights[SHOAL_N_CHANNELS];
        shoal_surface_fields(surface, r, fields);
        shoal_surface_weights(surface, &probe, weights);
        for (int k = 0; k < SHOAL_N_CHANNELS; ++k) {
            energy += weights[k] * fields[k][0];
            for (int c = 0; c < 3; ++c) force[c] -= weights[k] * fields[k][1 + c];
        }
    }
    return energy;
}

static const shoal_tip_options small_block = {
    .n = {4, 5, 6}, .origin = {0.5, 0.7, 6.0}, .step = {0.9, 0.8, 0.35}};

static shoal_tip_block *run(const part *sample, const part *tip, const shoal_engine_options *e,
                            const shoal_tip_options *o)
{
    shoal_tip_block *block = NULL;
    CHECK(shoal_tip_scan(&block, &sample->system, &tip->system, e, o, NULL, NULL) == SHOAL_OK);
    if (!block) (void)printf("%s\n", shoal_error_text());
    return block;
}

static void check_block(const char *device, shoal_precision precision, shoal_surface *surface,
                        double tolerance)
{
    part sample, tip;
    shoal_tip_view v;
    make_both(&sample, &tip);
    const shoal_engine_options e = {
        .device = device, .precision = precision, .surface = surface, .n_threads = 2};
    shoal_tip_block *block = run(&sample, &tip, &e, &small_block);
    shoal_tip_block_get(block, &v);
    CHECK(v.n_points == 120 && v.n_done == 120 && v.n_failed == 0);
    for (int32_t k = 0; k < (block ? 120 : 0); ++k) {
        const int32_t i[3] = {k / 30, k / 6 % 5, k % 6};
        double at[3], force[3];
        for (int c = 0; c < 3; ++c) at[c] = v.origin[c] + i[c] * v.step[c];
        const double energy = direct(&sample, &tip, surface, at, force);
        CHECK_NEAR(v.energies[k], energy, tolerance * (1.0 + fabs(energy)));
        for (int c = 0; c < 3; ++c)
            CHECK_NEAR(v.forces[k][c], force[c], tolerance * (1.0 + fabs(force[c])));
    }
    shoal_tip_block_destroy(block);
    free_part(&sample);
    free_part(&tip);
}

static void test_blocks(void)
{
    shoal_molecule *salt = fixture_salt(2, 2, 0.9);
    shoal_surface *surface = fixture_surface(salt, NULL);
    const char *device = find_test_device();
    for (int k = 0; k < 2; ++k) {
        shoal_surface *on = k ? surface : NULL;
        check_block("ref", SHOAL_PRECISION_AUTO, on, 1e-9);
        check_block("cpu", SHOAL_PRECISION_DOUBLE, on, 1e-9);
        check_block("cpu", SHOAL_PRECISION_FLOAT, on, 2e-5);
        if (device) check_block(device, SHOAL_PRECISION_FLOAT, on, 2e-5);
    }
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(salt);
}

/* A molecule of so many atoms that it is a large system, on its own schedule. */
static void test_large(void)
{
    enum { N = 300 };
    static int32_t z[N];
    static double pos[N][3];
    static const int32_t xenon = 54;
    static const double apex[1][3] = {{0, 0, 0}};
    const char *devices[] = {"ref", "cpu", find_test_device()};
    const shoal_tip_options o = {.n = {3, 2, 3}, .origin = {4, 4, 10}, .step = {3, 3, 0.5}};
    part sample, tip;
    for (int i = 0; i < N; ++i) {
        z[i] = 18;
        for (int c = 0; c < 3; ++c)
            pos[i][c] = 3.8 * (c == 0 ? i % 10 : c == 1 ? i / 10 % 10 : i / 100);
    }
    make_part(&sample, N, z, (const double(*)[3])pos, NULL);
    make_part(&tip, 1, &xenon, apex, NULL);
    for (int d = 0; d < 3; ++d) {
        shoal_tip_view v;
        if (!devices[d]) continue;
        const shoal_engine_options e = {.device = devices[d]};
        shoal_tip_block *block = run(&sample, &tip, &e, &o);
        shoal_tip_block_get(block, &v);
        for (int32_t k = 0; k < (block ? 18 : 0); ++k) {
            const double at[3] = {4 + 3 * (k / 6), 4 + 3 * (k / 3 % 2), 10 + 0.5 * (k % 3)};
            double force[3];
            const double energy = direct(&sample, &tip, NULL, at, force);
            CHECK_NEAR(v.energies[k], energy, 2e-5 * (1.0 + fabs(energy)));
            CHECK_NEAR(v.forces[k][2], force[2], 2e-5 * (1.0 + fabs(force[2])));
        }
        shoal_tip_block_destroy(block);
    }
    free_part(&sample);
    free_part(&tip);
}

/* The same bits with 7 systems at a time and with all of them. */
static void test_rounds(void)
{
    part sample, tip;
    shoal_tip_view v[2];
    make_both(&sample, &tip);
    shoal_tip_options o = small_block;
    shoal_tip_block *all = run(&sample, &tip, NULL, &o);
    o.n_systems = 7;
    shoal_tip_block *seven = run(&sample, &tip, NULL, &o);
    shoal_tip_block_get(all, &v[0]);
    shoal_tip_block_get(seven, &v[1]);
    CHECK(memcmp(v[0].energies, v[1].energies, 120 * sizeof(double)) == 0);
    CHECK(memcmp(v[0].forces, v[1].forces, 360 * sizeof(double)) == 0);
    shoal_tip_block_destroy(all);
    shoal_tip_block_destroy(seven);
    free_part(&sample);
    free_part(&tip);
}

static bool stop_soon(void *user, const shoal_progress *p)
{
    (void)user;
    return p->n_done < 20;
}

/* Points that are not done, and those on top of an atom, have no numbers. */
static void test_without_numbers(void)
{
    part sample, tip;
    shoal_tip_block *block = NULL;
    shoal_tip_view v;
    make_both(&sample, &tip);
    shoal_tip_options o = small_block;
    o.n_systems = 10;
    CHECK(shoal_tip_scan(&block, &sample.system, &tip.system, NULL, &o, stop_soon, NULL) ==
          SHOAL_OK);
    shoal_tip_block_get(block, &v);
    CHECK(v.n_done == 20 && isfinite(v.energies[19]) && isnan(v.energies[20]));
    for (int c = 0; c < 3; ++c)
        CHECK(isfinite(v.forces[19][c]) && isnan(v.forces[20][c]) && isnan(v.forces[119][c]));
    CHECK(v.n_points == 120 && v.n_failed == 0);
    shoal_tip_block_destroy(block);
    /* The last atom of the sample stands at the second point of two. */
    o = (shoal_tip_options){.n = {1, 2, 1}, .origin = {2, 0.9, 3.4}, .step = {0, 3, 0}};
    block = run(&sample, &tip, NULL, &o);
    shoal_tip_block_get(block, &v);
    CHECK(v.n_done == 2 && v.n_failed == 1 && isfinite(v.energies[0]) && isnan(v.energies[1]));
    for (int c = 0; c < 3; ++c) CHECK(isfinite(v.forces[0][c]) && isnan(v.forces[1][c]));
    shoal_tip_block_destroy(block);
    free_part(&sample);
    free_part(&tip);
}

/* --- frequency shifts ----------------------------------------------------------------------------- */

/* The integral over the angle of the oscillation by many points of the exact force. */
static double integral(const part *sample, const part *tip, const shoal_tip_oscillator *o, double z)
{
    enum { STEPS = 20000 };
    double sum = 0.0, force[3];
    for (int k = 0; k < STEPS; ++k) {
        const double t = PI * (k + 0.5) / STEPS;
        const double at[3] = {0, 0, z + o->amplitude * (1.0 + cos(t))};
        (void)direct(sample, tip, NULL, at, force);
        sum += force[2] * cos(t) * PI / STEPS;
    }
    /* 1 N/m is 1 / 16.02176634 eV/A^2 */
    return -o->frequency / (PI * o->stiffness / 16.02176634 * o->amplitude) * sum;
}

static void test_shifts(void)
{
    static const int32_t argon = 18, oxygen = 8;
    static const double origin[1][3] = {{0, 0, 0}};
    static const double amplitudes[3] = {0.05, 0.5, 1.0};
    const shoal_tip_options o = {.n = {1, 2, 121}, .origin = {0, 0, 3}, .step = {0, 1, 0.025}};
    part sample, tip;
    make_part(&sample, 1, &argon, origin, NULL);
    make_part(&tip, 1, &oxygen, origin, NULL);
    const shoal_engine_options e = {.precision = SHOAL_PRECISION_DOUBLE};
    shoal_tip_block *block = run(&sample, &tip, &e, &o);
    for (int k = 0; k < 3; ++k) {
        const shoal_tip_oscillator q = {30000, 1800, amplitudes[k]};
        double shifts[2 * 121];
        int32_t n = 0;
        CHECK(shoal_tip_shifts(block, &q, NULL, &n) == SHOAL_OK);
        CHECK(n == 121 - (int32_t)round(80 * amplitudes[k]));
        CHECK(shoal_tip_shifts(block, &q, shifts, &n) == SHOAL_OK);
        for (int32_t z = 0; z < n; z += 7) {
            const double want = integral(&sample, &tip, &q, 3 + 0.025 * z);
            CHECK_NEAR(shifts[z], want, 5e-5 * (fabs(want) + 0.1));
        }
    }
    const shoal_tip_oscillator wide = {30000, 1800, 2}, none = {30000, 1800, 0};
    int32_t n = 0;
    CHECK(shoal_tip_shifts(block, &wide, NULL, &n) == SHOAL_E_ARGUMENT);
    CHECK_TEXT(shoal_error_text(),
               "frequency shift: 121 points over 3 A of height, expected four or more over 4 A, "
               "twice the amplitude");
    CHECK(shoal_tip_shifts(block, &none, NULL, &n) == SHOAL_E_ARGUMENT);
    shoal_tip_block_destroy(block);
    free_part(&sample);
    free_part(&tip);
}

/* Between points far apart forces are those of the cubic through the four around: three at one side and one at the other
 * would be off by several times as much. */
static void test_coarse_shifts(void)
{
    static const int32_t argon = 18, oxygen = 8;
    static const double origin[1][3] = {{0, 0, 0}};
    const shoal_tip_options o = {.n = {1, 1, 16}, .origin = {0, 0, 3}, .step = {0, 0, 0.2}};
    const shoal_tip_oscillator q = {30000, 1800, 0.1};
    const shoal_engine_options e = {.precision = SHOAL_PRECISION_DOUBLE};
    part sample, tip;
    double shifts[16], worst = 0.0, largest = 0.0;
    int32_t n = 0;
    make_part(&sample, 1, &argon, origin, NULL);
    make_part(&tip, 1, &oxygen, origin, NULL);
    shoal_tip_block *block = run(&sample, &tip, &e, &o);
    CHECK(shoal_tip_shifts(block, &q, shifts, &n) == SHOAL_OK && n == 15);
    for (int32_t z = 1; z < n - 1; ++z) {
        const double want = integral(&sample, &tip, &q, 3 + 0.2 * z);
        worst = fmax(worst, fabs(shifts[z] - want));
        largest = fmax(largest, fabs(want));
    }
    (void)printf("  error of shifts from points 0.2 A apart: %.2g of %.2g Hz\n", worst, largest);
    CHECK(worst < 0.0025 * largest);
    shoal_tip_block_destroy(block);
    free_part(&sample);
    free_part(&tip);
}

/* A picture has the axes of the block. */
static void test_picture(void)
{
    static const char path[] = "test_tip_plane.svg";
    static char text[1 << 20];
    part sample, tip;
    make_both(&sample, &tip);
    const shoal_tip_options o = {.n = {3, 4, 2}, .origin = {0, 100, 6}, .step = {1, 7, 1}};
    shoal_tip_block *block = run(&sample, &tip, NULL, &o);
    CHECK(shoal_tip_plot(block, NULL, 6, path) == SHOAL_OK);
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    const size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[n] = '\0';
    if (file) (void)fclose(file);
    CHECK(strstr(text, ">120<") && strstr(text, "z = 6.000 A"));
    (void)remove(path);
    shoal_tip_block_destroy(block);
    free_part(&sample);
    free_part(&tip);
}

/* Six cells from left to right and from below: the largest force is red and the smallest blue, each at its place. */
static void check_cells(const char *text, const shoal_tip_view *v)
{
    double x[6], y[6], size[2];
    int32_t colours[6] = {0}, low = 0, high = 0;
    const char *at = strstr(text, "<clipPath"); /* behind the background */
    for (int k = 0; k < 6 && at; ++k) {
        unsigned colour = 0;
        at = strstr(at, "<rect x=");
        while (at &&
               sscanf(at,
                      "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\" fill=\"#%6x\" shape",
                      &x[k], &y[k], &size[0], &size[1], &colour) != 5)
            at = strstr(at + 1, "<rect x=");
        CHECK(at != NULL);
        if (!at) return;
        colours[k] = (int32_t)colour;
        ++at;
        if (v->forces[tip_index(v, k % 3, k / 3, 1)][2] <
            v->forces[tip_index(v, low % 3, low / 3, 1)][2])
            low = k;
        if (v->forces[tip_index(v, k % 3, k / 3, 1)][2] >
            v->forces[tip_index(v, high % 3, high / 3, 1)][2])
            high = k;
    }
    CHECK(low != high && colours[high] == 0xb40000 && colours[low] == 0x0000b4);
    CHECK(x[0] < x[1] && x[1] < x[2] && x[3] == x[0] && y[3] < y[0] && y[0] == y[2]);
}

static void test_map(void)
{
    static const int32_t argon = 18;
    static const double origin[1][3] = {{0, 0, 0}};
    static char text[1 << 20];
    const shoal_tip_options o = {.n = {3, 2, 2}, .origin = {0, 0, 3}, .step = {2.5, 1, 0.5}};
    part sample, tip;
    shoal_tip_view v;
    make_part(&sample, 1, &argon, origin, NULL);
    make_part(&tip, 1, &argon, origin, NULL);
    shoal_tip_block *block = run(&sample, &tip, NULL, &o);
    shoal_tip_block_get(block, &v);
    /* 3.4 lies nearer to the second plane. */
    CHECK(shoal_tip_plot(block, NULL, 3.4, "test_tip_map.svg") == SHOAL_OK);
    FILE *file = fopen("test_tip_map.svg", "rb");
    const size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[n] = '\0';
    if (file) (void)fclose(file);
    (void)remove("test_tip_map.svg");
    CHECK(strstr(text, "z = 3.500 A") && strstr(text, "F_z, eV/A"));
    check_cells(text, &v);
    shoal_tip_block_destroy(block);
    free_part(&sample);
    free_part(&tip);
}

/* --- refusals ------------------------------------------------------------------------------------- */

static void test_refusals(void)
{
    part sample, tip;
    shoal_tip_block *block = NULL;
    make_both(&sample, &tip);
    shoal_tip_options o = small_block;
    o.n[1] = 0;
    CHECK(shoal_tip_scan(&block, &sample.system, &tip.system, NULL, &o, NULL, NULL) ==
          SHOAL_E_ARGUMENT);
    CHECK_TEXT(shoal_error_text(), "probe: 0 points along y, expected 1 or more");
    o = small_block;
    o.step[2] = 0;
    CHECK(shoal_tip_scan(&block, &sample.system, &tip.system, NULL, &o, NULL, NULL) ==
          SHOAL_E_ARGUMENT);
    o = small_block;
    const shoal_system empty = {0};
    CHECK(shoal_tip_scan(&block, &empty, &tip.system, NULL, &o, NULL, NULL) == SHOAL_E_ARGUMENT);
    CHECK_TEXT(shoal_error_text(), "probe: the sample has no topology or no coordinates");
    CHECK(block == NULL);
    const double heights[2] = {2, 3};
    o.n[0] = 5;
    CHECK(shoal_tip_around(&o, &sample.system, 1.0, heights) == SHOAL_OK);
    CHECK_NEAR(o.origin[0], 0.35, 1e-12);
    CHECK_NEAR(o.origin[2], 5.6, 1e-12);
    CHECK_NEAR(o.step[0], (3.2 - 1.35 + 2.0) / 4, 1e-12);
    CHECK_NEAR(o.step[2], 1.0 / 5, 1e-12);
    static const double cell[3][3] = {{20, 0, 0}, {0, 20, 0}, {0, 0, 20}};
    o = small_block;
    for (int c = 0; c < 3; ++c) {
        const bool pbc[3] = {c == 0, c == 1, c == 2};
        shoal_system repeats = sample.system;
        CHECK(shoal_molecule_set_cell(sample.mol, cell, pbc) == SHOAL_OK);
        CHECK(shoal_topology_create(&repeats.topology, sample.mol, NULL) == SHOAL_OK);
        CHECK(shoal_tip_scan(&block, &repeats, &tip.system, NULL, &o, NULL, NULL) ==
              SHOAL_E_ARGUMENT);
        CHECK(strstr(shoal_error_text(), "probe: the sample repeats") != NULL);
        shoal_topology_destroy(repeats.topology);
    }
    o.n[0] = 5;
    o.n[1] = o.n[2] = 1; /* a line in the middle, at the lower height */
    CHECK(shoal_tip_around(&o, &sample.system, 1.0, heights) == SHOAL_OK);
    CHECK_NEAR(o.origin[2], 5.6, 1e-12);
    CHECK_NEAR(o.origin[1], 0.5 * (1.05 + 3.9), 1e-12);
    CHECK(o.step[1] == 0.0 && o.step[2] == 0.0);
    free_part(&sample);
    free_part(&tip);
}

int main(void)
{
    test_blocks();
    test_large();
    test_rounds();
    test_without_numbers();
    test_shifts();
    test_coarse_shifts();
    test_picture();
    test_map();
    test_refusals();
    return check_done();
}
