/* SPDX-License-Identifier: BSD-3-Clause
 * shoal fit prepare: frames typed and charged by Shoal, made of plain dimers. */
#include "fit.h"

#include <stdio.h>
#include <string.h>

#include "json.h"
#include "systems.h"

typedef struct prepare_options {
    shoal_prepare_options prepare;
    bool json, quiet;
    int n_notes; /* printed so far */
} prepare_options;

enum { NOTES_SHOWN = 20 };

static const cli_option prepare_option_table[] = {
    {"output", 'o', "FILE", "write the frames: typed, with charges",
     CLI_TEXT(prepare_options, prepare.frames)},
    {"types-out", 0, "FILE", "write a table of their types to start a fit from (UFF's R and E)",
     CLI_TEXT(prepare_options, prepare.types)},
    {"dofs-out", 0, "FILE", "write a list of parameters to fit: R and E, H of polar types",
     CLI_TEXT(prepare_options, prepare.dofs)},
    {"charges", 0, "SOURCE",
     "auto (default: the file's if they can be, else qeq-molecules), qeq-molecules, qeq, mmff94, "
     "file, none",
     CLI_WORD(prepare_options, prepare.charges, charge_sources)},
    {"finer", 0, NULL, "types by hydrogens and by neighbours beside C and H: O_3h1, C_Rx2, H_Op",
     CLI_FLAG(prepare_options, prepare.finer)},
    {"dialect", 0, "NAME", "rdkit (default), paper or firecore"},
    {"map", 0, "FILE", "two columns: what Shoal calls a type, what is written",
     CLI_TEXT(prepare_options, prepare.map)},
    {"format", 0, "NAME", "format of the input: xyz, sdf, mol2 (default: by file name)"},
    {"json", 0, NULL, "one JSON object on stdout", CLI_FLAG(prepare_options, json)},
    {"quiet", 'q', NULL, "do not name frames that are left out", CLI_FLAG(prepare_options, quiet)},
    {NULL, 0, NULL, NULL},
};

static bool take_prepare_option(void *target, const char *name, const char *value)
{
    shoal_prepare_options *p = &((prepare_options *)target)->prepare;
    if (strcmp(name, "format") == 0) {
        p->format = shoal_format_by_name(value);
        if (p->format != SHOAL_FORMAT_AUTO && p->format != SHOAL_FORMAT_HDF5) return true;
        return cli_refuse("--format '%s': expected xyz, extxyz, sdf, mol or mol2", value);
    }
    const int dialect = shoal_dialect_by_name(value);
    p->dialect = (shoal_dialect)dialect;
    return dialect >= 0 || cli_refuse("--dialect '%s': expected rdkit, paper or firecore", value);
}

static void print_note(void *user, const char *text)
{
    prepare_options *o = user;
    if (o->quiet || ++o->n_notes > NOTES_SHOWN) return;
    cli_complain("warning: %s", text);
}

/* No output may be an input or another output. */
static bool outputs_are_apart(const prepare_options *o, const char **files, int n_files)
{
    const char *const out[] = {o->prepare.frames, o->prepare.types, o->prepare.dofs};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < n_files + k + 1; ++i) {
            const char *other = i < n_files       ? files[i]
                                : i < n_files + k ? out[i - n_files]
                                                  : o->prepare.map;
            const bool named = out[k] && other && strcmp(out[k], "-") != 0;
            if (!named || !shoal_path_is_same(out[k], other)) continue;
            return cli_refuse("fit prepare: %s would overwrite another file of this command",
                              out[k]);
        }
    }
    return true;
}

static void report(const prepare_options *o, const shoal_prepare_result *r)
{
    if (!o->json) {
        (void)printf("%d frames typed, %d types; %d left out\n", r->n_frames, r->n_types,
                     r->n_left_out);
        return;
    }
    json line = {0}, *j = &line;
    json_open(j, NULL, '{');
    json_put(j, "frames", r->n_frames, "types", r->n_types, "left_out", r->n_left_out, "mended",
             r->n_mended);
    (void)json_print_line(j);
}

static int run_prepare(void *user, const char **files, int n_files)
{
    prepare_options *o = user;
    shoal_prepare_result result;
    if (!o->prepare.frames && !o->prepare.types && !o->prepare.dofs)
        return cli_misuse(
            "fit prepare: -o, --types-out or --dofs-out is needed; see 'shoal fit prepare "
            "--help'");
    if (!outputs_are_apart(o, files, n_files)) return EXIT_USAGE;
    o->prepare.note = print_note;
    o->prepare.user = o;
    const shoal_status status = shoal_fit_prepare(files, n_files, &o->prepare, &result);
    if (!o->quiet && o->n_notes > NOTES_SHOWN)
        cli_complain("warning: %d more frames left out", o->n_notes - NOTES_SHOWN);
    if (status != SHOAL_OK) return complain_of_status(status);
    if (result.n_mended > 0 && !o->quiet)
        cli_complain("charges of %d frames pointed against electronegativity and were computed; "
                     "--charges file keeps them",
                     result.n_mended);
    const bool stdout_taken = (o->prepare.frames && strcmp(o->prepare.frames, "-") == 0) ||
                              (o->prepare.types && strcmp(o->prepare.types, "-") == 0) ||
                              (o->prepare.dofs && strcmp(o->prepare.dofs, "-") == 0);
    if (!stdout_taken) report(o, &result);
    if (result.n_left_out == 0) return EXIT_ALL_FINE;
    cli_complain("%d of %d frames could not be typed and were left out", result.n_left_out,
                 result.n_left_out + result.n_frames);
    return EXIT_SOME_FAILED;
}

int cmd_fit_prepare(int argc, char **argv)
{
    prepare_options o = {0};
    const cli_group groups[] = {{"options:", prepare_option_table, take_prepare_option, &o}};
    const cli_command command = {
        .name = "fit prepare",
        .usage = "FILES -o FRAMES.xyz [--types-out FILE] [--dofs-out FILE] [OPTIONS]",
        .purpose = "Types and charges the molecules of dimers, each on its own, for 'shoal fit'.",
        .notes =
            "xyz frames have n0 (atoms of the first molecule) and Etot (eV) in their comment; "
            "of their labels the element\ncounts. Other files hold pairs: molecules 1 and 2, 3 "
            "and 4, .., one of them with the data field Etot.\nA dimer that cannot be typed is "
            "left out and named, and the exit code is 1.",
        .groups = groups,
        .n_groups = 1,
        .min_files = 1,
        .max_files = -1};
    return cli_run(&command, argc, argv, run_prepare, &o);
}
