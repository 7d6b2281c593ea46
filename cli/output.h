/* SPDX-License-Identifier: BSD-3-Clause
 * A file that a run writes: molecules, JSON lines, CSV or HDF5.
 *
 * A file is called PATH.partial until the run is complete, so that no half file has the name of a whole one,
 * and stays there when the run ends before. An HDF5 file has its own name from the beginning, since it can be
 * looked into while it is written; its attribute "complete" says when it is. */
#ifndef SHOAL_CLI_OUTPUT_H
#define SHOAL_CLI_OUTPUT_H

#include "shoal/shoal.h"

typedef enum output_kind {
    OUTPUT_MOLECULES,
    OUTPUT_JSON,
    OUTPUT_CSV,
    OUTPUT_HDF5,
    OUTPUT_TRAJECTORY, /* frames on the way, as molecules or HDF5 */
} output_kind;

typedef struct output {
    const char *path; /* "-" is standard output */
    bool is_file;     /* not a pipe or a device, when the run began */
    output_kind kind;
    shoal_format format; /* of molecules */
    bool on_the_way;     /* it takes the frames of trajectories */
    char *part;          /* the name until it is complete */
    shoal_writer *writer;
    shoal_results *results;
    bool resumed;   /* what an earlier run has written is in it */
    bool has_aside; /* what stood there before waits as PART.old */
} output;

/* What a name makes of a file, or the format given for names that tell none; nothing is opened. Returns an exit code;
 * mistakes are printed. */
int output_choose(output *o, const char *path, const char *format);

/* Whether two names are those of one file, by whatever path or link. */
bool output_is_same(const char *a, const char *b);

/* False where a later run could not go on: pipes, devices. Standard output is a matter of its own. */
bool output_can_resume(const output *o);

/* Opens the file. keep: what output_sync told when the checkpoint was written, -1 to begin anew. What is there
 * then goes to PART.old if it is worth keeping: work that has a checkpoint, or a whole HDF5 file, which is
 * removed when its successor is complete. header: of HDF5. Returns an exit code. */
int output_open(output *o, int64_t keep, bool has_work, const shoal_results_header *header);

/* True for a file that has taken its name already, in a run that ended while it was about to. */
bool output_has_its_name(const output *o);

bool output_is_open(const output *o);

/* Appends what was formatted. */
shoal_status output_write(output *o, const char *bytes, size_t n);

/* Waits until everything is on the disk; *size is what output_open takes later. */
shoal_status output_sync(output *o, int64_t *size);

/* Ends the file. complete: it takes its name; otherwise it stays as a part, or is removed where it is empty
 * or nobody wants it. False if something went wrong, which is printed. */
bool output_close(output *o, bool complete, bool keep);

#endif
