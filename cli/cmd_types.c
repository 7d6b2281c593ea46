/* SPDX-License-Identifier: BSD-3-Clause
 * shoal types: what perception and typing make of the molecules. */
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "json.h"
#include "output.h"
#include "systems.h"

typedef struct types_run {
    const systems_options *options;
    json line;
    int64_t n_failed;
    output out;
} types_run;

static void write_json(types_run *run, const loaded_system *s, int64_t index)
{
    json *j = &run->line;
    shoal_topology_view v;
    shoal_topology_get(s->topology, &v);
    const bool typed = shoal_topology_status(s->topology) == SHOAL_SYSTEM_OK;
    json_reset(j);
    json_open(j, NULL, '{');
    json_integer(j, "index", index);
    json_text(j, "name", shoal_molecule_name(s->mol));
    json_integer(j, "natoms", v.n_atoms);
    json_text(j, "status", shoal_system_status_name(shoal_topology_status(s->topology)));
    if (!typed) json_text(j, "reason", shoal_topology_reason(s->topology));
    json_open(j, "types", '[');
    for (int32_t i = 0; i < v.n_atoms && typed; ++i) json_text(j, NULL, v.types[i]);
    json_close(j, ']');
    json_open(j, "charges", '[');
    for (int32_t i = 0; i < v.n_atoms; ++i) json_number(j, NULL, v.charges[i]);
    json_close(j, ']');
    json_open(j, "formal_charges", '[');
    for (int32_t i = 0; i < v.n_atoms; ++i)
        json_integer(j, NULL, shoal_molecule_formal_charges(s->mol)[i]);
    json_close(j, ']');
    json_open(j, "bonds", '[');
    int32_t n_bonds;
    const shoal_term *bonds = shoal_topology_terms(&v, SHOAL_KIND_BOND, &n_bonds);
    for (int32_t b = 0; b < n_bonds; ++b) {
        const shoal_term *t = &bonds[b];
        json_open(j, NULL, '[');
        json_integer(j, NULL, t->atoms[0]);
        json_integer(j, NULL, t->atoms[1]);
        json_number(j, NULL, t->p[SHOAL_BOND_ORDER]);
        for (int c = 0; c < 3 && shoal_molecule_is_periodic(s->mol); ++c)
            json_integer(j, NULL, t->shifts[1][c]);
        json_close(j, ']');
    }
    json_close(j, ']');
    json_close(j, '}');
    json_end_line(j);
    json_print(j);
}

static void write_table(const loaded_system *s, int64_t index)
{
    char buffer[32];
    shoal_topology_view v;
    shoal_topology_get(s->topology, &v);
    const shoal_system_status status = shoal_topology_status(s->topology);
    (void)printf("%s: %d atoms, %d bonds, %s%s%s\n", system_title(s->mol, index, buffer), v.n_atoms,
                 shoal_molecule_n_bonds(s->mol), shoal_system_status_name(status),
                 status == SHOAL_SYSTEM_OK ? "" : ": ", shoal_topology_reason(s->topology));
    if (status != SHOAL_SYSTEM_OK) return;
    for (int32_t i = 0; i < v.n_atoms; ++i) {
        const int32_t formal = shoal_molecule_formal_charges(s->mol)[i];
        const bool more = formal || v.has_charges;
        (void)printf("%6d  %-2s  %-*s", i, shoal_element_symbol(v.elements[i]), more ? 6 : 0,
                     v.types[i]);
        if (formal) (void)printf("  %+d", formal);
        if (v.has_charges) (void)printf("  q = %+.4f", v.charges[i]);
        (void)putchar('\n');
    }
}

static int visit(void *user, const systems_chunk *chunk)
{
    types_run *run = user;
    for (int32_t i = 0; i < chunk->n; ++i) {
        const loaded_system *s = &chunk->systems[i];
        run->n_failed += shoal_topology_status(s->topology) != SHOAL_SYSTEM_OK;
        if (run->options->json)
            write_json(run, s, chunk->first + i);
        else
            write_table(s, chunk->first + i);
        if (json_failed(&run->line)) {
            cli_complain("out of memory");
            return EXIT_DEVICE;
        }
        shoal_topology_view v;
        shoal_topology_get(s->topology, &v);
        const shoal_system_status status = shoal_topology_status(s->topology);
        const shoal_frame frame = {
            .types = status == SHOAL_SYSTEM_OK ? v.types : NULL,
            .status = status == SHOAL_SYSTEM_OK ? NULL : shoal_system_status_name(status)};
        const int code = output_put(&run->out, s->mol, chunk->first + i, &frame);
        if (code != EXIT_ALL_FINE) return code;
    }
    return EXIT_ALL_FINE;
}

static int run_types(void *user, const char **files, int n_files)
{
    const systems_options *options = user;
    types_run run = {.options = options};
    int code = output_open(&run.out, options->output);
    if (code == EXIT_ALL_FINE)
        code = output_close(&run.out, systems_each(options, files, n_files, true, visit, &run));
    if (code == EXIT_ALL_FINE && run.n_failed > 0) {
        cli_complain("%lld system%s could not be typed", (long long)run.n_failed,
                     run.n_failed == 1 ? "" : "s");
        code = EXIT_SOME_FAILED;
    }
    json_free(&run.line);
    return code;
}

int cmd_types(int argc, char **argv)
{
    systems_options options = {0};
    const cli_group groups[] = {
        {"options:", input_options, take_input_option, &options},
        {"output:", output_options, take_input_option, &options},
        {"typing:", typing_options, take_typing_option, &options},
    };
    const cli_command command = {
        .name = "types",
        .usage = "[OPTIONS] FILES",
        .purpose = "Perceives bonds, orders and rings, and prints the UFF type of every atom.",
        .notes = "A system that cannot be typed gets the status 'untyped' and a reason; the others "
                 "go on.",
        .groups = groups,
        .n_groups = sizeof groups / sizeof groups[0],
        .min_files = 1,
        .max_files = -1};
    const int code = cli_run(&command, argc, argv, run_types, &options);
    systems_options_free(&options);
    return code;
}
