/* SPDX-License-Identifier: BSD-3-Clause
 * Streams of several ranks, here threads of one process with queues between them: what comes out is what one
 * process gives, whoever fails or stops. */
#include <stdatomic.h>

#include "peers_fixture.h"
#include "results_input.h"
#include "variants_fixture.h"

/* One rank and what it is told to do. */
typedef struct rank {
    wire wire;
    shoal_stream_options options;
    shoal_engine_options engine;
    record r;
    shoal_status status;
    char error[300];
    pthread_t thread;
} rank;

/* --- ranks --------------------------------------------------------------------------------------- */

static void *rank_main(void *p)
{
    rank *own = p;
    own->status = run(own->options, own->options.input.files[0], &own->r);
    (void)snprintf(own->error, sizeof own->error, "%s", shoal_error_text());
    return NULL;
}

/* All ranks get the same options, but for what the caller has changed in ranks[k].engine and .r. */
static void prepare(rank ranks[MOST_RANKS], int32_t n, const shoal_stream_options *o)
{
    for (int32_t k = 0; k < n; ++k) {
        ranks[k] = (rank){.options = *o, .r = nothing};
        wire_up(&ranks[k].wire, k, n);
        if (o->compute.engine) ranks[k].engine = *o->compute.engine;
    }
}

static void run_ranks(rank ranks[MOST_RANKS], int32_t n)
{
    for (int32_t k = 0; k < n; ++k) {
        ranks[k].options.peers = &ranks[k].wire.link;
        ranks[k].options.compute.engine = &ranks[k].engine;
        CHECK(pthread_create(&ranks[k].thread, NULL, rank_main, &ranks[k]) == 0);
    }
    bool is_broken = false;
    for (int32_t k = 0; k < n; ++k) {
        (void)pthread_join(ranks[k].thread, NULL);
        is_broken = is_broken || ranks[k].wire.broken_after == 0;
        CHECK(boxes[k].first == NULL || is_broken); /* nothing is left unread */
        CHECK(k == 0 || (ranks[k].r.n_systems == 0 && ranks[k].r.size == 0));
    }
}

static void free_ranks(rank ranks[MOST_RANKS], int32_t n)
{
    for (int32_t k = 0; k < n; ++k) {
        free(ranks[k].r.text);
        free(ranks[k].r.state);
        drop_messages(k);
    }
}

/* --- tests --------------------------------------------------------------------------------------- */

/* The same text and the same counts as of one process. */
static void check_ranks(const shoal_stream_options *o, const char *what, bool steps)
{
    record alone = nothing;
    alone.steps = steps;
    const shoal_status want = run(*o, o->input.files[0], &alone);
    char error[300];
    (void)snprintf(error, sizeof error, "%s", shoal_error_text());
    for (int32_t n = 2; n <= MOST_RANKS; ++n) {
        rank ranks[MOST_RANKS];
        prepare(ranks, n, o);
        for (int32_t k = 0; k < n; ++k) ranks[k].r.steps = steps;
        run_ranks(ranks, n);
        const record *r = &ranks[0].r;
        for (int32_t k = 0; k < n; ++k) {
            CHECK(ranks[k].status == want);
            CHECK_TEXT(ranks[k].error, error);
        }
        CHECK(r->n_systems == alone.n_systems && r->n_unreadable == alone.n_unreadable);
        CHECK_TEXT(r->reason, alone.reason);
        CHECK_TEXT(r->name, alone.name);
        check_same(r, &alone, what);
        CHECK(want != SHOAL_OK || r->last.n_failed == alone.last.n_failed);
        CHECK(want != SHOAL_OK || r->last.n_computed == alone.last.n_computed);
        CHECK(want != SHOAL_OK || (r->last.n_read == r->n_systems && r->last.part > 0.999));
        free_ranks(ranks, n);
    }
    free(alone.text);
    free(alone.state);
}

static void test_same(const char *device)
{
    const char *files[] = {many_path, bad_path, more_path, large_path, many_path};
    const shoal_relax_options relax = {.fmax = 0.05, .max_steps = 60};
    const shoal_engine_options engine = {.device = device};
    shoal_stream_options o = {.input.files = files,
                              .input.n_files = 5,
                              .job = SHOAL_JOB_RELAX,
                              .compute.relax = &relax,
                              .compute.engine = &engine,
                              .compute.n_threads = 2};
    check_ranks(&o, "a stream of ranks", false);
    o.compute.slice_systems = 7;
    o.compute.n_threads = 1;
    o.compute.memory_bytes = 100000;
    check_ranks(&o, "with small blocks", false);
    o.compute.memory_bytes = 0;
    o.compute.slice_systems = 20;
    o.input.first = 333;
    check_ranks(&o, "from the middle on", false);
    o.input.shard = 2;
    o.input.n_shards = 3;
    check_ranks(&o, "a shard", false);
}

/* Bends a molecule by its variant, from where the one before it ended. */
static shoal_status bend(void *user, const shoal_stream_system *s,
                         const shoal_stream_system *earlier, int32_t n_earlier, double (*pos)[3],
                         shoal_restraint *restraints)
{
    (void)user;
    (void)restraints;
    bend_further(s, earlier, n_earlier, 0.01, 9, pos);
    return s->variant == 4 ? shoal_fail(SHOAL_E_ARGUMENT, "it breaks") : SHOAL_OK;
}

/* Shares of a record travel, and a series is computed by one rank. */
static void test_variants(void)
{
    const char *files[] = {bad_path, more_path, large_path};
    const shoal_relax_options relax = {.fmax = 0.1, .max_steps = 5};
    shoal_variants v = {.n = 12, .make = bend};
    shoal_stream_options o = {.input.files = files,
                              .input.n_files = 3,
                              .job = SHOAL_JOB_RELAX,
                              .compute.relax = &relax,
                              .build.variants = &v,
                              .compute.n_threads = 1,
                              .compute.slice_systems = 20};
    check_ranks(&o, "variants", false);
    v.series = 3;
    check_ranks(&o, "series", false);
    o.input.first = 12 * 40 + 7;
    check_ranks(&o, "from inside of a series", false);
    v.series = 0;
    v.group = 6;
    check_ranks(&o, "groups", false);
    rank ranks[MOST_RANKS];
    shoal_variants other = v;
    other.group = 2;
    prepare(ranks, 2, &o);
    ranks[1].options.build.variants = &other;
    run_ranks(ranks, 2);
    for (int k = 0; k < 2; ++k) CHECK(ranks[k].status == SHOAL_E_ARGUMENT);
    free_ranks(ranks, 2);
}

/* Records of results travel as they are, and are parsed elsewhere. */
static void test_results(void)
{
    static const char path[] = "test_stream_peers.h5";
    const char *files[] = {many_path, bad_path}, *inputs[] = {path, more_path};
    const shoal_engine_options engine = {.device = "cpu"};
    const shoal_stream_options o = {.input.files = inputs,
                                    .input.n_files = 2,
                                    .job = SHOAL_JOB_ENERGY,
                                    .compute.engine = &engine,
                                    .compute.n_threads = 1,
                                    .compute.slice_systems = 20};
    if (make_results(path, files, 2, SHOAL_JOB_TYPE) == SHOAL_E_UNSUPPORTED) return;
    check_ranks(&o, "results as input", false);
    (void)remove(path);
}

/* Jobs that compute nothing, an input of one record and none, trajectories. */
static void test_jobs(void)
{
    const char *files[] = {many_path, bad_path};
    shoal_stream_options o = {.input.files = files,
                              .input.n_files = 2,
                              .compute.n_threads = 2,
                              .compute.slice_systems = 30};
    for (int job = SHOAL_JOB_READ; job <= SHOAL_JOB_ENERGY; ++job) {
        o.job = (shoal_job)job;
        check_ranks(&o, "another job", false);
    }
    const shoal_relax_options relax = {.every = 10};
    o.job = SHOAL_JOB_RELAX;
    o.compute.relax = &relax;
    check_ranks(&o, "trajectories", true);
    o.input.first = N_MANY + 100; /* one is left */
    check_ranks(&o, "one system", false);
}

/* What ends one process ends all ranks, at the same place with the same words. */
static void test_failures(void)
{
    const char *bad[] = {many_path, bad_path}, *missing[] = {many_path, "test_stream_peers_no.xyz"};
    shoal_stream_options o = {.input.files = bad,
                              .input.n_files = 2,
                              .job = SHOAL_JOB_ENERGY,
                              .input.strict = true,
                              .compute.n_threads = 2,
                              .compute.slice_systems = 11};
    check_ranks(&o, "a bad record", false);
    o.input.files = missing;
    check_ranks(&o, "a missing file", false);

    rank ranks[MOST_RANKS];
    o.input.n_files = 1;
    prepare(ranks, 3, &o); /* a rank that cannot start */
    ranks[2].engine.device = "nonsense";
    run_ranks(ranks, 3);
    for (int k = 0; k < 3; ++k) {
        CHECK(ranks[k].status == SHOAL_E_DEVICE);
        CHECK(strstr(ranks[k].error, "nonsense") != NULL);
    }
    CHECK(strncmp(ranks[0].error, "rank 2: ", 8) == 0);
    free_ranks(ranks, 3);

    prepare(ranks, 3, &o); /* rank 0 cannot start */
    ranks[0].engine.device = "nonsense";
    run_ranks(ranks, 3);
    for (int k = 0; k < 3; ++k) {
        CHECK(ranks[k].status == SHOAL_E_DEVICE);
        CHECK(strstr(ranks[k].error, "nonsense") != NULL);
    }
    free_ranks(ranks, 3);

    const char *long_one[] = {many_path, many_path, many_path, many_path, many_path, many_path};
    o.input.files = long_one;
    for (int k = 0; k < 2; ++k) { /* nobody listens */
        o.input.n_files = 6;
        prepare(ranks, 2, &o);
        ranks[k].wire.broken_after = 1;
        run_ranks(ranks, 2);
        CHECK(ranks[0].status == SHOAL_E_IO && ranks[1].status == SHOAL_E_IO);
        CHECK(strstr(ranks[0].error, "the wire is cut") != NULL);
        free_ranks(ranks, 2);
    }

    o.input.n_files = 1;
    prepare(ranks, 2, &o); /* a sink of rank 0 */
    ranks[0].r.sink_fails = true;
    run_ranks(ranks, 2);
    for (int k = 0; k < 2; ++k) CHECK(ranks[k].status == SHOAL_E_IO);
    free_ranks(ranks, 2);

    prepare(ranks, 2, &o); /* ranks that do not mean the same */
    ranks[1].options.job = SHOAL_JOB_TYPE;
    run_ranks(ranks, 2);
    for (int k = 0; k < 2; ++k) CHECK(ranks[k].status == SHOAL_E_ARGUMENT);
    free_ranks(ranks, 2);
    o.peers = &(shoal_peers){.rank = 2, .size = 2};
    CHECK(shoal_stream_run(&o) == SHOAL_E_ARGUMENT);
}

/* A stop by any rank leaves the beginning of the input, all of it. */
static void test_stop(void)
{
    const char *files[] = {many_path, large_path, many_path, many_path};
    const shoal_relax_options relax = {.fmax = 1e-4, .max_steps = 150};
    shoal_stream_options o = {.input.files = files,
                              .input.n_files = 4,
                              .job = SHOAL_JOB_RELAX,
                              .compute.relax = &relax,
                              .compute.n_threads = 1,
                              .compute.slice_systems = 20};
    record whole = nothing;
    int n_cut_short = 0;
    CHECK(run(o, NULL, &whole) == SHOAL_OK);
    for (int k = 0; k < 4; ++k) {
        rank ranks[MOST_RANKS];
        prepare(ranks, 2 + k % 2, &o);
        ranks[k % 2].r.stop_at = 100 * (k / 2) + 1;
        run_ranks(ranks, 2 + k % 2);
        const record *r = &ranks[0].r;
        CHECK(ranks[0].status == SHOAL_OK && ranks[1].status == SHOAL_OK);
        CHECK(r->in_order && r->last.n_done == r->n_systems);
        CHECK(r->size <= whole.size && memcmp(r->text ? r->text : "", whole.text, r->size) == 0);
        n_cut_short += r->n_systems < whole.n_systems;
        free_ranks(ranks, 2 + k % 2);
    }
    CHECK(n_cut_short > 0);
    free(whole.text);
}

/* Two ranks that stop inside the large system, which is rank 1's, as rank 0 waits for that in the first that it takes. */
static void stop_in_large(rank ranks[MOST_RANKS], const shoal_stream_options *o)
{
    prepare(ranks, 2, o);
    ranks[0].r.steps = ranks[1].r.steps = true;
    ranks[0].r.until = &ranks[1].r.stopped;
    ranks[1].r.any_time = true;
    ranks[1].r.stop_at_step = 50;
    run_ranks(ranks, 2);
    CHECK(ranks[0].status == SHOAL_OK && ranks[1].status == SHOAL_OK);
    CHECK(atomic_load(&ranks[1].r.stopped));
}

/* How far a large system has come on another rank is told to rank 0, its trajectory with it, and a process goes on from there. */
static void test_state(void)
{
    const char *files[] = {large_path};
    const shoal_relax_options relax = {.fmax = 1e-3, .max_steps = 300, .every = 7};
    shoal_stream_options o = {.input.files = files,
                              .input.n_files = 1,
                              .job = SHOAL_JOB_RELAX,
                              .compute.relax = &relax,
                              .compute.n_threads = 1,
                              .compute.slice_systems = 5,
                              .resume.seconds = 1e6}; /* it is the stop that takes one */
    record whole = nothing, again = nothing, after = nothing;
    rank ranks[MOST_RANKS];
    whole.steps = again.steps = after.steps = true;
    CHECK(run(o, large_path, &whole) == SHOAL_OK);
    stop_in_large(ranks, &o);
    const record *r = &ranks[0].r;
    CHECK(r->state && r->last.state_index == LARGE_AT && r->n_systems <= LARGE_AT);
    o.input.first = r->n_systems;
    CHECK(run(o, large_path, &again) == SHOAL_OK);
    o.resume.state = r->state;
    o.resume.size = r->state_size;
    o.resume.index = r->last.state_index;
    CHECK(run(o, large_path, &after) == SHOAL_OK);
    CHECK(r->size + after.size == whole.size &&
          memcmp(r->text ? r->text : "", whole.text, r->size) == 0 &&
          memcmp(after.text, whole.text + r->size, after.size) == 0);
    CHECK(after.n_frames > 0 && after.n_frames <= again.n_frames - 50 / 7);
    free_ranks(ranks, 2);
    free(again.text);
    free(after.text);
    free(whole.text);
}

/* Others get their share. */
static void test_share(void)
{
    const char *files[] = {many_path, many_path, many_path, many_path};
    const shoal_stream_options o = {
        .input.files = files, .input.n_files = 4, .job = SHOAL_JOB_RELAX, .compute.n_threads = 1};
    rank ranks[MOST_RANKS];
    prepare(ranks, 2, &o);
    run_ranks(ranks, 2);
    const double share = (double)ranks[1].r.last.n_done / (double)ranks[0].r.last.n_done;
    (void)printf("rank 1 of 2: %.2f of the systems, %lld messages to it and %lld back\n", share,
                 (long long)boxes[1].n_came, (long long)boxes[0].n_came);
    CHECK(share > 0.2 && share < 0.8);
    free_ranks(ranks, 2);
}

int main(void)
{
    make_files("test_stream_peers");
    test_same("cpu");
    if (shoal_device_check("opencl:cpu") == SHOAL_OK)
        test_same("opencl:cpu");
    else
        (void)printf("opencl:cpu left out: %s\n", shoal_error_text());
    test_variants();
    test_results();
    test_jobs();
    test_failures();
    test_stop();
    test_state();
    test_share();
    remove_files();
    return check_done();
}
