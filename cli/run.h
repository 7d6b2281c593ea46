/* SPDX-License-Identifier: BSD-3-Clause
 * A run over files: the stream, its outputs, progress, checkpoints and log. */
#ifndef SHOAL_CLI_RUN_H
#define SHOAL_CLI_RUN_H

#include "systems.h"

/* Runs a job over all systems of the files. Inputs and outputs are opened and checked before anything is
 * computed. Returns an exit code: EXIT_ALL_FINE where the input came to its end, whatever became of the
 * systems, which job->counts tells; EXIT_STOPPED where it was stopped with a checkpoint. Mistakes are printed. */
int run_systems(const systems_options *options, const char **files, int n_files, systems_job *job);

/* Prints how many systems "converged", say, with how many "evaluations", and how fast; nothing after a failure of
 * the run. */
void run_say_rate(const systems_options *options, const systems_job *job, int code,
                  const char *what, const char *of);

/* Prints the failed systems and turns an exit code of run_systems into that of the command. what: how they
 * failed, "did not converge". */
int run_conclude(const systems_options *options, const systems_job *job, int code,
                 const char *what);

/* The command as checkpoints and files of results keep it, one option a line. The caller owns it; NULL: no memory. */
char *run_command(void);

#endif
