/* SPDX-License-Identifier: BSD-3-Clause
 * shoal types: what perception and typing make of the molecules. */
#include "commands.h"
#include "forcefield_options.h"
#include "results.h"
#include "run.h"

static void put_bonds(json *j, const shoal_stream_system *s, const shoal_topology_view *v)
{
    int32_t n_bonds;
    const shoal_term *bonds = shoal_topology_terms(v, SHOAL_KIND_BOND, &n_bonds);
    json_open(j, "bonds", '[');
    for (int32_t b = 0; b < n_bonds; ++b) {
        const shoal_term *t = &bonds[b];
        if (t->atoms[0] >= v->n_atoms || t->atoms[1] >= v->n_atoms) continue; /* electron pairs */
        json_open(j, NULL, '[');
        json_integer(j, NULL, t->atoms[0]);
        json_integer(j, NULL, t->atoms[1]);
        json_number(j, NULL, t->p[SHOAL_BOND_ORDER]);
        for (int c = 0; c < 3 && shoal_molecule_is_periodic(s->mol); ++c)
            json_integer(j, NULL, t->shifts[1][c]);
        json_close(j, ']');
    }
    json_close(j, ']');
}

/* Atoms with a pi vector, and electron pairs with the atoms that they belong to. */
static void put_auxiliary(json *j, const shoal_topology_view *v)
{
    if (v->n_directions > 0) {
        json_open(j, "pi", '[');
        for (int32_t k = 0; k < v->n_directions; ++k) json_integer(j, NULL, v->direction_atoms[k]);
        json_close(j, ']');
    }
    if (v->n_pairs == 0) return;
    json_open(j, "electron_pairs", '[');
    for (int32_t i = v->n_atoms; i < v->n_atoms + v->n_pairs; ++i) {
        json_open(j, NULL, '{');
        json_put(j, "atom", shoal_mover_host(v, i), "charge", v->charges[i]);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static shoal_status put_json(void *user, const row_style *style, const shoal_stream_system *s,
                             shoal_string *out)
{
    shoal_topology_view v = {0};
    json j = {.text = out};
    (void)user;
    if (s->topology) shoal_topology_get(s->topology, &v);
    const bool typed = s->result.status == SHOAL_SYSTEM_OK;
    json_open(&j, NULL, '{');
    shoal_row_open(&j, style, s);
    if (!typed) json_text(&j, "reason", s->result.reason);
    if (s->result.warning[0]) json_text(&j, "warning", s->result.warning);
    json_open(&j, "types", '[');
    for (int32_t i = 0; i < v.n_atoms && typed; ++i) json_text(&j, NULL, v.types[i]);
    json_close(&j, ']');
    json_numbers(&j, "charges", v.charges, v.n_atoms);
    json_open(&j, "formal_charges", '[');
    for (int32_t i = 0; i < v.n_atoms; ++i)
        json_integer(&j, NULL, shoal_molecule_formal_charges(s->mol)[i]);
    json_close(&j, ']');
    if (s->topology) put_bonds(&j, s, &v);
    put_auxiliary(&j, &v);
    shoal_row_atoms(&j, style, s);
    json_end(&j);
    return SHOAL_OK;
}

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
    table_print(out, "%.200s: %d atoms, %d bonds, %s%s%s", system_title(s->mol, s->index, buffer),
                v.n_atoms, shoal_molecule_n_bonds(s->mol), shoal_system_status_name(r->status),
                r->reason[0] ? ": " : "", r->reason);
    table_print(out, "%s%s\n", r->warning[0] ? "; warning: " : "", r->warning);
    if (r->status == SHOAL_SYSTEM_OK) put_atoms(s, &v, out);
    return SHOAL_OK;
}

static int run_types(void *user, const char **files, int n_files)
{
    const systems_options *options = user;
    if (options->forces) return cli_misuse("--forces: types computes none");
    if (!output_agrees(options)) return EXIT_USAGE;
    systems_job job = {.stream = {.job = SHOAL_JOB_TYPE}, .table = put_table, .json = put_json};
    const int code = run_systems(options, files, n_files, &job);
    return run_conclude(options, &job, code, "could not be typed");
}

int cmd_types(int argc, char **argv)
{
    systems_options options = {0};
    const cli_group groups[] = {
        {"options:", input_options, take_input_option, &options},
        {"output:", output_options, take_output_option, &options},
        {"long runs:", run_options, take_run_option, &options},
        {"force field:", forcefield_options, take_forcefield_option, &options},
        {"typing:", typing_options, take_typing_option, &options},
    };
    const cli_command command = {
        .name = "types",
        .usage = "[OPTIONS] FILES",
        .purpose = "Perceives bonds, orders and rings, and prints the type of every atom.",
        .notes = "A system that cannot be typed gets the status 'untyped' and a reason; the others "
                 "go on.",
        CLI_GROUPS(groups),
        CLI_ANY_FILES};
    const int code = cli_run(&command, argc, argv, run_types, &options);
    systems_options_free(&options);
    return code;
}
