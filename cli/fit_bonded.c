/* SPDX-License-Identifier: BSD-3-Clause
 * shoal fit bonded: torsions, bonds and angles fitted to energies and forces of geometries. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"
#include "json.h"
#include "systems.h"

enum { MOST_BONDS = 256, MOST_HELD = 8 };

typedef struct bonded_options {
    shoal_typing_options typing;
    shoal_bonded_options fit;
    int32_t bonds[MOST_BONDS][2], held[MOST_HELD][4];
    const char *output, *device;
    bool json, quiet;
} bonded_options;

static const cli_option bonded_option_table[] = {
    {"output", 'o', "FILE", "write the parameters as a table, for --ff-table",
     CLI_TEXT(bonded_options, output)},
    {"terms", 0, "LIST", "what is fitted: bond, angle, torsion, with commas (default torsion)"},
    {"by-bond", 0, NULL, "parameters of every bond of its own (default: shared by types)",
     CLI_FLAG(bonded_options, fit.by_bond)},
    {"bond", 0, "I,J", "torsions about this bond; repeatable (default: all that are in no ring)"},
    {"periods", 0, "N", "of torsions: cos phi to cos N phi (default 4)",
     CLI_COUNT(bonded_options, fit.periods, 1, 6)},
    {"freedom", 0, "X", "how far from the force field, 1 as usual; see docs/fit-bonded.md",
     CLI_NUMBER(bonded_options, fit.freedom, 1e-6)},
    {"force-weight", 0, "W", "squared errors of forces times W A^2 count, too (default 0)",
     CLI_NUMBER(bonded_options, fit.force_weight, 0)},
    {"hold", 0, "I,J,K,L", "relax the geometries with this torsion held; repeatable"},
    {"hold-strength", 0, "K", "of what holds it, eV/rad^2 (default 100)",
     CLI_NUMBER(bonded_options, fit.held_k, 1e-6)},
    {"forcefield", 0, "NAME", "uff (default), uff4mof, mmff94, ..; see 'shoal energy --help'"},
    {"charges", 0, "SOURCE", "auto (default), none, file, qeq, qeq-molecules or mmff94",
     CLI_WORD(bonded_options, typing.charges, charge_sources)},
    {"units", 0, "UNIT", "of the energies in the files: eV (default) or kcal (per mole)"},
    {"device", 0, "NAME", "that computes (default cpu)", CLI_TEXT(bonded_options, device)},
    {"max-steps", 0, "N", "steps at most (default 50)",
     CLI_COUNT(bonded_options, fit.max_steps, 1, 100000)},
    {"threads", 0, "N", "threads to use (default: all)",
     CLI_COUNT(bonded_options, fit.n_threads, 1, 4096)},
    {"json", 0, NULL, "one JSON object on stdout", CLI_FLAG(bonded_options, json)},
    {"quiet", 'q', NULL, "no table of parameters", CLI_FLAG(bonded_options, quiet)},
    {NULL, 0, NULL, NULL},
};

/* "3,4": n whole numbers. */
static bool take_atoms(const char *name, const char *value, int32_t *atoms, int n)
{
    const char *at = value;
    for (int k = 0; k < n; ++k) {
        char *end;
        const long atom = strtol(at, &end, 10);
        if (end == at || atom < 0 || atom > INT32_MAX || *end != (k + 1 < n ? ',' : '\0'))
            return cli_refuse("--%s '%s': expected %d atoms, counted from 0, with commas", name,
                              value, n);
        atoms[k] = (int32_t)atom;
        at = end + 1;
    }
    return true;
}

static bool take_terms(bonded_options *o, const char *value)
{
    for (const char *at = value; *at;) {
        const size_t n = strcspn(at, ",");
        const int term = shoal_term_by_name(at, n);
        if (term != SHOAL_TERM_BOND && term != SHOAL_TERM_ANGLE && term != SHOAL_TERM_TORSION)
            return cli_refuse("--terms '%s': expected bond, angle, torsion", value);
        o->fit.terms |= 1u << term;
        at += n + (at[n] == ',');
    }
    return true;
}

static bool take_bonded_option(void *target, const char *name, const char *value)
{
    bonded_options *o = target;
    if (strcmp(name, "terms") == 0) return take_terms(o, value);
    if (strcmp(name, "forcefield") == 0)
        return shoal_forcefield_by_name(value, &o->typing) == SHOAL_OK ||
               cli_refuse("--forcefield: %s", shoal_error_text());
    if (strcmp(name, "units") == 0) {
        o->fit.energy_unit = strcmp(value, "kcal") == 0 ? EV_PER_KCAL : 1.0;
        return strcmp(value, "kcal") == 0 || strcmp(value, "eV") == 0 ||
               cli_refuse("--units '%s': expected eV or kcal", value);
    }
    if (strcmp(name, "bond") == 0)
        return o->fit.n_bonds < MOST_BONDS ? take_atoms(name, value, o->bonds[o->fit.n_bonds++], 2)
                                           : cli_refuse("--bond: at most %d", MOST_BONDS);
    return o->fit.n_held < MOST_HELD ? take_atoms(name, value, o->held[o->fit.n_held++], 4)
                                     : cli_refuse("--hold: at most %d", MOST_HELD);
}

static shoal_status print_parameters(shoal_bonded_fit *fit, int32_t n)
{
    (void)printf("%-40s%8s%12s%12s\n", "parameter", "terms", "start", "value");
    for (int32_t k = 0; k < n; ++k) {
        shoal_bonded_parameter p;
        const shoal_status status = shoal_bonded_fit_parameter(fit, k, &p);
        if (status != SHOAL_OK) return status;
        (void)printf("%-40.40s%8d%12.5f%12.5f\n", p.name, p.n_terms, p.start, p.value);
    }
    return SHOAL_OK;
}

static void print_json(const shoal_bonded_result *r)
{
    json line = {0}, *j = &line;
    json_open(j, NULL, '{');
    json_put(j, "geometries", r->n_geometries, "molecules", r->n_molecules, "parameters",
             r->n_parameters, "steps", r->steps, "converged", r->converged, "rmse_before",
             r->rmse_before, "rmse", r->rmse, "objective", r->j);
    json_put(j, "force_rmse_before", r->force_rmse_before, "force_rmse", r->force_rmse, "seconds",
             r->seconds, "units", "eV");
    (void)json_print_line(j);
}

static void print_summary(const shoal_bonded_result *r)
{
    (void)printf("%d geometries of %d molecule%s, %d parameters, %d steps%s: RMSE %.4f -> %.4f "
                 "kcal/mol\n",
                 r->n_geometries, r->n_molecules, r->n_molecules == 1 ? "" : "s", r->n_parameters,
                 r->steps, r->converged ? "" : ", NOT converged", r->rmse_before / EV_PER_KCAL,
                 r->rmse / EV_PER_KCAL);
    if (!isnan(r->force_rmse))
        (void)printf("forces: RMSE %.4f -> %.4f eV/A\n", r->force_rmse_before, r->force_rmse);
}

static shoal_status write_table(const bonded_options *o, shoal_bonded_fit *fit)
{
    shoal_string *text = NULL;
    shoal_writer *writer = NULL;
    shoal_status status = shoal_string_create(&text);
    if (status == SHOAL_OK) status = shoal_bonded_fit_table(fit, text);
    if (status == SHOAL_OK) status = shoal_writer_open(&writer, o->output, SHOAL_FORMAT_NONE);
    if (status == SHOAL_OK)
        status = shoal_writer_append(writer, shoal_string_data(text), shoal_string_size(text));
    if (status == SHOAL_OK) status = shoal_writer_close(writer);
    shoal_writer_destroy(writer);
    shoal_string_destroy(text);
    return status;
}

static shoal_status work(bonded_options *o, const char **files, int n_files, shoal_bonded_fit **fit,
                         shoal_bonded_result *r)
{
    o->fit.typing = &o->typing;
    o->fit.device = o->device;
    if (o->fit.n_bonds > 0) o->fit.bonds = (const int32_t(*)[2])o->bonds;
    if (o->fit.n_held > 0) o->fit.held = (const int32_t(*)[4])o->held;
    shoal_status status = shoal_bonded_fit_create(fit, &o->fit);
    for (int k = 0; k < n_files && status == SHOAL_OK; ++k)
        status = shoal_bonded_fit_add(*fit, files[k]);
    if (status == SHOAL_OK) status = shoal_bonded_fit_run(*fit, r);
    if (status == SHOAL_OK && o->output) status = write_table(o, *fit);
    return status;
}

static int run_bonded(void *user, const char **files, int n_files)
{
    bonded_options *o = user;
    shoal_bonded_fit *fit = NULL;
    shoal_bonded_result r;
    for (int k = 0; k < n_files && o->output; ++k)
        if (shoal_path_is_same(o->output, files[k]))
            return cli_misuse("fit bonded: %s is an input, too", o->output);
    shoal_status status = work(o, files, n_files, &fit, &r);
    if (status == SHOAL_OK && !o->json && !o->quiet) status = print_parameters(fit, r.n_parameters);
    shoal_bonded_fit_destroy(fit);
    if (status != SHOAL_OK) return complain_of_status(status);
    if (o->json)
        print_json(&r);
    else
        print_summary(&r);
    return r.converged ? EXIT_ALL_FINE : EXIT_SOME_FAILED;
}

int cmd_fit_bonded(int argc, char **argv)
{
    bonded_options o = {0};
    const cli_group groups[] = {{"options:", bonded_option_table, take_bonded_option, &o}};
    const cli_command command = {
        .name = "fit bonded",
        .usage = "FILES [-o TABLE.tsv] [OPTIONS]",
        .purpose = "Fits torsions, bonds and angles to energies and forces of geometries, such as "
                   "scans.",
        .notes = "Frames of extended xyz have the energy (eV) as energy=.. and perhaps forces; "
                 "those of equal elements are one\nmolecule, whose energies count up to a "
                 "constant. A fit that does not converge ends with exit code 1.",
        CLI_GROUPS(groups),
        CLI_ANY_FILES};
    return cli_run(&command, argc, argv, run_bonded, &o);
}
