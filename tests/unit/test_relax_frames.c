/* SPDX-License-Identifier: BSD-3-Clause
 * Frames of a trajectory come at the start, at every so many evaluations and at the end of every system, and
 * change no bit of its result, on every schedule. */
#include "driver_fixture.h"
#include "shoal/text.h"

enum { N_SYSTEMS = 14, MOST_FRAMES = 4000 };

typedef struct seen {
    int32_t steps;
    double energy, fmax;
} seen;

/* The frames of one system. */
typedef struct film {
    int32_t n;
    seen frames[MOST_FRAMES];
    double first[3], last[3]; /* the second atom in the first and in the last one */
} film;

typedef struct collector {
    film *films;    /* [n_systems] */
    int32_t n_left; /* frames until it fails; -1: never */
} collector;

static shoal_status collect(void *user, const shoal_relax_frame *frame)
{
    collector *c = user;
    film *f = &c->films[frame->i_system];
    if (c->n_left >= 0 && c->n_left-- == 0) return SHOAL_E_IO;
    CHECK(f->n < MOST_FRAMES);
    if (f->n == 0) memcpy(f->first, frame->pos[1], sizeof f->first);
    memcpy(f->last, frame->pos[1], sizeof f->last);
    f->frames[f->n++] = (seen){frame->steps, frame->energy, frame->fmax};
    return SHOAL_OK;
}

/* Chains of several lengths that need very different numbers of steps, more than there are lanes. */
static void make_systems(set *s, const schedule *c)
{
    static const double apart[2][3] = {{0, 0, 0}, {9.0, 0.3, 0}};
    for (int k = 0; k < N_SYSTEMS - 1; ++k) {
        set_system *sys = driver_alkane(s, c, 2 + k % 3, k % 5 == 4 ? 0.0 : 0.02 + 0.02 * k);
        if (k % 4 == 1) hold_atom(sys, 3);
        if (k % 5 == 4)
            for (int32_t i = 0; i < sys->n_atoms; ++i) hold_atom(sys, i); /* ends at once */
    }
    restrain(driver_argon(s, c, 2, apart),
             (shoal_restraint){
                 .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 1}, .k = 1.0, .value = 4.0});
}

static bool bits_same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Numbers of evaluations are what they should be, and the ends fit. */
static void check_film(const film *f, const outcome *o, const set_system *sys, int32_t every)
{
    const int32_t n_between = (o->r.steps - 1) / every; /* before the end, after the start */
    CHECK(f->n == n_between + 2);
    if (f->n != n_between + 2) return;
    for (int32_t k = 0; k <= n_between; ++k) CHECK(f->frames[k].steps == k * every);
    CHECK(f->frames[f->n - 1].steps == o->r.steps);
    CHECK(bits_same(f->frames[0].energy, o->r.energy0));
    CHECK(bits_same(f->frames[f->n - 1].energy, o->r.energy));
    CHECK(bits_same(f->frames[f->n - 1].fmax, o->r.fmax));
    CHECK(memcmp(f->last, o->pos[1], sizeof f->last) == 0);
    for (int c = 0; c < 3; ++c) CHECK(fabs(f->first[c] - sys->pos[1][c]) < 1e-5);
    for (int32_t k = 1; k < f->n; ++k) CHECK(f->frames[k].energy <= f->frames[0].energy + 1e-3);
}

static void run_filmed(const set *s, const schedule *c, shoal_relax_options o, int64_t device_bytes,
                       film *films, outcome *out)
{
    collector all = {.films = films, .n_left = -1};
    const run_options run = {.engine = {.device = c->device,
                                        .precision = c->precision,
                                        .n_threads = 2,
                                        .device_bytes = device_bytes},
                             .relax = &o};
    memset(films, 0, N_SYSTEMS * sizeof *films);
    o.frame = collect;
    o.frame_user = &all;
    run_set(s, NULL, s->n, &run, out);
}

static void test_schedule(const schedule *c, shoal_method method, int64_t device_bytes)
{
    static set s;
    static film films[N_SYSTEMS];
    static const int32_t every[] = {0, 1, 7, 50};
    outcome plain[N_SYSTEMS], filmed[N_SYSTEMS];
    const bool mixed = c->precision == SHOAL_PRECISION_AUTO;
    shoal_relax_options o = {.method = method, .fmax = mixed ? 2e-5 : 0.01, .max_steps = 203};
    const int before = mark_failures();
    memset(&s, 0, sizeof s);
    make_systems(&s, c);
    run_filmed(&s, c, o, device_bytes, films, plain);
    for (int k = 0; k < 4; ++k) {
        o.every = every[k];
        run_filmed(&s, c, o, device_bytes, films, filmed);
        for (int32_t i = 0; i < s.n; ++i) {
            CHECK(outcome_same(&plain[i], &filmed[i], s.systems[i].n_atoms));
            CHECK(bits_same(plain[i].r.energy0, filmed[i].r.energy0));
            if (every[k] > 0) check_film(&films[i], &filmed[i], &s.systems[i], every[k]);
            if (every[k] == 0) CHECK(films[i].n == 0);
        }
        outcomes_free(filmed, s.n);
    }
    outcomes_free(plain, s.n);
    set_free(&s);
    tell_failures(before, c, method_name(method));
}

/* --- stopped in between -------------------------------------------------------------------------- */

typedef struct stopper {
    int64_t at;
} stopper;

static bool watch(void *user, const shoal_progress *progress)
{
    return progress->n_evaluations < ((const stopper *)user)->at;
}

/* Frames before and after a stop are those of a run without one. */
static void test_resumed(const schedule *c, shoal_method method)
{
    static set s;
    static film whole, parts;
    shoal_string *state = NULL;
    memset(&s, 0, sizeof s);
    (void)driver_alkane(&s, c, 3, 0.2);
    CHECK(shoal_string_create(&state) == SHOAL_OK);
    for (int64_t at = 3; at < 40; at += 3) {
        collector all = {.films = &whole, .n_left = -1};
        shoal_relax_options o = {.method = method,
                                 .fmax = 0.001,
                                 .max_steps = 60,
                                 .every = 4,
                                 .frame = collect,
                                 .frame_user = &all};
        whole.n = parts.n = 0;
        shoal_engine *engine = driver_engine(&s, c);
        CHECK(shoal_engine_relax(engine, &o, NULL, NULL) == SHOAL_OK);
        shoal_engine_destroy(engine);
        all.films = &parts;
        engine = driver_engine(&s, c);
        stopper stop = {at};
        CHECK(shoal_engine_relax(engine, &o, watch, &stop) == SHOAL_OK);
        shoal_string_clear(state);
        shoal_result r;
        CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
        if (r.status == SHOAL_SYSTEM_MAX_STEPS && r.steps < o.max_steps) { /* not at its end */
            CHECK(shoal_engine_save(engine, state) == SHOAL_OK);
            shoal_engine_destroy(engine);
            engine = driver_engine(&s, c);
            o.state = shoal_string_data(state);
            o.state_size = shoal_string_size(state);
            CHECK(shoal_engine_relax(engine, &o, NULL, NULL) == SHOAL_OK);
        }
        shoal_engine_destroy(engine);
        CHECK(whole.n == parts.n && whole.n > 2);
        for (int32_t k = 0; k < whole.n && k < parts.n; ++k)
            CHECK(whole.frames[k].steps == parts.frames[k].steps &&
                  bits_same(whole.frames[k].energy, parts.frames[k].energy));
    }
    shoal_string_destroy(state);
    set_free(&s);
}

/* A frame that cannot be written ends the run, and the engine can be used again. */
static void test_failure(const schedule *c)
{
    static set s;
    static film films[N_SYSTEMS];
    collector all = {.films = films, .n_left = 20};
    const shoal_relax_options o = {.every = 3, .frame = collect, .frame_user = &all};
    memset(&s, 0, sizeof s);
    memset(films, 0, sizeof films);
    make_systems(&s, c);
    shoal_engine *engine = driver_engine(&s, c);
    CHECK(shoal_engine_relax(engine, &o, NULL, NULL) == SHOAL_E_IO);
    CHECK(shoal_engine_relax(engine, NULL, NULL, NULL) == SHOAL_OK);
    const shoal_relax_options negative = {.every = -1};
    CHECK(shoal_engine_relax(engine, &negative, NULL, NULL) == SHOAL_E_ARGUMENT);
    shoal_engine_destroy(engine);
    set_free(&s);
}

int main(void)
{
    schedule list[MOST_SCHEDULES + 2];
    int n = find_schedules(list);
    for (int k = 0; k < 2; ++k) {
        schedule *c = &list[n++];
        *c = (schedule){.device = "cpu", .large = k == 1};
        (void)snprintf(c->name, sizeof c->name, "cpu %s mixed", c->large ? "large" : "small");
    }
    for (int k = 0; k < n; ++k)
        for (int m = 0; m < N_METHODS; ++m) {
            test_schedule(&list[k], (shoal_method)m, 0);
            test_resumed(&list[k], (shoal_method)m);
            if (m == 0) test_failure(&list[k]);
        }
    /* Several parts, one after the other. */
    for (int k = 4; k < n - 2; ++k) test_schedule(&list[k], SHOAL_METHOD_LBFGS, 40000);
    return check_done();
}
