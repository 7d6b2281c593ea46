/* SPDX-License-Identifier: BSD-3-Clause
 * shoal doctor: what of this machine can be used, and whether it computes right. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "json.h"
#include "shoal/shoal.h"
#include "systems.h"

typedef struct doctor_options {
    shoal_doctor_options library;
    bool json;
    bool quiet;
    json line;
} doctor_options;

static void print_row(const doctor_options *options, const shoal_doctor_row *row)
{
    if (options->quiet && row->health == SHOAL_HEALTH_FINE) return;
    (void)printf("%-10s  %-7s  %s\n", row->part, shoal_health_name((int)row->health), row->found);
    if (row->advice[0]) (void)printf("%-10s  %-7s  -> %s\n", "", "", row->advice);
    (void)fflush(stdout);
}

static void print_json(json *line, const shoal_doctor_row *row)
{
    json_open(line, NULL, '{');
    json_put(line, "part", row->part, "health", shoal_health_name((int)row->health), "found",
             row->found, "advice", row->advice);
    if (row->tested)
        json_put(line, "error", row->error, "tolerance", row->tolerance, "start_seconds",
                 row->start_seconds, "evals_per_s", row->rate);
    (void)json_print_line(line);
}

static void tell(void *user, const shoal_doctor_row *row)
{
    doctor_options *options = user;
    if (options->json)
        print_json(&options->line, row);
    else
        print_row(options, row);
}

static const char *verdict_of(shoal_health worst)
{
    switch (worst) {
    case SHOAL_HEALTH_FINE: return "all is well";
    case SHOAL_HEALTH_NOTE: return "all is well; what is optional and missing is noted above";
    case SHOAL_HEALTH_WARNING: return "it works; see the warnings above for what could be better";
    case SHOAL_HEALTH_BROKEN: break;
    }
    return "something is broken: see above for what to do";
}

static int examine(void *user, const char **files, int n_files)
{
    doctor_options *options = user;
    shoal_health worst;
    (void)files;
    (void)n_files;
    options->library.tell = tell;
    options->library.user = options;
    if (!options->json && !options->quiet)
        (void)printf("%-10s  %-7s  %s\n", "part", "health", "found");
    const shoal_status status = shoal_doctor_run(&options->library, &worst);
    json_free(&options->line);
    if (status != SHOAL_OK) return complain_of_status(status);
    if (!options->json && !options->quiet) (void)printf("\n%s\n", verdict_of(worst));
    (void)fflush(stdout);
    return worst == SHOAL_HEALTH_BROKEN ? EXIT_DEVICE : EXIT_ALL_FINE;
}

static const cli_option doctor_table[] = {
    {"seconds", 0, "S", "how long each device is tested (default 2); 0: devices are not tested"},
    {"json", 0, NULL, "one JSON object per part and line", CLI_FLAG(doctor_options, json)},
    {"quiet", 'q', NULL, "print only problems", CLI_FLAG(doctor_options, quiet)},
    {NULL, 0, NULL, NULL},
};

static bool take_option(void *target, const char *name, const char *value)
{
    doctor_options *options = target;
    double seconds;
    if (!cli_number(name, value, 0, &seconds)) return false;
    options->library.seconds = seconds > 0 ? seconds : -1;
    return true;
}

int cmd_doctor(int argc, char **argv)
{
    doctor_options options = {0};
    const cli_group group = {"options:", doctor_table, take_option, &options};
    const cli_command command = {
        .name = "doctor",
        .usage = "[OPTIONS]",
        .purpose = "Checks what Shoal can use on this machine, tests every device against the "
                   "reference, and says\nwhat to do if something is missing or wrong.",
        .notes = "health is fine, note (something optional is missing), "
                 "warning (slower than it could be) or "
                 "broken; the\nexit code is 3 if something is broken.",
        .groups = &group,
        .n_groups = 1,
        .min_files = 0,
        .max_files = 0};
    return cli_run(&command, argc, argv, examine, &options);
}
