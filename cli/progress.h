/* SPDX-License-Identifier: BSD-3-Clause
 * Progress of long work on stderr: a bar on a terminal, a line now and then otherwise. */
#ifndef SHOAL_CLI_PROGRESS_H
#define SHOAL_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool enabled, terminal, shown;
    double began, last; /* seconds */
} progress;

void progress_begin(progress *p, bool enabled);
/* done of total bytes (total 0: unknown) and systems so far. Cheap; prints at most every 0.2 s on a
 * terminal and every 10 s elsewhere. */
void progress_show(progress *p, uint64_t done, uint64_t total, int64_t systems);
void progress_end(progress *p);

#endif
