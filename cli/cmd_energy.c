/* SPDX-License-Identifier: BSD-3-Clause
 * shoal energy: single points. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "dry_run.h"
#include "engine_options.h"
#include "explain.h"
#include "output.h"
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
    energy_options *options;
    output out;
    json line;
    int64_t n_failed, n_done;
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

static bool has_numbers(const shoal_result *r)
{
    return r->status == SHOAL_SYSTEM_OK ||
           (r->status == SHOAL_SYSTEM_DIFFERS && isfinite(r->energy));
}

static void write_json(energy_run *run, const loaded_system *s, int64_t index,
                       const shoal_result *r)
{
    json *j = &run->line;
    const int32_t n_atoms = shoal_molecule_n_atoms(s->mol);
    json_reset(j);
    json_open(j, NULL, '{');
    json_system(j, s->mol, index, r->status);
    if (r->status != SHOAL_SYSTEM_OK) json_text(j, "reason", r->reason);
    if (has_numbers(r)) {
        json_number(j, "energy", r->energy);
        json_number(j, "fmax", r->fmax);
        json_terms(j, r->terms, r->n_terms);
        if (run->options->forces) {
            json_open(j, "forces", '[');
            for (int32_t i = 0; i < n_atoms; ++i) json_vector(j, r->forces[i]);
            json_close(j, ']');
        }
    }
    json_close(j, '}');
    json_end_line(j);
    json_print(j);
}

/* Rounding of a sum that vanishes is not printed as -0.00000. */
static double unsigned_zero(double value)
{
    return fabs(value) < 0.5e-5 ? 0 : value;
}

static void write_table(energy_run *run, const loaded_system *s, int64_t index,
                        const shoal_result *r)
{
    char buffer[32];
    const double unit = settings_unit(&run->options->compute);
    const char *name = settings_unit_name(&run->options->compute);
    const int last = run->options->surface.surface ? SHOAL_TERM_SURFACE : SHOAL_TERM_COULOMB;
    if (run->n_done++ == 0) {
        (void)printf("%-24s%7s  %-10s%14s%12s", "name", "atoms", "status", name, "fmax");
        for (int t = SHOAL_TERM_BOND; t <= last; ++t) (void)printf("%12s", shoal_term_name(t));
        (void)putchar('\n');
    }
    (void)printf("%-24.24s %6d  %-10s", system_title(s->mol, index, buffer),
                 shoal_molecule_n_atoms(s->mol), shoal_system_status_name(r->status));
    if (!has_numbers(r)) {
        (void)printf("  %s\n", r->reason);
        return;
    }
    table_number(r->energy / unit, 14, 6);
    table_number(r->fmax / unit, 12, 5);
    for (int t = SHOAL_TERM_BOND; t <= last; ++t)
        table_number(unsigned_zero(r->terms[t] / unit), 12, 5);
    (void)printf("%s%s\n", r->reason[0] ? "  " : "", r->reason);
}

static int write_frame(energy_run *run, const loaded_system *s, int64_t index,
                       const shoal_result *r)
{
    shoal_topology_view v;
    shoal_topology_get(s->topology, &v);
    const bool ok = r->status == SHOAL_SYSTEM_OK;
    const shoal_frame frame = {
        .energy = ok ? &r->energy : NULL,
        .forces = ok ? r->forces : NULL,
        .types = shoal_topology_status(s->topology) == SHOAL_SYSTEM_OK ? v.types : NULL,
        .status = ok ? NULL : shoal_system_status_name(r->status)};
    return output_put(&run->out, s->mol, index, &frame);
}

static int report(energy_run *run, const shoal_engine *engine, const systems_chunk *chunk)
{
    for (int32_t i = 0; i < chunk->n; ++i) {
        const loaded_system *s = &chunk->systems[i];
        shoal_result r;
        const shoal_status status = shoal_engine_result(engine, i, &r);
        if (status != SHOAL_OK) return complain_of_status(status);
        run->n_failed += r.status != SHOAL_SYSTEM_OK;
        if (run->options->systems.json)
            write_json(run, s, chunk->first + i, &r);
        else
            write_table(run, s, chunk->first + i, &r);
        if (json_failed(&run->line)) {
            cli_complain("out of memory");
            return EXIT_DEVICE;
        }
        if (run->options->explain && r.status == SHOAL_SYSTEM_OK) {
            const int done = explain_system(engine, i, s, settings_unit(&run->options->compute),
                                            settings_unit_name(&run->options->compute));
            if (done != EXIT_ALL_FINE) return done;
        }
        const int code = write_frame(run, s, chunk->first + i, &r);
        if (code != EXIT_ALL_FINE) return code;
    }
    return EXIT_ALL_FINE;
}

static int visit(void *user, const systems_chunk *chunk)
{
    energy_run *run = user;
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    int code = surface_settings_place(&run->options->surface, chunk);
    if (code == EXIT_ALL_FINE) code = chunk_batch(chunk, NULL, &batch);
    if (code != EXIT_ALL_FINE) return code;
    if (run->options->dry.wanted) {
        code = dry_run_add(&run->options->dry, batch, &run->options->compute.engine);
        shoal_batch_destroy(batch);
        return code;
    }
    shoal_status status = shoal_engine_create(&engine, batch, &run->options->compute.engine);
    if (status == SHOAL_OK) status = shoal_engine_eval(engine);
    code = status == SHOAL_OK ? report(run, engine, chunk) : complain_of_status(status);
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    return code;
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
    energy_run run = {.options = o};
    o->surface.params = o->systems.params;
    code = surface_settings_attach(&o->surface, &o->compute.engine, o->systems.quiet);
    if (code == EXIT_ALL_FINE && o->dry.wanted) {
        code = systems_each(&o->systems, files, n_files, true, visit, &run);
        if (code == EXIT_ALL_FINE) dry_run_print(&o->dry, &o->compute.engine, o->systems.json);
        return code;
    }
    if (code == EXIT_ALL_FINE) code = output_open(&run.out, o->systems.output);
    if (code != EXIT_ALL_FINE) return code;
    code = output_close(&run.out, systems_each(&o->systems, files, n_files, true, visit, &run));
    if (code == EXIT_ALL_FINE && run.n_failed > 0) {
        cli_complain("%lld system%s failed; see status and reason", (long long)run.n_failed,
                     run.n_failed == 1 ? "" : "s");
        code = EXIT_SOME_FAILED;
    }
    json_free(&run.line);
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
