/* SPDX-License-Identifier: BSD-3-Clause
 * shoal energy: single points. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "groups.h"
#include "json.h"
#include "results.h"
#include "run.h"

enum { NAME_LEAST = 10, OTHERS = 45 }; /* columns beside names and terms */

typedef struct energy_options {
    dry_run dry;
    systems_options systems;
    engine_settings compute;
    surface_settings surface;
    placement_settings placement;
    bool explain;
    int32_t record; /* the only one; -1: all */
} energy_options;

static const cli_option energy_option_table[] = {
    {"explain", 0, NULL, "every interaction with atoms, types, parameters, value and energy",
     CLI_FLAG(energy_options, explain)},
    {"record", 0, "N", "only frame N of the input, counted from 0 over all files",
     CLI_COUNT(energy_options, record, 0, INT32_MAX - 1)},
    {NULL, 0, NULL, NULL},
};

/* A shard of one system: numbers stay those in the whole input. */
static bool choose_record(energy_options *o)
{
    if (o->record < 0) return true;
    if (o->systems.n_shards > 0)
        return cli_refuse("--record and --shard both choose systems; expected one of them");
    o->systems.shard = o->record;
    o->systems.n_shards = INT32_MAX;
    return true;
}

/* Rounding of a sum that vanishes is not printed as -0.00000. */
static double unsigned_zero(double value)
{
    return fabs(value) < 0.5e-5 ? 0 : value;
}

/* Terms that have a column, in its order. Returns how many. */
static int columns(const energy_options *o, int terms[SHOAL_TERM_PI_PI + 1])
{
    static const int of_uff[] = {SHOAL_TERM_BOND, SHOAL_TERM_ANGLE, SHOAL_TERM_TORSION,
                                 SHOAL_TERM_INVERSION};
    static const int of_mmffsp3[] = {SHOAL_TERM_BOND, SHOAL_TERM_ANGLE, SHOAL_TERM_SIGMA_PI,
                                     SHOAL_TERM_PI_PI};
    const bool directed = o->systems.typing.forcefield == SHOAL_FORCEFIELD_MMFFSP3;
    int n = 4;
    memcpy(terms, directed ? of_mmffsp3 : of_uff, sizeof of_uff);
    terms[n++] = SHOAL_TERM_VDW;
    terms[n++] = SHOAL_TERM_COULOMB;
    if (o->surface.surface) terms[n++] = SHOAL_TERM_SURFACE;
    return NAME_LEAST + OTHERS + 12 * n <= table_width() ? n : 0; /* all, or none of them */
}

static int name_width(const energy_options *o)
{
    int terms[SHOAL_TERM_PI_PI + 1];
    return table_name_width(OTHERS + 12 * columns(o, terms));
}

static void put_header(const energy_options *o, char *out, size_t size)
{
    int terms[SHOAL_TERM_PI_PI + 1];
    const int n = columns(o, terms);
    int used = snprintf(out, size, "%-*s%7s  %-10s%14s%12s", name_width(o), "name", "atoms",
                        "status", settings_unit_name(&o->compute), "fmax");
    for (int k = 0; k < n; ++k)
        used += snprintf(out + used, size - (size_t)used, "%12s", shoal_term_name(terms[k]));
    (void)snprintf(out + used, size - (size_t)used, "\n");
}

static void put_numbers(const energy_options *o, const shoal_result *r, shoal_string *out)
{
    const double unit = settings_unit(&o->compute);
    int terms[SHOAL_TERM_PI_PI + 1];
    const int n = columns(o, terms);
    table_number(out, r->energy / unit, 14, 6);
    table_number(out, r->fmax / unit, 12, 5);
    for (int k = 0; k < n; ++k) table_number(out, unsigned_zero(r->terms[terms[k]] / unit), 12, 5);
}

/* --- interactions --------------------------------------------------------------------------------- */

/* The atoms as a column of the table. */
static void print_atoms(const shoal_term_row *row, const shoal_topology_view *v, shoal_string *out)
{
    const size_t start = shoal_string_size(out);
    shoal_explain_atoms(row, v, out);
    const size_t used = shoal_string_size(out) - start;
    table_print(out, "%*s", used < 44 ? (int)(44 - used) : 1, "");
}

/* As a table; unit is eV per unit of it. */
static shoal_status explain_system(const shoal_stream_system *system, double unit,
                                   const char *unit_name, shoal_string *out)
{
    shoal_term_row *rows;
    int64_t n;
    shoal_topology_view v;
    shoal_topology_get(system->topology, &v);
    const shoal_status status = shoal_explain_rows(system->engine, system->i_engine, &rows, &n);
    if (status != SHOAL_OK) return status;
    table_print(out, "\n%-10s%12s%12s  %-44s%s\n", "term", unit_name, "value", "atoms index:type",
                "parameters (eV, A, e)");
    for (const shoal_term_row *row = rows; row < rows + n; ++row) {
        table_print(out, "%-10s", shoal_term_name(row->term));
        table_number(out, row->energy / unit, 12, 6);
        table_number(out, row->value, 10, 4);
        table_print(out, " %s ", shoal_explain_unit(row)[0] == 'd' ? "o" : "A");
        print_atoms(row, &v, out);
        shoal_explain_parameters(row, &v, out);
        table_print(out, "\n");
    }
    table_print(out, "\n");
    free(rows);
    return SHOAL_OK;
}

/* --- rows ----------------------------------------------------------------------------------------- */

static shoal_status put_table(void *user, const row_style *style, const shoal_stream_system *s,
                              shoal_string *out)
{
    const energy_options *o = user;
    (void)style;
    table_begin(out, s, name_width(o));
    if (has_numbers(&s->result)) put_numbers(o, &s->result, out);
    table_end(out, &s->result);
    if (!o->explain || s->result.status != SHOAL_SYSTEM_OK) return SHOAL_OK;
    return explain_system(s, settings_unit(&o->compute), settings_unit_name(&o->compute), out);
}

static shoal_status put_json(void *user, const row_style *style, const shoal_stream_system *s,
                             shoal_string *out)
{
    const energy_options *o = user;
    json j = {.text = out};
    json_open(&j, NULL, '{');
    shoal_row_energy(&j, style, s);
    shoal_status status = SHOAL_OK;
    if (o->explain && s->result.status == SHOAL_SYSTEM_OK) status = shoal_row_interactions(&j, s);
    json_end(&j);
    return status;
}

static int run_energy(void *user, const char **files, int n_files)
{
    energy_options *o = user;
    if (!choose_record(o) || !surface_spring_agrees(&o->surface, false)) return EXIT_USAGE;
    o->surface.work.plans = o->dry.wanted;
    int code = surface_settings_prepare(&o->surface, &o->systems, &o->compute, files, n_files, 1);
    if (o->surface.surface) o->dry.grid = &o->surface.found;
    if (code != EXIT_ALL_FINE) return code;
    char header[256];
    put_header(o, header, sizeof header);
    systems_job job = {.stream = {.job = SHOAL_JOB_ENERGY, .compute.engine = &o->compute.engine},
                       .table = put_table,
                       .json = put_json,
                       .header = header,
                       .user = o};
    systems_hold(NULL, &o->surface, &job.stream);
    code = placement_attach(&o->placement, &o->surface, &job);
    if (code != EXIT_ALL_FINE) return code;
    if (o->dry.wanted) return dry_run_files(&o->dry, &o->systems, files, n_files, &job.stream);
    code = run_systems(&o->systems, files, n_files, &job);
    if (code == EXIT_ALL_FINE && o->record >= 0 && job.reports && job.counts.done == 0)
        return cli_misuse("--record %d: the input has no such frame", o->record);
    return run_conclude(&o->systems, &job, code, "failed");
}

int cmd_energy(int argc, char **argv)
{
    energy_options o = {.compute.engine.device = "cpu", .record = -1};
    const cli_group groups[] = {
        GROUPS_OF_FILES(&o.systems),
        GROUP_OF_RUNS(&o.systems),
        {"energy:", energy_option_table, NULL, &o},
        GROUPS_OF_PLACING(o),
        GROUPS_OF_TERMS(&o.systems),
    };
    const cli_command command = {
        .name = "energy",
        .usage = "[OPTIONS] FILES",
        .purpose = "Computes the energy of every system, by term, and the forces.",
        .notes = "The default device is cpu, in double. Energies are in eV, forces in eV/A. A "
                 "system that "
                 "cannot be typed or is\nnot finite gets its status and a reason, the others go "
                 "on, and the exit code is 1.",
        CLI_GROUPS(groups),
        CLI_ANY_FILES};
    const int code = cli_run(&command, argc, argv, run_energy, &o);
    systems_options_free(&o.systems);
    surface_settings_free(&o.surface);
    return code;
}
