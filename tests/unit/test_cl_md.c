/* SPDX-License-Identifier: BSD-3-Clause
 * Dynamics on an OpenCL device: random numbers are those of the processor, bit for bit; coordinates in two parts keep
 * what floats lose; and every schedule takes the steps that a plain loop in double takes with forces of ref. */
#include <math.h>

#include "cl/cl_routine.h"
#include "cl_fixture.h"
#include "constants.h"
#include "driver_fixture.h"
#include "engine/engine.h"

#define SHOAL_REAL double
#include "step_md.h"

/* --- kernels alone ------------------------------------------------------------------------------- */

enum { N_DRAWS = 4096, N_DRIFTS = 4096, N_MOVES = 2000 };

static const char probe[] =
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "#define WG 1\n"
    "#include \"vectors.h\"\n"
    "#include \"md_atoms.h\"\n"
    "kernel void draw(global uint *words, global real *numbers)\n"
    "{\n"
    "    const int k = (int)get_global_id(0);\n"
    "    const random_words c = {{(uint)k, 7u * (uint)k, 0xdeadbeefu, (uint)k << 20}};\n"
    "    const random_words w = random_make(c, 11u, 0xfffffff0u + RANDOM_LANGEVIN);\n"
    "    const v3 g = random_normal(w);\n"
    "    for (int m = 0; m < 4; ++m) words[4 * k + m] = w.w[m];\n"
    "    numbers[3 * k] = g.x, numbers[3 * k + 1] = g.y, numbers[3 * k + 2] = g.z;\n"
    "}\n"
    "kernel void drift(global real *x, global const real *v, const int n_moves, const real dt)\n"
    "{\n"
    "    const int k = (int)get_global_id(0);\n"
    "    real at = x[2 * k], low = x[2 * k + 1];\n"
    "    for (int m = 0; m < n_moves; ++m) md_drift(&at, &low, (m % 3 ? dt : -dt) * v[k]);\n"
    "    x[2 * k] = at, x[2 * k + 1] = low;\n"
    "}\n";

/* The probe, and all that it may include. */
static void copy_sources(scratch_directory *kernels)
{
    scratch_write(kernels, "md_probe.cl", probe);
    copy_kernel_headers(kernels);
}

/* Words are the same everywhere; normal numbers of a processor, too, where nothing is contracted. */
static void test_random(cl_target *target, bool gpu)
{
    static uint32_t words[N_DRAWS][4];
    static double numbers[N_DRAWS][3];
    cl_code code;
    cl_routine r;
    cl_buffer ints, reals;
    CHECK(cl_code_build(&code, target, "md_probe.cl", "-DSHOAL_DOUBLE") == SHOAL_OK);
    CHECK(cl_routine_create(&r, &code, "draw") == SHOAL_OK);
    CHECK(cl_buffer_create(&ints, target, "words", sizeof words / 4, 4, words) == SHOAL_OK);
    CHECK(cl_buffer_create(&reals, target, "numbers", sizeof numbers / 8, 8, numbers) == SHOAL_OK);
    CHECK(cl_routine_buffer(&r, 0, "words", &ints) == SHOAL_OK);
    CHECK(cl_routine_buffer(&r, 1, "numbers", &reals) == SHOAL_OK);
    CHECK(cl_routine_launch(&r, N_DRAWS, 1) == SHOAL_OK);
    CHECK(cl_buffer_read(&ints, 0, sizeof words, words) == SHOAL_OK);
    CHECK(cl_buffer_read(&reals, 0, sizeof numbers, numbers) == SHOAL_OK);
    int n_words = 0, n_numbers = 0;
    for (uint32_t k = 0; k < N_DRAWS; ++k) {
        const random_words c = {{k, 7u * k, 0xdeadbeefu, k << 20}};
        const random_words w = random_make(c, 11u, 0xfffffff0u + RANDOM_LANGEVIN);
        const v3 g = random_normal(w);
        const double own[3] = {g.x, g.y, g.z};
        n_words += memcmp(w.w, words[k], sizeof words[k]) == 0;
        n_numbers += memcmp(own, numbers[k], sizeof own) == 0;
        for (int c3 = 0; c3 < 3; ++c3) CHECK(fabs(own[c3] - numbers[k][c3]) < 1e-13);
    }
    (void)printf("%d of %d words and %d normal numbers have the same bits\n", n_words, N_DRAWS,
                 n_numbers);
    CHECK(n_words == N_DRAWS && (gpu || n_numbers == N_DRAWS));
    cl_buffer_free(&ints);
    cl_buffer_free(&reals);
    cl_routine_free(&r);
    cl_code_free(&code);
}

/* Thousands of moves, with the options of the programs that move atoms: what is lost is of the order of the rounding
 * of a move, not of a coordinate. */
static void test_drift(cl_target *target)
{
    static float x[N_DRIFTS][2], v[N_DRIFTS], start[N_DRIFTS];
    uint64_t seed = 5;
    cl_code code;
    cl_routine r;
    cl_buffer places, moves;
    for (int k = 0; k < N_DRIFTS; ++k) {
        start[k] = x[k][0] = (float)(8 * set_random(&seed));
        v[k] = (float)(2e-2 * set_random(&seed));
    }
    CHECK(cl_code_build(&code, target, "md_probe.cl", "-cl-mad-enable -cl-denorms-are-zero") ==
          SHOAL_OK);
    CHECK(cl_routine_create(&r, &code, "drift") == SHOAL_OK);
    CHECK(cl_buffer_create(&places, target, "places", sizeof x / 4, 4, x) == SHOAL_OK);
    CHECK(cl_buffer_create(&moves, target, "moves", sizeof v / 4, 4, v) == SHOAL_OK);
    CHECK(cl_routine_buffer(&r, 0, "places", &places) == SHOAL_OK);
    CHECK(cl_routine_buffer(&r, 1, "moves", &moves) == SHOAL_OK);
    CHECK(cl_routine_int(&r, 2, "n_moves", N_MOVES) == SHOAL_OK);
    CHECK(cl_routine_real(&r, 3, "dt", 0.37) == SHOAL_OK);
    CHECK(cl_routine_launch(&r, N_DRIFTS, 1) == SHOAL_OK);
    CHECK(cl_buffer_read(&places, 0, sizeof x, x) == SHOAL_OK);
    double worst = 0, plain = 0;
    for (int k = 0; k < N_DRIFTS; ++k) {
        double exact = (double)start[k];
        float single = start[k];
        for (int m = 0; m < N_MOVES; ++m) {
            const float dt = m % 3 ? 0.37f : -0.37f;
            exact += (double)dt * (double)v[k];
            single += dt * v[k];
        }
        worst = fmax(worst, fabs((double)x[k][0] + (double)x[k][1] - exact));
        plain = fmax(plain, fabs((double)single - exact));
        CHECK(fabsf(x[k][1]) <= 5e-7f * (1 + fabsf(x[k][0])));
    }
    (void)printf("after %d moves: %.1e angstrom off in two parts, %.1e in one\n", N_MOVES, worst,
                 plain);
    CHECK(worst < 2e-6 && plain > 1e-5);
    cl_buffer_free(&places);
    cl_buffer_free(&moves);
    cl_routine_free(&r);
    cl_code_free(&code);
}

/* --- steps of systems ---------------------------------------------------------------------------- */

enum { N_SYSTEMS = 7, MOST_ATOMS = 400, N_ARGON = 135, N_STEPS = 12, FROZEN = 4 };

/* What comes out of a run. */
typedef struct trace {
    double pos[MOST_ATOMS][3], velocities[MOST_ATOMS][3], chain[N_SYSTEMS][4];
    int32_t steps[N_SYSTEMS], outcomes[N_SYSTEMS];
} trace;

static double masses[MOST_ATOMS], velocities[MOST_ATOMS][3];
static backend_bath baths[N_SYSTEMS];

/* Alkanes of several sizes, two of them with a fixed atom, and more atoms than a work-group has members. */
static void make_systems(set *s, const schedule *c)
{
    static const int32_t carbons[N_SYSTEMS - 1] = {2, 3, 9, 20, 4, 6};
    double argon[N_ARGON][3];
    memset(s, 0, sizeof *s);
    for (int k = 0; k < N_SYSTEMS - 1; ++k) {
        set_system *sys = driver_alkane(s, c, carbons[k], 0.03);
        if (k % 3 == 1) hold_atom(sys, 4);
    }
    for (int i = 0; i < N_ARGON; ++i)
        for (int d = 0; d < 3; ++d)
            argon[i][d] = 3.7 * (double)(d == 0 ? i % 5 : d == 1 ? i / 5 % 5 : i / 25);
    (void)driver_argon(s, c, N_ARGON, (const double(*)[3])argon);
}

/* Velocities of about 300 K, and one that no system survives; baths of unlike temperatures. */
static void make_baths(const shoal_engine *engine)
{
    uint64_t seed = 99;
    for (int32_t i = 0; i < engine->starts[engine->n_systems]; ++i)
        for (int c = 0; c < 3; ++c) velocities[i][c] = 0.01 * set_random(&seed);
    if (engine->n_systems > FROZEN) velocities[engine->starts[FROZEN]][0] = 2;
    for (int32_t k = 0; k < engine->n_systems; ++k) {
        const shoal_topology_view *v = &engine->systems[k].view;
        const int32_t first = engine->starts[k];
        for (int32_t i = 0; i < v->n_atoms; ++i) masses[first + i] = v->masses[i];
        baths[k] = (backend_bath){.masses = masses + first,
                                  .kt = BOLTZMANN * (200 + 50 * k),
                                  .kt_change = 1e-5 * k,
                                  .n_dof = 3 * v->n_atoms,
                                  .key = 0x123456789abcdefu * (uint64_t)(k + 1)};
    }
}

static void begin(shoal_engine *engine, const set *s)
{
    engine_begin_run(engine);
    for (int32_t k = 0; k < engine->n_systems; ++k) {
        backend_result *r = &engine->results[k];
        memcpy(r->pos, s->systems[k].pos, (size_t)s->systems[k].n_atoms * sizeof *r->pos);
        r->active = true;
        r->steps = 0;
        memset(r->thermostat, 0, sizeof r->thermostat);
        r->velocities = velocities + engine->starts[k];
    }
}

/* N_STEPS in rounds, part by part; looking: with single points after every round. Returns how many parts there were. */
static int run(shoal_engine *engine, const set *s, int thermostat, int32_t round, bool looking,
               trace *out)
{
    const backend_md md = driver_md(thermostat, baths);
    const backend_driver driver = {.md = &md};
    const shoal_backend *b = engine->backend;
    const uint32_t all = BACKEND_POSITIONS | BACKEND_VELOCITIES | BACKEND_STEPS;
    void *plan = engine->exact.plan;
    backend_part part;
    int n_parts = 0;
    static double kept[MOST_ATOMS][3];
    memcpy(kept, velocities, sizeof kept);
    begin(engine, s);
    CHECK(b->first(plan, &driver, engine->results) == SHOAL_OK);
    for (;;) {
        CHECK(b->next(plan, engine->results, &part) == SHOAL_OK);
        if (part.n == 0) break;
        ++n_parts;
        CHECK(b->start(plan, &driver, engine->results) == SHOAL_OK);
        for (int32_t done = 0; done < N_STEPS; done += round) {
            CHECK(b->step(plan, round, all, NULL) == SHOAL_OK);
            if (!looking) continue;
            CHECK(b->read(plan, all, engine->results) == SHOAL_OK);
            CHECK(b->eval(plan, BACKEND_FORCES) == SHOAL_OK);
            CHECK(b->read(plan, BACKEND_FORCES | BACKEND_VELOCITIES, engine->results) == SHOAL_OK);
        }
        CHECK(b->read(plan, all, engine->results) == SHOAL_OK);
    }
    memset(out, 0, sizeof *out);
    const size_t n = (size_t)engine->starts[engine->n_systems];
    memcpy(out->pos, engine->pos, n * sizeof *out->pos);
    memcpy(out->velocities, velocities, n * sizeof *out->velocities);
    for (int32_t k = 0; k < engine->n_systems; ++k) {
        out->steps[k] = engine->results[k].steps;
        out->outcomes[k] = engine->results[k].outcome;
        memcpy(out->chain[k], engine->results[k].thermostat, sizeof out->chain[k]);
    }
    memcpy(velocities, kept, sizeof kept);
    return n_parts;
}

/* One step of one system as step_md.h describes it, with the forces of the witness at hand. */
static void witness_step(const shoal_engine *engine, int32_t k, const md_numbers *n, md_state *own,
                         trace *t)
{
    const int32_t first = engine->starts[k], n_atoms = engine->systems[k].view.n_atoms;
    const bool *fixed = engine->systems[k].fixed;
    const double close = md_close(own, n), open = md_open(n);
    md_sums sums = {0};
    for (int32_t i = first; i < first + n_atoms; ++i) {
        const double w = fixed && fixed[i - first] ? 0 : ACCELERATION / masses[i];
        double now2 = 0, next2 = 0, f2 = 0;
        for (int c = 0; c < 3 && w > 0; ++c) {
            const double f = engine->forces[i][c], v = t->velocities[i][c] + close * f * w;
            now2 += v * v;
            next2 += (v + open * f * w) * (v + open * f * w);
            f2 += f * f;
        }
        if (w > 0) sums.kinetic2 += now2 / w;
        sums.v2 = fmax(sums.v2, next2);
        sums.f2 += f2;
    }
    const md_move m = md_decide(own, &sums, n);
    for (int32_t i = first; i < first + n_atoms && m.go; ++i) {
        const double w = fixed && fixed[i - first] ? 0 : ACCELERATION / masses[i];
        const v3 g = md_normal(own, n, i - first);
        const double noise[3] = {g.x, g.y, g.z};
        for (int c = 0; c < 3 && w > 0; ++c) {
            const double f = engine->forces[i][c];
            double *v = &t->velocities[i][c], *x = &t->pos[i][c];
            *v = m.scale * (*v + close * f * w) + open * f * w;
            *x += 0.5 * n->dt * *v;
            if (n->thermostat == MD_LANGEVIN) *v = n->keep * *v + m.noise * sqrt(w) * noise[c];
            *x += 0.5 * n->dt * *v;
        }
    }
}

static void witness(const set *s, const schedule *c, int thermostat, trace *t)
{
    const schedule ref = {.device = "ref", .large = c->large, .precision = SHOAL_PRECISION_DOUBLE};
    const backend_md md = driver_md(thermostat, baths);
    const double keep = exp(-md.friction * md.dt);
    const md_numbers n = {md.dt,   keep,       sqrt(1 - keep * keep), md.tau,
                          md.most, thermostat, 0x76543210u,           0xfedcba98u};
    shoal_engine *engine = driver_engine(s, &ref);
    md_state states[N_SYSTEMS];
    memset(t, 0, sizeof *t);
    memset(states, 0, sizeof states);
    begin(engine, s);
    for (int32_t k = 0; k < N_SYSTEMS; ++k) {
        states[k].kt = baths[k].kt;
        states[k].kt_change = baths[k].kt_change;
        states[k].n_dof = baths[k].n_dof;
        states[k].key0 = (uint32_t)baths[k].key;
        states[k].key1 = (uint32_t)(baths[k].key >> 32);
    }
    const size_t n_atoms = (size_t)engine->starts[N_SYSTEMS];
    memcpy(t->pos, engine->pos, n_atoms * sizeof *t->pos);
    memcpy(t->velocities, velocities, n_atoms * sizeof *t->velocities);
    for (int32_t k = 0; k < N_SYSTEMS; ++k) /* fixed atoms rest */
        for (int32_t i = 0; engine->systems[k].fixed && i < engine->systems[k].view.n_atoms; ++i)
            if (engine->systems[k].fixed[i])
                memset(t->velocities[engine->starts[k] + i], 0, sizeof t->velocities[0]);
    for (int step = 0; step < N_STEPS; ++step) {
        memcpy(engine->pos, t->pos, n_atoms * sizeof *t->pos);
        CHECK(engine_evaluate(engine, &engine->exact, BACKEND_FORCES) == SHOAL_OK);
        for (int32_t k = 0; k < N_SYSTEMS; ++k)
            if (states[k].outcome == STEP_GOING) witness_step(engine, k, &n, &states[k], t);
    }
    for (int32_t k = 0; k < N_SYSTEMS; ++k) {
        const double chain[4] = {states[k].x[0], states[k].x[1], states[k].v[0], states[k].v[1]};
        memcpy(t->chain[k], chain, sizeof chain);
        t->steps[k] = states[k].n_evals;
        t->outcomes[k] = states[k].outcome;
    }
    shoal_engine_destroy(engine);
}

static void compare(const schedule *c, int thermostat, const trace *a, const trace *b)
{
    const double tolerance = is_float(c) ? 2e-5 : 1e-10;
    double far = 0, fast = 0, chain = 0;
    for (int32_t i = 0; i < MOST_ATOMS; ++i)
        for (int d = 0; d < 3; ++d) {
            far = fmax(far, fabs(a->pos[i][d] - b->pos[i][d]));
            fast = fmax(fast, fabs(a->velocities[i][d] - b->velocities[i][d]));
        }
    for (int32_t k = 0; k < N_SYSTEMS; ++k) {
        for (int m = 0; m < 4; ++m) chain = fmax(chain, fabs(a->chain[k][m] - b->chain[k][m]));
        CHECK(a->steps[k] == b->steps[k] && a->outcomes[k] == b->outcomes[k]);
    }
    (void)printf("%s, thermostat %d: %.1e angstrom, %.1e angstrom/fs, chain %.1e\n", c->name,
                 thermostat, far, fast, chain);
    CHECK(far < tolerance && fast < tolerance && chain < 10 * tolerance);
    CHECK(b->outcomes[FROZEN] == STEP_UNSTABLE && b->outcomes[0] == STEP_GOING);
}

/* The same systems on a device that holds a few of them at a time. */
static shoal_engine *small_engine(const set *s, const schedule *c)
{
    const shoal_engine_options options = {
        .device = c->device, .precision = c->precision, .device_bytes = 30000};
    return set_engine(s, NULL, s->n, &options);
}

static void test_schedule(const schedule *c)
{
    static set s;
    static trace expected, whole, rounds, slices;
    make_systems(&s, c);
    check_schedule(&s, c);
    shoal_engine *engine = driver_engine(&s, c), *parts = small_engine(&s, c);
    make_baths(engine);
    for (int thermostat = MD_NONE; thermostat <= MD_NOSE_HOOVER; ++thermostat) {
        witness(&s, c, thermostat, &expected);
        CHECK(run(engine, &s, thermostat, N_STEPS, false, &whole) == 1);
        compare(c, thermostat, &expected, &whole);
        (void)run(engine, &s, thermostat, 3, true, &rounds);
        CHECK(memcmp(&whole, &rounds, sizeof whole) == 0);
        CHECK(run(parts, &s, thermostat, N_STEPS, false, &slices) > 1);
        CHECK(memcmp(&whole, &slices, sizeof whole) == 0);
    }
    shoal_engine_destroy(engine);
    shoal_engine_destroy(parts);
    set_free(&s);
}

/* Atoms far from each other whose moves a float would not notice: in two parts nothing of them is lost, not between
 * launches either. More atoms than a work-group has members. */
static void test_slow(const schedule *c)
{
    static set s;
    static trace t;
    double pos[N_ARGON][3];
    memset(&s, 0, sizeof s);
    for (int i = 0; i < N_ARGON; ++i)
        for (int d = 0; d < 3; ++d)
            pos[i][d] = 0.37 + 40.0 * (double)(d == 0 ? i % 5 : d == 1 ? i / 5 % 5 : i / 25);
    (void)driver_argon(&s, c, N_ARGON, (const double(*)[3])pos);
    check_schedule(&s, c);
    shoal_engine *engine = driver_engine(&s, c);
    make_baths(engine);
    for (int i = 0; i < N_ARGON; ++i)
        for (int d = 0; d < 3; ++d) velocities[i][d] *= 1e-5;
    (void)run(engine, &s, MD_NONE, 3, true, &t);
    double worst = 0;
    for (int i = 0; i < N_ARGON; ++i)
        for (int d = 0; d < 3; ++d)
            worst = fmax(worst, fabs(t.pos[i][d] - pos[i][d] - 0.5 * N_STEPS * velocities[i][d]));
    (void)printf("%s: %.1e of moves of %.1e angstrom lost\n", c->name, worst, 6e-7);
    CHECK(t.steps[0] == N_STEPS && worst < 2e-9);
    shoal_engine_destroy(engine);
    set_free(&s);
}

int main(void)
{
    const char *which = device_for_tests();
    cl_target *target;
    schedule list[MOST_SCHEDULES];
    if (!which) return SKIPPED;
    scratch_directory kernels = scratch_make();
    copy_sources(&kernels);
    CHECK(cl_target_open(&target, which, false) == SHOAL_OK);
    (void)setenv("SHOAL_KERNEL_DIR", kernels.path, 1);
    test_random(target, strcmp(which, "gpu") == 0);
    test_drift(target);
    cl_target_close(target);
    (void)unsetenv("SHOAL_KERNEL_DIR");
    scratch_remove(&kernels);
    const int n = find_schedules(list);
    for (int k = 0; k < n; ++k)
        if (strncmp(list[k].device, "opencl", 6) == 0) {
            test_schedule(&list[k]);
            test_slow(&list[k]);
        }
    return check_done();
}
