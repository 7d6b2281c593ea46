/* SPDX-License-Identifier: BSD-3-Clause
 * --dry-run: what a command would compute, and the memory it would take. */
#include "dry_run.h"

#include <stdio.h>

#include "engine_options.h"
#include "json.h"
#include "run.h"

#define MIB (1.0 / (1024 * 1024))

const cli_option dry_run_options[] = {
    {"dry-run", 0, NULL, "read and type everything, print the plan and its memory use, and stop",
     CLI_FLAG(dry_run, wanted)},
    {NULL, 0, NULL, NULL},
};

static void print_json(const dry_run *d, const shoal_need *n, const shoal_engine_options *options)
{
    json j = {0};
    json_open(&j, NULL, '{');
    json_put(&j, "device", options->device, "device_name", n->name, "precision",
             shoal_precision_name((int)options->precision), "systems", n->systems, "untyped",
             n->untyped, "atoms", n->atoms, "topologies", n->topologies, "small", n->small, "large",
             n->large, "chunks", n->chunks, "slices", n->slices, "host_bytes", n->host_bytes);
    json_put(&j, "device_bytes", n->device_bytes, "device_memory", n->device_memory);
    if (d->grid) {
        json_put(&j, "grid", d->grid->text, "grid_bytes", d->grid->bytes, "grid_seconds",
                 d->grid->seconds);
    }
    (void)json_print_line(&j);
}

/* On the host, that is on top of what reading, typing and planning took at most: so much would a run. */
static void print(const dry_run *d, const shoal_need *n, const shoal_engine_options *options,
                  bool as_json)
{
    if (as_json) {
        print_json(d, n, options);
        return;
    }
    (void)printf("device       %s%s%s\n", options->device, n->name[0] ? ", " : "", n->name);
    (void)printf("precision    %s\n", shoal_precision_name((int)options->precision));
    (void)printf("systems      %lld, of these %lld untyped; %lld atoms\n", (long long)n->systems,
                 (long long)n->untyped, (long long)n->atoms);
    (void)printf("topologies   %lld\n", (long long)n->topologies);
    if (n->small + n->large > 0)
        (void)printf("schedule     %lld small, %lld large or periodic\n", (long long)n->small,
                     (long long)n->large);
    (void)printf("parts        %lld as read from the files, %lld as worked on\n",
                 (long long)n->chunks, (long long)n->slices);
    if (d->grid) (void)printf("grid         %s\n", d->grid->text);
    (void)printf("host         about %.1f MiB\n", (double)n->host_bytes * MIB);
    if (n->device_memory > 0)
        (void)printf("device       %.1f of %.1f MiB\n", (double)n->device_bytes * MIB,
                     (double)n->device_memory * MIB);
}

static int visit(void *user, const shoal_stream_system *systems, int32_t n)
{
    const shoal_status status = shoal_planner_visit(user, systems, n);
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
}

int dry_run_files(const dry_run *d, const systems_options *options, const char **files, int n_files,
                  const shoal_stream_options *stream)
{
    const shoal_engine_options *engine = stream->compute.engine;
    shoal_planner *planner = NULL;
    shoal_need need;
    shoal_status status = shoal_planner_create(&planner, engine, d->relaxing, options->n_threads);
    if (status != SHOAL_OK) return complain_of_status(status);
    systems_job job = {.stream = *stream, .visit = visit, .user = planner, .plans = true};
    job.stream.job = SHOAL_JOB_TYPE;
    const int code = run_systems(options, files, n_files, &job);
    if (code == EXIT_ALL_FINE) status = shoal_planner_finish(planner, &need);
    shoal_planner_destroy(planner);
    if (code != EXIT_ALL_FINE || status != SHOAL_OK)
        return code != EXIT_ALL_FINE ? code : complain_of_status(status);
    if (d->grid) need.host_bytes += d->grid->bytes;
    print(d, &need, engine, options->json);
    return EXIT_ALL_FINE;
}
