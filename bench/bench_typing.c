/* SPDX-License-Identifier: BSD-3-Clause
 * How fast molecules become systems of a batch, on one thread and on several that share nothing:
 *   type  perception and typing alone
 *   miss  the same by a cache of topologies that knows none of the molecules
 *   hit   by a cache that knows them all
 *   add   adding systems to a batch that was used before */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/batch.h"
#include "chem/molecule.h"
#include "ff/topology_cache.h"
#include "shoal/shoal.h"
#include "timing.h"

enum { MOST_THREADS = 64 };
enum { WHAT_TYPE, WHAT_MISS, WHAT_HIT, WHAT_ADD, N_WHAT };

static const char *const names[N_WHAT] = {"type", "miss", "hit", "add"};

typedef struct set {
    int32_t n, capacity;
    shoal_molecule **molecules;
} set;

static void set_free(set *s)
{
    for (int32_t i = 0; i < s->n; ++i) shoal_molecule_destroy(s->molecules[i]);
    free(s->molecules);
}

/* Appends a new empty molecule; NULL if memory ran out. */
static shoal_molecule *set_add(set *s)
{
    if (s->n == s->capacity) {
        const int32_t capacity = s->capacity ? 2 * s->capacity : 256;
        void *p = realloc(s->molecules, (size_t)capacity * sizeof(*s->molecules));
        if (!p) return NULL;
        s->molecules = p;
        s->capacity = capacity;
    }
    if (shoal_molecule_create(&s->molecules[s->n]) != SHOAL_OK) return NULL;
    return s->molecules[s->n++];
}

static int fail(void)
{
    (void)fprintf(stderr, "bench_typing: %s\n", shoal_error_text());
    return 1;
}

static int set_read(set *s, const char *path)
{
    shoal_reader *reader = NULL;
    shoal_molecule *mol = NULL;
    bool found = true;
    if (shoal_reader_open(&reader, path, SHOAL_FORMAT_AUTO) != SHOAL_OK) return fail();
    while (found) {
        mol = set_add(s);
        if (!mol || shoal_reader_next(reader, mol, &found) != SHOAL_OK) {
            (void)fail();
            shoal_reader_destroy(reader);
            return 1;
        }
    }
    shoal_molecule_destroy(s->molecules[--s->n]);
    shoal_reader_destroy(reader);
    return 0;
}

/* What a thread has of its own. */
typedef struct worker {
    const set *molecules;
    set copies;
    shoal_topology **topologies; /* [n] */
    topology_cache *cache;
    shoal_batch *batch;
    int what;
    int32_t n_unlike; /* for misses: no two molecules have the same charges */
    int64_t n_terms;
    int32_t n_untyped;
    int failed;
    pthread_t thread;
} worker;

static int worker_open(worker *w, const set *molecules, int what)
{
    static const typing_options options = {.max_atoms = 1000000};
    *w = (worker){.molecules = molecules, .what = what};
    w->topologies = calloc((size_t)molecules->n + 1, sizeof *w->topologies);
    w->cache = topology_cache_create(&options);
    for (int32_t i = 0; i < molecules->n; ++i)
        if (!set_add(&w->copies)) return fail();
    if (!w->topologies || !w->cache || shoal_batch_create(&w->batch) != SHOAL_OK) return fail();
    return 0;
}

static void worker_close(worker *w)
{
    for (int32_t i = 0; w->topologies && i < w->molecules->n; ++i)
        shoal_topology_destroy(w->topologies[i]);
    free(w->topologies);
    set_free(&w->copies);
    topology_cache_destroy(w->cache);
    shoal_batch_destroy(w->batch);
}

/* Molecules as a reader leaves them. A partial charge that is too small to matter makes them unlike all that
 * the cache has seen. */
static int worker_prepare(worker *w)
{
    if (w->what == WHAT_ADD && w->topologies[0]) return 0;
    for (int32_t i = 0; i < w->copies.n; ++i) {
        shoal_topology_destroy(w->topologies[i]);
        w->topologies[i] = NULL;
        if (shoal_molecule_copy(w->copies.molecules[i], w->molecules->molecules[i]) != SHOAL_OK)
            return fail();
        if (w->what == WHAT_MISS &&
            shoal_molecule_set_charge(w->copies.molecules[i], 0, 1e-9 * ++w->n_unlike) != SHOAL_OK)
            return fail();
    }
    return 0;
}

static shoal_status do_one(worker *w, int32_t i)
{
    shoal_molecule *mol = w->copies.molecules[i];
    if (w->what == WHAT_TYPE) return shoal_topology_create(&w->topologies[i], mol, NULL);
    if (w->what != WHAT_ADD) return topology_cache_type(w->cache, mol, &w->topologies[i]);
    return shoal_batch_add(w->batch, &(shoal_system){.topology = w->topologies[i],
                                                     .pos = shoal_molecule_positions(mol)});
}

static void *worker_run(void *what)
{
    worker *w = what;
    for (int32_t i = 0; i < w->copies.n && !w->failed; ++i) w->failed = do_one(w, i) != SHOAL_OK;
    return NULL;
}

static void worker_count(worker *w)
{
    w->n_terms = 0;
    w->n_untyped = 0;
    for (int32_t i = 0; i < w->copies.n; ++i) {
        shoal_topology_view view;
        shoal_topology_get(w->topologies[i], &view);
        w->n_terms += view.n_terms;
        w->n_untyped += shoal_topology_status(w->topologies[i]) != SHOAL_SYSTEM_OK;
    }
}

/* Systems are added to an empty batch. */
static int renew_batch(worker *w)
{
    if (w->what != WHAT_ADD) return 0;
    shoal_batch_destroy(w->batch);
    w->batch = NULL;
    return shoal_batch_create(&w->batch) == SHOAL_OK ? 0 : fail();
}

/* One timed pass of all threads. */
static int run_all(worker *workers, int n, double *seconds)
{
    int failed = 0;
    for (int k = 0; k < n; ++k) failed |= worker_prepare(&workers[k]) || renew_batch(&workers[k]);
    if (failed) return 1;
    const double start = timing_now();
    for (int k = 1; k < n; ++k)
        if (pthread_create(&workers[k].thread, NULL, worker_run, &workers[k]) != 0) return 1;
    (void)worker_run(&workers[0]);
    for (int k = 1; k < n; ++k) (void)pthread_join(workers[k].thread, NULL);
    *seconds = timing_now() - start;
    for (int k = 0; k < n; ++k) {
        worker_count(&workers[k]);
        failed |= workers[k].failed || workers[k].n_terms != workers[0].n_terms;
    }
    return failed;
}

static void report(const worker *w, int n_threads, const char *path, double times[N_REPEATS])
{
    const timing t = timing_of(times);
    const char *slash = strrchr(path, '/');
    const double n = (double)w->copies.n * n_threads;
    (void)printf("{\"what\":\"%s\",\"case\":\"%s\",\"program\":\"shoal\",\"threads\":%d,"
                 "\"molecules\":%d,\"untyped\":%d,\"terms\":%lld,\"repeats\":%d,"
                 "\"molecules_per_s\":%.0f,\"molecules_per_s_min\":%.0f,"
                 "\"molecules_per_s_max\":%.0f}\n",
                 names[w->what], slash ? slash + 1 : path, n_threads, w->copies.n, w->n_untyped,
                 (long long)w->n_terms, N_REPEATS, n / t.median, n / t.max, n / t.min);
}

/* Every repeat must give as many terms as the first, untimed one, which also fills caches. */
static int measure(const set *s, const char *path, int what, int n_threads)
{
    worker workers[MOST_THREADS];
    double times[N_REPEATS], ignored;
    int failed = 0;
    for (int k = 0; k < n_threads; ++k)
        failed |= worker_open(&workers[k], s, what == WHAT_ADD ? WHAT_HIT : what);
    if (!failed) failed = run_all(workers, n_threads, &ignored);
    const int64_t n_terms = workers[0].n_terms;
    for (int k = 0; k < n_threads; ++k) workers[k].what = what;
    for (int i = 0; i < N_REPEATS && !failed; ++i)
        failed = run_all(workers, n_threads, &times[i]) || workers[0].n_terms != n_terms;
    if (!failed) report(&workers[0], n_threads, path, times);
    for (int k = 0; k < n_threads; ++k) worker_close(&workers[k]);
    if (failed) (void)fprintf(stderr, "bench_typing: %s: %s failed\n", path, names[what]);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0, first = 1, n_threads = 2;
    if (argc > 2 && strcmp(argv[1], "--threads") == 0) {
        n_threads = atoi(argv[2]);
        first = 3;
    }
    if (first >= argc || n_threads < 1 || n_threads > MOST_THREADS) {
        (void)fprintf(stderr, "usage: bench_typing [--threads N] FILE...\n");
        return 2;
    }
    for (int i = first; i < argc; ++i) {
        set s = {0};
        failed |= set_read(&s, argv[i]);
        for (int what = 0; what < N_WHAT && !failed; ++what) {
            failed |= measure(&s, argv[i], what, 1);
            if (n_threads > 1) failed |= measure(&s, argv[i], what, n_threads);
        }
        set_free(&s);
    }
    return failed;
}
