/* SPDX-License-Identifier: BSD-3-Clause
 * shoal embed: conformers from the bonds of molecules. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "groups.h"
#include "relax_options.h"
#include "results.h"
#include "run.h"

#define CONFORMERS 10

typedef struct embed_options {
    systems_options systems;
    engine_settings compute;
    surface_settings surface; /* none; it loads parameters and checks what goes together */
    shoal_relax_options relax;
    shoal_ensemble ensemble;
    shoal_choice choice;
} embed_options;

static const cli_option embed_option_table[] = {
    {"conformers", 0, "N", "of every molecule (default 10)",
     CLI_COUNT(embed_options, systems.conformers.n, 1, 1000000)},
    {"seed", 0, "S", "of the random starts (default 0)",
     CLI_SEED(embed_options, systems.conformers.seed)},
    {"tries", 0, "N", "starts until a conformer is given up (default 30)",
     CLI_COUNT(embed_options, systems.conformers.most_tries, 1, 1000000)},
    {"no-relaxation", 0, NULL, "as distance geometry leaves them; otherwise relaxed",
     CLI_FLAG(embed_options, systems.conformers.no_relaxation)},
    {NULL, 0, NULL, NULL},
};

static const cli_option ensemble_table[] = {
    {"keep", 0, "K", "the K lowest of every molecule that differ (default: all)",
     CLI_COUNT(embed_options, ensemble.most, 1, 1000000)},
    {"window", 0, "E", "those up to E eV above the lowest",
     CLI_NUMBER(embed_options, ensemble.window, 1e-12)},
    {"rmsd", 0, "R", "A, of atoms but H: nearer ones are one (with --keep or --window 0.5; 0: off)",
     CLI_NUMBER(embed_options, ensemble.rmsd, 0)},
    {"temperature", 0, "T", "K: of the Boltzmann weights of those that are kept (default 298.15)",
     CLI_NUMBER(embed_options, ensemble.temperature, 1e-6)},
    {NULL, 0, NULL, NULL},
};

static shoal_status put_table(void *user, const row_style *style, const shoal_stream_system *s,
                              shoal_string *out)
{
    char buffer[32];
    const embed_options *o = user;
    const shoal_result *r = &s->result;
    const double unit = settings_unit(&o->compute);
    (void)style;
    table_print(out, "%-24.24s %6d %6lld  %-10s", shoal_row_title(s, buffer),
                shoal_molecule_n_atoms(s->mol), (long long)s->variant,
                shoal_system_status_name(r->status));
    if (has_numbers(r)) {
        table_number(out, r->energy / unit, 14, 6);
        table_number(out, r->fmax / unit, 12, 5);
    }
    table_end(out, r);
    return SHOAL_OK;
}

static int run_embed(void *user, const char **files, int n_files)
{
    embed_options *o = user;
    char header[128];
    (void)snprintf(header, sizeof header, "%-24s%7s%7s  %-10s%14s%12s\n", "name", "atoms", "number",
                   "status", settings_unit_name(&o->compute), "fmax");
    if (settings_repeat(&o->compute))
        return cli_misuse("--vdw-cutoff, --vdw-tail, --ewald and --ewald-tolerance apply to "
                          "crystals, which are not embedded");
    int code = surface_settings_prepare(&o->surface, &o->systems, &o->compute, files, n_files, 0);
    if (code != EXIT_ALL_FINE) return code;
    const bool chooses = cli_given_of(ensemble_table) != NULL;
    o->ensemble.keep_alike = cli_was_given("rmsd") && o->ensemble.rmsd == 0;
    if (chooses && shoal_ensemble_choice(&o->ensemble, &o->choice) != SHOAL_OK)
        return complain_of_status(SHOAL_E_ARGUMENT);
    if (chooses) o->systems.conformers.choice = &o->choice;
    const bool relaxes = !o->systems.conformers.no_relaxation;
    systems_job job = {.stream = {.job = relaxes ? SHOAL_JOB_RELAX : SHOAL_JOB_ENERGY,
                                  .compute.engine = &o->compute.engine,
                                  .compute.relax = relaxes ? &o->relax : NULL},
                       .table = put_table,
                       .header = header,
                       .user = o};
    code = run_systems(&o->systems, files, n_files, &job);
    run_say_rate(&o->systems, &job, code, "conformers found",
                 relaxes ? "evaluations" : "molecules");
    return run_conclude(&o->systems, &job, code, "got no conformer, or did not converge");
}

int cmd_embed(int argc, char **argv)
{
    embed_options o = {.compute.engine.device = "cpu", .systems.conformers.n = CONFORMERS};
    const cli_group groups[] = {
        GROUPS_OF_FILES(&o.systems),
        {"conformers:", embed_option_table, NULL, &o},
        {"those that are kept:", ensemble_table, NULL, &o},
        GROUP_OF_RUNS(&o.systems),
        {"relaxation:", relax_option_table, NULL, &o.relax},
        {"computing:", engine_option_table, take_engine_option, &o.compute},
        {"tables:", table_options, NULL, &o.compute},
        GROUPS_OF_TERMS(&o.systems),
    };
    const cli_command command = {
        .name = "embed",
        .usage = "[OPTIONS] FILES",
        .purpose = "Makes conformers of molecules from their bonds, whatever their coordinates.",
        .notes =
            "Distance geometry from random starts, minimised on the device, checked against "
            "bonds and\nconfigurations, then relaxed in the force field. A conformer depends on "
            "its molecule, its number\nand the seed alone. Of configurations that are not stated "
            "some come out.",
        CLI_GROUPS(groups),
        CLI_ANY_FILES};
    const int code = cli_run(&command, argc, argv, run_embed, &o);
    systems_options_free(&o.systems);
    surface_settings_free(&o.surface);
    return code;
}
