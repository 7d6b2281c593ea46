/* SPDX-License-Identifier: BSD-3-Clause
 * --dry-run: what a command would compute, and the memory it would take. */
#ifndef SHOAL_CLI_DRY_RUN_H
#define SHOAL_CLI_DRY_RUN_H

#include "options.h"
#include "shoal/shoal.h"

typedef struct dry_run {
    bool wanted;
    bool relaxing; /* set by a command that relaxes: a device that cannot is refused */
    int64_t n_chunks, n_systems, n_untyped, n_atoms, n_topologies, n_small, n_large, n_slices;
    int64_t host_bytes, device_bytes; /* of engines, of the chunk that takes most */
    int64_t device_memory;
    char name[128];
} dry_run;

extern const cli_option dry_run_options[];
cli_take take_dry_run_option; /* the target is a dry_run */

/* Adds the plan of a chunk; returns an exit code. */
int dry_run_add(dry_run *d, const shoal_batch *batch, const shoal_engine_options *options);
/* On the host, that is on top of what reading, typing and planning took at most: so much would a run. */
void dry_run_print(const dry_run *d, const shoal_engine_options *options, bool as_json);

#endif
