/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of a run: see shoal/run.h. */
#ifndef SHOAL_STREAM_RUN_H
#define SHOAL_STREAM_RUN_H

#include <pthread.h>
#include <stdatomic.h>

#include "stream/checkpoint.h"
#include "stream/run_file.h"
#include "stream/spool.h"

typedef struct run run;
typedef struct run_log run_log;

/* Hashes of all bytes of the inputs, found by a thread of its own while the run has begun: nobody waits for it but who
 * stops. */
typedef struct run_hashes {
    const char *const *files;
    int32_t n_files;
    uint64_t *hashes; /* 0 where there is none: what is no file is read once, and not here */
    char (*digests)
        [65]; /* SHA-256, where asked for, which is slow beside the other; "" where there is none */
    pthread_t thread;
    bool running;
    _Atomic bool stop, done;
} run_hashes;

shoal_status run_hashes_begin(run_hashes *h, const char *const *files, int32_t n_files,
                              bool digests);
/* Whether they are known; wait: once they are. */
bool run_hashes_done(run_hashes *h, bool wait);
/* Gives up what is under way, and frees. */
void run_hashes_end(run_hashes *h);

/* One of the outputs, as a sink of the stream. */
typedef struct run_sink {
    run *run;
    const shoal_run_output *output;
    run_file *file;
} run_sink;

/* A sink of the caller. */
typedef struct run_pass {
    run *run;
    const shoal_sink *to;
} run_pass;

struct run {
    const shoal_run_options *options;
    shoal_run_result *result;
    shoal_stream_options stream; /* that of the options, with what the run adds */
    bool leads;                  /* of its peers: the one that reads and writes */

    const char **read; /* inputs, then sources */
    run_file *files;   /* [n_outputs] */
    run_sink *of;      /* [n_outputs] */
    shoal_sink *sinks; /* those of the caller, then these */
    run_pass *passes;  /* [n_sinks] of the caller */

    checkpoint at; /* what a checkpoint says if it is written now, and said when the run began */
    char *path;    /* of the checkpoint; NULL: none can be written */
    char *given_state; /* of a large system, that the stream borrows */
    spool *spool;      /* where trajectories wait; NULL: in memory */
    double began;      /* seconds of the clock */
    double saved;      /* the same, when the last checkpoint was written */
    bool has_saved;    /* one is there */
    bool broken;       /* an output or the caller failed: what was written is not known */
    int32_t n_devices_lost;
    run_hashes hashes;
    run_log *log;

    shoal_status status; /* the first failure, with its text */
    char why[1024];
};

/* Keeps the first failure, which is told at once, and returns its status. */
shoal_status run_fail(run *r, shoal_status status);
void run_tell(const run *r, shoal_run_event event, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
double run_seconds(const run *r);

/* Looks at everything that can be wrong before anything is computed, reads the checkpoint, and opens log and
 * outputs. */
shoal_status run_begin(run *r);

/* Hashes that were found become those of the checkpoint. */
void run_note_hashes(run *r);

/* Rows of JSON on a descriptor: how many there are, and back to those of the checkpoint. */
void run_note_rows(run *r);
void run_resume_rows(run *r);

/* The sink of an output. */
shoal_sink run_make_sink(run_sink *s);

/* --- the log -------------------------------------------------------------------------------------- */

/* Behind what is in the file, which is made if it is not there. Other calls do nothing with NULL. */
shoal_status run_log_open(run_log **out, const run *r);
/* A system that failed. */
void run_log_system(run_log *log, const shoal_stream_system *s, const char *file);
/* A checkpoint was written. */
void run_log_checkpoint(run_log *log, const char *path, int64_t next);
/* A text: a warning, a failure. */
void run_log_note(run_log *log, const char *event, const char *text);
/* Writes the last lines and closes it. */
shoal_status run_log_close(run_log *log, const run *r, int32_t code);

#endif
