/* SPDX-License-Identifier: BSD-3-Clause
 * shoal md: molecular dynamics of every system. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "groups.h"
#include "md_options.h"
#include "results.h"
#include "run.h"

typedef struct md_command {
    systems_options systems;
    engine_settings compute;
    surface_settings surface;
    constraints held;
    md_settings md;
} md_command;

/* A narrow terminal has no room for energies at the start, errors and drifts. */
static bool is_wide(void)
{
    return table_width() >= 108;
}

static shoal_status put_table(void *user, const row_style *style, const shoal_stream_system *s,
                              shoal_string *out)
{
    const shoal_result *r = &s->result;
    const double unit = settings_unit(&((const md_command *)user)->compute);
    const bool wide = is_wide();
    (void)style;
    table_begin(out, s, table_name_width(wide ? 98 : 64));
    if (s->md) {
        table_print(out, "%9d", s->md->n_steps);
        table_number(out, s->md->time, 12, 1);
        if (wide) table_number(out, s->md->etot0 / unit, 14, 6);
        table_number(out, s->md->etot / unit, 14, 6);
        table_number(out, s->md->temperature_mean, 10, 1);
        if (wide) table_number(out, s->md->temperature_err, 8, 1);
        if (wide) table_print(out, "%12.2e", s->md->drift / unit);
    }
    table_end(out, r);
    return SHOAL_OK;
}

static int prepare(md_command *o, const char **files, int n_files)
{
    const int code = md_settings_settle(&o->md);
    if (code != EXIT_ALL_FINE) return code;
    return surface_settings_prepare(&o->surface, &o->systems, &o->compute, files, n_files,
                                    shoal_job_evaluations(SHOAL_JOB_MD, NULL, &o->md.md));
}

/* Whether overall motion is there to be removed: nothing holds a system to its place. */
static bool motion_agrees(const md_command *o)
{
    bool held = o->surface.file || o->held.n_fix > 0;
    for (int k = 0; k < o->held.n_restraints; ++k)
        held = held || o->held.restraints[k].kind == SHOAL_RESTRAINT_POSITION ||
               o->held.restraints[k].kind == SHOAL_RESTRAINT_CENTRE;
    if (o->md.md.remove_every == 0 || !held) return true;
    return cli_refuse(
        "--remove-motion: systems on a surface, or with atoms that are held, keep their place");
}

static void put_header(const md_command *o, char *out, size_t size)
{
    const char *etot0 = o->compute.kcal ? "etot0 kcal" : "etot0 eV";
    const char *etot = o->compute.kcal ? "etot kcal" : "etot eV";
    if (is_wide())
        (void)snprintf(out, size, "%-*s%7s  %-10s%9s%12s%14s%14s%10s%8s%12s\n",
                       table_name_width(98), "name", "atoms", "status", "steps", "fs", etot0, etot,
                       "T K", "+-", "drift");
    else
        (void)snprintf(out, size, "%-*s%7s  %-10s%9s%12s%14s%10s\n", table_name_width(64), "name",
                       "atoms", "status", "steps", "fs", etot, "T K");
}

static int run_md(void *user, const char **files, int n_files)
{
    md_command *o = user;
    char header[128];
    if (!motion_agrees(o)) return EXIT_USAGE;
    int code = prepare(o, files, n_files);
    if (code != EXIT_ALL_FINE) return code;
    put_header(o, header, sizeof header);
    const shoal_placement placement = {.height = o->surface.height};
    systems_job job = {.stream = {.job = SHOAL_JOB_MD,
                                  .compute.engine = &o->compute.engine,
                                  .compute.md = &o->md.md,
                                  .build.variants = o->md.n_copies > 0 ? &o->md.variants : NULL,
                                  .build.placement = &placement},
                       .table = put_table,
                       .header = header,
                       .user = o,
                       .trajectories = true};
    systems_hold(&o->held, &o->surface, &job.stream);
    code = run_systems(&o->systems, files, n_files, &job);
    run_say_rate(&o->systems, &job, code, "systems came to the end", "steps");
    return run_conclude(&o->systems, &job, code, "did not come to the end");
}

static const cli_option inertia_option[] = {
    {"pi-inertia", 0, "I", "mmffsp3: inertia of a pi vector, amu A^2 (default 1)",
     CLI_NUMBER(systems_options, typing.pi_inertia, 1e-6)},
    {0},
};

int cmd_md(int argc, char **argv)
{
    md_command o = {.compute.engine.device = "cpu"};
    const cli_group groups[] = {
        GROUPS_OF_FILES(&o.systems),
        {"dynamics:", md_option_table, take_md_option, &o.md},
        {"of mmffsp3:", inertia_option, NULL, &o.systems},
        GROUP_OF_RUNS(&o.systems),
        GROUP_OF_CONSTRAINTS(o),
        GROUPS_OF_COMPUTING(o),
    };
    const cli_command command = {
        .name = "md",
        .usage = "[OPTIONS] FILES",
        .purpose =
            "Molecular dynamics of every system: velocity Verlet, with or without a thermostat.",
        .notes = "-o FILE.xyz and -o FILE.h5 take the trajectory, a frame every --stride steps; "
                 ".jsonl and .csv\nthe results. Drift is the slope of the line through the total "
                 "energy, eV/ns (--kcal: kcal/mol/ns) per degree of freedom.\nA system that flies "
                 "apart is listed, and "
                 "the exit code is 1.",
        CLI_GROUPS(groups),
        CLI_ANY_FILES};
    const int code = cli_run(&command, argc, argv, run_md, &o);
    systems_settings_free(&o.systems, &o.surface, &o.held);
    return code;
}
