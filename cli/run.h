/* SPDX-License-Identifier: BSD-3-Clause
 * A run over files, as options and rows make it of that of the library. */
#ifndef SHOAL_CLI_RUN_H
#define SHOAL_CLI_RUN_H

#include "systems.h"

/* Runs a job over all systems of the files. Inputs and outputs are opened and checked before anything is
 * computed. Returns an exit code: EXIT_ALL_FINE where the input came to its end, whatever became of the
 * systems, which job->counts tells; EXIT_STOPPED where it was stopped with a checkpoint. Mistakes are printed. */
int run_systems(const systems_options *options, const char **files, int n_files, systems_job *job);

/* Says whose charges and whose energies the numbers rest on, where that is not the record's alone. */
void run_say_references(const systems_options *options, const systems_job *job);
/* Prints how many of the "systems converged", say, with how many "evaluations", and how fast; nothing after a failure
 * of the run. */
void run_say_rate(const systems_options *options, const systems_job *job, int code,
                  const char *what, const char *of);

/* Says once per run which charges there were, unless it is to be quiet. */
void run_say_charges(const systems_options *options, const systems_job *job);
/* Prints the failed systems and turns an exit code of run_systems into that of the command. what: how they
 * failed, "did not converge". */
int run_conclude(const systems_options *options, const systems_job *job, int code,
                 const char *what);

/* Chooses kind and format of an output by its name. Returns an exit code; mistakes are printed. */
int run_choose_output(shoal_run_output *to, const char *path, const char *format);

/* Append the command: as checkpoints keep it, one option a line, and as members of a JSON object. */
shoal_status run_put_about(shoal_string *out);
shoal_status run_put_members(shoal_string *out);

#endif
