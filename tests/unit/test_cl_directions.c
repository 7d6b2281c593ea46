/* SPDX-License-Identifier: BSD-3-Clause
 * Directions in small systems on an OpenCL device: energies and forces are those of ref, relaxations end where ref sees
 * no force, dynamics take the steps of a plain loop in double, and no bit depends on who shares a batch. Systems are
 * chains of nodes, each with its neighbours, its direction and hydrogens. */
#include <math.h>

#include "base/text.h"
#include "cl_fixture.h"
#include "constants.h"
#include "driver_fixture.h"
#include "engine/engine.h"

#define SHOAL_REAL double
#include "step_md.h"

enum { N_SIZES = 6, N_SYSTEMS = N_SIZES + 3, MOST_MOVERS = 900, N_STEPS = 9 };
static const int32_t sizes[N_SIZES] = {5, 31, 32, 33, 64, 65};

/* --- chains of nodes ------------------------------------------------------------------------------ */

enum { MOST_NODES = 40 };

typedef struct chain {
    int32_t n_atoms, n_nodes;
    int32_t neighbours[MOST_NODES][4], n_neighbours[MOST_NODES];
    int32_t directions[MOST_NODES]; /* -1: none */
} chain;

/* Nodes have each other and one hydrogen, those at the ends two; the last one lacks one where n is odd. */
static chain make_chain(int32_t n)
{
    chain c = {.n_atoms = n, .n_nodes = (n - 1) / 2};
    int32_t next = c.n_nodes;
    for (int32_t i = 0; i < c.n_nodes; ++i) {
        const bool end = i == 0 || i == c.n_nodes - 1;
        if (i > 0) c.neighbours[i][c.n_neighbours[i]++] = i - 1;
        if (i + 1 < c.n_nodes) c.neighbours[i][c.n_neighbours[i]++] = i + 1;
        for (int k = 0; k < (end ? 2 : 1) && next < n; ++k)
            c.neighbours[i][c.n_neighbours[i]++] = next++;
    }
    CHECK(next == n && c.n_nodes <= MOST_NODES);
    return c;
}

static void add_node_terms(shoal_topology_builder *b, const chain *c, int32_t i)
{
    const double half[2] = {24 - 0.1 * i, i % 7 == 6 ? acos(-1) : 2.0944 - 0.01 * i};
    for (int32_t s = 0; s < c->n_neighbours[i]; ++s) {
        const int32_t j = c->neighbours[i][s];
        const double tilt[2] = {1.5 + 0.05 * i, i % 4 == 3 ? -0.33 : 0};
        if (j >= c->n_nodes || j > i)
            CHECK(shoal_topology_add_bond(b, i, j, NULL, 20 + 0.2 * i,
                                          j < c->n_nodes ? 1.4 : 1.09) == SHOAL_OK);
        for (int32_t t = 0; t < s; ++t) {
            const int32_t atoms[3] = {c->neighbours[i][t], i, j};
            CHECK(shoal_topology_add_term(b, SHOAL_KIND_HALF_ANGLE, atoms, NULL, half) == SHOAL_OK);
        }
        if (c->directions[i] >= 0) {
            const int32_t atoms[3] = {c->directions[i], i, j};
            CHECK(shoal_topology_add_term(b, SHOAL_KIND_SIGMA_PI, atoms, NULL, tilt) == SHOAL_OK);
        }
        if (j < i && c->directions[i] >= 0 && c->directions[j] >= 0) {
            const int32_t atoms[2] = {c->directions[j], c->directions[i]};
            const double twist[2] = {1.3 - 0.02 * i, i % 5 == 1 ? 0.05 : 0};
            CHECK(shoal_topology_add_term(b, SHOAL_KIND_PI_PI, atoms, NULL, twist) == SHOAL_OK);
        }
    }
}

/* Every fifth node is without a direction, all of them where directed is false. */
static shoal_topology *chain_topology(int32_t n, bool directed)
{
    static const int32_t elements[2] = {6, 1};
    chain c = make_chain(n);
    int32_t numbers[2 * MOST_NODES + 2];
    shoal_topology_builder *b = NULL;
    shoal_topology *out = NULL;
    for (int32_t i = 0; i < n; ++i) numbers[i] = elements[i >= c.n_nodes];
    CHECK(shoal_topology_begin(&b, n, numbers) == SHOAL_OK);
    for (int32_t i = 0; i < n; ++i) {
        const bool node = i < c.n_nodes;
        const shoal_atom_parameters p = {node ? 3.4 : 2.6, node ? 0.004 : 0.001,
                                         (node ? -0.1 : 0.1) + 0.01 * (i % 3), 0, NULL};
        CHECK(shoal_topology_set_atom(b, i, &p) == SHOAL_OK);
    }
    for (int32_t i = 0; i < c.n_nodes; ++i) {
        c.directions[i] = -1;
        if (directed && i % 5 != 4)
            CHECK(shoal_topology_add_direction(b, i, 1 + 0.1 * i, &c.directions[i]) == SHOAL_OK);
    }
    for (int32_t i = 0; i < c.n_nodes; ++i) add_node_terms(b, &c, i);
    CHECK(shoal_topology_finish(b, SHOAL_EXCLUDE_BONDS_AND_ANGLES, &out) == SHOAL_OK);
    return out;
}

static set_system *add_chain(set *s, int32_t n, bool directed)
{
    set_system *sys = &s->systems[s->n++];
    const chain c = make_chain(n);
    uint64_t seed = 77u + (uint64_t)n;
    memset(sys, 0, sizeof *sys);
    sys->topology = chain_topology(n, directed);
    sys->n_atoms = n;
    sys->pos = calloc((size_t)n, sizeof *sys->pos);
    for (int32_t i = 0; i < c.n_nodes; ++i) {
        const double up = i % 2 ? 1 : -1;
        int32_t k = 0;
        const double at[3] = {1.22 * i, 0.35 * up, 0.1 * up};
        for (int d = 0; d < 3; ++d) sys->pos[i][d] = at[d] + 0.05 * set_random(&seed);
        for (int32_t m = 0; m < c.n_neighbours[i]; ++m) {
            const int32_t j = c.neighbours[i][m];
            if (j < c.n_nodes) continue;
            const double to[3] = {k == 0   ? 0
                                  : i == 0 ? -0.9
                                           : 0.9,
                                  k == 0 ? 1.05 * up : -0.5 * up, 0.1};
            for (int d = 0; d < 3; ++d) sys->pos[j][d] = at[d] + to[d] + 0.05 * set_random(&seed);
            ++k;
        }
    }
    return sys;
}

/* --- running --------------------------------------------------------------------------------------- */

typedef struct trace {
    double pos[MOST_MOVERS][3], forces[MOST_MOVERS][3], velocities[MOST_MOVERS][3];
    double terms[N_SYSTEMS][SHOAL_N_TERMS], fmax[N_SYSTEMS];
    int32_t steps[N_SYSTEMS], outcomes[N_SYSTEMS];
} trace;

static double starts[N_SYSTEMS][2 * MOST_NODES + MOST_NODES + 8][3];
static double velocities[MOST_MOVERS][3], masses[MOST_MOVERS];
static backend_bath baths[N_SYSTEMS];

static int32_t movers_of(const shoal_engine *engine, int32_t k)
{
    return engine->systems[k].view.n_atoms + engine->systems[k].view.n_directions;
}

/* Chains of all sizes, one without directions but of the same kinds of terms, one with atoms that are held, and a
 * molecule that knows neither. */
static void make_systems(set *s)
{
    memset(s, 0, sizeof *s);
    for (int k = 0; k < N_SIZES; ++k) (void)add_chain(s, sizes[k], true);
    (void)add_chain(s, 20, false);
    set_system *held = add_chain(s, 20, true);
    hold_atom(held, 2);
    hold_atom(held, 13);
    restrain(held, (shoal_restraint){
                       .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 8}, .k = 1, .value = 9});
    (void)set_add_size(s, 20, true);
    CHECK(s->n == N_SYSTEMS);
}

static void begin(shoal_engine *engine, const int32_t *list)
{
    int32_t at = 0;
    engine_begin_run(engine);
    for (int32_t k = 0; k < engine->n_systems; ++k) {
        backend_result *r = &engine->results[k];
        const shoal_topology_view *v = &engine->systems[k].view;
        const int32_t which = list ? list[k] : k;
        uint64_t seed = 5u + (uint64_t)v->n_atoms;
        memcpy(r->pos, starts[which], (size_t)movers_of(engine, k) * sizeof *r->pos);
        r->active = true;
        r->steps = 0;
        memset(r->thermostat, 0, sizeof r->thermostat);
        r->velocities = velocities + at;
        for (int32_t i = 0; i < movers_of(engine, k); ++i) {
            double *u = velocities[at + i], *p = r->pos[i], dot = 0;
            for (int d = 0; d < 3; ++d) u[d] = (i < v->n_atoms ? 0.01 : 0.03) * set_random(&seed);
            for (int d = 0; d < 3; ++d) dot += u[d] * p[d];
            for (int d = 0; d < 3 && i >= v->n_atoms; ++d) u[d] -= dot * p[d];
            masses[at + i] = i < v->n_atoms ? v->masses[i] : v->inertias[i - v->n_atoms];
        }
        baths[k] = (backend_bath){.masses = masses + at,
                                  .kt = BOLTZMANN * 300,
                                  .n_dof = 3 * v->n_atoms + 2 * v->n_directions,
                                  .key = 0x123456789abcdefu * (uint64_t)(which + 1)};
        at += movers_of(engine, k);
    }
}

static void keep(const shoal_engine *engine, trace *out)
{
    int32_t at = 0;
    memset(out, 0, sizeof *out);
    for (int32_t k = 0; k < engine->n_systems; ++k) {
        const backend_result *r = &engine->results[k];
        const size_t size = (size_t)movers_of(engine, k) * sizeof *r->pos;
        memcpy(out->pos[at], r->pos, size);
        memcpy(out->forces[at], r->forces, size);
        memcpy(out->velocities[at], velocities[at], size);
        memcpy(out->terms[k], r->terms, sizeof out->terms[k]);
        out->fmax[k] = r->fmax;
        out->steps[k] = r->steps;
        out->outcomes[k] = r->outcome;
        at += movers_of(engine, k);
    }
    CHECK(at <= MOST_MOVERS);
}

static void single_points(shoal_engine *engine, const int32_t *list, trace *out)
{
    begin(engine, list);
    CHECK(engine_evaluate(engine, &engine->exact, BACKEND_FORCES | BACKEND_TERMS) == SHOAL_OK);
    keep(engine, out);
}

/* Steps of a driver, in rounds, with single points at the end. */
static void drive_all(shoal_engine *engine, const int32_t *list, const backend_driver *driver,
                      int32_t n_steps, int32_t round, trace *out)
{
    const shoal_backend *b = engine->backend;
    const uint32_t moved =
        BACKEND_POSITIONS | BACKEND_STEPS | (driver->md ? BACKEND_VELOCITIES : 0);
    void *plan = engine->exact.plan;
    backend_part part;
    begin(engine, list);
    CHECK(b->first(plan, driver, engine->results) == SHOAL_OK);
    for (;;) {
        CHECK(b->next(plan, engine->results, &part) == SHOAL_OK);
        if (part.n == 0) break;
        CHECK(b->start(plan, driver, engine->results) == SHOAL_OK);
        for (int32_t done = 0; done < n_steps; done += round)
            CHECK(b->step(plan, round, moved, NULL) == SHOAL_OK);
        CHECK(b->eval(plan, BACKEND_FORCES | BACKEND_TERMS) == SHOAL_OK);
        CHECK(b->read(plan, moved | BACKEND_FORCES | BACKEND_TERMS, engine->results) == SHOAL_OK);
    }
    keep(engine, out);
}

/* Atoms of the set, directions by chance but not far from perpendicular. */
static void make_starts(const set *s, const shoal_engine *engine)
{
    for (int32_t k = 0; k < s->n; ++k) {
        const int32_t n = s->systems[k].n_atoms;
        uint64_t seed = 31u + (uint64_t)k;
        memcpy(starts[k], s->systems[k].pos, (size_t)n * sizeof starts[k][0]);
        for (int32_t i = n; i < movers_of(engine, k); ++i) {
            double p[3] = {0.4 * set_random(&seed), 0.4 * set_random(&seed), i % 3 ? 1 : -1};
            const double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
            for (int d = 0; d < 3; ++d) starts[k][i][d] = p[d] / length;
        }
    }
}

/* --- tests ----------------------------------------------------------------------------------------- */

/* Differences of energies (all terms), of forces on atoms and on directions; in parts of the largest energy or force of
 * the system where these are larger than usual, and in long chains, where floats have few digits behind the point. */
static void compare_points(const shoal_engine *engine, const trace *a, const trace *b,
                           double far[3])
{
    int32_t at = 0;
    far[0] = far[1] = far[2] = 0;
    for (int32_t k = 0; k < engine->n_systems; ++k) {
        const int32_t n = movers_of(engine, k);
        const double strong = fmax(1, a->fmax[k] / 5) * (n > 40 ? 4 : 1);
        for (int t = 0; t < SHOAL_N_TERMS; ++t)
            far[0] = fmax(far[0], fabs(a->terms[k][t] - b->terms[k][t]) /
                                      fmax(1, fabs(a->terms[k][t]) / 5));
        for (int32_t i = 0; i < n; ++i)
            for (int d = 0; d < 3; ++d) {
                double *to = &far[i < engine->systems[k].view.n_atoms ? 1 : 2];
                *to = fmax(*to, fabs(a->forces[at + i][d] - b->forces[at + i][d]) / strong);
            }
        CHECK(fabs(a->fmax[k] - b->fmax[k]) < 1e-5 * a->fmax[k]);
        at += n;
    }
}

static void test_points(const set *s, const char *device, shoal_precision precision, bool plain)
{
    static trace expected, got;
    const bool single = precision == SHOAL_PRECISION_FLOAT;
    const shoal_engine_options ref = {.device = "ref"},
                               o = {.device = device, .precision = precision, .plain_terms = plain};
    shoal_engine *witness = set_engine(s, NULL, s->n, &ref),
                 *engine = set_engine(s, NULL, s->n, &o);
    double far[3];
    single_points(witness, NULL, &expected);
    single_points(engine, NULL, &got);
    compare_points(engine, &expected, &got, far);
    (void)printf("%s %s%s: energies %.1e eV, atoms %.1e eV/angstrom, directions %.1e eV off\n",
                 device, single ? "float" : "double", plain ? ", plain terms" : "", far[0], far[1],
                 far[2]);
    CHECK(far[0] < (single ? 5e-5 : 1e-10) && far[1] < (single ? 2e-5 : 1e-10));
    CHECK(far[2] < (single ? 2e-6 : 1e-10));
    CHECK(fabs(got.terms[2][SHOAL_TERM_SIGMA_PI]) > 0.1 &&
          fabs(got.terms[2][SHOAL_TERM_PI_PI]) > 0.1);
    shoal_engine_destroy(witness);
    shoal_engine_destroy(engine);
}

/* Where a relaxation ends, ref finds no force; directions have their length. */
static void test_relaxed(const set *s, const char *device, shoal_precision precision)
{
    static trace first, got, expected;
    const bool single = precision == SHOAL_PRECISION_FLOAT;
    const shoal_engine_options ref = {.device = "ref"},
                               o = {.device = device, .precision = precision};
    shoal_engine *witness = set_engine(s, NULL, s->n, &ref),
                 *engine = set_engine(s, NULL, s->n, &o);
    for (int m = 0; m < N_METHODS; ++m) {
        const shoal_method method = m ? SHOAL_METHOD_LBFGS : SHOAL_METHOD_FIRE;
        const backend_driver driver = {
            .method = method, .fmax = single ? 0.01 : 1e-4, .max_move = 0.1, .max_steps = 5000};
        int32_t at = 0, steps = 0;
        single_points(engine, NULL, &first);
        drive_all(engine, NULL, &driver, 5000, 500, &got);
        begin(witness, NULL);
        for (int32_t k = 0; k < s->n; ++k) {
            memcpy(witness->results[k].pos, got.pos[at],
                   (size_t)movers_of(engine, k) * sizeof got.pos[0]);
            at += movers_of(engine, k);
        }
        CHECK(engine_evaluate(witness, &witness->exact, BACKEND_FORCES | BACKEND_TERMS) ==
              SHOAL_OK);
        keep(witness, &expected);
        at = 0;
        for (int32_t k = 0; k < s->n; ++k) {
            const int32_t n = engine->systems[k].view.n_atoms;
            double change = 0;
            for (int t = 0; t < SHOAL_N_TERMS; ++t) change += got.terms[k][t] - first.terms[k][t];
            CHECK(got.outcomes[k] == STEP_CONVERGED);
            CHECK(expected.fmax[k] < 1.02 * driver.fmax && got.fmax[k] < 1.02 * driver.fmax &&
                  change < -0.01);
            for (int32_t i = at + n; i < at + movers_of(engine, k); ++i) {
                const double *p = got.pos[i];
                CHECK(fabs(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] - 1) < 1e-14);
            }
            steps += got.steps[k];
            at += movers_of(engine, k);
        }
        (void)printf("%s %s, %s: %d evaluations in all\n", device, single ? "float" : "double",
                     method_name(method), steps);
    }
    shoal_engine_destroy(witness);
    shoal_engine_destroy(engine);
}

/* One vector of a system: tangent part, and a turn along the great circle, in plain trigonometry. */
static void turn(double *p, double *v, double t)
{
    const double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!(speed > 0)) return;
    for (int d = 0; d < 3; ++d) {
        const double p0 = p[d], v0 = v[d];
        p[d] = p0 * cos(speed * t) + v0 / speed * sin(speed * t);
        v[d] = v0 * cos(speed * t) - p0 * speed * sin(speed * t);
    }
}

static void project(const double *p, double *v)
{
    const double dot = p[0] * v[0] + p[1] * v[1] + p[2] * v[2];
    for (int d = 0; d < 3; ++d) v[d] -= dot * p[d];
}

/* One step of one system as step_md.h describes it, at the forces in t. */
static void witness_step(const shoal_engine *engine, int32_t k, int32_t at, const md_numbers *n,
                         md_state *own, trace *t)
{
    const int32_t n_atoms = engine->systems[k].view.n_atoms, last = at + movers_of(engine, k);
    const bool *fixed = engine->systems[k].fixed;
    const double close = md_close(own, n), open = md_open(n);
    md_sums sums = {0};
    for (int32_t i = at; i < last; ++i) {
        const double w = fixed && fixed[i - at] ? 0 : ACCELERATION / masses[i];
        double now2 = 0, next2 = 0;
        for (int c = 0; c < 3 && w > 0; ++c) {
            const double f = t->forces[i][c], v = t->velocities[i][c] + close * f * w;
            now2 += v * v;
            next2 += (v + open * f * w) * (v + open * f * w);
            sums.f2 += f * f;
        }
        if (w > 0) sums.kinetic2 += now2 / w;
        sums.v2 = fmax(sums.v2, next2);
    }
    const md_move m = md_decide(own, &sums, n);
    for (int32_t i = at; i < last && m.go; ++i) {
        const double w = fixed && fixed[i - at] ? 0 : ACCELERATION / masses[i];
        const v3 g = md_normal(own, n, i - at);
        double noise[3] = {g.x, g.y, g.z}, *v = t->velocities[i], *x = t->pos[i];
        const bool turns = i - at >= n_atoms;
        for (int c = 0; c < 3; ++c)
            v[c] = w > 0
                       ? m.scale * (v[c] + close * t->forces[i][c] * w) + open * t->forces[i][c] * w
                       : 0;
        if (turns) turn(x, v, 0.5 * n->dt);
        for (int c = 0; c < 3 && !turns; ++c) x[c] += 0.5 * n->dt * v[c];
        if (turns) project(x, noise);
        for (int c = 0; c < 3 && n->thermostat == MD_LANGEVIN; ++c)
            v[c] = n->keep * v[c] + m.noise * sqrt(w) * noise[c];
        if (turns) turn(x, v, 0.5 * n->dt);
        for (int c = 0; c < 3 && !turns; ++c) x[c] += 0.5 * n->dt * v[c];
    }
}

/* N_STEPS of dynamics with the forces of ref. */
static void witness_md(const set *s, int thermostat, trace *t)
{
    const backend_md md = driver_md(thermostat, baths);
    const double keep_v = exp(-md.friction * md.dt);
    const md_numbers n = {md.dt,       keep_v,     sqrt(1 - keep_v * keep_v),
                          md.tau,      md.most,    thermostat,
                          0x76543210u, 0xfedcba98u};
    const shoal_engine_options ref = {.device = "ref"};
    static trace now;
    md_state states[N_SYSTEMS];
    shoal_engine *engine = set_engine(s, NULL, s->n, &ref);
    memset(states, 0, sizeof states);
    begin(engine, NULL);
    keep(engine, t);
    for (int32_t k = 0; k < s->n; ++k) {
        states[k].kt = baths[k].kt;
        states[k].n_dof = baths[k].n_dof;
        states[k].key0 = (uint32_t)baths[k].key;
        states[k].key1 = (uint32_t)(baths[k].key >> 32);
    }
    for (int step = 0; step < N_STEPS; ++step) {
        int32_t at = 0;
        for (int32_t k = 0; k < s->n; at += movers_of(engine, k++))
            memcpy(engine->results[k].pos, t->pos[at],
                   (size_t)movers_of(engine, k) * sizeof t->pos[0]);
        CHECK(engine_evaluate(engine, &engine->exact, BACKEND_FORCES) == SHOAL_OK);
        keep(engine, &now);
        memcpy(t->forces, now.forces, sizeof now.forces);
        at = 0;
        for (int32_t k = 0; k < s->n; at += movers_of(engine, k++))
            witness_step(engine, k, at, &n, &states[k], t);
    }
    for (int32_t k = 0; k < s->n; ++k) t->steps[k] = states[k].n_evals;
    shoal_engine_destroy(engine);
}

static void test_dynamics(const set *s, const char *device, shoal_precision precision)
{
    static trace expected, got, rounds;
    const bool single = precision == SHOAL_PRECISION_FLOAT;
    const double most = single ? 2e-5 : 1e-10;
    const shoal_engine_options o = {.device = device, .precision = precision};
    shoal_engine *engine = set_engine(s, NULL, s->n, &o);
    for (int thermostat = MD_NONE; thermostat <= MD_NOSE_HOOVER; ++thermostat) {
        const backend_md md = driver_md(thermostat, baths);
        const backend_driver driver = {.md = &md};
        witness_md(s, thermostat, &expected);
        drive_all(engine, NULL, &driver, N_STEPS, N_STEPS, &got);
        drive_all(engine, NULL, &driver, N_STEPS, 1, &rounds);
        CHECK(memcmp(&got, &rounds, sizeof got) == 0);
        const double far = largest_difference((const double(*)[3])expected.pos,
                                              (const double(*)[3])got.pos, MOST_MOVERS);
        const double fast = largest_difference((const double(*)[3])expected.velocities,
                                               (const double(*)[3])got.velocities, MOST_MOVERS);
        (void)printf("%s %s, thermostat %d: %.1e angstrom, %.1e angstrom/fs off\n", device,
                     single ? "float" : "double", thermostat, far, fast);
        CHECK(far < most && fast < most);
        for (int32_t k = 0; k < s->n; ++k)
            CHECK(got.steps[k] == N_STEPS && got.steps[k] == expected.steps[k]);
    }
    shoal_engine_destroy(engine);
}

/* The numbers of system k of a batch as those of the only system of another. */
static bool same_system(const shoal_engine *engine, int32_t k, const trace *together,
                        const trace *alone)
{
    int32_t at = 0;
    for (int32_t m = 0; m < k; ++m) at += movers_of(engine, m);
    const size_t size = (size_t)movers_of(engine, k) * sizeof together->pos[0];
    return memcmp(together->pos[at], alone->pos, size) == 0 &&
           memcmp(together->forces[at], alone->forces, size) == 0 &&
           memcmp(together->velocities[at], alone->velocities, size) == 0 &&
           memcmp(together->terms[k], alone->terms[0], sizeof alone->terms[0]) == 0 &&
           together->steps[k] == alone->steps[0] && together->outcomes[k] == alone->outcomes[0];
}

/* No system knows who shares its batch, and rounds do not show. */
static void test_laws(const set *s, const char *device)
{
    static trace together[4], alone;
    const shoal_engine_options o = {.device = device, .precision = SHOAL_PRECISION_FLOAT};
    const backend_md md = driver_md(MD_LANGEVIN, baths);
    const backend_driver drivers[3] = {
        {.method = SHOAL_METHOD_FIRE, .fmax = 1e-3, .max_move = 0.1, .max_steps = 60},
        {.method = SHOAL_METHOD_LBFGS, .fmax = 1e-3, .max_move = 0.1, .max_steps = 60},
        {.md = &md}};
    shoal_engine *all = set_engine(s, NULL, s->n, &o);
    for (int m = 0; m < 3; ++m) drive_all(all, NULL, &drivers[m], 20, 20, &together[m]);
    single_points(all, NULL, &together[3]);
    for (int32_t k = 0; k < s->n; ++k) {
        shoal_engine *one = set_engine(s, &k, 1, &o);
        for (int m = 0; m < 3; ++m) {
            drive_all(one, &k, &drivers[m], 20, 4, &alone);
            CHECK(same_system(all, k, &together[m], &alone));
        }
        single_points(one, &k, &alone);
        CHECK(same_system(all, k, &together[3], &alone));
        shoal_engine_destroy(one);
    }
    shoal_engine_destroy(all);
}

/* The only system of an engine at the start of a driver. */
static void *start_one(shoal_engine *engine, int32_t k, const backend_driver *driver)
{
    const shoal_backend *b = engine->backend;
    backend_part part;
    begin(engine, &k);
    CHECK(b->first(engine->exact.plan, driver, engine->results) == SHOAL_OK);
    CHECK(b->next(engine->exact.plan, engine->results, &part) == SHOAL_OK && part.n == 1);
    CHECK(b->start(engine->exact.plan, driver, engine->results) == SHOAL_OK);
    return engine->exact.plan;
}

/* A driver that is saved and loaded goes on as if nothing had been. */
static void test_states(const set *s, const char *device)
{
    static trace whole, resumed;
    const int32_t k = 3;
    const uint32_t all = BACKEND_POSITIONS | BACKEND_STEPS | BACKEND_FORCES | BACKEND_TERMS;
    const shoal_engine_options o = {.device = device, .precision = SHOAL_PRECISION_FLOAT};
    for (int m = 0; m < N_METHODS; ++m) {
        const backend_driver driver = {.method = m ? SHOAL_METHOD_LBFGS : SHOAL_METHOD_FIRE,
                                       .fmax = 1e-5,
                                       .max_move = 0.1,
                                       .max_steps = 1000};
        shoal_engine *engine = set_engine(s, &k, 1, &o), *other = set_engine(s, &k, 1, &o);
        const shoal_backend *b = engine->backend;
        shoal_string state = {0};
        drive_all(engine, &k, &driver, 25, 25, &whole);
        void *plan = start_one(engine, k, &driver);
        CHECK(b->step(plan, 10, 0, NULL) == SHOAL_OK);
        CHECK(b->save(plan, engine->results, &state) == SHOAL_OK);
        plan = start_one(other, k, &driver);
        CHECK(b->load(plan, state.data, state.size) == SHOAL_OK);
        CHECK(b->step(plan, 15, 0, NULL) == SHOAL_OK && b->eval(plan, 0) == SHOAL_OK);
        CHECK(b->read(plan, all, other->results) == SHOAL_OK);
        keep(other, &resumed);
        CHECK(whole.steps[0] == 25);
        CHECK(memcmp(&whole, &resumed, sizeof whole) == 0);
        shoal_string_free(&state);
        shoal_engine_destroy(engine);
        shoal_engine_destroy(other);
    }
}

int main(void)
{
    static set s;
    char device[32] = "opencl:";
    const char *which = device_for_tests();
    if (!which) return SKIPPED;
    strcat(device, which);
    make_systems(&s);
    const shoal_engine_options ref = {.device = "ref"};
    shoal_engine *engine = set_engine(&s, NULL, s.n, &ref);
    make_starts(&s, engine);
    shoal_engine_destroy(engine);
    for (int k = 0; k < 2; ++k) {
        const shoal_precision precision = k ? SHOAL_PRECISION_DOUBLE : SHOAL_PRECISION_FLOAT;
        s.n = k ? 3 : N_SYSTEMS; /* in double fewer kernels to compile */
        test_points(&s, device, precision, true);
        test_points(&s, device, precision, false);
        if (k && !check_thorough()) continue; /* drivers are the same text in both */
        test_relaxed(&s, device, precision);
        test_dynamics(&s, device, precision);
    }
    s.n = N_SYSTEMS;
    test_laws(&s, device);
    test_states(&s, device);
    set_free(&s);
    return check_done();
}
