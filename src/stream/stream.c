/* SPDX-License-Identifier: BSD-3-Clause
 * The stream: its options, its threads, and what the caller does. See stream/stream.h. */
#include "stream/stream.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/alloc.h"
#include "batch/batch.h"
#include "engine/engine.h"
#include "engine/md.h"
#include "engine/modes.h"
#include "stream/stream_peers.h"

/* A shared device is handed at most so many systems at a time: it is full then, and what one engine leaves
 * idle at its end another takes. */
#define SLICE_MOST 8192

#define MEMORY_BYTES ((int64_t)256 << 20)
#define MEMORY_BYTES_SHARED ((int64_t)512 << 20)

#define POLL_SECONDS 1e-3 /* between two looks for messages of other ranks */

static const char *const stage_names[SHOAL_N_STAGES] = {"read",    "parse",  "type",  "pack",
                                                        "compute", "format", "write", "release"};

const char *shoal_stage_name(shoal_stage stage)
{
    return stage >= 0 && stage < SHOAL_N_STAGES ? stage_names[stage] : "";
}

double stream_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void stream_clock(stream_thread *own, shoal_stage stage, double *began)
{
    const double t = stream_now();
    own->seconds[stage] += t - *began;
    *began = t;
}

/* Adds a thread's seconds to those of all; with the lock. */
void stream_tell_seconds(stream_thread *own)
{
    for (int k = 0; k < SHOAL_N_STAGES; ++k) {
        own->s->progress.seconds[k] += own->seconds[k];
        own->seconds[k] = 0;
    }
}

/* --- the caller ---------------------------------------------------------------------------------- */

static shoal_status hand_on(stream *s, const stream_block *b)
{
    const shoal_stream_options *o = s->options;
    if (b->n > b->n_passed && o->output.visit)
        SHOAL_TRY(o->output.visit(o->output.user, b->systems + b->n_passed, b->n - b->n_passed));
    for (int32_t k = 0; k < o->output.n_sinks; ++k) SHOAL_TRY(stream_hand_on_text(s, b, k));
    return SHOAL_OK;
}

/* Hands on the first block, which is ready; with the lock. */
static void finish_first(stream *s)
{
    stream_block *b = s->first;
    if (s->status == SHOAL_OK && !s->cut_short) {
        (void)pthread_mutex_unlock(&s->lock);
        const double began = stream_now();
        const shoal_status status = hand_on(s, b);
        const double ended = stream_now();
        (void)pthread_mutex_lock(&s->lock);
        s->progress.seconds[SHOAL_STAGE_WRITE] += ended - began;
        if (status != SHOAL_OK)
            stream_fail(s, status, shoal_error_text());
        else
            s->progress.n_done += b->n > b->n_passed ? b->n - b->n_passed : 0;
        if (status == SHOAL_OK && b->n > b->n_passed)
            stream_drop_state(s, b->systems[b->n - 1].index);
    }
    s->cut_short = s->cut_short || b->cut_short;
    if (s->cut_short) b->status = SHOAL_OK; /* nobody has come that far */
    if (b->status != SHOAL_OK) stream_fail(s, b->status, b->error);
    stream_retire_block(s, b);
}

static void tell(stream *s)
{
    shoal_stream_progress p = s->progress;
    const double done = p.n_read > 0 ? (double)p.n_done / (double)p.n_read : 0;
    p.part = s->part_first + (s->part_read - s->part_first) * done;
    stream_tell_state(s, &p);
    (void)pthread_mutex_unlock(&s->lock);
    const bool go_on = s->options->output.monitor(s->options->output.user, &p);
    (void)pthread_mutex_lock(&s->lock);
    if (go_on) return;
    if (stream_is_root(s))
        stream_stop(s);
    else
        stream_peers_ask_stop(s);
}

/* True when nothing is in line and nothing will come. */
static bool is_done(const stream *s)
{
    if (!stream_is_root(s)) return s->peers->ended && s->peers->said_bye;
    return !s->first && !s->cutting && (s->ended || atomic_load(&s->stop)) &&
           stream_peers_are_gone(s);
}

/* One thing that the caller's thread has to do; false if there is none. */
static bool step_on(stream *s)
{
    bool busy = false;
    if (atomic_load(&s->stop)) stream_drop_typed(s);
    if (s->peers) busy = s->peers->is_root ? stream_peers_lead(s) : stream_peers_follow(s);
    if (!stream_is_root(s) || !s->first || s->first->stage != BLOCK_READY) return busy;
    finish_first(s);
    return true;
}

static void caller_loop(stream *s)
{
    double told = stream_now();
    (void)pthread_mutex_lock(&s->lock);
    s->began = true;
    while (!is_done(s)) {
        if (!step_on(s) && !is_done(s))
            (void)stream_wait(s, &s->ready, s->peers ? POLL_SECONDS : STREAM_TELL_SECONDS);
        if (!s->options->output.monitor || stream_now() - told < STREAM_TELL_SECONDS) continue;
        tell(s);
        told = stream_now();
    }
    if (s->options->output.monitor) tell(s);
    if (s->peers && s->peers->is_root) stream_peers_end(s);
    s->over = true;
    stream_wake_all(s);
    (void)pthread_mutex_unlock(&s->lock);
}

/* --- beginning and end ---------------------------------------------------------------------------- */

int32_t stream_count_threads(int32_t wanted)
{
#ifdef _OPENMP
    return wanted > 0 ? wanted : omp_get_max_threads();
#else
    return wanted > 0 ? wanted : (int32_t)sysconf(_SC_NPROCESSORS_ONLN);
#endif
}

/* Options that name atoms; whether a system has them is another matter. */
static shoal_status check_atoms(const shoal_stream_options *o)
{
    for (int32_t k = 0; k < o->constraints.n_fixed; ++k)
        if (o->constraints.fixed[k] < 0)
            return shoal_fail(SHOAL_E_ARGUMENT, "stream: atom %d is fixed, expected 0 or more",
                              o->constraints.fixed[k]);
    for (int32_t k = 0; k < o->constraints.n_fix; ++k)
        if (!o->constraints.fix[k])
            return shoal_fail(SHOAL_E_ARGUMENT, "stream: selection %d of fixed atoms is NULL", k);
    for (int32_t k = 0; k < o->constraints.n_rigid; ++k)
        if (!o->constraints.rigid[k])
            return shoal_fail(SHOAL_E_ARGUMENT, "stream: selection %d of rigid bodies is NULL", k);
    if (o->constraints.n_rigid > 0 && o->constraints.rigid_molecules)
        return shoal_fail(SHOAL_E_ARGUMENT, "stream: rigid bodies are molecules or selections");
    for (int32_t k = 0; k < o->typing.n_types; ++k)
        if (o->typing.types[k].atom < 0 ||
            !memchr(o->typing.types[k].label, '\0', sizeof o->typing.types[k].label))
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "stream: type %d is of atom %d, or its label has no end", k,
                              o->typing.types[k].atom);
    for (int32_t k = 0; k < o->constraints.n_restraints; ++k)
        SHOAL_TRY(batch_check_restraint(&o->constraints.restraints[k], 0, INT32_MAX));
    return SHOAL_OK;
}

static shoal_status check_options(const shoal_stream_options *o)
{
    if (o->peers && o->peers->size != 1 && !stream_peers_check(o->peers))
        return shoal_fail(SHOAL_E_ARGUMENT, "stream: rank %d of %d peers, or no way to them",
                          o->peers->rank, o->peers->size);
    if (o->input.n_files < 0 || (o->input.n_files > 0 && !o->input.files) ||
        o->output.n_sinks < 0 || (o->output.n_sinks > 0 && !o->output.sinks))
        return shoal_fail(SHOAL_E_ARGUMENT, "stream: files or sinks are missing");
    for (int32_t k = 0; k < o->input.n_files; ++k)
        if (!o->input.files[k])
            return shoal_fail(SHOAL_E_ARGUMENT, "stream: file %d has no name", k);
    SHOAL_TRY(stream_check_records(o));
    if (o->job < SHOAL_JOB_READ || o->job > SHOAL_JOB_MODES)
        return shoal_fail(SHOAL_E_ARGUMENT, "stream: unknown job %d", (int)o->job);
    if (o->resume.seconds < 0 || isnan(o->resume.seconds) ||
        (o->resume.size > 0 && !o->resume.state))
        return shoal_fail(SHOAL_E_ARGUMENT, "stream: the state is missing, or its seconds are %g",
                          o->resume.seconds);
    if (o->compute.n_threads < 0 || o->compute.n_threads > 4096 || o->compute.slice_systems < 0 ||
        o->compute.memory_bytes < 0)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "stream: %d threads, %d systems in a slice, %lld bytes; expected 0 to "
                          "4096 and 0 or more",
                          o->compute.n_threads, o->compute.slice_systems,
                          (long long)o->compute.memory_bytes);
    if (o->input.first < 0 || o->input.n_shards < 0 || o->input.shard < 0 ||
        (o->input.shard > 0 && o->input.shard >= o->input.n_shards))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "stream: from system %lld on, shard %d of %d; expected 0 or more, and a "
                          "shard less than their number",
                          (long long)o->input.first, o->input.shard, o->input.n_shards);
    if (o->typing.n_types < 0 || o->constraints.n_fixed < 0 || o->constraints.n_restraints < 0 ||
        (o->typing.n_types > 0 && !o->typing.types) || o->constraints.n_fix < 0 ||
        (o->constraints.n_fix > 0 && !o->constraints.fix) ||
        (o->constraints.n_fixed > 0 && !o->constraints.fixed) || o->constraints.n_rigid < 0 ||
        (o->constraints.n_rigid > 0 && !o->constraints.rigid) ||
        (o->constraints.n_restraints > 0 && !o->constraints.restraints))
        return shoal_fail(SHOAL_E_ARGUMENT, "stream: types or constraints are missing");
    SHOAL_TRY(stream_check_variants(o));
    SHOAL_TRY(stream_check_conformers(o));
    SHOAL_TRY(stream_check_adsorption(o));
    if (!(o->build.movable_spring >= 0 && o->build.movable_spring < 1e6))
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "stream: a spring of %g eV/A^2 holds the movable layers, expected 0 to 1e6",
            o->build.movable_spring);
    return check_atoms(o);
}

static shoal_status prepare(stream *s, const shoal_stream_options *o)
{
    *s = (stream){
        .options = o, .spool = s->spool, .n_threads = stream_count_threads(o->compute.n_threads)};
    if (o->compute.engine) s->engine = *o->compute.engine;
    if (o->job == SHOAL_JOB_MODES) {
        SHOAL_TRY(modes_check(o->compute.modes));
        SHOAL_TRY(modes_precision(&s->engine));
    }
    s->progress =
        (shoal_stream_progress){.large_index = -1, .large_energy = NAN, .large_fmax = NAN};
    for (int k = 0; k < SHOAL_N_TERMS; ++k) s->no_terms[k] = NAN;
    s->max_steps = o->compute.relax && o->compute.relax->max_steps > 0 ? o->compute.relax->max_steps
                                                                       : ENGINE_MAX_STEPS;
    if (o->job == SHOAL_JOB_MD)
        s->max_steps =
            o->compute.md && o->compute.md->n_steps > 0 ? o->compute.md->n_steps : MD_STEPS;
    if (stream_computes(s)) SHOAL_TRY(stream_devices_open(s));
    SHOAL_TRY(stream_states_open(s));
    s->n_workers = s->n_threads;
    s->slice_systems = o->compute.slice_systems > 0 ? o->compute.slice_systems : SLICE_MOST;
    s->most_bytes = o->compute.memory_bytes > 0 ? o->compute.memory_bytes
                    : s->n_shared > 0           ? s->n_shared * MEMORY_BYTES_SHARED
                                                : MEMORY_BYTES;
    atomic_store(&s->n_sharing, s->n_threads);
    SHOAL_TRY(stream_peers_open(s));
    if (stream_is_root(s)) stream_source_open(&s->source, s);
    return SHOAL_OK;
}

static void *thread_main(void *p)
{
    stream_thread *own = p;
    own->loop(own);
    return NULL;
}

static void free_thread(stream_thread *own)
{
    stream_records_free(&own->records);
    shoal_string_free(&own->message);
    shoal_reader_destroy(own->parser);
    topology_cache_destroy(own->cache);
    stream_known_destroy(own->known);
    free(own->fixed);
    free(own->bodies);
    free(own->chosen);
    free(own->restraints);
    free(own->list);
    free(own->notes);
}

static shoal_status start_thread(stream_thread *own, bool types)
{
    const shoal_stream_options *o = own->s->options;
    if (types) {
        stream_thread_ask(own, o->typing.forcefield);
        own->cache = topology_cache_create(
            &(typing_options){.perceive = o->typing.perceive, .forcefield = &own->typing});
        if (!own->cache) return SHOAL_E_MEMORY;
    }
    const int code = pthread_create(&own->thread, NULL, thread_main, own);
    if (code == 0) return SHOAL_OK;
    free_thread(own);
    return shoal_fail(SHOAL_E_MEMORY, "stream: a thread could not be started: %s", strerror(code));
}

/* What thread k does: workers first, then those of the shared devices, then one for large systems by device,
 * then one for other ranks. */
static void choose_task(stream *s, int32_t k, stream_thread *own)
{
    const int32_t n_slices = STREAM_DEVICES * s->n_shared;
    own->s = s;
    own->device = s->processor;
    own->loop = stream_work_loop;
    if (k < s->n_workers) return;
    k -= s->n_workers;
    own->loop = k < n_slices                  ? stream_device_loop
                : k < n_slices + s->n_devices ? stream_large_loop
                                              : stream_feed_loop;
    if (k >= n_slices) {
        if (k < n_slices + s->n_devices) own->device = &s->devices[k - n_slices];
        return;
    }
    int32_t i_shared = k / STREAM_DEVICES;
    own->device = s->devices;
    while (!own->device->backend->shared || i_shared-- > 0) ++own->device;
}

/* All threads, the caller's loop, and their end. */
static shoal_status run_threads(stream *s)
{
    const int32_t n_feeders = s->peers && s->peers->is_root;
    const int32_t n = s->n_workers + STREAM_DEVICES * s->n_shared + s->n_devices + n_feeders;
    stream_thread *threads = shoal_alloc((size_t)n, sizeof *threads);
    shoal_status status = threads ? SHOAL_OK : SHOAL_E_MEMORY;
    int32_t n_started = 0;
    for (; n_started < n && status == SHOAL_OK; ++n_started) {
        const bool types = n_started < s->n_workers && s->options->job != SHOAL_JOB_READ;
        choose_task(s, n_started, &threads[n_started]);
        status = start_thread(&threads[n_started], types);
        if (status != SHOAL_OK) break;
    }
    if (status == SHOAL_OK) {
        caller_loop(s);
    } else {
        (void)pthread_mutex_lock(&s->lock);
        stream_fail(s, status, shoal_error_text());
        s->over = true;
        stream_wake_all(s);
        (void)pthread_mutex_unlock(&s->lock);
    }
    for (int32_t k = 0; k < n_started; ++k) {
        (void)pthread_join(threads[k].thread, NULL);
        free_thread(&threads[k]);
    }
    free(threads);
    return s->status;
}

static void close_stream(stream *s)
{
    (void)pthread_mutex_lock(&s->lock);
    /* The line is empty unless threads could not be started. */
    stream_destroy_blocks(s, &s->first);
    stream_destroy_blocks(s, &s->used_blocks);
    stream_destroy_blocks(s, &s->free_blocks);
    (void)pthread_mutex_unlock(&s->lock);
    free(s->large);
    stream_source_close(&s->source);
    (void)pthread_cond_destroy(&s->ready);
    (void)pthread_cond_destroy(&s->feed);
    (void)pthread_cond_destroy(&s->come);
    (void)pthread_cond_destroy(&s->typed);
    (void)pthread_cond_destroy(&s->work);
    (void)pthread_mutex_destroy(&s->lock);
}

static shoal_status run(stream *s, const shoal_stream_options *options)
{
    SHOAL_TRY(check_options(options));
    SHOAL_TRY(prepare(s, options));
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->work, NULL);
    (void)pthread_cond_init(&s->typed, NULL);
    (void)pthread_cond_init(&s->come, NULL);
    (void)pthread_cond_init(&s->feed, NULL);
    (void)pthread_cond_init(&s->ready, NULL);
    shoal_status status = run_threads(s);
    close_stream(s);
    if (status == SHOAL_OK && !stream_is_root(s)) {
        status = s->peers->status;
        (void)snprintf(s->error, sizeof s->error, "%s", s->peers->error);
    }
    return status == SHOAL_OK ? SHOAL_OK : shoal_fail(status, "%s", s->error);
}

shoal_status stream_run(const shoal_stream_options *options, spool *waiting)
{
    stream s = {.spool = waiting};
    const shoal_status status = run(&s, options);
    /* The others wait for a rank that could not begin. */
    if (status != SHOAL_OK && !s.began && stream_peers_check(options->peers))
        stream_peers_excuse(options->peers, status);
    stream_peers_close(&s);
    stream_states_close(&s);
    shoal_string_free(&s.piece);
    free(s.devices);
    return status;
}

shoal_status shoal_stream_run(const shoal_stream_options *options)
{
    shoal_clear_error();
    if (!options) return shoal_fail(SHOAL_E_ARGUMENT, "stream: no options");
    return stream_run(options, NULL);
}
