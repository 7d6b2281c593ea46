/* SPDX-License-Identifier: BSD-3-Clause
 * What a driver keeps from one system or run to the next: nothing. Lanes that are filled again,
 * engines whose atoms were moved, methods that take turns, bitwise on every schedule. */
#include "driver_fixture.h"

enum { N_CONFORMERS = 40, MOST_ATOMS = 32 };

static void report_difference(const char *what, int32_t k, const outcome *a, const outcome *b)
{
    (void)printf("%s, system %d: %s %d and %s %d, energies %.17g and %.17g\n", what, k,
                 shoal_system_status_name(a->r.status), a->r.steps,
                 shoal_system_status_name(b->r.status), b->r.steps, a->r.energy, b->r.energy);
}

/* Conformers of one molecule that need very different numbers of steps, some of them held: those that
 * converge at once, those that stall and those that run out of steps give their lanes to others. */
static void fill_conformers(set *s, const schedule *c)
{
    for (int32_t k = 0; k < N_CONFORMERS; ++k) {
        set_system *sys = driver_alkane(s, c, 3, k % 8 == 3 ? 0.0 : 0.01 * (k * 7 % 30));
        if (k % 6 == 1) hold_atom(sys, k % sys->n_atoms);
        if (k % 9 == 2) {
            const shoal_restraint pull = {
                .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 7}, .k = 2, .value = 2.4};
            restrain(sys, pull);
        }
        for (int32_t i = 0; i < sys->n_atoms && k % 8 == 3; ++i) hold_atom(sys, i);
        if (k % 13 == 5) sys->pos[2][0] = NAN;
    }
}

static void test_refill(const schedule *c, shoal_method method, double fmax, int32_t max_steps)
{
    static set s;
    static outcome together[N_CONFORMERS];
    const shoal_relax_options relax = {.method = method, .fmax = fmax, .max_steps = max_steps};
    const run_options o = {
        .engine = {.device = c->device, .precision = c->precision, .n_threads = 1},
        .relax = &relax};
    fill_conformers(&s, c);
    run_set(&s, NULL, s.n, &o, together);
    int32_t fewest = INT32_MAX, most = 0;
    for (int32_t k = 0; k < s.n; ++k) {
        outcome alone;
        run_set(&s, &k, 1, &o, &alone);
        const bool same = outcome_same(&alone, &together[k], s.systems[k].n_atoms);
        if (!same) report_difference("alone and together", k, &alone, &together[k]);
        CHECK(same);
        if (together[k].r.status != SHOAL_SYSTEM_NOT_FINITE) {
            fewest = together[k].r.steps < fewest ? together[k].r.steps : fewest;
            most = together[k].r.steps > most ? together[k].r.steps : most;
        }
        outcomes_free(&alone, 1);
    }
    CHECK(fewest == 1 && most > 20);
    outcomes_free(together, s.n);
    set_free(&s);
}

static void move_all(set_system *sys, double by)
{
    for (int32_t i = 0; i < sys->n_atoms; ++i)
        for (int c = 0; c < 3; ++c) sys->pos[i][c] += by * (c == 1 ? -1.0 : 1.0);
}

static bool engine_same(shoal_engine *a, shoal_engine *b, int32_t n_systems, const set *s)
{
    bool same = true;
    for (int32_t k = 0; k < n_systems; ++k) {
        shoal_result x, y;
        const size_t size = (size_t)s->systems[k].n_atoms * sizeof x.forces[0];
        CHECK(shoal_engine_result(a, k, &x) == SHOAL_OK);
        CHECK(shoal_engine_result(b, k, &y) == SHOAL_OK);
        const double off = largest_difference(x.forces, y.forces, s->systems[k].n_atoms);
        if (off > 0) (void)printf("system %d: forces differ by %g eV/angstrom\n", k, off);
        same &= x.status == y.status && x.steps == y.steps;
        same &= memcmp(&x.energy, &y.energy, sizeof x.energy) == 0;
        same &= memcmp(x.terms, y.terms, (size_t)x.n_terms * sizeof *x.terms) == 0;
        same &= memcmp(x.forces, y.forces, size) == 0;
        same &= memcmp(shoal_engine_positions(a, k), shoal_engine_positions(b, k), size) == 0;
    }
    return same;
}

/* Atoms put elsewhere: the engine is as good as a new one. */
static void test_set_positions(const schedule *c, double shift, bool relax, shoal_method method)
{
    static set s;
    const shoal_relax_options options = {.method = method, .max_steps = 25};
    (void)driver_alkane(&s, c, 4, 0.1);
    hold_atom(driver_alkane(&s, c, 3, 0.1), 4);
    const shoal_restraint pull = {
        .kind = SHOAL_RESTRAINT_POSITION, .atoms = {0}, .k = 1, .target = {0.5, 0.5, 0.5}};
    restrain(driver_alkane(&s, c, 2, 0.1), pull);
    shoal_engine *used = driver_engine(&s, c);
    if (relax)
        CHECK(shoal_engine_relax(used, &options, NULL, NULL) == SHOAL_OK);
    else
        CHECK(shoal_engine_eval(used) == SHOAL_OK);
    for (int32_t k = 0; k < s.n; ++k) {
        s.systems[k].pos[1][2] += 0.1;
        move_all(&s.systems[k], shift);
        CHECK(shoal_engine_set_positions(used, k, (const double(*)[3])s.systems[k].pos) ==
              SHOAL_OK);
    }
    shoal_engine *fresh = driver_engine(&s, c);
    CHECK(shoal_engine_eval(used) == SHOAL_OK && shoal_engine_eval(fresh) == SHOAL_OK);
    CHECK(engine_same(used, fresh, s.n, &s));
    CHECK(shoal_engine_relax(used, &options, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_relax(fresh, &options, NULL, NULL) == SHOAL_OK);
    CHECK(engine_same(used, fresh, s.n, &s));
    shoal_engine_destroy(used);
    shoal_engine_destroy(fresh);
    set_free(&s);
}

/* A relaxation by the other method, or none, before: the next one is the same. */
static void test_turns(const schedule *c, shoal_method method)
{
    static set s;
    const shoal_relax_options own = {.method = method, .max_steps = 40};
    const shoal_relax_options other = {.method = (shoal_method)(1 - (int)method), .max_steps = 33};
    for (int k = 0; k < 3; ++k) (void)driver_alkane(&s, c, 3, 0.1);
    shoal_engine *used = driver_engine(&s, c), *fresh = driver_engine(&s, c);
    CHECK(shoal_engine_relax(used, &other, NULL, NULL) == SHOAL_OK);
    for (int32_t k = 0; k < s.n; ++k)
        CHECK(shoal_engine_set_positions(used, k, (const double(*)[3])s.systems[k].pos) ==
              SHOAL_OK);
    CHECK(shoal_engine_relax(used, &own, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_relax(fresh, &own, NULL, NULL) == SHOAL_OK);
    CHECK(engine_same(used, fresh, s.n, &s));
    shoal_engine_destroy(used);
    shoal_engine_destroy(fresh);
    set_free(&s);
}

int main(void)
{
    static const double shifts[] = {0.0, 30.0, 5000.0};
    schedule list[MOST_SCHEDULES];
    const int n = find_schedules(list);
    for (int k = 0; k < n; ++k)
        for (int m = 0; m < N_METHODS; ++m) {
            const shoal_method method = (shoal_method)m;
            int before = mark_failures();
            test_refill(&list[k], method, 0.01, 120);
            if (k == 0) test_refill(&list[k], method, 1e-7, 2500);
            tell_failures(before, &list[k], "refill");
            before = mark_failures();
            for (int j = 0; j < 3; ++j) {
                test_set_positions(&list[k], shifts[j], false, method);
                test_set_positions(&list[k], shifts[j], true, method);
            }
            tell_failures(before, &list[k], "set positions");
            before = mark_failures();
            test_turns(&list[k], method);
            tell_failures(before, &list[k], "methods in turn");
        }
    return check_done();
}
