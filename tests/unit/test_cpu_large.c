/* SPDX-License-Identifier: BSD-3-Clause
 * Large and periodic systems on the cpu: 20 000 atoms, finite differences, systems that no sum is known
 * for, relaxations with fixed atoms, restraints and a stop, threads inside a system. */
#include "periodic_fixture.h"

static void run_one(const set *s, int32_t i, shoal_engine_options options,
                    const shoal_relax_options *relax, outcome *out)
{
    const run_options o = {.engine = options, .relax = relax};
    run_set(s, &i, 1, &o, out);
}

static double force_gap(const double a[3], const double b[3])
{
    return fmax(fabs(a[0] - b[0]), fmax(fabs(a[1] - b[1]), fabs(a[2] - b[2])));
}

/* Every copy in a supercell feels what the atom feels in its cell. */
static void test_supercell(void)
{
    static set s;
    static const int32_t repeat[3] = {10, 12, 14};
    outcome want, got;
    shoal_molecule *small = periodic_silica(periodic_plain);
    uint64_t seed = 5;
    for (int32_t i = 0; i < 12; ++i) { /* the same disorder in every cell */
        double r[3];
        for (int c = 0; c < 3; ++c)
            r[c] = shoal_molecule_positions(small)[i][c] + 0.05 * set_random(&seed);
        CHECK(shoal_molecule_set_position(small, i, r) == SHOAL_OK);
    }
    (void)set_add(&s, small, "cell", 0.0);
    (void)periodic_add(&s, periodic_repeat(small, repeat), "20160 atoms", 0.0);
    run_one(&s, 0, (shoal_engine_options){.device = "ref"}, NULL, &want);
    for (int p = 0; p < 2; ++p) {
        const double tolerance = p ? 1e-9 : 5e-6;
        double worst = 0;
        run_one(
            &s, 1,
            (shoal_engine_options){.device = "cpu",
                                   .precision = p ? SHOAL_PRECISION_DOUBLE : SHOAL_PRECISION_FLOAT},
            NULL, &got);
        CHECK(got.r.status == SHOAL_SYSTEM_OK);
        CHECK_NEAR(got.r.energy / 1680, want.r.energy, tolerance * fabs(want.r.energy));
        for (int32_t i = 0; i < s.systems[1].n_atoms; ++i)
            worst = fmax(worst, force_gap(got.forces[i], want.forces[i % 12]));
        CHECK_NEAR(worst, 0.0, tolerance * want.r.fmax);
        outcomes_free(&got, 1);
    }
    outcomes_free(&want, 1);
    set_free(&s);
}

/* Molecules out of each other's reach, 20 000 atoms in all. */
static void test_isolated(void)
{
    static set s;
    enum { COPIES = 625, SIZE = 32 };
    outcome want, got;
    shoal_molecule *mol = NULL;
    (void)set_add_size(&s, SIZE, false);
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int32_t k = 0; k < COPIES; ++k) set_alkane(mol, (SIZE - 2) / 3, 0);
    set_system *many = set_add(&s, mol, "20000 atoms", 0.0);
    shoal_molecule_destroy(mol);
    CHECK(many->n_atoms == COPIES * SIZE);
    for (int32_t i = 0; i < many->n_atoms; ++i) {
        const int32_t k = i / SIZE;
        for (int c = 0; c < 3; ++c)
            many->pos[i][c] = s.systems[0].pos[i % SIZE][c] + 80.0 * (c == 0   ? k % 9
                                                                      : c == 1 ? k / 9 % 9
                                                                               : k / 81);
    }
    run_one(&s, 0, (shoal_engine_options){.device = "ref"}, NULL, &want);
    run_one(&s, 1, (shoal_engine_options){.device = "cpu"}, NULL, &got);
    CHECK(got.r.status == SHOAL_SYSTEM_OK);
    CHECK_NEAR(got.r.energy, COPIES * want.r.energy, 1e-9 * COPIES);
    for (int32_t i = 0; i < many->n_atoms; i += 7)
        CHECK_NEAR(force_gap(got.forces[i], want.forces[i % SIZE]), 0.0, 1e-9);
    outcomes_free(&got, 1);
    outcomes_free(&want, 1);
    set_free(&s);
}

/* The force is the slope of the energy; every system with charges or images. */
static void test_differences(void)
{
    static set s;
    const double h = 1e-4;
    const shoal_engine_options cpu = {.device = "cpu"};
    periodic_add_volumes(&s);
    periodic_add_layers(&s);
    for (int32_t i = 0; i < s.n; ++i) {
        set_system *sys = &s.systems[i];
        const int32_t atom = sys->n_atoms - 1;
        outcome middle, up, down;
        run_one(&s, i, cpu, NULL, &middle);
        for (int c = 0; c < 3; ++c) {
            const double at = sys->pos[atom][c];
            sys->pos[atom][c] = at + h;
            run_one(&s, i, cpu, NULL, &up);
            sys->pos[atom][c] = at - h;
            run_one(&s, i, cpu, NULL, &down);
            sys->pos[atom][c] = at;
            CHECK_NEAR(middle.forces[atom][c], (down.r.energy - up.r.energy) / (2 * h),
                       2e-6 * fmax(1.0, middle.r.fmax));
            outcomes_free(&up, 1);
            outcomes_free(&down, 1);
        }
        outcomes_free(&middle, 1);
    }
    set_free(&s);
}

/* What ref cannot compute, the cpu cannot either, for the same reason; the others are not harmed. */
static void test_verdicts(void)
{
    static set s;
    enum { N = 5 };
    static const int32_t chain[2] = {18, 18};
    static const double pos[2][3] = {{0, 0, 0}, {2.0, 0.5, 0}}, net[2] = {0.5, 0.4};
    static const double cell[3][3] = {{5, 0, 0}, {0, 5, 0}, {0, 0, 0}};
    shoal_batch *batch = NULL;
    (void)periodic_add(&s, periodic_water(), "water", 0.0);
    (void)periodic_add(&s, periodic_molecule(2, chain, pos, net, cell, 1), "1-D charges", 0.0);
    (void)periodic_add(&s, periodic_molecule(2, chain, pos, net, cell, 2), "2-D net charge", 0.0);
    (void)periodic_add(&s, periodic_water(), "not finite", 0.0);
    s.systems[3].pos[1][1] = NAN;
    (void)periodic_add(&s, periodic_water(), "on top of each other", 0.0);
    for (int c = 0; c < 3; ++c)
        s.systems[4].pos[1][c] = s.systems[4].pos[0][c] + s.systems[4].cell[1][c];
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int32_t i = 0; i < N; ++i) {
        const shoal_system system = {.topology = s.systems[i].topology,
                                     .pos = (const double(*)[3])s.systems[i].pos,
                                     .cell = (const double(*)[3])s.systems[i].cell};
        CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    }
    for (int relax = 0; relax < 2; ++relax) {
        shoal_engine *engines[2] = {NULL, NULL};
        for (int k = 0; k < 2; ++k) {
            const shoal_engine_options o = {.device = k ? "cpu" : "ref"};
            CHECK(shoal_engine_create(&engines[k], batch, &o) == SHOAL_OK);
            if (relax && k)
                CHECK(shoal_engine_relax(engines[k], NULL, NULL, NULL) == SHOAL_OK);
            else
                CHECK(shoal_engine_eval(engines[k]) == SHOAL_OK);
        }
        for (int32_t i = 0; i < N; ++i) {
            shoal_result want, got;
            CHECK(shoal_engine_result(engines[0], i, &want) == SHOAL_OK);
            char reason[200];
            (void)snprintf(reason, sizeof reason, "%s", want.reason);
            CHECK(shoal_engine_result(engines[1], i, &got) == SHOAL_OK);
            if (i == 0 && relax) {
                CHECK(got.status == SHOAL_SYSTEM_CONVERGED);
                continue;
            }
            CHECK(got.status == want.status);
            if (i > 0 && i < 4) CHECK_TEXT(got.reason, reason);
            if (i > 0) CHECK(!isfinite(got.energy));
        }
        for (int k = 0; k < 2; ++k) shoal_engine_destroy(engines[k]);
    }
    shoal_batch_destroy(batch);
    set_free(&s);
}

/* Fixed atoms stay where they are to the last bit, a restraint pulls, both methods find one minimum. */
static void test_relax(void)
{
    static set s;
    static const int32_t repeat[3] = {3, 3, 2};
    outcome out[3];
    set_system *sys = periodic_add(&s, periodic_repeat(periodic_water(), repeat), "54 atoms", 0.1);
    const int32_t n = sys->n_atoms;
    sys->fixed = calloc((size_t)n, sizeof *sys->fixed);
    sys->fixed[0] = sys->fixed[10] = true;
    sys->restraints[0] = (shoal_restraint){
        .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {3, 30}, .k = 50.0, .value = 6.0};
    sys->n_restraints = 1;
    for (int k = 0; k < 3; ++k) {
        const shoal_relax_options relax = {
            .method = k == 2 ? SHOAL_METHOD_FIRE : SHOAL_METHOD_LBFGS, .fmax = 2e-3};
        run_one(&s, 0,
                (shoal_engine_options){.device = "cpu",
                                       .precision = k == 1 ? SHOAL_PRECISION_DOUBLE : 0},
                &relax, &out[k]);
        CHECK(out[k].r.status == SHOAL_SYSTEM_CONVERGED);
        CHECK(out[k].r.fmax <= 2e-3 && out[k].r.energy < out[k].r.energy0);
        for (int32_t i = 0; i < n; ++i)
            if (sys->fixed[i]) CHECK(memcmp(out[k].pos[i], sys->pos[i], sizeof sys->pos[i]) == 0);
        const double d[3] = {out[k].pos[3][0] - out[k].pos[30][0],
                             out[k].pos[3][1] - out[k].pos[30][1],
                             out[k].pos[3][2] - out[k].pos[30][2]};
        CHECK_NEAR(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), 6.0, 0.1);
        outcomes_free(&out[k], 1);
    }
    set_free(&s);
}

/* Threads inside a system, its neighbours and the instruction set change no bit. */
static void test_laws(void)
{
    static set s;
    static const int32_t repeat[3] = {4, 6, 4}, orders[2][3] = {{0, 1, 2}, {2, 1, 0}};
    static const char *const names[] = {"base", "avx2", "avx512"};
    outcome alone[3], got[3];
    (void)set_add_size(&s, 1030, true);
    (void)periodic_add(&s, periodic_repeat(periodic_silica(periodic_skew), repeat), "1152 atoms",
                       0.05);
    (void)periodic_add(&s, periodic_water(), "water", 0.05);
    for (int mode = 0; mode < 3; ++mode) {
        const shoal_relax_options relax = {.max_steps = 4};
        run_options o = {.engine = {.device = "cpu",
                                    .precision = mode == 1 ? SHOAL_PRECISION_FLOAT : 0,
                                    .n_threads = 1},
                         .relax = mode > 0 ? &relax : NULL};
        for (int32_t i = 0; i < 3; ++i) run_set(&s, &i, 1, &o, &alone[i]);
        for (int k = 0; k < 4; ++k) {
            if (k > 0) CHECK(setenv("SHOAL_CPU", names[k - 1], 1) == 0);
            o.engine.n_threads = 1 + k % 3;
            run_set(&s, orders[k % 2], 3, &o, got);
            for (int32_t i = 0; i < 3; ++i) {
                const int32_t at = orders[k % 2][i];
                CHECK(outcome_same(&got[i], &alone[at], s.systems[at].n_atoms));
            }
            outcomes_free(got, 3);
        }
        CHECK(unsetenv("SHOAL_CPU") == 0);
        outcomes_free(alone, 3);
    }
    set_free(&s);
}

static bool stop_at_20(void *user, const shoal_progress *progress)
{
    shoal_progress *last = user;
    *last = *progress;
    return progress->n_evaluations < 20;
}

static void test_stop(void)
{
    static set s;
    static const int32_t repeat[3] = {2, 2, 2};
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    shoal_result r;
    shoal_progress last = {0};
    set_system *sys =
        periodic_add(&s, periodic_repeat(periodic_silica(periodic_plain), repeat), "96 atoms", 0.2);
    const shoal_system system = {.topology = sys->topology,
                                 .pos = (const double(*)[3])sys->pos,
                                 .cell = (const double(*)[3])sys->cell};
    const shoal_engine_options cpu = {.device = "cpu"};
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    CHECK(shoal_engine_create(&engine, batch, &cpu) == SHOAL_OK);
    CHECK(shoal_engine_relax(engine, NULL, stop_at_20, &last) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
    CHECK(r.status == SHOAL_SYSTEM_MAX_STEPS && r.steps == 20);
    CHECK(r.energy < r.energy0);
    /* The monitor is told how a large system is doing: here by its last step, in float. */
    CHECK(last.n_evaluations == 20);
    CHECK_NEAR(last.energy, r.energy, 1e-4 * fabs(r.energy));
    CHECK_NEAR(last.fmax, r.fmax, 1e-2 * r.fmax + 1e-4);
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    set_free(&s);
}

int main(void)
{
    test_supercell();
    test_isolated();
    test_differences();
    test_verdicts();
    test_relax();
    test_laws();
    test_stop();
    return check_done();
}
