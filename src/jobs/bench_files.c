/* SPDX-License-Identifier: BSD-3-Clause
 * Whole runs, from the files to the texts, and what their threads spend their time on. */
#include <stdlib.h>

#include "base/alloc.h"
#include "jobs/bench.h"
#include "shoal/json.h"
#include "shoal/row.h"
#include "shoal/run.h"

/* One repeat. */
typedef struct file_run {
    const shoal_bench_files_options *b;
    shoal_row_style style;
    shoal_writer *writer;
    double seconds;
    int64_t n_systems, n_failed, n_bytes;
    uint64_t sum; /* of all texts, in their order */
    shoal_stream_progress last;
} file_run;

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

static shoal_status run_once(file_run *run, const char *const *files, int32_t n_files)
{
    const shoal_bench_files_options *b = run->b;
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
    const double began = bench_now();
    if (b->output) status = shoal_writer_open(&run->writer, b->output, SHOAL_FORMAT_AUTO);
    if (status == SHOAL_OK) status = shoal_stream_run(&options);
    if (status == SHOAL_OK && run->writer) status = shoal_writer_close(run->writer);
    run->seconds = bench_now() - began;
    shoal_writer_destroy(run->writer);
    run->writer = NULL;
    return status;
}

static int compare_runs(const void *a, const void *b)
{
    const double x = ((const file_run *)a)->seconds, y = ((const file_run *)b)->seconds;
    return (x > y) - (x < y);
}

shoal_status shoal_bench_files(const shoal_bench_files_options *options, const char *const *files,
                               int32_t n_files, shoal_bench_files_result *out)
{
    shoal_clear_error();
    SHOAL_NEED(options && options->engine && files && out && n_files > 0 && options->repeats > 0);
    const int32_t n = options->repeats;
    file_run *runs = shoal_alloc((size_t)n + 1, sizeof *runs);
    shoal_status status = runs ? SHOAL_OK : SHOAL_E_MEMORY;
    *out = (shoal_bench_files_result){.same = true};
    for (int32_t k = 0; k <= n && status == SHOAL_OK; ++k) {
        runs[k].b = options;
        status = run_once(&runs[k], files, n_files);
        out->same = out->same && runs[k].sum == runs[0].sum && runs[k].n_bytes == runs[0].n_bytes;
    }
    if (status == SHOAL_OK) {
        out->first_seconds = runs[0].seconds;
        qsort(runs + 1, (size_t)n, sizeof *runs, compare_runs);
        const file_run *median = &runs[1 + (n - 1) / 2];
        out->seconds = median->seconds;
        out->spread = (runs[n].seconds - runs[1].seconds) / median->seconds;
        out->n_systems = median->n_systems;
        out->n_failed = median->n_failed;
        out->n_bytes = median->n_bytes;
        out->last = median->last;
    }
    free(runs);
    return status;
}

void shoal_bench_files_json(shoal_json *j, const shoal_bench_files_options *options,
                            const shoal_bench_files_result *result)
{
    static const char *const jobs[] = {[SHOAL_JOB_READ] = "convert",
                                       [SHOAL_JOB_TYPE] = "types",
                                       [SHOAL_JOB_ENERGY] = "energy",
                                       [SHOAL_JOB_RELAX] = "relax"};
    const shoal_bench_files_result *r = result;
    if (!j || !options || !options->engine || !r) return;
    shoal_json_put(j, "what", "file", "job", jobs[options->job], "device_string",
                   options->engine->device, "systems", r->n_systems, "failed", r->n_failed,
                   "evaluations", r->last.n_evaluations, "threads", options->n_threads, "seconds",
                   r->seconds, "first_seconds", r->first_seconds, "systems_per_s",
                   (double)r->n_systems / r->seconds, "megabytes", 1e-6 * (double)r->n_bytes);
    shoal_json_open(j, "thread_seconds", '{');
    for (int k = 0; k < SHOAL_N_STAGES; ++k)
        shoal_json_number(j, shoal_stage_name((shoal_stage)k), r->last.seconds[k]);
    shoal_json_close(j, '}');
    shoal_json_put(j, "spread", r->spread, "repeats", options->repeats);
}
