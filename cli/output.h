/* SPDX-License-Identifier: BSD-3-Clause
 * The file a command writes with -o: systems that cannot be written are reported and passed over,
 * and nothing that was complete is lost when the input turns out to be bad. */
#ifndef SHOAL_CLI_OUTPUT_H
#define SHOAL_CLI_OUTPUT_H

#include "systems.h"

/* All zero is no file: close then does nothing. */
typedef struct output {
    shoal_writer *writer;
    const char *path;
    int64_t n_written, n_refused;
    int64_t n_pending; /* counted, not yet written */
} output;

/* path may be NULL. Returns an exit code. */
int output_open(output *o, const char *path);

/* Writes a molecule. Returns an exit code. */
int output_put(output *o, const shoal_molecule *mol);

/* Counts systems that are about to be written, and reports those that the format cannot hold. */
void output_count(output *o, const shoal_stream_system *systems, int32_t n);
/* Writes the text of those that were counted. */
shoal_status output_write(output *o, const char *text, size_t size);

/* Ends the file after a run that ended with the given exit code; returns the code of the whole. All
 * fine: it takes its name. Bad input or a signal: what was complete is kept as PATH.partial.
 * Otherwise nothing is left. */
int output_close(output *o, int code);

#endif
