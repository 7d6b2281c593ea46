/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of a stream. Records are cut, parsed and typed in blocks; systems of a block are computed by one
 * engine, or several blocks by one where the device is shared; then the block is formatted and handed on.
 *
 * Threads, by what they do:
 *   workers  cut, parse, type and format blocks, and compute them where every thread has a device of its own;
 *   devices  compute what workers have typed, many blocks at a time: while one engine is filled, another runs;
 *   large    computes large systems, which nobody waits for but their own block;
 *   caller   hands blocks on in the order of the input, and is told of progress;
 *   feeder   cuts blocks for other ranks, where there are any. */
#ifndef SHOAL_STREAM_STREAM_H
#define SHOAL_STREAM_STREAM_H

#include <pthread.h>
#include <stdatomic.h>

#include "backend/backend.h"
#include "embed/embed.h"
#include "ff/topology_cache.h"
#include "io/reader.h"
#include "io/records.h"
#include "shoal/modes.h"
#include "shoal/results.h"
#include "shoal/stream.h"
#include "stream/spool.h"

/* Between two calls of the monitor, and that a device waits for more systems. */
#define STREAM_TELL_SECONDS 0.05

enum {
    STREAM_ERROR_SIZE = 1100,
    STREAM_DEVICES = 4,
    STREAM_SLICE_BLOCKS = 512,
    STREAM_ISOLATED = 64,
    STREAM_TURNS = 20, /* of relaxing and equilibrating charges, which most often need three */
};

typedef enum block_stage {
    BLOCK_FREE = 0,
    BLOCK_READING,   /* with a worker, which cuts, parses and types it */
    BLOCK_TYPED,     /* waits for a device */
    BLOCK_COMPUTING, /* with a device, or waits for its large systems */
    BLOCK_COMPUTED,
    BLOCK_FORMATTING,
    BLOCK_READY,     /* to be handed on */
    BLOCK_CUT,       /* waits to be sent to another rank */
    BLOCK_AWAY,      /* is with that */
    BLOCK_RETURNING, /* is being sent back from there */
    BLOCK_USED,      /* handed on; what it holds is given back */
} block_stage;

/* An engine lives as long as a system that it computed. */
typedef struct stream_engine {
    shoal_engine *engine;
    _Atomic int32_t n_users;
} stream_engine;

/* The molecule of a record as it was read, for its energy without the surface. */
typedef struct stream_isolated {
    struct stream_isolated *next; /* in the block */
    shoal_topology *topology;
    shoal_molecule *mol;
    int64_t record;     /* in the whole input */
    bool keeps_charges; /* of a topology that the record brought */
    bool known;         /* with the lock, and the next two */
    double energy;      /* eV; NaN where it does not converge */
    int32_t start;      /* that it was found from */
} stream_isolated;

typedef struct known_isolated {
    int64_t record; /* in the whole input, from 1; 0: none */
    double energy;
    int32_t start;
} known_isolated;

typedef struct stream_embedding stream_embedding;

/* What a system owns beside what the caller sees. */
typedef struct stream_note {
    stream_engine *engine;
    char *reason;        /* why it cannot be read */
    char *warning;       /* of its molecule; once computed, with that of the engine .. */
    size_t warning_size; /* .. behind so much; 0: not yet */
    spool_text *steps;   /* [n_sinks] texts of its trajectory; NULL: there are none */
    shoal_restraint
        *restraints;    /* of a variant, [options.n_restraints]; NULL: those of the options */
    double (*start)[3]; /* of the first of those that stay together: the record as it was placed */
    stream_isolated *isolated; /* of the block; NULL: not asked for */
    shoal_modes_result *modes;
    const shoal_record *record;   /* of the options; NULL: it comes from a file */
    stream_embedding *embedding;  /* of a record, with its first system; NULL: it has a geometry */
    bool changed;                 /* it is not the molecule any more */
    const embed_problem *problem; /* of that, with every system of the record */
} stream_note;

/* Frames that wait in the spool, and where they belong in the text of a sink. */
typedef struct stream_frames {
    int32_t sink;
    size_t at;
    spool_piece piece;
} stream_frames;

/* Systems of one file, in the order of the input. */
typedef struct stream_block {
    struct stream_block *next; /* in the order of the input */
    block_stage stage;
    shoal_stream_system *systems; /* [capacity]; their molecules are used again and again */
    stream_note *notes;           /* [capacity] */
    int32_t n, capacity;
    int32_t n_passed; /* first ones that were handed on earlier: computed for those behind them */
    bool cut_short;   /* the next system was not finished: nothing behind it is handed on */
    int32_t n_parts;  /* that are still being computed: its small systems, and each large one */
    int64_t bytes;    /* that it takes, about, .. */
    int64_t bytes_computed;    /* .. and from when it is computed */
    stream_isolated *isolated; /* of its records */
    shoal_string **texts;      /* [n_sinks] */
    stream_frames *frames;     /* [n_frames] of all sinks, in the order of each */
    int32_t n_frames, frames_capacity;
    int64_t id;   /* of those that are sent to other ranks, .. */
    int32_t rank; /* .. that is with this one, .. */
    shoal_string
        message;   /* .. and goes as this; then what has come back, which the systems borrow from */
    double *terms; /* of the same */
    int32_t terms_capacity;
    shoal_status status; /* of what stands behind its systems */
    char error[STREAM_ERROR_SIZE];
} stream_block;

/* What is to be done of a record: units of variants, of which shards take every n_shards-th. */
typedef struct stream_share {
    int64_t number;  /* of the record in its file */
    int64_t variant; /* the first one */
    int32_t n;       /* systems */
} stream_share;

/* Records of one file, not parsed. Start with all zero. The text of a record of a file of results is that record, the
 * name of its input and the program that wrote it, each of the two with a zero behind it. Records in memory have sizes
 * and no text. */
typedef struct stream_records {
    record_block block;
    stream_share *shares; /* [block.n] */
    int32_t n_capacity;
    int32_t n_systems;  /* of all shares, .. */
    int32_t n_passed;   /* .. the first of which were handed on earlier */
    int64_t text_bytes; /* as if every system had its own record */
    int64_t file_start; /* records of the input before this file */
    int32_t i_file;
    const char *label; /* the name of the file for error texts; borrowed */
    shoal_format format;
} stream_records;

typedef struct stream stream;

/* The files, read one after the other, or the records in memory. */
typedef struct stream_source {
    const shoal_stream_options *options;
    const _Atomic bool *stop;      /* of the stream */
    int32_t most_records;          /* of a block */
    record_cutter *cutter;         /* of the present file, .. */
    shoal_results_reader *results; /* .. or this, of one that holds results */
    shoal_results_header header;   /* of the same */
    int64_t i_result;              /* the next of them */
    record_block ahead;            /* cut, and not handed out from i_ahead on */
    int32_t i_ahead;
    int64_t i_unit; /* of variants, the next of that record */
    bool waits;     /* no more could be cut without waiting */
    int32_t i_file;
    int64_t n_cut, file_start;          /* records so far, and before the present file */
    uint64_t bytes_ahead;               /* done before what lies ahead was cut */
    uint64_t file_bytes;                /* of the present file, where it holds results */
    uint64_t bytes_before, bytes_total; /* of files behind, and of all; total 0: not known */
} stream_source;

typedef struct large_system {
    stream_block *block;
    int32_t i, n; /* the first in the block, and how many: a series or a group, otherwise one */
} large_system;

/* One that systems are computed by. */
typedef struct stream_device {
    char name[32]; /* as an engine takes it; never "auto" */
    const shoal_backend *backend;
    const char *argument; /* what it says behind the name */
    bool failed;          /* it was given up; with the lock */
} stream_device;

typedef struct stream_peers stream_peers;
typedef struct stream_known stream_known;

struct stream {
    const shoal_stream_options *options;
    spool *spool; /* of trajectories; NULL: they wait in memory */
    shoal_engine_options engine;
    stream_device *devices;   /* [n_devices] of jobs that compute */
    stream_device *processor; /* the one of them that every thread has for itself, or NULL */
    int32_t n_devices, n_shared;
    int32_t n_threads, n_workers;
    _Atomic int32_t n_again;   /* threads that compute in rounds */
    _Atomic int32_t n_sharing; /* threads that share the input, those of other ranks included */
    stream_peers *peers;       /* NULL: this process is alone */
    int32_t slice_systems;
    int32_t max_steps; /* of a relaxation, or of dynamics */
    int64_t most_bytes;
    pthread_mutex_t lock;       /* of all that follows */
    pthread_cond_t work;        /* something to do for a worker, .. */
    pthread_cond_t typed;       /* .. for a device, .. */
    pthread_cond_t come;        /* .. for the large thread, .. */
    pthread_cond_t feed;        /* .. for the one that cuts for other ranks, .. */
    pthread_cond_t ready;       /* .. for the caller */
    stream_source source;       /* with the cutter's turn instead of the lock */
    bool cutting;               /* a worker has the turn */
    bool ended;                 /* nothing more will be cut */
    bool over;                  /* threads go home */
    bool began;                 /* all threads are there */
    stream_block *first, *last; /* in line */
    stream_block *used_blocks, *free_blocks;
    int64_t bytes;       /* of blocks on their way */
    large_system *large; /* waiting ones */
    int32_t n_large, large_capacity;
    known_isolated isolated[STREAM_ISOLATED]; /* those of the last records */
    int64_t n_isolated;
    shoal_stream_progress progress;
    double state_seconds;       /* between two states of a large system; 0: none are taken */
    shoal_string state;         /* the last one, .. */
    int64_t state_index;        /* .. of this system; .. */
    bool state_is_new;          /* .. the caller has not seen it; .. */
    struct md_entry *md_states; /* of dynamics: what state consists of */
    shoal_string told_state;    /* .. what the caller has seen, without the lock */
    shoal_string piece;         /* memory of the caller's thread */
    double part_read;           /* of the input, .. */
    double part_first;          /* .. and before the first system that is not passed over */
    bool cut_short;             /* what comes next was not finished: nothing more is handed on */
    double no_terms[SHOAL_N_TERMS]; /* of systems that are not computed */
    _Atomic bool stop;              /* by the caller, or after a failure */
    shoal_status status;
    char device_error[STREAM_ERROR_SIZE]; /* of a device that was given up */
    char error[STREAM_ERROR_SIZE];
};

/* A sink that fails like that wants to leave the system out. */
static inline bool stream_is_refusal(shoal_status status)
{
    return status == SHOAL_E_ARGUMENT || status == SHOAL_E_FORMAT || status == SHOAL_E_UNSUPPORTED;
}

static inline bool stream_computes(const stream *s)
{
    return s->options->job >= SHOAL_JOB_ENERGY;
}

/* Whether systems are relaxed, by themselves or before their modes are found. */
static inline bool stream_relaxes(const stream *s)
{
    const shoal_stream_options *o = s->options;
    return o->job == SHOAL_JOB_RELAX ||
           (o->job == SHOAL_JOB_MODES && !(o->compute.modes && o->compute.modes->no_relax));
}

/* shoal_stream_run with a place where trajectories wait; NULL: memory. */
shoal_status stream_run(const shoal_stream_options *options, spool *waiting);

/* The threads that options ask for; 0: all there are. */
int32_t stream_count_threads(int32_t wanted);

/* Seconds of some clock that does not go back. */
double stream_now(void);

/* A thread of the stream and the memory that is its own. */
typedef struct stream_thread {
    stream *s;
    pthread_t thread;
    void (*loop)(struct stream_thread *own);
    stream_device *device; /* that it computes by; NULL: it does not */
    stream_records records;
    shoal_string message; /* that they came in, from another rank */
    shoal_reader *parser;
    topology_cache *cache;
    stream_known *known;         /* molecules of records in memory; NULL: none yet */
    shoal_typing_options typing; /* of the cache, .. */
    shoal_qeq_options qeq;       /* .. which has this asked whether to go on */
    _Atomic bool gave_up;        /* and the answer was no */
    bool *fixed;                 /* constraints of one system */
    int32_t fixed_capacity;
    int32_t *bodies;
    int32_t body_capacity;
    bool *chosen; /* atoms of one body */
    int32_t chosen_capacity;
    shoal_restraint *restraints;
    int32_t restraint_capacity;
    shoal_stream_system **list; /* systems to be computed together */
    stream_note **notes;        /* of those */
    int32_t list_capacity;
    double seconds[SHOAL_N_STAGES]; /* not yet told to the stream */
} stream_thread;

/* The thread types with these options (NULL: as usual), and gives up where that takes long and the stream is stopped. */
void stream_thread_ask(stream_thread *own, const shoal_typing_options *typing);

/* Ends a stage that began at *began, where the next begins. */
void stream_clock(stream_thread *own, shoal_stage stage, double *began);

/* stream_line.c, all with the lock: the first block of a stage, .. */
stream_block *stream_find(const stream *s, block_stage stage);
/* .. whoever waits for what can be done now, .. */
void stream_set_stage(stream *s, stream_block *b, block_stage stage);
void stream_wake_all(stream *s);
/* .. what is about to be computed, and one of the parts that its block waits for, .. */
void stream_begin_computing(stream *s, stream_block *b);
void stream_end_part(stream *s, stream_block *b);
/* .. whether more systems may come for a device without anything being done about it, .. */
bool stream_is_reading(const stream *s);
/* .. false if nothing happened for so long, .. */
bool stream_wait(stream *s, pthread_cond_t *what, double seconds);
/* .. a block at the end of the line for the records that are cut next, NULL without memory, and one that was
 * handed on, .. */
bool stream_may_cut(const stream *s);
stream_block *stream_append_block(stream *s);
void stream_end_cutting(stream *s, stream_block *b, shoal_status status, const stream_records *cut);
void stream_retire_block(stream *s, stream_block *b);
void stream_destroy_blocks(stream *s, stream_block **list);
/* .. the end, of itself or with a failure, .. */
void stream_stop(stream *s);
void stream_fail(stream *s, shoal_status status, const char *text);
/* .. and a thread's seconds, which are added to those of all. */
void stream_tell_seconds(stream_thread *own);

/* Cuts the records of a block into own->records; without the lock, by whoever has the turn. */
shoal_status stream_cut(stream_thread *own, stream_block *b);

/* stream_work.c: threads that cut, type, compute and format. */
void stream_work_loop(stream_thread *own);

/* stream_device.c: the devices that the options name; */
shoal_status stream_devices_open(stream *s);
/* threads of shared devices, and of large systems; */
void stream_device_loop(stream_thread *own);
void stream_large_loop(stream_thread *own);
/* blocks that wait for a device are computed by this thread, or never; with the lock. */
void stream_compute_slice(stream_thread *own, int32_t most_blocks, int32_t n_threads);
void stream_drop_typed(stream *s);

/* stream_source.c */
void stream_source_open(stream_source *source, const stream *s);
/* The next records of those that are not passed over; none at the end. n_threads share what is left. */
shoal_status stream_source_next(stream_source *source, int32_t n_threads, stream_records *records);
double stream_source_part(const stream_source *source);
/* The first system that has not been handed out. */
int64_t stream_source_at(const stream_source *source);
void stream_source_close(stream_source *source);
shoal_status stream_records_reserve(stream_records *records, int32_t n, size_t size);
void stream_records_free(stream_records *records);

/* stream_records.c: whether records are given in memory, .. */
static inline bool stream_in_memory(const shoal_stream_options *o)
{
    return o->input.n_records > 0;
}
shoal_status stream_check_records(const shoal_stream_options *options);
/* .. the bytes that they would take in a file, about, .. */
uint64_t stream_records_bytes(const shoal_stream_options *options);
/* .. those from the first on, as record_cutter_next cuts a file, .. */
shoal_status stream_records_cut(const shoal_stream_options *options, int64_t first, int32_t most,
                                size_t bytes, record_block *b);
/* .. the molecule of one, SHOAL_E_FORMAT where it has none, .. */
shoal_status stream_record_take(const shoal_record *record, int64_t number, shoal_molecule *mol);
/* .. a reference to its own topology; SHOAL_E_ARGUMENT where that is not one of the molecule, .. */
shoal_status stream_record_topology(const shoal_record *record, const shoal_molecule *mol,
                                    shoal_topology **out);
/* .. SHOAL_E_ARGUMENT where the system, with all its atoms, cannot have the constraints of its record, .. */
shoal_status stream_record_check(const shoal_stream_options *options, const shoal_record *record,
                                 const shoal_stream_system *system);
/* stream_bodies.c: the rigid bodies of a system, whose fixed atoms are known, among its first n atoms where these are
 * molecules. They are in memory of the thread. */
shoal_status stream_hold_bodies(stream_thread *own, const shoal_molecule *mol, int32_t n,
                                const shoal_record *record, shoal_system *system);
/* Whether the options make anything rigid. */
bool stream_has_bodies(const shoal_stream_options *options);

/* .. and these: atoms besides those that are fixed already, and out[record->n_restraints]. */
void stream_record_fix(const shoal_record *record, bool *fixed);
void stream_record_hold(const shoal_record *record, const shoal_molecule *mol,
                        shoal_restraint *out);

/* stream_known.c: a system of a record in memory is typed like an earlier one with the same molecule, warning included;
 * false: there was none whose types hold for other positions, too. */
bool stream_recall(const stream_thread *own, shoal_stream_system *system, stream_note *note);
/* Keeps a system that was typed for those behind it, if that may help. */
void stream_remember(stream_thread *own, const shoal_stream_system *system,
                     const stream_note *note);
void stream_known_destroy(stream_known *known);

/* stream_block.c */
stream_block *stream_block_create(const stream *s);
void stream_block_destroy(const stream *s, stream_block *b);
shoal_status stream_block_reserve(stream_block *b, int32_t n);
/* Atoms that every system gets from movable layers. */
int32_t stream_count_movable(const shoal_stream_options *options);
/* Sets the bytes that a block of these records takes. */
void stream_block_weigh(const stream *s, stream_block *b, const stream_records *records);
/* Parses and types the records that own holds. */
void stream_block_fill(stream_thread *own, stream_block *b);
void stream_block_format(const stream *s, stream_block *b);
int64_t stream_block_text_bytes(const stream *s, const stream_block *b);
/* A system needs the engine no longer; NULL is fine. */
void stream_release_engine(stream_engine *e);
/* Turns and moves a molecule as the options ask for. */
shoal_status stream_place(const shoal_stream_options *options, shoal_molecule *mol);
/* The reason why a system is not computed. */
shoal_status stream_reject(shoal_stream_system *system, const char *reason);
/* Gives everything back but the memory of molecules and texts. */
void stream_block_clear(const stream *s, stream_block *b);
/* Keeps the present error text as that of the block, unless one before it has failed; its systems from n on are
 * dropped. */
void stream_block_fail(stream_block *b, shoal_status status, int32_t n);

/* stream_compute.c: all systems of own->list[n]; fails for all of them. */
shoal_status stream_compute(stream_thread *own, int32_t n, int32_t n_threads);
/* The same at the same time, by one engine, with their own charges, if they have such; .. */
shoal_status stream_compute_together(stream_thread *own, int32_t n, int32_t n_threads);
/* .. and once, uncounted. */
shoal_status stream_compute_once(stream_thread *own, int32_t n, int32_t n_threads);
/* Counts those of own->list[n], which have their results. */
void stream_count_computed(stream_thread *own, int32_t n);
/* stream_again.c: the same as stream_compute, in rounds. */
shoal_status stream_compute_again(stream_thread *own, int32_t n, int32_t n_threads);
/* Adds a system to own->list. */
shoal_status stream_list_add(stream_thread *own, int32_t n, stream_block *b, int32_t i);
/* stream_modes.c: modes of own->list[n], which have their results. */
shoal_status stream_modes(stream_thread *own, int32_t n, int32_t n_threads);
/* stream_frames.c: adds what an engine has done since *n_evaluations, and where a large system is (NULL: none). */
void stream_note_progress(stream *s, const shoal_stream_system *large, const shoal_progress *p,
                          int64_t *n_evaluations);
/* Trajectories: texts of all sinks, whether there are any, a frame of own->list (on the thread that computes), and what
 * another device has told of it before it failed. */
shoal_status stream_need_steps(const stream *s, stream_note *note);
bool stream_wants_steps(const shoal_stream_options *o);
shoal_status stream_collect_frame(void *own, const shoal_relax_frame *frame);
void stream_forget_steps(const stream *s, shoal_stream_system *system, stream_note *note);
/* A text of a trajectory goes into that of its block; frames that wait behind the first n of a block are given up. */
shoal_status stream_put_steps(const stream *s, stream_block *b, int32_t k, spool_text *steps);
void stream_drop_frames(const stream *s, stream_block *b, int32_t n);
/* Hands the text of a sink on, with the frames that wait; on the caller's thread. */
shoal_status stream_hand_on_text(stream *s, const stream_block *b, int32_t k);
/* stream_relax.c: an engine that holds own->list[n]; */
shoal_status stream_relax(stream_thread *own, int32_t n, shoal_engine *engine);
/* stream_md.c: the same of dynamics, and its states; */
shoal_status stream_md(stream_thread *own, int32_t n, shoal_engine *engine);
shoal_status stream_md_open_states(stream *s);
void stream_md_drop_states(stream *s, int64_t index);
/* states of large systems; with the lock, the last one for the monitor. */
shoal_status stream_states_open(stream *s);
void stream_tell_state(stream *s, shoal_stream_progress *p);
/* Forgets the state of a system up to this one, which have been handed on; with the lock. */
void stream_drop_state(stream *s, int64_t index);
/* Takes what another rank has told of a system that it computes; with the lock. */
void stream_take_state(stream *s, int64_t index, shoal_span state);
void stream_states_close(stream *s);

/* stream_adsorption.c */
shoal_status stream_check_adsorption(const shoal_stream_options *options);
/* Keeps the molecule of a system that was typed, before it is put on the surface; and gives all of a block back. */
shoal_status stream_keep_isolated(const shoal_stream_options *options, stream_block *b,
                                  const shoal_stream_system *system, stream_note *note);
void stream_free_isolated(stream_block *b);
/* Finds the energies of the molecules of own->list[n] by themselves. */
shoal_status stream_isolate(stream_thread *own, int32_t n, int32_t n_threads);

/* stream_charges.c: whether charges are QEq's; whether systems have those of their own geometries; .. */
bool stream_has_qeq(const shoal_stream_options *options);
bool stream_has_own_charges(const stream_thread *own);
/* .. gives a molecule those of where its atoms are, if they differ from those of *topology, which is replaced; it may
 * become untyped. */
shoal_status stream_charge(const stream_thread *own, shoal_molecule *mol, shoal_topology **topology,
                           bool *changed);
/* .. the same for a variant that was just made, if it has its own; .. */
shoal_status stream_charge_variant(const stream_thread *own, shoal_stream_system *system,
                                   const stream_note *note);
/* .. for a record that got a conformer, where positions have a say in its types, charges or sites; .. */
shoal_status stream_type_conformer(const stream_thread *own, shoal_stream_system *system,
                                   const stream_note *note);
/* .. and relaxes those of own->list[n] again whose charges are not those of the geometry in which they ended. */
shoal_status stream_settle_charges(stream_thread *own, int32_t n, int32_t n_threads);

/* stream_embed.c: notes that a typed record needs conformers, .. */
shoal_status stream_need_conformers(const stream *s, shoal_stream_system *system, stream_note *note,
                                    int32_t n);
/* .. finds those of all records of a block, .. */
shoal_status stream_embed(stream_thread *own, stream_block *b);
/* .. gives a record the first conformer that was found, or rejects it, .. */
shoal_status stream_take_conformer(stream_embedding *from, shoal_stream_system *system);
/* .. where there are several, moves the record to where a conformer of it starts and rejects its system if that was not
 * found, .. */
shoal_status stream_begin_conformer(const stream_embedding *from, int64_t conformer,
                                    const shoal_stream_options *options,
                                    const shoal_stream_system *record, double (*start)[3]);
shoal_status stream_reject_conformer(const stream_embedding *from, shoal_stream_system *system);
shoal_status stream_check_conformers(const shoal_stream_options *options);
/* .. and frees them. */
void stream_embedding_destroy(stream_embedding *embedding);

/* stream_variants.c: what perception has found stays true of a copy. */
shoal_status stream_copy_molecule(shoal_molecule *to, const shoal_molecule *from);
shoal_status stream_check_variants(const shoal_stream_options *options);
/* Makes n systems of the first of them, which was typed and placed; those behind it have their numbers. */
void stream_spread(const stream_thread *own, stream_block *b, int32_t first, int32_t n);
/* Series of own->list[n], each behind the other, side by side. */
shoal_status stream_compute_series(stream_thread *own, int32_t n, int32_t n_threads);

/* Of each conformer. */
static inline int64_t stream_n_variants(const shoal_stream_options *o)
{
    return o->build.variants ? o->build.variants->n : 1;
}

/* Systems of a record: all variants of its first conformer, then those of the next. */
static inline int64_t stream_per_record(const shoal_stream_options *o)
{
    const int64_t n = o->build.conformers.n;
    return (n > 0 ? n : 1) * stream_n_variants(o);
}

/* Whether records are made into several systems. */
static inline bool stream_spreads(const shoal_stream_options *o)
{
    return o->build.variants || o->build.conformers.n > 0;
}

static inline int32_t stream_series(const shoal_stream_options *o)
{
    return o->build.variants && o->build.variants->series > 1 ? o->build.variants->series : 1;
}

/* Of a series that are computed at a time; the last stage may have fewer. */
static inline int32_t stream_stage(const shoal_stream_options *o)
{
    const int32_t stage = o->build.variants ? o->build.variants->stage : 0, n = stream_series(o);
    return stage < 1 ? 1 : stage < n ? stage : n;
}

/* Whether variants are computed in rounds. */
static inline bool stream_has_rounds(const shoal_stream_options *o)
{
    return o->build.variants && o->build.variants->again;
}

/* Systems that stay together: a series or a group of variants, or conformers that are chosen from. */
static inline int32_t stream_unit(const shoal_stream_options *o)
{
    const int32_t group =
        o->build.variants && o->build.variants->group > 1 ? o->build.variants->group : 1;
    if (o->build.conformers.choice) return o->build.conformers.n;
    return group > 1 ? group : stream_series(o);
}

/* The number of system k of a share among those of its record. */
static inline int64_t stream_number(const shoal_stream_options *o, const stream_share *share,
                                    int32_t k)
{
    const int32_t unit = stream_unit(o), n_shards = o->input.n_shards > 1 ? o->input.n_shards : 1;
    return share->variant + (int64_t)(k / unit) * n_shards * unit + k % unit;
}

/* Computed with the others of its block; the other ones are large, or cannot be computed. */
bool stream_is_small(const stream *s, const shoal_stream_system *system);
/* True for the one that goes on from the state of the options. */
bool stream_has_state(const stream *s, const shoal_stream_system *system);
/* True for all of the series or the group that this one belongs to. */
bool stream_goes_on(const stream *s, const shoal_stream_system *system);

static inline void stream_swap_texts(shoal_string *a, shoal_string *b)
{
    const shoal_string c = *a;
    *a = *b;
    *b = c;
}

#endif
