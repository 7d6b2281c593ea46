/* SPDX-License-Identifier: BSD-3-Clause
 * shoal relax: minimises the energy of every system. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "groups.h"
#include "relax_options.h"
#include "results.h"
#include "run.h"

#define TRAJECTORY_EVERY 10 /* evaluations */
#define ELASTIC_STRAIN 0.005

typedef struct relax_options {
    dry_run dry;
    systems_options systems;
    engine_settings compute;
    surface_settings surface;
    placement_settings placement;
    constraints held;
    shoal_relax_options relax;
    const char *certificate;
    int name_width; /* of the table */
} relax_options;

const cli_word relax_methods[] = {{"lbfgs", SHOAL_METHOD_LBFGS}, {"fire", SHOAL_METHOD_FIRE}, {0}};

const cli_option relax_option_table[] = {
    {"fmax", 0, "F", "converged when no atom feels more than F eV/A (default 0.001)",
     CLI_NUMBER(shoal_relax_options, fmax, 1e-12)},
    {"max-steps", 0, "N", "evaluations per system (default 5000)",
     CLI_COUNT(shoal_relax_options, max_steps, 1, 1000000000)},
    {"method", 0, "NAME", "lbfgs (default) or fire",
     CLI_WORD(shoal_relax_options, method, relax_methods)},
    {"max-move", 0, "D", "longest move of an atom in one step, angstrom (default 0.2)",
     CLI_NUMBER(shoal_relax_options, max_move, 1e-6)},
    {NULL, 0, NULL, NULL},
};

static const cli_option certificate_options[] = {
    {"certificate", 0, "FILE",
     "write origin, residual forces and stress, and a verdict for every structure (.jsonl)",
     CLI_TEXT(relax_options, certificate)},
    {NULL, 0, NULL, NULL},
};

static const cli_option cell_options[] = {
    {"cell", 0, "WHAT", "relax cells, too: full, shape, volume, xy, or lengths of vectors: a,b,c"},
    {"pressure", 0, "P", "pressure on the cells, GPa (default 0)"},
    {"stress", 0, "S",
     "converged when no free component of the stress exceeds S, GPa (default 0.01)"},
    {"keep-symmetry", 0, NULL, "crystals: preserve the initial symmetry operations",
     CLI_FLAG(shoal_relax_options, keep_symmetry)},
    {"elastic", 0, NULL, "compute stiffness matrix and bulk modulus from 12 strains"},
    {NULL, 0, NULL, NULL},
};

static const cli_word cells[] = {{"full", SHOAL_CELL_FULL},
                                 {"shape", SHOAL_CELL_SHAPE},
                                 {"volume", SHOAL_CELL_VOLUME},
                                 {"xy", SHOAL_CELL_XY},
                                 {0}};

/* a, b or c, or several of them with commas between. */
static bool take_vectors(const char *text, uint32_t *out)
{
    *out = 0;
    for (const char *c = text; *c >= 'a' && *c <= 'c'; ++c) {
        *out |= 1u << (*c - 'a');
        if (*++c != ',') return *c == '\0';
    }
    return false;
}

static bool take_cell_option(void *target, const char *name, const char *value)
{
    shoal_relax_options *o = target;
    const double gpa = shoal_unit_value(SHOAL_UNIT_GIGAPASCAL);
    double number;
    if (strcmp(name, "elastic") == 0) {
        o->elastic = ELASTIC_STRAIN;
        return true;
    }
    if (strcmp(name, "cell") == 0) {
        if (take_vectors(value, &o->cell_vectors)) {
            o->cell = SHOAL_CELL_LENGTHS;
            return true;
        }
        return cli_choose(name, value, cells, &o->cell);
    }
    const bool stress = strcmp(name, "stress") == 0;
    if (!cli_number(name, value, stress ? 1e-12 : -1e6, &number)) return false;
    *(stress ? &o->stress : &o->pressure) = number * gpa;
    return true;
}

static void put_bulk(shoal_string *out, const shoal_result *r)
{
    shoal_elastic e;
    if (!r->elastic || shoal_elastic_find(r->elastic, &e) != SHOAL_OK) {
        table_print(out, "%12s%10s", "-", "-");
        return;
    }
    table_number(out, e.bulk / shoal_unit_value(SHOAL_UNIT_GIGAPASCAL), 12, 3);
    table_print(out, "%10s", e.stable ? "stable" : "unstable");
}

static shoal_status put_table(void *user, const row_style *style, const shoal_stream_system *s,
                              shoal_string *out)
{
    const relax_options *o = user;
    const shoal_result *r = &s->result;
    const double unit = settings_unit(&o->compute);
    table_begin(out, s, o->name_width);
    if (has_numbers(r)) {
        table_print(out, "%7d", r->steps);
        table_number(out, r->energy0 / unit, 14, 6);
        table_number(out, r->energy / unit, 14, 6);
        table_number(out, r->fmax / unit, 12, 5);
        if (style->adsorption) table_number(out, (r->energy - s->isolated_energy) / unit, 14, 6);
        if (o->relax.elastic > 0) put_bulk(out, r);
    }
    table_end(out, r);
    return SHOAL_OK;
}

static int run_relax(void *user, const char **files, int n_files)
{
    relax_options *o = user;
    o->surface.work.plans = o->dry.wanted;
    int code = surface_settings_prepare(&o->surface, &o->systems, &o->compute, files, n_files,
                                        shoal_job_evaluations(SHOAL_JOB_RELAX, &o->relax, NULL));
    if (o->surface.surface) o->dry.grid = &o->surface.found;
    if (code != EXIT_ALL_FINE) return code;
    char header[160];
    o->name_width =
        table_name_width(66 + (o->placement.adsorption ? 14 : 0) + (o->relax.elastic > 0 ? 22 : 0));
    (void)snprintf(header, sizeof header, "%-*s%7s  %-10s%7s%14s%14s%12s%s%s\n", o->name_width,
                   "name", "atoms", "status", "steps", "before", settings_unit_name(&o->compute),
                   "fmax", o->placement.adsorption ? "    adsorption" : "",
                   o->relax.elastic > 0 ? "    bulk/GPa   crystal" : "");
    systems_job job = {.stream = {.job = SHOAL_JOB_RELAX,
                                  .compute.engine = &o->compute.engine,
                                  .compute.relax = &o->relax},
                       .table = put_table,
                       .header = header,
                       .certificate = o->certificate,
                       .user = o};
    systems_hold(&o->held, &o->surface, &job.stream);
    code = placement_attach(&o->placement, &o->surface, &job);
    if (code != EXIT_ALL_FINE) return code;
    if (o->systems.trajectory_every > 0 && !o->systems.trajectory)
        return cli_misuse("--every needs --trajectory");
    if (o->relax.cell == SHOAL_CELL_FIXED && (o->relax.pressure != 0 || o->relax.stress != 0))
        return cli_misuse("--pressure and --stress need --cell");
    if (o->relax.cell != SHOAL_CELL_FIXED && o->systems.trajectory)
        return cli_misuse("--cell: a cell that moves has no frames of its way for --trajectory");
    if (o->relax.keep_symmetry && o->systems.trajectory)
        return cli_misuse("--keep-symmetry: there are no frames of the way for --trajectory");
    if (o->systems.trajectory)
        o->relax.every =
            o->systems.trajectory_every > 0 ? o->systems.trajectory_every : TRAJECTORY_EVERY;
    if (o->dry.wanted) return dry_run_files(&o->dry, &o->systems, files, n_files, &job.stream);
    code = run_systems(&o->systems, files, n_files, &job);
    run_say_rate(&o->systems, &job, code, "systems converged", "evaluations");
    return run_conclude(&o->systems, &job, code, "did not converge");
}

int cmd_relax(int argc, char **argv)
{
    relax_options o = {.compute.engine.device = "cpu", .dry.relaxing = true};
    const cli_group groups[] = {
        GROUPS_OF_FILES(&o.systems),
        {"trajectory:", trajectory_options, NULL, &o.systems},
        GROUP_OF_RUNS(&o.systems),
        {"relaxation:", relax_option_table, NULL, &o.relax},
        {"cell:", cell_options, take_cell_option, &o.relax},
        {"certificate:", certificate_options, NULL, &o},
        GROUPS_OF_COPIES(o),
    };
    const cli_command command = {
        .name = "relax",
        .usage = "[OPTIONS] FILES",
        .purpose = "Relaxes the atoms of every system until the forces are small.",
        .notes =
            "The default device is cpu. Restraints: position:I=K (to where the atom starts), "
            "x:I=K, "
            "xy:I=K, ..\n(the same in some directions), distance:I,J=D,K, angle:I,J,K=DEGREES,K, "
            "torsion:I,J,K,L=DEGREES,K;\nK in eV/A^2, or eV/rad^2 for angles. They and --fix hold "
            "in "
            "every system. Results come in the order of\nthe input; a system that does not "
            "converge is listed, and the exit code is 1.",
        CLI_GROUPS(groups),
        CLI_ANY_FILES};
    const int code = cli_run(&command, argc, argv, run_relax, &o);
    systems_settings_free(&o.systems, &o.surface, &o.held);
    return code;
}
