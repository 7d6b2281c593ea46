/* SPDX-License-Identifier: BSD-3-Clause
 * shoal energy: single points. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "dry_run.h"
#include "engine_options.h"
#include "explain.h"
#include "results.h"
#include "surface_options.h"

typedef struct energy_options {
    dry_run dry;
    systems_options systems;
    engine_settings compute;
    surface_settings surface;
    bool forces, explain;
} energy_options;

typedef struct energy_run {
    const energy_options *options;
    int64_t n_failed;
} energy_run;

static const cli_option energy_option_table[] = {
    {"forces", 0, NULL, "with --json: the force on every atom, eV/A"},
    {"explain", 0, NULL, "every interaction with atoms, types, parameters, value and energy"},
    {NULL, 0, NULL, NULL},
};

static bool take_energy_option(void *target, const char *name, const char *value)
{
    energy_options *o = target;
    (void)value;
    if (strcmp(name, "forces") == 0)
        o->forces = true;
    else
        o->explain = true;
    return true;
}

/* Rounding of a sum that vanishes is not printed as -0.00000. */
static double unsigned_zero(double value)
{
    return fabs(value) < 0.5e-5 ? 0 : value;
}

static int last_term(const energy_run *run)
{
    return run->options->surface.surface ? SHOAL_TERM_SURFACE : SHOAL_TERM_COULOMB;
}

static void put_header(const energy_run *run, char *out, size_t size)
{
    int used = snprintf(out, size, "%-24s%7s  %-10s%14s%12s", "name", "atoms", "status",
                        settings_unit_name(&run->options->compute), "fmax");
    for (int t = SHOAL_TERM_BOND; t <= last_term(run); ++t)
        used += snprintf(out + used, size - (size_t)used, "%12s", shoal_term_name(t));
    (void)snprintf(out + used, size - (size_t)used, "\n");
}

static void put_table(const energy_run *run, const shoal_stream_system *s, shoal_string *out)
{
    char buffer[32];
    const shoal_result *r = &s->result;
    const double unit = settings_unit(&run->options->compute);
    table_print(out, "%-24.24s %6d  %-10s", system_title(s->mol, s->index, buffer),
                shoal_molecule_n_atoms(s->mol), shoal_system_status_name(r->status));
    if (!has_numbers(r)) {
        table_print(out, "  %s\n", r->reason);
        return;
    }
    table_number(out, r->energy / unit, 14, 6);
    table_number(out, r->fmax / unit, 12, 5);
    for (int t = SHOAL_TERM_BOND; t <= last_term(run); ++t)
        table_number(out, unsigned_zero(r->terms[t] / unit), 12, 5);
    table_print(out, "%s%s\n", r->reason[0] ? "  " : "", r->reason);
}

static shoal_status put_row(void *user, const shoal_stream_system *s, shoal_string *out)
{
    const energy_run *run = user;
    if (run->options->systems.json)
        energy_json(s, run->options->forces, out);
    else
        put_table(run, s, out);
    if (!run->options->explain || s->result.status != SHOAL_SYSTEM_OK) return SHOAL_OK;
    return explain_system(s, settings_unit(&run->options->compute),
                          settings_unit_name(&run->options->compute), out);
}

static int visit(void *user, const shoal_stream_system *systems, int32_t n)
{
    energy_run *run = user;
    for (int32_t i = 0; i < n; ++i) run->n_failed += systems[i].result.status != SHOAL_SYSTEM_OK;
    return EXIT_ALL_FINE;
}

static int run_energy(void *user, const char **files, int n_files)
{
    energy_options *o = user;
    if (o->explain && o->systems.json) {
        cli_complain("--explain prints tables; it does not go with --json");
        return EXIT_USAGE;
    }
    o->compute.engine.n_threads = o->systems.n_threads;
    int code = systems_load_params(&o->systems, &o->compute.engine.mixing);
    if (code != EXIT_ALL_FINE) return code;
    o->surface.params = o->systems.params;
    code = surface_settings_attach(&o->surface, &o->compute.engine, o->systems.quiet);
    if (code != EXIT_ALL_FINE) return code;
    char header[256];
    energy_run run = {.options = o};
    put_header(&run, header, sizeof header);
    systems_job job = {.stream = {.job = SHOAL_JOB_ENERGY,
                                  .engine = &o->compute.engine,
                                  .height = o->surface.height},
                       .row = put_row,
                       .header = header,
                       .frame = result_frame,
                       .visit = visit,
                       .user = &run,
                       .writes = true};
    if (o->dry.wanted) return dry_run_files(&o->dry, &o->systems, files, n_files, &job.stream);
    code = systems_run(&o->systems, files, n_files, &job);
    if ((code == EXIT_ALL_FINE || code == EXIT_SOME_FAILED) && run.n_failed > 0) {
        cli_complain("%lld system%s failed; see status and reason", (long long)run.n_failed,
                     run.n_failed == 1 ? "" : "s");
        code = EXIT_SOME_FAILED;
    }
    return code;
}

int cmd_energy(int argc, char **argv)
{
    energy_options o = {.compute.engine.device = "cpu"};
    const cli_group groups[] = {
        {"options:", input_options, take_input_option, &o.systems},
        {"output:", output_options, take_input_option, &o.systems},
        {"energy:", energy_option_table, take_energy_option, &o},
        {"computing:", engine_option_table, take_engine_option, &o.compute},
        {"planning:", dry_run_options, take_dry_run_option, &o.dry},
        {"surface:", surface_option_table, take_surface_option, &o.surface},
        {"typing:", typing_options, take_typing_option, &o.systems},
        {"parameters:", params_options, take_params_option, &o.systems},
    };
    const cli_command command = {
        .name = "energy",
        .usage = "[OPTIONS] FILES",
        .purpose = "Computes the energy of every system, by term, and the forces.",
        .notes = "The default device is cpu, in double. Energies are in eV, forces in eV/A. A "
                 "system that "
                 "cannot be typed or is\nnot finite gets its status and a reason, the others go "
                 "on, and the exit code is 1.",
        .groups = groups,
        .n_groups = sizeof groups / sizeof groups[0],
        .min_files = 1,
        .max_files = -1};
    const int code = cli_run(&command, argc, argv, run_energy, &o);
    systems_options_free(&o.systems);
    surface_settings_free(&o.surface);
    return code;
}
