/* SPDX-License-Identifier: BSD-3-Clause
 * When a relaxation ends, on every schedule and by both methods: the number of evaluations to the
 * last one, every status, what no precision can reach, a monitor that has enough, and how many evaluations
 * molecules need. */
#include "driver_fixture.h"

enum { MOST = 16 };

static void test_max_steps(const schedule *c, shoal_method method)
{
    static const int32_t limits[] = {1, 2, 3, 7, 50};
    for (int k = 0; k < 5; ++k) {
        static set s;
        static outcome out[2];
        const shoal_relax_options relax = {
            .method = method, .fmax = 1e-9, .max_steps = limits[k], .max_move = 0.02};
        (void)driver_alkane(&s, c, 4, 0.3);
        (void)driver_alkane(&s, c, 2, 0.2);
        drive(&s, c, &relax, out);
        for (int i = 0; i < 2; ++i) {
            const int32_t n = s.systems[i].n_atoms;
            const double moved = largest_difference((const double(*)[3])out[i].pos,
                                                    (const double(*)[3])s.systems[i].pos, n);
            CHECK(out[i].r.status == SHOAL_SYSTEM_MAX_STEPS);
            CHECK(out[i].r.steps == limits[k]);
            /* As far as the moves between so many evaluations go, but for rounding. */
            CHECK(k == 0 || moved > 1e-4);
            CHECK(moved <= 0.02 * 1.001 * (limits[k] - 1) + (is_float(c) ? 1e-6 : 1e-12));
            CHECK(k == 0 || out[i].r.energy < out[i].r.energy0);
        }
        outcomes_free(out, 2);
        set_free(&s);
    }
}

/* What L-BFGS hands out is the last point it took, also where the last step was refused: a stiff spring
 * makes the second evaluation go too far. */
static void test_accepted(const schedule *c)
{
    static const double pos[2][3] = {{0, 0, 0}, {30, 0, 0}};
    const shoal_restraint stiff = {
        .kind = SHOAL_RESTRAINT_POSITION, .atoms = {0}, .k = 100, .target = {0.5, 0, 0}};
    for (int32_t n = 1; n <= 3; ++n) {
        static set s;
        outcome out;
        const shoal_relax_options relax = {.fmax = 1e-9, .max_steps = n, .max_move = 3};
        restrain(driver_argon(&s, c, 2, pos), stiff);
        drive(&s, c, &relax, &out);
        CHECK(out.r.steps == n);
        CHECK_NEAR(out.r.energy0, 12.5, 1e-3);
        if (n < 3) CHECK_NEAR(out.r.energy, 12.5, 1e-3);
        if (n < 3) CHECK_NEAR(out.pos[0][0], 0, 1e-5);
        if (n == 3) CHECK(out.r.energy < 12);
        outcomes_free(&out, 1);
        set_free(&s);
    }
}

/* Runs of a few evaluations, one after the other: each goes on where the last one ended, lower. */
static void test_again(const schedule *c, shoal_method method)
{
    static set s;
    const shoal_relax_options relax = {.method = method, .fmax = 1e-9, .max_steps = 12};
    (void)driver_alkane(&s, c, 4, 0.2);
    shoal_engine *engine = driver_engine(&s, c);
    double last = INFINITY;
    for (int turn = 0; turn < 5; ++turn) {
        shoal_result r;
        CHECK(shoal_engine_relax(engine, &relax, NULL, NULL) == SHOAL_OK);
        CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
        CHECK(r.steps == 12 && r.status == SHOAL_SYSTEM_MAX_STEPS);
        CHECK(turn == 0 || fabs(r.energy0 - last) <= 1e-5 * (1 + fabs(last)));
        CHECK(r.energy < r.energy0);
        last = r.energy;
    }
    shoal_engine_destroy(engine);
    set_free(&s);
}

/* Evaluations in float and those that follow in double are counted together. */
static void test_two_precisions(const schedule *c, shoal_method method)
{
    static set s;
    outcome ample, scarce;
    schedule both = *c;
    shoal_relax_options relax = {.method = method, .fmax = 1e-6, .max_steps = 5000};
    if (!is_float(c) || strcmp(c->device, "cpu") != 0) return; /* others relax in one precision */
    both.precision = SHOAL_PRECISION_AUTO;
    (void)driver_alkane(&s, c, 2, 0.1);
    drive(&s, &both, &relax, &ample);
    CHECK(ample.r.status == SHOAL_SYSTEM_CONVERGED && ample.r.steps > 4);
    relax.max_steps = ample.r.steps - 2;
    drive(&s, &both, &relax, &scarce);
    CHECK(scarce.r.status == SHOAL_SYSTEM_MAX_STEPS && scarce.r.steps == relax.max_steps);
    outcomes_free(&ample, 1);
    outcomes_free(&scarce, 1);
    set_free(&s);
}

/* An element that UFF does not know how to type. */
static set_system *add_untyped(set *s, const schedule *c)
{
    shoal_molecule *mol = NULL;
    static const double cell[3][3] = {{DRIVER_BOX, 0, 0}, {0, DRIVER_BOX, 0}, {0, 0, DRIVER_BOX}};
    static const bool pbc[3] = {true, false, false};
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    (void)set_atom(mol, 6, 0, 0, 0);
    for (int k = 0; k < 6; ++k) { /* six single bonds of a carbon */
        const double d = k % 2 ? 1.1 : -1.1;
        const int32_t h =
            set_atom(mol, 1, k / 2 == 0 ? d : 0, k / 2 == 1 ? d : 0, k / 2 == 2 ? d : 0);
        CHECK(shoal_molecule_add_bond(mol, 0, h, 1, NULL) == SHOAL_OK);
    }
    if (c->large) CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    set_system *sys = set_add(s, mol, "six bonds", 0);
    shoal_molecule_destroy(mol);
    return sys;
}

static void check_numbers(const outcome *o, int32_t n, bool numbers)
{
    CHECK(numbers ? isfinite(o->r.energy) : isnan(o->r.energy));
    CHECK(numbers ? isfinite(o->r.fmax) : isnan(o->r.fmax));
    CHECK(numbers ? isfinite(o->r.energy0) : isnan(o->r.energy0));
    for (int32_t i = 0; i < n; ++i)
        CHECK(numbers ? isfinite(o->forces[i][0]) : isnan(o->forces[i][0]));
}

/* But for rounding, and with what is no number in the same place. */
static bool is_where_it_was(const outcome *o, const set_system *sys, double most)
{
    for (int32_t i = 0; i < sys->n_atoms; ++i)
        for (int c = 0; c < 3; ++c) {
            const double a = o->pos[i][c], b = sys->pos[i][c];
            if (isfinite(b) ? !(fabs(a - b) <= most) : isfinite(a)) return false;
        }
    return true;
}

static void test_statuses(const schedule *c, shoal_method method)
{
    static set s;
    static outcome out[6];
    const shoal_relax_options relax = {.method = method, .max_steps = 900};
    (void)driver_alkane(&s, c, 4, 0.1);
    driver_alkane(&s, c, 4, 0.1)->pos[3][1] = NAN;
    driver_alkane(&s, c, 4, 0.1)->pos[5][2] = INFINITY;
    set_system *sys = driver_alkane(&s, c, 4, 0.1);
    memcpy(sys->pos[1], sys->pos[12], sizeof sys->pos[1]); /* no bond or angle between them */
    sys = add_untyped(&s, c);
    const bool untyped = shoal_topology_status(sys->topology) == SHOAL_SYSTEM_UNTYPED;
    CHECK(untyped);
    (void)driver_alkane(&s, c, 4, 0.1);
    drive(&s, c, &relax, out);
    for (int k = 0; k < 6; ++k) {
        const shoal_system_status want = k % 5 == 0 ? SHOAL_SYSTEM_CONVERGED
                                         : k == 4   ? SHOAL_SYSTEM_UNTYPED
                                                    : SHOAL_SYSTEM_NOT_FINITE;
        if (out[k].r.status != want)
            (void)printf("system %d: %s\n", k, shoal_system_status_name(out[k].r.status));
        CHECK(out[k].r.status == want);
        check_numbers(&out[k], s.systems[k].n_atoms, k % 5 == 0);
        if (k % 5 != 0) CHECK(is_where_it_was(&out[k], &s.systems[k], is_float(c) ? 1e-6 : 1e-12));
    }
    CHECK(out[0].r.fmax <= 0.01);
    outcomes_free(out, 6);
    set_free(&s);
}

/* A spring so stiff that its force is no number where a step leads: FIRE goes back every time, to a point
 * with a finite force, and gives up after some of them. */
static void test_retreat(const schedule *c)
{
    static const double pos[2][3] = {{0, 0, 0}, {30, 0, 0}};
    const shoal_restraint stiff = {.kind = SHOAL_RESTRAINT_POSITION,
                                   .atoms = {0},
                                   .k = is_float(c) ? 5e37 : 5e307,
                                   .target = {0.01, 0, 0}};
    for (int32_t max_steps = 4; max_steps < 1000; max_steps += 400) {
        static set s;
        outcome out;
        const shoal_relax_options relax = {
            .method = SHOAL_METHOD_FIRE, .max_steps = max_steps, .max_move = 10};
        restrain(driver_argon(&s, c, 2, pos), stiff);
        drive(&s, c, &relax, &out);
        if (max_steps == 4) CHECK_NEAR(out.pos[0][0], 0, 1e-5);
        CHECK(fabs(out.pos[0][0]) < 4);
        CHECK(out.r.steps == (max_steps == 4 ? 4 : 27)); /* two for every retreat */
        if (is_float(c)) /* in double the square of what is left is no number */
            CHECK(out.r.status == (max_steps == 4 ? SHOAL_SYSTEM_MAX_STEPS : SHOAL_SYSTEM_STALLED));
        outcomes_free(&out, 1);
        set_free(&s);
    }
}

/* What rounding hides cannot be reached; a run says so in time. Doubles do get there. */
static void test_stall(const schedule *c, shoal_method method)
{
    static set s;
    outcome out;
    const shoal_relax_options relax = {.method = method, .fmax = 1e-7, .max_steps = 8000};
    driver_read(&s, c, "cases/glycine.sdf", 1);
    drive(&s, c, &relax, &out);
    /* Nothing stalls before it was waited for: STEP_PATIENCE evaluations. */
    CHECK(out.r.status != SHOAL_SYSTEM_STALLED || out.r.steps > 1000);
    (void)printf("%s, %s, glycine to 1e-7: %s after %d, fmax %g\n", c->name, method_name(method),
                 shoal_system_status_name(out.r.status), out.r.steps, out.r.fmax);
    if (is_float(c)) {
        CHECK(out.r.status == SHOAL_SYSTEM_STALLED);
        CHECK(out.r.fmax < 2e-3);
    } else {
        CHECK(out.r.status == SHOAL_SYSTEM_CONVERGED && out.r.fmax <= 1e-7);
    }
    CHECK(out.r.steps < 6000);
    outcomes_free(&out, 1);
    set_free(&s);
}

/* Large systems are looked after often, small ones seldom. */
static bool have_enough_small(void *user, const shoal_progress *progress)
{
    int *n = user;
    CHECK(progress->n_systems > 0 && progress->n_done <= progress->n_systems);
    ++*n;
    return false;
}

static bool have_enough_large(void *user, const shoal_progress *progress)
{
    int *n = user;
    CHECK(progress->n_systems > 0 && progress->n_done <= progress->n_systems);
    return ++*n < 5;
}

/* Systems with a long way to go in short moves; the monitor stops them. It is first asked after 500
 * steps of small systems on a GPU, and after some hundreds of them on the cpu. */
static void test_monitor(const schedule *c, shoal_method method)
{
    static set one;
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    const shoal_relax_options relax = {
        .method = method, .fmax = 1e-5, .max_steps = 600, .max_move = 1e-4};
    const shoal_engine_options options = {
        .device = c->device, .precision = c->precision, .n_threads = 1};
    const int32_t n_systems = c->large ? 40 : 1200;
    int n_calls = 0, n_better = 0, n_stopped = 0;
    set_system *sys = driver_alkane(&one, c, 1, 0.2);
    const shoal_system system = {.topology = sys->topology,
                                 .pos = (const double(*)[3])sys->pos,
                                 .cell = (const double(*)[3])sys->cell};
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int32_t k = 0; k < n_systems; ++k) CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    CHECK(shoal_engine_create(&engine, batch, &options) == SHOAL_OK);
    CHECK(shoal_engine_relax(engine, &relax, c->large ? have_enough_large : have_enough_small,
                             &n_calls) == SHOAL_OK);
    CHECK(n_calls == (c->large ? 5 : 1));
    for (int32_t k = 0; k < n_systems; ++k) {
        shoal_result r;
        CHECK(shoal_engine_result(engine, k, &r) == SHOAL_OK);
        CHECK(isfinite(r.energy) && isfinite(r.fmax) && r.energy <= r.energy0 + 1e-5);
        CHECK(r.status == SHOAL_SYSTEM_MAX_STEPS || r.status == SHOAL_SYSTEM_STALLED ||
              r.status == SHOAL_SYSTEM_CONVERGED);
        n_stopped += r.status == SHOAL_SYSTEM_MAX_STEPS && r.steps < relax.max_steps;
        n_better += r.energy < r.energy0 - 1e-3;
    }
    CHECK(n_better > 0);
    CHECK(n_stopped > 0);
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    set_free(&one);
}

/* Float has come to its end when the steps run out: then they ran out, whatever float says. */
static void test_cut_between_precisions(void)
{
    static set s;
    static const int32_t list[1] = {0};
    (void)set_add_size(&s, 23, false);
    int n_cut = 0;
    for (int32_t n = 5; n <= 60; ++n) {
        outcome got;
        const shoal_relax_options relax = {.fmax = 1e-9, .max_steps = n};
        const run_options o = {.engine = {.device = "cpu"}, .relax = &relax, .n_times = 1};
        run_set(&s, list, 1, &o, &got);
        CHECK(got.r.steps < n || got.r.status == SHOAL_SYSTEM_MAX_STEPS);
        n_cut += got.r.fmax < 5e-4 && got.r.status == SHOAL_SYSTEM_MAX_STEPS;
        outcomes_free(&got, 1);
    }
    CHECK(n_cut > 0);
    set_free(&s);
}

static void test_of_lbfgs(const schedule *c, shoal_method method)
{
    if (method == SHOAL_METHOD_LBFGS) test_accepted(c);
}

static void test_of_fire(const schedule *c, shoal_method method)
{
    if (method == SHOAL_METHOD_FIRE) test_retreat(c);
}

int main(void)
{
    driver_each(test_max_steps, NULL);
    driver_each(test_of_lbfgs, "accepted");
    driver_each(test_again, "again");
    driver_each(test_statuses, "statuses");
    driver_each(test_stall, "stall");
    driver_each(test_monitor, "monitor");
    driver_each(test_two_precisions, "two precisions");
    driver_each(test_of_fire, "retreat");
    test_cut_between_precisions();
    return check_done();
}
