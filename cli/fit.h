/* SPDX-License-Identifier: BSD-3-Clause
 * 'shoal fit' and its verbs: options, the data set and the fit that they describe, and what is printed. */
#ifndef SHOAL_CLI_FIT_H
#define SHOAL_CLI_FIT_H

#include "json.h"
#include "options.h"
#include "shoal/shoal.h"

#define EV_PER_KCAL shoal_unit_value(SHOAL_UNIT_KCAL_PER_MOL)

typedef struct fit_file {
    char *path; /* owned */
    double weight;
} fit_file;

typedef struct fit_options {
    const char *types, *dofs, *weights, *map, *start_from;
    fit_file *data;
    int n_data;
    bool curve_weights;
    double curve_steepness, curve_width;
    double site_distance; /* 0: no sites, or the usual distance of auto_sites */
    bool auto_sites, choose_pool, kcal;
    shoal_fit_options fit;
    char *constants; /* owned, "b=1 c=2" */
    char *columns;   /* owned, "A B" */
    shoal_fit_run_options run;
    int n_threads, n_starts, max_steps, seed, cv_folds, bench_sets, n_bootstrap;
    bool leave_monomer_out, check_only, check_derivatives, bench;
    shoal_derivative_options check;
    double max_hours;          /* 0: no bound */
    shoal_fit_restart restart; /* checkpoint: NULL: beside the first output */
    const char *check_dof;     /* "TYPE.COMP", "TYPE" or ".COMP" */
    bool json, quiet;
    bool follows; /* another rank reports and writes */
    const char *output, *table, *samples, *trajectory, *plot, *frames;
    const char *derivatives; /* by atom */
} fit_options;

extern const cli_option fit_input_options[], fit_model_options[], fit_run_options[],
    fit_restart_options[], fit_output_options[];
extern const cli_word fit_units[]; /* 1: kcal/mol */
cli_take take_fit_input, take_fit_model, take_fit_run, take_fit_output;
void fit_options_free(fit_options *o);
/* How the fit is to run; max_steps of the options < 0 means the default. */
shoal_fit_run_options fit_run_of(const fit_options *o);

/* What the options name. */
typedef struct fit_job {
    shoal_atom_types *types;
    shoal_dataset *data;
    shoal_fit *fit;
} fit_job;

/* What is wrong with options that would change nothing; NULL if there are none. */
const char *fit_find_unused(const fit_options *o);
/* Reads everything; fit stays NULL without --dofs. Returns an exit code; mistakes are printed. */
int fit_job_open(fit_job *job, const fit_options *o);
/* A model of a file, or of a table (NULL): no fit. */
int fit_job_open_fixed(fit_job *job, const fit_options *o, const char *params);
/* The data set alone, with types of a table; warns of labels unless the options say quiet. */
shoal_status fit_open_data(fit_job *job, const fit_options *o, const shoal_atom_types *types);
void fit_job_close(fit_job *job);

int cmd_fit_prepare(int argc, char **argv);
int cmd_fit_bonded(int argc, char **argv);
int cmd_fit_eval(int argc, char **argv);
int cmd_fit_compare(int argc, char **argv);
int cmd_fit_scan(int argc, char **argv);

/* --- what is printed; exit codes are returned ------------------------------------------------ */

/* The last part of a path, which is enough to know a set. */
const char *set_name(const char *path);
/* Start, value and error of every DOF, the directions that the data leave open. */
int report_dofs(const fit_job *job, bool bootstrap);
/* Root mean square errors by set. */
int report_sets(const fit_job *job, const shoal_cv_result *cv);
/* Speed of the evaluator on n_sets sets of parameters, as JSON or in words. */
int report_speed(const fit_job *job, const fit_options *o);
void report_folds(const shoal_cv_result *cv);
/* The dimers with the largest errors while kept back. */
void report_worst(const shoal_cv_result *cv);

/* Sets, types and DOFs as they were read, as tables or one JSON object; fit may be NULL. */
int check_data(const fit_job *job, bool as_json);
/* Every DOF that the options choose: analytic slope, numeric slope, verdict. Exit code 1 if one fails. */
int check_derivatives(const fit_job *job, const fit_options *o);
/* The name of the checkpoint, which the caller frees; NULL: there is none. */
char *fit_checkpoint(const fit_options *o);
/* Whether every output can be written, is no input and is named once. */
int check_outputs(const fit_options *o);

#endif
