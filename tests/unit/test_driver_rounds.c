/* SPDX-License-Identifier: BSD-3-Clause
 * The state of a driver lives in the plan between calls: steps asked for in one call, in many, or with
 * evaluations in between lead to the same bits, on every schedule. */
#define DRIVER_DOUBLE true
#include "driver_fixture.h"
#include "engine/engine.h"
#include "layout.h"
#include "periodic_fixture.h"

enum { N_SYSTEMS = 8, MOST_STEPS = 40 };

typedef struct trace {
    double (*pos)[3]; /* of all systems */
    int32_t steps[N_SYSTEMS], outcomes[N_SYSTEMS];
} trace;

static bool always(void *user, int64_t n_evaluations, int64_t n_done, double energy, double fmax)
{
    (void)energy;
    (void)fmax;
    (void)user;
    return n_evaluations >= 0 && n_done >= 0;
}

/* Begins a run whose systems are one part. */
static backend_part start(shoal_engine *engine, shoal_method method)
{
    const backend_driver driver = {
        .method = method, .fmax = 0.2, .max_move = 0.2, .max_steps = MOST_STEPS};
    const shoal_backend *b = engine->backend;
    void *plan = engine->exact.plan;
    backend_part part;
    engine_begin_run(engine);
    CHECK(b->first(plan, &driver, engine->results) == SHOAL_OK);
    CHECK(b->next(plan, engine->results, &part) == SHOAL_OK && part.n == engine->n_systems);
    CHECK(b->start(plan, &driver, engine->results) == SHOAL_OK);
    return part;
}

/* Steps in rounds until all systems have an outcome; looking: with single points after every round. */
static void run(shoal_engine *engine, shoal_method method, int32_t round, bool looking, trace *out)
{
    const backend_poll poll = {always, NULL};
    const shoal_backend *b = engine->backend;
    void *plan = engine->exact.plan;
    backend_part part = start(engine, method);
    int32_t n_going = part.n, before[N_SYSTEMS] = {0};
    for (int turn = 0; n_going > 0 && turn < MOST_STEPS; ++turn) {
        CHECK(b->step(plan, round, BACKEND_STEPS, &poll) == SHOAL_OK);
        CHECK(b->read(plan, BACKEND_STEPS, engine->results) == SHOAL_OK);
        n_going = 0;
        for (int32_t i = 0; i < engine->n_systems; ++i) {
            const backend_result *r = &engine->results[i];
            const bool going = r->outcome == STEP_GOING;
            CHECK(going ? r->steps == before[i] + round : r->steps <= before[i] + round);
            n_going += going;
            before[i] = r->steps;
        }
        if (!looking) continue;
        CHECK(b->eval(plan, BACKEND_FORCES | BACKEND_TERMS) == SHOAL_OK);
        CHECK(b->read(plan, BACKEND_FORCES | BACKEND_TERMS | BACKEND_POSITIONS, engine->results) ==
              SHOAL_OK);
    }
    CHECK(n_going == 0);
    CHECK(b->read(plan, BACKEND_POSITIONS, engine->results) == SHOAL_OK);
    CHECK(b->next(plan, engine->results, &part) == SHOAL_OK && part.n == 0);
    memcpy(out->pos, engine->pos, (size_t)engine->starts[engine->n_systems] * sizeof *out->pos);
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        out->steps[i] = engine->results[i].steps;
        out->outcomes[i] = engine->results[i].outcome;
    }
}

/* A run that is left in the middle. */
static void abandon(shoal_engine *engine, shoal_method method)
{
    const backend_poll poll = {always, NULL};
    const shoal_backend *b = engine->backend;
    void *plan = engine->exact.plan;
    (void)start(engine, method);
    CHECK(b->step(plan, 5, BACKEND_STEPS, &poll) == SHOAL_OK);
    CHECK(b->read(plan, BACKEND_STEPS, engine->results) == SHOAL_OK);
}

/* Chains of several lengths, some with a fixed atom or a restraint; two argon atoms that are drawn over a
 * distance that needs new neighbour lists, and one on a spring so stiff that L-BFGS goes too far in its second
 * and third evaluation. */
static void make_systems(set *s, const schedule *c)
{
    static const double apart[2][3] = {{0, 0, 0}, {9.0, 0.3, 0}};
    for (int k = 0; k < N_SYSTEMS - 2; ++k) {
        set_system *sys = driver_alkane(s, c, 2 + k / 2, 0.05 + 0.03 * k);
        driver_hold(sys, k);
    }
    set_system *pair = driver_argon(s, c, 2, apart);
    restrain(pair, (shoal_restraint){
                       .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 1}, .k = 1.0, .value = 4.0});
    static const double alone[2][3] = {{0, 0, 0}, {30, 0, 0}};
    restrain(driver_argon(s, c, 2, alone), (shoal_restraint){.kind = SHOAL_RESTRAINT_POSITION,
                                                             .atoms = {0},
                                                             .k = 1e4,
                                                             .target = {0.005, 0.001, 0}});
}

static void compare(const schedule *c, shoal_method method, const trace *a, const trace *b,
                    size_t n_atoms, const char *what)
{
    const bool same = memcmp(a->pos, b->pos, n_atoms * sizeof *a->pos) == 0 &&
                      memcmp(a->steps, b->steps, sizeof a->steps) == 0 &&
                      memcmp(a->outcomes, b->outcomes, sizeof a->outcomes) == 0;
    CHECK(same);
    if (!same) (void)printf("%s, %s: %s\n", c->name, method_name(method), what);
}

static void test_schedule(const schedule *c, shoal_method method)
{
    static set s;
    memset(&s, 0, sizeof s);
    make_systems(&s, c);
    shoal_engine *engine = driver_engine(&s, c);
    const size_t n_atoms = (size_t)engine->starts[engine->n_systems];
    double(*start)[3] = malloc(n_atoms * sizeof *start);
    trace once = {.pos = malloc(n_atoms * sizeof *start)}, other = {.pos = malloc(n_atoms * 24)};
    memcpy(start, engine->pos, n_atoms * sizeof *start);
    run(engine, method, MOST_STEPS, false, &once);
    CHECK(memcmp(start, once.pos, n_atoms * sizeof *start) != 0);
    static const int32_t rounds[] = {7, 2};
    for (int k = 0; k < 4; ++k) {
        memcpy(engine->pos, start, n_atoms * sizeof *start);
        if (k == 1) {
            abandon(engine, method);
            memcpy(engine->pos, start, n_atoms * sizeof *start);
        }
        run(engine, method, rounds[k % 2], k >= 2, &other);
        compare(c, method, &once, &other, n_atoms, k < 2 ? "in rounds" : "with single points");
    }
    int n_converged = 0, n_cut = 0;
    for (int k = 0; k < N_SYSTEMS; ++k) {
        n_converged += once.outcomes[k] == STEP_CONVERGED;
        n_cut += once.outcomes[k] == STEP_MAX_STEPS;
    }
    CHECK(n_converged > 0 && n_converged + n_cut == N_SYSTEMS);
    free(start);
    free(once.pos);
    free(other.pos);
    shoal_engine_destroy(engine);
    set_free(&s);
}

/* Crystals whose charges are summed over a mesh. */
static void test_mesh(const schedule *c, shoal_method method)
{
    static set s;
    static const int32_t rounds[] = {7, 40, 3};
    const schedule mesh = {"mesh", c->device, c->large, c->precision, SHOAL_EWALD_MESH};
    if (!c->large) return;
    memset(&s, 0, sizeof s);
    (void)periodic_add(&s, periodic_silica(periodic_skew), "skew silica", 0.2);
    (void)periodic_add(&s, periodic_water(), "water", 0.1);
    shoal_engine *engine = driver_engine(&s, &mesh);
    const size_t n_atoms = (size_t)engine->starts[engine->n_systems], size = n_atoms * 24;
    double(*start)[3] = malloc(size);
    trace once = {.pos = malloc(size)}, other = {.pos = malloc(size)};
    memcpy(start, engine->pos, size);
    run(engine, method, MOST_STEPS, false, &once);
    CHECK(engine->results[0].mesh && engine->results[1].mesh);
    for (int k = 0; k < 3; ++k) {
        memcpy(engine->pos, start, size);
        run(engine, method, rounds[k], k > 0, &other);
        compare(&mesh, method, &once, &other, n_atoms, "a mesh in rounds");
    }
    free(start);
    free(once.pos);
    free(other.pos);
    shoal_engine_destroy(engine);
    set_free(&s);
}

/* Evaluations that systems used before count: whoever has one left moves nowhere. */
static void test_used(const schedule *c, shoal_method method)
{
    static set s;
    enum { MOST = 9 };
    const backend_driver driver = {
        .method = method, .fmax = 1e-9, .max_move = 0.2, .max_steps = MOST};
    const backend_poll poll = {always, NULL};
    backend_part part;
    memset(&s, 0, sizeof s);
    for (int k = 0; k < 3; ++k) (void)driver_alkane(&s, c, 2, 0.1);
    shoal_engine *engine = driver_engine(&s, c);
    const shoal_backend *b = engine->backend;
    void *plan = engine->exact.plan;
    engine_begin_run(engine);
    for (int32_t i = 0; i < 3; ++i) engine->results[i].steps = (MOST - 1) * i / 2;
    CHECK(b->first(plan, &driver, engine->results) == SHOAL_OK);
    CHECK(b->next(plan, engine->results, &part) == SHOAL_OK && part.n == 3);
    CHECK(b->start(plan, &driver, engine->results) == SHOAL_OK);
    CHECK(b->step(plan, 2 * MOST, BACKEND_STEPS, &poll) == SHOAL_OK);
    CHECK(b->read(plan, BACKEND_STEPS | BACKEND_POSITIONS, engine->results) == SHOAL_OK);
    for (int32_t i = 0; i < 3; ++i) {
        const backend_result *r = &engine->results[i];
        const set_system *sys = &s.systems[i];
        const double moved = largest_difference((const double(*)[3])r->pos,
                                                (const double(*)[3])sys->pos, sys->n_atoms);
        CHECK(r->steps == MOST && r->outcome == STEP_MAX_STEPS);
        CHECK(i < 2 ? moved > 1e-3 : moved <= (is_float(c) ? 1e-6 : 1e-12));
    }
    CHECK(b->next(plan, engine->results, &part) == SHOAL_OK && part.n == 0);
    shoal_engine_destroy(engine);
    set_free(&s);
}

/* Evaluations until the only system of an engine has an outcome. */
static int32_t count_steps(shoal_engine *engine, const backend_driver *driver, int32_t round)
{
    const backend_poll poll = {always, NULL};
    const shoal_backend *b = engine->backend;
    void *plan = engine->exact.plan;
    const backend_result *r = engine->results;
    backend_part part;
    engine_begin_run(engine);
    CHECK(b->first(plan, driver, engine->results) == SHOAL_OK);
    CHECK(b->next(plan, engine->results, &part) == SHOAL_OK && part.n == 1);
    CHECK(b->start(plan, driver, r) == SHOAL_OK);
    for (int32_t done = 0; r->outcome == STEP_GOING && done < driver->max_steps; done += round) {
        CHECK(b->step(plan, round, BACKEND_STEPS, &poll) == SHOAL_OK);
        CHECK(b->read(plan, BACKEND_STEPS, engine->results) == SHOAL_OK);
    }
    CHECK(r->outcome == STEP_STALLED);
    const int32_t steps = r->steps;
    CHECK(b->next(plan, engine->results, &part) == SHOAL_OK && part.n == 0);
    return steps;
}

/* Patience lasts from call to call, also where every call looks at the progress once, at its end. */
static void test_stalls(const schedule *c)
{
    static set s;
    const backend_driver driver = {
        .method = SHOAL_METHOD_FIRE, .fmax = 1e-9, .max_move = 0.2, .max_steps = 4000};
    if (!is_float(c)) return;
    memset(&s, 0, sizeof s);
    const size_t size = (size_t)driver_alkane(&s, c, 2, 0.1)->n_atoms * sizeof s.systems[0].pos[0];
    shoal_engine *engine = driver_engine(&s, c);
    const int32_t once = count_steps(engine, &driver, driver.max_steps);
    memcpy(engine->pos, s.systems[0].pos, size);
    CHECK(count_steps(engine, &driver, 8) == once);
    shoal_engine_destroy(engine);
    set_free(&s);
}

int main(void)
{
    schedule list[MOST_SCHEDULES];
    const int n = find_schedules(list);
    for (int k = 0; k < n; ++k) {
        test_schedule(&list[k], SHOAL_METHOD_FIRE);
        test_schedule(&list[k], SHOAL_METHOD_LBFGS);
        test_used(&list[k], SHOAL_METHOD_FIRE);
        test_used(&list[k], SHOAL_METHOD_LBFGS);
        test_stalls(&list[k]);
        test_mesh(&list[k], SHOAL_METHOD_FIRE);
        test_mesh(&list[k], SHOAL_METHOD_LBFGS);
    }
    return check_done();
}
