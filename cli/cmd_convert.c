/* SPDX-License-Identifier: BSD-3-Clause
 * shoal convert: molecule files from one format to another. */
#include <string.h>

#include "commands.h"
#include "run.h"

/* An SDF has bonds, which are found where the file has none; xyz has no place for them. */
static shoal_status perceive(void *user, const shoal_stream_system *s, shoal_format format,
                             shoal_frame *frame)
{
    const systems_options *options = user;
    (void)frame;
    if (format != SHOAL_FORMAT_SDF) return SHOAL_OK;
    return shoal_molecule_perceive(s->mol, &options->perceive);
}

static const cli_option convert_options[] = {
    {"output", 'o', "FILE", "file to write: .xyz, .extxyz or .sdf, also .gz, or .h5 (required)"},
    {"output-format", 0, "NAME", "of an output whose name tells none, such as -: xyz or sdf"},
    {"format", 0, "NAME", "format of the input: xyz, sdf, mol, mol2, h5 (default: by file name)"},
    {"charge", 0, "Q",
     "total charge, where formal charges must be found (default: the file's, else 0)"},
    {"rebuild-bonds", 0, NULL, "ignore the file's bonds and find them from distances"},
    {"bond-slack", 0, "D",
     "angstrom beyond the covalent radii (default 0.3, to H 0.45, metals 0.4)"},
    {"threads", 0, "N", "threads to use (default: all)"},
    {"strict", 0, NULL,
     "stop at a record that cannot be read (default: it fails, the others go on)"},
    {"quiet", 'q', NULL, "no progress and no warnings"},
    {NULL, 0, NULL, NULL},
};

static bool take_option(void *target, const char *name, const char *value)
{
    static const char *const of_input[] = {"format", "threads", "quiet", "strict"};
    if (strncmp(name, "output", 6) == 0) return take_output_option(target, name, value);
    for (size_t k = 0; k < sizeof of_input / sizeof of_input[0]; ++k)
        if (strcmp(name, of_input[k]) == 0) return take_input_option(target, name, value);
    return take_typing_option(target, name, value);
}

static int convert(void *user, const char **files, int n_files)
{
    systems_options *options = user;
    if (options->n_outputs == 0) return cli_misuse("convert: no output; say where with -o FILE");
    systems_job job = {.stream = {.job = SHOAL_JOB_READ}, .frame = perceive, .user = options};
    const int code = run_systems(options, files, n_files, &job);
    return run_conclude(options, &job, code, "could not be read");
}

int cmd_convert(int argc, char **argv)
{
    systems_options options = {0};
    const cli_group groups[] = {
        {"options:", convert_options, take_option, &options},
        {"long runs:", run_options, take_run_option, &options},
    };
    const cli_command command = {
        .name = "convert",
        .usage = "FILES -o OUTPUT [OPTIONS]",
        .purpose = "Reads molecules and writes them in the format of the output's name.",
        .notes =
            "Several inputs are written one after the other. Into an SDF, bonds and orders are "
            "found where the\ninput has none.",
        CLI_GROUPS(groups),
        CLI_ANY_FILES};
    const int code = cli_run(&command, argc, argv, convert, &options);
    systems_options_free(&options);
    return code;
}
