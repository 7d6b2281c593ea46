/* SPDX-License-Identifier: BSD-3-Clause
 * Options of 'shoal fit', and the data set and the fit that they describe. */
#ifndef SHOAL_CLI_FIT_OPTIONS_H
#define SHOAL_CLI_FIT_OPTIONS_H

#include "options.h"
#include "shoal/shoal.h"

#define EV_PER_KCAL shoal_unit_value(SHOAL_UNIT_KCAL_PER_MOL)

typedef struct fit_file {
    char *path; /* owned */
    double weight;
} fit_file;

typedef struct fit_options {
    const char *types, *dofs, *weights, *map;
    fit_file *data;
    int n_data;
    bool curve_weights;
    double curve_steepness, curve_width;
    double site_distance; /* 0: no sites, or the usual distance of auto_sites */
    bool auto_sites, choose_pool;
    shoal_fit_options fit;
    char *constants; /* owned, "b=1 c=2" */
    char *columns;   /* owned, "A B" */
    shoal_fit_run_options run;
    int n_threads, n_starts, max_steps, seed, cv_folds, bench_sets, n_bootstrap;
    bool leave_monomer_out, check_only, check_derivatives, bench;
    shoal_derivative_options check;
    const char *check_dof; /* "TYPE.COMP", "TYPE" or ".COMP" */
    bool json, quiet;
    const char *output, *table, *samples, *trajectory, *plot, *frames;
    const char *derivatives; /* by atom */
} fit_options;

extern const cli_option fit_input_options[], fit_model_options[], fit_run_options[],
    fit_output_options[];
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
/* The data set alone, with types of a table; warns of labels unless the options say quiet. */
shoal_status fit_open_data(fit_job *job, const fit_options *o, const shoal_atom_types *types);
void fit_job_close(fit_job *job);

#endif
