/* SPDX-License-Identifier: BSD-3-Clause
 * The slope of energies by strain: ref against differences of strained cells in one to three directions, with charges,
 * sites, damping and a tail; values that are known. Other backends are held to ref by the tests of conformance. */
#include "periodic_fixture.h"

static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};

/* r (1 + e) with the symmetric strain that has x in component k. */
static void strain(const double r[3], int k, double x, double out[3])
{
    const int a = pairs[k][0], b = pairs[k][1];
    const double at[3] = {r[0], r[1], r[2]};
    for (int c = 0; c < 3; ++c) out[c] = at[c];
    out[a] += 0.5 * x * at[b];
    out[b] += 0.5 * x * at[a];
}

/* The system strained in component k, as number s->n of the set. */
static void add_strained(set *s, const set_system *from, int k, double x)
{
    set_system *to = &s->systems[s->n++];
    *to = *from;
    to->topology = shoal_topology_retain(from->topology);
    to->fixed = NULL;
    to->pos = malloc((size_t)from->n_atoms * sizeof *to->pos + 1);
    for (int32_t i = 0; i < from->n_atoms; ++i) strain(from->pos[i], k, x, to->pos[i]);
    for (int c = 0; c < 3; ++c) strain(from->cell[c], k, x, to->cell[c]);
}

/* Five-point differences of one system in all six components. */
static void differences(const set_system *sys, const shoal_engine_options *options, double out[6])
{
    static const double steps[4] = {-2, -1, 1, 2}, weights[4] = {1, -8, 8, -1};
    const double step = 1e-4;
    const run_options o = {.engine = *options};
    static set strained;
    static outcome got[24];
    for (int k = 0; k < 24; ++k) add_strained(&strained, sys, k / 4, step * steps[k % 4]);
    run_set(&strained, NULL, 24, &o, got);
    for (int k = 0; k < 6; ++k) {
        out[k] = 0;
        for (int m = 0; m < 4; ++m) out[k] += weights[m] * got[4 * k + m].r.energy / (12 * step);
    }
    outcomes_free(got, 24);
    set_free(&strained);
}

static void check_set(const set *s, const char *what, shoal_engine_options options)
{
    static outcome got[SET_SYSTEMS];
    options.device = "ref";
    const run_options o = {.engine = options};
    run_set(s, NULL, s->n, &o, got);
    for (int32_t i = 0; i < s->n; ++i) {
        double by[6], size = 0, worst = 0;
        CHECK(got[i].r.status == SHOAL_SYSTEM_OK);
        differences(&s->systems[i], &options, by);
        for (int k = 0; k < 6; ++k) size = fmax(size, fabs(by[k]));
        for (int k = 0; k < 6; ++k)
            worst = fmax(worst, fabs(got[i].r.stress[k] * got[i].r.measure - by[k]));
        if (!(worst <= 1e-6 * size))
            (void)printf("%s, %s: off by %g of %g\n", what, s->systems[i].name, worst, size);
        CHECK(worst <= 1e-6 * size);
        CHECK(size > 1e-3);
    }
    outcomes_free(got, s->n);
}

static void test_differences(void)
{
    static set s;
    periodic_add_volumes(&s);
    periodic_add_layers(&s);
    check_set(&s, "plain", (shoal_engine_options){0});
    check_set(&s, "damped", (shoal_engine_options){.coulomb_damping = 0.7});
    check_set(&s, "tail", (shoal_engine_options){.vdw_tail = true, .vdw_cutoff = 6});
    set_free(&s);
}

int main(void)
{
    test_differences();
    return check_done();
}
