/* SPDX-License-Identifier: BSD-3-Clause
 * Live engines on every schedule: k steps and k more are 2 k steps, what is asked for belongs to one moment, and a change of
 * an array is an engine built anew, bit for bit. */
#include "driver_fixture.h"
#include "engine/engine.h"
#include "shoal/live.h"

enum { N_LIKE = 3, MOST_ROWS = 512 };

/* Like and unlike chains, some with a fixed atom or a restraint. */
static void make_systems(set *s, const schedule *c)
{
    s->n = 0;
    for (int32_t k = 0; k < N_LIKE; ++k) (void)driver_alkane(s, c, 2, 0.08);
    for (int k = 0; k < 3; ++k) driver_hold(driver_alkane(s, c, 3 + k, 0.05), k);
}

/* What an engine tells of its present moment. */
typedef struct moment {
    int32_t n_rows, n;
    double pos[MOST_ROWS][3], forces[MOST_ROWS][3];
    double energies[8], terms[8][16];
    shoal_system_status status[8];
    int32_t steps[8];
} moment;

static void look(shoal_engine *engine, moment *out)
{
    shoal_engine_results_view v = {0};
    memset(out, 0, sizeof *out);
    CHECK(shoal_engine_view(engine, &v) == SHOAL_OK && v.n_systems <= 8 && v.n_terms <= 16);
    if (!v.starts) return;
    out->n = v.n_systems;
    out->n_rows = v.starts[v.n_systems];
    CHECK(out->n_rows <= MOST_ROWS);
    memcpy(out->pos, v.positions, (size_t)out->n_rows * 24);
    memcpy(out->forces, v.forces, (size_t)out->n_rows * 24);
    for (int32_t i = 0; i < out->n; ++i) {
        out->energies[i] = v.energies[i];
        out->status[i] = v.status[i];
        out->steps[i] = v.steps[i];
        memcpy(out->terms[i], v.terms + i * v.n_terms, (size_t)v.n_terms * sizeof(double));
    }
}

static bool same_numbers(const moment *a, const moment *b)
{
    return a->n_rows == b->n_rows && memcmp(a->pos, b->pos, sizeof a->pos) == 0 &&
           memcmp(a->forces, b->forces, sizeof a->forces) == 0 &&
           memcmp(a->energies, b->energies, sizeof a->energies) == 0 &&
           memcmp(a->terms, b->terms, sizeof a->terms) == 0;
}

static bool same(const moment *a, const moment *b)
{
    return same_numbers(a, b) && memcmp(a->status, b->status, sizeof a->status) == 0 &&
           memcmp(a->steps, b->steps, sizeof a->steps) == 0;
}

static double *array_of(shoal_engine *engine, const char *name, shoal_array *a)
{
    CHECK(shoal_engine_array(engine, name, a) == SHOAL_OK);
    return a->data;
}

static const shoal_motion motions[] = {
    {.method = SHOAL_METHOD_FIRE, .fmax = 1e-3},
    {.method = SHOAL_METHOD_LBFGS, .fmax = 1e-3},
    {.dynamics = true, .seed = 7},
    {.dynamics = true, .thermostat = SHOAL_THERMOSTAT_LANGEVIN, .seed = 7, .friction = 0.02},
    {.dynamics = true, .thermostat = SHOAL_THERMOSTAT_NOSE_HOOVER, .tau = 15, .seed = 7},
};
enum { N_MOTIONS = sizeof motions / sizeof motions[0] };

static bool all_ended(shoal_engine *engine, int32_t n)
{
    shoal_array a;
    const int32_t *status = (const int32_t *)(void *)array_of(engine, "status", &a);
    int32_t n_going = 0;
    for (int32_t i = 0; i < n; ++i) n_going += status[i] == SHOAL_SYSTEM_MAX_STEPS;
    return n_going == 0;
}

/* --- runs that go on ------------------------------------------------------------------------------ */

/* In one call, in several with looks between them, and by the job that makes whole runs. */
static void test_going_on(const schedule *c, const shoal_motion *m)
{
    static set s;
    static moment once, parts, job;
    static const int32_t pieces[] = {1, 12, 4, 23};
    make_systems(&s, c);
    shoal_engine *a = driver_engine(&s, c), *b = driver_engine(&s, c), *d = driver_engine(&s, c);
    CHECK(shoal_engine_run(a, m, 40, NULL, NULL) == SHOAL_OK);
    look(a, &once);
    for (int k = 0; k < 4; ++k) {
        shoal_array pos;
        CHECK(shoal_engine_run(b, m, pieces[k], NULL, NULL) == SHOAL_OK);
        if (k == 1) look(b, &parts);
        if (k == 2) CHECK(array_of(b, "positions", &pos) != NULL);
    }
    look(b, &parts);
    CHECK(same(&once, &parts));
    if (m->dynamics) {
        const shoal_md_options o = {.n_steps = 40,
                                    .thermostat = m->thermostat,
                                    .friction = m->friction,
                                    .tau = m->tau,
                                    .seed = m->seed};
        shoal_array v;
        CHECK(shoal_engine_md(d, &o, NULL, NULL) == SHOAL_OK);
        look(d, &job);
        CHECK(memcmp(once.pos, job.pos, sizeof once.pos) == 0);
        CHECK(memcmp(once.steps, job.steps, sizeof once.steps) == 0);
        const double *velocities = array_of(a, "velocities", &v);
        for (int32_t i = 0; i < s.n; ++i)
            CHECK(memcmp(velocities + 3 * v.starts[i], shoal_engine_md_result(d, i)->velocities,
                         (size_t)s.systems[i].n_atoms * 24) == 0);
    } else {
        const shoal_relax_options o = {.method = m->method, .fmax = m->fmax, .max_steps = 3000};
        CHECK(shoal_engine_relax(d, &o, NULL, NULL) == SHOAL_OK);
        look(d, &job);
        CHECK(shoal_engine_run(a, m, 2960, NULL, NULL) == SHOAL_OK);
        look(a, &once);
        CHECK(same(&once, &job) && once.status[0] == SHOAL_SYSTEM_CONVERGED);
        /* To the end in calls so short that systems stay in their lanes. */
        for (int k = 0; k < 370 && !all_ended(b, s.n); ++k)
            CHECK(shoal_engine_run(b, m, 1 + 7 * (k > 3), NULL, NULL) == SHOAL_OK);
        look(b, &parts);
        CHECK(same(&once, &parts));
    }
    shoal_engine_destroy(a);
    shoal_engine_destroy(b);
    shoal_engine_destroy(d);
    set_free(&s);
}

/* All that is asked for after a run is of its end. */
static void test_moment(const schedule *c)
{
    static set s;
    static moment end, there;
    shoal_array a;
    make_systems(&s, c);
    shoal_engine *engine = driver_engine(&s, c), *other = driver_engine(&s, c);
    CHECK(shoal_engine_run(engine, &motions[0], 3, NULL, NULL) == SHOAL_OK);
    look(engine, &there);
    CHECK(shoal_engine_run(engine, &motions[0], 3, NULL, NULL) == SHOAL_OK);
    const double *forces = array_of(engine, "forces", &a), *pos = array_of(engine, "positions", &a);
    CHECK(shoal_engine_set_all_positions(other, (const double(*)[3])pos) == SHOAL_OK);
    CHECK(shoal_engine_eval(other) == SHOAL_OK);
    look(other, &end);
    const double most = is_float(c) ? 2e-4 : 1e-9;
    CHECK(largest_difference((const double(*)[3])forces, (const double(*)[3])end.forces,
                             end.n_rows) <= most);
    CHECK(largest_difference((const double(*)[3])there.forces, (const double(*)[3])end.forces,
                             end.n_rows) > 10 * most);
    const double *energies = array_of(engine, "energies", &a);
    CHECK(a.n_columns == 1 && a.n_blocks == s.n && a.starts[s.n] == s.n && !a.writable);
    for (int32_t i = 0; i < s.n; ++i) CHECK(fabs(energies[i] - end.energies[i]) <= most);
    const int32_t *steps = (const int32_t *)(void *)array_of(engine, "steps", &a);
    for (int32_t i = 0; i < s.n; ++i) CHECK(a.number == SHOAL_NUMBER_INT && steps[i] == 6);
    shoal_engine_destroy(engine);
    shoal_engine_destroy(other);
    set_free(&s);
}

/* --- changes -------------------------------------------------------------------------------------- */

typedef void changer(shoal_engine *engine);

static void change(shoal_engine *engine, const char *name, double factor, double more)
{
    shoal_array a;
    double *values = array_of(engine, name, &a);
    const int32_t n = a.starts[a.n_blocks] * a.n_columns;
    CHECK(a.writable && n > 0);
    for (int32_t k = 0; k < n; ++k) values[k] = factor * values[k] + more * (k % 3 - 1);
    CHECK(shoal_engine_changed(engine, name) == SHOAL_OK);
}

static void change_bonds(shoal_engine *e)
{
    change(e, "bond.k", 1.5, 0);
}
static void change_lengths(shoal_engine *e)
{
    change(e, "bond.r0", 1, 0.02);
}
static void change_torsions(shoal_engine *e)
{
    change(e, "torsion.v", 3, 0);
}
static void change_radii(shoal_engine *e)
{
    change(e, "vdw_x", 1.1, 0);
}
static void change_depths(shoal_engine *e)
{
    change(e, "vdw_d", 2, 0);
}
static void change_targets(shoal_engine *e)
{
    change(e, "restraint_value", 1.2, 0);
}
static void change_pulls(shoal_engine *e)
{
    change(e, "restraint_k", 4, 0);
}
static void change_charges(shoal_engine *e)
{
    shoal_array a;
    double *q = array_of(e, "charges", &a);
    for (int32_t k = 0; k < a.starts[a.n_blocks]; ++k) q[k] = k % 2 ? 0.1 : -0.1;
    for (int32_t b = 0; b < a.n_blocks; ++b) /* neutral, where a lattice wants that */
        if ((a.starts[b + 1] - a.starts[b]) % 2) q[a.starts[b]] += a.starts[b] % 2 ? -0.1 : 0.1;
    CHECK(shoal_engine_changed(e, "charges") == SHOAL_OK);
}
static void change_terms(shoal_engine *e)
{
    CHECK(shoal_engine_set_terms_off(e, 1u << SHOAL_TERM_VDW) == SHOAL_OK);
}
static void change_fixed(shoal_engine *e)
{
    shoal_array a;
    uint8_t *fixed = (uint8_t *)(void *)array_of(e, "fixed", &a);
    CHECK(a.number == SHOAL_NUMBER_BYTE && a.n_blocks == 6);
    memset(fixed, 0, (size_t)a.starts[a.n_blocks]);
    for (int32_t b = 0; b < a.n_blocks; b += 2) fixed[a.starts[b] + 2] = 1;
    CHECK(shoal_engine_changed(e, "fixed") == SHOAL_OK);
}

static changer *const changers[] = {change_bonds,  change_lengths, change_torsions, change_radii,
                                    change_depths, change_targets, change_pulls,    change_charges,
                                    change_terms,  change_fixed};
enum { N_CHANGERS = sizeof changers / sizeof changers[0] };

/* Its plans are compiled from nothing when they are needed. */
static void build_anew(shoal_engine *engine, int which)
{
    const uint32_t off = changers[which] == change_terms ? 1u << SHOAL_TERM_VDW : 0;
    CHECK(shoal_engine_set_terms_off(engine, off | 1u << SHOAL_TERM_ANGLE) == SHOAL_OK);
    CHECK(shoal_engine_set_terms_off(engine, off) == SHOAL_OK);
}

/* In the middle of a run; and before the first one of an engine that stands where the other stood. */
static void test_change(const schedule *c, const shoal_motion *m, int which)
{
    static set s;
    static moment middle, live, anew, before;
    make_systems(&s, c);
    shoal_engine *a = driver_engine(&s, c), *b = driver_engine(&s, c), *d = driver_engine(&s, c);
    CHECK(shoal_engine_run(a, m, 5, NULL, NULL) == SHOAL_OK);
    look(a, &middle);
    changers[which](a);
    CHECK(shoal_engine_run(a, m, 5, NULL, NULL) == SHOAL_OK);
    look(a, &live);
    CHECK(shoal_engine_set_all_positions(b, (const double(*)[3])middle.pos) == SHOAL_OK);
    changers[which](b);
    build_anew(b, which);
    CHECK(shoal_engine_run(b, m, 5, NULL, NULL) == SHOAL_OK);
    look(b, &anew);
    CHECK(same(&live, &anew));
    CHECK(shoal_engine_set_all_positions(d, (const double(*)[3])middle.pos) == SHOAL_OK);
    CHECK(shoal_engine_run(d, m, 5, NULL, NULL) == SHOAL_OK);
    look(d, &before);
    CHECK(memcmp(before.pos, live.pos, sizeof live.pos) != 0); /* it does something */
    shoal_engine_destroy(a);
    shoal_engine_destroy(b);
    shoal_engine_destroy(d);
    set_free(&s);
}

/* Other parameters are sent to the plan that is there, unless charges come where there were none. */
static void test_plan_stays(const schedule *c)
{
    static changer *const kept[] = {change_bonds, change_lengths, change_radii, change_depths,
                                    change_charges};
    static set s;
    make_systems(&s, c);
    shoal_engine *engine = driver_engine(&s, c);
    change_charges(engine);
    for (size_t k = 0; k < sizeof kept / sizeof kept[0]; ++k) {
        CHECK(shoal_engine_run(engine, &motions[0], 2, NULL, NULL) == SHOAL_OK);
        const void *plan = engine->exact.plan;
        kept[k](engine);
        CHECK(plan && engine->exact.plan == plan);
    }
    shoal_engine_destroy(engine);
    set_free(&s);
}

/* Against engines that were built with the same from the beginning: charges of the molecule, fixed atoms, terms off. */
static void test_built(const schedule *c)
{
    static set s;
    static moment live, anew;
    make_systems(&s, c);
    shoal_engine *a = driver_engine(&s, c);
    change_fixed(a);
    change_terms(a);
    CHECK(shoal_engine_eval(a) == SHOAL_OK);
    look(a, &live);
    for (int32_t i = 0; i < s.n; ++i) {
        free(s.systems[i].fixed);
        s.systems[i].fixed = NULL;
        if (i % 2 == 0) hold_atom(&s.systems[i], 2);
    }
    const shoal_engine_options o = {
        .device = c->device, .precision = c->precision, .terms_off = 1u << SHOAL_TERM_VDW};
    shoal_engine *b = set_engine(&s, NULL, s.n, &o);
    CHECK(shoal_engine_eval(b) == SHOAL_OK);
    look(b, &anew);
    CHECK(same_numbers(&live, &anew));
    shoal_engine_destroy(a);
    shoal_engine_destroy(b);
    set_free(&s);
}

/* E = k/2 (r - r0)^2: twice the constants are twice the energy; the pair energy goes with the depths. */
static void test_formula(const schedule *c)
{
    static set s;
    static moment before, after;
    make_systems(&s, c);
    shoal_engine *engine = driver_engine(&s, c);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    look(engine, &before);
    change(engine, "bond.k", 2, 0);
    change(engine, "vdw_d", 3, 0);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    look(engine, &after);
    const double most = is_float(c) ? 2e-6 : 1e-12;
    for (int32_t i = 0; i < s.n; ++i) {
        const double *x = before.terms[i], *y = after.terms[i];
        CHECK(fabs(y[SHOAL_TERM_BOND] - 2 * x[SHOAL_TERM_BOND]) <= most * fabs(y[SHOAL_TERM_BOND]));
        CHECK(fabs(y[SHOAL_TERM_VDW] - 3 * x[SHOAL_TERM_VDW]) <=
              5 * most * (fabs(y[SHOAL_TERM_VDW]) + 0.1));
        CHECK(x[SHOAL_TERM_BOND] > 0.01 && y[SHOAL_TERM_ANGLE] == x[SHOAL_TERM_ANGLE]);
    }
    shoal_engine_destroy(engine);
    set_free(&s);
}

/* Of like systems one alone gets other parameters. */
static void test_split(const schedule *c)
{
    static set s;
    static moment before, after, all;
    shoal_array a;
    make_systems(&s, c);
    shoal_engine *engine = driver_engine(&s, c), *other = driver_engine(&s, c);
    const int32_t *numbers = shoal_engine_topology_numbers(engine);
    CHECK(numbers && numbers[0] == numbers[1] && numbers[1] == numbers[2]);
    (void)array_of(engine, "bond.k", &a);
    CHECK(a.n_blocks == 4 && a.starts[1] == 7); /* ethane has seven bonds */
    CHECK(shoal_engine_split(engine) == SHOAL_OK && shoal_engine_split(engine) == SHOAL_OK);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    look(engine, &before);
    double *k = array_of(engine, "bond.k", &a);
    CHECK(a.n_blocks == s.n && a.starts[1] == 7 && a.starts[2] == 14);
    for (int32_t m = a.starts[1]; m < a.starts[2]; ++m) k[m] *= 1.5;
    CHECK(shoal_engine_changed(engine, "bond.k") == SHOAL_OK);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    look(engine, &after);
    change_bonds(other);
    CHECK(shoal_engine_eval(other) == SHOAL_OK);
    look(other, &all);
    for (int32_t i = 0; i < s.n; ++i)
        CHECK(after.energies[i] == (i == 1 ? all.energies[i] : before.energies[i]));
    CHECK(after.energies[1] > before.energies[1]);
    shoal_engine_destroy(engine);
    shoal_engine_destroy(other);
    set_free(&s);
}

/* Velocities that were written are those that atoms have; heavier atoms are slower. */
static void test_velocities(const schedule *c)
{
    static set s;
    shoal_array a;
    static const double apart[2][3] = {{0, 0, 0}, {30, 0, 0}};
    const shoal_motion m = {.dynamics = true, .dt = 1, .seed = 3};
    s.n = 0;
    (void)driver_argon(&s, c, 2, apart);
    shoal_engine *engine = driver_engine(&s, c);
    double *v = array_of(engine, "velocities", &a);
    v[0] = 0.01, v[4] = -0.02;
    CHECK(shoal_engine_changed(engine, "velocities") == SHOAL_OK);
    CHECK(shoal_engine_run(engine, &m, 10, NULL, NULL) == SHOAL_OK);
    const double *pos = array_of(engine, "positions", &a);
    CHECK(fabs(pos[0] - 0.1) <= 1e-5);
    CHECK(fabs(pos[4] - -0.2) <= 1e-5);
    v = array_of(engine, "velocities", &a);
    CHECK(fabs(v[0] - 0.01) <= 1e-6);
    v[0] = -0.01;
    CHECK(shoal_engine_changed(engine, "velocities") == SHOAL_OK);
    CHECK(shoal_engine_run(engine, &m, 5, NULL, NULL) == SHOAL_OK);
    pos = array_of(engine, "positions", &a);
    CHECK(fabs(pos[0] - 0.05) <= 1e-5);
    double *mass = array_of(engine, "masses", &a);
    CHECK(fabs(mass[0] - 39.9) < 0.1 && mass[1] == mass[0]);
    mass[0] = -1;
    CHECK(shoal_engine_changed(engine, "masses") == SHOAL_E_ARGUMENT);
    CHECK(array_of(engine, "masses", &a)[0] > 39);
    shoal_engine_destroy(engine);
    set_free(&s);
}

/* --- numbers of minimisers ------------------------------------------------------------------------- */

static void set_number(shoal_engine *engine, const char *name, int32_t i_system, double value)
{
    shoal_array a;
    double *values = array_of(engine, name, &a);
    CHECK(a.n_columns == 1 && a.starts[a.n_blocks] == a.n_blocks);
    for (int32_t i = 0; i < a.n_blocks; ++i)
        if (i_system < 0 || i == i_system) values[i] = value;
    CHECK(shoal_engine_changed(engine, name) == SHOAL_OK);
}

static void run_from(const set *s, const schedule *c, const shoal_motion *m, int32_t n_steps,
                     const char *name, int32_t i_system, double value, moment *out)
{
    shoal_engine *engine = driver_engine(s, c);
    if (name) set_number(engine, name, i_system, value);
    CHECK(shoal_engine_run(engine, m, n_steps, NULL, NULL) == SHOAL_OK);
    look(engine, out);
    shoal_engine_destroy(engine);
}

/* Atoms that two moments have at the same places. */
static bool same_places(const set *s, const moment *a, const moment *b, int32_t i_system)
{
    int32_t first = 0;
    for (int32_t i = 0; i < i_system; ++i) first += s->systems[i].n_atoms;
    return memcmp(a->pos[first], b->pos[first], (size_t)s->systems[i_system].n_atoms * 24) == 0;
}

/* A number of one system moves that system as if all had it, and no other one. */
static void test_paces(const schedule *c)
{
    static const struct {
        const char *name;
        double value;
        int method;
    } numbers[] = {
        {"fire_dt", 0.01, SHOAL_METHOD_FIRE},   {"fire_dt_max", 0.025, SHOAL_METHOD_FIRE},
        {"fire_alpha", 0.3, SHOAL_METHOD_FIRE}, {"fire_damping", 0.5, SHOAL_METHOD_FIRE},
        {"max_move", 0.002, SHOAL_METHOD_FIRE}, {"max_move", 0.002, SHOAL_METHOD_LBFGS}};
    static set s;
    static moment usual, one, all;
    make_systems(&s, c);
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) {
        const shoal_motion m = {.method = (shoal_method)numbers[k].method};
        run_from(&s, c, &m, 25, NULL, 0, 0, &usual);
        run_from(&s, c, &m, 25, numbers[k].name, 1, numbers[k].value, &one);
        run_from(&s, c, &m, 25, numbers[k].name, -1, numbers[k].value, &all);
        for (int32_t i = 0; i < s.n; ++i) {
            CHECK(same_places(&s, &one, i == 1 ? &all : &usual, i));
            CHECK(!same_places(&s, &usual, &all, i));
        }
    }
    set_free(&s);
}

static double longest_move(const set *s, const moment *m, int32_t i_system)
{
    double most = 0;
    int32_t row = 0;
    for (int32_t i = 0; i < i_system; ++i) row += s->systems[i].n_atoms;
    for (int32_t a = 0; a < s->systems[i_system].n_atoms; ++a, ++row) {
        double sum = 0;
        for (int x = 0; x < 3; ++x) sum += pow(m->pos[row][x] - s->systems[i_system].pos[a][x], 2);
        most = fmax(most, sqrt(sum));
    }
    return most;
}

/* From rest the first step of FIRE is the square of its time step times the force, unless that is too far; a motion that names
 * a longest move speaks for all systems. */
static void test_first_step(const schedule *c)
{
    static set s;
    static moment start, end;
    const shoal_motion fire = {.method = SHOAL_METHOD_FIRE},
                       far = {.method = SHOAL_METHOD_FIRE, .max_move = 1e-3};
    make_systems(&s, c);
    shoal_engine *engine = driver_engine(&s, c);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    look(engine, &start);
    shoal_engine_destroy(engine);
    const double most = is_float(c) ? 3e-7 : 1e-12;
    run_from(&s, c, &fire, 1, "fire_dt", 0, 0.005, &end);
    for (int32_t i = 0; i < s.systems[0].n_atoms; ++i)
        for (int x = 0; x < 3; ++x)
            CHECK(fabs(end.pos[i][x] - s.systems[0].pos[i][x] - 2.5e-5 * start.forces[i][x]) <=
                  most);
    CHECK(longest_move(&s, &end, 0) > 1e-5);
    run_from(&s, c, &fire, 1, "max_move", 0, 1e-3, &end);
    CHECK(fabs(longest_move(&s, &end, 0) - 1e-3) <= 3 * most && longest_move(&s, &end, 1) > 2e-3);
    run_from(&s, c, &far, 1, "max_move", 0, 0.1, &end);
    for (int32_t i = 0; i < s.n; ++i) CHECK(longest_move(&s, &end, i) <= 1e-3 + 3 * most);
    set_free(&s);
}

/* --- states --------------------------------------------------------------------------------------- */

static bool says(const char *text)
{
    return strstr(shoal_error_text(), text) != NULL;
}

/* An engine that is read from the state of another one goes on as that one does; which it does as if nobody had asked. */
static void test_state(const schedule *c, const shoal_motion *m, bool changed)
{
    static set s;
    static moment there, read, end, again, alone;
    shoal_string *state = NULL;
    make_systems(&s, c);
    shoal_engine *a = driver_engine(&s, c), *b = driver_engine(&s, c), *d = driver_engine(&s, c);
    CHECK(shoal_string_create(&state) == SHOAL_OK);
    shoal_engine *const both[] = {a, d};
    for (int k = 0; k < 2; ++k) {
        CHECK(shoal_engine_run(both[k], m, 9, NULL, NULL) == SHOAL_OK);
        if (!changed) continue;
        change_bonds(both[k]);
        change_fixed(both[k]);
        set_number(both[k], "max_move", 2, 0.05);
        CHECK(shoal_engine_run(both[k], m, 4, NULL, NULL) == SHOAL_OK);
    }
    CHECK(shoal_engine_write_state(a, state) == SHOAL_OK);
    look(a, &there);
    CHECK(shoal_engine_read_state(b, shoal_string_data(state), shoal_string_size(state)) ==
          SHOAL_OK);
    look(b, &read);
    CHECK(same(&there, &read));
    for (int k = 0; k < 3; ++k) {
        CHECK(shoal_engine_run(a, m, 7, NULL, NULL) == SHOAL_OK);
        CHECK(shoal_engine_run(b, m, 7, NULL, NULL) == SHOAL_OK);
        CHECK(shoal_engine_run(d, m, 7, NULL, NULL) == SHOAL_OK);
    }
    look(a, &end);
    look(b, &again);
    look(d, &alone);
    CHECK(same(&end, &again) && same(&end, &alone));
    CHECK(memcmp(end.pos, there.pos, sizeof end.pos) != 0);
    /* Between two motions nothing is under way. */
    change_bonds(a);
    shoal_string_clear(state);
    CHECK(shoal_engine_write_state(a, state) == SHOAL_OK);
    CHECK(shoal_engine_read_state(d, shoal_string_data(state), shoal_string_size(state)) ==
          SHOAL_OK);
    CHECK(shoal_engine_run(a, m, 5, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_run(d, m, 5, NULL, NULL) == SHOAL_OK);
    look(a, &end);
    look(d, &again);
    CHECK(same(&end, &again));
    shoal_string_destroy(state);
    shoal_engine_destroy(a);
    shoal_engine_destroy(b);
    shoal_engine_destroy(d);
    set_free(&s);
}

static shoal_status read_bytes(shoal_engine *engine, const shoal_string *state, size_t size,
                               size_t spoiled)
{
    unsigned char *bytes = malloc(size + 1);
    CHECK(bytes != NULL);
    if (!bytes) return SHOAL_OK;
    memcpy(bytes, shoal_string_data(state), size);
    if (spoiled < size) bytes[spoiled] ^= 1;
    const shoal_status status = shoal_engine_read_state(engine, bytes, size);
    free(bytes);
    return status;
}

/* What is damaged or of another engine is refused, and the engine stays as it is. */
static void test_states_refused(void)
{
    static set s;
    static moment before, after;
    const schedule c = {.device = "cpu", .precision = SHOAL_PRECISION_DOUBLE};
    const schedule f = {.device = "cpu", .precision = SHOAL_PRECISION_FLOAT};
    shoal_string *state = NULL;
    CHECK(shoal_string_create(&state) == SHOAL_OK);
    make_systems(&s, &c);
    shoal_engine *engine = driver_engine(&s, &c), *other = driver_engine(&s, &f);
    shoal_engine *fewer = set_engine(
        &s, NULL, 2, &(shoal_engine_options){.device = "cpu", .precision = SHOAL_PRECISION_DOUBLE});
    CHECK(shoal_engine_run(engine, NULL, 3, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_write_state(engine, state) == SHOAL_OK);
    CHECK(shoal_engine_run(engine, NULL, 2, NULL, NULL) == SHOAL_OK);
    look(engine, &before);
    const size_t size = shoal_string_size(state);
    for (size_t k = 0; k < size; k += size / 40 + 1)
        CHECK(read_bytes(engine, state, size, k) == SHOAL_E_ARGUMENT);
    CHECK(read_bytes(engine, state, 12, SIZE_MAX) == SHOAL_E_ARGUMENT && says("no state"));
    CHECK(read_bytes(engine, state, size - 1, SIZE_MAX) == SHOAL_E_ARGUMENT && says("cut off"));
    CHECK(read_bytes(other, state, size, SIZE_MAX) == SHOAL_E_ARGUMENT && says("precision"));
    CHECK(read_bytes(fewer, state, size, SIZE_MAX) == SHOAL_E_ARGUMENT && says("other systems"));
    look(engine, &after);
    CHECK(same(&before, &after));
    CHECK(shoal_engine_split(engine) == SHOAL_OK);
    CHECK(read_bytes(engine, state, size, SIZE_MAX) == SHOAL_E_ARGUMENT && says("not split"));
    shoal_string_destroy(state);
    shoal_engine_destroy(engine);
    shoal_engine_destroy(other);
    shoal_engine_destroy(fewer);
    set_free(&s);
}

/* --- refusals ------------------------------------------------------------------------------------- */

static void test_refusals(void)
{
    static set s;
    shoal_array a;
    const schedule c = {.device = "cpu", .precision = SHOAL_PRECISION_DOUBLE};
    make_systems(&s, &c);
    shoal_engine *engine = driver_engine(&s, &c);
    CHECK(shoal_engine_array(engine, "spins", &a) == SHOAL_E_ARGUMENT && says("vdw_x"));
    CHECK(shoal_engine_array(engine, "forces", &a) == SHOAL_E_ARGUMENT && says("nothing"));
    CHECK(shoal_engine_changed(engine, "forces") == SHOAL_E_ARGUMENT && says("nobody writes"));
    CHECK(shoal_engine_changed(engine, "charges") == SHOAL_E_ARGUMENT && says("nobody has asked"));
    CHECK(shoal_engine_run(engine, NULL, 0, NULL, NULL) == SHOAL_E_ARGUMENT);
    CHECK(shoal_engine_run(engine, &(shoal_motion){.fmax = -1}, 1, NULL, NULL) == SHOAL_E_ARGUMENT);
    CHECK(shoal_engine_run(engine, &(shoal_motion){.dynamics = true, .dt = -1}, 1, NULL, NULL) ==
          SHOAL_E_ARGUMENT);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    const double energy = array_of(engine, "energies", &a)[0];
    double *n = array_of(engine, "torsion.n", &a);
    const double kept = n[0];
    n[0] = 2.5;
    CHECK(shoal_engine_changed(engine, "torsion.n") == SHOAL_E_ARGUMENT && says("whole number"));
    CHECK(array_of(engine, "torsion.n", &a)[0] == kept);
    double *x = array_of(engine, "vdw_x", &a);
    x[3] = 0;
    CHECK(shoal_engine_changed(engine, "vdw_x") == SHOAL_E_ARGUMENT && says("row 3"));
    double *cell = array_of(engine, "cell", &a);
    cell[0] = 10;
    CHECK(shoal_engine_changed(engine, "cell") == SHOAL_E_ARGUMENT && says("isolated"));
    CHECK(array_of(engine, "energies", &a)[0] == energy); /* nothing has changed */
    double *alpha = array_of(engine, "fire_alpha", &a);
    CHECK(alpha[5] == 0.1);
    alpha[5] = 1.5;
    CHECK(shoal_engine_changed(engine, "fire_alpha") == SHOAL_E_ARGUMENT && says("system 5"));
    CHECK(array_of(engine, "fire_alpha", &a)[5] == 0.1);
    array_of(engine, "max_move", &a)[0] = 0;
    CHECK(shoal_engine_changed(engine, "max_move") == SHOAL_E_ARGUMENT);
    shoal_engine_destroy(engine);
    const schedule ref = {.device = "ref"};
    engine = driver_engine(&s, &ref);
    CHECK(shoal_engine_run(engine, NULL, 1, NULL, NULL) == SHOAL_E_UNSUPPORTED);
    shoal_engine_destroy(engine);
    set_free(&s);
}

/* Every name stands once, and is found. */
static void test_table(void)
{
    static set s;
    shoal_array a, found;
    const schedule c = {.device = "cpu", .precision = SHOAL_PRECISION_DOUBLE};
    make_systems(&s, &c);
    shoal_engine *engine = driver_engine(&s, &c);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    int32_t n = 0;
    for (; shoal_array_describe(n, &a); ++n) {
        shoal_array other;
        for (int32_t k = 0; k < n && shoal_array_describe(k, &other); ++k)
            CHECK(strcmp(other.name, a.name) != 0);
        CHECK(a.unit[0] && a.what[0] && a.n_columns > 0);
        CHECK(shoal_engine_array(engine, a.name, &found) == SHOAL_OK && found.data && found.starts);
        CHECK(found.rows == a.rows && found.n_columns == a.n_columns);
        if (a.writable && found.starts[found.n_blocks] > 0)
            CHECK(shoal_engine_changed(engine, a.name) == SHOAL_OK);
        CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    }
    CHECK(n > 30 && !shoal_array_describe(-1, &a) && !shoal_array_describe(0, NULL));
    shoal_engine_destroy(engine);
    set_free(&s);
}

int main(void)
{
    schedule list[MOST_SCHEDULES];
    const int n = find_schedules(list);
    for (int k = 0; k < n; ++k) {
        for (int m = 0; m < N_MOTIONS; ++m) test_going_on(&list[k], &motions[m]);
        test_moment(&list[k]);
        for (int which = 0; which < N_CHANGERS; ++which)
            for (int m = 0; m < 2; ++m) test_change(&list[k], &motions[m], which);
        test_plan_stays(&list[k]);
        test_built(&list[k]);
        test_formula(&list[k]);
        test_split(&list[k]);
        test_velocities(&list[k]);
        test_paces(&list[k]);
        for (int m = 0; m < N_MOTIONS; ++m) test_state(&list[k], &motions[m], m % 2 == 1);
        test_first_step(&list[k]);
    }
    test_refusals();
    test_states_refused();
    test_table();
    return check_done();
}
