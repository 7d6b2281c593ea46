/* SPDX-License-Identifier: BSD-3-Clause
 * shoal fit compare: several models on the same folds of the same data. */
#include "fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "systems.h"

/* One model: given in a file, or fitted as options say. */
typedef struct contender {
    char *text;         /* owned: what the user called it */
    const char *params; /* a file, NULL: to be fitted */
    char **words;       /* of the options, owned; their texts belong to memory */
    int n_words;
    char *memory;
    /* Results: */
    double *error; /* [n_samples] eV, while kept back or as given */
    shoal_error_summary all;
    double rmse_fit, std, seconds; /* of the fit to all, of the folds; NaN of a given one */
    int32_t n_dof;
    double difference, uncertainty; /* of RMSE, from that of the first one, eV */
    bool converged;
} contender;

typedef struct compare_options {
    fit_options fit;
    contender *models;
    int n_models;
} compare_options;

enum { USUAL_FOLDS = 5 };

static const cli_option compare_option_table[] = {
    {"models", 0, "A,B,..", "built-in models to fit, by name"},
    {"variant", 0, "OPTIONS",
     "a model to fit, by options: '--model exp6 --fit-lambda'; repeatable"},
    {"params", 0, "FILE", "a model that is not fitted, as 'shoal fit -o' writes it; repeatable"},
    {NULL, 0, NULL, NULL},
};

static const cli_option compare_output_options[] = {
    {"json", 0, NULL, "one JSON object on stdout, in eV", CLI_FLAG(fit_options, json)},
    {"quiet", 'q', NULL, "no warnings", CLI_FLAG(fit_options, quiet)},
    {NULL, 0, NULL, NULL},
};

static contender *add_contender(compare_options *o, const char *text, size_t n)
{
    contender *more = realloc(o->models, (size_t)(o->n_models + 1) * sizeof *more);
    char *copy = strndup(text, n);
    if (more) o->models = more;
    if (!more || !copy) {
        free(copy);
        cli_complain("out of memory");
        return NULL;
    }
    contender *c = &o->models[o->n_models++];
    *c = (contender){.text = copy, .rmse_fit = NAN, .std = NAN, .converged = true};
    return c;
}

static bool add_names(compare_options *o, const char *list)
{
    for (const char *p = list;;) {
        const size_t n = strcspn(p, ",");
        if (n == 0)
            return cli_refuse("--models '%s': expected names with commas between them", list);
        contender *c = add_contender(o, p, n);
        if (!c) return false;
        c->words = calloc(2, sizeof *c->words);
        c->memory = strndup(p, n);
        if (!c->words || !c->memory) return false;
        static char model[] = "--model";
        c->words[0] = model;
        c->words[1] = c->memory;
        c->n_words = 2;
        p += n;
        if (!*p) return true;
        ++p;
    }
}

/* Splits options at blanks. */
static bool add_variant(compare_options *o, const char *text)
{
    contender *c = add_contender(o, text, strlen(text));
    if (!c) return false;
    c->memory = strdup(text);
    c->words = calloc(strlen(text) / 2 + 1, sizeof *c->words);
    if (!c->memory || !c->words) return cli_refuse("out of memory");
    char *rest = NULL;
    for (char *word = strtok_r(c->memory, " \t\n", &rest); word;
         word = strtok_r(NULL, " \t\n", &rest))
        c->words[c->n_words++] = word;
    if (c->n_words > 0) return true;
    return cli_refuse("--variant '': expected options of a model");
}

static bool take_compare_option(void *target, const char *name, const char *value)
{
    compare_options *o = target;
    if (strcmp(name, "models") == 0) return add_names(o, value);
    if (strcmp(name, "variant") == 0) return add_variant(o, value);
    contender *c = add_contender(o, value, strlen(value));
    if (c) c->params = value;
    return c != NULL;
}

/* The options of a contender on top of the common ones. */
static bool take_words(const contender *c, fit_options *o)
{
    for (int k = 0; k < c->n_words; ++k) {
        const char *name = strncmp(c->words[k], "--", 2) == 0 ? c->words[k] + 2 : "";
        const cli_option *model = cli_find(fit_model_options, name);
        const cli_option *option = model ? model : cli_find(fit_input_options, name);
        const bool is_data = strcmp(name, "data") == 0 || strcmp(name, "weights") == 0 ||
                             strcmp(name, "curve-weights") == 0 || strcmp(name, "units") == 0;
        if (!option || is_data)
            return cli_refuse(
                "fit compare: '%s' in '%s': expected an option of models, --types, --dofs, "
                "--map or --sites",
                c->words[k], c->text);
        const char *value = option->argument ? c->words[++k] : "";
        if (option->argument && k >= c->n_words)
            return cli_refuse("fit compare: --%s in '%s' needs a value", name, c->text);
        const cli_group group = {.take = model ? take_fit_model : take_fit_input, .target = o};
        if (!cli_set(&group, option, value)) return false;
    }
    return true;
}

static shoal_status fit_contender(contender *c, const fit_options *o, const fit_job *job)
{
    shoal_fit_result result;
    shoal_cv_result cv;
    const shoal_fit_run_options run = fit_run_of(o);
    const shoal_cv_options options = {
        .n_folds = o->leave_monomer_out ? 0 : o->cv_folds, .seed = run.seed, .run = run};
    shoal_status status = shoal_fit_run(job->fit, &run, &result);
    if (status == SHOAL_OK) status = shoal_fit_cross_validate(job->fit, &options, &cv);
    if (status == SHOAL_OK) status = shoal_cv_errors(&cv, job->data, c->error);
    if (status != SHOAL_OK) return status;
    c->rmse_fit = result.rmse;
    c->std = cv.std;
    c->seconds = result.seconds;
    c->n_dof = shoal_fit_free_dofs(job->fit);
    c->converged = result.converged;
    return SHOAL_OK;
}

/* The job's data set stays open for the first contender only. */
static int try_contender(compare_options *o, contender *c, const fit_job *first, fit_job *job)
{
    fit_options own = o->fit;
    if (c != o->models) own.quiet = true; /* labels were warned of */
    char *const constants = own.constants, *const columns = own.columns;
    own.constants = own.columns = NULL; /* copies, should there be more of them */
    own.fit.constants = own.fit.columns = NULL;
    int code = EXIT_ALL_FINE;
    if (constants) code = take_fit_model(&own, "const", constants) ? code : EXIT_DEVICE;
    if (columns) code = take_fit_model(&own, "column", columns) ? code : EXIT_DEVICE;
    if (code == EXIT_ALL_FINE && !take_words(c, &own)) code = EXIT_USAGE;
    if (code == EXIT_ALL_FINE)
        code = c->params ? fit_job_open_fixed(job, &own, c->params) : fit_job_open(job, &own);
    const int32_t n = code == EXIT_ALL_FINE ? shoal_dataset_samples(job->data) : 0;
    shoal_status status = SHOAL_OK;
    if (code == EXIT_ALL_FINE) {
        const shoal_dataset *data = first ? first->data : job->data;
        c->error = calloc((size_t)n, sizeof *c->error);
        if (!c->error) status = SHOAL_E_MEMORY;
        if (status == SHOAL_OK)
            status = c->params ? shoal_fit_errors(job->fit, job->data, c->error)
                               : fit_contender(c, &own, job);
        if (status == SHOAL_OK) status = shoal_errors_summarise(data, c->error, &c->all);
        if (status == SHOAL_OK)
            status = shoal_errors_compare(data, o->models->error, c->error, &c->difference,
                                          &c->uncertainty);
    }
    free(own.constants);
    free(own.columns);
    return status == SHOAL_OK ? code : complain_of_status(status);
}

static void print_json(const compare_options *o, const shoal_dataset *data)
{
    json line = {0}, *j = &line;
    json_open(j, NULL, '{');
    json_put(j, "n", shoal_dataset_samples(data), "dimers", shoal_dataset_dimers(data), "folds",
             o->fit.leave_monomer_out ? 0 : o->fit.cv_folds, "units", "eV");
    json_open(j, "models", '[');
    for (int k = 0; k < o->n_models; ++k) {
        const contender *c = &o->models[k];
        json_open(j, NULL, '{');
        json_put(j, "model", c->text, "fitted", (bool)(!c->params), "n_dof", c->n_dof, "rmse",
                 c->all.rmse, "mae", c->all.mae, "median", c->all.median, "rmse_fit", c->rmse_fit,
                 "std", c->std, "difference", c->difference, "uncertainty", c->uncertainty,
                 "converged", c->converged, "seconds", c->seconds);
        json_close(j, '}');
    }
    json_close(j, ']');
    (void)json_print_line(j);
}

static void print_table(const compare_options *o, const shoal_dataset *data)
{
    (void)printf("%d frames of %d dimers, kcal/mol; fitted models while kept back (%s)\n",
                 shoal_dataset_samples(data), shoal_dataset_dimers(data),
                 o->fit.leave_monomer_out ? "monomer by monomer" : "folds of dimers");
    (void)printf("%-36s%6s%10s%10s%10s%12s%22s\n", "model", "DOFs", "RMSE", "MAE", "median",
                 "fit to all", "RMSE - first");
    for (int k = 0; k < o->n_models; ++k) {
        const contender *c = &o->models[k];
        (void)printf("%-36.36s%6d%10.4f%10.4f%10.4f", c->text, c->n_dof, c->all.rmse / EV_PER_KCAL,
                     c->all.mae / EV_PER_KCAL, c->all.median / EV_PER_KCAL);
        if (isfinite(c->rmse_fit))
            (void)printf("%12.4f", c->rmse_fit / EV_PER_KCAL);
        else
            (void)printf("%12s", "given");
        if (k > 0)
            (void)printf("%+12.4f +- %6.4f", c->difference / EV_PER_KCAL,
                         c->uncertainty / EV_PER_KCAL);
        (void)printf("%s\n", c->converged ? "" : "  NOT converged");
    }
}

static int compare(compare_options *o)
{
    fit_job first = {0};
    int code = EXIT_ALL_FINE;
    bool converged = true;
    for (int k = 0; k < o->n_models && code == EXIT_ALL_FINE; ++k) {
        fit_job job = {0};
        code = try_contender(o, &o->models[k], k > 0 ? &first : NULL, k > 0 ? &job : &first);
        fit_job_close(&job);
        converged = converged && o->models[k].converged;
    }
    if (code == EXIT_ALL_FINE && o->fit.json) print_json(o, first.data);
    if (code == EXIT_ALL_FINE && !o->fit.json) print_table(o, first.data);
    fit_job_close(&first);
    if (code != EXIT_ALL_FINE || converged) return code;
    cli_complain("some fits did not converge; see --max-steps");
    return EXIT_SOME_FAILED;
}

static int run_compare(void *user, const char **files, int n_files)
{
    compare_options *o = user;
    (void)files;
    (void)n_files;
    if (o->n_models == 0 || o->fit.n_data == 0)
        return cli_misuse(
            "fit compare: --data and models (--models, --variant, --params) are needed; see "
            "'shoal fit compare --help'");
    if (o->fit.check_only || o->fit.check_derivatives || o->fit.bench || o->fit.max_steps == 0 ||
        o->fit.n_bootstrap > 0)
        return cli_misuse(
            "fit compare: --check-only, --check-derivatives, --bench, --bootstrap and "
            "--max-steps 0 belong to 'shoal fit'");
    if (o->fit.weights || o->fit.curve_weights) {
        /* kept-back errors count every frame once, whatever it weighed in the fit */
        return cli_misuse(
            "fit compare: frames are counted alike in errors; expected no --weights and "
            "--curve-weights");
    }
    if (o->fit.cv_folds == 0 && !o->fit.leave_monomer_out) o->fit.cv_folds = USUAL_FOLDS;
    return compare(o);
}

static void free_contenders(compare_options *o)
{
    for (int k = 0; k < o->n_models; ++k) {
        free(o->models[k].text);
        free(o->models[k].memory);
        free((void *)o->models[k].words);
        free(o->models[k].error);
    }
    free(o->models);
}

int cmd_fit_compare(int argc, char **argv)
{
    compare_options o = {.fit.max_steps = -1};
    const cli_group groups[] = {
        {"models:", compare_option_table, take_compare_option, &o},
        {"input:", fit_input_options, take_fit_input, &o.fit},
        {"common options of the models:", fit_model_options, take_fit_model, &o.fit},
        {"fitting:", fit_run_options, take_fit_run, &o.fit},
        {"output:", compare_output_options, NULL, &o.fit},
    };
    const cli_command command = {
        .name = "fit compare",
        .usage = "--models A,B --types FILE --data FILE --dofs FILE [OPTIONS]",
        .purpose = "Fits several models to the same folds of dimers and compares their errors.",
        .notes = "Errors of fitted models are those of dimers left out of the fit (--cv, default 5 "
                 "folds); models of --params\nare evaluated as they are. Differences are from the "
                 "first model, their uncertainties count dimers, not frames.",
        CLI_GROUPS(groups),
        .min_files = 0,
        .max_files = 0};
    const int code = cli_run(&command, argc, argv, run_compare, &o);
    fit_options_free(&o.fit);
    free_contenders(&o);
    return code;
}
