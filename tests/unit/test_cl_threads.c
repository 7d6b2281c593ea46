/* SPDX-License-Identifier: BSD-3-Clause
 * Engines of several threads on one device at once: made, run, read and destroyed while others are, with the
 * bits that one after the other finds; and programs that several want, built once. */
#include <pthread.h>
#include <stdatomic.h>

#include "cl/cl_code.h"
#include "cl_fixture.h"
#include "driver_fixture.h"

enum { N_THREADS = 4, N_ROUNDS = 3, N_KINDS = 4, MOST_RESULTS = 320 };

/* One kind of work: a batch, what is done with it, and the numbers found alone. */
typedef struct job {
    shoal_batch *batch;
    shoal_engine_options engine;
    shoal_relax_options relax; /* max_steps 0: single points */
    int32_t n, n_atoms;
    double *numbers; /* energies, then forces and coordinates of all atoms */
} job;

static size_t count_numbers(const job *j)
{
    return (size_t)j->n + 6 * (size_t)j->n_atoms;
}

/* A whole engine's life; false if anything fails. */
static bool do_job(const job *j, double *numbers)
{
    shoal_engine *engine = NULL;
    shoal_engine_results_view v;
    bool good = shoal_engine_create(&engine, j->batch, &j->engine) == SHOAL_OK;
    good = good && (j->relax.max_steps > 0 ? shoal_engine_relax(engine, &j->relax, NULL, NULL)
                                           : shoal_engine_eval(engine)) == SHOAL_OK;
    good = good && shoal_engine_view(engine, &v) == SHOAL_OK;
    if (good) {
        const size_t bytes = 3 * (size_t)j->n_atoms * sizeof *numbers;
        memcpy(numbers, v.energies, (size_t)j->n * sizeof *numbers);
        memcpy(numbers + j->n, v.forces, bytes);
        memcpy(numbers + j->n + 3 * (size_t)j->n_atoms, v.positions, bytes);
    }
    shoal_engine_destroy(engine);
    return good;
}

typedef struct worker {
    const job *jobs;
    int number, n_failed, n_different;
} worker;

/* Every thread does every job, each in another order. */
static void *work(void *user)
{
    worker *w = user;
    for (int k = 0; k < N_ROUNDS * N_KINDS; ++k) {
        const job *j = &w->jobs[(k + w->number) % N_KINDS];
        double *numbers = calloc(count_numbers(j), sizeof *numbers);
        if (!numbers || !do_job(j, numbers))
            ++w->n_failed;
        else
            w->n_different += memcmp(numbers, j->numbers, count_numbers(j) * sizeof *numbers) != 0;
        free(numbers);
    }
    return NULL;
}

static void test_engines(const job *jobs)
{
    pthread_t threads[N_THREADS];
    worker workers[N_THREADS];
    for (int k = 0; k < N_THREADS; ++k) {
        workers[k] = (worker){.jobs = jobs, .number = k};
        CHECK(pthread_create(&threads[k], NULL, work, &workers[k]) == 0);
    }
    for (int k = 0; k < N_THREADS; ++k) {
        CHECK(pthread_join(threads[k], NULL) == 0);
        CHECK(workers[k].n_failed == 0 && workers[k].n_different == 0);
        if (workers[k].n_failed + workers[k].n_different > 0)
            (void)printf("  thread %d: %d failed, %d differ\n", k, workers[k].n_failed,
                         workers[k].n_different);
    }
}

/* copies of every system of a set, each a little different. */
static job make_job(const set *s, int32_t copies, const char *device, int32_t max_steps)
{
    job j = {.engine = {.device = device, .n_threads = 2}, .relax = {.max_steps = max_steps}};
    CHECK(shoal_batch_create(&j.batch) == SHOAL_OK);
    for (int32_t k = 0; k < s->n; ++k)
        for (int32_t c = 0; c < copies; ++c) {
            const set_system *sys = &s->systems[k];
            const shoal_system system = {.topology = sys->topology,
                                         .pos = (const double(*)[3])sys->pos,
                                         .cell = (const double(*)[3])sys->cell};
            sys->pos[c % sys->n_atoms][c % 3] += 0.01;
            CHECK(shoal_batch_add(j.batch, &system) == SHOAL_OK);
            j.n_atoms += sys->n_atoms;
            ++j.n;
        }
    j.numbers = calloc(count_numbers(&j), sizeof *j.numbers);
    CHECK(do_job(&j, j.numbers));
    return j;
}

/* Many of one molecule, so that engines have threads of their own; few of many; those with lists. */
static void make_jobs(job jobs[N_KINDS], const char *device)
{
    static set one, many, large;
    const schedule small = {.device = device}, periodic = {.device = device, .large = true};
    (void)driver_alkane(&one, &small, 3, 0.02);
    for (int32_t k = 1; k < 8; ++k) (void)driver_alkane(&many, &small, 4 * k, 0.05);
    (void)driver_alkane(&large, &periodic, 4, 0.05);
    (void)driver_alkane(&large, &periodic, 9, 0.05);
    jobs[0] = make_job(&one, MOST_RESULTS, device, 0);
    jobs[1] = make_job(&many, 3, device, 40);
    jobs[2] = make_job(&large, 2, device, 25);
    jobs[3] = make_job(&one, 40, device, 60);
    jobs[3].relax.method = SHOAL_METHOD_FIRE;
    CHECK(do_job(&jobs[3], jobs[3].numbers));
    set_free(&one);
    set_free(&many);
    set_free(&large);
}

/* --- programs ------------------------------------------------------------------------------------ */

typedef struct builders {
    cl_target *target;
    _Atomic int n_waiting;
} builders;

static void *build(void *user)
{
    builders *b = user;
    cl_code code;
    atomic_fetch_add(&b->n_waiting, 1);
    while (atomic_load(&b->n_waiting) < N_THREADS) continue;
    const bool good = cl_code_build(&code, b->target, "selftest.cl", "-DTHREADS") == SHOAL_OK;
    cl_code_free(&code);
    return good ? user : NULL;
}

static void test_programs(cl_target *target)
{
    builders b = {.target = target};
    pthread_t threads[N_THREADS];
    cl_shared_forget(target->shared);
    const cl_build_counts before = cl_shared_counts(target->shared);
    for (int k = 0; k < N_THREADS; ++k) CHECK(pthread_create(&threads[k], NULL, build, &b) == 0);
    for (int k = 0; k < N_THREADS; ++k) {
        void *good = NULL;
        CHECK(pthread_join(threads[k], &good) == 0 && good);
    }
    const cl_build_counts after = cl_shared_counts(target->shared);
    CHECK(after.n_compiled + after.n_cached == before.n_compiled + before.n_cached + 1);
}

/* Several at once: all of them, none twice; one that is wrong is named, and the others are there. */
static void test_prepare(cl_target *target)
{
    static const cl_code_request good[] = {{"selftest.cl", "-DA", NULL},
                                           {"selftest.cl", "-DB", NULL}};
    static const cl_code_request bad[] = {
        {"selftest.cl", "-DC", NULL}, {"absent.cl", "", NULL}, {"selftest.cl", "-DD", NULL}};
    cl_code code;
    cl_shared_forget(target->shared);
    cl_build_counts before = cl_shared_counts(target->shared);
    for (int k = 0; k < 2; ++k) CHECK(cl_code_prepare(target, good, 2) == SHOAL_OK);
    CHECK(cl_code_build(&code, target, "selftest.cl", "-DB") == SHOAL_OK);
    cl_code_free(&code);
    cl_build_counts after = cl_shared_counts(target->shared);
    CHECK(after.n_compiled + after.n_cached == before.n_compiled + before.n_cached + 2);
    CHECK(cl_code_prepare(target, bad, 3) == SHOAL_E_DEVICE);
    CHECK(strstr(shoal_error_text(), "absent.cl") != NULL);
    after = cl_shared_counts(target->shared);
    CHECK(after.n_compiled + after.n_cached == before.n_compiled + before.n_cached + 4);
    CHECK(cl_code_prepare(target, bad, 3) == SHOAL_E_DEVICE); /* a failure is not kept */
}

int main(void)
{
    scratch_directory cache = scratch_make();
    const char *which = device_for_tests();
    job jobs[N_KINDS];
    cl_target *target;
    char device[24];
    if (!which) return getenv("CI") ? 1 : SKIPPED;
    (void)setenv("SHOAL_CACHE_DIR", cache.path, 1);
    (void)snprintf(device, sizeof device, "opencl:%s", which);
    CHECK(cl_target_open(&target, which, false) == SHOAL_OK);
    test_programs(target);
    test_prepare(target);
    make_jobs(jobs, device);
    test_engines(jobs);
    cl_shared_forget(target->shared); /* and all wait for programs */
    test_engines(jobs);
    for (int k = 0; k < N_KINDS; ++k) {
        shoal_batch_destroy(jobs[k].batch);
        free(jobs[k].numbers);
    }
    cl_target_close(target);
    scratch_remove(&cache);
    return check_done();
}
