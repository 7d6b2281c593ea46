/* SPDX-License-Identifier: BSD-3-Clause
 * What relaxations promise whatever the backend: defaults, limits that hold in float, counts of progress, runs that are
 * cut short, and rows that explain restraints and surfaces in the units of the interface. */
#include "chem/molecule.h"
#include "driver_fixture.h"
#include "surface_fixture.h"

static shoal_engine *make_engine(const set *s, shoal_engine_options options)
{
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    options.device = "cpu";
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int32_t k = 0; k < s->n; ++k) {
        const set_system *sys = &s->systems[k];
        const shoal_system system = {.topology = sys->topology,
                                     .pos = (const double(*)[3])sys->pos,
                                     .restraints = sys->restraints,
                                     .n_restraints = sys->n_restraints};
        CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    }
    CHECK(shoal_engine_create(&engine, batch, &options) == SHOAL_OK);
    shoal_batch_destroy(batch);
    return engine;
}

static shoal_result result_of(const shoal_engine *engine, int32_t i)
{
    shoal_result r = {0};
    CHECK(shoal_engine_result(engine, i, &r) == SHOAL_OK);
    return r;
}

static const schedule plain = {
    .name = "cpu double", .device = "cpu", .precision = SHOAL_PRECISION_DOUBLE};

/* A molecule that is far off, so that every limit is felt. */
static void fill(set *s, int32_t n)
{
    *s = (set){0};
    for (int32_t k = 0; k < n; ++k) {
        set_system *sys = driver_alkane(s, &plain, 2 + k, 0.1);
        for (int32_t i = 0; i < sys->n_atoms; ++i)
            for (int c = 0; c < 3; ++c) sys->pos[i][c] *= 1.3;
    }
}

/* Zeros stand for L-BFGS to 0.001 eV/angstrom, 0.2 angstrom in a step, 5000 evaluations. */
static void test_defaults(void)
{
    static set s;
    fill(&s, 3);
    const shoal_relax_options full = {
        .fmax = 0.001, .max_move = 0.2, .max_steps = 5000, .method = SHOAL_METHOD_LBFGS};
    const shoal_engine_options o = {.precision = SHOAL_PRECISION_DOUBLE};
    shoal_engine *a = make_engine(&s, o), *b = make_engine(&s, o);
    CHECK(shoal_engine_relax(a, NULL, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_relax(b, &full, NULL, NULL) == SHOAL_OK);
    for (int32_t k = 0; k < 3; ++k) {
        const shoal_result x = result_of(a, k), y = result_of(b, k);
        CHECK(x.status == SHOAL_SYSTEM_CONVERGED && x.steps == y.steps && x.energy == y.energy);
        CHECK(x.fmax <= 0.001);
    }
    shoal_engine_destroy(a);
    shoal_engine_destroy(b);
    set_free(&s);
}

/* What float calls converged is so in double, too. */
static void test_float(void)
{
    static set s, there;
    fill(&s, 8);
    shoal_engine *a = make_engine(&s, (shoal_engine_options){.precision = SHOAL_PRECISION_FLOAT});
    CHECK(shoal_engine_relax(a, &(shoal_relax_options){.fmax = 0.02}, NULL, NULL) == SHOAL_OK);
    fill(&there, 8);
    for (int32_t k = 0; k < 8; ++k)
        memcpy(there.systems[k].pos, shoal_engine_positions(a, k),
               (size_t)s.systems[k].n_atoms * sizeof *there.systems[k].pos);
    shoal_engine *b =
        make_engine(&there, (shoal_engine_options){.precision = SHOAL_PRECISION_DOUBLE});
    CHECK(shoal_engine_eval(b) == SHOAL_OK);
    for (int32_t k = 0; k < 8; ++k) {
        CHECK(result_of(a, k).status == SHOAL_SYSTEM_CONVERGED);
        CHECK(result_of(a, k).fmax <= 0.02 && result_of(b, k).fmax <= 0.02);
    }
    shoal_engine_destroy(a);
    shoal_engine_destroy(b);
    set_free(&s);
    set_free(&there);
}

static bool keep_progress(void *user, const shoal_progress *p)
{
    *(shoal_progress *)user = *p;
    return true;
}

/* With float first and double after it, evaluations are counted once, and what has converged has not failed. */
static void test_progress(void)
{
    static set s;
    shoal_progress last = {0};
    fill(&s, 4);
    shoal_engine *engine = make_engine(&s, (shoal_engine_options){0});
    CHECK(shoal_engine_relax(engine, &(shoal_relax_options){.fmax = 1e-6}, keep_progress, &last) ==
          SHOAL_OK);
    int64_t n = 0;
    for (int32_t k = 0; k < 4; ++k) {
        const shoal_result r = result_of(engine, k);
        CHECK(r.status == SHOAL_SYSTEM_CONVERGED && r.fmax <= 1e-6);
        n += r.steps;
    }
    CHECK(last.n_systems == 4 && last.n_done == 4 && last.n_failed == 0);
    CHECK(last.n_evaluations == n);
    shoal_engine_destroy(engine);
    set_free(&s);
}

/* Below what float forces are worth, doubles take over before float has lost its way: about as many evaluations as doubles
 * alone take. */
static void test_limit_of_float(void)
{
    static set s;
    int64_t n[2] = {0, 0};
    fill(&s, 8);
    for (int k = 0; k < 2; ++k) {
        const shoal_engine_options o = {.precision =
                                            k ? SHOAL_PRECISION_DOUBLE : SHOAL_PRECISION_AUTO};
        shoal_engine *engine = make_engine(&s, o);
        CHECK(shoal_engine_relax(engine, &(shoal_relax_options){.fmax = 1e-7}, NULL, NULL) ==
              SHOAL_OK);
        for (int32_t i = 0; i < 8; ++i) {
            const shoal_result r = result_of(engine, i);
            CHECK(r.status == SHOAL_SYSTEM_CONVERGED);
            n[k] += r.steps;
        }
        shoal_engine_destroy(engine);
    }
    (void)printf("  to 1e-7 eV/A: %lld evaluations, %lld in double alone\n", (long long)n[0],
                 (long long)n[1]);
    CHECK(n[0] < 3 * n[1] / 2);
    set_free(&s);
}

/* FIRE comes down in small steps: what float calls converged keeps a margin of a hundredth, so that the forces are below
 * the limit in double, too. */
static void test_margin(void)
{
    static set s;
    for (int k = 0; k < 16; ++k) {
        const double limit = 0.02 + 0.0017 * k;
        fill(&s, 8);
        shoal_engine *engine =
            make_engine(&s, (shoal_engine_options){.precision = SHOAL_PRECISION_FLOAT});
        const shoal_relax_options o = {.fmax = limit, .method = SHOAL_METHOD_FIRE};
        CHECK(shoal_engine_relax(engine, &o, NULL, NULL) == SHOAL_OK);
        for (int32_t i = 0; i < 8; ++i) {
            CHECK(result_of(engine, i).status == SHOAL_SYSTEM_CONVERGED);
            CHECK(result_of(engine, i).fmax <= 0.9901 * limit);
        }
        shoal_engine_destroy(engine);
        set_free(&s);
    }
}

/* A system that takes no part is done, and has failed, from the beginning. */
static void test_failed_from_the_start(void)
{
    static const double at[1][3] = {{0, 0, 0}};
    shoal_molecule *mol = NULL;
    shoal_topology *heavy = NULL;
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    shoal_progress last = {0};
    static set s;
    fill(&s, 1);
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_molecule_add_atom(mol, 118, at[0]) == SHOAL_OK);
    CHECK(shoal_topology_create(&heavy, mol, NULL) == SHOAL_OK);
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int k = 0; k < 3; ++k) {
        const set_system *sys = &s.systems[0];
        const shoal_system system = {.topology = k == 1 ? sys->topology : heavy,
                                     .pos = k == 1 ? (const double(*)[3])sys->pos : at};
        CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    }
    CHECK(shoal_engine_create(&engine, batch, &(shoal_engine_options){.device = "cpu"}) ==
          SHOAL_OK);
    CHECK(shoal_engine_relax(engine, NULL, keep_progress, &last) == SHOAL_OK);
    CHECK(last.n_systems == 3 && last.n_done == 3 && last.n_failed == 2);
    CHECK(result_of(engine, 0).status == SHOAL_SYSTEM_UNTYPED);
    CHECK(result_of(engine, 1).status == SHOAL_SYSTEM_CONVERGED);
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    shoal_topology_destroy(heavy);
    shoal_molecule_destroy(mol);
    set_free(&s);
}

static shoal_status look_at_frame(void *user, const shoal_relax_frame *frame)
{
    double *first = user;
    if (frame->steps <= 1 && isnan(first[frame->i_system])) first[frame->i_system] = frame->energy;
    return SHOAL_OK;
}

/* The energies before, by term, are those of the geometries that were given, whether frames are shown or not. */
static void test_energies_before(void)
{
    static set s;
    for (int k = 0; k < 8; ++k) {
        double first[3] = {NAN, NAN, NAN};
        const shoal_engine_options o = {.precision =
                                            k % 2 ? SHOAL_PRECISION_DOUBLE : SHOAL_PRECISION_AUTO};
        const shoal_relax_options relax = {.every = k / 2 % 2,
                                           .frame = k / 2 % 2 ? look_at_frame : NULL,
                                           .frame_user = first,
                                           .max_steps = k < 4 ? 5 : 500};
        fill(&s, 3);
        shoal_engine *a = make_engine(&s, o), *b = make_engine(&s, o);
        CHECK(shoal_engine_eval(a) == SHOAL_OK);
        CHECK(shoal_engine_relax(b, &relax, NULL, NULL) == SHOAL_OK);
        for (int32_t i = 0; i < 3; ++i) {
            const shoal_result x = result_of(a, i), y = result_of(b, i);
            CHECK_NEAR(y.energy0, x.energy, 1e-9);
            CHECK(y.energy < y.energy0);
            if (relax.frame) CHECK_NEAR(first[i], x.energy, 1e-3);
            for (int t = 0; t < y.n_terms; ++t) CHECK_NEAR(y.terms0[t], x.terms[t], 1e-9);
        }
        shoal_engine_destroy(a);
        shoal_engine_destroy(b);
        set_free(&s);
    }
}

/* Geometries of all systems at once are those that are evaluated next. */
static void test_all_positions(void)
{
    static set s;
    static double pos[200][3];
    fill(&s, 2);
    const int32_t n[2] = {s.systems[0].n_atoms, s.systems[1].n_atoms};
    CHECK(n[0] + n[1] <= 200);
    shoal_engine *a = make_engine(&s, (shoal_engine_options){0});
    for (int32_t k = 0; k < 2; ++k)
        for (int32_t i = 0; i < n[k]; ++i)
            for (int c = 0; c < 3; ++c)
                s.systems[k].pos[i][c] = pos[(k ? n[0] : 0) + i][c] = 1.01 * s.systems[k].pos[i][c];
    CHECK(shoal_engine_set_all_positions(a, (const double(*)[3])pos) == SHOAL_OK);
    shoal_engine *b = make_engine(&s, (shoal_engine_options){0});
    CHECK(shoal_engine_eval(a) == SHOAL_OK && shoal_engine_eval(b) == SHOAL_OK);
    for (int32_t k = 0; k < 2; ++k) CHECK(result_of(a, k).energy == result_of(b, k).energy);
    shoal_engine_destroy(a);
    shoal_engine_destroy(b);
    set_free(&s);
}

/* Evaluations that end where float has come as far as it goes: the limit was not met for want of steps. */
static void test_cut_short(void)
{
    static set s;
    fill(&s, 1);
    shoal_engine *engine = make_engine(&s, (shoal_engine_options){0});
    CHECK(shoal_engine_relax(engine, &(shoal_relax_options){.fmax = 5e-4}, NULL, NULL) == SHOAL_OK);
    const int32_t n = result_of(engine, 0).steps;
    CHECK(result_of(engine, 0).status == SHOAL_SYSTEM_CONVERGED);
    CHECK(shoal_engine_set_positions(engine, 0, (const double(*)[3])s.systems[0].pos) == SHOAL_OK);
    CHECK(shoal_engine_relax(engine, &(shoal_relax_options){.fmax = 1e-7, .max_steps = n}, NULL,
                             NULL) == SHOAL_OK);
    CHECK(result_of(engine, 0).status == SHOAL_SYSTEM_MAX_STEPS && result_of(engine, 0).steps == n);
    shoal_engine_destroy(engine);
    set_free(&s);
}

/* --- rows ----------------------------------------------------------------------------------------- */

typedef struct rows {
    shoal_term_row of[16];
    int32_t n, n_surface;
    double heights, energy;
} rows;

static void keep_row(void *user, const shoal_term_row *row)
{
    rows *r = user;
    if (row->term == SHOAL_TERM_RESTRAINT && r->n < 16) r->of[r->n++] = *row;
    if (row->term != SHOAL_TERM_SURFACE) return;
    ++r->n_surface;
    r->heights += row->value;
    r->energy += row->energy;
}

/* Angles in degrees, heights above the topmost atom of the surface, energies that add up. */
static void test_rows(void)
{
    static set s;
    static const double at[1][3] = {{0.4, 0.3, 7.25}};
    shoal_molecule *slab = fixture_salt(2, 2, 0);
    for (int i = 0; i < 16; ++i) slab->pos[i][2] += 4; /* top at 4 */
    shoal_surface *surface = fixture_surface(slab, NULL);
    rows r = {.n = 0};
    s = (set){0};
    set_system *sys = driver_alkane(&s, &plain, 2, 0);
    restrain(sys, (shoal_restraint){
                      .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 4}, .k = 2, .value = 1.6});
    restrain(sys, (shoal_restraint){
                      .kind = SHOAL_RESTRAINT_ANGLE, .atoms = {1, 0, 4}, .k = 3, .value = 2});
    shoal_engine *engine = make_engine(&s, (shoal_engine_options){0});
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    CHECK(shoal_engine_explain(engine, 0, keep_row, &r) == SHOAL_OK && r.n == 2);
    CHECK_NEAR(r.of[0].parameters[1], 1.6, 0);
    CHECK_NEAR(r.of[1].parameters[0], 3, 0);
    CHECK_NEAR(r.of[1].parameters[1], 2 * 57.29577951308232, 1e-9);
    CHECK(r.of[1].value > 80 && r.of[1].value < 140);
    CHECK_NEAR(r.of[0].energy + r.of[1].energy, result_of(engine, 0).terms[SHOAL_TERM_RESTRAINT],
               1e-9);
    /* Half k times the square of what is off, in radians. */
    const double off = (r.of[1].value - r.of[1].parameters[1]) / 57.29577951308232;
    CHECK_NEAR(r.of[1].energy, 1.5 * off * off, 1e-9);
    shoal_engine_destroy(engine);
    set_free(&s);
    s = (set){0};
    (void)driver_argon(&s, &plain, 1, at);
    engine = make_engine(&s, (shoal_engine_options){.surface = surface});
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    CHECK(shoal_engine_explain(engine, 0, keep_row, &r) == SHOAL_OK && r.n_surface == 1);
    CHECK_NEAR(r.heights, 3.25, 1e-9);
    CHECK_NEAR(r.energy, result_of(engine, 0).energy, 1e-9);
    shoal_engine_destroy(engine);
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(slab);
    set_free(&s);
}

int main(void)
{
    test_defaults();
    test_float();
    test_progress();
    test_limit_of_float();
    test_margin();
    test_failed_from_the_start();
    test_energies_before();
    test_all_positions();
    test_cut_short();
    test_rows();
    return check_done();
}
