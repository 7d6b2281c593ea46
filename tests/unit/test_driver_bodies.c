/* SPDX-License-Identifier: BSD-3-Clause
 * Rigid bodies in relaxations, on every schedule. */
#include "body_fixture.h"

static const body_kind mixed[4] = {BODY_WATER, BODY_CO2, BODY_ARGON, BODY_METHANE};
static const body_kind flat[2] = {BODY_BENZENE, BODY_BENZENE};
static const body_kind wet[4] = {BODY_WATER, BODY_WATER, BODY_N2, BODY_WATER};

static void fill(set *s, const schedule *c)
{
    s->n = 0;
    (void)body_cluster(s, c, mixed, 4, 4.0, 0.3);
    (void)body_cluster(s, c, flat, 2, 5.0, 0.9);
    (void)body_cluster(s, c, wet, 4, 3.4, 2.1);
}

static void test_relax(const schedule *c, shoal_method method)
{
    static set s;
    static outcome out[SET_SYSTEMS];
    fill(&s, c);
    const double fmax = is_float(c) ? 1e-3 : 1e-5;
    const shoal_relax_options o = {.method = method, .fmax = fmax};
    drive(&s, c, &o, out);
    for (int32_t k = 0; k < s.n; ++k) {
        const set_system *sys = &s.systems[k];
        printf("%s %s %d: status %d steps %d e0 %.8f e %.8f fmax %g strain %g\n", c->name, method_name(method), k,
            out[k].r.status, out[k].r.steps, out[k].r.energy0, out[k].r.energy, out[k].r.fmax, body_strain(sys, (const double(*)[3])sys->pos, (const double(*)[3])out[k].pos));
        CHECK(out[k].r.status == SHOAL_SYSTEM_CONVERGED);
        CHECK(out[k].r.fmax <= fmax * 1.05);
        CHECK(body_strain(sys, (const double(*)[3])sys->pos, (const double(*)[3])out[k].pos) < (is_float(c) ? 3e-6 : 1e-12));
    }
    outcomes_free(out, s.n);
    set_free(&s);
}

int main(void)
{
    driver_each(test_relax, NULL);
    return check_done();
}
