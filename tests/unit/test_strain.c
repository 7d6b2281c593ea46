/* SPDX-License-Identifier: BSD-3-Clause
 * The slope of energies by strain: ref against differences of strained cells in one to three directions, with charges,
 * sites, damping and a tail; values that are known. Other backends are held to ref by the tests of conformance. */
#include "periodic_fixture.h"
#include "strain_fixture.h"

static void check_set(const set *s, const char *what, shoal_engine_options options)
{
    static outcome got[SET_SYSTEMS];
    options.device = "ref";
    const run_options o = {.engine = options};
    run_set(s, NULL, s->n, &o, got);
    for (int32_t i = 0; i < s->n; ++i) {
        CHECK(got[i].r.status == SHOAL_SYSTEM_OK);
        const double off = strain_off(&s->systems[i], &got[i], options);
        if (!(off <= 1e-6)) (void)printf("%s, %s: off by %g\n", what, s->systems[i].name, off);
        CHECK(off <= 1e-6);
        CHECK(fabs(got[i].r.stress[0]) > 1e-6);
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
