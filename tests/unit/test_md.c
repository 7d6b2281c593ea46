/* SPDX-License-Identifier: BSD-3-Clause
 * Runs of dynamics: against the same steps made with forces of single points, what velocities begin with, degrees of
 * freedom, exchange, states, and that systems do not matter to each other. */
#include <stdlib.h>

#include "constants.h"
#include "driver_fixture.h"
#include "engine/md.h"
#include "md_copies.h"
#include "shoal/md.h"

#define SHOAL_REAL double
#include "random.h"

static const schedule plain = {
    .name = "cpu double", .device = "cpu", .large = false, .precision = SHOAL_PRECISION_DOUBLE};

/* --- a witness ------------------------------------------------------------------------------------ */

enum { MOST_ATOMS = 40, WITNESS_STEPS = 100 };

typedef struct film {
    int32_t n, n_atoms;
    double first_v[MOST_ATOMS][3]; /* of the first frame */
    double pos[MOST_ATOMS][3], v[MOST_ATOMS][3];
    double etot, time, bath;
    int32_t steps[2000];
} film;

static shoal_status film_take(void *user, const shoal_relax_frame *f)
{
    film *to = (film *)user + f->i_system;
    const size_t size = (size_t)to->n_atoms * sizeof f->pos[0];
    if (to->n == 0) memcpy(to->first_v, f->velocities, size);
    memcpy(to->pos, f->pos, size);
    memcpy(to->v, f->velocities, size);
    to->etot = f->energy + f->kinetic;
    to->time = f->time;
    to->bath = f->bath;
    if (to->n < 2000) to->steps[to->n] = f->steps;
    ++to->n;
    return SHOAL_OK;
}

typedef struct witness {
    shoal_engine *engine;
    int32_t n;
    const double *masses;
    double x[MOST_ATOMS][3], v[MOST_ATOMS][3];
    double n_dof, kt, dt, friction, tau;
    double place[2], speed[2]; /* of the chain */
} witness;

static void witness_kick(witness *w, double by)
{
    shoal_result r;
    CHECK(shoal_engine_set_positions(w->engine, 0, (const double(*)[3])w->x) == SHOAL_OK);
    CHECK(shoal_engine_eval(w->engine) == SHOAL_OK);
    CHECK(shoal_engine_result(w->engine, 0, &r) == SHOAL_OK);
    for (int32_t a = 0; a < w->n; ++a)
        for (int k = 0; k < 3; ++k) w->v[a][k] += by * r.forces[a][k] * ACCELERATION / w->masses[a];
}

static double witness_kinetic2(const witness *w)
{
    double sum = 0;
    for (int32_t a = 0; a < w->n; ++a)
        for (int k = 0; k < 3; ++k) sum += w->masses[a] * w->v[a][k] * w->v[a][k];
    return sum / ACCELERATION;
}

/* Half a step of the chain, from the paper: g1, g2 are the accelerations of the two. */
static void witness_chain(witness *w)
{
    const double h = 0.5 * w->dt, q1 = w->n_dof * w->kt * w->tau * w->tau,
                 q2 = w->kt * w->tau * w->tau;
    w->speed[1] += 0.5 * h * (q1 * w->speed[0] * w->speed[0] - w->kt) / q2;
    const double drag = exp(-0.25 * h * w->speed[1]);
    w->speed[0] *= drag;
    w->speed[0] += 0.5 * h * (witness_kinetic2(w) - w->n_dof * w->kt) / q1;
    w->speed[0] *= drag;
    for (int32_t a = 0; a < w->n; ++a)
        for (int k = 0; k < 3; ++k) w->v[a][k] *= exp(-h * w->speed[0]);
    w->speed[0] *= drag;
    w->speed[0] += 0.5 * h * (witness_kinetic2(w) - w->n_dof * w->kt) / q1;
    w->speed[0] *= drag;
    w->speed[1] += 0.5 * h * (q1 * w->speed[0] * w->speed[0] - w->kt) / q2;
}

static void witness_drift(witness *w, double by)
{
    for (int32_t a = 0; a < w->n; ++a)
        for (int k = 0; k < 3; ++k) w->x[a][k] += by * w->v[a][k];
}

static void witness_stir(witness *w, uint32_t step, uint64_t key, uint64_t seed)
{
    const double keep = exp(-w->friction * w->dt), stir = sqrt(1 - keep * keep);
    for (int32_t a = 0; a < w->n; ++a) {
        const random_words counter = {{(uint32_t)a, step, (uint32_t)key, (uint32_t)(key >> 32)}};
        const v3 g = random_normal(random_make(counter, (uint32_t)seed, (uint32_t)(seed >> 32)));
        const double g3[3] = {g.x, g.y, g.z};
        const double width = stir * sqrt(w->kt * ACCELERATION / w->masses[a]);
        for (int k = 0; k < 3; ++k) w->v[a][k] = keep * w->v[a][k] + width * g3[k];
    }
}

/* The end of the chain has a Langevin bath of its own. */
static void witness_stir_chain(witness *w, uint32_t step, uint64_t key, uint64_t seed)
{
    const double keep = exp(-w->dt / w->tau), stir = sqrt(1 - keep * keep);
    const random_words counter = {{0, step, (uint32_t)key, (uint32_t)(key >> 32)}};
    const v3 g =
        random_normal(random_make(counter, (uint32_t)seed, (uint32_t)(seed >> 32) + 0x40000000u));
    w->speed[1] = keep * w->speed[1] + stir * g.x / w->tau;
}

static void witness_run(witness *w, shoal_thermostat t, uint64_t key, uint64_t seed)
{
    for (uint32_t step = 1; step <= WITNESS_STEPS; ++step) {
        if (t == SHOAL_THERMOSTAT_NOSE_HOOVER) {
            witness_stir_chain(w, step - 1, key, seed);
            witness_chain(w);
        }
        witness_kick(w, 0.5 * w->dt);
        witness_drift(w, 0.5 * w->dt);
        if (t == SHOAL_THERMOSTAT_LANGEVIN) witness_stir(w, step, key, seed);
        witness_drift(w, 0.5 * w->dt);
        witness_kick(w, 0.5 * w->dt);
        if (t == SHOAL_THERMOSTAT_NOSE_HOOVER) witness_chain(w);
    }
}

/* The same formulas, made of forces of single points. */
static void test_witness(void)
{
    static set s;
    static film f;
    static witness w;
    s = (set){0};
    (void)driver_alkane(&s, &plain, 6, 0.02);
    const set_system *sys = &s.systems[0];
    for (int t = 0; t < 3; ++t) {
        shoal_engine *engine = make_engine(&s, 1);
        const int64_t key = ((int64_t)3 << 32) + 7;
        const uint64_t seed = 0x987654321u;
        const shoal_md_system own = {.key = key};
        const shoal_md_options o = {.n_steps = WITNESS_STEPS,
                                    .thermostat = (shoal_thermostat)t,
                                    .friction = 0.02,
                                    .tau = 20,
                                    .seed = seed,
                                    .stride = 10,
                                    .systems = &own,
                                    .frame = film_take,
                                    .frame_user = &f};
        f = (film){.n_atoms = sys->n_atoms};
        CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_OK);
        const shoal_md_result *m = shoal_engine_md_result(engine, 0);
        CHECK(m && f.n == 11 && m->n_samples == 11 && f.time == 50.0 && m->time == 50.0);
        if (!m) return;
        shoal_topology_view v;
        shoal_topology_get(sys->topology, &v);
        w = (witness){.engine = make_engine(&s, 1),
                      .n = sys->n_atoms,
                      .masses = v.masses,
                      .n_dof = m->n_dof,
                      .kt = 300 * BOLTZMANN,
                      .dt = 0.5,
                      .friction = 0.02,
                      .tau = 20};
        memcpy(w.x, sys->pos, (size_t)w.n * sizeof *w.x);
        memcpy(w.v, f.first_v, (size_t)w.n * sizeof *w.v);
        witness_run(&w, (shoal_thermostat)t, (uint64_t)key, seed);
        double most = 0, most_v = 0;
        for (int32_t a = 0; a < w.n; ++a)
            for (int k = 0; k < 3; ++k) {
                most = fmax(most, fabs(w.x[a][k] - f.pos[a][k]));
                most_v = fmax(most_v, fabs(w.v[a][k] - f.v[a][k]));
            }
        CHECK_NEAR(most, 0, 1e-10);
        CHECK_NEAR(most_v, 0, 1e-10);
        shoal_result r;
        CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
        CHECK_NEAR(m->etot, r.energy + 0.5 * witness_kinetic2(&w), 1e-9);
        CHECK(r.steps == WITNESS_STEPS && r.status == SHOAL_SYSTEM_OK);
        shoal_engine_destroy(w.engine);
        shoal_engine_destroy(engine);
    }
    set_free(&s);
}

/* --- velocities ----------------------------------------------------------------------------------- */

typedef struct census {
    const double *masses;
    int32_t n_atoms, n;
    double *scaled; /* [n][n_atoms][3] velocities over their widths */
    double kinetic, momentum, angular;
} census;

static shoal_status census_take(void *user, const shoal_relax_frame *f)
{
    census *c = user;
    double p[3] = {0}, l[3] = {0};
    if (f->steps > 0) return SHOAL_OK;
    for (int32_t a = 0; a < c->n_atoms; ++a) {
        const double m = f->masses[a], *x = f->pos[a], *v = f->velocities[a];
        for (int k = 0; k < 3; ++k) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            p[k] += m * v[k];
            l[k] += m * (x[i] * v[j] - x[j] * v[i]);
            c->scaled[((size_t)f->i_system * (size_t)c->n_atoms + (size_t)a) * 3 + (size_t)k] =
                v[k] / sqrt(300 * BOLTZMANN * ACCELERATION / m);
        }
    }
    for (int k = 0; k < 3; ++k) {
        c->momentum = fmax(c->momentum, fabs(p[k]));
        c->angular = fmax(c->angular, fabs(l[k]));
    }
    c->kinetic += f->kinetic;
    ++c->n;
    return SHOAL_OK;
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Maxwell's distribution; without a bath the overall motion is gone, and the rest as warm as it should be. */
static void test_maxwell(void)
{
    enum { N = 1500 };
    static set s;
    s = (set){0};
    (void)driver_alkane(&s, &plain, 3, 0.02);
    const int32_t n_atoms = s.systems[0].n_atoms; /* 11 */
    const size_t n_numbers = (size_t)N * (size_t)n_atoms * 3;
    for (int t = 0; t < 2; ++t) {
        census c = {.n_atoms = n_atoms, .scaled = calloc(n_numbers, sizeof(double))};
        shoal_engine *engine = make_engine(&s, N);
        const shoal_md_options o = {.n_steps = 1,
                                    .stride = 1,
                                    .thermostat =
                                        t ? SHOAL_THERMOSTAT_LANGEVIN : SHOAL_THERMOSTAT_NONE,
                                    .seed = 5,
                                    .frame = census_take,
                                    .frame_user = &c};
        CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_OK);
        const double n_dof = t ? 33 : 27, kt = 300 * BOLTZMANN;
        CHECK(c.n == N && shoal_engine_md_result(engine, 0)->n_dof == n_dof);
        const double mean = c.kinetic / N / kt;
        CHECK_NEAR(mean, 0.5 * n_dof, 3 * sqrt(0.5 * n_dof / N));
        if (!t) CHECK(c.momentum < 1e-12 && c.angular < 1e-12);
        if (t) CHECK(c.momentum > 0.1 && c.angular > 0.1);
        double product = 0, worst = 0;
        const size_t one = (size_t)n_atoms * 3;
        for (size_t k = 0; k + one < n_numbers; ++k) product += c.scaled[k] * c.scaled[k + one];
        CHECK_NEAR(product / sqrt((double)n_numbers), 0, 3.5); /* replicas are independent */
        qsort(c.scaled, n_numbers, sizeof *c.scaled, compare_numbers);
        for (size_t k = 0; k < n_numbers; ++k) {
            const double normal = 0.5 * erfc(-c.scaled[k] / sqrt(2.0));
            worst = fmax(worst, fabs(normal - ((double)k + 0.5) / (double)n_numbers));
        }
        /* Kolmogorov and Smirnov: 1 in 1000. */
        if (t) CHECK(worst * sqrt((double)n_numbers) < 1.95);
        free(c.scaled);
        shoal_engine_destroy(engine);
    }
    set_free(&s);
}

static double count_dof(const set *s, shoal_thermostat t)
{
    shoal_engine *engine = make_engine(s, 1);
    const shoal_md_options o = {.n_steps = 2, .thermostat = t};
    CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_OK);
    const shoal_md_result *m = shoal_engine_md_result(engine, 0);
    const double n = m ? m->n_dof : -1;
    shoal_engine_destroy(engine);
    return n;
}

static void test_dof(void)
{
    static set s;
    static const double atom[1][3] = {{1, 2, 3}};
    static const double line[3][3] = {{0, 0, 0}, {2.4, 2.4, 0}, {4.8, 4.8, 0}};
    static const schedule box = {
        .name = "box", .device = "cpu", .large = true, .precision = SHOAL_PRECISION_DOUBLE};
    s = (set){0};
    set_system *sys = driver_alkane(&s, &plain, 2, 0.02);
    CHECK(count_dof(&s, SHOAL_THERMOSTAT_NONE) == 18);
    CHECK(count_dof(&s, SHOAL_THERMOSTAT_NOSE_HOOVER) == 18);
    CHECK(count_dof(&s, SHOAL_THERMOSTAT_LANGEVIN) == 24);
    restrain(sys, (shoal_restraint){
                      .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 4}, .k = 1, .value = 1.5});
    CHECK(count_dof(&s, SHOAL_THERMOSTAT_NONE) == 18);
    restrain(sys, (shoal_restraint){.kind = SHOAL_RESTRAINT_POSITION, .atoms = {0}, .k = 1});
    CHECK(count_dof(&s, SHOAL_THERMOSTAT_NONE) == 24);
    hold_atom(sys, 3);
    CHECK(count_dof(&s, SHOAL_THERMOSTAT_NONE) == 21);
    CHECK(count_dof(&s, SHOAL_THERMOSTAT_LANGEVIN) == 21);
    set_free(&s);
    s = (set){0};
    (void)driver_argon(&s, &plain, 1, atom);
    CHECK(count_dof(&s, SHOAL_THERMOSTAT_NONE) == 0);
    set_free(&s);
    s = (set){0};
    (void)driver_argon(&s, &plain, 3, line);
    CHECK(count_dof(&s, SHOAL_THERMOSTAT_NONE) == 4);
    set_free(&s);
    s = (set){0};
    (void)driver_alkane(&s, &box, 2, 0.02);
    CHECK(count_dof(&s, SHOAL_THERMOSTAT_NONE) == 21);
    set_free(&s);
}

static void test_masses(void)
{
    shoal_molecule *mol = NULL;
    shoal_topology *topology = NULL;
    double m[16], sum = 0;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    set_alkane(mol, 2, 0); /* 0 and 4 are carbons */
    CHECK(shoal_molecule_set_isotope(mol, 1, 2) == SHOAL_OK);
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    CHECK(shoal_topology_create(&topology, mol, NULL) == SHOAL_OK);
    CHECK(shoal_md_masses(mol, topology, 0, m) == SHOAL_OK);
    CHECK_NEAR(m[0], 12.011, 1e-3);
    CHECK_NEAR(m[1], 2.0141, 1e-4);
    CHECK_NEAR(m[2], 1.008, 1e-3);
    for (int a = 0; a < 8; ++a) sum += m[a];
    CHECK(shoal_md_masses(mol, topology, 3, m) == SHOAL_OK);
    CHECK(m[1] == 3 && m[2] == 3);
    CHECK_NEAR(m[0], 12.011 - 2 * (3 - 1.008) - (3 - 2.0141), 2e-3);
    for (int a = 0; a < 8; ++a) sum -= m[a];
    CHECK_NEAR(sum, 0, 1e-12);
    /* A hydrogen that is as heavy already takes nothing. */
    CHECK(shoal_md_masses(mol, topology, 2, m) == SHOAL_OK && m[2] == 2);
    CHECK_NEAR(m[1], 2.0141, 1e-4);
    CHECK_NEAR(m[0], 12.011 - 2 * (2 - 1.008), 2e-3);
    CHECK(shoal_md_masses(mol, topology, 4, m) == SHOAL_E_UNSUPPORTED);
    CHECK(shoal_md_masses(mol, topology, -1, m) == SHOAL_E_ARGUMENT);
    /* 13C weighs 13.00335 amu, and not its mass number. */
    CHECK(shoal_molecule_set_isotope(mol, 0, 13) == SHOAL_OK);
    CHECK(shoal_md_masses(mol, topology, 0, m) == SHOAL_OK);
    CHECK_NEAR(m[0], 13.003355, 1e-6);
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(mol);
}

/* Isotopes of all elements are those that vibrations have: 35Cl 34.96885, 81Br 80.91629 amu (AME2020). */
static void test_isotopes(void)
{
    static const char *const symbols[2] = {"Cl", "Br"};
    static const int32_t numbers[2] = {35, 81};
    static const double wanted[2] = {34.968853, 80.916290};
    for (int k = 0; k < 2; ++k) {
        shoal_molecule *mol = NULL;
        shoal_topology *topology = NULL;
        const double pos[2][3] = {{0, 0, 0}, {2, 0, 0}};
        double m[2];
        CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
        for (int a = 0; a < 2; ++a)
            CHECK(shoal_molecule_add_atom(mol, shoal_element_number(symbols[k]), pos[a]) ==
                  SHOAL_OK);
        CHECK(shoal_molecule_add_bond(mol, 0, 1, SHOAL_ORDER_SINGLE, NULL) == SHOAL_OK);
        CHECK(shoal_molecule_set_isotope(mol, 1, numbers[k]) == SHOAL_OK);
        CHECK(shoal_topology_create(&topology, mol, NULL) == SHOAL_OK);
        CHECK(shoal_md_masses(mol, topology, 0, m) == SHOAL_OK);
        CHECK_NEAR(m[1], wanted[k], 1e-5);
        CHECK(fabs(m[0] - m[1]) > 0.1); /* the other has the mean of the element */
        shoal_topology_destroy(topology);
        shoal_molecule_destroy(mol);
    }
}

/* --- systems for themselves ----------------------------------------------------------------------- */

static bool same_bits(const shoal_engine *a, int32_t i, const shoal_engine *b, int32_t j,
                      int32_t n_atoms)
{
    const shoal_md_result *m = shoal_engine_md_result(a, i), *n = shoal_engine_md_result(b, j);
    const size_t size = (size_t)n_atoms * 3 * sizeof(double);
    if (!m || !n) return false;
    shoal_md_result x = *m, y = *n;
    x.velocities = y.velocities = NULL;
    x.masses = y.masses = NULL;
    const bool numbers = x.etot == y.etot && x.etot0 == y.etot0 && x.drift == y.drift &&
                         x.fluctuation == y.fluctuation && x.n_samples == y.n_samples &&
                         x.temperature_mean == y.temperature_mean &&
                         x.potential_mean == y.potential_mean && x.n_swapped == y.n_swapped &&
                         x.temperature == y.temperature;
    return numbers && memcmp(m->velocities, n->velocities, size) == 0 &&
           memcmp(shoal_engine_positions(a, i), shoal_engine_positions(b, j), size) == 0;
}

/* One that flies apart is told apart, and the others are what they are alone. */
static void test_together(void)
{
    static set s;
    static const double apart[2][3] = {{0, 0, 0}, {9, 0, 0}};
    s = (set){0};
    for (int k = 0; k < 3; ++k) (void)driver_alkane(&s, &plain, 2 + k, 0.02);
    restrain(
        driver_argon(&s, &plain, 2, apart),
        (shoal_restraint){.kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 1}, .k = 1e4, .value = 4});
    shoal_md_system own[4] = {{.key = 11}, {.key = 12}, {.key = 13}, {.key = 14}};
    shoal_md_options o = {
        .n_steps = 1200, .thermostat = SHOAL_THERMOSTAT_LANGEVIN, .stride = 7, .systems = own};
    shoal_engine *all = make_engine(&s, 1);
    shoal_result r;
    CHECK(shoal_engine_md(all, &o, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_result(all, 3, &r) == SHOAL_OK);
    CHECK(r.status == SHOAL_SYSTEM_UNSTABLE && strstr(r.reason, "a shorter time step") &&
          isnan(r.energy));
    CHECK_TEXT(shoal_system_status_name(r.status), "unstable");
    CHECK(!shoal_engine_md_result(all, 3));
    for (int32_t k = 0; k < 3; ++k) {
        set one = {.n = 1};
        one.systems[0] = s.systems[k];
        shoal_engine *alone = make_engine(&one, 1);
        o.systems = &own[k];
        o.stride = 100; /* nor do samples matter to the run */
        CHECK(shoal_engine_md(alone, &o, NULL, NULL) == SHOAL_OK);
        const size_t size = (size_t)s.systems[k].n_atoms * 3 * sizeof(double);
        CHECK(memcmp(shoal_engine_positions(all, k), shoal_engine_positions(alone, 0), size) == 0);
        o.stride = 7;
        CHECK(shoal_engine_set_positions(alone, 0, (const double(*)[3])s.systems[k].pos) ==
              SHOAL_OK);
        CHECK(shoal_engine_md(alone, &o, NULL, NULL) == SHOAL_OK);
        CHECK(same_bits(all, k, alone, 0, s.systems[k].n_atoms));
        shoal_engine_destroy(alone);
    }
    /* Another seed or key gives another way. */
    shoal_engine *other = make_engine(&s, 1);
    own[0].key = 99;
    o.systems = own;
    CHECK(shoal_engine_md(other, &o, NULL, NULL) == SHOAL_OK);
    CHECK(!same_bits(all, 0, other, 0, s.systems[0].n_atoms));
    CHECK(same_bits(all, 1, other, 1, s.systems[1].n_atoms));
    shoal_engine_destroy(other);
    shoal_engine_destroy(all);
    set_free(&s);
}

/* --- states --------------------------------------------------------------------------------------- */

typedef struct stopper {
    int64_t after;
} stopper;

static bool stop_after(void *user, const shoal_progress *p)
{
    return p->n_evaluations < ((stopper *)user)->after;
}

/* A state belongs to its options and systems, each of them. */
static void refuse_others(shoal_engine *engine, const set *s, const shoal_md_options *own)
{
    static const double warmer[1] = {345};
    static double masses[64];
    shoal_md_system systems[4];
    for (int k = 0; k < 10; ++k) {
        shoal_md_options o = *own;
        memcpy(systems, own->systems, sizeof systems);
        o.systems = systems;
        if (k == 0) o.dt = 0.25;
        if (k == 1) o.friction = 0.02;
        if (k == 2) o.tau = 30;
        if (k == 3) o.remove_every = 500;
        if (k == 4) o.stride = 140;
        if (k == 5) o.n_steps = 3400;
        if (k == 6) o.seed = 9;
        if (k == 7) systems[1].temperatures = warmer;
        if (k == 7) systems[1].n_temperatures = 1;
        if (k == 8) systems[3].masses = masses;
        if (k == 9) o.thermostat = (shoal_thermostat)(((int)own->thermostat + 1) % 3);
        for (int i = 0; i < s->systems[1].n_atoms; ++i) masses[i] = 4;
        CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_E_ARGUMENT);
    }
}

/* Stopped somewhere in a segment and gone on with: the same bits, and no frame twice or left out. */
static void test_state(shoal_thermostat t, int32_t exchange)
{
    static set s;
    static film whole[4], parts[4];
    static const double kelvin[4] = {300, 340, 300, 340};
    s = (set){0};
    (void)driver_alkane(&s, &plain, 2, 0.02);
    (void)driver_alkane(&s, &plain, 3, 0.02);
    shoal_md_system own[4];
    for (int k = 0; k < 4; ++k)
        own[k] = (shoal_md_system){
            .key = 5 + k, .temperatures = &kelvin[k], .n_temperatures = exchange ? 1 : 0};
    shoal_md_options o = {.n_steps = 3300,
                          .thermostat = t,
                          .stride = 70,
                          .systems = own,
                          .exchange_every = exchange,
                          .n_copies = 2,
                          .frame = film_take,
                          .frame_user = whole};
    for (int k = 0; k < 4; ++k) whole[k] = parts[k] = (film){.n_atoms = s.systems[k / 2].n_atoms};
    shoal_engine *a = make_engine(&s, 2), *b = make_engine(&s, 2), *c = make_engine(&s, 2);
    CHECK(shoal_engine_md(a, &o, NULL, NULL) == SHOAL_OK);
    shoal_string *state = NULL;
    stopper stop = {4 * 2500};
    shoal_result r;
    CHECK(shoal_string_create(&state) == SHOAL_OK);
    o.frame_user = parts;
    CHECK(shoal_engine_md(b, &o, stop_after, &stop) == SHOAL_OK);
    CHECK(shoal_engine_result(b, 0, &r) == SHOAL_OK && r.status == SHOAL_SYSTEM_MAX_STEPS);
    CHECK(shoal_engine_save(b, state) == SHOAL_OK && shoal_string_size(state) > 0);
    o.state = shoal_string_data(state);
    o.state_size = shoal_string_size(state);
    CHECK(shoal_engine_md(c, &o, NULL, NULL) == SHOAL_OK);
    for (int k = 0; k < 4; ++k) {
        CHECK(same_bits(a, k, c, k, whole[k].n_atoms));
        CHECK(whole[k].n == 48 && parts[k].n == 48);
        CHECK(memcmp(whole[k].steps, parts[k].steps, sizeof whole[k].steps) == 0);
        CHECK(memcmp(whole[k].v, parts[k].v, sizeof whole[k].v) == 0);
    }
    /* What is damaged or of another run is refused. */
    char *bytes = malloc(o.state_size);
    memcpy(bytes, o.state, o.state_size);
    bytes[o.state_size / 2] ^= 1;
    o.state = bytes;
    CHECK(shoal_engine_md(c, &o, NULL, NULL) == SHOAL_E_ARGUMENT);
    bytes[o.state_size / 2] ^= 1;
    o.state_size -= 3;
    CHECK(shoal_engine_md(c, &o, NULL, NULL) == SHOAL_E_ARGUMENT);
    o.state_size += 3;
    refuse_others(c, &s, &o);
    free(bytes);
    shoal_string_destroy(state);
    shoal_engine_destroy(a);
    shoal_engine_destroy(b);
    shoal_engine_destroy(c);
    set_free(&s);
}

static bool stop_at_failure(void *user, const shoal_progress *p)
{
    (void)user;
    return p->n_failed == 0;
}

/* A hot copy flies apart after swaps: those that swapped with it begin anew, and come to the same end. */
static void test_state_of_rest(void)
{
    static set s;
    static const double kelvin[3] = {5000, 6500, 8000};
    s = (set){0};
    for (int k = 0; k < 3; ++k) (void)driver_alkane(&s, &plain, 4, 0.0);
    shoal_md_system own[3];
    for (int k = 0; k < 3; ++k)
        own[k] = (shoal_md_system){.key = k, .temperatures = &kelvin[k], .n_temperatures = 1};
    shoal_md_options o = {.n_steps = 40000,
                          .dt = 1.0,
                          .thermostat = SHOAL_THERMOSTAT_LANGEVIN,
                          .seed = 3,
                          .stride = 1000,
                          .systems = own,
                          .exchange_every = 20,
                          .n_copies = 3};
    shoal_engine *a = make_engine(&s, 1), *b = make_engine(&s, 1), *c = make_engine(&s, 1);
    shoal_string *state = NULL;
    CHECK(shoal_engine_md(a, &o, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_md(b, &o, stop_at_failure, NULL) == SHOAL_OK);
    CHECK(shoal_string_create(&state) == SHOAL_OK && shoal_engine_save(b, state) == SHOAL_OK);
    o.state = shoal_string_data(state);
    o.state_size = shoal_string_size(state);
    CHECK(shoal_engine_md(c, &o, NULL, NULL) == SHOAL_OK);
    int n_failed = 0;
    for (int k = 0; k < 3; ++k) {
        shoal_result r = {.reason = ""}, again = {.reason = ""};
        CHECK(shoal_engine_result(a, k, &r) == SHOAL_OK);
        CHECK(shoal_engine_result(c, k, &again) == SHOAL_OK);
        CHECK(r.status == again.status);
        CHECK_TEXT(r.reason, again.reason);
        n_failed += r.status == SHOAL_SYSTEM_UNSTABLE;
    }
    CHECK(n_failed > 0);
    shoal_string_destroy(state);
    shoal_engine_destroy(a);
    shoal_engine_destroy(b);
    shoal_engine_destroy(c);
    set_free(&s);
}

/* Only the first of two copies has a state; ends the engine. */
static void check_first_alone(shoal_engine *engine)
{
    shoal_string *state = NULL;
    CHECK(shoal_string_create(&state) == SHOAL_OK && shoal_engine_save(engine, state) == SHOAL_OK);
    CHECK(md_state_has(shoal_string_data(state), shoal_string_size(state), 0));
    CHECK(!md_state_has(shoal_string_data(state), shoal_string_size(state), 1));
    shoal_string_destroy(state);
    shoal_engine_destroy(engine);
}

/* A copy that never began is not missed: the other one goes on from its state. */
static void test_state_without_one(void)
{
    static set s;
    static const double kelvin[2] = {300, 320};
    s = (set){0};
    (void)driver_alkane(&s, &plain, 2, 0.02);
    const shoal_md_system own[2] = {
        {.temperatures = &kelvin[0], .n_temperatures = 1},
        {.temperatures = &kelvin[1], .n_temperatures = 1, .key = 1, .refusal = "not this one"}};
    const shoal_md_options o = {.n_steps = 400,
                                .thermostat = SHOAL_THERMOSTAT_LANGEVIN,
                                .systems = own,
                                .exchange_every = 50,
                                .n_copies = 2};
    shoal_engine *engine = make_engine(&s, 2);
    stopper stop = {200};
    CHECK(shoal_engine_md(engine, &o, stop_after, &stop) == SHOAL_OK);
    check_first_alone(engine);
    set_free(&s);
}

/* Without exchange nobody misses a copy that has flown apart. */
static void test_state_of_copies(void)
{
    static set s;
    static const double kelvin[2] = {300, 8000};
    s = (set){0};
    (void)driver_alkane(&s, &plain, 4, 0.0);
    const shoal_md_system own[2] = {{.temperatures = &kelvin[0], .n_temperatures = 1},
                                    {.temperatures = &kelvin[1], .n_temperatures = 1, .key = 1}};
    const shoal_md_options o = {.n_steps = 40000,
                                .dt = 1.0,
                                .thermostat = SHOAL_THERMOSTAT_LANGEVIN,
                                .stride = 1000,
                                .seed = 3,
                                .systems = own,
                                .n_copies = 2};
    shoal_engine *engine = make_engine(&s, 2);
    shoal_result r = {.status = SHOAL_SYSTEM_OK};
    CHECK(shoal_engine_md(engine, &o, stop_at_failure, NULL) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 1, &r) == SHOAL_OK && r.status == SHOAL_SYSTEM_UNSTABLE);
    check_first_alone(engine);
    set_free(&s);
}

/* --- starts --------------------------------------------------------------------------------------- */

/* Velocities that are no numbers end a system at once, not those beside it. */
static void test_not_finite(void)
{
    static set s;
    static double v[8][3];
    s = (set){0};
    (void)driver_alkane(&s, &plain, 2, 0.02);
    shoal_engine *engine = make_engine(&s, 2);
    shoal_result r;
    v[3][1] = NAN;
    const shoal_md_system own[2] = {{.velocities = (const double(*)[3])v}, {.key = 1}};
    const shoal_md_options o = {.n_steps = 20, .stride = 10, .systems = own};
    CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK && r.status == SHOAL_SYSTEM_NOT_FINITE);
    CHECK(strstr(r.reason, "at step 0 (0 fs)") && !shoal_engine_md_result(engine, 0));
    CHECK(shoal_engine_result(engine, 1, &r) == SHOAL_OK && r.status == SHOAL_SYSTEM_OK);
    shoal_engine_destroy(engine);
    set_free(&s);
}

/* A surface holds a system while its term is on; fixed atoms and places that are held do, distances do not. */
static void test_free(void)
{
    static const bool fixed[2] = {false, true};
    shoal_restraint place = {.kind = SHOAL_RESTRAINT_POSITION},
                    pair = {.kind = SHOAL_RESTRAINT_DISTANCE};
    backend_system s = {.view = {.n_atoms = 2}};
    shoal_engine engine = {.n_systems = 1, .systems = &s};
    CHECK(md_is_free(&engine, 0));
    engine.options.surface = (shoal_surface *)(void *)&place; /* not looked into */
    CHECK(!md_is_free(&engine, 0));
    engine.options.terms_off = 1u << SHOAL_TERM_SURFACE;
    CHECK(md_is_free(&engine, 0));
    s.restraints = &pair;
    s.n_restraints = 1;
    CHECK(md_is_free(&engine, 0));
    s.restraints = &place;
    CHECK(!md_is_free(&engine, 0));
    s.n_restraints = 0;
    s.fixed = fixed;
    CHECK(!md_is_free(&engine, 0));
}

/* Velocities that are given are taken as they are, but for fixed atoms, which have none. */
static void test_given(void)
{
    static set s;
    static film f;
    double v[8][3];
    s = (set){0};
    hold_atom(driver_alkane(&s, &plain, 2, 0.02), 3);
    shoal_engine *engine = make_engine(&s, 1);
    for (int a = 0; a < 8; ++a)
        for (int k = 0; k < 3; ++k) v[a][k] = 1e-3 * (a + 2 * k - 4);
    const shoal_md_system own = {.velocities = (const double(*)[3])v};
    const shoal_md_options o = {
        .n_steps = 2, .stride = 1, .systems = &own, .frame = film_take, .frame_user = &f};
    f = (film){.n_atoms = 8};
    CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_OK);
    for (int a = 0; a < 8; ++a)
        for (int k = 0; k < 3; ++k) {
            CHECK_NEAR(f.first_v[a][k], a == 3 ? 0 : v[a][k], 0);
            if (a == 3) CHECK_NEAR(f.pos[a][k], s.systems[0].pos[a][k], 0);
        }
    CHECK(shoal_engine_md_result(engine, 0)->n_dof == 21);
    shoal_engine_destroy(engine);
    set_free(&s);
}

/* Copies change places on the ladder, every rung is taken once, and neighbours swap often but not always. */
static void test_exchange(void)
{
    enum { N = 4, GROUPS = 4 };
    static set s;
    static const double kelvin[N] = {300, 360, 430, 520};
    s = (set){0};
    (void)driver_alkane(&s, &plain, 2, 0.02);
    shoal_md_system own[N * GROUPS];
    for (int k = 0; k < N * GROUPS; ++k)
        own[k] =
            (shoal_md_system){.key = 100 + k, .temperatures = &kelvin[k % N], .n_temperatures = 1};
    shoal_md_options o = {.n_steps = 10000,
                          .thermostat = SHOAL_THERMOSTAT_LANGEVIN,
                          .friction = 0.05,
                          .exchange_every = 200,
                          .n_copies = N,
                          .systems = own};
    shoal_engine *engine = make_engine(&s, N * GROUPS), *one = make_engine(&s, N);
    CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_OK);
    int32_t n_tried = 0, n_swapped = 0;
    for (int g = 0; g < GROUPS; ++g) {
        int seen = 0;
        for (int k = 0; k < N; ++k) {
            const shoal_md_result *m = shoal_engine_md_result(engine, g * N + k);
            if (!m) continue;
            n_tried += m->n_tried;
            n_swapped += m->n_swapped;
            for (int j = 0; j < N; ++j)
                if (m->temperature == kelvin[j]) seen |= 1 << j;
        }
        CHECK(seen == (1 << N) - 1);
    }
    CHECK(n_tried == GROUPS * (25 * 4 + 24 * 2));
    CHECK(n_swapped > n_tried / 5 && n_swapped < n_tried);
    /* A group does not matter to the others. */
    o.systems = own + N;
    CHECK(shoal_engine_md(one, &o, NULL, NULL) == SHOAL_OK);
    for (int k = 0; k < N; ++k) CHECK(same_bits(engine, N + k, one, k, s.systems[0].n_atoms));
    o.n_copies = 3;
    CHECK(shoal_engine_md(one, &o, NULL, NULL) == SHOAL_E_ARGUMENT);
    o.systems = own;
    CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_E_ARGUMENT);
    shoal_engine_destroy(engine);
    shoal_engine_destroy(one);
    set_free(&s);
}

/* --- progress and defaults ------------------------------------------------------------------------ */

typedef struct watch {
    int64_t n_evaluations, n_done, n_systems;
    int32_t n_energies;
} watch;

static bool watch_it(void *user, const shoal_progress *p)
{
    watch *w = user;
    CHECK(p->n_evaluations >= w->n_evaluations && p->n_failed == 0);
    w->n_evaluations = p->n_evaluations;
    w->n_done = p->n_done;
    w->n_systems = p->n_systems;
    w->n_energies += isfinite(p->energy);
    return true;
}

/* Steps of all systems together; an energy is that of one. */
static void test_progress(void)
{
    static set s;
    s = (set){0};
    (void)driver_alkane(&s, &plain, 2, 0.02);
    for (int32_t n = 1; n < 4; n += 2) {
        shoal_engine *engine = make_engine(&s, n);
        const shoal_md_options o = {.n_steps = 250, .stride = 100};
        watch w = {0};
        CHECK(shoal_engine_md(engine, &o, watch_it, &w) == SHOAL_OK);
        CHECK(w.n_evaluations == 250 * n && w.n_systems == n);
        CHECK(n == 1 || w.n_energies == 0);
        shoal_engine_destroy(engine);
    }
    set_free(&s);
}

/* Zeros stand for what the header says. */
static void test_defaults(void)
{
    static set s;
    static const double usual = 300;
    s = (set){0};
    (void)driver_alkane(&s, &plain, 3, 0.02);
    for (int t = 0; t < 3; ++t) {
        shoal_engine *a = make_engine(&s, 1), *b = make_engine(&s, 1);
        const int32_t n_steps = t == 0 ? 300 : 305; /* ten strides or a little more */
        const shoal_md_options o = {.n_steps = n_steps, .thermostat = (shoal_thermostat)t};
        const shoal_md_options full = {.n_steps = n_steps,
                                       .dt = 0.5,
                                       .thermostat = (shoal_thermostat)t,
                                       .friction = 0.01,
                                       .tau = 20,
                                       .temperatures = &usual,
                                       .n_temperatures = 1,
                                       .stride = t == 0 ? 30 : 31};
        CHECK(shoal_engine_md(a, &o, NULL, NULL) == SHOAL_OK);
        CHECK(shoal_engine_md(b, &full, NULL, NULL) == SHOAL_OK);
        CHECK(same_bits(a, 0, b, 0, s.systems[0].n_atoms));
        shoal_engine_destroy(a);
        shoal_engine_destroy(b);
    }
    set_free(&s);
}

/* Momentum along x and angular momentum about z through the centre, amu A/fs and amu A^2/fs, after a run that begins with
 * both. */
static void find_motion(const set *s, int32_t remove_every, double *p, double *l)
{
    static double v[MOST_ATOMS][3];
    const int32_t n = s->systems[0].n_atoms;
    shoal_engine *engine = make_engine(s, 1);
    for (int32_t a = 0; a < n; ++a) {
        v[a][0] = 0.002 - 0.001 * s->systems[0].pos[a][1];
        v[a][1] = 0.001 * s->systems[0].pos[a][0];
    }
    const shoal_md_system own = {.velocities = (const double(*)[3])v};
    const shoal_md_options o = {.n_steps = 41, .remove_every = remove_every, .systems = &own};
    CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_OK);
    const shoal_md_result *m = shoal_engine_md_result(engine, 0);
    const double(*pos)[3] = shoal_engine_positions(engine, 0);
    double mass = 0, centre[2] = {0, 0}, mean[2] = {0, 0};
    for (int32_t a = 0; m && a < n; ++a) {
        mass += m->masses[a];
        for (int k = 0; k < 2; ++k) centre[k] += m->masses[a] * pos[a][k];
        for (int k = 0; k < 2; ++k) mean[k] += m->masses[a] * m->velocities[a][k];
    }
    *p = mean[0];
    *l = 0;
    for (int32_t a = 0; m && a < n; ++a)
        *l += m->masses[a] *
              ((pos[a][0] - centre[0] / mass) * (m->velocities[a][1] - mean[1] / mass) -
               (pos[a][1] - centre[1] / mass) * (m->velocities[a][0] - mean[0] / mass));
    CHECK(m && m->n_dof == 3 * n); /* velocities that were given keep their degrees of freedom */
    shoal_engine_destroy(engine);
}

/* Removed now and then: all of it of a free molecule, the way alone of one that repeats, nothing of one that is held. */
static void test_removed(void)
{
    static const schedule box = {
        .name = "box", .device = "cpu", .large = true, .precision = SHOAL_PRECISION_DOUBLE};
    static set s;
    double p, l;
    for (int kind = 0; kind < 3; ++kind) {
        s = (set){0};
        set_system *sys = driver_alkane(&s, kind == 1 ? &box : &plain, 3, 0.02);
        if (kind == 2)
            restrain(sys,
                     (shoal_restraint){.kind = SHOAL_RESTRAINT_POSITION, .atoms = {0}, .k = 1e-9});
        find_motion(&s, 0, &p, &l);
        CHECK(fabs(p) > 0.02 && fabs(l) > 0.02);
        find_motion(&s, 20, &p, &l);
        CHECK((fabs(p) < 1e-9) == (kind < 2) && (fabs(l) < 1e-9) == (kind == 0));
        set_free(&s);
    }
}

/* Of every system its own motion, beside others of other sizes. */
static void test_removed_beside(void)
{
    static set s;
    static double v[MOST_ATOMS][3];
    shoal_md_system own[3];
    s = (set){0};
    for (int k = 0; k < 3; ++k) {
        (void)driver_alkane(&s, &plain, 2 + k % 2, 0.02);
        own[k] = (shoal_md_system){.velocities = (const double(*)[3])v, .key = k};
    }
    for (int a = 0; a < MOST_ATOMS; ++a) v[a][0] = 0.002;
    shoal_engine *engine = make_engine(&s, 1);
    const shoal_md_options o = {.n_steps = 11, .remove_every = 5, .systems = own};
    CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_OK);
    for (int k = 0; k < 3; ++k) {
        const shoal_md_result *m = shoal_engine_md_result(engine, k);
        double p = 0;
        for (int32_t a = 0; m && a < s.systems[k].n_atoms; ++a)
            p += m->masses[a] * m->velocities[a][0];
        CHECK(m && fabs(p) < 1e-9);
    }
    shoal_engine_destroy(engine);
    set_free(&s);
}

/* Overall motion that was given goes, the rest stays. */
static void test_removal(void)
{
    const double masses[4] = {1, 2, 3, 4};
    const double pos[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
    double v[4][3], before[4][3], turn = 0;
    for (int a = 0; a < 4; ++a)
        for (int k = 0; k < 3; ++k) v[a][k] = 0.1 * (a - k) + 0.01 * a * a * k;
    CHECK(md_remove_motion(4, 0, masses, pos, true, v) == 6);
    memcpy(before, v, sizeof v);
    for (int a = 0; a < 4; ++a) {
        v[a][0] += 1 - 0.3 * pos[a][1];
        v[a][1] += 2 + 0.3 * pos[a][0];
        turn = fmax(turn, fabs(v[a][0]));
    }
    CHECK(md_remove_motion(4, 0, masses, pos, true, v) == 6 && turn > 0.5);
    for (int a = 0; a < 4; ++a)
        for (int k = 0; k < 3; ++k) CHECK_NEAR(v[a][k], before[a][k], 1e-12);
    CHECK(md_remove_motion(4, 0, masses, pos, false, v) == 3);
    CHECK(md_remove_motion(2, 0, masses, pos, true, v) == 5);
    /* Atoms in a line turn about two axes, with the inertia across it: 1 and 2 amu at 0 and 1 turn at 0.6 / (2 / 3). */
    double line[2][3] = {{0, -0.6, 0}, {0, 0.3, 0}};
    CHECK(md_remove_motion(2, 0, masses, pos, true, line) == 5);
    for (int a = 0; a < 2; ++a)
        for (int k = 0; k < 3; ++k) CHECK_NEAR(line[a][k], 0, 1e-15);
    /* A bend of a degree is no line. */
    const double bent[3][3] = {{-1.2, 0, 0}, {0, 0.01, 0}, {1.2, 0, 0}};
    CHECK(md_remove_motion(3, 0, masses, bent, true, v) == 6);
}

static void test_arguments(void)
{
    static set s;
    static const double bad[1] = {-1};
    s = (set){0};
    (void)driver_alkane(&s, &plain, 2, 0);
    shoal_engine *engine = make_engine(&s, 1);
    const shoal_md_options wrong[] = {{.n_steps = -1},
                                      {.dt = -0.5},
                                      {.dt = 1000},
                                      {.friction = -1},
                                      {.tau = 0.999, .thermostat = SHOAL_THERMOSTAT_NOSE_HOOVER},
                                      {.stride = -1},
                                      {.temperatures = bad, .n_temperatures = 1},
                                      {.exchange_every = 10, .n_copies = 1},
                                      {.remove_every = 10, .thermostat = SHOAL_THERMOSTAT_LANGEVIN},
                                      {.state = "nothing", .state_size = 7}};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; ++k)
        CHECK(shoal_engine_md(engine, &wrong[k], NULL, NULL) == SHOAL_E_ARGUMENT);
    CHECK(!shoal_engine_md_result(engine, 0) && !shoal_engine_md_result(engine, 5));
    const shoal_md_options least = {
        .n_steps = 1, .tau = 1.0, .thermostat = SHOAL_THERMOSTAT_NOSE_HOOVER};
    CHECK(shoal_engine_md(engine, &least, NULL, NULL) == SHOAL_OK); /* two steps */
    CHECK(shoal_engine_md(engine, NULL, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_md_result(engine, 0)->n_steps == 1000);
    shoal_engine_destroy(engine);
    set_free(&s);
}

int main(void)
{
    test_removal();
    test_removed();
    test_removed_beside();
    test_masses();
    test_isotopes();
    test_progress();
    test_defaults();
    test_witness();
    test_dof();
    test_maxwell();
    test_together();
    test_state(SHOAL_THERMOSTAT_NONE, 0);
    test_state(SHOAL_THERMOSTAT_NOSE_HOOVER, 0);
    test_state(SHOAL_THERMOSTAT_LANGEVIN, 300);
    test_state_of_rest();
    test_state_without_one();
    test_state_of_copies();
    test_not_finite();
    test_free();
    test_given();
    test_exchange();
    test_arguments();
    return check_done();
}
