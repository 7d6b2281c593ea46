/* SPDX-License-Identifier: BSD-3-Clause
 * shoal devices: what --device can name on this machine. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "json.h"
#include "shoal/shoal.h"
#include "systems.h"

typedef struct devices_options {
    bool json;
    bool quiet;
} devices_options;

static void print_row(const shoal_device_info *d)
{
    char local[24] = "-", memory[24] = "-";
    if (d->memory_bytes > 0)
        (void)snprintf(memory, sizeof memory, "%.1f", (double)d->memory_bytes / 1073741824.0);
    if (d->local_bytes > 0) (void)snprintf(local, sizeof local, "%" PRId64, d->local_bytes / 1024);
    (void)printf("%-10s  %-11s  %5d  %7s  %6s  %-4s  %s", d->device,
                 shoal_device_type_name(d->type), (int)d->compute_units, memory, local,
                 d->fp64 ? "yes" : "no", d->name);
    if (d->instruction_set[0]) (void)printf(" (%s)", d->instruction_set);
    if (d->platform[0]) (void)printf(" (%s, driver %s)", d->platform, d->driver);
    (void)printf("\n");
}

static void print_json(json *line, const shoal_device_info *d)
{
    json_open(line, NULL, '{');
    json_put(line, "device", d->device, "name", d->name, "type", shoal_device_type_name(d->type),
             "vendor", d->vendor, "compute_units", d->compute_units, "memory_bytes",
             d->memory_bytes, "fp64", d->fp64);
    if (d->instruction_set[0]) json_text(line, "instruction_set", d->instruction_set);
    if (d->platform[0]) {
        json_put(line, "platform", d->platform, "driver", d->driver, "version", d->version,
                 "clock_mhz", d->clock_mhz, "max_buffer_bytes", d->max_buffer_bytes, "local_bytes",
                 d->local_bytes, "max_group_size", d->max_group_size);
    }
    (void)json_print_line(line);
}

/* Why nothing of OpenCL is listed, or why "opencl" alone does not do. */
static void explain_opencl(void)
{
    const shoal_status status = shoal_device_check("opencl");
    if (status == SHOAL_E_DEVICE || status == SHOAL_E_UNSUPPORTED)
        (void)fprintf(stderr, "shoal: %s\n", shoal_error_text());
}

static int list(void *user, const char **files, int n_files)
{
    const devices_options *options = user;
    (void)files;
    (void)n_files;
    int32_t n = 0;
    json line = {0};
    shoal_status status = shoal_device_count(&n);
    if (status == SHOAL_OK && !options->json)
        (void)printf("%-10s  %-11s  %5s  %7s  %6s  %-4s  %s\n", "device", "type", "units", "GiB",
                     "local", "fp64", "name");
    for (int32_t i = 0; i < n && status == SHOAL_OK; ++i) {
        shoal_device_info info;
        status = shoal_device_get(i, &info);
        if (status != SHOAL_OK) break;
        if (options->json)
            print_json(&line, &info);
        else
            print_row(&info);
    }
    json_free(&line);
    if (status != SHOAL_OK) return complain_of_status(status);
    (void)fflush(stdout);
    if (!options->quiet) explain_opencl();
    return EXIT_ALL_FINE;
}

static const cli_option devices_table[] = {
    {"json", 0, NULL, "one JSON object per device and line", CLI_FLAG(devices_options, json)},
    {"quiet", 'q', NULL, "do not report what is missing", CLI_FLAG(devices_options, quiet)},
    {NULL, 0, NULL, NULL},
};

int cmd_devices(int argc, char **argv)
{
    devices_options options = {0};
    const cli_group group = {"options:", devices_table, NULL, &options};
    const cli_command command = {
        .name = "devices",
        .usage = "[OPTIONS]",
        .purpose = "Lists what --device can name on this machine.",
        .notes = "units are threads of a CPU or compute units; GiB is memory, local is KiB "
                 "of memory\nshared by a work-group.",
        .groups = &group,
        .n_groups = 1,
        .min_files = 0,
        .max_files = 0};
    return cli_run(&command, argc, argv, list, &options);
}
