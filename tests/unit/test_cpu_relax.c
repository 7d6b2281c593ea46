/* SPDX-License-Identifier: BSD-3-Clause
 * Relaxations on the cpu backend: statuses, fixed atoms, restraints, far places, monitors. */
#include "cpu_fixture.h"

static void relax_all(const set *s, shoal_precision precision, const shoal_relax_options *relax,
                      outcome *out)
{
    const run_options o = {.engine = {.device = "cpu", .precision = precision}, .relax = relax};
    run_set(s, NULL, s->n, &o, out);
}

/* The forces at the end as ref sees them. */
static double fmax_of_ref(const set *s, int32_t i, const outcome *end)
{
    set at = {.n = 1};
    outcome check;
    const run_options o = {.engine = {.device = "ref"}};
    at.systems[0] = s->systems[i];
    at.systems[0].pos = end->pos;
    run_set(&at, NULL, 1, &o, &check);
    const double fmax = check.r.fmax;
    CHECK_NEAR(check.r.energy, end->r.energy, 1e-9 * (1 + fabs(end->r.energy)));
    outcomes_free(&check, 1);
    return fmax;
}

static void test_converged(const set *s)
{
    static outcome out[SET_SYSTEMS];
    static const shoal_relax_options methods[] = {
        {.method = SHOAL_METHOD_LBFGS}, {.method = SHOAL_METHOD_FIRE}, {.fmax = 1e-5}};
    for (int k = 0; k < 3; ++k) {
        const double limit = k == 2 ? 1e-5 : 0.01;
        relax_all(s, SHOAL_PRECISION_AUTO, &methods[k], out);
        for (int32_t i = 0; i < s->n; ++i) {
            if (out[i].r.status != SHOAL_SYSTEM_CONVERGED)
                (void)printf("%s: %s, fmax %g\n", s->systems[i].name,
                             shoal_system_status_name(out[i].r.status), out[i].r.fmax);
            CHECK(out[i].r.status == SHOAL_SYSTEM_CONVERGED);
            CHECK(out[i].r.fmax <= limit);
            CHECK(fmax_of_ref(s, i, &out[i]) <= limit * (1 + 1e-6));
            CHECK(out[i].r.energy <= out[i].r.energy0);
            CHECK(out[i].r.steps >= 1);
        }
        outcomes_free(out, s->n);
    }
}

static void test_statuses(void)
{
    static set s;
    static outcome out[8];
    (void)set_add_size(&s, 65, false); /* needs more steps */
    (void)set_add_size(&s, 1, true);   /* nothing to do */
    set_system *sys = set_add_size(&s, 33, false);
    sys->pos[2][0] = NAN;
    sys = set_add_size(&s, 33, false);
    memcpy(sys->pos[1], sys->pos[32], sizeof sys->pos[1]);
    relax_all(&s, SHOAL_PRECISION_AUTO, &(shoal_relax_options){.max_steps = 7}, out);
    CHECK(out[0].r.status == SHOAL_SYSTEM_MAX_STEPS && out[0].r.steps == 7);
    CHECK(isfinite(out[0].r.energy) && out[0].r.energy < out[0].r.energy0);
    CHECK(out[1].r.status == SHOAL_SYSTEM_CONVERGED && out[1].r.steps == 1);
    CHECK(memcmp(out[1].pos, s.systems[1].pos, sizeof out[1].pos[0]) == 0);
    for (int k = 2; k < 4; ++k) {
        CHECK(out[k].r.status == SHOAL_SYSTEM_NOT_FINITE);
        CHECK(isnan(out[k].r.energy) && isnan(out[k].r.fmax) && isnan(out[k].r.energy0));
        CHECK(memcmp(out[k].pos, s.systems[k].pos, 33 * sizeof out[k].pos[0]) == 0);
    }
    outcomes_free(out, s.n);
    /* Below what rounding allows: stalled, or so quiet that it does converge. */
    relax_all(&s, SHOAL_PRECISION_FLOAT, &(shoal_relax_options){.fmax = 1e-11, .max_steps = 3000},
              out);
    CHECK(out[0].r.status == SHOAL_SYSTEM_STALLED || out[0].r.status == SHOAL_SYSTEM_MAX_STEPS);
    CHECK(out[0].r.fmax < 0.01);
    outcomes_free(out, s.n);
    set_free(&s);
}

static double distance(const outcome *o, int32_t i, int32_t j)
{
    double r2 = 0;
    for (int c = 0; c < 3; ++c) r2 += (o->pos[i][c] - o->pos[j][c]) * (o->pos[i][c] - o->pos[j][c]);
    return sqrt(r2);
}

static double angle(const outcome *o, int32_t i, int32_t j, int32_t k)
{
    const double a = distance(o, i, j), b = distance(o, j, k), c = distance(o, i, k);
    return acos((a * a + b * b - c * c) / (2 * a * b));
}

/* Unsigned, from the distances. */
static double torsion(const outcome *o, int32_t i, int32_t j, int32_t k, int32_t l)
{
    const double a = distance(o, i, j), b = distance(o, j, k), c = distance(o, k, l);
    const double t1 = angle(o, i, j, k), t2 = angle(o, j, k, l), d = distance(o, i, l);
    const double along = b - a * cos(t1) - c * cos(t2), p = a * sin(t1), q = c * sin(t2);
    return acos((along * along + p * p + q * q - d * d) / (2 * p * q));
}

static void test_fixed(void)
{
    static set s;
    outcome out;
    set_system *sys = set_add_size(&s, 32, false);
    sys->fixed = calloc(32, sizeof *sys->fixed);
    for (int32_t i = 0; i < 32; i += 5) sys->fixed[i] = true;
    for (int k = 0; k < 2; ++k) {
        relax_all(&s, SHOAL_PRECISION_AUTO, &(shoal_relax_options){.method = (shoal_method)k},
                  &out);
        CHECK(out.r.status == SHOAL_SYSTEM_CONVERGED);
        for (int32_t i = 0; i < 32; ++i) {
            const bool same = memcmp(out.pos[i], sys->pos[i], sizeof out.pos[i]) == 0;
            CHECK(same == sys->fixed[i]);
            if (sys->fixed[i]) CHECK(out.forces[i][0] == 0.0);
        }
        CHECK(fmax_of_ref(&s, 0, &out) <= 0.01);
        outcomes_free(&out, 1);
    }
    set_free(&s);
}

/* Strong restraints are reached; the energy is in its own term. Atoms 0, 4, 7, 10 are carbons. */
static void test_restraints(void)
{
    static set s;
    outcome out;
    set_system *sys = set_add_size(&s, 32, false);
    sys->restraints[0] = (shoal_restraint){
        .kind = SHOAL_RESTRAINT_TORSION, .atoms = {0, 4, 7, 10}, .k = 20, .value = 1.0};
    sys->restraints[1] = (shoal_restraint){
        .kind = SHOAL_RESTRAINT_ANGLE, .atoms = {10, 13, 16}, .k = 500, .value = 2.2};
    sys->restraints[2] = (shoal_restraint){
        .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {16, 19}, .k = 2000, .value = 1.7};
    sys->restraints[3] = (shoal_restraint){
        .kind = SHOAL_RESTRAINT_POSITION, .atoms = {0}, .k = 50, .target = {0.5, 0.0, -0.5}};
    sys->n_restraints = 4;
    for (int p = 0; p < 2; ++p) {
        relax_all(&s, p ? SHOAL_PRECISION_DOUBLE : SHOAL_PRECISION_AUTO,
                  &(shoal_relax_options){.fmax = 0.001}, &out);
        CHECK(out.r.status == SHOAL_SYSTEM_CONVERGED);
        CHECK_NEAR(torsion(&out, 0, 4, 7, 10), 1.0, 0.02);
        CHECK_NEAR(distance(&out, 16, 19), 1.7, 0.01);
        CHECK_NEAR(angle(&out, 10, 13, 16), 2.2, 0.02);
        for (int c = 0; c < 3; ++c) CHECK_NEAR(out.pos[0][c], 0.5 - 0.5 * c, 1e-3);
        CHECK(out.r.terms[SHOAL_TERM_RESTRAINT] > 0 && out.r.terms[SHOAL_TERM_RESTRAINT] < 1);
        CHECK(fmax_of_ref(&s, 0, &out) <= 0.001 * (1 + 1e-6));
        outcomes_free(&out, 1);
    }
    set_free(&s);
}

/* Where a system lies does not matter. */
static void test_far_away(void)
{
    static set s;
    static outcome out[2];
    for (int k = 0; k < 2; ++k) {
        (void)set_add_size(&s, 32, true);
        for (int32_t i = 0; i < 32; ++i)
            for (int c = 0; c < 3; ++c)
                s.systems[k].pos[i][c] = s.systems[0].pos[i][c] + (k ? 4096.0 : 0.0);
    }
    relax_all(&s, SHOAL_PRECISION_AUTO, &(shoal_relax_options){0}, out);
    CHECK(out[0].r.status == SHOAL_SYSTEM_CONVERGED && out[1].r.status == SHOAL_SYSTEM_CONVERGED);
    CHECK_NEAR(out[1].r.energy, out[0].r.energy, 1e-4);
    outcomes_free(out, 2);
    set_free(&s);
}

typedef struct watcher {
    int n_calls, most;
    shoal_progress last;
} watcher;

static bool watch(void *user, const shoal_progress *progress)
{
    watcher *w = user;
    w->last = *progress;
    return ++w->n_calls < w->most;
}

/* 1200 systems are several pieces of work; the run ends early, and every system has a result. When it is asked
 * depends on the clock: on a busy machine that may be before the first piece is done. */
static void test_monitor(void)
{
    static set s;
    shoal_batch *batch = NULL;
    (void)set_add_size(&s, 32, false);
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int k = 0; k < 1200; ++k)
        CHECK(shoal_batch_add(
                  batch, &(shoal_system){.topology = s.systems[0].topology,
                                         .pos = (const double(*)[3])s.systems[0].pos}) == SHOAL_OK);
    for (int most = 1; most < 1000; most += 900) {
        shoal_engine *engine = NULL;
        watcher w = {.most = most};
        CHECK(shoal_engine_create(&engine, batch,
                                  &(shoal_engine_options){.device = "cpu", .n_threads = 1}) ==
              SHOAL_OK);
        CHECK(shoal_engine_relax(engine, NULL, watch, &w) == SHOAL_OK);
        CHECK(w.n_calls > 0 && w.last.n_systems == 1200 && w.last.n_evaluations > 0);
        int n_converged = 0, n_left = 0;
        for (int32_t k = 0; k < 1200; ++k) {
            shoal_result r;
            CHECK(shoal_engine_result(engine, k, &r) == SHOAL_OK);
            n_converged += r.status == SHOAL_SYSTEM_CONVERGED;
            n_left += r.status == SHOAL_SYSTEM_MAX_STEPS && isfinite(r.energy);
        }
        CHECK(n_converged + n_left == 1200);
        CHECK(most > 1 ? n_left == 0 && w.last.n_done == 1200 : n_left > 0);
        shoal_engine_destroy(engine);
    }
    shoal_batch_destroy(batch);
    set_free(&s);
}

int main(void)
{
    static set s;
    (void)set_add_size(&s, 2, false);
    (void)set_add_size(&s, 33, true);
    (void)set_add_size(&s, 128, false);
    set_read(&s, "types.sdf", 25);
    test_converged(&s);
    set_free(&s);
    test_statuses();
    test_fixed();
    test_restraints();
    test_far_away();
    test_monitor();
    return check_done();
}
