/* SPDX-License-Identifier: BSD-3-Clause
 * Runs of systems with directions and electron pairs: known minima, what batches, states and new coordinates must not
 * change, conserved momenta, records of results, and vibrations. */
#include <math.h>
#include <stdlib.h>

#include "constants.h"
#include "engine/md.h"
#include "engine/modes.h"
#include "mmff_fixture.h"
#include "shoal/md.h"
#include "shoal/results.h"

enum { MOST = 12 };

typedef struct probe {
    const char *atoms, *bonds;
    int32_t n;
    double pos[MOST][3];
    double bonded, all; /* eV: of the minimum, and with vdW; NaN: nobody knows */
} probe;

static const probe probes[] = {
    {"C O O H H",
     "0=1 0-2 0-3 2-4",
     5,
     {{0, 0, 0}, {1.2, .1, 0}, {-.65, 1.15, .05}, {-.55, -.95, .1}, {-1.5, 1, .4}},
     0.026387162296,
     NAN},
    {"C C H H H H",
     "0=1 0-2 0-3 1-4 1-5",
     6,
     {{0, 0, 0},
      {1.34, .02, -.01},
      {-.56, .92, .1},
      {-.58, -.93, -.05},
      {1.9, .94, -.15},
      {1.88, -.9, .2}},
     0,
     -0.001821799241},
    {"C C C C C C H H H H H H",
     "0=1 1-2 2=3 3-4 4=5 5-0 0-6 1-7 2-8 3-9 4-10 5-11",
     12,
     {{1.397, 0, .05},
      {.699, 1.21, -.05},
      {-.698, 1.21, .05},
      {-1.397, 0, -.05},
      {-.699, -1.21, .05},
      {.698, -1.21, -.05},
      {2.48, 0, -.1},
      {1.24, 2.148, .05},
      {-1.24, 2.148, .05},
      {-2.48, 0, -.1},
      {-1.24, -2.148, .05},
      {1.24, -2.148, .05}},
     0,
     0.644747652226},
    {"C C O N H H H H H",
     "0-1 1=2 1-3 0-4 0-5 0-6 3-7 3-8",
     9,
     {{0, 0, 0},
      {1.5, .05, .02},
      {2.15, 1.08, -.05},
      {2.12, -1.15, .1},
      {-.38, 1.02, .05},
      {-.38, -.5, .89},
      {-.37, -.54, -.88},
      {1.6, -2, .25},
      {3.12, -1.2, -.05}},
     0.000026186342,
     0.020802102263},
};
enum { N_PROBES = sizeof probes / sizeof probes[0], FORMIC = 0, ETHYLENE, BENZENE, ACETAMIDE };

static const uint32_t no_pairs = 1u << SHOAL_TERM_VDW | 1u << SHOAL_TERM_COULOMB;

static shoal_topology *make_topology(const probe *p, const shoal_typing_options *options)
{
    uff u;
    shoal_molecule *mol = mmff_graph(p->atoms, p->bonds);
    CHECK(shoal_molecule_set_positions(mol, p->pos) == SHOAL_OK);
    uff_make_typed(&u, mol, options);
    shoal_molecule_destroy(mol);
    return u.topology;
}

static shoal_engine *open_engine(shoal_batch *batch, const shoal_engine_options *options)
{
    shoal_engine *engine = NULL;
    CHECK(shoal_engine_create(&engine, batch, options) == SHOAL_OK);
    shoal_batch_destroy(batch);
    return engine;
}

static void add(shoal_batch *batch, shoal_topology *t, const double (*pos)[3])
{
    CHECK(shoal_batch_add(batch, &(shoal_system){.topology = t, .pos = pos}) == SHOAL_OK);
}

/* An engine of one probe. */
static shoal_engine *open_probe(const probe *p, const shoal_typing_options *typing,
                                const shoal_engine_options *options)
{
    shoal_batch *batch = NULL;
    shoal_topology *t = make_topology(p, typing);
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    add(batch, t, p->pos);
    shoal_topology_destroy(t);
    return open_engine(batch, options);
}

/* --- minima --------------------------------------------------------------------------------------- */

static void test_minimum(const probe *p, shoal_method method, bool pairs)
{
    const shoal_engine_options options = {
        .device = "cpu", .precision = SHOAL_PRECISION_DOUBLE, .terms_off = pairs ? 0 : no_pairs};
    shoal_engine *engine = open_probe(p, &mmff_original, &options);
    shoal_result r;
    const shoal_relax_options relax = {.method = method, .fmax = 1e-6};
    CHECK(shoal_engine_relax(engine, &relax, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
    CHECK_TEXT(shoal_system_status_name(r.status), "converged");
    CHECK_NEAR(r.energy, pairs ? p->all : p->bonded, 1e-8);
    CHECK(r.steps < (method == SHOAL_METHOD_FIRE ? 1500 : 300));
    CHECK(r.n_terms == shoal_term_count());
    CHECK_TEXT(r.warning, "");
    shoal_engine_destroy(engine);
}

/* --- batches -------------------------------------------------------------------------------------- */

enum { N_MIXED = 11, BROKEN = 4 };

/* Conformers of all probes with both force fields, one of them broken. */
typedef struct mixture {
    shoal_topology *topologies[N_MIXED];
    double pos[N_MIXED][MOST][3];
} mixture;

static mixture *make_mixture(void)
{
    static const shoal_typing_options with_pairs = {.forcefield = SHOAL_FORCEFIELD_MMFFSP3,
                                                    .electron_pairs = true};
    const shoal_typing_options *const how[3] = {&mmff_own, &with_pairs, NULL};
    mixture *m = calloc(1, sizeof *m);
    uint64_t seed = 5;
    CHECK(m);
    for (int k = 0; k < N_MIXED; ++k) {
        const probe *p = &probes[k % N_PROBES];
        m->topologies[k] = make_topology(p, how[k % 3]);
        for (int32_t i = 0; i < p->n; ++i)
            for (int c = 0; c < 3; ++c)
                m->pos[k][i][c] = p->pos[i][c] + 1e-3 * (chem_random(&seed, 100) - 50);
    }
    m->pos[BROKEN][1][2] = NAN;
    return m;
}

static void free_mixture(mixture *m)
{
    for (int k = 0; k < N_MIXED; ++k) shoal_topology_destroy(m->topologies[k]);
    free(m);
}

static shoal_engine *open_mixture(const mixture *m, const int *which, int n,
                                  const shoal_engine_options *options)
{
    shoal_batch *batch = NULL;
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int k = 0; k < n; ++k)
        add(batch, m->topologies[which[k]], (const double(*)[3])m->pos[which[k]]);
    return open_engine(batch, options);
}

static void run_job(shoal_engine *engine, bool dynamics, const int *which)
{
    shoal_md_system systems[N_MIXED] = {{0}};
    const shoal_md_options md = {
        .n_steps = 60, .stride = 20, .thermostat = SHOAL_THERMOSTAT_LANGEVIN, .systems = systems};
    for (int32_t i = 0; i < engine->n_systems; ++i) systems[i].key = which[i];
    CHECK((dynamics ? shoal_engine_md(engine, &md, NULL, NULL)
                    : shoal_engine_relax(engine, NULL, NULL, NULL)) == SHOAL_OK);
}

static void check_same(const shoal_engine *a, int32_t i, const shoal_engine *b, int32_t k)
{
    const backend_result *x = &a->results[i], *y = &b->results[k];
    const size_t n = (size_t)engine_n_movers(a, i);
    CHECK(x->status == y->status && x->steps == y->steps);
    CHECK(memcmp(&x->energy, &y->energy, sizeof x->energy) == 0 || isnan(x->energy));
    CHECK(n == (size_t)engine_n_movers(b, k));
    CHECK(isnan(x->energy) == isnan(y->energy));
    CHECK(isnan(x->energy) || memcmp(x->pos, y->pos, n * sizeof *x->pos) == 0);
    CHECK(isnan(x->energy) || memcmp(x->forces, y->forces, n * sizeof *x->pos) == 0);
}

/* A system comes to the same end alone, with others, in another order and with other threads. */
static void test_batches(bool dynamics, shoal_precision precision)
{
    mixture *m = make_mixture();
    int order[2][N_MIXED];
    for (int k = 0; k < N_MIXED; ++k) {
        order[0][k] = k;
        order[1][k] = N_MIXED - 1 - k;
    }
    const shoal_engine_options options = {.device = "cpu", .precision = precision, .n_threads = 2};
    shoal_engine_options one = options;
    one.n_threads = 1;
    shoal_engine *all = open_mixture(m, order[0], N_MIXED, &options);
    shoal_engine *back = open_mixture(m, order[1], N_MIXED, &one);
    run_job(all, dynamics, order[0]);
    run_job(back, dynamics, order[1]);
    for (int k = 0; k < N_MIXED; ++k) {
        shoal_engine *alone = open_mixture(m, &order[0][k], 1, &options);
        run_job(alone, dynamics, &order[0][k]);
        check_same(alone, 0, all, k);
        check_same(alone, 0, back, N_MIXED - 1 - k);
        CHECK((k == BROKEN) == (alone->results[0].status == SHOAL_SYSTEM_NOT_FINITE));
        shoal_engine_destroy(alone);
    }
    shoal_engine_destroy(all);
    shoal_engine_destroy(back);
    free_mixture(m);
}

/* Coordinates that are put somewhere bring fresh directions along. */
static void test_fresh(void)
{
    const shoal_engine_options options = {.device = "cpu"};
    const probe *p = &probes[FORMIC];
    shoal_engine *engine = open_probe(p, &mmff_own, &options);
    shoal_result r;
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
    const double before = r.energy;
    CHECK(shoal_engine_relax(engine, NULL, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_set_positions(engine, 0, p->pos) == SHOAL_OK);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
    CHECK(r.energy == before);
    shoal_engine_destroy(engine);
}

/* --- dynamics ------------------------------------------------------------------------------------- */

static void angular_momentum(const shoal_engine *engine, double l[3])
{
    const double(*x)[3] = (const double(*)[3])engine->results[0].pos;
    l[0] = l[1] = l[2] = 0;
    for (int32_t i = 0; i < engine_n_movers(engine, 0); ++i)
        for (int c = 0; c < 3; ++c) {
            const int a = (c + 1) % 3, b = (c + 2) % 3;
            const double *v = engine->md->whole[i];
            l[c] += engine->md->masses[i] * (x[i][a] * v[b] - x[i][b] * v[a]);
        }
}

static void test_conserves(const probe *p, bool electron_pairs)
{
    const shoal_engine_options options = {.device = "cpu", .precision = SHOAL_PRECISION_DOUBLE};
    shoal_typing_options typing = mmff_own;
    typing.electron_pairs = electron_pairs;
    shoal_engine *engine = open_probe(p, &typing, &options);
    const shoal_topology_view *v = &engine->systems[0].view;
    const double kelvin = 100;
    double l[3];
    const shoal_md_options md = {
        .n_steps = 20000, .dt = 0.5, .temperatures = &kelvin, .n_temperatures = 1};
    CHECK(shoal_engine_relax(engine, NULL, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_md(engine, &md, NULL, NULL) == SHOAL_OK);
    const shoal_md_result *r = shoal_engine_md_result(engine, 0);
    CHECK(r && r->n_dof == 3.0 * v->n_atoms - 6 + 2.0 * v->n_directions);
    angular_momentum(engine, l);
    for (int c = 0; c < 3; ++c) CHECK_NEAR(l[c], 0, 1e-10);
    CHECK(fabs(r->drift) * r->n_dof * r->time * 1e-6 < 2e-4);
    shoal_engine_destroy(engine);
}

/* Velocities at the start: a share of kT/2 for every degree of freedom, in tangent planes. */
static void test_thermal(void)
{
    enum { N = 400 };
    const shoal_engine_options options = {.device = "cpu"};
    const probe *p = &probes[BENZENE];
    const double kelvin = 300;
    shoal_batch *batch = NULL;
    shoal_topology *t = make_topology(p, &mmff_own);
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int k = 0; k < N; ++k) add(batch, t, p->pos);
    shoal_topology_destroy(t);
    shoal_engine *engine = open_engine(batch, &options);
    const shoal_md_options md = {.n_steps = 1,
                                 .dt = 1e-6,
                                 .temperatures = &kelvin,
                                 .n_temperatures = 1,
                                 .thermostat = SHOAL_THERMOSTAT_LANGEVIN};
    CHECK(shoal_engine_md(engine, &md, NULL, NULL) == SHOAL_OK);
    double sum = 0;
    for (int k = 0; k < N; ++k) {
        const backend_system *s = &engine->systems[k];
        CHECK(shoal_engine_md_result(engine, k)->n_dof == 36 + 12);
        for (int32_t i = s->view.n_atoms; i < engine_n_movers(engine, k); ++i) {
            const double *v = engine->md->velocities[engine_first_mover(engine, k) + i];
            const double *x = engine->results[k].pos[i];
            CHECK_NEAR(v[0] * x[0] + v[1] * x[1] + v[2] * x[2], 0, 1e-12);
            sum += (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / ACCELERATION;
        }
    }
    CHECK_NEAR(sum / (2.0 * 6 * N * BOLTZMANN * kelvin), 1, 0.06);
    shoal_engine_destroy(engine);
}

/* --- states --------------------------------------------------------------------------------------- */

typedef struct stopper {
    int64_t at;
} stopper;

static bool stop_late(void *user, const shoal_progress *p)
{
    return p->n_evaluations < ((const stopper *)user)->at;
}

static void make_run(shoal_engine *engine, int what, const shoal_string *state, stopper *stop)
{
    static const double kelvin = 300;
    const shoal_relax_options relax = {.method = what == 0 ? SHOAL_METHOD_LBFGS : SHOAL_METHOD_FIRE,
                                       .fmax = 1e-5,
                                       .state = state ? shoal_string_data(state) : NULL,
                                       .state_size = state ? shoal_string_size(state) : 0};
    const shoal_md_options md = {.n_steps = 3500,
                                 .temperatures = &kelvin,
                                 .n_temperatures = 1,
                                 .thermostat = what == 2 ? SHOAL_THERMOSTAT_LANGEVIN
                                                         : SHOAL_THERMOSTAT_NOSE_HOOVER,
                                 .state = relax.state,
                                 .state_size = relax.state_size};
    shoal_monitor *monitor = stop ? stop_late : NULL;
    CHECK((what < 2 ? shoal_engine_relax(engine, &relax, monitor, stop)
                    : shoal_engine_md(engine, &md, monitor, stop)) == SHOAL_OK);
}

/* Stopped and gone on with is as if nothing had happened. */
static void test_resumes(int what, shoal_precision precision)
{
    const shoal_engine_options options = {.device = "cpu", .precision = precision};
    shoal_typing_options typing = mmff_own;
    typing.electron_pairs = true;
    shoal_engine *e[3];
    shoal_string *state = NULL;
    stopper stop = {what < 2 ? 20 : 1800};
    for (int k = 0; k < 3; ++k) e[k] = open_probe(&probes[ACETAMIDE], &typing, &options);
    CHECK(e[0]->systems[0].view.n_atoms > 9 && e[0]->systems[0].view.n_directions > 2);
    make_run(e[0], what, NULL, NULL);
    make_run(e[1], what, NULL, &stop);
    CHECK(e[1]->results[0].status == SHOAL_SYSTEM_MAX_STEPS);
    CHECK(shoal_string_create(&state) == SHOAL_OK);
    CHECK(shoal_engine_save(e[1], state) == SHOAL_OK && shoal_string_size(state) > 0);
    make_run(e[2], what, state, NULL);
    check_same(e[0], 0, e[2], 0);
    if (what >= 2)
        CHECK(memcmp(e[0]->md->whole, e[2]->md->whole,
                     (size_t)engine_n_movers(e[0], 0) * sizeof *e[0]->md->whole) == 0);
    shoal_string_destroy(state);
    for (int k = 0; k < 3; ++k) shoal_engine_destroy(e[k]);
}

/* --- records -------------------------------------------------------------------------------------- */

static const double *get_rows(const shoal_string *record, const char *name, size_t *n)
{
    const void *data;
    static double copy[9 * MOST];
    CHECK(shoal_results_record_field(shoal_string_data(record), shoal_string_size(record), name,
                                     &data, n) == SHOAL_OK);
    CHECK(*n <= sizeof copy);
    memcpy(copy, data, *n);
    *n /= sizeof(double);
    return copy;
}

/* Terms of directions, and where they and electron pairs are; nothing of it of UFF. */
static void test_records(void)
{
    const shoal_engine_options options = {.device = "cpu"};
    const probe *p = &probes[FORMIC];
    shoal_typing_options typing = mmff_own;
    typing.electron_pairs = true;
    shoal_engine *engine = open_probe(p, &typing, &options);
    shoal_molecule *mol = mmff_graph(p->atoms, p->bonds);
    shoal_string *record = NULL;
    shoal_topology_view v;
    size_t n;
    CHECK(shoal_string_create(&record) == SHOAL_OK);
    CHECK(shoal_engine_relax(engine, NULL, NULL, NULL) == SHOAL_OK);
    shoal_stream_system s = {
        .mol = mol, .topology = engine->topologies[0], .engine = engine, .device = "cpu"};
    shoal_topology_get(engine->topologies[0], &v);
    CHECK(shoal_engine_result(engine, 0, &s.result) == SHOAL_OK);
    CHECK(shoal_molecule_set_positions(mol, shoal_engine_positions(engine, 0)) == SHOAL_OK);
    CHECK(shoal_results_format(&(shoal_results_what){.directions = true}, &s, record) == SHOAL_OK);
    const double *d = get_rows(record, "atoms/direction", &n);
    CHECK(n == 15 && v.n_directions > 0 && v.n_pairs > 0);
    for (int32_t k = 0; k < v.n_directions; ++k)
        CHECK(memcmp(d + 3 * v.direction_atoms[k],
                     engine->results[0].pos[v.n_atoms + v.n_pairs + k], 3 * sizeof *d) == 0);
    d = get_rows(record, "atoms/electron_pairs", &n);
    int32_t n_pairs = 0;
    for (size_t k = 0; k + 2 < n; k += 3) {
        const double r = sqrt(d[k] * d[k] + d[k + 1] * d[k + 1] + d[k + 2] * d[k + 2]);
        n_pairs += r > 0;
        CHECK(r == 0 || fabs(r - 0.5) < 0.1);
    }
    CHECK(n == 45 && n_pairs == v.n_pairs);
    d = get_rows(record, "systems/terms", &n);
    CHECK(n == 10 && d[SHOAL_TERM_SIGMA_PI] > 0);
    shoal_string_clear(record);
    CHECK(shoal_results_format(&(shoal_results_what){.forces = true}, &s, record) == SHOAL_OK);
    (void)get_rows(record, "systems/terms", &n);
    CHECK(n == 8);
    shoal_string_destroy(record);
    shoal_molecule_destroy(mol);
    shoal_engine_destroy(engine);
}

/* --- vibrations ----------------------------------------------------------------------------------- */

/* Force on one coordinate after what is no atom has followed. */
static double follow(const shoal_system *system, const bool *fixed, int32_t c, double by)
{
    const shoal_engine_options options = {.device = "cpu", .precision = SHOAL_PRECISION_DOUBLE};
    double pos[MOST][3];
    shoal_topology_view v;
    shoal_batch *batch = NULL;
    shoal_result r;
    shoal_topology_get(system->topology, &v);
    memcpy(pos, system->pos, (size_t)v.n_atoms * sizeof *pos);
    pos[c / 3][c % 3] += by;
    shoal_engine *engines[2];
    for (int k = 0; k < 2; ++k) {
        const shoal_system moved = {.topology = system->topology,
                                    .pos = (const double(*)[3])pos,
                                    .fixed = k == 0 ? fixed : NULL};
        CHECK(shoal_batch_create(&batch) == SHOAL_OK);
        CHECK(shoal_batch_add(batch, &moved) == SHOAL_OK);
        engines[k] = open_engine(batch, &options);
    }
    shoal_engine *engine = engines[0], *free_one = engines[1];
    CHECK(shoal_engine_relax(engine, &(shoal_relax_options){.fmax = 1e-9}, NULL, NULL) == SHOAL_OK);
    memcpy(free_one->results[0].pos, engine->results[0].pos,
           (size_t)engine_n_movers(engine, 0) * sizeof *engine->pos);
    CHECK(shoal_engine_eval(free_one) == SHOAL_OK);
    CHECK(shoal_engine_result(free_one, 0, &r) == SHOAL_OK);
    const double force = r.forces[c / 3][c % 3];
    shoal_engine_destroy(engine);
    shoal_engine_destroy(free_one);
    return force;
}

/* The sum of all curvatures is that of differences of forces with directions that were relaxed for each of them. */
static void test_modes(const probe *p, bool electron_pairs)
{
    const shoal_engine_options options = {.device = "cpu", .precision = SHOAL_PRECISION_DOUBLE};
    shoal_typing_options typing = mmff_own;
    typing.electron_pairs = electron_pairs;
    bool fixed[MOST];
    for (int i = 0; i < MOST; ++i) fixed[i] = true;
    shoal_engine *engine = open_probe(p, &typing, &options);
    CHECK(shoal_engine_relax(engine, &(shoal_relax_options){.fmax = 1e-7}, NULL, NULL) == SHOAL_OK);
    const shoal_system system = {.topology = engine->topologies[0],
                                 .pos = shoal_engine_positions(engine, 0)};
    shoal_modes_result *modes = NULL;
    CHECK(shoal_modes_find(&modes, &system, NULL, &options, NULL) == SHOAL_OK);
    shoal_topology_view v;
    shoal_topology_get(system.topology, &v);
    CHECK(modes->n_atoms == p->n && modes->n_modes == 3 * p->n - 6);
    CHECK(modes->verdict == SHOAL_VERDICT_MINIMUM);
    double sum = 0, wanted = 0;
    for (int32_t k = 0; k < modes->n_modes; ++k)
        sum += pow(modes->frequencies[k] / 521.4708983725064, 2);
    const double step = 1e-3;
    for (int32_t c = 0; c < 3 * p->n; ++c)
        wanted += (follow(&system, fixed, c, -step) - follow(&system, fixed, c, step)) /
                  (2 * step * v.masses[c / 3]);
    CHECK_NEAR(sum / wanted, 1, 2e-5);
    shoal_modes_result_destroy(modes);
    shoal_engine_destroy(engine);
}

int main(void)
{
    for (int k = 0; k < N_PROBES; ++k)
        for (int method = SHOAL_METHOD_LBFGS; method <= SHOAL_METHOD_FIRE; ++method) {
            test_minimum(&probes[k], (shoal_method)method, false);
            if (isfinite(probes[k].all)) test_minimum(&probes[k], (shoal_method)method, true);
        }
    test_fresh();
    test_records();
    for (int dynamics = 0; dynamics < 2; ++dynamics)
        for (int precision = SHOAL_PRECISION_AUTO; precision <= SHOAL_PRECISION_DOUBLE; ++precision)
            test_batches(dynamics, (shoal_precision)precision);
    for (int what = 0; what < 4; ++what) {
        test_resumes(what, SHOAL_PRECISION_AUTO);
        /* Nobody asks a monitor as often as L-BFGS takes steps there. */
        if (what > 0) test_resumes(what, SHOAL_PRECISION_DOUBLE);
    }
    test_conserves(&probes[ETHYLENE], false);
    test_conserves(&probes[BENZENE], false);
    test_conserves(&probes[FORMIC], true);
    test_thermal();
    test_modes(&probes[ETHYLENE], false);
    test_modes(&probes[ACETAMIDE], false);
    test_modes(&probes[FORMIC], true);
    return check_done();
}
