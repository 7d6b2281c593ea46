/* SPDX-License-Identifier: BSD-3-Clause
 * Pair models of ref against numbers found by other means (tests/golden/pair_model.py): pairs of every form, Coulomb
 * forms, clusters and crystals with sites. And what is refused in a crystal. */
#include "backend/vdw_tail.h"
#include "pair_model_fixture.h"
#include "ref_probe.h"

#include "golden/pair_model.inc"

#define ARRAY(a) (sizeof(a) / sizeof(a)[0])

/* Two atoms of a model along x; the energy, and *slope dE/dr. */
static double pair_energy(const shoal_pair_model *model, double hj, double r, double *slope)
{
    static probe p;
    const double hbonds[2] = {-0.55, hj};
    probe_init(&p, 2);
    p.options.terms_off = 0;
    p.vdw_x[0] = 2 * 1.65;
    p.vdw_x[1] = 2 * 1.21;
    p.vdw_d[0] = 0.0041;
    p.vdw_d[1] = 0.0015;
    p.charges[0] = -0.8;
    p.charges[1] = 0.3;
    p.system.view.has_charges = true;
    p.system.view.model = model;
    p.system.view.hbonds = hbonds;
    p.pos[1][0] = 0.6 * r;
    p.pos[1][2] = -0.8 * r;
    (void)probe_energy(&p);
    CHECK(p.result.status == SHOAL_SYSTEM_OK);
    *slope = -(0.6 * p.forces[1][0] - 0.8 * p.forces[1][2]);
    CHECK_NEAR(p.forces[0][0], -p.forces[1][0], 0);
    return p.result.energy;
}

static void test_pairs(void)
{
    for (size_t k = 0; k < ARRAY(golden_pairs); ++k) {
        const double *g = golden_pairs[k];
        const model_case c = {.form = (int)g[0],
                              .hbond = (int)g[1],
                              .coulomb = SHOAL_COULOMB_NONE,
                              .damped = g[2] > 0};
        shoal_pair_model *model = model_make(&c);
        double slope;
        const double energy = pair_energy(model, g[3], g[4], &slope);
        const double near = 1e-13 * (fabs(g[5]) + 0.1 * fabs(g[6]) + 1e-3);
        CHECK_NEAR(energy, g[5], near);
        CHECK_NEAR(slope, g[6], 10 * near);
        shoal_pair_model_destroy(model);
    }
}

static void test_coulomb(void)
{
    const double kqq = COULOMB_CONSTANT * -0.8 * 0.3;
    for (size_t k = 0; k < ARRAY(golden_coulomb); ++k) {
        const double *g = golden_coulomb[k];
        model_case c = {.form = SHOAL_FORM_MORSE, .coulomb = SHOAL_COULOMB_NONE};
        shoal_pair_model *without = model_make(&c);
        c.coulomb = (int)g[0];
        shoal_pair_model *with = model_make(&c);
        double slope, slope0;
        const double energy0 = pair_energy(without, 0.7, g[1], &slope0);
        const double energy = pair_energy(with, 0.7, g[1], &slope);
        CHECK_NEAR(energy - energy0, kqq * g[2], 1e-13 * (1 + fabs(kqq * g[2])));
        CHECK_NEAR(slope - slope0, kqq * g[3], 1e-12 * (1 + fabs(kqq * g[3])));
        shoal_pair_model_destroy(without);
        shoal_pair_model_destroy(with);
    }
}

static void test_systems(void)
{
    static set s;
    for (size_t k = 0; k < ARRAY(golden_systems); ++k) {
        const golden_system *g = &golden_systems[k];
        shoal_molecule *mol = g->periodic ? model_crystal(3) : model_cluster();
        const shoal_engine_options o = {.device = "ref", .vdw_cutoff = g->periodic ? 7 : 0};
        outcome got;
        s.n = 0;
        model_add(&s, mol, &g->c, 0);
        run_set(&s, NULL, 1, &(run_options){.engine = o}, &got);
        CHECK_NEAR(got.r.terms[SHOAL_TERM_VDW], g->vdw, 1e-12);
        CHECK_NEAR(got.r.terms[SHOAL_TERM_COULOMB], g->coulomb, g->periodic ? 1e-9 : 1e-12);
        outcomes_free(&got, 1);
        set_free(&s);
        shoal_molecule_destroy(mol);
    }
}

/* The status of a crystal with a model; a tail asked for or not. */
static shoal_system_status status_of(const model_case *c, int n_periodic, bool tail, char *reason)
{
    shoal_pair_model *model = model_make(c);
    shoal_molecule *mol = model_crystal(n_periodic);
    shoal_topology *topology = NULL;
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    shoal_result r;
    double cell[3][3];
    bool pbc[3];
    shoal_molecule_cell(mol, cell, pbc);
    CHECK(shoal_topology_create(&topology, mol, &(shoal_typing_options){.model = model}) ==
          SHOAL_OK);
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    CHECK(shoal_batch_add(batch, &(shoal_system){.topology = topology,
                                                 .pos = shoal_molecule_positions(mol),
                                                 .cell = (const double(*)[3])cell}) == SHOAL_OK);
    CHECK(shoal_engine_create(&engine, batch,
                              &(shoal_engine_options){.device = "ref", .vdw_tail = tail}) ==
          SHOAL_OK);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
    (void)snprintf(reason, BACKEND_REASON_SIZE, "%s", r.reason);
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(mol);
    shoal_pair_model_destroy(model);
    return r.status;
}

static void test_refusals(void)
{
    char reason[BACKEND_REASON_SIZE];
    const model_case charged = {.formula = MODEL_FORMULA},
                     neutral = {.formula = MODEL_FORMULA_NEUTRAL};
    const model_case morse = {.form = SHOAL_FORM_MORSE};
    const model_case damped = {.form = SHOAL_FORM_LJ, .damped = true}, lj = {.form = SHOAL_FORM_LJ};
    for (int n = 1; n <= 3; ++n) {
        CHECK(status_of(&charged, n, false, reason) == SHOAL_SYSTEM_UNTYPED);
        CHECK(strstr(reason, "formula with charges"));
        CHECK(status_of(&neutral, n, false, reason) == SHOAL_SYSTEM_OK);
    }
    CHECK(status_of(&morse, 3, true, reason) == SHOAL_SYSTEM_UNTYPED);
    CHECK(strstr(reason, "LJ 12-6 alone"));
    CHECK(status_of(&damped, 3, true, reason) == SHOAL_SYSTEM_UNTYPED);
    CHECK(status_of(&neutral, 3, true, reason) == SHOAL_SYSTEM_UNTYPED);
    CHECK(status_of(&lj, 3, true, reason) == SHOAL_SYSTEM_OK);
    CHECK(status_of(&morse, 2, true, reason) == SHOAL_SYSTEM_OK); /* has no tail */
    CHECK(status_of(&morse, 3, false, reason) == SHOAL_SYSTEM_OK);
}

/* The tail of LJ with hydrogen bonds: ref and what the other backends use. */
static void test_tail(void)
{
    static set s;
    for (int hbond = 0; hbond < MODEL_HBONDS; ++hbond) {
        const model_case c = {
            .form = SHOAL_FORM_LJ, .hbond = hbond, .coulomb = SHOAL_COULOMB_CLAMP};
        shoal_molecule *mol = model_crystal(3);
        shoal_engine_options o = {.device = "ref", .vdw_cutoff = 6};
        shoal_topology_view v;
        outcome with, without;
        s.n = 0;
        model_add(&s, mol, &c, 0);
        run_set(&s, NULL, 1, &(run_options){.engine = o}, &without);
        o.vdw_tail = true;
        run_set(&s, NULL, 1, &(run_options){.engine = o}, &with);
        shoal_topology_get(s.systems[0].topology, &v);
        const double tail = with.r.energy - without.r.energy;
        CHECK(tail < -0.01);
        CHECK_NEAR(vdw_tail(&v, &o, 8.6 * 8.9 * 7.4), tail, 1e-9 * fabs(tail));
        outcomes_free(&with, 1);
        outcomes_free(&without, 1);
        set_free(&s);
        shoal_molecule_destroy(mol);
    }
}

int main(void)
{
    test_pairs();
    test_coulomb();
    test_systems();
    test_refusals();
    test_tail();
    return check_done();
}
