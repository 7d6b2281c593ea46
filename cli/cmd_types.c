/* SPDX-License-Identifier: BSD-3-Clause
 * shoal types: what perception and typing make of the molecules. */
#include "commands.h"
#include "groups.h"
#include "results.h"
#include "run.h"

static bool has_direction(const shoal_topology_view *v, int32_t i)
{
    for (int32_t k = 0; k < v->n_directions; ++k)
        if (v->direction_atoms[k] == i) return true;
    return false;
}

static void put_atoms(const shoal_stream_system *s, const shoal_topology_view *v, shoal_string *out)
{
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        const int32_t formal = shoal_molecule_formal_charges(s->mol)[i];
        const bool pi = has_direction(v, i), more = formal || v->has_charges || pi;
        table_print(out, "%6d  %-2s  %-*s", i, shoal_element_symbol(v->elements[i]), more ? 6 : 0,
                    v->types[i]);
        if (formal) table_print(out, "  %+d", formal);
        if (v->has_charges) table_print(out, "  q = %+.4f", v->charges[i]);
        table_print(out, "%s\n", pi ? "  pi" : "");
    }
    for (int32_t i = v->n_atoms; i < v->n_atoms + v->n_pairs; ++i)
        table_print(out, "%6d  %-2s  %-6s  q = %+.4f  of %d\n", i, "", v->types[i], v->charges[i],
                    shoal_mover_host(v, i));
}

static shoal_status put_table(void *user, const row_style *style, const shoal_stream_system *s,
                              shoal_string *out)
{
    char buffer[32];
    shoal_topology_view v = {0};
    const shoal_result *r = &s->result;
    (void)user;
    (void)style;
    if (s->topology) shoal_topology_get(s->topology, &v);
    table_print(out, "%.200s: %d atoms, %d bonds, %s%s%s", shoal_row_title(s, buffer), v.n_atoms,
                shoal_molecule_n_bonds(s->mol), shoal_system_status_name(r->status),
                r->reason[0] ? ": " : "", r->reason);
    table_print(out, "%s%s\n", r->warning[0] ? "; warning: " : "", r->warning);
    if (r->status == SHOAL_SYSTEM_OK) put_atoms(s, &v, out);
    return SHOAL_OK;
}

static int run_types(void *user, const char **files, int n_files)
{
    systems_options *options = user;
    if (options->forces) return cli_misuse("--forces: types computes none");
    if (cli_was_given("dielectric")) return cli_misuse("--dielectric: types computes no energies");
    if (!output_agrees(options)) return EXIT_USAGE;
    const int loaded = systems_load_table(options);
    if (loaded != EXIT_ALL_FINE) return loaded;
    systems_job job = {.stream = {.job = SHOAL_JOB_TYPE}, .table = put_table};
    const int code = run_systems(options, files, n_files, &job);
    return run_conclude(options, &job, code, "could not be typed");
}

int cmd_types(int argc, char **argv)
{
    systems_options options = {0};
    const cli_group groups[] = {
        GROUPS_OF_INPUT(&options),
        {"output:", output_options, take_output_option, &options},
        {"long runs:", run_options, take_run_option, &options},
        {"force field:", forcefield_options, take_forcefield_option, &options},
        GROUPS_OF_TYPING(&options),
    };
    const cli_command command = {
        .name = "types",
        .usage = "[OPTIONS] FILES",
        .purpose = "Perceives bonds, orders and rings, and prints the type of every atom.",
        .notes = "A system that cannot be typed gets the status 'untyped' and a reason; the others "
                 "go on.\n"
                 "-o FILE.tsv writes all parameters as a table, for --ff-table.",
        CLI_GROUPS(groups),
        CLI_ANY_FILES};
    const int code = cli_run(&command, argc, argv, run_types, &options);
    systems_options_free(&options);
    return code;
}
