/* SPDX-License-Identifier: BSD-3-Clause
 * The tail of van der Waals sums over crystals: a formula from outside, longer cut-offs, every device and mixing, no
 * forces, and systems that have none. */
#include <stdlib.h>

#include "periodic_fixture.h"
#include "shoal/device.h"

#include "constants.h"

/* Argon and krypton on a face-centred lattice of 5.3 angstrom, shaken; 2 x 2 x 2 cubes. */
static shoal_molecule *make_crystal(int n_periodic)
{
    static const double fcc[4][3] = {{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
    static const double cell[3][3] = {{10.6, 0, 0}, {0, 10.6, 0}, {0, 0, 10.6}};
    double pos[32][3];
    int32_t z[32];
    uint64_t seed = 3;
    for (int32_t i = 0; i < 32; ++i) {
        const int32_t at[3] = {i / 16, i / 8 % 2, i / 4 % 2};
        z[i] = i % 3 ? 18 : 36;
        for (int c = 0; c < 3; ++c)
            pos[i][c] = 5.3 * (at[c] + fcc[i % 4][c]) + 0.1 * set_random(&seed);
    }
    return periodic_molecule(32, z, (const double(*)[3])pos, NULL, cell, n_periodic);
}

static void run_one(const set *s, int32_t i, shoal_engine_options options, outcome *out)
{
    const run_options o = {.engine = options};
    run_set(s, &i, 1, &o, out);
    CHECK(out->r.status == SHOAL_SYSTEM_OK);
}

/* What the option adds, eV; nothing else may change. */
static double tail_of(const set *s, int32_t i, shoal_engine_options options)
{
    outcome with, without;
    run_one(s, i, options, &without);
    options.vdw_tail = true;
    run_one(s, i, options, &with);
    const size_t size = (size_t)s->systems[i].n_atoms * sizeof with.forces[0];
    const double tail = with.r.energy - without.r.energy;
    CHECK(memcmp(with.forces, without.forces, size) == 0);
    CHECK_NEAR(with.terms[SHOAL_TERM_VDW] - without.terms[SHOAL_TERM_VDW], tail, 1e-6 * fabs(tail));
    outcomes_free(&with, 1);
    outcomes_free(&without, 1);
    return tail;
}

/* int (1 - S) u r^2 dr of a pair of depth 1, by the midpoint rule below the cut-off c and beyond it by the formula
 * of Allen and Tildesley. */
static double integral(double x, double c)
{
    const double start = c * 5 / 6, h = (c - start) / 400;
    double sum = 0;
    for (int n = 0; n < 400; ++n) {
        const double y = (n + 0.5) / 400, r = start + (n + 0.5) * h, u = pow(x / r, 6);
        sum += h * y * y * y * (10 - 15 * y + 6 * y * y) * (u * u - 2 * u) * r * r;
    }
    return sum + pow(x, 12) / (9 * pow(c, 9)) - 2 * pow(x, 6) / (3 * pow(c, 3));
}

/* 1/2 sum_ij 4 pi/V D int (1 - S) u r^2 dr. */
static double expected(const shoal_topology_view *v, double volume, double cutoff, bool arithmetic)
{
    double sum = 0;
    for (int32_t i = 0; i < v->n_atoms; ++i)
        for (int32_t j = 0; j < v->n_atoms; ++j) {
            const double xi = v->vdw_x[i], xj = v->vdw_x[j];
            sum += sqrt(v->vdw_d[i] * v->vdw_d[j]) *
                   integral(arithmetic ? 0.5 * (xi + xj) : sqrt(xi * xj), cutoff);
        }
    return 2 * PI / volume * sum;
}

static void test_device(const char *device, shoal_precision precision)
{
    static set s;
    const bool is_float = precision == SHOAL_PRECISION_FLOAT;
    (void)periodic_add(&s, make_crystal(3), "crystal", 0.0);
    for (int n = 0; n < 3; ++n) (void)periodic_add(&s, make_crystal(n), "no crystal", 0.0);
    shoal_topology_view v;
    shoal_topology_get(s.systems[0].topology, &v);
    for (int k = 0; k < 4; ++k) {
        const shoal_engine_options o = {.device = device,
                                        .precision = precision,
                                        .mixing = k % 2 ? SHOAL_MIXING_ARITHMETIC
                                                        : SHOAL_MIXING_GEOMETRIC,
                                        .vdw_cutoff = k / 2 ? 8 : 0};
        const double want = expected(&v, pow(10.6, 3), k / 2 ? 8 : 12, k % 2);
        CHECK_NEAR(tail_of(&s, 0, o), want, (is_float ? 1e-5 : 1e-6) * fabs(want));
        CHECK(want < -0.05);
    }
    for (int32_t i = 1; i < 4; ++i)
        CHECK_NEAR(tail_of(&s, i, (shoal_engine_options){.device = device}), 0.0, 0.0);
    const shoal_engine_options off = {.device = device, .terms_off = 1u << SHOAL_TERM_VDW};
    CHECK_NEAR(tail_of(&s, 0, off), 0.0, 0.0);
    set_free(&s);
}

/* With the tail the cut-off matters little. */
static void test_cutoffs(void)
{
    static set s;
    static const double cutoffs[4] = {8, 10, 12, 15};
    outcome far;
    (void)periodic_add(&s, make_crystal(3), "crystal", 0.0);
    run_one(&s, 0, (shoal_engine_options){.vdw_cutoff = 40}, &far);
    for (int k = 0; k < 4; ++k) {
        outcome with, without;
        run_one(&s, 0, (shoal_engine_options){.vdw_cutoff = cutoffs[k]}, &without);
        run_one(&s, 0, (shoal_engine_options){.vdw_cutoff = cutoffs[k], .vdw_tail = true}, &with);
        const double error = fabs(with.r.energy - far.r.energy);
        (void)printf("cut-off %.0f A: %.4f eV, with the tail %.4f\n", cutoffs[k],
                     without.r.energy - far.r.energy, with.r.energy - far.r.energy);
        CHECK(without.r.energy - far.r.energy > 0.04 && error < 0.02);
        CHECK(error < 0.1 * (without.r.energy - far.r.energy));
        outcomes_free(&with, 1);
        outcomes_free(&without, 1);
    }
    outcomes_free(&far, 1);
    set_free(&s);
}

/* The same constant before and after a relaxation. */
static void test_relaxation(const char *device)
{
    static set s;
    outcome out[2];
    const shoal_relax_options relax = {.fmax = 0.01};
    (void)periodic_add(&s, make_crystal(3), "crystal", 0.0);
    for (int k = 0; k < 2; ++k) {
        const run_options o = {.engine = {.device = device, .vdw_tail = k}, .relax = &relax};
        run_set(&s, NULL, 1, &o, &out[k]);
        CHECK(out[k].r.status == SHOAL_SYSTEM_CONVERGED);
    }
    const double before = out[1].r.energy0 - out[0].r.energy0;
    CHECK(before < -0.05);
    CHECK_NEAR(out[1].r.energy - out[0].r.energy, before, 1e-4);
    outcomes_free(out, 2);
    set_free(&s);
}

int main(void)
{
    const char *named = getenv("SHOAL_TEST_DEVICE"), *device = named ? named : "opencl:cpu";
    const bool found = shoal_device_check(device) == SHOAL_OK;
    test_device("ref", SHOAL_PRECISION_DOUBLE);
    test_device("cpu", SHOAL_PRECISION_DOUBLE);
    test_device("cpu", SHOAL_PRECISION_FLOAT);
    test_cutoffs();
    test_relaxation("cpu");
    if (found) {
        test_device(device, SHOAL_PRECISION_DOUBLE);
        test_device(device, SHOAL_PRECISION_FLOAT);
        test_relaxation(device);
    } else {
        (void)printf("%s left out: %s\n", device, shoal_error_text());
    }
    CHECK(found || !getenv("CI")); /* there nothing is left out */
    return check_done();
}
