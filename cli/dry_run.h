/* SPDX-License-Identifier: BSD-3-Clause
 * --dry-run: what a command would compute, and the memory it would take. */
#ifndef SHOAL_CLI_DRY_RUN_H
#define SHOAL_CLI_DRY_RUN_H

#include "grid_source.h"
#include "systems.h"

typedef struct dry_run {
    bool wanted;
    bool relaxing; /* set by a command that relaxes: a device that cannot is refused */
    int64_t n_chunks, n_systems, n_untyped, n_atoms, n_topologies, n_small, n_large, n_slices;
    int64_t host_bytes, device_bytes; /* of engines, of the chunk that takes most */
    int64_t device_memory;
    char name[128];
    int32_t n_threads;  /* 0: all */
    shoal_batch *batch; /* systems that have not been planned for yet */
    const shoal_engine_options *engine;
    const grid_found *grid; /* NULL: no surface */
} dry_run;

extern const cli_option dry_run_options[];
cli_take take_dry_run_option; /* the target is a dry_run */

/* Reads and types all systems, plans for them as for the engine of the stream and prints that. Returns an exit code. */
int dry_run_files(dry_run *d, const systems_options *options, const char **files, int n_files,
                  const shoal_stream_options *stream);

#endif
