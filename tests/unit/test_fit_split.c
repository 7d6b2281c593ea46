/* SPDX-License-Identifier: BSD-3-Clause
 * Samples shared out among devices and ranks: the bits are those of one. */
#include <string.h>

#include "fit_planted.h"
#include "peers_fixture.h"

typedef struct found {
    shoal_fit_result result;
    double value[N_PLANTED], kept, predicted;
} found;

typedef struct rank {
    wire wire;
    const char *evaluator;
    int32_t stop_after; /* questions; 0: none */
    int32_t asked;
    found found;
    shoal_status status;
    char failure[200];
} rank;

static bool ask(void *user)
{
    rank *r = user;
    return r->stop_after > 0 && ++r->asked > r->stop_after;
}

static shoal_status go(rank *r, const shoal_peers *peers)
{
    const shoal_fit_options o = {
        .model = "morse", .n_threads = 1, .evaluator = r->evaluator, .peers = peers};
    const shoal_fit_run_options run = {.n_starts = 2, .seed = 5, .stop = ask, .user = r};
    const shoal_cv_options cv = {.n_folds = 3, .run = run};
    shoal_cv_result folds = {0};
    shoal_dataset *data = plant(12, &(shoal_fit_options){.model = "morse", .n_threads = 1}, 0.004);
    shoal_fit *fit = NULL;
    memset(&r->found, 0, sizeof r->found);
    shoal_status status = shoal_fit_create_memory(&fit, data, dofs, "dofs", &o);
    if (status == SHOAL_OK) status = shoal_fit_run(fit, &run, &r->found.result);
    if (status == SHOAL_OK && !r->found.result.stopped)
        status = shoal_fit_cross_validate(fit, &cv, &folds);
    r->found.result.seconds = 0.0;
    r->found.kept = folds.rmse;
    for (int32_t s = 0; folds.predicted && s < data->n_samples; ++s)
        r->found.predicted += folds.predicted[s];
    for (int32_t i = 0; fit && i < N_PLANTED; ++i) r->found.value[i] = fit->value[i];
    (void)snprintf(r->failure, sizeof r->failure, "%.190s", shoal_error_text());
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
    return status;
}

static void *work(void *user)
{
    rank *r = user;
    r->status = go(r, &r->wire.link);
    return NULL;
}

static void run_ranks(rank *ranks, int32_t n)
{
    pthread_t threads[MOST_RANKS];
    for (int32_t k = 0; k < n; ++k) wire_up(&ranks[k].wire, k, n);
    for (int32_t k = 0; k < n; ++k) CHECK(pthread_create(&threads[k], NULL, work, &ranks[k]) == 0);
    for (int32_t k = 0; k < n; ++k) CHECK(pthread_join(threads[k], NULL) == 0);
}

static void test_devices(const found *one)
{
    const char *device = getenv("SHOAL_TEST_DEVICE");
    char names[2][128];
    found first = {0};
    static const char *const lists[] = {"pairs,pairs", "pairs,pairs,pairs,pairs,pairs"};
    for (int k = 0; k < 2; ++k) {
        rank r = {.evaluator = lists[k]};
        CHECK(go(&r, NULL) == SHOAL_OK);
        CHECK(memcmp(&r.found, one, sizeof *one) == 0);
    }
    if (!device) device = "opencl:cpu";
    if (strncmp(device, "opencl", 6) != 0 || shoal_device_check(device) != SHOAL_OK) return;
    (void)snprintf(names[0], sizeof names[0], "%s,%s", device, device);
    (void)snprintf(names[1], sizeof names[1], "%s,%s,%s", device, device, device);
    for (int k = 0; k < 2; ++k) {
        rank r = {.evaluator = names[k]};
        CHECK(go(&r, NULL) == SHOAL_OK);
        CHECK_TEXT(r.failure, "");
        if (k == 0) first = r.found;
        CHECK(memcmp(&r.found, &first, sizeof first) == 0);
        CHECK_NEAR(r.found.result.rmse, one->result.rmse, 1e-9);
    }
    rank bad = {.evaluator = "pairs,slowly"};
    CHECK(go(&bad, NULL) == SHOAL_E_ARGUMENT);
    CHECK(strstr(bad.failure, "'slowly'") != NULL);
}

/* One to three ranks, with one or two devices each: what one process finds, on all of them. */
static void test_ranks(const found *one)
{
    for (int32_t n = 1; n <= MOST_RANKS; ++n) {
        rank ranks[MOST_RANKS] = {0};
        for (int32_t k = 0; k < n; ++k) ranks[k].evaluator = n == 2 ? "pairs,pairs" : "pairs";
        run_ranks(ranks, n);
        for (int32_t k = 0; k < n; ++k) {
            CHECK(ranks[k].status == SHOAL_OK);
            CHECK_TEXT(ranks[k].failure, "");
            CHECK(memcmp(&ranks[k].found, one, sizeof *one) == 0);
        }
    }
}

/* Rank 0 alone decides on stopping, and all stop at the same step. */
static void test_stop(void)
{
    rank ranks[2] = {{.evaluator = "pairs", .stop_after = 3},
                     {.evaluator = "pairs", .stop_after = 1}};
    run_ranks(ranks, 2);
    for (int32_t k = 0; k < 2; ++k)
        CHECK(ranks[k].status == SHOAL_OK && ranks[k].found.result.stopped);
    CHECK(ranks[1].asked == 0);
    CHECK(memcmp(&ranks[0].found, &ranks[1].found, sizeof ranks[0].found) == 0);
}

/* A rank whose wire is cut fails by itself. */
static void test_cut(void)
{
    rank r = {.evaluator = "pairs"};
    wire_up(&r.wire, 1, 2);
    r.wire.broken_after = 0;
    CHECK(go(&r, &r.wire.link) == SHOAL_E_IO);
    CHECK(strstr(r.failure, "the wire is cut") != NULL);
}

int main(void)
{
    rank r = {.evaluator = "pairs"};
    CHECK(go(&r, NULL) == SHOAL_OK);
    CHECK(r.found.result.converged);
    test_devices(&r.found);
    test_ranks(&r.found);
    test_stop();
    test_cut();
    return check_done();
}
