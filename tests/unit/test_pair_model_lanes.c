/* SPDX-License-Identifier: BSD-3-Clause
 * Pair models on the cpu, bitwise: a system alone (partners of an atom in lanes), among copies (lanes of one topology) and
 * among unlike molecules (mixed lanes) is the same, for any number of threads and every instruction set; a large one is
 * the same for any number of threads, and its list of neighbours follows lone pairs, too. */
#include "pair_model_fixture.h"

enum { N_COPIES = 19, N_UNLIKE = 6, MOST = N_COPIES + 2 * N_UNLIKE };

/* One loop with Coulomb, two loops, frames, damping, no Coulomb at all, a formula. */
static const model_case cases[] = {
    {.form = SHOAL_FORM_MORSE},
    {.form = SHOAL_FORM_EXP6, .coulomb = SHOAL_COULOMB_SMOOTH, .damped = true},
    {.form = SHOAL_FORM_LJ9, .coulomb = SHOAL_COULOMB_NONE, .hbond = SHOAL_HBOND_BOTH},
    {.form = SHOAL_FORM_BUCK, .coulomb = SHOAL_COULOMB_ERF, .hbond = SHOAL_HBOND_ATTRACTION},
    {.form = SHOAL_FORM_MORSE6, .coulomb = SHOAL_COULOMB_CLAMP, .sites = true},
    {.formula = MODEL_FORMULA},
    {.formula = MODEL_FORMULA_COLUMNS},
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

/* Systems of one topology, each shaken otherwise. */
static void add_shaken(set *s, shoal_molecule *mol, const shoal_pair_model *model, int n)
{
    shoal_topology *topology = NULL;
    CHECK(shoal_topology_create(&topology, mol, &(shoal_typing_options){.model = model}) ==
          SHOAL_OK);
    CHECK(shoal_topology_status(topology) == SHOAL_SYSTEM_OK);
    for (int k = 0; k < n; ++k) {
        set_system *sys = &s->systems[s->n++];
        uint64_t seed = (uint64_t)s->n;
        memset(sys, 0, sizeof *sys);
        sys->topology = shoal_topology_retain(topology);
        sys->n_atoms = shoal_molecule_n_atoms(mol);
        sys->pos = malloc((size_t)sys->n_atoms * sizeof *sys->pos);
        for (int32_t i = 0; i < 3 * sys->n_atoms; ++i)
            sys->pos[i / 3][i % 3] =
                shoal_molecule_positions(mol)[i / 3][i % 3] + 0.03 * set_random(&seed);
    }
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(mol);
}

/* Copies, molecules that occur once, and the same again by another model, which must not share their lanes. */
static void fill(set *s, const model_case *c)
{
    const model_case other = {.form = SHOAL_FORM_LJ8, .hbond = SHOAL_HBOND_BOTH};
    shoal_pair_model *model = model_make(c), *second = model_make(&other);
    s->n = 0;
    add_shaken(s, model_cluster(), model, N_COPIES);
    for (int32_t k = 0; k < N_UNLIKE; ++k) {
        add_shaken(s, model_waters(2 + k, 2), model, 1);
        add_shaken(s, model_waters(3 + k, 3), second, 1);
    }
    CHECK(s->n == MOST);
    shoal_pair_model_destroy(model);
    shoal_pair_model_destroy(second);
}

static void expect_alone(const set *s, const run_options *o, const outcome *alone, const char *what,
                         const model_case *c)
{
    static outcome got[MOST];
    run_set(s, NULL, s->n, o, got);
    for (int32_t k = 0; k < s->n; ++k) {
        const bool same = outcome_same(&got[k], &alone[k], s->systems[k].n_atoms);
        if (!same)
            (void)printf("%s, form %d, coulomb %d: system %d: energies %.17g and %.17g\n", what,
                         c->form, c->coulomb, k, got[k].r.energy, alone[k].r.energy);
        CHECK(same);
    }
    outcomes_free(got, s->n);
}

static void test_lanes(const model_case *c, shoal_precision precision, shoal_method method,
                       bool relaxes)
{
    static set s;
    static outcome alone[MOST];
    static const char *const names[] = {"base", "avx2", "avx512"};
    const shoal_relax_options relax = {.method = method, .fmax = 0.02, .max_steps = 25};
    run_options o = {.engine = {.device = "cpu", .precision = precision, .n_threads = 1},
                     .relax = relaxes ? &relax : NULL};
    fill(&s, c);
    for (int32_t k = 0; k < s.n; ++k) run_set(&s, &k, 1, &o, &alone[k]);
    for (int32_t k = 0; k < s.n; ++k) CHECK(isfinite(alone[k].r.energy));
    expect_alone(&s, &o, alone, "together", c);
    o.engine.n_threads = 3;
    expect_alone(&s, &o, alone, "three threads", c);
    for (int k = 0; k < 3; ++k) {
        CHECK(setenv("SHOAL_CPU", names[k], 1) == 0);
        expect_alone(&s, &o, alone, names[k], c);
    }
    CHECK(unsetenv("SHOAL_CPU") == 0);
    outcomes_free(alone, s.n);
    set_free(&s);
}

/* Steps of a large system with a list that is used again and again end at an energy and forces that are those of a new
 * list, for one thread and for two. */
static void test_large(const model_case *c)
{
    static set s;
    outcome out[2], fresh;
    const shoal_relax_options relax = {.method = SHOAL_METHOD_FIRE, .fmax = 1e-9, .max_steps = 30};
    run_options o = {.engine = {.device = "cpu", .precision = SHOAL_PRECISION_DOUBLE},
                     .relax = &relax};
    s.n = 0;
    shoal_molecule *mol = model_waters(340, 7);
    model_add(&s, mol, c, 0);
    shoal_molecule_destroy(mol);
    for (int32_t k = 0; k < 2; ++k) {
        o.engine.n_threads = 1 + k;
        run_set(&s, NULL, 1, &o, &out[k]);
    }
    set_system *sys = &s.systems[0];
    CHECK(outcome_same(&out[0], &out[1], sys->n_atoms));
    double moved = 0;
    for (int32_t i = 0; i < 3 * sys->n_atoms; ++i) {
        moved = fmax(moved, fabs(out[0].pos[i / 3][i % 3] - sys->pos[i / 3][i % 3]));
        sys->pos[i / 3][i % 3] = out[0].pos[i / 3][i % 3];
    }
    CHECK(moved > 0.05);
    o.relax = NULL;
    run_set(&s, NULL, 1, &o, &fresh);
    CHECK_NEAR(fresh.r.energy, out[0].r.energy, 1e-9 * fabs(fresh.r.energy));
    CHECK_NEAR(fresh.r.fmax, out[0].r.fmax, 1e-9 * fresh.r.fmax);
    outcomes_free(out, 2);
    outcomes_free(&fresh, 1);
    set_free(&s);
}

/* Steps see the forces that belong to the energies: relaxations end, sites and all. */
static void test_converges(const model_case *c, shoal_method method)
{
    static set s;
    static outcome out[N_COPIES];
    const shoal_relax_options relax = {.method = method, .fmax = 0.02, .max_steps = 4000};
    const run_options o = {.engine = {.device = "cpu", .precision = SHOAL_PRECISION_DOUBLE},
                           .relax = &relax};
    shoal_pair_model *model = model_make(c);
    s.n = 0;
    add_shaken(&s, model_waters(3, 2), model, N_COPIES);
    shoal_pair_model_destroy(model);
    run_set(&s, NULL, s.n, &o, out);
    for (int32_t k = 0; k < s.n; ++k)
        CHECK(out[k].r.status == SHOAL_SYSTEM_CONVERGED && out[k].r.fmax <= 0.02);
    outcomes_free(out, s.n);
    set_free(&s);
}

int main(void)
{
    const model_case soft = {
        .form = SHOAL_FORM_MORSE, .coulomb = SHOAL_COULOMB_DAMPED, .sites = true};
    for (int k = 0; k < N_CASES; ++k) {
        test_lanes(&cases[k], SHOAL_PRECISION_FLOAT, 0, false);
        test_lanes(&cases[k], SHOAL_PRECISION_DOUBLE, 0, false);
        test_lanes(&cases[k], SHOAL_PRECISION_FLOAT, SHOAL_METHOD_LBFGS, true);
        test_lanes(&cases[k], SHOAL_PRECISION_DOUBLE, SHOAL_METHOD_FIRE, true);
    }
    test_converges(&soft, SHOAL_METHOD_LBFGS);
    test_converges(&soft, SHOAL_METHOD_FIRE);
    test_converges(&cases[5], SHOAL_METHOD_LBFGS);
    test_large(&cases[4]);
    test_large(&cases[5]);
    return check_done();
}
