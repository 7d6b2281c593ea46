/* SPDX-License-Identifier: BSD-3-Clause
 * shoal convert: molecule files from one format to another. */
#include <stdlib.h>

#include "commands.h"
#include "output.h"
#include "systems.h"

typedef struct convert_run {
    const systems_options *options;
    output out;
    int64_t n_failed;
    bool perceive; /* bonds and orders are wanted in the output */
} convert_run;

static int visit(void *user, const systems_chunk *chunk)
{
    convert_run *run = user;
    for (int32_t i = 0; i < chunk->n; ++i) {
        shoal_molecule *mol = chunk->systems[i].mol;
        shoal_status status = SHOAL_OK;
        if (run->perceive) status = shoal_molecule_perceive(mol, &run->options->perceive);
        if (status == SHOAL_E_FORMAT) {
            char buffer[32];
            cli_complain("%s: %s", system_title(mol, chunk->first + i, buffer), shoal_error_text());
            ++run->n_failed;
            continue;
        }
        if (status != SHOAL_OK) return complain_of_status(status);
        const int code = output_put(&run->out, mol, chunk->first + i, NULL);
        if (code != EXIT_ALL_FINE) return code;
    }
    return EXIT_ALL_FINE;
}

static const cli_option convert_options[] = {
    {"output", 'o', "FILE", "file to write: .xyz, .extxyz or .sdf, also .gz (required)"},
    {"format", 0, "NAME", "format of the input: xyz, sdf, mol, mol2 (default: by file name)"},
    {"charge", 0, "Q", "total charge, used where bond orders must be found (default 0)"},
    {"rebuild-bonds", 0, NULL, "ignore the file's bonds and find them from distances"},
    {"bond-slack", 0, "D",
     "angstrom beyond the covalent radii (default 0.3, to H 0.45, metals 0.4)"},
    {"quiet", 'q', NULL, "no progress and no warnings"},
    {NULL, 0, NULL, NULL},
};

static bool take_option(void *target, const char *name, const char *value)
{
    const bool input = name[0] == 'o' || name[0] == 'f' || name[0] == 'q';
    return input ? take_input_option(target, name, value) : take_typing_option(target, name, value);
}

static int convert(void *user, const char **files, int n_files)
{
    const systems_options *options = user;
    if (!options->output) {
        cli_complain("convert: no output; say where with -o FILE");
        return EXIT_USAGE;
    }
    convert_run run = {.options = options};
    int code = output_open(&run.out, options->output);
    if (code != EXIT_ALL_FINE) return code;
    /* An SDF has bonds; xyz has no place for them. */
    run.perceive = shoal_writer_format(run.out.writer) == SHOAL_FORMAT_SDF;
    code = output_close(&run.out, systems_each(options, files, n_files, false, visit, &run));
    return code == EXIT_ALL_FINE && run.n_failed > 0 ? EXIT_SOME_FAILED : code;
}

int cmd_convert(int argc, char **argv)
{
    systems_options options = {0};
    const cli_group group = {"options:", convert_options, take_option, &options};
    const cli_command command = {
        .name = "convert",
        .usage = "FILES -o OUTPUT [OPTIONS]",
        .purpose = "Reads molecules and writes them in the format of the output's name.",
        .notes =
            "Several inputs are written one after the other. Into an SDF, bonds and orders are "
            "found where the\ninput has none.",
        .groups = &group,
        .n_groups = 1,
        .min_files = 1,
        .max_files = -1};
    const int code = cli_run(&command, argc, argv, convert, &options);
    systems_options_free(&options);
    return code;
}
