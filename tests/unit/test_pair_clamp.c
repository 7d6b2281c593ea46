/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs that are clamped: two atoms by formulas of this file, all schedules against ref, forces against differences of
 * energies, clamps of single systems on live engines, and what rows say. */
#include "conformance_fixture.h"
#include "device_fixture.h"
#include "driver_fixture.h"
#include "pair_model_fixture.h"
#include "periodic_fixture.h"
#include "shoal/live.h"

/* Two argon atoms of UFF at r; the engine is to be destroyed. */
static shoal_engine *run_argon(double r, double clamp, shoal_result *out)
{
    static set s;
    const shoal_engine_options o = {.device = "ref", .pair_clamp = clamp};
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    (void)set_atom(mol, 18, 0, 0, 0);
    (void)set_atom(mol, 18, 0, 4, 0); /* too far for a bond */
    s.n = 0;
    set_add(&s, mol, "argon", 0)->pos[1][1] = r;
    shoal_molecule_destroy(mol);
    shoal_engine *engine = set_engine(&s, NULL, 1, &o);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 0, out) == SHOAL_OK);
    set_free(&s);
    return engine;
}

/* E = D (u^12 - 2 u^6), u = x/r, and -dE/dr. */
static double argon(double r, double *push)
{
    const double x = 3.868, depth = 0.185 / 23.060548, u6 = pow(x / r, 6);
    *push = 12 * depth * (u6 * u6 - u6) / r;
    return depth * (u6 * u6 - 2 * u6);
}

static void test_law(void)
{
    const double clamp = 0.625, near = clamp * 3.868; /* a float's number */
    for (double r = 0.3; r < 3.5; r += 0.35) {
        double push;
        shoal_result out;
        shoal_engine *engine = run_argon(r, clamp, &out);
        double want = argon(r < near ? near : r, &push);
        if (r < near) want += push * (near - r);
        CHECK_NEAR(out.energy, want, 1e-6 * fabs(want) + 1e-9);
        CHECK_NEAR(out.forces[1][1], push, 1e-6 * fabs(push) + 1e-9);
        CHECK_NEAR(out.forces[0][1], -push, 1e-6 * fabs(push) + 1e-9);
        CHECK((strstr(out.warning, "1 clamped pair: atom 0 (Ar) and atom 1 (Ar)") != NULL) ==
              (r < near));
        shoal_engine_destroy(engine);
    }
}

/* Nearly all pairs that are not bonded are in reach of this clamp. */
#define CLAMP 0.9

static void add_model(set *s, shoal_molecule *mol, const model_case *c)
{
    model_add(s, mol, c, 0);
    shoal_molecule_destroy(mol);
}

/* Chloroethanol three times over, squeezed; n times it for large systems. */
static void add_mmff94(set *s, int32_t n)
{
    static const double at[9][3] = {{0, 0, 0},        {1.5, 0, 0},       {-0.5, 1.4, 0.1},
                                    {2.2, -1.6, 0.1}, {-0.5, -0.5, 0.9}, {-0.5, -0.5, -0.9},
                                    {1.9, 0.5, 0.9},  {1.9, 0.5, -0.9},  {-1.4, 1.4, 0.2}};
    static const int32_t z[9] = {6, 6, 8, 17, 1, 1, 1, 1, 1};
    static const int32_t bonds[8][2] = {{0, 1}, {0, 2}, {1, 3}, {0, 4},
                                        {0, 5}, {1, 6}, {1, 7}, {2, 8}};
    shoal_molecule *mol = NULL;
    shoal_topology *topology = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int32_t k = 0; k < n; ++k) {
        for (int32_t i = 0; i < 9; ++i)
            (void)set_atom(mol, z[i], at[i][0] + 3.2 * (k % 5), at[i][1] + 2.9 * (k / 5 % 5),
                           at[i][2] + 2.1 * (k / 25));
        for (int b = 0; b < 8; ++b)
            CHECK(shoal_molecule_add_bond(mol, 9 * k + bonds[b][0], 9 * k + bonds[b][1], 1, NULL) ==
                  SHOAL_OK);
    }
    const shoal_typing_options typing = {.forcefield = SHOAL_FORCEFIELD_MMFF94};
    CHECK(shoal_topology_create(&topology, mol, &typing) == SHOAL_OK);
    CHECK(shoal_topology_status(topology) == SHOAL_SYSTEM_OK);
    set_system *sys = &s->systems[s->n++];
    memset(sys, 0, sizeof *sys);
    sys->topology = topology;
    sys->n_atoms = 9 * n;
    sys->pos = malloc((size_t)sys->n_atoms * sizeof *sys->pos);
    memcpy(sys->pos, shoal_molecule_positions(mol), (size_t)sys->n_atoms * sizeof *sys->pos);
    shoal_molecule_destroy(mol);
}

/* Every kind of pair there is, small, large and periodic. */
static void add_models(set *s)
{
    static const model_case lj = {.form = SHOAL_FORM_LJ, .sites = true};
    static const model_case morse = {.form = SHOAL_FORM_MORSE, .coulomb = SHOAL_COULOMB_DAMPED};
    static const model_case bent = {
        .form = SHOAL_FORM_BUCK6, .coulomb = SHOAL_COULOMB_SMOOTH, .damped = true};
    static const model_case formula = {.formula = MODEL_FORMULA_NEUTRAL};
    add_model(s, model_cluster(), &lj);
    add_model(s, model_cluster(), &morse);
    add_model(s, model_cluster(), &bent);
    add_model(s, model_cluster(), &formula);
    add_model(s, model_crystal(3), &lj);
    add_model(s, model_crystal(2), &bent);
    add_model(s, model_crystal(1), &formula);
    add_model(s, model_waters(350, 7), &morse);
    add_model(s, model_waters(350, 7), &formula);
    add_mmff94(s, 3);
    add_mmff94(s, 120);
}

static const uint32_t pairs_only = ~(1u << SHOAL_TERM_VDW | 1u << SHOAL_TERM_COULOMB);

static void test_device(const char *device)
{
    static set s, models;
    const bool cpu = strcmp(device, "cpu") == 0;
    for (int32_t n = 5; n <= 65; n += 20) {
        (void)set_add_size(&s, n, false);
        (void)set_add_size(&s, n, true);
    }
    (void)set_add_size(&s, 1030, true);
    periodic_add_volumes(&s);
    periodic_add_layers(&s);
    compare(device, &s, "clamped", (shoal_engine_options){.pair_clamp = CLAMP});
    compare(device, &s, "clamped, arithmetic, damped",
            (shoal_engine_options){
                .pair_clamp = CLAMP, .mixing = SHOAL_MIXING_ARITHMETIC, .coulomb_damping = 0.7});
    if (cpu)
        compare(device, &s, "clamped vdw",
                (shoal_engine_options){.pair_clamp = CLAMP, .terms_off = ~(1u << SHOAL_TERM_VDW)});
    add_models(&models);
    compare(device, &models, "clamped models",
            (shoal_engine_options){.pair_clamp = CLAMP,
                                   .terms_off = pairs_only,
                                   .vdw_cutoff = 7,
                                   .mixing = SHOAL_MIXING_ARITHMETIC});
    set_free(&s);
    set_free(&models);
}

/* The slope of ref's energy along one direction. */
static void test_differences(shoal_molecule *mol, const model_case *c, int32_t periodic)
{
    static set s;
    outcome at[3];
    const double h = 1e-6;
    s.n = 0;
    model_add(&s, mol, c, h);
    const run_options o = {.engine = {.device = "ref",
                                      .pair_clamp = CLAMP,
                                      .terms_off = pairs_only,
                                      .vdw_cutoff = periodic ? 7.0 : 0.0,
                                      .mixing = SHOAL_MIXING_ARITHMETIC}};
    run_set(&s, NULL, 3, &o, at);
    const double slope = (at[1].r.energy - at[2].r.energy) / (2 * h);
    CHECK_NEAR(slope, -model_work(&at[0], s.systems[0].n_atoms), 1e-6 * fabs(slope) + 1e-6);
    outcomes_free(at, 3);
    set_free(&s);
    shoal_molecule_destroy(mol);
}

/* Three equal systems, two of them clamped, and what they are alone; a clamp that is taken away. */
static void test_live(const schedule *c)
{
    static const double clamps[4] = {0, 0.5, 0.9, 0.9};
    static set s;
    outcome alone[4];
    shoal_array a, e;
    s.n = 0;
    for (int k = 0; k < 3; ++k) (void)driver_alkane(&s, c, 3, 0);
    (void)driver_alkane(&s, c, 4, 0); /* an unlike one */
    for (int k = 0; k < 4; ++k)
        for (int32_t i = 0; i < s.systems[k].n_atoms; ++i)
            for (int x = 0; x < 3; ++x) s.systems[k].pos[i][x] *= 0.7;
    const shoal_relax_options relax = {.method = SHOAL_METHOD_FIRE, .max_steps = 8};
    for (int k = 0; k < 4; ++k) {
        set one = {.n = 1};
        one.systems[0] = s.systems[k];
        const run_options o = {
            .engine = {.device = c->device, .precision = c->precision, .pair_clamp = clamps[k]},
            .relax = &relax};
        run_set(&one, NULL, 1, &o, &alone[k]);
    }
    shoal_engine *engine = driver_engine(&s, c);
    CHECK(shoal_engine_array(engine, "pair_clamp", &a) == SHOAL_OK);
    memcpy(a.data, clamps, sizeof clamps);
    CHECK(shoal_engine_changed(engine, "pair_clamp") == SHOAL_OK);
    CHECK(shoal_engine_relax(engine, &relax, NULL, NULL) == SHOAL_OK);
    for (int k = 0; k < 4; ++k) {
        shoal_result r;
        CHECK(shoal_engine_result(engine, k, &r) == SHOAL_OK);
        CHECK(r.energy == alone[k].r.energy && r.fmax == alone[k].r.fmax);
        CHECK(memcmp(r.forces, alone[k].forces, (size_t)s.systems[k].n_atoms * 24) == 0);
    }
    CHECK(alone[1].r.energy != alone[2].r.energy);
    ((double *)a.data)[1] = 0.99;
    CHECK(shoal_engine_changed(engine, "pair_clamp") == SHOAL_E_ARGUMENT);
    CHECK(strstr(shoal_error_text(), "pair_clamp of system 1 is 0.99, expected 0 to 0.95"));
    memset(a.data, 0, sizeof clamps);
    CHECK(shoal_engine_changed(engine, "pair_clamp") == SHOAL_OK);
    CHECK(shoal_engine_set_positions(engine, 2, (const double(*)[3])s.systems[2].pos) == SHOAL_OK);
    CHECK(shoal_engine_relax(engine, &relax, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_array(engine, "energies", &e) == SHOAL_OK);
    CHECK(((double *)e.data)[2] == alone[0].r.energy);
    shoal_engine_destroy(engine);
    outcomes_free(alone, 4);
    set_free(&s);
}

int main(void)
{
    static const model_case lj = {.form = SHOAL_FORM_LJ, .sites = true};
    static const model_case bent = {.form = SHOAL_FORM_BUCK6, .coulomb = SHOAL_COULOMB_SMOOTH};
    schedule list[MOST_SCHEDULES];
    const char *device = find_test_device();
    test_law();
    test_differences(model_cluster(), &lj, false);
    test_differences(model_cluster(), &bent, false);
    test_differences(model_crystal(3), &bent, true);
    test_device("cpu");
    if (device && strcmp(device, "cpu") != 0) test_device(device);
    const int n = find_schedules(list);
    for (int k = 0; k < n; ++k) test_live(&list[k]);
    return check_done();
}
