/* SPDX-License-Identifier: BSD-3-Clause
 * Baths of dynamics that change: temperatures along ramps, and the velocities that are drawn from them. */
#include "constants.h"
#include "driver_fixture.h"
#include "engine/md.h"
#include "md_copies.h"
#include "shoal/md.h"

#define SHOAL_REAL double
#include "random.h"

static const schedule plain = {
    .name = "cpu double", .device = "cpu", .large = false, .precision = SHOAL_PRECISION_DOUBLE};

typedef struct thermometer {
    int32_t n;
    double bath[64];
} thermometer;

static shoal_status thermometer_take(void *user, const shoal_relax_frame *f)
{
    thermometer *t = user;
    if (t->n < 64) t->bath[t->n++] = f->bath;
    return SHOAL_OK;
}

static void test_ramp(void)
{
    static set s;
    static const double pieces[3] = {100, 400, 0};
    thermometer t = {0};
    s = (set){0};
    (void)driver_alkane(&s, &plain, 4, 0.02);
    shoal_engine *engine = make_engine(&s, 1);
    const shoal_md_options o = {.n_steps = 6000,
                                .temperatures = pieces,
                                .n_temperatures = 3,
                                .thermostat = SHOAL_THERMOSTAT_LANGEVIN,
                                .friction = 0.05,
                                .stride = 500,
                                .frame = thermometer_take,
                                .frame_user = &t};
    CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_OK);
    CHECK(t.n == 13 && t.bath[0] == 100 && t.bath[6] == 400 && t.bath[12] == 0);
    CHECK_NEAR(t.bath[3], 250, 1e-9);
    CHECK_NEAR(t.bath[9], 200, 1e-9);
    const shoal_md_result *m = shoal_engine_md_result(engine, 0);
    double kinetic2 = 0;
    for (int32_t a = 0; m && a < s.systems[0].n_atoms; ++a)
        for (int k = 0; k < 3; ++k)
            kinetic2 += m->masses[a] * m->velocities[a][k] * m->velocities[a][k] / ACCELERATION;
    CHECK(kinetic2 / (42 * BOLTZMANN) < 60); /* it follows the bath down */
    CHECK(m && m->temperature == 0 && m->temperature_mean > 100 && m->temperature_mean < 300);
    shoal_engine_destroy(engine);
    set_free(&s);
}

typedef struct ramp_check {
    double mass;
    const double *kelvin; /* three pieces' ends */
    int32_t n, n_steps;
} ramp_check;

/* A free atom with so much friction that every step draws its velocity anew: sqrt(kT / m) times a normal number, T as
 * straight lines lead to it, step by step. */
static shoal_status ramp_take(void *user, const shoal_relax_frame *f)
{
    ramp_check *c = user;
    if (f->steps == 0) return SHOAL_OK;
    const random_words counter = {{0, (uint32_t)f->steps, 7, 0}};
    const v3 g = random_normal(random_make(counter, 3, RANDOM_LANGEVIN));
    const double at = 2.0 * (f->steps - 1) / c->n_steps; /* velocities are half a step behind */
    const int piece = at < 1 ? 0 : 1;
    const double kelvin =
        c->kelvin[piece] + (at - piece) * (c->kelvin[piece + 1] - c->kelvin[piece]);
    const double width = sqrt(BOLTZMANN * kelvin * ACCELERATION / c->mass),
                 wanted[3] = {g.x, g.y, g.z};
    for (int k = 0; k < 3; ++k) CHECK_NEAR(f->velocities[0][k], width * wanted[k], 1e-9 * width);
    ++c->n;
    return SHOAL_OK;
}

static void test_ramp_by_steps(void)
{
    static set s;
    static const double atom[1][3] = {{1, 2, 3}}, kelvin[3] = {100, 400, 150};
    s = (set){0};
    (void)driver_argon(&s, &plain, 1, atom);
    shoal_engine *engine = make_engine(&s, 1);
    ramp_check c = {.mass = 39.948, .kelvin = kelvin, .n_steps = 24};
    const shoal_md_system own = {.key = 7};
    const shoal_md_options o = {.n_steps = c.n_steps,
                                .dt = 0.5,
                                .temperatures = kelvin,
                                .n_temperatures = 3,
                                .thermostat = SHOAL_THERMOSTAT_LANGEVIN,
                                .friction = 1000,
                                .seed = 3,
                                .stride = 1,
                                .systems = &own,
                                .frame = ramp_take,
                                .frame_user = &c};
    CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_OK && c.n == c.n_steps);
    shoal_engine_destroy(engine);
    set_free(&s);
}

/* Of systems with two and three pieces: segments end wherever any of them bends, and temperatures are straight between. */
static void test_bends(void)
{
    static const double two[3] = {100, 400, 0}, three[4] = {10, 20, 50, 30};
    static const int32_t bends[5] = {0, 400, 600, 800, 1200};
    const shoal_md_system own[2] = {{.temperatures = two, .n_temperatures = 3},
                                    {.temperatures = three, .n_temperatures = 4}};
    md_walker walkers[2] = {{0}};
    shoal_engine engine = {.n_systems = 2};
    const md_run run = {
        .engine = &engine, .walkers = walkers, .options = {.n_steps = 1200, .systems = own}};
    for (int k = 0; k < 4; ++k) {
        CHECK(md_next_bend(&run, bends[k]) == bends[k + 1]);
        CHECK(md_next_bend(&run, bends[k + 1] - 1) == bends[k + 1]);
    }
    CHECK_NEAR(md_temperature(&run, 0, 300), 250, 1e-12);
    CHECK_NEAR(md_temperature(&run, 0, 900), 200, 1e-12);
    CHECK_NEAR(md_temperature(&run, 1, 600), 35, 1e-12);
    CHECK_NEAR(md_temperature(&run, 1, 1000), 40, 1e-12);
    CHECK_NEAR(md_temperature(&run, 1, 1200), 30, 0);
}

int main(void)
{
    test_ramp();
    test_ramp_by_steps();
    test_bends();
    return check_done();
}
