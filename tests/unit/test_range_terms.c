/* SPDX-License-Identifier: BSD-3-Clause
 * Terms of distance geometry: numbers by hand on ref, forces as slopes, and every device like ref. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "shoal/device.h"
#include "shoal/engine.h"
#include "shoal/topology_builder.h"

enum { N = 5 };

static const double corners[N][3] = {
    {0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0.1, 0.2, 3}, {1.5, 1.4, 1.3}};

typedef struct answer {
    double energy, forces[N][3];
} answer;

static shoal_topology *begin(shoal_topology_builder **b)
{
    static const int32_t elements[N] = {6, 6, 6, 6, 6};
    CHECK(shoal_topology_begin(b, N, elements) == SHOAL_OK);
    return NULL;
}

static void add(shoal_topology_builder *b, int kind, const int32_t *atoms, double k, double low,
                double high)
{
    const double p[3] = {k, low, high};
    CHECK(shoal_topology_add_term(b, kind, atoms, NULL, p) == SHOAL_OK);
}

/* One range or volume alone, or a bundle of all cases. */
static shoal_topology *make(int kind, double low, double high)
{
    static const int32_t atoms[4] = {0, 1, 2, 3};
    shoal_topology_builder *b;
    shoal_topology *t = begin(&b);
    add(b, kind, atoms, 2, low, high);
    CHECK(shoal_topology_finish(b, SHOAL_EXCLUDE_NAMED, &t) == SHOAL_OK);
    return t;
}

static shoal_topology *make_all(void)
{
    shoal_topology_builder *b;
    shoal_topology *t = begin(&b);
    for (int32_t i = 0; i < N; ++i)
        for (int32_t j = i + 1; j < N; ++j) {
            const int32_t pair[2] = {i, j};
            const int way = (i + j) % 4; /* too near, too far, within, one end alone */
            add(b, SHOAL_KIND_RANGE, pair, 1 + i,
                way == 0   ? 3.5
                : way == 2 ? 0.5
                           : 0,
                way == 1   ? 1.1
                : way == 2 ? 9
                           : 0);
        }
    for (int32_t k = 0; k < 2; ++k) {
        const int32_t four[4] = {k, k + 1, k + 2, k + 3};
        add(b, SHOAL_KIND_VOLUME, four, 0.1, k ? 8 : -20, k ? 9 : 3);
    }
    CHECK(shoal_topology_finish(b, SHOAL_EXCLUDE_NAMED, &t) == SHOAL_OK);
    return t;
}

static answer eval(shoal_topology *t, const char *device, shoal_precision precision,
                   const double (*pos)[3])
{
    answer out = {.energy = NAN};
    shoal_batch *batch;
    shoal_engine *engine = NULL;
    shoal_result r;
    const shoal_system system = {.topology = t, .pos = pos};
    const shoal_engine_options o = {.device = device, .precision = precision, .n_threads = 1};
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int k = 0; k < 3; ++k) CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    CHECK(shoal_engine_create(&engine, batch, &o) == SHOAL_OK);
    if (engine && shoal_engine_eval(engine) == SHOAL_OK &&
        shoal_engine_result(engine, 2, &r) == SHOAL_OK && r.status == SHOAL_SYSTEM_OK) {
        out.energy = r.energy;
        memcpy(out.forces, r.forces, sizeof out.forces);
    }
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    return out;
}

static double energy_of(int kind, double low, double high)
{
    shoal_topology *t = make(kind, low, high);
    const answer a = eval(t, "ref", SHOAL_PRECISION_AUTO, corners);
    shoal_topology_destroy(t);
    return a.energy;
}

/* r = 1; the volume is 1 x 2 x 3. */
static void test_numbers(void)
{
    CHECK_NEAR(energy_of(SHOAL_KIND_RANGE, 0.5, 1.5), 0, 1e-15);
    CHECK_NEAR(energy_of(SHOAL_KIND_RANGE, 0, 0.5), 2 * 9.0, 1e-12);
    CHECK_NEAR(energy_of(SHOAL_KIND_RANGE, 2, 4), 2 * 0.36, 1e-12);
    CHECK_NEAR(energy_of(SHOAL_KIND_RANGE, 2, 0), 2 * 0.36, 1e-12);
    CHECK_NEAR(energy_of(SHOAL_KIND_VOLUME, 5, 7), 0, 1e-15);
    CHECK_NEAR(energy_of(SHOAL_KIND_VOLUME, 7, 9), 2 * 1.0, 1e-12);
    CHECK_NEAR(energy_of(SHOAL_KIND_VOLUME, -9, 4), 2 * 4.0, 1e-12);
}

static void test_slopes(const char *device)
{
    const double h = 1e-4;
    shoal_topology *t = make_all();
    const answer a = eval(t, device, SHOAL_PRECISION_DOUBLE, corners);
    for (int i = 0; i < N; ++i)
        for (int c = 0; c < 3; ++c) {
            double pos[N][3], e[2];
            for (int side = 0; side < 2; ++side) {
                memcpy(pos, corners, sizeof pos);
                pos[i][c] += side ? h : -h;
                e[side] = eval(t, device, SHOAL_PRECISION_DOUBLE, (const double(*)[3])pos).energy;
            }
            CHECK_NEAR(a.forces[i][c], -(e[1] - e[0]) / (2 * h), 2e-5);
        }
    shoal_topology_destroy(t);
}

static void test_like_ref(const char *device, shoal_precision precision, double most)
{
    shoal_topology *t = make_all();
    const answer a = eval(t, device, precision, corners), b = eval(t, "ref", 0, corners);
    CHECK(b.energy > 10);
    CHECK_NEAR(a.energy, b.energy, most * b.energy);
    for (int i = 0; i < N; ++i)
        for (int c = 0; c < 3; ++c) CHECK_NEAR(a.forces[i][c], b.forces[i][c], most * 100);
    shoal_topology_destroy(t);
}

int main(void)
{
    const char *device = getenv("SHOAL_TEST_DEVICE");
    if (!device) device = "opencl:cpu";
    test_numbers();
    test_slopes("ref");
    test_slopes("cpu");
    test_like_ref("cpu", SHOAL_PRECISION_DOUBLE, 1e-12);
    test_like_ref("cpu", SHOAL_PRECISION_FLOAT, 1e-5);
    if (shoal_device_check(device) == SHOAL_OK)
        test_like_ref(device, SHOAL_PRECISION_FLOAT, 1e-5);
    else
        (void)printf("%s left out: %s\n", device, shoal_error_text());
    return check_done();
}
