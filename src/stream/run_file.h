/* SPDX-License-Identifier: BSD-3-Clause
 * A file that a run writes: the name that it has until it is complete, what is kept of it when a run goes on, and what
 * becomes of the file that it replaces. */
#ifndef SHOAL_STREAM_RUN_FILE_H
#define SHOAL_STREAM_RUN_FILE_H

#include "stream/checkpoint.h"
#include "stream/write_queue.h"

typedef struct run_file {
    const shoal_run_output *output;
    bool is_file; /* not a pipe, a device or nothing, when the run began */
    char *part;   /* the name until it is complete */
    shoal_writer *writer;
    shoal_results *results;
    bool resumed;      /* what an earlier run has written is in it */
    bool has_aside;    /* what stood there before waits as PART.old */
    int32_t n_threads; /* that may compress; from two on, one of its own writes */
    write_queue *queue;
    /* Of text up to its last whole word of eight bytes, of HDF5 of all records that were there. */
    uint64_t hash;
    int64_t hashed; /* bytes of text */
} run_file;

/* Nothing is opened. */
void run_file_choose(run_file *f, const shoal_run_output *output);

/* Opens it; kept: what run_file_sync told when the checkpoint was written, which has to be there unchanged, and
 * goes to replay. NULL: it begins anew, and what is there goes to PART.old if it is worth keeping: work that has a
 * checkpoint, or a whole HDF5 file, which is removed when its successor is complete. */
shoal_status run_file_open(run_file *f, const checkpoint_output *kept, bool has_work,
                           const shoal_results_header *header);

/* The same for a run that was about to end or had ended: true where the file has its name, and nothing is left to do. */
shoal_status run_file_is_complete(run_file *f, const checkpoint_output *kept, bool *complete);

bool run_file_is_open(const run_file *f);

/* Appends what was formatted. With a thread that writes, what fails is told by a later call. */
shoal_status run_file_write(run_file *f, const char *bytes, size_t n);

/* Waits until all of it is written, and fails if something was not. */
shoal_status run_file_wait(run_file *f);

/* Waits until everything is on the disk; *out has size and hash of it. */
shoal_status run_file_sync(run_file *f, checkpoint_output *out);

/* Ends the file. complete: it takes its name; otherwise it stays as a part, or is removed where it is empty or nobody
 * wants it. */
shoal_status run_file_close(run_file *f, bool complete, bool keep);

#endif
