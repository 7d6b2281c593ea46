/* SPDX-License-Identifier: BSD-3-Clause
 * --dry-run: what a command would compute, and the memory it would take. */
#include "dry_run.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "engine_options.h"
#include "json.h"
#include "systems.h"

#define MIB (1.0 / (1024 * 1024))

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

int dry_run_add(dry_run *d, const shoal_batch *batch, const shoal_engine_options *options)
{
    shoal_plan plan;
    const shoal_status status = shoal_engine_plan(batch, options, &plan);
    if (status != SHOAL_OK) return complain_of_status(status);
    if (d->relaxing && !plan.relaxes) {
        cli_complain("relax: the device '%s' computes single points only", options->device);
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

static void print_json(const dry_run *d, const shoal_engine_options *options)
{
    json j = {0};
    json_open(&j, NULL, '{');
    json_text(&j, "device", options->device);
    json_text(&j, "device_name", d->name);
    json_text(&j, "precision", precision_name(options->precision));
    json_integer(&j, "systems", d->n_systems);
    json_integer(&j, "untyped", d->n_untyped);
    json_integer(&j, "atoms", d->n_atoms);
    json_integer(&j, "topologies", d->n_topologies);
    json_integer(&j, "small", d->n_small);
    json_integer(&j, "large", d->n_large);
    json_integer(&j, "chunks", d->n_chunks);
    json_integer(&j, "slices", d->n_slices);
    json_integer(&j, "host_bytes", peak_memory() + d->host_bytes);
    json_integer(&j, "device_bytes", d->device_bytes);
    json_integer(&j, "device_memory", d->device_memory);
    json_close(&j, '}');
    json_end_line(&j);
    json_print(&j);
    json_free(&j);
}

void dry_run_print(const dry_run *d, const shoal_engine_options *options, bool as_json)
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
    (void)printf("host         about %.1f MiB\n", (double)(peak_memory() + d->host_bytes) * MIB);
    if (d->device_memory > 0)
        (void)printf("device       %.1f of %.1f MiB\n", (double)d->device_bytes * MIB,
                     (double)d->device_memory * MIB);
}
