/* SPDX-License-Identifier: BSD-3-Clause
 * A relaxation that is stopped, saved and gone on with by another engine ends as if it had never been stopped,
 * to the last bit, on every schedule; what is no state of it is refused. */
#include "driver_fixture.h"
#include "periodic_fixture.h"
#include "shoal/text.h"

enum { CPU_MIXED_SCHEDULES = 2, MOST_CUTS = 400 };

/* Stops at a number of evaluations; the state is taken inside the monitor, too. */
typedef struct stopper {
    shoal_engine *engine;
    int64_t at;          /* -1: nowhere */
    int64_t first;       /* evaluations when it was asked for the first time; 0: not yet */
    bool stopped, saves; /* saves: every time */
    shoal_string *inside;
} stopper;

static bool watch(void *user, const shoal_progress *progress)
{
    stopper *s = user;
    if (s->first == 0) s->first = progress->n_evaluations;
    if (s->saves) CHECK(shoal_engine_save(s->engine, s->inside) == SHOAL_OK);
    if (s->at < 0 || progress->n_evaluations < s->at) return true;
    shoal_string_clear(s->inside);
    CHECK(shoal_engine_save(s->engine, s->inside) == SHOAL_OK);
    s->stopped = true;
    return false;
}

static shoal_status no_frame(void *user, const shoal_relax_frame *frame)
{
    (void)user;
    return frame->steps >= 0 ? SHOAL_OK : SHOAL_E_ARGUMENT;
}

/* Frames after every evaluation are what lets a monitor stop anywhere. */
static shoal_relax_options options_of(const set *s, shoal_method method, double fmax, int32_t every)
{
    return (shoal_relax_options){.method = method,
                                 .fmax = fmax,
                                 .max_steps = s->systems[0].n_atoms > 1000 ? 40 : 150,
                                 .every = every,
                                 .frame = no_frame};
}

/* Goes on from a state (NULL: from the start) until an evaluation; true if it was stopped there. */
static bool run_until(const set *s, const schedule *c, shoal_relax_options o, shoal_string *state,
                      int64_t at, bool inside, outcome *out)
{
    static int64_t stopped_at; /* evaluations that the state has */
    const int64_t known = state && shoal_string_size(state) > 0 ? stopped_at : 0;

    shoal_engine *engine = driver_engine(s, c);
    stopper stop = {.engine = engine, .at = at};
    CHECK(shoal_string_create(&stop.inside) == SHOAL_OK);
    if (state && shoal_string_size(state) > 0) {
        o.state = shoal_string_data(state);
        o.state_size = shoal_string_size(state);
    }
    CHECK(shoal_engine_relax(engine, &o, watch, &stop) == SHOAL_OK);
    CHECK(stop.first == 0 || stop.first > known);
    if (stop.stopped) {
        stopped_at = at;
        shoal_string_clear(state);
        CHECK(shoal_engine_save(engine, state) == SHOAL_OK);
        if (inside) {
            shoal_string_clear(state);
            shoal_string_put(state, shoal_string_data(stop.inside), shoal_string_size(stop.inside));
        }
    }
    if (!stop.stopped) {
        shoal_string *none = NULL;
        CHECK(shoal_string_create(&none) == SHOAL_OK);
        CHECK(shoal_engine_save(engine, none) == SHOAL_E_UNSUPPORTED);
        shoal_string_destroy(none);
    }
    outcome_take(engine, 0, (size_t)s->systems[0].n_atoms * sizeof out->pos[0], out);
    shoal_string_destroy(stop.inside);
    shoal_engine_destroy(engine);
    return stop.stopped;
}

static bool same(const outcome *a, const outcome *b, int32_t n)
{
    return outcome_same(a, b, n) &&
           memcmp(&a->r.energy0, &b->r.energy0, sizeof a->r.energy0) == 0 &&
           memcmp(a->terms, b->terms, 2 * SHOAL_N_TERMS * sizeof *a->terms) == 0;
}

/* Stopped at first and again after more evaluations. */
static void check_cut(const set *s, const schedule *c, shoal_method method, double fmax,
                      const outcome *whole, int64_t first, int64_t second)
{
    shoal_string *state = NULL;
    outcome out;
    CHECK(shoal_string_create(&state) == SHOAL_OK);
    const int32_t every = s->systems[0].n_atoms > 1000 ? 0 : 1; /* large ones are asked often */
    bool stopped =
        run_until(s, c, options_of(s, method, fmax, every), state, first, first % 2, &out);
    CHECK(stopped);
    if (stopped && second > 0) {
        outcomes_free(&out, 1);
        stopped =
            run_until(s, c, options_of(s, method, fmax, every), state, second, second % 2, &out);
    }
    if (stopped) {
        outcomes_free(&out, 1);
        CHECK(!run_until(s, c, options_of(s, method, fmax, 0), state, -1, false, &out));
    }
    const bool equal = same(&out, whole, s->systems[0].n_atoms);
    CHECK(equal);
    if (!equal)
        (void)printf("%s, %s, %s: stopped at %d and %d: %s %d and %s %d, %.17g and %.17g\n",
                     c->name, method_name(method), s->systems[0].name, (int)first, (int)second,
                     shoal_system_status_name(out.r.status), out.r.steps,
                     shoal_system_status_name(whole->r.status), whole->r.steps, out.r.energy,
                     whole->r.energy);
    outcomes_free(&out, 1);
    shoal_string_destroy(state);
}

static void check_system(const set *s, const schedule *c, shoal_method method, double fmax,
                         int32_t stride)
{
    outcome whole;
    CHECK(!run_until(s, c, options_of(s, method, fmax, 0), NULL, -1, false, &whole));
    CHECK(whole.r.steps > 1);
    for (int32_t at = 1; at < whole.r.steps && at < MOST_CUTS; at += stride)
        check_cut(s, c, method, fmax, &whole, at, at % 3 == 0 ? at + stride + 3 : 0);
    if (whole.r.steps > 2) check_cut(s, c, method, fmax, &whole, whole.r.steps - 1, 0);
    outcomes_free(&whole, 1);
}

/* --- systems ------------------------------------------------------------------------------------- */

static void make_chain(set *s, const schedule *c)
{
    set_system *sys = driver_alkane(s, c, 3, 0.2);
    hold_atom(sys, 1);
    restrain(sys, (shoal_restraint){
                      .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 7}, .k = 3.0, .value = 2.2});
}

/* Drawn over a distance that needs new neighbour lists. */
static void make_pair(set *s, const schedule *c)
{
    static const double apart[2][3] = {{0, 0, 0}, {9.0, 0.3, 0}};
    restrain(driver_argon(s, c, 2, apart),
             (shoal_restraint){
                 .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 1}, .k = 1.0, .value = 4.0});
}

/* So stiff that L-BFGS goes too far. */
static void make_spring(set *s, const schedule *c)
{
    static const double alone[2][3] = {{0, 0, 0}, {30, 0, 0}};
    restrain(driver_argon(s, c, 2, alone), (shoal_restraint){.kind = SHOAL_RESTRAINT_POSITION,
                                                             .atoms = {0},
                                                             .k = 1e4,
                                                             .target = {0.005, 0.001, 0}});
}

/* Charges in three directions, and in two. */
static void make_water(set *s, const schedule *c)
{
    static const int32_t three[3] = {3, 2, 2};
    (void)c;
    (void)periodic_add(s, periodic_repeat(periodic_water(), three), "water", 0.05);
}

static void make_film(set *s, const schedule *c)
{
    static const int32_t z[6] = {8, 1, 1, 8, 1, 1};
    static const double film[6][3] = {{0.1, 0.2, 0.3}, {1.05, 0.3, 0.2}, {-0.2, 1.1, 0.4},
                                      {0.4, 0.1, 3.4}, {1.35, 0.2, 3.6}, {0.1, 0.9, 3.9}};
    static const double charges[6] = {-0.8, 0.4, 0.4, -0.8, 0.4, 0.4};
    static const double cell[3][3] = {{4.3, 0.2, 1.1}, {0.3, 4.6, -0.7}, {0, 0, 0}};
    (void)c;
    set_system *sys =
        periodic_add(s, periodic_molecule(6, z, film, charges, cell, 2), "growing film", 0.02);
    /* It becomes far higher than it was. */
    restrain(sys, (shoal_restraint){
                      .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 3}, .k = 2.0, .value = 40.0});
}

/* Many blocks of atoms; isolated. */
static void make_many(set *s, const schedule *c)
{
    (void)c;
    (void)set_add_size(s, 1030, true);
}

typedef void maker(set *s, const schedule *c);

static void try_system(maker *make, const schedule *c, int32_t stride)
{
    const bool mixed = c->precision == SHOAL_PRECISION_AUTO;
    for (int m = 0; m < N_METHODS; ++m) {
        static set s;
        memset(&s, 0, sizeof s);
        make(&s, c);
        check_system(&s, c, (shoal_method)m, mixed ? 1e-5 : 0.02, stride);
        set_free(&s);
    }
}

static void test_schedule(const schedule *c)
{
    const bool cpu = strcmp(c->device, "cpu") == 0;
    const int before = mark_failures();
    try_system(make_chain, c, cpu ? 4 : 23);
    try_system(make_pair, c, cpu ? 3 : 17);
    try_system(make_spring, c, cpu ? 1 : 5);
    if (c->large) {
        try_system(make_water, c, cpu ? 59 : 149);
        try_system(make_film, c, cpu ? 37 : 53);
        if (is_float(c)) try_system(make_many, c, 38);
    }
    tell_failures(before, c, "saved and gone on with");
}

/* The state inside the second phase of a relaxation that begins in float. */
static void test_phases(void)
{
    static set s;
    const schedule c = {.name = "cpu mixed", .device = "cpu"};
    schedule in_float = c;
    outcome whole, fast;
    memset(&s, 0, sizeof s);
    make_chain(&s, &c);
    in_float.precision = SHOAL_PRECISION_FLOAT;
    CHECK(!run_until(&s, &c, options_of(&s, SHOAL_METHOD_LBFGS, 1e-6, 0), NULL, -1, false, &whole));
    CHECK(!run_until(&s, &in_float, options_of(&s, SHOAL_METHOD_LBFGS, 5e-4, 0), NULL, -1, false,
                     &fast));
    CHECK(whole.r.steps > fast.r.steps + 3); /* there is a second phase */
    for (int32_t at = fast.r.steps - 3; at < whole.r.steps; ++at)
        check_cut(&s, &c, SHOAL_METHOD_LBFGS, 1e-6, &whole, at, at + 4);
    outcomes_free(&whole, 1);
    outcomes_free(&fast, 1);
    set_free(&s);
}

/* A monitor that saves whenever it is asked changes nothing. */
static void test_saves(const schedule *c)
{
    for (int m = 0; m < N_METHODS; ++m) {
        static set s;
        outcome whole, out;
        memset(&s, 0, sizeof s);
        make_chain(&s, c);
        shoal_relax_options o = options_of(&s, (shoal_method)m, 0.02, 0);
        CHECK(!run_until(&s, c, o, NULL, -1, false, &whole));
        shoal_engine *engine = driver_engine(&s, c);
        stopper all = {.engine = engine, .at = -1, .saves = true};
        CHECK(shoal_string_create(&all.inside) == SHOAL_OK);
        o.every = m; /* in the middle of rounds, and after each evaluation */
        CHECK(shoal_engine_relax(engine, &o, watch, &all) == SHOAL_OK);
        CHECK(shoal_string_size(all.inside) > 0);
        outcome_take(engine, 0, (size_t)s.systems[0].n_atoms * sizeof out.pos[0], &out);
        CHECK(same(&out, &whole, s.systems[0].n_atoms));
        shoal_string_destroy(all.inside);
        shoal_engine_destroy(engine);
        outcomes_free(&out, 1);
        outcomes_free(&whole, 1);
        set_free(&s);
    }
}

/* Patience lasts: a system that makes no progress stalls after as many evaluations as it would have. */
static void test_patience(const schedule *c, shoal_method method)
{
    const bool fire = method == SHOAL_METHOD_FIRE;
    static set s;
    shoal_relax_options o = {.method = method, .fmax = 1e-9, .max_steps = 4000};
    shoal_string *state = NULL;
    outcome whole, out;
    memset(&s, 0, sizeof s);
    (void)driver_alkane(&s, c, 2, 0.1);
    CHECK(shoal_string_create(&state) == SHOAL_OK);
    CHECK(!run_until(&s, c, o, NULL, -1, false, &whole));
    CHECK(whole.r.status == SHOAL_SYSTEM_STALLED);
    o.every = fire ? 50 : 1;
    o.frame = no_frame;
    CHECK(run_until(&s, c, o, state, whole.r.steps - (fire ? 300 : 9), false, &out));
    outcomes_free(&out, 1);
    CHECK(!run_until(&s, c, o, state, -1, false, &out));
    CHECK(same(&out, &whole, s.systems[0].n_atoms));
    outcomes_free(&out, 1);
    outcomes_free(&whole, 1);
    shoal_string_destroy(state);
    set_free(&s);
}

/* --- what is refused ----------------------------------------------------------------------------- */

/* A state belongs to the options of its engine, each of them. */
static void test_other_options(void)
{
    static const schedule box = {
        .name = "box", .device = "cpu", .large = true, .precision = SHOAL_PRECISION_DOUBLE};
    static set s;
    const shoal_engine_options own = {.device = "cpu", .precision = SHOAL_PRECISION_DOUBLE};
    shoal_relax_options o = options_of(&s, SHOAL_METHOD_LBFGS, 1e-4, 1);
    shoal_string *state = NULL;
    memset(&s, 0, sizeof s);
    set_system *sys = driver_alkane(&s, &box, 3, 0.05);
    hold_atom(sys, 2);
    restrain(sys, (shoal_restraint){
                      .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 4}, .k = 2, .value = 1.6});
    CHECK(shoal_string_create(&state) == SHOAL_OK);
    for (int k = -1; k < 12; ++k) {
        shoal_engine_options e = own;
        if (k == 0) e.vdw_cutoff = 9.5;
        if (k == 1) e.coulomb_damping = 0.1;
        if (k == 2) e.ewald_tolerance = 1e-5;
        if (k == 3) e.terms_off = 1u << SHOAL_TERM_TORSION;
        if (k == 4) e.mixing = SHOAL_MIXING_ARITHMETIC;
        if (k == 5) e.vdw_tail = true;
        if (k == 6) e.plain_terms = true;
        if (k == 11) e.ewald = SHOAL_EWALD_MESH;
        if (k == 7 || k == 8) sys->fixed[2] = !sys->fixed[2]; /* another atom is held */
        if (k == 7 || k == 8) sys->fixed[3] = !sys->fixed[3];
        if (k == 8) sys->restraints[0].value = 1.7;
        if (k == 9) sys->restraints[0].value = 1.6;
        o.max_steps += k == 9;
        o.max_steps -= k == 10;
        o.max_move = k == 10 ? 0.15 : 0;
        shoal_engine *engine = set_engine(&s, NULL, 1, &e);
        stopper stop = {.engine = engine, .at = 3};
        CHECK(shoal_string_create(&stop.inside) == SHOAL_OK);
        o.state = shoal_string_data(state);
        o.state_size = shoal_string_size(state);
        if (k < 0) o.state = NULL;
        CHECK(shoal_engine_relax(engine, &o, k < 0 ? watch : NULL, &stop) ==
              (k < 0 ? SHOAL_OK : SHOAL_E_ARGUMENT));
        if (k < 0) CHECK(stop.stopped && shoal_engine_save(engine, state) == SHOAL_OK);
        shoal_string_destroy(stop.inside);
        shoal_engine_destroy(engine);
    }
    shoal_string_destroy(state);
    set_free(&s);
}

static void refuse(const set *s, const schedule *c, shoal_relax_options o, const char *bytes,
                   size_t size, const char *text)
{
    shoal_engine *engine = driver_engine(s, c);
    o.state = bytes;
    o.state_size = size;
    CHECK(shoal_engine_relax(engine, &o, NULL, NULL) == SHOAL_E_ARGUMENT);
    const bool said = strstr(shoal_error_text(), text) != NULL;
    CHECK(said);
    if (!said) (void)printf("expected '%s', found '%s'\n", text, shoal_error_text());
    shoal_engine_destroy(engine);
}

static void test_refusals(const schedule *c)
{
    static set s, other, held;
    const shoal_relax_options o = options_of(&s, SHOAL_METHOD_LBFGS, 0.02, 1);
    shoal_relax_options fire = o, finer = o;
    shoal_string *state = NULL;
    outcome out;
    memset(&s, 0, sizeof s);
    memset(&other, 0, sizeof other);
    memset(&held, 0, sizeof held);
    make_chain(&s, c);
    make_pair(&other, c);
    make_chain(&held, c);
    hold_atom(&held.systems[0], 3);
    fire.method = SHOAL_METHOD_FIRE;
    finer.fmax = 0.01;
    CHECK(shoal_string_create(&state) == SHOAL_OK);
    CHECK(run_until(&s, c, o, state, 5, false, &out));
    outcomes_free(&out, 1);
    const size_t size = shoal_string_size(state), density = strcmp(c->device, "cpu") == 0 ? 8 : 1;
    const char *data = shoal_string_data(state);
    char *bad = malloc(size + 1);
    refuse(&other, c, o, data, size, "of 11 atoms, but the system has 2");
    refuse(&held, c, o, data, size, "of another system");
    refuse(&s, c, fire, data, size, "another method");
    refuse(&s, c, finer, data, size, "another method, fmax");
    schedule precise = *c;
    precise.precision = is_float(c) ? SHOAL_PRECISION_DOUBLE : SHOAL_PRECISION_FLOAT;
    refuse(&s, &precise, o, data, size, "another precision");
    refuse(&s, c, o, "", 0, "no state of a relaxation");
    for (size_t n = 1; n < size; n += 1 + size / (5 * density))
        refuse(&s, c, o, data, n, "state: ");
    refuse(&s, c, o, data, size - 1, "cut off");
    for (size_t k = 0; k < size; k += 1 + size / (11 * density)) {
        memcpy(bad, data, size);
        bad[k] = (char)(bad[k] ^ (1 << (k % 8)));
        refuse(&s, c, o, bad, size, "state: ");
    }
    memcpy(bad, data, size);
    bad[size] = 0;
    refuse(&s, c, o, bad, size + 1, "damaged");
    free(bad);
    shoal_string_destroy(state);
    set_free(&s);
    set_free(&other);
    set_free(&held);
}

/* Engines that have nothing to save. */
static void test_unsupported(void)
{
    static set s;
    const schedule cpu = {.device = "cpu"}, ref = {.device = "ref"};
    shoal_string *out = NULL;
    memset(&s, 0, sizeof s);
    make_chain(&s, &cpu);
    CHECK(shoal_string_create(&out) == SHOAL_OK);
    shoal_engine *one = driver_engine(&s, &cpu), *slow = driver_engine(&s, &ref);
    make_pair(&s, &cpu);
    shoal_engine *two = driver_engine(&s, &cpu);
    CHECK(shoal_engine_save(one, out) == SHOAL_E_UNSUPPORTED);
    CHECK(shoal_engine_save(slow, out) == SHOAL_E_UNSUPPORTED);
    CHECK(shoal_engine_relax(two, NULL, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_save(two, out) == SHOAL_E_UNSUPPORTED);
    const shoal_relax_options o = {.state = "x", .state_size = 1};
    CHECK(shoal_engine_relax(two, &o, NULL, NULL) == SHOAL_E_UNSUPPORTED);
    CHECK(shoal_string_size(out) == 0);
    shoal_engine_destroy(one);
    shoal_engine_destroy(two);
    shoal_engine_destroy(slow);
    shoal_string_destroy(out);
    set_free(&s);
}

int main(void)
{
    schedule list[MOST_SCHEDULES];
    const int n = find_schedules(list);
    for (int k = 0; k < n; ++k) {
        test_schedule(&list[k]);
        test_saves(&list[k]);
        for (int m = 0; m < N_METHODS && is_float(&list[k]); ++m)
            test_patience(&list[k], (shoal_method)m);
        if (k % 2 == 0) test_refusals(&list[k]);
    }
    for (int k = 0; k < CPU_MIXED_SCHEDULES; ++k) {
        schedule c = {.device = "cpu", .large = k == 1};
        (void)snprintf(c.name, sizeof c.name, "cpu %s mixed", c.large ? "large" : "small");
        try_system(make_chain, &c, 3);
        try_system(make_pair, &c, 3);
    }
    test_phases();
    test_other_options();
    test_unsupported();
    return check_done();
}
