/* SPDX-License-Identifier: BSD-3-Clause
 * Rigid bodies in relaxations, on every schedule: minima against a minimisation of their places and turns by ref, what fmax
 * means against differences of energies, shapes, bits that depend on nothing but the system, states, rounds, what is
 * refused. */
#include "body_fixture.h"
#include "engine/bodies.h"
#include "layout.h"

static const body_kind mixed[4] = {BODY_WATER, BODY_CO2, BODY_ARGON, BODY_METHANE};
static const body_kind flat[2] = {BODY_BENZENE, BODY_BENZENE};
static const body_kind wet[4] = {BODY_WATER, BODY_WATER, BODY_N2, BODY_WATER};

/* A chain of which some atoms are a body, bound to free ones. */
static void add_partly(set *s, const schedule *c)
{
    set_system *sys = driver_alkane(s, c, 4, 0.05);
    sys->bodies = malloc((size_t)sys->n_atoms * sizeof *sys->bodies);
    for (int32_t i = 0; i < sys->n_atoms; ++i) sys->bodies[i] = i < 7 ? 3 : -1;
}

static void fill(set *s, const schedule *c)
{
    s->n = 0;
    (void)body_cluster(s, c, mixed, 4, 4.0, 0.3);
    (void)body_cluster(s, c, flat, 2, 5.0, 0.9);
    (void)body_cluster(s, c, wet, 4, 3.4, 2.1);
    add_partly(s, c);
}

static void test_relax(const schedule *c, shoal_method method)
{
    static set s;
    static outcome out[SET_SYSTEMS];
    fill(&s, c);
    const double fmax = is_float(c) ? 1e-3 : 1e-5;
    const shoal_relax_options o = {.method = method, .fmax = fmax};
    drive(&s, c, &o, out);
    for (int32_t k = 0; k < s.n; ++k) {
        const set_system *sys = &s.systems[k];
        const double strain =
            body_strain(sys, (const double(*)[3])sys->pos, (const double(*)[3])out[k].pos);
        CHECK(out[k].r.status == SHOAL_SYSTEM_CONVERGED && out[k].r.fmax <= fmax * 1.05);
        CHECK(out[k].r.steps < 1500 && out[k].r.energy < out[k].r.energy0);
        CHECK_NEAR(strain, 0, is_float(c) ? 3e-6 : 1e-12);
    }
    outcomes_free(out, s.n);
    set_free(&s);
}

/* --- a witness ------------------------------------------------------------------------------------ */

typedef struct witness {
    shoal_engine *engine; /* ref */
    const set_system *sys;
    double x[BODY_MOST][3];
} witness;

static double energy_of(witness *w, double (*forces)[3])
{
    shoal_result r;
    CHECK(shoal_engine_set_positions(w->engine, 0, (const double(*)[3])w->x) == SHOAL_OK);
    CHECK(shoal_engine_eval(w->engine) == SHOAL_OK);
    CHECK(shoal_engine_result(w->engine, 0, &r) == SHOAL_OK);
    if (forces) memcpy(forces, r.forces, (size_t)w->sys->n_atoms * sizeof *forces);
    return r.energy;
}

/* The middle of a body's atoms, and how many these are. */
static int32_t centre_of(const witness *w, int32_t label, double at[3])
{
    int32_t n = 0;
    at[0] = at[1] = at[2] = 0;
    for (int32_t i = 0; i < w->sys->n_atoms; ++i)
        if (w->sys->bodies[i] == label) {
            for (int c = 0; c < 3; ++c) at[c] += w->x[i][c];
            ++n;
        }
    for (int c = 0; c < 3; ++c) at[c] /= n > 0 ? n : 1;
    return n;
}

/* Moves a body along an axis, or turns it about one through its middle. */
static void nudge(witness *w, int32_t label, int axis, bool turns, double by)
{
    double at[3];
    (void)centre_of(w, label, at);
    for (int32_t i = 0; i < w->sys->n_atoms; ++i) {
        if (w->sys->bodies[i] != label) continue;
        if (turns) {
            double r[3];
            for (int c = 0; c < 3; ++c) r[c] = w->x[i][c] - at[c];
            body_turn(by, (axis + 1) % 3, (axis + 2) % 3, r);
            for (int c = 0; c < 3; ++c) w->x[i][c] = at[c] + r[c];
        } else {
            w->x[i][axis] += by;
        }
    }
}

/* Coordinate by coordinate, with steps that grow where they go down and shrink where they do not. */
static double minimise(witness *w, int32_t n_labels)
{
    double step[BODY_MOST][6], best = energy_of(w, NULL);
    for (int32_t b = 0; b < n_labels; ++b)
        for (int k = 0; k < 6; ++k) step[b][k] = 0.02;
    for (int turn = 0; turn < 600; ++turn)
        for (int32_t b = 0; b < n_labels; ++b)
            for (int k = 0; k < 6; ++k) {
                double before[BODY_MOST][3];
                memcpy(before, w->x, sizeof before);
                nudge(w, b, k % 3, k > 2, step[b][k]);
                const double e = energy_of(w, NULL);
                if (e < best) {
                    best = e;
                    step[b][k] *= 1.3;
                } else {
                    memcpy(w->x, before, sizeof before);
                    step[b][k] *= -0.5;
                    if (fabs(step[b][k]) < 1e-6) step[b][k] = step[b][k] < 0 ? -1e-6 : 1e-6;
                }
            }
    return best;
}

/* Where an exact minimisation ends, nothing that moves or turns a body by hand goes lower; pushed aside by hand it comes back
 * to the same energy by other steps. */
static void test_minima(const schedule *c)
{
    static const body_kind pair[2] = {BODY_WATER, BODY_CO2};
    static set s;
    static outcome out[SET_SYSTEMS];
    static witness w;
    s.n = 0;
    (void)body_cluster(&s, c, pair, 2, 3.6, 0.4);
    const shoal_relax_options o = {.fmax = is_float(c) ? 1e-3 : 1e-6};
    drive(&s, c, &o, out);
    const int32_t first = 0;
    const shoal_engine_options ref = {.device = "ref"};
    w = (witness){.engine = set_engine(&s, &first, 1, &ref), .sys = &s.systems[0]};
    memcpy(w.x, out[0].pos, (size_t)s.systems[0].n_atoms * sizeof w.x[0]);
    const double found = energy_of(&w, NULL);
    nudge(&w, 0, 1, false, 0.05);
    nudge(&w, 1, 2, true, 0.05);
    CHECK(energy_of(&w, NULL) > found + 1e-5);
    const double lowest = minimise(&w, 2);
    CHECK_NEAR(found, lowest, is_float(c) ? 2e-4 : 2e-7);
    shoal_engine_destroy(w.engine);
    outcomes_free(out, 1);
    set_free(&s);
}

/* fmax where a relaxation has one evaluation to make, from differences of energies alone. */
static void test_fmax(const schedule *c)
{
    static set s;
    static outcome out[SET_SYSTEMS];
    static witness w;
    fill(&s, c);
    for (int32_t k = 0; k < 3; ++k) {
        const shoal_engine_options ref = {.device = "ref"};
        w = (witness){.engine = set_engine(&s, &k, 1, &ref), .sys = &s.systems[k]};
        double most = 0, forces[BODY_MOST][3];
        memcpy(w.x, s.systems[k].pos, (size_t)w.sys->n_atoms * sizeof w.x[0]);
        (void)energy_of(&w, forces);
        for (int32_t b = 0; b < 4; ++b) {
            double g[6], at[3], inertia[3][3] = {{0}}, slope[3];
            const int32_t n = centre_of(&w, b, at);
            if (n == 1)
                for (int32_t i = 0; i < w.sys->n_atoms; ++i)
                    if (w.sys->bodies[i] == b)
                        most = fmax(most,
                                    sqrt(forces[i][0] * forces[i][0] + forces[i][1] * forces[i][1] +
                                         forces[i][2] * forces[i][2]));
            if (n < 2) continue;
            for (int q = 0; q < 6; ++q) {
                double e[2];
                for (int m = 0; m < 2; ++m) {
                    nudge(&w, b, q % 3, q > 2, m ? 1e-4 : -1e-4);
                    e[m] = energy_of(&w, NULL);
                    memcpy(w.x, s.systems[k].pos, (size_t)w.sys->n_atoms * sizeof w.x[0]);
                }
                g[q] = -(e[1] - e[0]) / 2e-4;
            }
            for (int32_t i = 0; i < w.sys->n_atoms; ++i) {
                if (w.sys->bodies[i] != b) continue;
                double r[3], r2 = 0;
                for (int q = 0; q < 3; ++q) r[q] = w.x[i][q] - at[q], r2 += r[q] * r[q];
                for (int p = 0; p < 3; ++p)
                    for (int q = 0; q < 3; ++q)
                        inertia[p][q] += ((p == q ? r2 : 0) - r[p] * r[q]) / n;
            }
            /* The turn that solves I slope = torque; linear bodies have no torque about their axis: held by a little. */
            double a[3][4];
            for (int p = 0; p < 3; ++p) {
                for (int q = 0; q < 3; ++q) a[p][q] = inertia[p][q] + (p == q ? 1e-9 : 0);
                a[p][3] = g[3 + p];
            }
            for (int p = 0; p < 3; ++p)
                for (int q = 0; q < 3; ++q) {
                    if (p == q) continue;
                    const double by = a[q][p] / a[p][p];
                    for (int m = 0; m < 4; ++m) a[q][m] -= by * a[p][m];
                }
            for (int p = 0; p < 3; ++p) slope[p] = a[p][3] / a[p][p];
            for (int32_t i = 0; i < w.sys->n_atoms; ++i) {
                if (w.sys->bodies[i] != b) continue;
                double f2 = 0;
                for (int q = 0; q < 3; ++q) {
                    const int u = (q + 1) % 3, v = (q + 2) % 3;
                    const double f =
                        g[q] + slope[u] * (w.x[i][v] - at[v]) - slope[v] * (w.x[i][u] - at[u]);
                    f2 += f * f;
                }
                most = fmax(most, sqrt(f2));
            }
        }
        const shoal_relax_options o = {.max_steps = 1, .fmax = 1e-9};
        drive(&s, c, &o, out);
        CHECK_NEAR(out[k].r.fmax / most, 1, k == 1 ? 1e-3 : 2e-4);
        outcomes_free(out, s.n);
        shoal_engine_destroy(w.engine);
    }
    set_free(&s);
}

/* --- bits ----------------------------------------------------------------------------------------- */

static void test_company(const schedule *c, shoal_method method)
{
    static set s;
    static outcome all[SET_SYSTEMS], turned[SET_SYSTEMS], alone;
    enum { N = 14 };
    int32_t order[N];
    fill(&s, c);
    for (int k = s.n; k < N; ++k) {
        set_system *sys = k % 3 ? body_cluster(&s, c, wet, 4, 3.4 + 0.02 * k, 2.1)
                                : driver_alkane(&s, c, 2 + k / 6, 0.03);
        if (k % 4 == 1) free(sys->bodies);
        if (k % 4 == 1) sys->bodies = NULL;
    }
    for (int32_t k = 0; k < N; ++k) order[k] = N - 1 - k;
    const shoal_relax_options o = {.method = method, .fmax = 0.01, .max_steps = 60};
    run_options how = {.engine = {.device = c->device, .precision = c->precision, .n_threads = 2},
                       .relax = &o};
    run_set(&s, NULL, N, &how, all);
    how.engine.n_threads = 1;
    CHECK(setenv("SHOAL_CPU", "base", 1) == 0);
    run_set(&s, order, N, &how, turned);
    CHECK(unsetenv("SHOAL_CPU") == 0);
    for (int32_t k = 0; k < N; ++k) {
        CHECK(outcome_same(&all[k], &turned[N - 1 - k], s.systems[k].n_atoms));
        if (k > 5 && k < 12) continue;
        run_set(&s, &k, 1, &how, &alone);
        CHECK(outcome_same(&all[k], &alone, s.systems[k].n_atoms));
        outcomes_free(&alone, 1);
    }
    outcomes_free(all, N);
    outcomes_free(turned, N);
    set_free(&s);
}

static bool always(void *user, int64_t n_evaluations, int64_t n_done, double energy, double fmax)
{
    (void)energy, (void)fmax, (void)user, (void)n_evaluations, (void)n_done;
    return true;
}

/* As many steps at once, or a few at a time with single points in between. */
static void make_rounds(shoal_engine *engine, shoal_method method, int32_t round, double (*out)[3])
{
    const backend_poll poll = {always, NULL};
    const shoal_backend *b = engine->backend;
    void *plan = engine->exact.plan;
    engine_bodies *bodies = NULL;
    backend_part part;
    CHECK(engine_begin_run(engine) == SHOAL_OK);
    CHECK(bodies_create(&bodies, engine, NULL) == SHOAL_OK && bodies);
    const backend_driver driver = {.method = method,
                                   .fmax = 1e-6,
                                   .max_move = 0.2,
                                   .max_steps = 60,
                                   .bodies = bodies_of(bodies)};
    CHECK(b->first(plan, &driver, engine->results) == SHOAL_OK);
    CHECK(b->next(plan, engine->results, &part) == SHOAL_OK && part.n == engine->n_systems);
    CHECK(b->start(plan, &driver, engine->results) == SHOAL_OK);
    for (int32_t done = 0; done < 60; done += round) {
        CHECK(b->step(plan, round, BACKEND_STEPS, &poll) == SHOAL_OK);
        CHECK(b->read(plan, BACKEND_STEPS, engine->results) == SHOAL_OK);
        if (round == 60) continue;
        CHECK(b->eval(plan, BACKEND_FORCES) == SHOAL_OK);
        CHECK(b->read(plan, BACKEND_FORCES | BACKEND_POSITIONS, engine->results) == SHOAL_OK);
    }
    CHECK(b->read(plan, BACKEND_POSITIONS, engine->results) == SHOAL_OK);
    memcpy(out, engine->pos, engine_all_movers(engine) * sizeof *out);
    CHECK(b->next(plan, engine->results, &part) == SHOAL_OK && part.n == 0);
    bodies_destroy(bodies);
}

static void test_rounds(const schedule *c, shoal_method method)
{
    static set s;
    static double start[4 * BODY_MOST][3], once[4 * BODY_MOST][3], other[4 * BODY_MOST][3];
    fill(&s, c);
    shoal_engine *engine = driver_engine(&s, c);
    const size_t size = engine_all_movers(engine) * sizeof *start;
    memcpy(start, engine->pos, size);
    make_rounds(engine, method, 60, once);
    CHECK(memcmp(start, once, size) != 0);
    memcpy(engine->pos, start, size);
    make_rounds(engine, method, 7, other);
    CHECK(memcmp(once, other, size) == 0);
    shoal_engine_destroy(engine);
    set_free(&s);
}

static bool stop_after(void *user, const shoal_progress *p)
{
    return p->n_evaluations < *(const int64_t *)user;
}

static void test_state(const schedule *c, shoal_method method)
{
    static set s;
    s.n = 0;
    (void)body_cluster(&s, c, mixed, 4, 4.0, 0.3);
    int64_t after = 12;
    shoal_string *state = NULL;
    shoal_engine *whole = driver_engine(&s, c), *part = driver_engine(&s, c),
                 *end = driver_engine(&s, c);
    const shoal_relax_options o = {.method = method, .fmax = is_float(c) ? 1e-3 : 1e-5};
    shoal_relax_options rest = o;
    CHECK(shoal_engine_relax(whole, &o, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_relax(part, &o, stop_after, &after) == SHOAL_OK);
    CHECK(shoal_string_create(&state) == SHOAL_OK && shoal_engine_save(part, state) == SHOAL_OK);
    rest.state = shoal_string_data(state);
    rest.state_size = shoal_string_size(state);
    CHECK(shoal_engine_relax(end, &rest, NULL, NULL) == SHOAL_OK);
    CHECK(memcmp(shoal_engine_positions(whole, 0), shoal_engine_positions(end, 0),
                 (size_t)s.systems[0].n_atoms * 3 * sizeof(double)) == 0);
    s.systems[0].bodies[0] = -1; /* another body */
    shoal_engine *wrong = driver_engine(&s, c);
    CHECK(shoal_engine_relax(wrong, &rest, NULL, NULL) == SHOAL_E_ARGUMENT);
    shoal_string_destroy(state);
    shoal_engine_destroy(whole);
    shoal_engine_destroy(part);
    shoal_engine_destroy(end);
    shoal_engine_destroy(wrong);
    set_free(&s);
}

/* --- borders and refusals ------------------------------------------------------------------------- */

/* A molecule that is cut by the border of the cell moves as if it were whole, whichever atom is on the other side: one of
 * its hydrogens is the corner that images are counted from. */
static void test_border(const schedule *c, shoal_method method)
{
    static set s;
    static outcome out[SET_SYSTEMS];
    if (!c->large) return;
    s.n = 0;
    for (int k = 0; k < 3; ++k) { /* atom k of the first molecule is */
        const int32_t to_h[3] = {k == 1 ? -1 : 0, 0, 0}, to_o[3] = {k == 2 ? 1 : 0, 0, 0};
        shoal_molecule *mol = NULL;
        CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
        for (int m = 0; m < 2; ++m) {
            const double box = m == 0 ? DRIVER_BOX : 0;
            const int32_t o = set_atom(mol, 8, 0.1, 3.0 * m, 0.2 * m),
                          h = set_atom(mol, 1, 0.7 + (k == 1 ? box : 0), 3.0 * m + 0.6, 0.1),
                          i = set_atom(mol, 1, -0.6 + (k == 2 ? box : 0), 3.0 * m + 0.6, 0.3);
            CHECK(shoal_molecule_add_bond(mol, o, h, 1, m == 0 ? to_h : NULL) == SHOAL_OK);
            CHECK(shoal_molecule_add_bond(mol, i, o, 1, m == 0 ? to_o : NULL) == SHOAL_OK);
        }
        set_system *sys = driver_add(&s, c, mol, "border", 0);
        sys->bodies = malloc(6 * sizeof *sys->bodies);
        for (int32_t i = 0; i < 6; ++i) sys->bodies[i] = i / 3;
    }
    const shoal_relax_options o = {.method = method, .fmax = is_float(c) ? 1e-3 : 1e-6};
    drive(&s, c, &o, out);
    for (int k = 1; k < 3; ++k) {
        CHECK(out[k].r.status == SHOAL_SYSTEM_CONVERGED);
        CHECK_NEAR(out[0].r.energy, out[k].r.energy, is_float(c) ? 1e-4 : 1e-8);
        for (int32_t i = 0; i < 6; ++i) out[k].pos[i][0] -= i == k ? DRIVER_BOX : 0;
        CHECK_NEAR(body_strain(&s.systems[0], (const double(*)[3])out[0].pos,
                               (const double(*)[3])out[k].pos),
                   0, is_float(c) ? 4e-6 : 1e-9);
    }
    outcomes_free(out, 3);
    set_free(&s);
}

static void test_refused(const schedule *c)
{
    static set s;
    shoal_result r;
    fill(&s, c);
    hold_atom(&s.systems[0], 1);
    s.systems[2].restraints[0] = (shoal_restraint){
        .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 3}, .k = 1.0, .value = 3.0};
    s.systems[2].n_restraints = 1;
    shoal_engine *engine = driver_engine(&s, c);
    const shoal_relax_options o = {.max_steps = 40}, cell = {.cell = SHOAL_CELL_FULL},
                              symmetry = {.keep_symmetry = true};
    const shoal_md_options bonds = {.n_steps = 10, .rigid_bonds = true};
    CHECK(shoal_engine_relax(engine, &o, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
    CHECK(r.status == SHOAL_SYSTEM_UNTYPED && strstr(r.reason, "atom 1 is fixed"));
    CHECK(shoal_engine_result(engine, 2, &r) == SHOAL_OK && r.status != SHOAL_SYSTEM_UNTYPED);
    CHECK(shoal_engine_relax(engine, &cell, NULL, NULL) != SHOAL_OK);
    CHECK(shoal_engine_relax(engine, &symmetry, NULL, NULL) == SHOAL_E_ARGUMENT);
    CHECK(shoal_engine_md(engine, &bonds, NULL, NULL) == SHOAL_E_ARGUMENT);
    CHECK(shoal_engine_run(engine, NULL, 1, NULL, NULL) == SHOAL_E_UNSUPPORTED);
    shoal_engine_destroy(engine);
    set_free(&s);
}

int main(void)
{
    schedule list[MOST_SCHEDULES];
    const int n = find_schedules(list);
    driver_each(test_relax, "relaxations");
    driver_each(test_company, "laws");
    driver_each(test_rounds, "rounds");
    driver_each(test_state, "states");
    driver_each(test_border, "borders");
    for (int k = 0; k < n; ++k) {
        const int before = mark_failures();
        test_minima(&list[k]);
        test_fmax(&list[k]);
        test_refused(&list[k]);
        tell_failures(before, &list[k], "minima, fmax, refusals");
    }
    return check_done();
}
