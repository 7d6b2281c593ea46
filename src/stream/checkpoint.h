/* SPDX-License-Identifier: BSD-3-Clause
 * Checkpoints: how far a run has come, and what it is made of, so that another one can go on there. */
#ifndef SHOAL_STREAM_CHECKPOINT_H
#define SHOAL_STREAM_CHECKPOINT_H

#include <stdbool.h>

#include "base/text.h"
#include "shoal/run.h"

/* The first line: the number is that of the format, which any change of what follows raises. */
#define CHECKPOINT_MAGIC "shoal checkpoint 4\n"

typedef struct checkpoint_input {
    char *path;
    int64_t size;
    uint64_t hash; /* of all of its bytes; 0: not known */
} checkpoint_input;

typedef struct checkpoint_output {
    char *path;
    char *form;    /* how systems are written there: kind, format, what is told of them */
    int64_t size;  /* bytes, or systems of an HDF5 file, that are kept */
    uint64_t hash; /* of these bytes, or of the records of these systems */
} checkpoint_output;

typedef struct checkpoint {
    char *version, *about;
    char digest[65]; /* of the options of the stream */
    checkpoint_input *inputs;
    checkpoint_output *outputs;
    int64_t n_inputs, n_outputs;
    int64_t next;  /* index of the first system that is not done */
    bool complete; /* all are done: outputs are about to take their names, or have */
    shoal_run_counts counts;
    /* Rows of JSON on a descriptor that is a file: so much of it belongs to what is done; -1: they are none. */
    int64_t rows_device, rows_inode, rows_size;
    int64_t frames; /* bytes of the file where frames of trajectories wait, PATH.frames */
    /* A large system on its way; state NULL: none. */
    int64_t state_index;
    char *state;
    size_t state_size;
} checkpoint;

/* Appends it as it stands in a file. */
void checkpoint_format(const checkpoint *c, shoal_string *out);

/* Reads that; SHOAL_E_FORMAT where it is not whole, and then *c is empty. The caller frees it. */
shoal_status checkpoint_parse(checkpoint *c, const char *bytes, size_t size);

/* Writes it so that one is there whole at any moment: under another name, to the disk, then renamed; the one before it
 * stays as PATH.old. */
shoal_status checkpoint_save(const checkpoint *c, const char *path);

/* Reads PATH, or PATH.old where that is missing or damaged, which then is PATH again. *found is false where there is
 * neither. SHOAL_E_FORMAT: there is none that is whole; SHOAL_E_ARGUMENT: PATH is a file of another kind. */
shoal_status checkpoint_load(checkpoint *c, const char *path, bool *found);

/* SHOAL_E_ARGUMENT where PATH is a file that nobody wants to be replaced by a checkpoint. */
shoal_status checkpoint_check_name(const char *path);

/* SHOAL_E_ARGUMENT, with the reason, where a run `now` cannot go on with `then`, the checkpoint of that name. */
shoal_status checkpoint_compare(const checkpoint *then, const checkpoint *now, const char *path);

/* Removes a checkpoint that is no longer wanted, and the one before it. */
void checkpoint_remove(const char *path);

void checkpoint_free(checkpoint *c);

#endif
