/* SPDX-License-Identifier: BSD-3-Clause
 * What a file of results costs a run: bench_results energy|relax REPEATS FILE...
 * One line of JSON: wall time of the run on one thread, and processor time of formatting, writing and closing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "shoal/shoal.h"
#include "timing.h"

static const char path[] = "bench_results.h5";

typedef struct cost {
    shoal_results *results;
    int64_t n_systems;
    double format, write; /* s of processor time */
    double bytes;         /* of records */
} cost;

/* Processor time of this thread; a disk that waits takes none of it. */
static double busy(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const shoal_results_what what = {.forces = true};

static shoal_status format(void *user, const shoal_stream_system *system, shoal_string *out)
{
    cost *c = user;
    const double before = busy(), start = busy();
    const shoal_status status = shoal_results_format(&what, system, out);
    c->format += busy() - start - (start - before); /* without what asking takes */
    ++c->n_systems;
    return status;
}

static shoal_status put(void *user, const char *bytes, size_t n)
{
    cost *c = user;
    const double start = busy();
    const shoal_status status = shoal_results_write(c->results, bytes, n);
    c->write += busy() - start;
    c->bytes += (double)n;
    return status;
}

static int fail(void)
{
    (void)fprintf(stderr, "bench_results: %s\n", shoal_error_text());
    return 1;
}

static int measure(shoal_job job, const char *const *files, int32_t n_files)
{
    cost c = {0};
    struct stat st;
    const shoal_sink sink = {.format = format, .write = put, .user = &c};
    const shoal_results_header header = {.what = what, .files = files, .n_files = n_files};
    const shoal_stream_options options = {.input.files = files,
                                          .input.n_files = n_files,
                                          .job = job,
                                          .compute.n_threads = 1,
                                          .output.sinks = &sink,
                                          .output.n_sinks = 1};
    if (shoal_results_create(&c.results, path, &header, -1) != SHOAL_OK) return fail();
    const double start = timing_now();
    if (shoal_stream_run(&options) != SHOAL_OK) return fail();
    const double ran = busy(), run_s = timing_now() - start;
    if (shoal_results_close(c.results) != SHOAL_OK) return fail();
    const double close = busy() - ran;
    shoal_results_destroy(c.results);
    if (stat(path, &st) != 0 || c.n_systems == 0) return 1;
    const double per = 1e6 / (double)c.n_systems;
    (void)printf("{\"systems\":%lld,\"run_s\":%.3f,\"format_us\":%.3f,\"write_us\":%.3f,"
                 "\"close_us\":%.3f,\"share\":%.4f,\"record_bytes\":%.0f,\"file_bytes\":%.0f}\n",
                 (long long)c.n_systems, run_s, per * c.format, per * c.write, per * close,
                 (c.format + c.write + close) / run_s, c.bytes / (double)c.n_systems,
                 (double)st.st_size / (double)c.n_systems);
    (void)remove(path);
    return 0;
}

int main(int argc, char **argv)
{
    const int repeats = argc > 3 ? atoi(argv[2]) : 0;
    if (repeats < 1) {
        (void)fprintf(stderr, "bench_results energy|relax REPEATS FILE...\n");
        return 2;
    }
    const int32_t n = repeats * (argc - 3);
    const char **files = malloc((size_t)n * sizeof *files);
    if (!files) return 1;
    for (int32_t i = 0; i < n; ++i) files[i] = argv[3 + i % (argc - 3)];
    const int code =
        measure(strcmp(argv[1], "relax") == 0 ? SHOAL_JOB_RELAX : SHOAL_JOB_ENERGY, files, n);
    free((void *)files);
    return code;
}
