/* SPDX-License-Identifier: BSD-3-Clause
 * shoal relax: minimises the energy of every system. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "dry_run.h"
#include "engine_options.h"
#include "interrupt.h"
#include "output.h"
#include "results.h"
#include "surface_options.h"

/* Large enough to fill a device. */
#define CHUNK_SYSTEMS 16384
#define CHUNK_ATOMS 2000000

#define MAX_STEPS 5000 /* the default of shoal_relax_options */

typedef struct relax_options {
    dry_run dry;
    systems_options systems;
    engine_settings compute;
    surface_settings surface;
    constraints held;
    shoal_relax_options relax;
} relax_options;

typedef struct relax_run {
    relax_options *options;
    output out;
    json line;
    progress *bar;
    int64_t n_done, n_failed, n_evaluations; /* of finished chunks */
    int64_t n_warnings, n_rows;
    double seconds;
    failure_list failures;
} relax_run;

static const cli_option relax_option_table[] = {
    {"fmax", 0, "F", "converged when no atom feels more than F eV/A (default 0.01)"},
    {"max-steps", 0, "N", "evaluations per system (default 5000)"},
    {"method", 0, "NAME", "lbfgs (default) or fire"},
    {"max-move", 0, "D", "longest move of an atom in one step, angstrom (default 0.2)"},
    {NULL, 0, NULL, NULL},
};

static bool take_relax_option(void *target, const char *name, const char *value)
{
    shoal_relax_options *o = target;
    if (strcmp(name, "fmax") == 0) return cli_number(name, value, 1e-12, &o->fmax);
    if (strcmp(name, "max-move") == 0) return cli_number(name, value, 1e-6, &o->max_move);
    if (strcmp(name, "max-steps") == 0)
        return cli_integer(name, value, 1, 1000000000, &o->max_steps);
    if (strcmp(value, "fire") == 0) {
        o->method = SHOAL_METHOD_FIRE;
    } else if (strcmp(value, "lbfgs") != 0) {
        cli_complain("--method '%s': expected lbfgs or fire", value);
        return false;
    }
    return true;
}

/* Systems that are neither converged nor without numbers were left on the way. */
static bool has_numbers(const shoal_result *r)
{
    return r->status == SHOAL_SYSTEM_CONVERGED || r->status == SHOAL_SYSTEM_MAX_STEPS ||
           r->status == SHOAL_SYSTEM_STALLED ||
           (r->status == SHOAL_SYSTEM_DIFFERS && isfinite(r->energy));
}

static void write_json(relax_run *run, const loaded_system *s, int64_t index, const shoal_result *r)
{
    json *j = &run->line;
    json_reset(j);
    json_open(j, NULL, '{');
    json_system(j, s->mol, index, r->status);
    if (has_numbers(r)) {
        json_number(j, "energy0", r->energy0);
        json_number(j, "energy", r->energy);
        json_number(j, "fmax", r->fmax);
        json_integer(j, "steps", r->steps);
        json_terms(j, r->terms, r->n_terms);
    }
    if (r->reason[0]) json_text(j, "reason", r->reason);
    if (r->warning[0]) json_text(j, "warning", r->warning);
    json_close(j, '}');
    json_end_line(j);
    json_print(j);
}

static void write_table(relax_run *run, const loaded_system *s, int64_t index,
                        const shoal_result *r)
{
    char buffer[32];
    const double unit = settings_unit(&run->options->compute);
    if (run->n_rows++ == 0)
        (void)printf("%-24s%7s  %-10s%7s%14s%14s%12s\n", "name", "atoms", "status", "steps",
                     "before", settings_unit_name(&run->options->compute), "fmax");
    (void)printf("%-24.24s %6d  %-10s", system_title(s->mol, index, buffer),
                 shoal_molecule_n_atoms(s->mol), shoal_system_status_name(r->status));
    if (has_numbers(r)) {
        (void)printf("%7d", r->steps);
        table_number(r->energy0 / unit, 14, 6);
        table_number(r->energy / unit, 14, 6);
        table_number(r->fmax / unit, 12, 5);
    } else {
        (void)printf("  %s", r->reason);
    }
    if (has_numbers(r) && r->reason[0]) (void)printf("  %s", r->reason);
    (void)printf("%s%s\n", r->warning[0] ? "  warning: " : "", r->warning);
}

/* The relaxed system, or the untouched one where there are no numbers. */
static int write_frame(relax_run *run, const loaded_system *s, int64_t index, const shoal_result *r,
                       const double (*pos)[3])
{
    shoal_topology_view v;
    shoal_topology_get(s->topology, &v);
    const bool numbers = has_numbers(r);
    for (int32_t i = 0; i < shoal_molecule_n_atoms(s->mol) && numbers; ++i) {
        const shoal_status status = shoal_molecule_set_position(s->mol, i, pos[i]);
        if (status != SHOAL_OK) return complain_of_status(status);
    }
    const bool typed = shoal_topology_status(s->topology) == SHOAL_SYSTEM_OK;
    const bool converged = r->status == SHOAL_SYSTEM_CONVERGED;
    const shoal_frame frame = {.energy = numbers ? &r->energy : NULL,
                               .forces = numbers ? r->forces : NULL,
                               .types = typed ? v.types : NULL,
                               .status = converged ? NULL : shoal_system_status_name(r->status)};
    return output_put(&run->out, s->mol, index, &frame);
}

/* An interrupted run stops systems on their way, which have no result then. */
static bool was_cut_short(const relax_run *run, const shoal_result *r)
{
    const int32_t given = run->options->relax.max_steps, most = given > 0 ? given : MAX_STEPS;
    return interrupt_code() && r->status == SHOAL_SYSTEM_MAX_STEPS && r->steps < most;
}

static int report(relax_run *run, const shoal_engine *engine, const systems_chunk *chunk)
{
    for (int32_t i = 0; i < chunk->n; ++i) {
        const loaded_system *s = &chunk->systems[i];
        shoal_result r;
        const shoal_status status = shoal_engine_result(engine, i, &r);
        if (status != SHOAL_OK) return complain_of_status(status);
        if (was_cut_short(run, &r)) continue;
        if (r.status != SHOAL_SYSTEM_CONVERGED)
            failures_add(&run->failures, s->mol, chunk->first + i, &r);
        run->n_warnings += r.warning[0] != '\0';
        if (has_numbers(&r)) run->n_evaluations += r.steps;
        if (run->options->systems.json)
            write_json(run, s, chunk->first + i, &r);
        else
            write_table(run, s, chunk->first + i, &r);
        if (json_failed(&run->line)) {
            cli_complain("out of memory");
            return EXIT_DEVICE;
        }
        const int code =
            write_frame(run, s, chunk->first + i, &r, shoal_engine_positions(engine, i));
        if (code != EXIT_ALL_FINE) return code;
    }
    run->n_done += chunk->n;
    run->n_failed = run->failures.n;
    return EXIT_ALL_FINE;
}

static bool watch(void *user, const shoal_progress *p)
{
    relax_run *run = user;
    const progress_count count = {
        .part = p->n_systems > 0 ? (double)p->n_done / (double)p->n_systems : 0,
        .systems = run->n_done + p->n_done,
        .failed = run->n_failed + p->n_failed,
        .evaluations = run->n_evaluations + p->n_evaluations};
    progress_work(run->bar, &count);
    return interrupt_code() == 0;
}

static int visit(void *user, const systems_chunk *chunk)
{
    relax_run *run = user;
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    int code = surface_settings_place(&run->options->surface, chunk);
    if (code == EXIT_ALL_FINE) code = chunk_batch(chunk, &run->options->held, &batch);
    if (code != EXIT_ALL_FINE) return code;
    run->bar = chunk->bar;
    if (run->options->dry.wanted) {
        code = dry_run_add(&run->options->dry, batch, &run->options->compute.engine);
        shoal_batch_destroy(batch);
        return code;
    }
    shoal_status status = shoal_engine_create(&engine, batch, &run->options->compute.engine);
    if (status == SHOAL_OK) status = shoal_engine_relax(engine, &run->options->relax, watch, run);
    progress_end(run->bar);
    code = status == SHOAL_OK ? report(run, engine, chunk) : complain_of_status(status);
    run->seconds = progress_seconds(run->bar);
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    return code;
}

static int conclude(const relax_run *run)
{
    if (run->n_done > 0 && !run->options->systems.quiet)
        cli_complain("%lld of %lld systems converged, %lld evaluations in %.3g s (%.3g/s)",
                     (long long)(run->n_done - run->failures.n), (long long)run->n_done,
                     (long long)run->n_evaluations, run->seconds,
                     (double)run->n_evaluations / run->seconds);
    if (run->n_warnings > 0 && !run->options->systems.quiet)
        cli_complain("warning: %lld relaxed geometr%s wrong; see the warnings",
                     (long long)run->n_warnings, run->n_warnings == 1 ? "y looks" : "ies look");
    if (run->failures.n == 0) return EXIT_ALL_FINE;
    cli_complain("%lld system%s did not converge:", (long long)run->failures.n,
                 run->failures.n == 1 ? "" : "s");
    failures_print(&run->failures);
    return EXIT_SOME_FAILED;
}

static int run_relax(void *user, const char **files, int n_files)
{
    relax_options *o = user;
    o->compute.engine.n_threads = o->systems.n_threads;
    int code = systems_load_params(&o->systems, &o->compute.engine.mixing);
    if (code != EXIT_ALL_FINE) return code;
    relax_run run = {.options = o};
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
    if (code == EXIT_ALL_FINE || code == EXIT_SOME_FAILED) {
        const int end = conclude(&run);
        code = end == EXIT_ALL_FINE ? code : end;
    }
    json_free(&run.line);
    return code;
}

int cmd_relax(int argc, char **argv)
{
    relax_options o = {.systems = {.chunk_systems = CHUNK_SYSTEMS, .chunk_atoms = CHUNK_ATOMS},
                       .compute.engine.device = "cpu",
                       .dry.relaxing = true};
    const cli_group groups[] = {
        {"options:", input_options, take_input_option, &o.systems},
        {"output:", output_options, take_input_option, &o.systems},
        {"relaxation:", relax_option_table, take_relax_option, &o.relax},
        {"constraints:", constraint_options, take_constraint_option, &o.held},
        {"computing:", engine_option_table, take_engine_option, &o.compute},
        {"planning:", dry_run_options, take_dry_run_option, &o.dry},
        {"surface:", surface_option_table, take_surface_option, &o.surface},
        {"typing:", typing_options, take_typing_option, &o.systems},
        {"parameters:", params_options, take_params_option, &o.systems},
    };
    const cli_command command = {
        .name = "relax",
        .usage = "[OPTIONS] FILES",
        .purpose = "Moves the atoms of every system downhill until the forces are small.",
        .notes =
            "The default device is cpu. Restraints: position:I=K (to where the atom starts), "
            "distance:I,J=D,K,\nangle:I,J,K=DEGREES,K, torsion:I,J,K,L=DEGREES,K; K in eV/A^2, "
            "or eV/rad^2 for angles. They and --fix\nhold in every system. Results come in the "
            "order of the input; a system that does not converge is\nlisted, and the exit code "
            "is 1.",
        .groups = groups,
        .n_groups = sizeof groups / sizeof groups[0],
        .min_files = 1,
        .max_files = -1};
    const int code = cli_run(&command, argc, argv, run_relax, &o);
    systems_options_free(&o.systems);
    surface_settings_free(&o.surface);
    constraints_free(&o.held);
    return code;
}
