/* SPDX-License-Identifier: BSD-3-Clause
 * Streams that lose nothing: records that cannot be read are systems that failed, a stream that was stopped
 * goes on where it ended, and shards make up the whole. */
#include "stream_fixture.h"

/* --- bad records --------------------------------------------------------------------------------- */

/* Its neighbours are what they are without it. */
static void test_unreadable(const char *device)
{
    const shoal_engine_options engine = {.device = device};
    for (int32_t n_threads = 1; n_threads <= 3; n_threads += 2)
        for (int job = SHOAL_JOB_READ; job <= SHOAL_JOB_RELAX; ++job) {
            const shoal_stream_options o = {
                .job = (shoal_job)job, .compute.n_threads = n_threads, .compute.engine = &engine};
            record bad = nothing, good = nothing;
            CHECK(run(o, good_path, &good) == SHOAL_OK && good.n_unreadable == 0);
            CHECK(run(o, bad_path, &bad) == SHOAL_OK);
            CHECK(bad.in_order && bad.n_systems == 101 && bad.n_unreadable == 1);
            CHECK(bad.last.n_failed == good.last.n_failed + 1);
            CHECK(strstr(bad.reason, bad_path) && strstr(bad.reason, "'here'"));
            for (int64_t k = 0; k < 101; ++k) CHECK(same_line(&bad, &good, k) == (k != 50));
            free(bad.text);
            free(good.text);
        }
}

/* Line and name of a bad SD record, and one that ends within itself. */
static void test_unreadable_sdf(void)
{
    static const char path[] = "test_stream_parts_bad.sdf";
    FILE *file = begin(path);
    (void)fprintf(file, "fine\n\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n"
                        "    0.0000    0.0000    0.0000 O   0  0\nM  END\n$$$$\n"
                        " a name \n\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n"
                        "    0.0000    0.0000    0.0000 Xx  0  0\nM  END\n$$$$\n");
    CHECK(fclose(file) == 0);
    record r = nothing;
    shoal_stream_options o = {.job = SHOAL_JOB_RELAX};
    CHECK(run(o, path, &r) == SHOAL_OK && r.n_systems == 2 && r.n_unreadable == 1);
    CHECK(r.unreadable_line == 8);
    CHECK_TEXT(r.name, "a name");
    CHECK(strstr(r.reason, "test_stream_parts_bad.sdf:12:") != NULL);
    free(r.text);
    o.input.strict = true;
    CHECK(run(o, path, &r) == SHOAL_E_FORMAT && r.n_systems == 1);
    free(r.text);
    (void)remove(path);
}

/* --- stopped and continued ------------------------------------------------------------------------ */

/* Whatever the moment of the stop: what was handed on and what a second stream does are the whole. */
static void test_stop_and_go(const char *device)
{
    const bool is_cpu = strcmp(device, "cpu") == 0;
    const char *files[] = {many_path, is_cpu ? large_path : more_path, many_path, many_path};
    const shoal_engine_options engine = {.device = device};
    const shoal_relax_options relax = {.fmax = 1e-4, .max_steps = 150};
    shoal_stream_options o = {.input.files = files,
                              .input.n_files = 4,
                              .job = SHOAL_JOB_RELAX,
                              .compute.engine = &engine,
                              .compute.relax = &relax,
                              .compute.slice_systems = is_cpu ? 20 : 150};
    record whole = nothing;
    int n_cut_short = 0;
    CHECK(run(o, NULL, &whole) == SHOAL_OK);
    for (int32_t k = 0; k < 4; ++k) {
        record before = nothing, after = nothing;
        o.input.first = 0;
        o.compute.n_threads = 1 + k % 3;
        before.stop_at = 100 * k;
        CHECK(run(o, NULL, &before) == SHOAL_OK);
        CHECK(before.in_order && before.n_unfinished == 0);
        CHECK(before.last.n_done == before.n_systems);
        CHECK(before.size <= whole.size &&
              memcmp(before.text ? before.text : "", whole.text, before.size) == 0);
        n_cut_short += before.n_systems > 0 && before.n_systems < whole.n_systems;
        o.input.first = before.n_systems;
        CHECK(run(o, NULL, &after) == SHOAL_OK);
        CHECK(after.in_order && before.n_systems + after.n_systems == whole.n_systems);
        CHECK(after.size == whole.size - before.size &&
              memcmp(after.text ? after.text : "", whole.text + before.size, after.size) == 0);
        free(before.text);
        free(after.text);
    }
    CHECK(n_cut_short > 0 || !is_cpu); /* a fast device may have done all of it at once */
    free(whole.text);
}

/* A large system that was stopped goes on from its state, its trajectory with it. */
static void test_state(void)
{
    const shoal_relax_options relax = {.fmax = 1e-3, .max_steps = 300, .every = 7};
    shoal_stream_options o = {.job = SHOAL_JOB_RELAX,
                              .compute.relax = &relax,
                              .compute.n_threads = 2,
                              .resume.seconds = 1e-3};
    record whole = nothing, before = nothing, after = nothing;
    whole.steps = before.steps = after.steps = true;
    /* The calling thread sees a state if it wakes before the system is done: on a busy machine not every time. */
    for (int32_t k = 0; k < 20 && whole.n_states == 0; ++k) {
        free(whole.text);
        CHECK(run(o, large_path, &whole) == SHOAL_OK && whole.n_systems == LARGE_AT + 61);
        CHECK(!whole.state); /* nothing is left to do */
    }
    CHECK(whole.n_states > 0);
    o.resume.seconds = 1e6; /* it is the stop that takes one */
    before.stop_at_step = 50;
    CHECK(run(o, large_path, &before) == SHOAL_OK);
    CHECK(before.n_systems == LARGE_AT && before.state && before.last.state_index == LARGE_AT);
    o.input.first = before.n_systems;
    o.resume.state = before.state;
    o.resume.size = before.state_size;
    o.resume.index = before.last.state_index;
    o.compute.n_threads = 1;
    CHECK(run(o, large_path, &after) == SHOAL_OK && after.n_systems == 61);
    CHECK(before.size + after.size == whole.size &&
          memcmp(before.text, whole.text, before.size) == 0 &&
          memcmp(after.text, whole.text + before.size, after.size) == 0);
    CHECK(after.last.n_evaluations < whole.last.n_evaluations);
    free(after.text);
    /* What does not fit is said, not passed over. */
    o.resume.size -= 1;
    CHECK(run(o, large_path, &after) == SHOAL_E_ARGUMENT);
    CHECK(strstr(shoal_error_text(), "state") != NULL);
    free(after.text);
    o.resume.size += 1;
    o.resume.index = LARGE_AT + 1; /* another system, and a small one */
    CHECK(run(o, large_path, &after) == SHOAL_E_ARGUMENT);
    free(after.text);
    free(after.state);
    free(before.text);
    free(before.state);
    free(whole.text);
}

/* When the last system is done, its state is of no use to anybody. */
static void test_last_state(void)
{
    static const char path[] = "test_stream_parts_last.xyz";
    const shoal_relax_options relax = {.fmax = 1e-6, .max_steps = 40};
    const shoal_stream_options o = {
        .job = SHOAL_JOB_RELAX, .compute.relax = &relax, .resume.seconds = 1e-3};
    record r = nothing;
    FILE *file = begin(path);
    put_chain(file, N_CHAIN / 3, 1);
    CHECK(fclose(file) == 0);
    CHECK(run(o, path, &r) == SHOAL_OK && r.n_systems == 1 && !r.state && r.state_size == 0);
    free(r.text);
    const shoal_md_options md = {.n_steps = 5000};
    const shoal_stream_options dynamics = {
        .job = SHOAL_JOB_MD, .compute.md = &md, .resume.seconds = 1e-5};
    file = begin(path);
    put_chain(file, 8, 1);
    CHECK(fclose(file) == 0);
    CHECK(run(dynamics, path, &r) == SHOAL_OK && r.n_systems == 1 && !r.state && r.state_size == 0);
    free(r.text);
    (void)remove(path);
}

/* Trajectories come with their systems, whatever the threads. */
static void test_steps(const char *device)
{
    const shoal_engine_options engine = {.device = device};
    const shoal_relax_options relax = {.every = 10};
    shoal_stream_options o = {.job = SHOAL_JOB_RELAX,
                              .compute.relax = &relax,
                              .compute.engine = &engine,
                              .compute.n_threads = 1};
    record with = nothing, again = nothing, without = nothing;
    with.steps = again.steps = true;
    CHECK(run(o, many_path, &with) == SHOAL_OK && with.in_order);
    o.compute.n_threads = 3;
    o.compute.slice_systems = 33;
    CHECK(run(o, many_path, &again) == SHOAL_OK);
    check_same(&with, &again, "a trajectory");
    CHECK(run(o, many_path, &without) == SHOAL_OK);
    CHECK(with.size > without.size && strncmp(with.text, "0 step ", 7) == 0);
    /* Without its steps it is the other text. */
    const char *line = with.text, *other = without.text;
    int64_t index = 0;
    while (line && *line) {
        const char *end = strchr(line, '\n') + 1;
        CHECK(strtoll(line, NULL, 10) == index);
        if (!strstr(line, " step ") || strstr(line, " step ") > end) {
            CHECK(strncmp(line, other, (size_t)(end - line)) == 0);
            other += end - line;
            ++index;
        }
        line = end;
    }
    CHECK(index == N_MANY);
    free(with.text);
    free(again.text);
    free(without.text);
}

static void test_first(void)
{
    const char *files[] = {more_path, many_path, bad_path};
    shoal_stream_options o = {
        .input.files = files, .input.n_files = 3, .job = SHOAL_JOB_TYPE, .compute.n_threads = 2};
    record whole = nothing;
    CHECK(run(o, NULL, &whole) == SHOAL_OK && whole.n_systems == N_MANY + 104);
    static const int64_t firsts[] = {
        1, 2, 3, 4, 511, 512, 513, N_MANY + 3, N_MANY + 103, N_MANY + 104, 100000};
    for (size_t k = 0; k < sizeof firsts / sizeof firsts[0]; ++k) {
        record r = nothing;
        const int64_t left = N_MANY + 104 - firsts[k];
        size_t size;
        o.input.first = firsts[k];
        CHECK(run(o, NULL, &r) == SHOAL_OK && r.in_order);
        CHECK(r.n_systems == (left > 0 ? left : 0) && r.last.n_read == r.n_systems);
        const char *rest = line_of(&whole, firsts[k], &size);
        CHECK(r.size == strlen(rest) && memcmp(r.text ? r.text : "", rest, r.size) == 0);
        free(r.text);
    }
    free(whole.text);
}

/* Every system comes out of one shard, as it does of the whole. */
static void test_shards(void)
{
    const char *files[] = {more_path, bad_path, many_path};
    shoal_stream_options o = {.input.files = files, .input.n_files = 3, .job = SHOAL_JOB_ENERGY};
    record whole = nothing;
    CHECK(run(o, NULL, &whole) == SHOAL_OK);
    static const int32_t counts[] = {1, 2, 3, 7, 1000};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; ++k) {
        int64_t n = 0;
        o.input.n_shards = counts[k];
        for (o.input.shard = 0; o.input.shard < (counts[k] < 8 ? counts[k] : 3); ++o.input.shard) {
            record r = nothing;
            CHECK(run(o, NULL, &r) == SHOAL_OK && r.in_order);
            for (int64_t i = o.input.shard; i < whole.n_systems; i += counts[k])
                CHECK(same_line(&r, &whole, i));
            n += r.n_systems;
            free(r.text);
        }
        CHECK(n == (counts[k] < 8 ? whole.n_systems : 3));
    }
    o.input.shard = o.input.n_shards = 2;
    CHECK(shoal_stream_run(&o) == SHOAL_E_ARGUMENT);
    o = (shoal_stream_options){.input.first = -1};
    CHECK(shoal_stream_run(&o) == SHOAL_E_ARGUMENT);
    free(whole.text);
}

int main(void)
{
    const char *device = getenv("SHOAL_TEST_DEVICE");
    if (!device) device = "opencl:cpu";
    make_files("test_stream_parts");
    test_unreadable("cpu");
    test_stop_and_go("cpu");
    if (shoal_device_check(device) == SHOAL_OK) {
        test_unreadable(device);
        test_stop_and_go(device);
    } else {
        (void)printf("%s left out: %s\n", device, shoal_error_text());
        CHECK(!getenv("CI"));
    }
    test_unreadable_sdf();
    test_steps("cpu");
    test_state();
    test_last_state();
    test_first();
    test_shards();
    remove_files();
    return check_done();
}
