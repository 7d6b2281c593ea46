/* SPDX-License-Identifier: BSD-3-Clause
 * --dry-run: what a command would compute, and the memory it would take. */
#ifndef SHOAL_CLI_DRY_RUN_H
#define SHOAL_CLI_DRY_RUN_H

#include "grid.h"
#include "systems.h"

typedef struct dry_run {
    bool wanted;
    bool relaxing; /* set by a command that relaxes: a device that cannot is refused */
    const shoal_grid_settled *grid; /* NULL: no surface */
} dry_run;

extern const cli_option dry_run_options[]; /* of a dry_run */

/* Reads and types all systems, plans for them as for the engine of the stream and prints that. Returns an exit code. */
int dry_run_files(const dry_run *d, const systems_options *options, const char **files, int n_files,
                  const shoal_stream_options *stream);

#endif
