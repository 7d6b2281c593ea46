/* SPDX-License-Identifier: BSD-3-Clause
 * Runs of several ranks: files are those of one process, also when the run was stopped and goes on with another number of
 * them, or cannot begin. */
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "files_fixture.h"
#include "peers_fixture.h"

#define IN "test_run_peers.xyz"
#define OUT "test_run_peers_out.csv"
enum { N_SYSTEMS = 2000 };

typedef struct rank {
    wire wire;
    int64_t seen, stop_at; /* systems; -1: it is not stopped */
    bool resume;
    const char *out;
    int32_t shard;
    shoal_run_result result;
    shoal_status status;
    char said[600];
    pthread_t thread;
} rank;

static void put_waters(void)
{
    FILE *file = fopen(IN, "w");
    for (int k = 0; file && k < N_SYSTEMS; ++k)
        (void)fprintf(file, "3\nwater%04d\nO 0 0 0\nH 0.96 0.%03d 0\nH -0.24 0.93 0\n", k, k % 50);
    CHECK(file && fclose(file) == 0);
}

static shoal_status see(void *user, const shoal_stream_system *systems, int32_t n)
{
    rank *r = user;
    const struct timespec moment = {.tv_nsec = 60000000};
    (void)systems;
    r->seen += n;
    /* Monitors come now and then. */
    if (r->stop_at >= 0 && r->seen >= r->stop_at) (void)nanosleep(&moment, NULL);
    return SHOAL_OK;
}

static bool watch(void *user, const shoal_stream_progress *progress)
{
    const rank *r = user;
    (void)progress;
    return r->stop_at < 0 || r->seen < r->stop_at;
}

static void *run_rank(void *p)
{
    static const char *const files[] = {IN};
    rank *r = p;
    shoal_run_output output;
    const shoal_stream_options stream = {
        .job = SHOAL_JOB_ENERGY,
        .input = {.files = files, .n_files = 1, .shard = r->shard, .n_shards = 2},
        .compute = {.n_threads = 1, .slice_systems = 5},
        .output = {.visit = see, .monitor = watch, .user = r},
        .peers = r->wire.link.size > 1 ? &r->wire.link : NULL};
    CHECK(shoal_run_output_choose(&output, r->out, NULL) == SHOAL_OK);
    const shoal_run_options o = {
        .stream = &stream, .outputs = &output, .n_outputs = 1, .resume = r->resume};
    r->status = shoal_run_stream(&o, &r->result);
    (void)snprintf(r->said, sizeof r->said, "%s", shoal_error_text());
    return NULL;
}

/* Stopped after so many systems, or not where that is -1; what rank 0 found. */
static rank run_ranks(int32_t n, int32_t shard, int64_t stop_at, bool resume, const char *out)
{
    rank ranks[MOST_RANKS] = {0};
    for (int32_t k = 0; k < n; ++k) {
        ranks[k] = (rank){.stop_at = stop_at, .resume = resume, .out = out, .shard = shard};
        wire_up(&ranks[k].wire, k, n);
    }
    for (int32_t k = 0; k < n; ++k)
        CHECK(pthread_create(&ranks[k].thread, NULL, run_rank, &ranks[k]) == 0);
    for (int32_t k = 0; k < n; ++k) {
        (void)pthread_join(ranks[k].thread, NULL);
        CHECK(ranks[k].result.leads == (k == 0));
        CHECK(k == 0 || ranks[k].seen == 0);
        drop_messages(k);
    }
    return ranks[0];
}

/* Stopped with three ranks, gone on with two and then with one, for both shards. */
static void test_going_on(void)
{
    for (int32_t shard = 0; shard < 2; ++shard) {
        rank r = run_ranks(1, shard, -1, false, "test_run_peers_whole.csv");
        CHECK(r.status == SHOAL_OK && r.result.counts.done == N_SYSTEMS / 2);
        r = run_ranks(3, shard, 20, false, OUT);
        CHECK(r.status == SHOAL_OK && r.result.stopped && r.result.saved);
        CHECK(access(OUT ".checkpoint", F_OK) == 0 && access(OUT, F_OK) != 0);
        r = run_ranks(2, shard, 20, true, OUT);
        CHECK(r.status == SHOAL_OK && r.result.stopped && r.result.resumed);
        r = run_ranks(1, shard, -1, true, OUT);
        CHECK(r.status == SHOAL_OK && r.result.counts.done == N_SYSTEMS / 2);
        CHECK(r.seen < N_SYSTEMS / 2);
        CHECK(are_same(OUT, "test_run_peers_whole.csv"));
        CHECK(access(OUT ".checkpoint", F_OK) != 0);
        (void)remove(OUT);
    }
    (void)remove("test_run_peers_whole.csv");
}

/* The others are told that there is nothing to do. */
static void test_refusal(void)
{
    CHECK(run_ranks(2, 0, 20, false, OUT).result.saved);
    const rank r = run_ranks(3, 1, -1, true, OUT);
    CHECK(r.status == SHOAL_E_ARGUMENT && !r.result.began);
    CHECK(strstr(r.said, "is of another run") != NULL);
    CHECK(run_ranks(2, 0, -1, true, OUT).status == SHOAL_OK);
    (void)remove(OUT);
}

int main(void)
{
    put_waters();
    test_going_on();
    test_refusal();
    (void)remove(IN);
    return check_done();
}
