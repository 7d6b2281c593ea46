/* SPDX-License-Identifier: BSD-3-Clause
 * Dynamics on every schedule: bits that depend on nothing but the system, fixed atoms, systems that come to a bad end,
 * energies that are kept, temperatures that are reached. */
#include "md_fixture.h"
#include "pair_model_fixture.h"
#include "periodic_fixture.h"

#define SHOAL_REAL double
#include "step_md.h"

static const char *const thermostats[] = {"none", "langevin", "nose-hoover"};

/* Like and unlike chains, some with a fixed atom or a restraint, and two argon atoms. */
static void make_systems(set *s, const schedule *c, int32_t n_like)
{
    static const double apart[2][3] = {{0, 0, 0}, {3.4, 0.3, 0}};
    for (int32_t k = 0; k < n_like; ++k) (void)driver_alkane(s, c, 2, 0.05);
    for (int k = 0; k < 5; ++k) {
        set_system *sys = driver_alkane(s, c, 3 + k, 0.03);
        driver_hold(sys, k);
    }
    (void)driver_argon(s, c, 2, apart);
}

/* So many systems, about to move. */
static void begin_systems(dynamics *d, set *s, const schedule *c, int n, int n_threads,
                          int32_t thermostat)
{
    s->n = 0;
    make_systems(s, c, n);
    dynamics_create(d, s, NULL, s->n, c, n_threads);
    d->md.thermostat = thermostat;
    dynamics_begin(d);
}

/* Steps in one call, in many, with single points in between. */
static void test_rounds(const schedule *c, int32_t thermostat)
{
    static set s;
    enum { N_STEPS = 28 };
    static const int32_t rounds[] = {7, 2, 1};
    dynamics d;
    begin_systems(&d, &s, c, 3, 0, thermostat);
    dynamics_step(&d, N_STEPS);
    dynamics_read(&d);
    trail once = trail_take(&d);
    CHECK(memcmp(once.pos, d.start, d.n_atoms * 24) != 0);
    for (int k = 0; k < 3; ++k) {
        dynamics_begin(&d);
        for (int32_t n = 0; n < N_STEPS; n += rounds[k]) {
            dynamics_step(&d, rounds[k]);
            if (k != 1) dynamics_look(&d);
        }
        dynamics_read(&d);
        trail other = trail_take(&d);
        for (int32_t i = 0; i < s.n; ++i) {
            CHECK(trail_same(&once, &d, i, &other, &d, i));
            CHECK(other.steps[i] == N_STEPS && other.outcomes[i] == STEP_GOING);
            CHECK((other.chain[i][0] != 0) == (thermostat == MD_NOSE_HOOVER));
        }
        trail_free(&other);
    }
    trail_free(&once);
    dynamics_destroy(&d);
    set_free(&s);
}

/* A fixed atom stays where it is to the last bit, with neighbours that move and a bath that pushes. */
static void test_fixed(const schedule *c)
{
    static set s;
    dynamics d;
    s.n = 0;
    for (int k = 0; k < 3; ++k) {
        set_system *sys = driver_alkane(&s, c, 2, 0.05);
        for (int i = 0; i <= k; ++i) hold_atom(sys, 2 * i);
    }
    dynamics_create(&d, &s, NULL, s.n, c, 0);
    d.md.thermostat = MD_LANGEVIN;
    d.md.friction = 0.1;
    for (int k = 0; k < 3; ++k)
        d.start_way[d.engine->starts[k]][0] = 0.1; /* of a fixed atom: does not count */
    dynamics_begin(&d);
    dynamics_step(&d, 20);
    dynamics_read(&d);
    for (int32_t k = 0; k < 3; ++k)
        for (int32_t i = 0; i < s.systems[k].n_atoms; ++i) {
            const size_t at = (size_t)(d.engine->starts[k] + i);
            const bool stays = memcmp(d.engine->pos[at], d.start[at], 24) == 0;
            CHECK(stays == s.systems[k].fixed[i]);
            for (int x = 0; x < 3 && stays; ++x) CHECK(d.velocities[at][x] == 0);
        }
    dynamics_destroy(&d);
    set_free(&s);
}

/* A system on its own, among many, with one thread and with two, by the plainest instructions: the same bits. */
static void test_company(const schedule *c, int32_t thermostat)
{
    static set s;
    enum { N_LIKE = 17, N_STEPS = 15 };
    dynamics all, two, own;
    s.n = 0;
    make_systems(&s, c, N_LIKE);
    dynamics_create(&all, &s, NULL, s.n, c, 1);
    CHECK(setenv("SHOAL_CPU", "base", 1) == 0);
    dynamics_create(&two, &s, NULL, s.n, c, 2);
    CHECK(unsetenv("SHOAL_CPU") == 0);
    all.md.thermostat = two.md.thermostat = thermostat;
    dynamics *const both[] = {&all, &two};
    for (int k = 0; k < 2; ++k) {
        dynamics_begin(both[k]);
        dynamics_step(both[k], N_STEPS);
        dynamics_read(both[k]);
    }
    trail one_thread = trail_take(&all), two_threads = trail_take(&two);
    for (int32_t i = 0; i < s.n; ++i) {
        CHECK(trail_same(&one_thread, &all, i, &two_threads, &two, i));
        if (i > 2 && i < N_LIKE - 1) continue;
        dynamics_create(&own, &s, &i, 1, c, 1);
        own.md.thermostat = thermostat;
        dynamics_begin(&own);
        dynamics_step(&own, N_STEPS);
        dynamics_read(&own);
        trail alone = trail_take(&own);
        CHECK(trail_same(&one_thread, &all, i, &alone, &own, 0));
        trail_free(&alone);
        dynamics_destroy(&own);
    }
    trail_free(&one_thread);
    trail_free(&two_threads);
    dynamics_destroy(&all);
    dynamics_destroy(&two);
    set_free(&s);
}

/* Systems that go wrong at once or on the way stay where that was seen, and harm no other. */
static void test_bad_ends(const schedule *c)
{
    static set s;
    enum { N = 9, LOST = 2, FAST = 4, STIFF = 5, N_STEPS = 20 };
    dynamics d;
    s.n = 0;
    for (int32_t k = 0; k < N; ++k) {
        set_system *sys = driver_alkane(&s, c, 2, 0.05);
        if (k == STIFF) /* its frequency is far beyond what the time step can follow */
            restrain(sys, (shoal_restraint){.kind = SHOAL_RESTRAINT_POSITION,
                                            .atoms = {0},
                                            .k = 3e4,
                                            .target = {0.001, -0.42, 0}});
    }
    dynamics_create(&d, &s, NULL, s.n, c, 1);
    dynamics_begin(&d);
    dynamics_step(&d, N_STEPS);
    dynamics_read(&d);
    trail good = trail_take(&d);
    CHECK(good.outcomes[STIFF] == STEP_UNSTABLE && good.steps[STIFF] > 0 &&
          good.steps[STIFF] < N_STEPS);
    d.start_way[d.engine->starts[LOST] + 3][1] = NAN;
    d.start_way[d.engine->starts[FAST] + 1][2] = 2.0;
    dynamics_begin(&d);
    dynamics_step(&d, N_STEPS / 2);
    dynamics_step(&d, N_STEPS / 2);
    dynamics_read(&d);
    trail bad = trail_take(&d);
    CHECK(bad.outcomes[LOST] == STEP_NOT_FINITE && bad.steps[LOST] == 0);
    CHECK(bad.outcomes[FAST] == STEP_UNSTABLE && bad.steps[FAST] == 0);
    for (int32_t k = 0; k < N; ++k) {
        const size_t at = (size_t)d.engine->starts[k];
        if (k == LOST || k == FAST)
            CHECK(memcmp(bad.pos + at, d.start + at, (size_t)s.systems[k].n_atoms * 24) == 0);
        else
            CHECK(trail_same(&good, &d, k, &bad, &d, k));
    }
    for (int32_t i = 0; i < s.systems[STIFF].n_atoms; ++i) /* not far, either */
        CHECK(fabs(bad.pos[d.engine->starts[STIFF] + i][0]) < 10);
    trail_free(&good);
    trail_free(&bad);
    dynamics_destroy(&d);
    set_free(&s);
}

/* Mean square deviation of the total energy from its mean over 40 fs, after the root, eV. */
static double fluctuation(dynamics *d, int32_t k, double dt)
{
    double sum = 0, square = 0;
    int n = 0;
    d->md.dt = dt;
    dynamics_begin(d);
    for (; n < 40; ++n) {
        dynamics_step(d, (int32_t)(1.0 / dt + 0.5));
        dynamics_look(d);
        const double e = d->engine->results[k].energy + dynamics_kinetic(d, k);
        sum += e;
        square += e * e;
    }
    return sqrt(square / n - sum / n * (sum / n));
}

/* Without a bath the energy is kept, the better the shorter the steps: as their square. */
static void test_energy(const schedule *c)
{
    static set s;
    dynamics d;
    s.n = 0;
    (void)driver_alkane(&s, c, 3, 0.0);
    dynamics_create(&d, &s, NULL, s.n, c, 1);
    for (size_t i = 0; i < d.n_atoms; ++i)
        for (int x = 0; x < 3; ++x) d.start_way[i][x] *= 1.5;
    const double whole = fluctuation(&d, 0, 1.0), half = fluctuation(&d, 0, 0.5),
                 quarter = fluctuation(&d, 0, 0.25);
    CHECK_NEAR(whole / half, 4, 0.6);
    CHECK_NEAR(half / quarter, 4, 0.6);
    CHECK(half < 0.02 && dynamics_kinetic(&d, 0) > 0.1);
    dynamics_destroy(&d);
    set_free(&s);
}

/* Stopped and started anew from what was read, a run goes on as it would have. */
static void test_segments(const schedule *c, int32_t thermostat)
{
    static set s;
    dynamics d;
    begin_systems(&d, &s, c, 2, 1, thermostat);
    dynamics_step(&d, 40);
    dynamics_read(&d);
    trail whole = trail_take(&d);
    dynamics_begin(&d);
    dynamics_step(&d, 25);
    dynamics_read(&d);
    dynamics_go_on(&d, 25);
    dynamics_step(&d, 15);
    dynamics_read(&d);
    const double most = largest_difference((const double(*)[3])whole.pos,
                                           (const double(*)[3])d.engine->pos, (int32_t)d.n_atoms);
    CHECK(most < (is_float(c) ? 3e-5 : 1e-11));
    CHECK(d.engine->results[0].steps == 40);
    trail_free(&whole);
    dynamics_destroy(&d);
    set_free(&s);
}

/* Atoms that feel no force: the noise of every one of them is that of its system, number and step. */
static void test_noise(const schedule *c)
{
    static set s;
    enum { N_ATOMS = 5 };
    double apart[N_ATOMS][3] = {{0}};
    dynamics d;
    s.n = 0;
    for (int i = 0; i < N_ATOMS; ++i) apart[i][0] = 30.0 * i;
    for (int k = 0; k < 3; ++k) (void)driver_argon(&s, c, N_ATOMS, (const double(*)[3])apart);
    dynamics_create(&d, &s, NULL, s.n, c, 1);
    d.md.thermostat = MD_LANGEVIN;
    const double keep = exp(-d.md.friction * d.md.dt), w = ACCELERATION / d.baths[0].masses[0];
    const double by = sqrt(MD_TEST_KT * w * (1 - keep * keep));
    dynamics_begin(&d);
    dynamics_step(&d, 3);
    dynamics_read(&d);
    for (int32_t k = 0; k < s.n; ++k)
        for (int32_t i = 0; i < N_ATOMS; ++i) {
            const md_numbers n = {.seed0 = (random_word)d.md.seed,
                                  .seed1 = (random_word)(d.md.seed >> 32)};
            const size_t at = (size_t)(d.engine->starts[k] + i);
            const double *v = d.velocities[at];
            double wanted[3], length = 0;
            memcpy(wanted, d.start_way[at], sizeof wanted);
            for (int step = 1; step <= 3; ++step) {
                const v3 g = md_noise(&n, i, step, (random_word)d.baths[k].key,
                                      (random_word)(d.baths[k].key >> 32));
                wanted[0] = keep * wanted[0] + by * g.x;
                wanted[1] = keep * wanted[1] + by * g.y;
                wanted[2] = keep * wanted[2] + by * g.z;
            }
            for (int x = 0; x < 3; ++x) length += fabs(wanted[x]);
            for (int x = 0; x < 3; ++x)
                CHECK_NEAR(v[x], wanted[x], length * (is_float(c) ? 3e-5 : 1e-7));
        }
    dynamics_destroy(&d);
    set_free(&s);
}

/* Argon atoms that start at rest come to the temperature of their bath, each system in a way of its own. */
static void test_bath(const schedule *c, int32_t thermostat)
{
    static set s;
    enum { N = 8, N_ROUNDS = 60, N_FIRST = 12 };
    double cube[8][3], kinetic = 0, n_dof = 0, way_apart = 0;
    dynamics d;
    s.n = 0;
    for (int i = 0; i < 8; ++i)
        for (int x = 0; x < 3; ++x) cube[i][x] = 3.8 * (i >> x & 1);
    for (int k = 0; k < N; ++k) (void)driver_argon(&s, c, 8, (const double(*)[3])cube);
    dynamics_create(&d, &s, NULL, s.n, c, 1);
    d.md.thermostat = thermostat;
    d.md.dt = 4;
    d.md.friction = 0.03;
    d.md.tau = 40;
    for (size_t i = 0; i < d.n_atoms && thermostat == MD_LANGEVIN; ++i)
        for (int x = 0; x < 3; ++x) d.start_way[i][x] = 0;
    dynamics_begin(&d);
    for (int n = 0; n < N_ROUNDS; ++n) {
        dynamics_step(&d, 15);
        dynamics_look(&d);
        for (int32_t k = 0; k < N && n >= N_FIRST; ++k) {
            kinetic += 2 * dynamics_kinetic(&d, k);
            n_dof += 24;
        }
    }
    for (int i = 0; i < 8; ++i)
        for (int x = 0; x < 3; ++x) way_apart += d.velocities[i][x] * d.velocities[8 + i][x];
    /* 9200 velocities, nearly all of them new: 1.5 %. */
    CHECK_NEAR(kinetic / n_dof / MD_TEST_KT, 1, 0.06);
    CHECK(fabs(way_apart) < 0.8 * 24 * MD_TEST_KT * ACCELERATION / d.baths[0].masses[0]);
    dynamics_destroy(&d);
    set_free(&s);
}

/* Charges without mass that follow frames of atoms: what they feel is handed on to these, or energies are not kept. */
static void test_sites(const schedule *c)
{
    static set s;
    const model_case model = {.hbond = SHOAL_HBOND_NONE, .sites = true};
    static const double cell[3][3] = {{DRIVER_BOX, 0, 0}, {0, DRIVER_BOX, 0}, {0, 0, DRIVER_BOX}};
    shoal_molecule *mol = model_waters(4, 2);
    dynamics d;
    s.n = 0;
    if (c->large)
        CHECK(shoal_molecule_set_cell(mol, cell, (const bool[3]){true, false, false}) == SHOAL_OK);
    model_add(&s, mol, &model, 0);
    shoal_molecule_destroy(mol);
    dynamics_create(&d, &s, NULL, s.n, c, 1);
    const double half = fluctuation(&d, 0, 0.5), quarter = fluctuation(&d, 0, 0.25);
    CHECK_NEAR(half / quarter, 4, 0.6);
    dynamics_destroy(&d);
    set_free(&s);
}

/* Crystals, with charges and without: rounds, and energies. */
static void test_crystals(const schedule *c)
{
    static set s;
    static const int32_t carbon[2] = {6, 6}, two[3] = {2, 1, 1};
    static const double diamond[2][3] = {{0, 0, 0}, {0.8917, 0.8917, 0.8917}};
    static const double fcc[3][3] = {{0, 1.7835, 1.7835}, {1.7835, 0, 1.7835}, {1.7835, 1.7835, 0}};
    dynamics d;
    if (!c->large) return;
    s.n = 0;
    (void)periodic_add(&s, periodic_molecule(2, carbon, diamond, NULL, fcc, 3), "diamond", 0.02);
    (void)periodic_add(&s, periodic_repeat(periodic_silica(periodic_plain), two), "silica", 0.02);
    dynamics_create(&d, &s, NULL, s.n, c, 1);
    for (int32_t k = 0; k < s.n; ++k) {
        const double half = fluctuation(&d, k, 0.5), quarter = fluctuation(&d, k, 0.25);
        CHECK_NEAR(half / quarter, 4, 0.6);
    }
    trail rounds = trail_take(&d); /* of four steps, with looks */
    dynamics_begin(&d);
    dynamics_step(&d, 160);
    dynamics_read(&d);
    trail once = trail_take(&d);
    for (int32_t k = 0; k < s.n; ++k) CHECK(trail_same(&once, &d, k, &rounds, &d, k));
    trail_free(&once);
    trail_free(&rounds);
    dynamics_destroy(&d);
    set_free(&s);
}

int main(void)
{
    schedule list[MOST_SCHEDULES];
    const int n = find_schedules(list);
    for (int k = 0; k < n; ++k) {
        const schedule *c = &list[k];
        for (int32_t thermostat = MD_NONE; thermostat <= MD_NOSE_HOOVER; ++thermostat) {
            const int before = mark_failures();
            test_rounds(c, thermostat);
            test_company(c, thermostat);
            test_segments(c, thermostat);
            if (thermostat != MD_NONE) test_bath(c, thermostat);
            tell_failures(before, c, thermostats[thermostat]);
        }
        const int before = mark_failures();
        test_fixed(c);
        test_noise(c);
        test_bad_ends(c);
        test_energy(c);
        test_sites(c);
        test_crystals(c);
        const schedule mesh = {.device = c->device,
                               .large = c->large,
                               .precision = c->precision,
                               .ewald = SHOAL_EWALD_MESH};
        test_crystals(&mesh);
        tell_failures(before, c, "fixed atoms, bad ends, energies, sites, crystals");
    }
    return check_done();
}
