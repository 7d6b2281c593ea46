/* SPDX-License-Identifier: BSD-3-Clause
 * Checkpoints: how far a run over files has come, so that another one can go on there.
 *
 * A run hands its systems on in the order of the input. A checkpoint therefore says which system comes next, how
 * much of every output belongs to those before it, and the state of a large system on its way. */
#ifndef SHOAL_CLI_CHECKPOINT_H
#define SHOAL_CLI_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a run has counted so far. */
typedef struct run_counts {
    int64_t done, failed;       /* systems; failed ones are done, too */
    int64_t unreadable, warned; /* of those done */
    int64_t refused;            /* that a file could not take */
    int64_t no_hydrogens;       /* of those warned: valences that lack hydrogens */
    int64_t evaluations;
    double seconds; /* of all the runs together */
} run_counts;

typedef struct checkpoint_file {
    char *path;
    int64_t size; /* input: bytes; output: bytes, or systems of an HDF5 file, that are kept */
    uint64_t fingerprint; /* input */
} checkpoint_file;

typedef struct checkpoint {
    char *command; /* with the options that matter for the results */
    checkpoint_file *inputs, *outputs;
    int64_t n_inputs, n_outputs;
    int64_t next;  /* index of the first system that is not done */
    bool complete; /* all are done: outputs are about to take their names, or some have */
    run_counts counts;
    /* Standard output, where it is a file: so much of it belongs to what is done. */
    int64_t stdout_device, stdout_inode, stdout_size;
    /* A large system on its way; state NULL: none. */
    int64_t state_index;
    char *state;
    size_t state_size;
} checkpoint;

/* Writes a checkpoint so that one is there whole at any moment: under another name, to the disk, then renamed;
 * the one before it stays as PATH.old. Returns NULL, or what went wrong. */
const char *checkpoint_save(const checkpoint *c, const char *path);

/* Reads PATH, or PATH.old where that is not there or not whole. *found is false where there is neither. Returns
 * NULL, or what is wrong. The caller frees c in any case. */
const char *checkpoint_load(checkpoint *c, const char *path, bool *found);

/* True for a file that is no checkpoint, which nobody wants to be replaced by one. */
bool checkpoint_is_another_file(const char *path);

/* Removes a checkpoint that is no longer wanted, and the one before it. */
void checkpoint_remove(const char *path);

void checkpoint_free(checkpoint *c);

/* Size and a hash of both ends of a file: enough to see that it is another one. False if it cannot be read. */
bool checkpoint_look(const char *path, int64_t *size, uint64_t *fingerprint);

#endif
