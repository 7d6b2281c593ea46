/* SPDX-License-Identifier: BSD-3-Clause
 * shoal fit eval: the errors of a model on data. argv[0] is "eval". */
#ifndef SHOAL_CLI_FIT_EVAL_H
#define SHOAL_CLI_FIT_EVAL_H

#include "fit_options.h"

int cmd_fit_eval(int argc, char **argv);

/* Reads a model and the data with its table, and joins them; job->fit only predicts. Returns an exit code; mistakes are
 * printed. params NULL: the table --types with the model of the options. */
int fit_job_open_fixed(fit_job *job, const fit_options *o, const char *params);

#endif
