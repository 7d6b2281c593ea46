/* SPDX-License-Identifier: BSD-3-Clause
 * shoal bench --what file: a whole run, from the files to the texts. */
#include "bench_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "results.h"

const cli_word bench_jobs[] = {{"convert", SHOAL_JOB_READ},
                               {"types", SHOAL_JOB_TYPE},
                               {"energy", SHOAL_JOB_ENERGY},
                               {"relax", SHOAL_JOB_RELAX},
                               {0}};

/* One repeat. */
typedef struct file_run {
    const bench_file *b;
    row_style style;
    shoal_writer *writer;
    double seconds;
    int64_t n_systems, n_failed, n_bytes;
    uint64_t sum; /* of all texts, in their order */
    shoal_stream_progress last;
} file_run;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static shoal_status format_row(void *user, const shoal_stream_system *s, shoal_string *out)
{
    const file_run *run = user;
    const bool computed = run->b->job == SHOAL_JOB_RELAX || run->b->job == SHOAL_JOB_ENERGY;
    return computed ? shoal_row_json(run->b->job, &run->style, s, out) : SHOAL_OK;
}

static shoal_status format_frame(void *user, const shoal_stream_system *s, shoal_string *out)
{
    const file_run *run = user;
    shoal_frame frame = {0};
    if (run->b->job != SHOAL_JOB_READ) shoal_frame_of_system(&frame, s, run->style.files);
    const shoal_format format = shoal_writer_format(run->writer);
    return shoal_frame_format(out, format == SHOAL_FORMAT_AUTO ? SHOAL_FORMAT_SDF : format, s->mol,
                              &frame);
}

/* Repeats must give the same texts. */
static void note_text(file_run *run, const char *text, size_t size)
{
    run->n_bytes += (int64_t)size;
    run->sum = shoal_checksum_add(run->sum, text, size);
}

static shoal_status drop_rows(void *user, const char *text, size_t size)
{
    note_text(user, text, size);
    return SHOAL_OK;
}

static shoal_status write_frames(void *user, const char *text, size_t size)
{
    file_run *run = user;
    note_text(run, text, size);
    return run->writer ? shoal_writer_append(run->writer, text, size) : SHOAL_OK;
}

static shoal_status count(void *user, const shoal_stream_system *systems, int32_t n)
{
    file_run *run = user;
    run->n_systems += n;
    for (int32_t i = 0; i < n && run->b->job != SHOAL_JOB_READ; ++i) {
        const shoal_system_status status = systems[i].result.status;
        run->n_failed += status != SHOAL_SYSTEM_OK && status != SHOAL_SYSTEM_CONVERGED;
    }
    return SHOAL_OK;
}

static bool watch(void *user, const shoal_stream_progress *p)
{
    ((file_run *)user)->last = *p;
    return true;
}

static shoal_status run_once(file_run *run, const char **files, int n_files)
{
    const bench_file *b = run->b;
    const shoal_sink sinks[2] = {{.format = format_row, .write = drop_rows, .user = run},
                                 {.format = format_frame, .write = write_frames, .user = run}};
    run->style.files = files;
    const shoal_stream_options options = {.input.files = files,
                                          .input.n_files = n_files,
                                          .job = b->job,
                                          .compute.n_threads = b->n_threads,
                                          .compute.engine = b->engine,
                                          .typing.forcefield = b->typing,
                                          .output.sinks = sinks,
                                          .output.n_sinks = 2,
                                          .output.visit = count,
                                          .output.monitor = watch,
                                          .output.user = run};
    shoal_status status = SHOAL_OK;
    const double began = now();
    if (b->output) status = shoal_writer_open(&run->writer, b->output, SHOAL_FORMAT_AUTO);
    if (status == SHOAL_OK) status = shoal_stream_run(&options);
    if (status == SHOAL_OK && run->writer) status = shoal_writer_close(run->writer);
    run->seconds = now() - began;
    shoal_writer_destroy(run->writer);
    run->writer = NULL;
    return status;
}

static int compare_runs(const void *a, const void *b)
{
    const double x = ((const file_run *)a)->seconds, y = ((const file_run *)b)->seconds;
    return (x > y) - (x < y);
}

static void print_json(const bench_file *b, const file_run *median, double first, double spread)
{
    json j = {0};
    json_open(&j, NULL, '{');
    json_put(&j, "what", "file", "job", bench_jobs[b->job].text, "device_string", b->engine->device,
             "systems", median->n_systems, "failed", median->n_failed, "evaluations",
             median->last.n_evaluations, "threads", b->n_threads, "seconds", median->seconds,
             "first_seconds", first, "systems_per_s", (double)median->n_systems / median->seconds,
             "megabytes", 1e-6 * (double)median->n_bytes);
    json_open(&j, "thread_seconds", '{');
    for (int k = 0; k < SHOAL_N_STAGES; ++k)
        json_number(&j, shoal_stage_name((shoal_stage)k), median->last.seconds[k]);
    json_close(&j, '}');
    json_put(&j, "spread", spread, "repeats", b->repeats);
    (void)json_print_line(&j);
}

static void print_table(const bench_file *b, const file_run *median, double first, double spread)
{
    const double n = (double)median->n_systems;
    (void)printf("%s of %lld systems (%lld failed) on %s, %d threads: %.4g s, %.4g systems/s\n",
                 bench_jobs[b->job].text, (long long)median->n_systems, (long long)median->n_failed,
                 b->engine->device, b->n_threads, median->seconds, n / median->seconds);
    (void)printf("median of %d, spread %.1f %%; the first run of the process took %.4g s\n",
                 b->repeats, 100 * spread, first);
    (void)printf("%-10s%16s%16s%18s\n", "part", "thread seconds", "us/system", "systems/s/thread");
    for (int k = 0; k < SHOAL_N_STAGES; ++k) {
        const double t = median->last.seconds[k];
        if (t > 0)
            (void)printf("%-10s%16.4f%16.3f%18.4g\n", shoal_stage_name((shoal_stage)k), t,
                         1e6 * t / n, n / t);
    }
}

int bench_file_run(const bench_file *b, const char **files, int n_files)
{
    file_run *runs = calloc((size_t)b->repeats + 1, sizeof *runs);
    shoal_status status = runs ? SHOAL_OK : SHOAL_E_MEMORY;
    int code = EXIT_ALL_FINE;
    for (int k = 0; k <= b->repeats && status == SHOAL_OK; ++k) {
        runs[k].b = b;
        status = run_once(&runs[k], files, n_files);
        if (status == SHOAL_OK &&
            (runs[k].sum != runs[0].sum || runs[k].n_bytes != runs[0].n_bytes))
            code = EXIT_SOME_FAILED;
    }
    if (status != SHOAL_OK) {
        code = complain_of_status(status);
    } else if (code != EXIT_ALL_FINE) {
        cli_complain("two runs gave different texts: nothing is reported");
    } else {
        const double first = runs[0].seconds;
        qsort(runs + 1, (size_t)b->repeats, sizeof *runs, compare_runs);
        const file_run *median = &runs[1 + (b->repeats - 1) / 2];
        const double spread = (runs[b->repeats].seconds - runs[1].seconds) / median->seconds;
        (b->json ? print_json : print_table)(b, median, first, spread);
    }
    free(runs);
    return code;
}
