/* SPDX-License-Identifier: BSD-3-Clause
 * shoal check: a device against ref, over the systems of the user. */
#include <string.h>

#include "check.h"
#include "commands.h"
#include "groups.h"
#include "relax_options.h"
#include "results.h"
#include "run.h"

static const cli_option check_option_table[] = {
    {"tolerance", 0, "T",
     "of forces, relative to the largest (default: float 1e-4, double 1e-9, grid 1e-3)",
     CLI_NUMBER(check_options, tolerance, 0)},
    {"each-term", 0, NULL,
     "compare each term as a whole and all its interactions one by one, in one table",
     CLI_FLAG(check_options, each_term)},
    {"relax", 0, NULL, "compare a relaxation on the device, step by step",
     CLI_FLAG(check_options, relax)},
    {"interaction", 0, "WHAT", "compare one interaction: torsion:12, vdw:3,7, surface:4 and so on",
     CLI_TEXT(check_options, interaction)},
    {"dump", 0, "FIELDS",
     "of the plan of --system, as JSON: positions,forces,energies,charges,slots,gather,"
     "neighbours"},
    {"dump-to", 0, "DIR", "write fields to DIR/FIELD.npy instead",
     CLI_TEXT(check_options, dump_to)},
    {"system", 0, "INDEX", "system of --interaction or --dump, counted from 0 (default 0)",
     CLI_COUNT(check_options, system, 0, INT32_MAX)},
    {"plain-terms", 0, NULL, "disable the code paths that compute several bonded terms together",
     CLI_FLAG(check_options, compute.engine.plain_terms)},
    {NULL, 0, NULL, NULL},
};

static bool take_dump(void *target, const char *name, const char *value)
{
    (void)name;
    return check_dump_parse(((check_options *)target)->dump = value);
}

static int ask(check_run *run, const shoal_stream_system *system)
{
    const check_options *o = run->options;
    shoal_checked_interaction found;
    ++run->n_seen;
    if (o->dump) return check_dump(o, run->check, system);
    const shoal_status status = shoal_check_interaction(run->check, system, o->interaction, &found);
    if (status == SHOAL_OK) return check_show_interaction(run, system, &found);
    if (status != SHOAL_E_ARGUMENT) return complain_of_status(status);
    return cli_misuse("--interaction %s", shoal_error_text());
}

static int visit(void *user, const shoal_stream_system *systems, int32_t n)
{
    check_run *run = user;
    const check_options *o = run->options;
    if (o->interaction || o->dump) {
        if (o->system < systems->index || o->system >= systems->index + n) return EXIT_ALL_FINE;
        return ask(run, &systems[o->system - systems->index]);
    }
    const shoal_status status = shoal_check_visit(run->check, systems, n);
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
}

/* Only one way of looking at a time. */
static bool check_ways(const check_options *o)
{
    if (!!o->interaction + o->each_term + o->relax + !!o->dump > 1)
        return cli_refuse("--interaction, --each-term, --relax, --dump: expected one of them");
    if (o->dump_to && !o->dump) return cli_refuse("--dump-to needs --dump");
    if (cli_was_given("system") && !o->interaction && !o->dump)
        return cli_refuse("--system needs --interaction or --dump");
    const shoal_relax_options *s = &o->steps;
    if (!o->relax && (s->fmax > 0 || s->max_steps > 0 || s->max_move > 0 || s->method))
        return cli_refuse("--fmax, --max-steps, --max-move and --method belong to --relax");
    if (o->held.n_rigid > 0 || o->held.molecules)
        return cli_refuse("--rigid: check compares atoms that move by themselves");
    if (!o->relax && o->held.n_fix > 0)
        return cli_refuse(
            "--fix belongs to --relax: forces of atoms that do not move are compared, too");
    if (o->systems.strict)
        return cli_refuse(
            "check always stops at a record that cannot be read; expected no --strict");
    return surface_spring_agrees(&o->surface, o->relax || o->interaction || o->each_term) &&
           settings_agree(&o->compute, o->systems.typing.forcefield);
}

/* After the last system. */
static int end_check(const check_run *run)
{
    const check_options *o = run->options;
    if (!o->interaction && !o->dump) return check_show_end(o, run->check);
    if (run->n_seen > 0) return EXIT_ALL_FINE;
    return cli_misuse("--system %d: the input has fewer systems", o->system);
}

static int run_check(void *user, const char **files, int n_files)
{
    check_options *o = user;
    shoal_engine_options *engine = &o->compute.engine;
    engine->n_threads = o->systems.n_threads;
    if (!check_ways(o)) return EXIT_USAGE;
    const shoal_status there = shoal_device_check(engine->device);
    if (there != SHOAL_OK) return complain_of_status(there);
    int code = systems_load_params(&o->systems, engine);
    if (code != EXIT_ALL_FINE) return code;
    if (engine->precision == SHOAL_PRECISION_AUTO)
        engine->precision =
            strcmp(engine->device, "ref") == 0 ? SHOAL_PRECISION_DOUBLE : SHOAL_PRECISION_FLOAT;
    check_run run = {.options = o, .style.files = files};
    o->surface.params = o->systems.params;
    o->surface.model = o->systems.pair_model;
    o->surface.work = (grid_workload){
        .systems = &o->systems,
        .files = files,
        .n_files = n_files,
        .evaluations = o->relax ? shoal_job_evaluations(SHOAL_JOB_RELAX, &o->steps, NULL) : 1};
    if (code == EXIT_ALL_FINE)
        code = surface_settings_attach(&o->surface, engine, o->systems.quiet);
    shoal_surface_view surface;
    shoal_surface_get(engine->surface, &surface);
    run.style.metals = surface.metals;
    const shoal_placement placement = {.height = o->surface.height};
    systems_job job = {
        .stream = {.job = SHOAL_JOB_TYPE, .compute.engine = engine, .build.placement = &placement},
        .visit = visit,
        .user = &run,
        .plans = true};
    systems_hold(&o->held, &o->surface, &job.stream);
    o->systems.conformers.for_visit = true;
    o->systems.strict = true; /* what cannot be read cannot be compared */
    const shoal_check_options how = {.way = o->each_term ? SHOAL_CHECK_TERMS
                                            : o->relax   ? SHOAL_CHECK_STEPS
                                                         : SHOAL_CHECK_SYSTEMS,
                                     .tolerance = o->tolerance,
                                     .relax = &o->steps,
                                     .tell = check_show_system,
                                     .user = &run};
    if (code == EXIT_ALL_FINE) {
        const shoal_status made = shoal_check_create(&run.check, &job.stream, &how);
        if (made != SHOAL_OK) code = complain_of_status(made);
    }
    if (code == EXIT_ALL_FINE) code = run_systems(&o->systems, files, n_files, &job);
    if (code == EXIT_ALL_FINE) code = end_check(&run);
    shoal_check_destroy(run.check);
    return code;
}

int cmd_check(int argc, char **argv)
{
    check_options o = {.compute.engine.device = "cpu", .tolerance = -1};
    const cli_group groups[] = {
        GROUPS_OF_INPUT(&o.systems),
        {"check:", check_option_table, take_dump, &o},
        {"computing:", engine_option_table, take_engine_option, &o.compute},
        {"steps of --relax:", relax_option_table, NULL, &o.steps},
        GROUP_OF_CONSTRAINTS(o),
        {"surface:", surface_option_table, take_surface_option, &o.surface},
        GROUP_OF_CONFORMERS(&o.systems),
        GROUPS_OF_TERMS(&o.systems),
    };
    const cli_command command = {
        .name = "check",
        .usage = "[OPTIONS] FILES",
        .purpose = "Compares energies and forces of a device with those of ref.",
        .notes =
            "The default device is cpu, in float. A system differs when a force is off by more "
            "than the tolerance\ntimes its largest force (or 1 eV/A, if that is larger), or "
            "when an energy or a status differs;\nthe exit code is then 1. If the device does not "
            "exist, check ends with exit code 3.\n\n"
            "--interaction WHAT computes a system that holds this interaction alone, on ref and on "
            "the device:\n"
            "  bond:N angle:N torsion:N inversion:N   number N of the system, counted from 0\n"
            "  sigma_pi:N pi_pi:N                     the same, of mmffsp3\n"
            "  vdw:I,J coulomb:I,J                    a pair of atoms; periodic: with all images\n"
            "  vdw:I,J,A,B,C                          with the image of J in the cell A,B,C\n"
            "  surface:I restraint:N                  an atom on --surface, a --restrain\n"
            "Its error is relative to its own force, or to 1 eV/A (bond, angle, restraint, Ewald "
            "sum),\n0.05 (torsion, inversion, surface) or 0.001 (pairs) if that is larger. "
            "--each-term does that for all\ninteractions of all systems, thousands at a time, and "
            "compares every term of whole systems.",
        CLI_GROUPS(groups),
        CLI_ANY_FILES};
    const int code = cli_run(&command, argc, argv, run_check, &o);
    systems_settings_free(&o.systems, &o.surface, &o.held);
    return code;
}
