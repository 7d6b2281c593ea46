/* SPDX-License-Identifier: BSD-3-Clause
 * shoal convert: molecule files from one format to another. */
#include <string.h>

#include "commands.h"
#include "groups.h"
#include "run.h"

/* Formats with bonds get those that are found where the file has none; xyz has no place for them, and crystals are
 * read again with bonds from distances. */
static shoal_status perceive(void *user, const shoal_stream_system *s, shoal_format format,
                             shoal_frame *frame)
{
    const systems_options *options = user;
    (void)frame;
    if (format != SHOAL_FORMAT_SDF && format != SHOAL_FORMAT_MOL2) return SHOAL_OK;
    return shoal_molecule_perceive(s->mol, &options->perceive);
}

static const cli_option convert_options[] = {
    {"output", 'o', "FILE",
     "file to write: .xyz, .extxyz, .sdf, .mol2, .cif or .pdb, also .gz, or .h5; of results (.h5) "
     "also .csv "
     "(required)"},
    {"output-format", 0, "NAME",
     "format of an output whose name does not tell it, such as -: xyz, sdf, mol2, cif, pdb or csv"},
    {NULL, 0, NULL, NULL},
};

static bool is_results(const systems_options *o, const char *path)
{
    const shoal_format by_path = shoal_format_by_path(path);
    return (o->format == SHOAL_FORMAT_AUTO ? by_path : o->format) == SHOAL_FORMAT_HDF5;
}

/* Rows of CSV are those of a run, which files of results hold. */
static int write_table(const systems_options *o, const char **files, int n_files)
{
    if (o->n_outputs > 1 || o->resume || o->n_shards > 0)
        return cli_misuse("a table is made of whole files; expected one -o, no --resume and no "
                          "--shard");
    for (int k = 0; k < n_files; ++k)
        if (!is_results(o, files[k]))
            return cli_misuse("%s holds no results of a run; expected .h5 for a table", files[k]);
    const shoal_status status = shoal_results_to_csv(o->outputs[0], files, n_files);
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
}

/* Standard output takes what a stream of molecules can be, and tables. */
static int check_outputs(const systems_options *o, bool *table)
{
    *table = false;
    if (o->n_outputs == 0) return cli_misuse("convert: no output; name one with -o FILE");
    for (int k = 0; k < o->n_outputs; ++k) {
        shoal_run_output to;
        if (strcmp(o->outputs[k], "-") == 0 && !o->output_format)
            return cli_misuse("-o - has no name that tells the format; expected --output-format "
                              "xyz, sdf or csv");
        const int code = run_choose_output(&to, o->outputs[k], o->output_format);
        if (code != EXIT_ALL_FINE) return code;
        *table = *table || to.kind == SHOAL_OUTPUT_CSV;
    }
    return EXIT_ALL_FINE;
}

static int convert(void *user, const char **files, int n_files)
{
    systems_options *options = user;
    bool table;
    const int wrong = check_outputs(options, &table);
    if (wrong != EXIT_ALL_FINE) return wrong;
    if (table) return write_table(options, files, n_files);
    systems_job job = {.stream = {.job = SHOAL_JOB_READ}, .frame = perceive, .user = options};
    const int code = run_systems(options, files, n_files, &job);
    return run_conclude(options, &job, code, "could not be read");
}

int cmd_convert(int argc, char **argv)
{
    systems_options options = {0};
    const cli_group groups[] = {
        {"options:", convert_options, take_output_option, &options},
        GROUPS_OF_READING(&options),
        {"long runs:", run_options, take_run_option, &options},
    };
    const cli_command command = {
        .name = "convert",
        .usage = "FILES -o OUTPUT [OPTIONS]",
        .purpose = "Reads molecules and writes them in the format of the output's name.",
        .notes = "Several inputs are written one after the other. For SDF and mol2, bonds and bond "
                 "orders are found\nif the input has none.",
        CLI_GROUPS(groups),
        CLI_ANY_FILES};
    const int code = cli_run(&command, argc, argv, convert, &options);
    systems_options_free(&options);
    return code;
}
