/* SPDX-License-Identifier: BSD-3-Clause
 * Batch laws, bitwise, on the cpu and on OpenCL (PoCL, or the device that SHOAL_TEST_DEVICE names), for
 * single points and relaxations of small and large systems in both precisions: a system alone = among
 * 1 to 40 equal or unlike ones; order, threads, instruction set and repetition change nothing; a
 * broken system harms no other. */
#include "hand_fixture.h"
#include "periodic_fixture.h"

enum { MANY = 96 };

typedef struct mode {
    const char *name;
    const char *device;
    shoal_precision precision;
    bool relax;
    shoal_method method;
    bool plain; /* all bonded terms by the general loop */
} mode;

static const mode cpu_modes[] = {
    {"single points, float", "cpu", SHOAL_PRECISION_FLOAT, false, 0, false},
    {"single points, double", "cpu", SHOAL_PRECISION_DOUBLE, false, 0, false},
    {"lbfgs, auto", "cpu", SHOAL_PRECISION_AUTO, true, SHOAL_METHOD_LBFGS, false},
    {"lbfgs, double", "cpu", SHOAL_PRECISION_DOUBLE, true, SHOAL_METHOD_LBFGS, false},
    {"fire, float", "cpu", SHOAL_PRECISION_FLOAT, true, SHOAL_METHOD_FIRE, false},
    {"fire, float, plain terms", "cpu", SHOAL_PRECISION_FLOAT, true, SHOAL_METHOD_FIRE, true},
};
/* PoCL takes long to compile: in double only where there is time for all; test_driver_state.c relaxes in double. */
static mode device_modes[] = {
    {"single points, float", NULL, SHOAL_PRECISION_FLOAT, false, 0, false},
    {"single points, double", NULL, SHOAL_PRECISION_DOUBLE, false, 0, false},
    {"lbfgs, float", NULL, SHOAL_PRECISION_FLOAT, true, SHOAL_METHOD_LBFGS, false},
    {"fire, float", NULL, SHOAL_PRECISION_FLOAT, true, SHOAL_METHOD_FIRE, false},
};
enum {
    N_CPU_MODES = (int)(sizeof cpu_modes / sizeof cpu_modes[0]),
    N_DEVICE_MODES = (int)(sizeof device_modes / sizeof device_modes[0]),
};

/* Not enough for every system to converge, so that unfinished ones are compared too. */
static void run_mode(const set *s, const int32_t *list, int32_t n, const mode *m, int32_t n_threads,
                     outcome *out)
{
    const shoal_relax_options relax = {.method = m->method, .max_steps = 60};
    const run_options o = {.engine = {.device = m->device,
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
        if (!same) (void)printf("%s, %s: %s: %s\n", m->device, m->name, what, s->systems[i].name);
        CHECK(same);
    }
}

/* Systems that no run can finish, of the topology of healthy ones. */
static void add_broken(set *s, bool charged)
{
    set_system *sys = set_add_size(s, 32, charged);
    memcpy(sys->pos[1], sys->pos[30], sizeof sys->pos[1]);
    sys = set_add_size(s, 32, false);
    sys->pos[3][2] = NAN;
}

static void add_conformers(set *s, bool charged)
{
    for (int32_t k = 0; k < 6; ++k) { /* conformers: equal topologies, other coordinates */
        set_system *sys = set_add_size(s, 32, charged && k % 2 == 0);
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
}

/* No atoms at all. */
static void add_empty(set *s)
{
    shoal_topology_builder *b;
    set_system *sys = &s->systems[s->n++];
    memset(sys, 0, sizeof *sys);
    CHECK(shoal_topology_begin(&b, 0, NULL) == SHOAL_OK);
    CHECK(shoal_topology_finish(b, SHOAL_EXCLUDE_BONDS_AND_ANGLES, &sys->topology) == SHOAL_OK);
}

/* Topologies built by hand: none of the atoms, or every kind of term and special pairs. */
static void add_built(set *s)
{
    add_empty(s);
    for (int k = 0; k < 3; ++k) hand_add(s, false, true)->pos[k][k] += 0.1;
}

/* Conformers of one molecule and unlike ones; some held, some broken. */
static void fill(set *s)
{
    add_conformers(s, true);
    (void)set_add_size(s, 1, false);
    (void)set_add_size(s, 65, true);
    periodic_add_volumes(s);
    periodic_add_layers(s);
    set_read(s, "types.sdf", 12);
    add_built(s);
    add_broken(s, true);
}

/* Fewer and without charges, since PoCL takes long to compile for them; both schedules, sizes around those of work-groups. */
static void fill_device(set *s)
{
    static const int32_t sizes[] = {1, 31, 33, 257};
    static const int32_t two[3] = {2, 1, 1};
    add_conformers(s, false);
    for (int k = 0; k < 4; ++k) (void)set_add_size(s, sizes[k], false);
    (void)periodic_add(s, periodic_water(), "water, triclinic", 0.03);
    (void)periodic_add(s, periodic_repeat(periodic_water(), two), "two waters", 0.03);
    periodic_add_layers(s);
    set_system *sys = periodic_add(s, periodic_water(), "a broken crystal", 0.03);
    memcpy(sys->pos[1], sys->pos[2], sizeof sys->pos[1]);
    add_built(s);
    add_broken(s, false);
}

static void test_equals(const set *s, const mode *m, const outcome *alone, int32_t i,
                        const int32_t *counts, int n_counts)
{
    static outcome got[MANY];
    int32_t list[MANY];
    for (int j = 0; j < n_counts; ++j) {
        const int32_t n = counts[j];
        for (int32_t k = 0; k < n; ++k) list[k] = i;
        run_mode(s, list, n, m, 0, got);
        expect_same(s, list, n, got, alone, "among equals", m);
        outcomes_free(got, n);
    }
}

static void test_neighbours(const set *s, const mode *m, const outcome *alone)
{
    static outcome got[MANY];
    int32_t list[MANY];
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

/* Every system alone, which the others are held against. */
static void run_alone(const set *s, const mode *m, outcome *alone)
{
    for (int32_t i = 0; i < s->n; ++i) {
        outcome again;
        run_mode(s, &i, 1, m, 1, &alone[i]);
        if (i % 4 != 0) continue;
        run_mode(s, &i, 1, m, 1, &again);
        expect_same(s, &i, 1, &again, alone, "again", m);
        outcomes_free(&again, 1);
    }
    CHECK(alone[s->n - 1].r.status == SHOAL_SYSTEM_NOT_FINITE);
    CHECK(alone[s->n - 2].r.status == SHOAL_SYSTEM_NOT_FINITE);
}

static void test_cpu(void)
{
    static const int32_t counts[] = {1,  2,  3,  4,  5,  6,  7,  8,  9, 10,
                                     11, 12, 13, 14, 15, 16, 17, 18, 29};
    static set s;
    static outcome alone[SET_SYSTEMS];
    fill(&s);
    CHECK(s.n < MANY);
    tell_instruction_sets();
    for (int k = 0; k < N_CPU_MODES; ++k) {
        run_alone(&s, &cpu_modes[k], alone);
        test_equals(&s, &cpu_modes[k], alone, 0, counts, (int)(sizeof counts / sizeof counts[0]));
        test_neighbours(&s, &cpu_modes[k], alone);
        test_instruction_sets(&s, &cpu_modes[k], alone);
        outcomes_free(alone, s.n);
    }
    set_free(&s);
}

static void test_device(const char *device)
{
    static const int32_t counts[] = {2, 7, 33};
    static set s;
    static outcome alone[SET_SYSTEMS];
    fill_device(&s);
    for (int k = 0; k < N_DEVICE_MODES; ++k) {
        mode *m = &device_modes[k];
        m->device = device;
        if (m->precision == SHOAL_PRECISION_DOUBLE && !check_thorough()) continue;
        run_alone(&s, m, alone);
        test_equals(&s, m, alone, 0, counts, 3);
        test_equals(&s, m, alone, 10, counts, 3); /* periodic */
        test_neighbours(&s, m, alone);
        outcomes_free(alone, s.n);
    }
    set_free(&s);
}

int main(void)
{
    const char *device = getenv("SHOAL_TEST_DEVICE");
    test_cpu();
    if (!device) device = "opencl:cpu";
    if (strcmp(device, "cpu") == 0) return check_done();
    const bool found = shoal_device_check(device) == SHOAL_OK;
    if (found)
        test_device(device);
    else
        (void)printf("%s left out: %s\n", device, shoal_error_text());
    CHECK(found || !getenv("CI")); /* there nothing is left out */
    return check_done();
}
