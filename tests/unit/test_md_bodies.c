/* SPDX-License-Identifier: BSD-3-Clause
 * Rigid bodies in dynamics, on every schedule. */
#include "body_fixture.h"
#include "constants.h"

static const body_kind mixed[4] = {BODY_WATER, BODY_CO2, BODY_ARGON, BODY_METHANE};
static const body_kind flat[2] = {BODY_BENZENE, BODY_BENZENE};
static const body_kind wet[4] = {BODY_WATER, BODY_WATER, BODY_N2, BODY_WATER};

static void test_energy(const schedule *c)
{
    static set s;
    s.n = 0;
    (void)body_cluster(&s, c, mixed, 4, 4.0, 0.3);
    (void)body_cluster(&s, c, wet, 4, 3.4, 2.1);
    (void)body_cluster(&s, c, flat, 2, 5.6, 0.0);
    for (int k = 0; k < 2; ++k) {
    static const double kelvin = 100;
    shoal_engine *engine = driver_engine(&s, c);
        const shoal_md_options o = {
            .n_steps = 20000 << k, .dt = 2.0 / (1 << k), .stride = 5 << k, .temperatures = &kelvin, .n_temperatures = 1};
        CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_OK);
        for (int32_t i = 0; i < s.n; ++i) {
            const shoal_md_result *m = shoal_engine_md_result(engine, i);
            shoal_result r;
            CHECK(shoal_engine_result(engine, i, &r) == SHOAL_OK);
            CHECK(m && r.status == SHOAL_SYSTEM_OK);
            if (m) printf("%s %d: dof %g etot0 %.8f etot %.8f drift %g fluct %g T %g strain %g %s\n", c->name, i, m->n_dof, m->etot0, m->etot, m->drift, m->fluctuation, m->temperature, body_strain(&s.systems[i], (const double(*)[3])s.systems[i].pos, shoal_engine_positions(engine, i)), r.reason);
        }
        shoal_engine_destroy(engine);
    }
    set_free(&s);
}

int main(void)
{
    schedule list[MOST_SCHEDULES];
    const int n = find_schedules(list);
    for (int k = 0; k < n; ++k) test_energy(&list[k]);
    return check_done();
}
