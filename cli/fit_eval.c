/* SPDX-License-Identifier: BSD-3-Clause
 * shoal fit eval: the errors of a model on data. */
#include "fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "systems.h"

typedef struct eval_options {
    fit_options fit;
    const char *params;
    int n_worst;
} eval_options;

enum { WORST_SHOWN = 10, N_KINDS = 4 };

typedef struct error_rows {
    shoal_error_row *rows;
    int32_t n;
} error_rows;

static const cli_option eval_option_table[] = {
    {"params", 0, "FILE", "the model, as 'shoal fit -o' writes it, or a plain table (LJ 12-6)",
     CLI_TEXT(eval_options, params)},
    {"worst", 0, "N", "dimers with the largest errors to list (default 10)",
     CLI_COUNT(eval_options, n_worst, 0, 1000000)},
    {0},
};

static const cli_option eval_input_options[] = {
    {"types", 0, "FILE", "a plain table instead, with the model of the options below",
     CLI_TEXT(fit_options, types)},
    {"data", 0, "FILE", "frames with energies; repeatable"},
    {"units", 0, "UNIT", "of the energies in the data: eV (default) or kcal (per mole)",
     CLI_WORD(fit_options, kcal, fit_units)},
    {"map", 0, "FILE", "two columns: a label in the data, the label to use for it",
     CLI_TEXT(fit_options, map)},
    {"sites", 0, "WHERE", "with --types: sites as of 'shoal fit'"},
    {NULL, 0, NULL, NULL},
};

static const cli_option eval_output_options[] = {
    {"samples", 0, "FILE", "write the energies of all samples by component as CSV",
     CLI_TEXT(fit_options, samples)},
    {"json", 0, NULL, "one JSON object on stdout: n, rmse, mae, .. in eV",
     CLI_FLAG(fit_options, json)},
    {"quiet", 'q', NULL, "no warnings", CLI_FLAG(fit_options, quiet)},
    {NULL, 0, NULL, NULL},
};

/* Options that a model of its own leaves nothing to choose of. */
static bool has_model_options(const fit_options *o)
{
    return cli_given_of(fit_model_options) || o->types || o->auto_sites || o->site_distance > 0.0;
}

/* An option of fits alone that was given, NULL without one. */
static const char *find_fitting(void)
{
    static const char *const names[] = {"neutral", "components", "clamp",
                                        "pool",    "tether",     "regularize"};
    int n;
    const cli_choice *choices = cli_choices(&n);
    for (int k = 0; k < n; ++k) {
        if (strncmp(choices[k].name, "fit-", 4) == 0) return choices[k].name;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
            if (strcmp(choices[k].name, names[i]) == 0) return choices[k].name;
    }
    return NULL;
}

static void warn_of_charges(const fit_job *job, const shoal_pair_model *model)
{
    const shoal_charge_source wanted = shoal_pair_model_settings(model)->charges,
                              got = shoal_dataset_charges(job->data);
    if (wanted == SHOAL_CHARGES_AUTO || got == SHOAL_CHARGES_AUTO || wanted == got) return;
    cli_complain("warning: the charges of the frames are those of %s, and the model was fitted "
                 "with those of %s",
                 shoal_charge_source_name((int)got), shoal_charge_source_name((int)wanted));
}

static shoal_status open_model(fit_job *job, const fit_options *o, const char *params)
{
    shoal_pair_model *model = NULL;
    fit_options own = *o; /* sites and the like are the model's */
    own.fit = (shoal_fit_options){0};
    own.site_distance = 0.0;
    own.auto_sites = false;
    shoal_status status = shoal_pair_model_read(&model, params);
    if (status == SHOAL_OK) status = fit_open_data(job, &own, shoal_pair_model_types(model));
    if (status == SHOAL_OK)
        status = shoal_fit_create_model(&job->fit, job->data, model, o->n_threads);
    if (status == SHOAL_OK && !o->quiet) warn_of_charges(job, model);
    shoal_pair_model_destroy(model);
    return status;
}

static shoal_status open_table(fit_job *job, const fit_options *o)
{
    shoal_fit_options options = o->fit;
    options.n_threads = o->n_threads;
    if (options.coulomb_damping == 0.0) options.coulomb_damping = 1.0;
    shoal_status status = shoal_atom_types_read(&job->types, o->types);
    if (status == SHOAL_OK) status = fit_open_data(job, o, job->types);
    if (status == SHOAL_OK) status = shoal_fit_create_fixed(&job->fit, job->data, &options);
    return status;
}

int fit_job_open_fixed(fit_job *job, const fit_options *o, const char *params)
{
    *job = (fit_job){0};
    const shoal_status status = params ? open_model(job, o, params) : open_table(job, o);
    if (status != SHOAL_OK) return complain_of_status(status);
    return EXIT_ALL_FINE;
}

/* --- what is printed ------------------------------------------------------------------------ */

static const char *label_of(const shoal_error_row *row, shoal_errors_by kind)
{
    return kind == SHOAL_ERRORS_BY_SET ? set_name(row->label) : row->label;
}

/* One row that says nothing is not printed. */
static bool says_nothing(const error_rows *rows, shoal_errors_by kind)
{
    if (rows->n != 1 || kind == SHOAL_ERRORS_BY_DIMER || kind == SHOAL_ERRORS_BY_SET) return false;
    return kind == SHOAL_ERRORS_BY_X0 ? isnan(rows->rows[0].x0) : !rows->rows[0].label[0];
}

static void errors_print(const error_rows *rows, shoal_errors_by kind, int32_t most)
{
    static const char *const titles[] = {"set", "group", "x0", "worst dimers"};
    if (says_nothing(rows, kind)) return;
    (void)printf("%-28s%8s%14s%14s%14s%14s\n", titles[kind], "frames", "RMSE/kcal/mol",
                 "MAE/kcal/mol", "mean", "largest");
    for (int32_t k = 0; k < rows->n && k < most; ++k) {
        const shoal_error_row *r = &rows->rows[k];
        if (kind != SHOAL_ERRORS_BY_X0)
            (void)printf("%-28.28s", *label_of(r, kind) ? label_of(r, kind) : "-");
        else if (isnan(r->x0))
            (void)printf("%-28s", "-");
        else
            (void)printf("%-28.6g", r->x0);
        (void)printf("%8d%14.4f%14.4f%+14.4f%+14.4f\n", r->n, r->rmse / EV_PER_KCAL,
                     r->mae / EV_PER_KCAL, r->mean / EV_PER_KCAL, r->largest / EV_PER_KCAL);
    }
}

static void print_tables(const eval_options *o, const shoal_error_summary *s,
                         const error_rows *rows)
{
    for (int k = 0; k < N_KINDS; ++k)
        if (k != SHOAL_ERRORS_BY_DIMER || o->n_worst > 0)
            errors_print(&rows[k], (shoal_errors_by)k,
                         k == SHOAL_ERRORS_BY_DIMER ? o->n_worst : rows[k].n);
    (void)printf("\n%d frames of %d dimers: RMSE %.6f eV (%.4f kcal/mol), MAE %.6f eV (%.4f "
                 "kcal/mol), median error %.4f kcal/mol\n",
                 s->n, s->n_dimers, s->rmse, s->rmse / EV_PER_KCAL, s->mae, s->mae / EV_PER_KCAL,
                 s->median / EV_PER_KCAL);
}

static shoal_status print_json(const eval_options *o, const fit_job *job, const double *error)
{
    json line = {0};
    json_open(&line, NULL, '{');
    const shoal_status status = shoal_errors_json(&line, job->data, error, o->n_worst);
    if (status == SHOAL_OK)
        (void)json_print_line(&line);
    else
        json_free(&line);
    return status;
}

static shoal_status report(const eval_options *o, const fit_job *job, double *error)
{
    shoal_error_summary summary;
    error_rows rows[N_KINDS] = {{0}};
    shoal_status status = shoal_fit_errors(job->fit, job->data, error);
    if (status == SHOAL_OK && o->fit.samples)
        status = shoal_fit_write_samples(job->fit, NULL, o->fit.samples);
    if (o->fit.json) return status == SHOAL_OK ? print_json(o, job, error) : status;
    if (status == SHOAL_OK) status = shoal_errors_summarise(job->data, error, &summary);
    for (int k = 0; k < N_KINDS && status == SHOAL_OK; ++k) {
        rows[k].rows = calloc((size_t)shoal_dataset_samples(job->data), sizeof *rows[k].rows);
        status = rows[k].rows ? shoal_errors_group(job->data, error, (shoal_errors_by)k,
                                                   rows[k].rows, &rows[k].n)
                              : SHOAL_E_MEMORY;
    }
    if (status == SHOAL_OK) print_tables(o, &summary, rows);
    for (int k = 0; k < N_KINDS; ++k) free(rows[k].rows);
    return status;
}

static int run_eval(void *user, const char **files, int n_files)
{
    eval_options *o = user;
    fit_job job;
    (void)files;
    (void)n_files;
    if (o->fit.n_data == 0 || (!o->params && !o->fit.types))
        return cli_misuse(
            "fit eval: --params (or --types) and --data are needed; see 'shoal fit eval "
            "--help'");
    if (o->params && has_model_options(&o->fit))
        return cli_misuse(
            "fit eval: --params says what the model is; expected no --types, --sites and "
            "options of models beside it");
    const char *fitting = find_fitting();
    if (fitting)
        return cli_misuse("fit eval: --%s is an option of fits; nothing is fitted here", fitting);
    const char *unused = fit_find_unused(&o->fit);
    if (unused) return cli_misuse("fit eval: %s", unused);
    fit_options in_and_out = o->fit;
    if (o->params) in_and_out.types = o->params;
    int code = check_outputs(&in_and_out);
    if (code != EXIT_ALL_FINE) return code;
    code = fit_job_open_fixed(&job, &o->fit, o->params);
    if (code == EXIT_ALL_FINE) {
        double *error = calloc((size_t)shoal_dataset_samples(job.data), sizeof *error);
        const shoal_status status = error ? report(o, &job, error) : SHOAL_E_MEMORY;
        if (status != SHOAL_OK) code = complain_of_status(status);
        free(error);
    }
    fit_job_close(&job);
    return code;
}

int cmd_fit_eval(int argc, char **argv)
{
    eval_options o = {.fit.max_steps = -1, .n_worst = WORST_SHOWN};
    const cli_group groups[] = {
        {"options:", eval_option_table, NULL, &o},
        {"input:", eval_input_options, take_fit_input, &o.fit},
        {"model of --types:", fit_model_options, take_fit_model, &o.fit},
        {"output:", eval_output_options, NULL, &o.fit},
    };
    const cli_command command = {
        .name = "fit eval",
        .usage = "--params FILE --data FILE [--data FILE ..] [OPTIONS]",
        .purpose = "Compares the interaction energies of a model with those of data.",
        .notes = "All frames count the same. Energies in files and JSON are in eV.",
        CLI_GROUPS(groups),
        .min_files = 0,
        .max_files = 0};
    const int code = cli_run(&command, argc, argv, run_eval, &o);
    fit_options_free(&o.fit);
    return code;
}
