/* SPDX-License-Identifier: BSD-3-Clause
 * --dry-run: what a command would compute, and the memory it would take. */
#include "dry_run.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "engine_options.h"
#include "json.h"
#include "run.h"

#define MIB (1.0 / (1024 * 1024))
#define BATCH_SYSTEMS 8192 /* that a stream hands to a device at a time, several times over */
#define WORKER_SYSTEMS 100 /* that one thread at least has to itself */
/* A further thread of the cpu has blocks, topologies and an engine of its own. Measured with 2 to 16 threads and molecules
 * of 23 atoms, bytes; a relaxation has tables in two precisions, and its state. */
#define WORKER_BYTES ((int64_t)3 << 20)
#define RELAXING_WORKER_BYTES ((int64_t)6 << 20)

const cli_option dry_run_options[] = {
    {"dry-run", 0, NULL, "read and type everything, print the plan and its memory, and stop"},
    {NULL, 0, NULL, NULL},
};

bool take_dry_run_option(void *target, const char *name, const char *value)
{
    (void)name;
    (void)value;
    ((dry_run *)target)->wanted = true;
    return true;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Plans for the systems that have come together. */
static int plan_batch(dry_run *d)
{
    shoal_plan plan;
    if (!d->batch) return EXIT_ALL_FINE;
    const shoal_status status = shoal_engine_plan(d->batch, d->engine, &plan);
    shoal_batch_destroy(d->batch);
    d->batch = NULL;
    if (status != SHOAL_OK) return complain_of_status(status);
    if (d->relaxing && !plan.relaxes) {
        cli_complain("relax: the device '%s' computes single points only", d->engine->device);
        return EXIT_DEVICE;
    }
    ++d->n_chunks;
    d->n_systems += plan.n_systems;
    d->n_untyped += plan.n_untyped;
    d->n_atoms += plan.n_atoms;
    d->n_topologies += plan.n_topologies;
    d->n_small += plan.n_small;
    d->n_large += plan.n_large;
    d->n_slices += plan.n_slices;
    d->host_bytes = larger(d->host_bytes, plan.host_bytes);
    d->device_bytes = larger(d->device_bytes, plan.device_bytes);
    d->device_memory = plan.device_memory;
    memcpy(d->name, plan.name, sizeof d->name);
    return EXIT_ALL_FINE;
}

/* Most memory that this process has held, bytes. */
static int64_t peak_memory(void)
{
    char line[128];
    long long kib = 0;
    FILE *file = fopen("/proc/self/status", "r"); /* rusage counts what ran before exec, too */
    while (file && kib == 0 && fgets(line, sizeof line, file))
        (void)sscanf(line, "VmHWM: %lld kB", &kib);
    if (file) (void)fclose(file);
    if (kib > 0) return 1024 * kib;
    struct rusage used;
    if (getrusage(RUSAGE_SELF, &used) != 0) return 0;
#ifdef __APPLE__
    return used.ru_maxrss;
#else
    return 1024 * (int64_t)used.ru_maxrss;
#endif
}

static int64_t count_threads(const dry_run *d)
{
    if (d->n_threads > 0) return d->n_threads;
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return sysconf(_SC_NPROCESSORS_ONLN);
#endif
}

/* Of the threads beside the first, bytes. */
static int64_t worker_memory(const dry_run *d)
{
    const int64_t most = d->n_systems / WORKER_SYSTEMS, others = count_threads(d) - 1;
    if (strcmp(d->engine->device, "cpu") != 0) return 0;
    return (others < most ? others : most) * (d->relaxing ? RELAXING_WORKER_BYTES : WORKER_BYTES);
}

/* With a grid that would be built, bytes. */
static int64_t host_memory(const dry_run *d)
{
    return peak_memory() + d->host_bytes + worker_memory(d) + (d->grid ? d->grid->bytes : 0);
}

static void print_json(const dry_run *d, const shoal_engine_options *options)
{
    json j = {0};
    json_open(&j, NULL, '{');
    json_put(&j, "device", options->device, "device_name", d->name, "precision",
             precision_name(options->precision), "systems", d->n_systems, "untyped", d->n_untyped,
             "atoms", d->n_atoms, "topologies", d->n_topologies, "small", d->n_small, "large",
             d->n_large, "chunks", d->n_chunks, "slices", d->n_slices, "host_bytes",
             host_memory(d));
    json_put(&j, "device_bytes", d->device_bytes, "device_memory", d->device_memory);
    if (d->grid) {
        json_put(&j, "grid", d->grid->text, "grid_bytes", d->grid->bytes, "grid_seconds",
                 d->grid->seconds);
    }
    (void)json_print_line(&j);
}

/* On the host, that is on top of what reading, typing and planning took at most: so much would a run. */
static void print(const dry_run *d, const shoal_engine_options *options, bool as_json)
{
    if (as_json) {
        print_json(d, options);
        return;
    }
    (void)printf("device       %s%s%s\n", options->device, d->name[0] ? ", " : "", d->name);
    (void)printf("precision    %s\n", precision_name(options->precision));
    (void)printf("systems      %lld, of these %lld untyped; %lld atoms\n", (long long)d->n_systems,
                 (long long)d->n_untyped, (long long)d->n_atoms);
    (void)printf("topologies   %lld\n", (long long)d->n_topologies);
    if (d->n_small + d->n_large > 0)
        (void)printf("schedule     %lld small, %lld large or periodic\n", (long long)d->n_small,
                     (long long)d->n_large);
    (void)printf("parts        %lld as read from the files, %lld as worked on\n",
                 (long long)d->n_chunks, (long long)d->n_slices);
    if (d->grid) (void)printf("grid         %s\n", d->grid->text);
    (void)printf("host         about %.1f MiB\n", (double)host_memory(d) * MIB);
    if (d->device_memory > 0)
        (void)printf("device       %.1f of %.1f MiB\n", (double)d->device_bytes * MIB,
                     (double)d->device_memory * MIB);
}

static int visit(void *user, const shoal_stream_system *systems, int32_t n)
{
    dry_run *d = user;
    const int code = systems_batch(systems, n, &d->batch);
    if (code != EXIT_ALL_FINE || shoal_batch_size(d->batch) < BATCH_SYSTEMS) return code;
    return plan_batch(d);
}

int dry_run_files(dry_run *d, const systems_options *options, const char **files, int n_files,
                  const shoal_stream_options *stream)
{
    systems_job job = {.stream = *stream, .visit = visit, .user = d, .plans = true};
    job.stream.job = SHOAL_JOB_TYPE;
    d->engine = stream->compute.engine;
    d->n_threads = options->n_threads;
    int code = run_systems(options, files, n_files, &job);
    if (code == EXIT_ALL_FINE) code = plan_batch(d);
    if (code == EXIT_ALL_FINE) print(d, stream->compute.engine, options->json);
    shoal_batch_destroy(d->batch);
    d->batch = NULL;
    return code;
}
