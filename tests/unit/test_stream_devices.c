/* SPDX-License-Identifier: BSD-3-Clause
 * Several devices in one stream: every system has the bits of the device that computed it, and what a device
 * that fails leaves behind is computed by the others. */
#include <stdatomic.h>

#include "base/error.h"
#include "stream_fixture.h"
#include "variants_fixture.h"

enum { N_ALL = 2 * N_MANY + LARGE_AT + 61 };

static const char *files[3]; /* of that many systems */

/* --- devices that fail ---------------------------------------------------------------------------- */

static const char *failing = ""; /* beginning of the device's name */
static _Atomic int n_left;       /* engines that it can still make */
static _Atomic int n_once =
    -1; /* engines until one of them is not made, but all behind it; below 0: all are */

shoal_status __wrap_shoal_engine_create(shoal_engine **out, const shoal_batch *batch,
                                        const shoal_engine_options *options);
shoal_status __real_shoal_engine_create(shoal_engine **out, const shoal_batch *batch,
                                        const shoal_engine_options *options);

shoal_status __wrap_shoal_engine_create(shoal_engine **out, const shoal_batch *batch,
                                        const shoal_engine_options *options)
{
    if (*failing && strncmp(options->device, failing, strlen(failing)) == 0 &&
        atomic_fetch_sub(&n_left, 1) <= 0)
        return shoal_fail(SHOAL_E_DEVICE, "%s has gone up in smoke", options->device);
    if (atomic_load(&n_once) >= 0 && atomic_fetch_sub(&n_once, 1) == 0)
        return shoal_fail(SHOAL_E_DEVICE, "%s has a cold", options->device);
    return __real_shoal_engine_create(out, batch, options);
}

/* --- tests --------------------------------------------------------------------------------------- */

static shoal_status run_on(const char *device, char (*devices)[32], record *r)
{
    const shoal_engine_options engine = {.device = device};
    const shoal_relax_options relax = {.fmax = 0.05, .max_steps = 60};
    const shoal_stream_options o = {.input.files = files,
                                    .input.n_files = 3,
                                    .job = SHOAL_JOB_RELAX,
                                    .compute.engine = &engine,
                                    .compute.relax = &relax,
                                    .compute.slice_systems = 30,
                                    .compute.n_threads = 2};
    *r = nothing;
    r->devices = devices;
    return run(o, NULL, r);
}

/* A list of devices, against each of them alone. */
static void test_list(const char *list, const char *const names[2])
{
    static char devices[N_ALL][32];
    record alone[2], together;
    int64_t n_on[2] = {0, 0};
    for (int k = 0; k < 2; ++k) CHECK(run_on(names[k], devices, &alone[k]) == SHOAL_OK);
    CHECK_TEXT(devices[N_ALL - 1], names[1]);
    CHECK(run_on(list, devices, &together) == SHOAL_OK && together.in_order);
    CHECK(together.n_systems == N_ALL);
    for (int64_t i = 0; i < N_ALL; ++i) {
        const int k = strcmp(devices[i], names[0]) == 0 ? 0 : 1;
        CHECK_TEXT(devices[i], names[k]);
        CHECK(same_line(&together, &alone[k], i));
        ++n_on[k];
    }
    (void)printf("%s: %lld and %lld systems\n", list, (long long)n_on[0], (long long)n_on[1]);
    CHECK(n_on[0] > 0);
    free(together.text);

    failing = names[0];
    atomic_store(&n_left, 3);
    CHECK(run_on(list, devices, &together) == SHOAL_OK && together.in_order);
    CHECK(together.n_systems == N_ALL);
    for (int64_t i = 0; i < N_ALL; ++i)
        CHECK(same_line(&together, &alone[strcmp(devices[i], names[0]) != 0], i));
    CHECK_TEXT(devices[N_ALL - 1], names[1]);
    free(together.text);
    failing = "";
    for (int k = 0; k < 2; ++k) free(alone[k].text);
}

/* --- series --------------------------------------------------------------------------------------- */

enum { SERIES = 3 };

/* Starts where the one before it ended, a little out of shape. */
static shoal_status follow(void *user, const shoal_stream_system *s,
                           const shoal_stream_system *earlier, int32_t n_earlier, double (*pos)[3],
                           shoal_restraint *restraints)
{
    (void)user;
    (void)restraints;
    bend_further(s, earlier, n_earlier, 0.02, 5, pos);
    return SHOAL_OK;
}

static shoal_status run_series(const char *device, char (*devices)[32], record *r)
{
    const shoal_engine_options engine = {.device = device};
    const shoal_relax_options relax = {.fmax = 0.05, .max_steps = 60};
    const shoal_variants variants = {.n = 2 * SERIES, .series = SERIES, .make = follow};
    const shoal_stream_options o = {.job = SHOAL_JOB_RELAX,
                                    .compute.engine = &engine,
                                    .compute.relax = &relax,
                                    .build.variants = &variants,
                                    .compute.slice_systems = 10,
                                    .compute.n_threads = 2};
    *r = nothing;
    r->devices = devices;
    return run(o, many_path, r);
}

/* A series that a device leaves half done begins anew on another one. */
static void test_series(const char *list, const char *const names[2])
{
    enum { N = 2 * SERIES * N_MANY };
    static char devices[N][32];
    record alone[2], together;
    for (int k = 0; k < 2; ++k) CHECK(run_series(names[k], NULL, &alone[k]) == SHOAL_OK);
    failing = names[0];
    atomic_store(&n_left, 2 * SERIES - 1); /* in the middle of one */
    CHECK(run_series(list, devices, &together) == SHOAL_OK && together.in_order);
    CHECK(together.n_systems == N);
    for (int64_t i = 0; i < N; ++i) {
        CHECK(same_line(&together, &alone[strcmp(devices[i], names[0]) != 0], i));
        CHECK_TEXT(devices[i], devices[i - i % SERIES]);
    }
    failing = "";
    free(together.text);
    for (int k = 0; k < 2; ++k) free(alone[k].text);
}

/* A device that fails once is asked again, for one system or one series at a time, before it is given up. */
static void test_once(void)
{
    static char devices[N_ALL][32];
    record whole, once;
    CHECK(run_on("cpu", devices, &whole) == SHOAL_OK);
    for (int k = 0; k < 6; k += 5) {
        atomic_store(&n_once, k);
        CHECK(run_on("cpu", devices, &once) == SHOAL_OK && once.in_order);
        CHECK(atomic_load(&n_once) < 0 && once.n_systems == N_ALL);
        for (int64_t i = 0; i < N_ALL; ++i) CHECK(same_line(&once, &whole, i));
        free(once.text);
    }
    free(whole.text);
    CHECK(run_series("cpu", NULL, &whole) == SHOAL_OK);
    atomic_store(&n_once, 2 * SERIES - 1);
    CHECK(run_series("cpu", NULL, &once) == SHOAL_OK && once.in_order);
    for (int64_t i = 0; i < 2 * SERIES * N_MANY; ++i) CHECK(same_line(&once, &whole, i));
    free(whole.text);
    free(once.text);
}

/* The last device that fails ends the stream, with all that came before it. */
static void test_last(const char *list)
{
    record r;
    failing = "";
    for (int k = 0; k < 3; ++k) {
        failing = k == 0 ? "opencl" : k == 1 ? "cpu" : "";
        atomic_store(&n_left, 4);
        const bool ok = run_on(k == 0 ? "opencl:cpu" : k == 1 ? "cpu" : list, NULL, &r) == SHOAL_OK;
        CHECK(ok == (k == 2));
        CHECK(ok || strstr(shoal_error_text(), "gone up in smoke"));
        CHECK(r.in_order && (ok || r.n_systems < N_ALL));
        free(r.text);
    }
    failing = "";
}

static void check_refused(const char *list, const char *why)
{
    record r;
    const shoal_status status = run_on(list, NULL, &r);
    CHECK(status == SHOAL_E_DEVICE || status == SHOAL_E_UNSUPPORTED);
    CHECK(strstr(shoal_error_text(), why) != NULL);
    CHECK(r.n_systems == 0);
    free(r.text);
}

int main(void)
{
    make_files("test_stream_devices");
    files[0] = many_path;
    files[1] = large_path;
    files[2] = many_path;
    test_once();
    check_refused("cpu,nonsense", "nonsense");
    check_refused("cpu,cpu", "named twice");
    check_refused("cpu,auto", "auto");
    check_refused("cpu,ref", "same processor");
    check_refused("cpu,", "''");
    check_refused("cpu,opencl:99", "99");
    if (shoal_device_check("opencl:cpu") == SHOAL_OK) {
        test_list("opencl:cpu,cpu", (const char *const[]){"opencl:cpu", "cpu"});
        test_list("opencl:0,opencl:cpu", (const char *const[]){"opencl:0", "opencl:cpu"});
        test_series("opencl:cpu,cpu", (const char *const[]){"opencl:cpu", "cpu"});
        test_last("opencl:cpu,cpu");
    } else {
        (void)printf("opencl:cpu left out: %s\n", shoal_error_text());
        CHECK(!getenv("CI"));
    }
    remove_files();
    return check_done();
}
