/* SPDX-License-Identifier: BSD-3-Clause
 * Options of 'shoal fit', and the data set and the fit that they describe. */
#include "fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "systems.h"

const cli_word fit_units[] = {{"eV", 0}, {"kcal", 1}, {0}};
static const cli_word hbonds[] = {{"repulsion", SHOAL_HBOND_REPULSION},
                                  {"attraction", SHOAL_HBOND_ATTRACTION},
                                  {"both", SHOAL_HBOND_BOTH},
                                  {"none", SHOAL_HBOND_NONE},
                                  {0}};
static const cli_word kernels[] = {{"plain", SHOAL_COULOMB_PLAIN},
                                   {"clamp", SHOAL_COULOMB_CLAMP},
                                   {"smooth", SHOAL_COULOMB_SMOOTH},
                                   {"damped", SHOAL_COULOMB_DAMPED},
                                   {"erf", SHOAL_COULOMB_ERF},
                                   {"none", SHOAL_COULOMB_NONE},
                                   {0}};
static const cli_word regularizations[] = {{"on", 0}, {"off", 1}, {0}};
static const cli_word precisions[] = {{"double", 0}, {"float", 1}, {0}};
static const cli_word methods[] = {
    {"lm", SHOAL_FIT_LM}, {"lbfgs", SHOAL_FIT_LBFGS}, {"fire", SHOAL_FIT_FIRE}, {0}};

const cli_option fit_input_options[] = {
    {"types", 0, "FILE", "table of atom types (AtomTypes.dat)", CLI_TEXT(fit_options, types)},
    {"data", 0, "FILE[:W]", "frames with energies; W weighs the set (default 1); repeatable"},
    {"dofs", 0, "FILE", "parameters to fit: type comp min max xlo xhi Klo Khi K0 [start]",
     CLI_TEXT(fit_options, dofs)},
    {"start-from", 0, "MODEL", "start from the values of a model that 'shoal fit -o' wrote",
     CLI_TEXT(fit_options, start_from)},
    {"weights", 0, "FILE", "one number per sample that multiplies its weight; < 0 omits it",
     CLI_TEXT(fit_options, weights)},
    {"curve-weights", 0, "A[,E]", "weights exp(-A (E - Emin) / (|Emin| + E)) by dimer; E 0.1 eV"},
    {"units", 0, "UNIT", "of the energies in the data: eV (default) or kcal (per mole)",
     CLI_WORD(fit_options, kcal, fit_units)},
    {"map", 0, "FILE", "two columns: a label in the data, the label to use for it",
     CLI_TEXT(fit_options, map)},
    {"sites", 0, "L|auto[:L]",
     "add sites L angstrom from their atoms: as the table says, or auto: by element"},
    {"increments", 0, NULL,
     "let every bond move a fitted charge between its atoms, by pair of types",
     CLI_FLAG(fit_options, fit.fit_increments)},
    {NULL, 0, NULL, NULL},
};

const cli_option fit_model_options[] = {
    {"model", 0, "MODEL",
     "morse (default), lj, lj8, lj9, buck, exp6, morse6, buck6, exp6-sites, exp6-full or best (the "
     "same), or a formula"},
    {"alpha", 0, "A", "decay in 1/A (default 1.6; without unit: exp6 12, morse6 and buck6 6)",
     CLI_NUMBER(fit_options, fit.alpha, 1e-6)},
    {"const", 0, "NAME=VALUE", "value of a constant in the formula; repeatable"},
    {"column", 0, "NAME", "name of the next table column after Hb, for the formula; repeatable"},
    {"fit-alpha", 0, NULL, "fit alpha as well", CLI_FLAG(fit_options, fit.fit_alpha)},
    {"fit-lambda", 0, NULL, "fit a common factor of all charge products as well",
     CLI_FLAG(fit_options, fit.fit_lambda)},
    {"radius-charge", 0, "C", "R0 = Ri + Rj - C (qi + qj), C in angstrom/e (default 0)",
     CLI_NUMBER(fit_options, fit.radius_charge, -10.0)},
    {"fit-radius-charge", 0, NULL, "fit C as well (* c)",
     CLI_FLAG(fit_options, fit.fit_radius_charge)},
    {"dispersion-damping", 0, "B", "Tang-Toennies damping of u^6, B in 1/angstrom",
     CLI_NUMBER(fit_options, fit.dispersion_damping, 1e-6)},
    {"fit-dispersion-damping", 0, NULL, "fit B as well (* beta)",
     CLI_FLAG(fit_options, fit.fit_dispersion_damping)},
    {"fit-site-charges", 0, NULL, "fit the charges of all types of sites as well",
     CLI_FLAG(fit_options, fit.fit_site_charges)},
    {"fit-damping", 0, NULL, "fit the length of --coulomb damped and erf as well (* d)",
     CLI_FLAG(fit_options, fit.fit_coulomb_damping)},
    {"hbond", 0, "ON", "repulsion (default), attraction, both or none",
     CLI_WORD(fit_options, fit.hbond, hbonds)},
    {"coulomb", 0, "KERNEL", "plain (default), clamp, smooth, damped, erf or none",
     CLI_WORD(fit_options, fit.coulomb, kernels)},
    {"damping", 0, "D", "length of --coulomb damped and erf in angstrom (default 1)",
     CLI_NUMBER(fit_options, fit.coulomb_damping, 1e-6)},
    {"site-model", 0, "NAME", "short-range terms of sites: sr, sr2 or sr3 (default: none)",
     CLI_TEXT(fit_options, fit.site_model)},
    {"type-charges", 0, NULL, "use charges of the table, not of the frames",
     CLI_FLAG(fit_options, fit.type_charges)},
    {"neutral", 0, NULL, "fitted charges do not change the charge of any fragment",
     CLI_FLAG(fit_options, fit.neutral)},
    {"components", 0, NULL, "fit Elst, Exch and Ind + Disp of the comments to their own terms",
     CLI_FLAG(fit_options, fit.components)},
    {"clamp", 0, "FROM,TO", "reduce residuals above FROM eV towards TO eV"},
    {"pool", 0, "K",
     "strength of the prior that types of one element are similar (default 1; 0: none; auto: by "
     "--cv)"},
    {"tether", 0, "K", "pull to the start values, stronger for rare types (default 0)",
     CLI_NUMBER(fit_options, fit.tether, 0.0)},
    {"regularize", 0, "on|off",
     "off: no pool, and no walls and pulls of the list of parameters; its bounds stay",
     CLI_WORD(fit_options, fit.unregularized, regularizations)},
    {NULL, 0, NULL, NULL},
};

const cli_option fit_run_options[] = {
    {"method", 0, "NAME", "lm (default: Levenberg-Marquardt), lbfgs or fire",
     CLI_WORD(fit_options, run.method, methods)},
    {"evaluator", 0, "NAME",
     "auto (default), moments, pairs, opencl or opencl:WHICH; several: A,B,.."},
    {"max-steps", 0, "N", "steps at most (default 500 for lm, else 20000); 0: evaluate only",
     CLI_COUNT(fit_options, max_steps, 0, 100000000)},
    {"starts", 0, "N", "fit from N starts, the given one and random ones (default 1)",
     CLI_COUNT(fit_options, n_starts, 1, 1000000)},
    {"seed", 0, "N", "seed of random starts and folds (default 0)",
     CLI_COUNT(fit_options, seed, 0, INT32_MAX)},
    {"threads", 0, "N", "threads to use (default: all)",
     CLI_COUNT(fit_options, n_threads, 1, 4096)},
    {"cv", 0, "K", "cross-validation: K folds of dimers",
     CLI_COUNT(fit_options, cv_folds, 2, 1000000)},
    {"leave-monomer-out", 0, NULL, "cross-validation: leave out each monomer in turn",
     CLI_FLAG(fit_options, leave_monomer_out)},
    {"bootstrap", 0, "N", "errors from N fits to dimers drawn with replacement",
     CLI_COUNT(fit_options, n_bootstrap, 2, 1000000)},
    {"check-only", 0, NULL, "read everything, print what was found and stop",
     CLI_FLAG(fit_options, check_only)},
    {"check-derivatives", 0, NULL,
     "compare every analytic derivative with finite differences and stop",
     CLI_FLAG(fit_options, check_derivatives)},
    {"check-dof", 0, "WHICH", "only derivatives of these: TYPE.COMP, TYPE or .COMP",
     CLI_TEXT(fit_options, check_dof)},
    {"check-step", 0, "H", "largest step of the finite differences, scaled (default 0.05)",
     CLI_NUMBER(fit_options, check.step, 1e-9)},
    {"check-points", 0, "N", "number of steps, each half of the previous one (3 to 16, default 8)",
     CLI_COUNT(fit_options, check.points, 3, 16)},
    {"check-tolerance", 0, "T", "allowed error in addition to the estimated one (default 1e-9)",
     CLI_NUMBER(fit_options, check.tolerance, 1e-16)},
    {"precision", 0, "NAME", "precision of --evaluator opencl: double (default) or float",
     CLI_WORD(fit_options, fit.single, precisions)},
    {"bench", 0, NULL, "time the evaluator on many sets of parameters at once and stop",
     CLI_FLAG(fit_options, bench)},
    {"sets", 0, "N", "sets of parameters of --bench (default 512)",
     CLI_COUNT(fit_options, bench_sets, 1, 1000000)},
    {NULL, 0, NULL, NULL},
};

const cli_option fit_restart_options[] = {
    {"resume", 0, NULL, "go on from the checkpoint of an earlier fit, if there is one",
     CLI_FLAG(fit_options, restart.resume)},
    {"checkpoint", 0, "FILE", "checkpoint of the fit (default: beside the first output)",
     CLI_TEXT(fit_options, restart.checkpoint)},
    {"checkpoint-every", 0, "S", "seconds between checkpoints (default 60)",
     CLI_NUMBER(fit_options, restart.seconds, 1e-3)},
    {"max-hours", 0, "H", "stop with a checkpoint after H hours",
     CLI_NUMBER(fit_options, max_hours, 1e-9)},
    {NULL, 0, NULL, NULL},
};

const cli_option fit_output_options[] = {
    {"output", 'o', "FILE", "write the model with the fitted values, for --params",
     CLI_TEXT(fit_options, output)},
    {"table", 0, "FILE", "write the fitted parameters as CSV", CLI_TEXT(fit_options, table)},
    {"samples", 0, "FILE", "write the energies of all samples by component as CSV",
     CLI_TEXT(fit_options, samples)},
    {"trajectory", 0, "FILE", "write J and all parameters at every step as CSV",
     CLI_TEXT(fit_options, trajectory)},
    {"dump-derivatives", 0, "FILE", "write dE/dR, dE/dE, dE/dQ, dE/dH of every atom as CSV",
     CLI_TEXT(fit_options, derivatives)},
    {"plot", 0, "PREFIX", "write figures as PREFIX-*.svg"},
    {"write-frames", 0, "FILE", "write the frames with their sites", CLI_TEXT(fit_options, frames)},
    {"json", 0, NULL, "one JSON object on stdout", CLI_FLAG(fit_options, json)},
    {"quiet", 'q', NULL, "no progress and no tables of parameters", CLI_FLAG(fit_options, quiet)},
    {NULL, 0, NULL, NULL},
};

/* "FILE" or "FILE:W"; a colon that no number follows belongs to the name. */
static bool add_data(fit_options *o, const char *value)
{
    fit_file file = {.path = strdup(value), .weight = 1.0};
    fit_file *more = realloc(o->data, (size_t)(o->n_data + 1) * sizeof *more);
    if (more) o->data = more;
    if (!file.path || !more) {
        free(file.path);
        return cli_refuse("out of memory");
    }
    char *colon = strrchr(file.path, ':'), *end;
    if (colon && colon != file.path && colon[1]) {
        const double weight = strtod(colon + 1, &end);
        if (!*end) {
            file.weight = weight;
            *colon = '\0';
        }
    }
    o->data[o->n_data++] = file;
    return true;
}

/* Two numbers, the second may be missing. */
static bool take_two(const char *name, const char *value, double out[2], int least)
{
    if (cli_numbers(value, ',', 2, out) >= least) return true;
    return cli_refuse("--%s '%s': expected %s", name, value,
                      least == 2 ? "two numbers, A,B" : "one or two numbers, A[,B]");
}

/* L, auto or auto:L. */
static bool take_sites(fit_options *o, const char *value)
{
    o->auto_sites = strcmp(value, "auto") == 0 || strncmp(value, "auto:", 5) == 0;
    if (!o->auto_sites) return cli_number("sites", value, 0.01, &o->site_distance);
    o->site_distance = 0.0;
    return !value[4] || cli_number("sites", value + 5, 0.01, &o->site_distance);
}

bool take_fit_input(void *target, const char *name, const char *value)
{
    fit_options *o = target;
    double two[2] = {0.0, 0.1};
    if (strcmp(name, "data") == 0) return add_data(o, value);
    if (strcmp(name, "sites") == 0) return take_sites(o, value);
    if (!take_two(name, value, two, 1)) return false;
    o->curve_weights = true;
    o->curve_steepness = two[0];
    o->curve_width = two[1];
    return true;
}

/* One more word behind those of a list. */
static bool add_word(char **list, const char **shown, const char *value)
{
    const size_t used = *list ? strlen(*list) : 0;
    char *more = realloc(*list, used + strlen(value) + 2);
    if (!more) return cli_refuse("out of memory");
    (void)sprintf(more + used, "%s%s", used > 0 ? " " : "", value);
    *list = more;
    *shown = more;
    return true;
}

bool take_fit_model(void *target, const char *name, const char *value)
{
    fit_options *o = target;
    shoal_fit_options *f = &o->fit;
    double two[2];
    if (strcmp(name, "const") == 0) return add_word(&o->constants, &f->constants, value);
    if (strcmp(name, "column") == 0) return add_word(&o->columns, &f->columns, value);
    if (strcmp(name, "model") == 0) {
        f->model = strcmp(value, "best") == 0 ? "exp6-full" : value;
    } else if (strcmp(name, "pool") == 0) {
        o->choose_pool = strcmp(value, "auto") == 0;
        if (!o->choose_pool && !cli_number(name, value, 0.0, &f->pool)) return false;
        if (f->pool == 0.0 && !o->choose_pool) f->pool = -1.0;
    } else {
        if (!take_two(name, value, two, 2)) return false;
        f->clamp_from = two[0];
        f->clamp_to = two[1];
    }
    return true;
}

bool take_fit_run(void *target, const char *name, const char *value)
{
    (void)name;
    ((fit_options *)target)->fit.evaluator = strcmp(value, "auto") == 0 ? NULL : value;
    return true;
}

bool take_fit_output(void *target, const char *name, const char *value)
{
    ((fit_options *)target)->plot = value;
    return cli_figure_prefix(name, value, "shoal.plot.parity(fit)");
}

shoal_fit_run_options fit_run_of(const fit_options *o)
{
    shoal_fit_run_options run = o->run;
    run.n_starts = o->n_starts;
    run.seed = (uint64_t)o->seed;
    run.max_steps = o->max_steps == 0 ? -1 : o->max_steps < 0 ? 0 : o->max_steps;
    return run;
}

void fit_options_free(fit_options *o)
{
    for (int k = 0; k < o->n_data; ++k) free(o->data[k].path);
    free(o->data);
    free(o->constants);
    free(o->columns);
}

/* Names the atoms that 'shoal energy' would give another type of the table than the data do. */
static shoal_status warn_of_labels(const fit_job *job)
{
    enum { SHOWN = 6 };
    shoal_label_difference d[SHOWN];
    shoal_label_check check;
    shoal_sample_info s;
    shoal_status status = shoal_dataset_check_labels(job->data, d, SHOWN, &check);
    if (status == SHOAL_OK && check.n_atoms > 0)
        cli_complain("warning: 'shoal energy' would give %d atoms other types than the data do; "
                     "see --map and 'shoal fit prepare'",
                     check.n_atoms);
    for (int32_t k = 0; k < SHOWN && k < check.n_differences && status == SHOAL_OK; ++k) {
        status = shoal_dataset_sample(job->data, d[k].sample, &s);
        cli_complain("  %s, not %s: %d atoms, first atom %d of frame %d (%s)", d[k].name,
                     d[k].label, d[k].n_atoms, d[k].atom, d[k].sample, s.name);
    }
    if (status == SHOAL_OK && check.n_differences > SHOWN)
        cli_complain("  and %d more kinds", check.n_differences - SHOWN);
    if (status != SHOAL_OK || check.n_untyped == 0) return status;
    status = shoal_dataset_sample(job->data, check.untyped, &s);
    cli_complain("warning: 'shoal energy' could not type %d frames, first frame %d (%s): %s",
                 check.n_untyped, check.untyped, s.name, check.reason);
    return status;
}

/* Names frames that stand in two files. */
static shoal_status warn_of_repeats(const fit_job *job)
{
    int32_t at[2];
    shoal_sample_info s[2];
    shoal_set_info set[2];
    const int32_t n = shoal_dataset_repeats(job->data, &at[0], &at[1]);
    if (n == 0) return SHOAL_OK;
    for (int k = 0; k < 2; ++k) {
        shoal_status status = shoal_dataset_sample(job->data, at[k], &s[k]);
        if (status == SHOAL_OK) status = shoal_dataset_set(job->data, s[k].set, &set[k]);
        if (status != SHOAL_OK) return status;
    }
    cli_complain("warning: %d frame%s of one set in another, too, so that %s twice: frame %d of %s "
                 "(%s) is frame %d of %s (%s)",
                 n, n == 1 ? " stands" : "s stand", n == 1 ? "it counts" : "they count",
                 at[0] - set[0].first + 1, set_name(set[0].label), s[0].name,
                 at[1] - set[1].first + 1, set_name(set[1].label), s[1].name);
    return SHOAL_OK;
}

shoal_status fit_open_data(fit_job *job, const fit_options *o, const shoal_atom_types *types)
{
    shoal_status status = shoal_dataset_create(&job->data, types);
    if (status == SHOAL_OK && o->map) status = shoal_dataset_map_labels(job->data, o->map);
    if (status == SHOAL_OK && o->kcal)
        status = shoal_dataset_set_energy_unit(job->data, EV_PER_KCAL);
    for (int k = 0; k < o->n_data && status == SHOAL_OK; ++k)
        status = shoal_dataset_add(job->data, o->data[k].path, o->data[k].weight);
    if (status == SHOAL_OK && !o->quiet) status = warn_of_repeats(job);
    if (status == SHOAL_OK && !o->quiet) status = warn_of_labels(job);
    if (status == SHOAL_OK && o->auto_sites)
        status = shoal_dataset_auto_sites(job->data, o->site_distance);
    else if (status == SHOAL_OK && o->site_distance > 0.0)
        status = shoal_dataset_add_sites(job->data, o->site_distance);
    if (status == SHOAL_OK) status = shoal_dataset_complete(job->data, &o->fit);
    if (status == SHOAL_OK && o->weights)
        status = shoal_dataset_read_weights(job->data, o->weights);
    if (status == SHOAL_OK && o->curve_weights)
        status = shoal_dataset_weigh_curves(job->data, o->curve_steepness, o->curve_width);
    return status;
}

static bool does_not_fit(const fit_options *o)
{
    return o->check_only || o->check_derivatives || o->bench;
}

/* --pool auto, by the folds of --cv or five. */
static shoal_status choose_pool(const fit_job *job, const fit_options *o)
{
    double pool, error;
    if (does_not_fit(o)) return SHOAL_OK;
    const shoal_cv_options cv = {.n_folds = o->cv_folds > 0 ? o->cv_folds : 5,
                                 .seed = (uint64_t)o->seed,
                                 .run = fit_run_of(o)};
    const shoal_status status = shoal_fit_choose_pool(job->fit, &cv, &pool, &error);
    if (status == SHOAL_OK && !o->json && !o->quiet)
        (void)printf("pool %g: %.4f kcal/mol kept back\n", pool, error / EV_PER_KCAL);
    return status;
}

static shoal_status start_from(const fit_job *job, const fit_options *o)
{
    shoal_pair_model *model = NULL;
    int32_t n = 0;
    shoal_status status = shoal_pair_model_read(&model, o->start_from);
    if (status == SHOAL_OK) status = shoal_fit_start_from(job->fit, model, &n);
    shoal_pair_model_destroy(model);
    if (status == SHOAL_OK && !o->json && !o->quiet)
        (void)printf("%d of %d parameters start from %s\n", n, shoal_fit_free_dofs(job->fit),
                     set_name(o->start_from));
    return status;
}

static shoal_status keep(const fit_job *job, const fit_options *o)
{
    shoal_fit_restart restart = o->restart;
    bool resumed = false;
    char *name = fit_checkpoint(o);
    restart.checkpoint = name;
    if (!name) return SHOAL_OK;
    const shoal_status status = shoal_fit_keep(job->fit, &restart, &resumed);
    if (status == SHOAL_OK && o->restart.resume && !o->quiet)
        cli_complain(resumed ? "the fit goes on from %s"
                             : "%s: no checkpoint yet; the fit begins at the start",
                     name);
    free(name);
    return status;
}

/* Options that would change nothing are mistakes. */
const char *fit_find_unused(const fit_options *o)
{
    const shoal_fit_options *f = &o->fit;
    const bool damped = f->coulomb == SHOAL_COULOMB_DAMPED || f->coulomb == SHOAL_COULOMB_ERF;
    const bool device = f->evaluator && strncmp(f->evaluator, "opencl", 6) == 0;
    if (!o->check_derivatives &&
        (o->check_dof || o->check.step > 0.0 || o->check.points > 0 || o->check.tolerance > 0.0))
        return "--check-dof, --check-step, --check-points and --check-tolerance belong to "
               "--check-derivatives";
    if (f->coulomb_damping > 0.0 && !damped) return "--damping belongs to --coulomb damped or erf";
    if (f->unregularized && (f->pool != 0.0 || o->choose_pool || f->tether > 0.0))
        return "--pool and --tether do not go with --regularize off";
    if (f->single && !device) return "--precision belongs to --evaluator opencl";
    if (o->bench_sets > 0 && !o->bench) return "--sets belongs to --bench";
    char *checkpoint = fit_checkpoint(o);
    const bool kept = checkpoint && !does_not_fit(o);
    free(checkpoint);
    if ((o->restart.resume || o->max_hours > 0.0) && !kept)
        return "--resume and --max-hours need a file to write to (-o or --checkpoint), and a fit";
    return NULL;
}

int fit_job_open(fit_job *job, const fit_options *o)
{
    *job = (fit_job){0};
    if (!o->types || o->n_data == 0 || (!o->dofs && !o->check_only))
        return cli_misuse("fit: --types, --data and --dofs are needed; see 'shoal fit --help'");
    if (o->cv_folds > 0 && o->leave_monomer_out)
        return cli_misuse("fit: --cv and --leave-monomer-out: expected one of them");
    const char *unused = fit_find_unused(o);
    if (unused) return cli_misuse("fit: %s", unused);
    shoal_fit_options options = o->fit;
    options.n_threads = o->n_threads;
    options.strict = true;
    if (options.coulomb_damping == 0.0) options.coulomb_damping = 1.0;
    shoal_status status = shoal_atom_types_read(&job->types, o->types);
    if (status == SHOAL_OK) status = fit_open_data(job, o, job->types);
    if (status == SHOAL_OK && o->dofs)
        status = shoal_fit_create(&job->fit, job->data, o->dofs, &options);
    if (status == SHOAL_OK && job->fit && o->start_from) status = start_from(job, o);
    if (status == SHOAL_OK && job->fit && !does_not_fit(o)) status = keep(job, o);
    if (status == SHOAL_OK && job->fit && o->choose_pool) status = choose_pool(job, o);
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
}

void fit_job_close(fit_job *job)
{
    shoal_fit_destroy(job->fit);
    shoal_dataset_destroy(job->data);
    shoal_atom_types_destroy(job->types);
}
