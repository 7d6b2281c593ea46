/* SPDX-License-Identifier: BSD-3-Clause
 * Laws of the cpu backend, bitwise, for single points and relaxations in both precisions: a system
 * alone = among 1 to 40 equal or unlike ones; order, threads, instruction set and repetition change
 * nothing; a broken system harms no other. */
#include "hand_fixture.h"
#include "periodic_fixture.h"

enum { MANY = 96 };

typedef struct mode {
    const char *name;
    shoal_precision precision;
    bool relax;
    shoal_method method;
    bool plain; /* terms by themselves */
} mode;

static const mode modes[] = {
    {"single points, float", SHOAL_PRECISION_FLOAT, false, 0, false},
    {"single points, double", SHOAL_PRECISION_DOUBLE, false, 0, false},
    {"lbfgs, auto", SHOAL_PRECISION_AUTO, true, SHOAL_METHOD_LBFGS, false},
    {"lbfgs, double", SHOAL_PRECISION_DOUBLE, true, SHOAL_METHOD_LBFGS, false},
    {"fire, float", SHOAL_PRECISION_FLOAT, true, SHOAL_METHOD_FIRE, false},
    {"fire, float, plain terms", SHOAL_PRECISION_FLOAT, true, SHOAL_METHOD_FIRE, true},
};
enum { N_MODES = (int)(sizeof modes / sizeof modes[0]) };

/* Not enough for every system to converge, so that unfinished ones are compared too. */
static void run_mode(const set *s, const int32_t *list, int32_t n, const mode *m, int32_t n_threads,
                     outcome *out)
{
    const shoal_relax_options relax = {.method = m->method, .max_steps = 60};
    const run_options o = {.engine = {.device = "cpu",
                                      .precision = m->precision,
                                      .n_threads = n_threads,
                                      .plain_terms = m->plain},
                           .relax = m->relax ? &relax : NULL,
                           .n_times = 1};
    run_set(s, list, n, &o, out);
}

static void expect_same(const set *s, const int32_t *list, int32_t n, const outcome *got,
                        const outcome *alone, const char *what, const mode *m)
{
    for (int32_t k = 0; k < n; ++k) {
        const int32_t i = list[k];
        const bool same = outcome_same(&got[k], &alone[i], s->systems[i].n_atoms);
        if (!same) (void)printf("%s: %s: %s\n", m->name, what, s->systems[i].name);
        CHECK(same);
    }
}

/* Conformers of one molecule and unlike ones; some held, some broken. */
static void fill(set *s)
{
    for (int k = 0; k < 3; ++k) /* built by hand, with special pairs */
        hand_add(s, false, true)->pos[k][k] += 0.1;
    for (int32_t k = 0; k < 6; ++k) { /* conformers: equal topologies, other coordinates */
        set_system *sys = set_add_size(s, 32, k % 2 == 0);
        if (k == 4) {
            sys->fixed = calloc((size_t)sys->n_atoms, sizeof *sys->fixed);
            sys->fixed[0] = sys->fixed[7] = true;
        }
        if (k == 2) {
            sys->restraints[0] = (shoal_restraint){
                .kind = SHOAL_RESTRAINT_TORSION, .atoms = {0, 4, 7, 10}, .k = 2.0, .value = 1.0};
            sys->restraints[1] = (shoal_restraint){
                .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 13}, .k = 3.0, .value = 4.0};
            sys->n_restraints = 2;
        }
    }
    (void)set_add_size(s, 1, false);
    (void)set_add_size(s, 65, true);
    periodic_add_volumes(s);
    periodic_add_layers(s);
    set_read(s, "types.sdf", 12);
    set_system *sys = set_add_size(s, 32, true); /* same topology as its healthy neighbours */
    memcpy(sys->pos[1], sys->pos[30], sizeof sys->pos[1]);
    sys = set_add_size(s, 32, false);
    sys->pos[3][2] = NAN;
}

static void test_neighbours(const set *s, const mode *m, const outcome *alone)
{
    static outcome got[MANY];
    int32_t list[MANY];
    for (int32_t n = 1; n <= 40; n += n < 18 ? 1 : 11) { /* equal ones */
        for (int32_t k = 0; k < n; ++k) list[k] = 0;
        run_mode(s, list, n, m, 0, got);
        expect_same(s, list, n, got, alone, "among equals", m);
        outcomes_free(got, n);
    }
    for (int32_t k = 0; k < s->n; ++k) list[k] = k;
    for (int32_t n_threads = 1; n_threads <= 5; n_threads += 2) {
        run_mode(s, list, s->n, m, n_threads, got);
        expect_same(s, list, s->n, got, alone, "together", m);
        outcomes_free(got, s->n);
    }
    uint64_t seed = 3;
    for (int32_t k = 0; k < MANY; ++k) /* any order, any number of times */
        list[k] = (int32_t)(0.5 * (set_random(&seed) + 1.0) * s->n);
    run_mode(s, list, MANY, m, 0, got);
    expect_same(s, list, MANY, got, alone, "shuffled", m);
    outcomes_free(got, MANY);
}

/* The processor runs what it has; asking for more gives the best of it. */
static void test_instruction_sets(const set *s, const mode *m, const outcome *alone)
{
    static outcome got[MANY];
    static const char *const names[] = {"base", "avx2", "avx512"};
    int32_t list[MANY];
    for (int32_t k = 0; k < s->n; ++k) list[k] = k;
    for (int k = 0; k < 3; ++k) {
        CHECK(setenv("SHOAL_CPU", names[k], 1) == 0);
        run_mode(s, list, s->n, m, 0, got);
        expect_same(s, list, s->n, got, alone, names[k], m);
        outcomes_free(got, s->n);
    }
    CHECK(unsetenv("SHOAL_CPU") == 0);
}

static void tell_instruction_sets(void)
{
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx512f"))
        (void)printf("avx512 not compared: the processor lacks it\n");
    if (!__builtin_cpu_supports("avx2"))
        (void)printf("avx2 not compared: the processor lacks it\n");
#else
    (void)printf("only one instruction set here\n");
#endif
}

int main(void)
{
    static set s;
    static outcome alone[SET_SYSTEMS];
    fill(&s);
    CHECK(s.n < MANY);
    tell_instruction_sets();
    for (int k = 0; k < N_MODES; ++k) {
        for (int32_t i = 0; i < s.n; ++i) run_mode(&s, &i, 1, &modes[k], 1, &alone[i]);
        CHECK(alone[s.n - 1].r.status == SHOAL_SYSTEM_NOT_FINITE);
        CHECK(alone[s.n - 2].r.status == SHOAL_SYSTEM_NOT_FINITE);
        test_neighbours(&s, &modes[k], alone);
        test_instruction_sets(&s, &modes[k], alone);
        outcomes_free(alone, s.n);
    }
    set_free(&s);
    return check_done();
}
