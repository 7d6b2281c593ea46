/* SPDX-License-Identifier: BSD-3-Clause
 * Streams of files of results: what comes out is what the files give that the results were read from. */
#include "results_input.h"

static const char path[] = "test_stream_results.h5";

/* Compares a stream of the results with one of the file itself; lines of records differ and are not told. */
static void check_input(shoal_stream_options o, const char *file, const char *what)
{
    record want = nothing, have = nothing;
    CHECK(run(o, file, &want) == SHOAL_OK);
    CHECK(run(o, path, &have) == SHOAL_OK);
    check_same(&have, &want, what);
    CHECK(have.n_systems == want.n_systems && have.n_unreadable == want.n_unreadable);
    CHECK_TEXT(have.reason, want.reason);
    CHECK_TEXT(have.name, want.name);
    CHECK(have.last.part > 0.999);
    free(want.text);
    free(have.text);
    free(want.state);
    free(have.state);
}

static void test_same(void)
{
    const char *const file = many_path;
    const shoal_relax_options relax = {.fmax = 0.05, .max_steps = 40};
    const shoal_engine_options engine = {.device = "cpu"};
    shoal_stream_options o = {
        .compute.relax = &relax, .compute.engine = &engine, .compute.n_threads = 2};
    CHECK(make_results(path, &file, 1, SHOAL_JOB_READ) == SHOAL_OK);
    for (int job = SHOAL_JOB_READ; job <= SHOAL_JOB_RELAX; ++job) {
        o.job = (shoal_job)job;
        check_input(o, many_path, "a job");
    }
    o.input.first = 333;
    o.compute.slice_systems = 20;
    check_input(o, many_path, "from the middle on");
    o.input.shard = 2;
    o.input.n_shards = 3;
    check_input(o, many_path, "a shard");
}

/* One that could not be read still cannot, for the same reason; a large one is a block of its own. */
static void test_others(void)
{
    const char *file = bad_path;
    const shoal_engine_options engine = {.device = "cpu"};
    shoal_stream_options o = {
        .job = SHOAL_JOB_ENERGY, .compute.engine = &engine, .compute.n_threads = 2};
    CHECK(make_results(path, &file, 1, SHOAL_JOB_READ) == SHOAL_OK);
    check_input(o, bad_path, "a bad record");
    o.input.strict = true;
    record r = nothing;
    CHECK(run(o, path, &r) == SHOAL_E_FORMAT && r.n_systems == 50);
    free(r.text);
    free(r.state);
    o.input.strict = false;
    file = "test_stream_results_bad.sdf"; /* its name is known */
    FILE *bad = fopen(file, "w");
    (void)fputs("the name\n\n\nno counts\nM  END\n$$$$\n", bad);
    (void)fclose(bad);
    CHECK(make_results(path, &file, 1, SHOAL_JOB_READ) == SHOAL_OK);
    check_input(o, file, "a bad record with a name");
    (void)remove(file);
    file = large_path;
    CHECK(make_results(path, &file, 1, SHOAL_JOB_READ) == SHOAL_OK);
    check_input(o, large_path, "a large system");
}

/* Only streams read them; two files one after the other are one input. */
static void test_kinds(void)
{
    shoal_reader *reader = NULL;
    CHECK(shoal_format_by_path("a/b.H5") == SHOAL_FORMAT_HDF5);
    CHECK(shoal_format_by_name("hdf5") == SHOAL_FORMAT_HDF5);
    CHECK(shoal_reader_open(&reader, path, SHOAL_FORMAT_AUTO) == SHOAL_E_UNSUPPORTED && !reader);
    CHECK(strstr(shoal_error_text(), "streams") != NULL);
    const char *files[] = {path, more_path, path};
    const shoal_stream_options o = {
        .input.files = files, .input.n_files = 3, .job = SHOAL_JOB_READ};
    record r = nothing;
    CHECK(run(o, NULL, &r) == SHOAL_OK && r.in_order);
    CHECK(r.n_systems == 2 * (LARGE_AT + 1 + 60) + 3);
    free(r.text);
    free(r.state);
    record none = nothing;
    CHECK(run((shoal_stream_options){.job = SHOAL_JOB_READ}, "no_such.h5", &none) == SHOAL_E_IO);
    free(none.text);
    free(none.state);
}

int main(void)
{
    const char *file = "test_stream_results_none.xyz";
    make_files("test_stream_results");
    if (make_results(path, &file, 0, SHOAL_JOB_READ) == SHOAL_E_UNSUPPORTED) {
        (void)printf("skipped: this build has no HDF5\n");
        remove_files();
        return 77;
    }
    test_same();
    test_others();
    test_kinds();
    remove_files();
    (void)remove(path);
    return check_done();
}
