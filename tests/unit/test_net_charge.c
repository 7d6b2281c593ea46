/* SPDX-License-Identifier: BSD-3-Clause
 * Crystals with a net charge are computed on a uniform background, and every row says so. */
#include <stdlib.h>

#include "periodic_fixture.h"
#include "shoal/device.h"

static const double cube[3][3] = {{6, 0, 0}, {0, 6, 0}, {0, 0, 6}};
static const int32_t argon[2] = {18, 18};
static const double apart[2][3] = {{0, 0, 0}, {3, 3, 3}}, near[2][3] = {{0, 0, 0}, {0.2, 0, 0}};

enum { PLUS, MINUS, LITTLE, NEUTRAL, LAYER, ISOLATED, CLOSE, N_SYSTEMS };
static const char *const want[N_SYSTEMS] = {
    [PLUS] = "net charge +1.000 e: neutralised by a uniform background",
    [MINUS] = "net charge -0.250 e: neutralised by a uniform background",
    [LITTLE] = "net charge +0.000010 e: neutralised by a uniform background",
    [NEUTRAL] = "",
    [LAYER] = "", /* refused */
    [ISOLATED] = "",
    [CLOSE] = "net charge +0.500 e: neutralised by a uniform background",
};

static shoal_engine *make_engine(const set *s, const char *device, uint32_t terms_off)
{
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int32_t i = 0; i < s->n; ++i) {
        bool fixed[2] = {i == CLOSE, i == CLOSE};
        const shoal_system system = {.topology = s->systems[i].topology,
                                     .pos = (const double(*)[3])s->systems[i].pos,
                                     .cell = (const double(*)[3])s->systems[i].cell,
                                     .fixed = fixed};
        CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    }
    const shoal_engine_options o = {.device = device, .terms_off = terms_off};
    CHECK(shoal_engine_create(&engine, batch, &o) == SHOAL_OK);
    shoal_batch_destroy(batch);
    return engine;
}

/* Warnings of single points, of a relaxation and of single points after it. */
static void try_device(const set *s, const char *device, bool relaxes)
{
    shoal_result r;
    shoal_engine *engine = make_engine(s, device, 0);
    for (int run = 0; run < (relaxes ? 3 : 1); ++run) {
        CHECK((run == 1 ? shoal_engine_relax(engine, NULL, NULL, NULL)
                        : shoal_engine_eval(engine)) == SHOAL_OK);
        for (int32_t i = 0; i < N_SYSTEMS; ++i) {
            CHECK(shoal_engine_result(engine, i, &r) == SHOAL_OK);
            CHECK((r.status == SHOAL_SYSTEM_UNTYPED) == (i == LAYER));
            CHECK_TEXT(r.warning, want[i]);
        }
    }
    shoal_engine_destroy(engine);
    engine = make_engine(s, device, 1u << SHOAL_TERM_COULOMB);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, PLUS, &r) == SHOAL_OK);
    CHECK_TEXT(r.warning, "");
    shoal_engine_destroy(engine);
}

int main(void)
{
    static set s;
    static const double charges[N_SYSTEMS][2] = {
        [PLUS] = {0.4, 0.6},     [MINUS] = {-0.5, 0.25}, [LITTLE] = {1, -0.99999},
        [NEUTRAL] = {0.3, -0.3}, [LAYER] = {0.5, 0.5},   [ISOLATED] = {0.5, 0.5},
        [CLOSE] = {0.5, 0}};
    for (int i = 0; i < N_SYSTEMS; ++i)
        (void)periodic_add(&s,
                           periodic_molecule(2, argon, i == CLOSE ? near : apart, charges[i], cube,
                                             i == LAYER      ? 2
                                             : i == ISOLATED ? 0
                                                             : 3),
                           "argon", 0.0);
    try_device(&s, "ref", false);
    try_device(&s, "cpu", true);
    const char *named = getenv("SHOAL_TEST_DEVICE"), *device = named ? named : "opencl:cpu";
    if (shoal_device_check(device) == SHOAL_OK)
        try_device(&s, device, true);
    else
        (void)printf("%s left out: %s\n", device, shoal_error_text());
    set_free(&s);
    return check_done();
}
