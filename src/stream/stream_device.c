/* SPDX-License-Identifier: BSD-3-Clause
 * Devices of a stream: the list of them, the threads that compute slices on those which are shared, and the
 * threads of large systems. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "shoal/device.h"
#include "stream/stream.h"

/* A shared device is handed at least LEAST systems at a time, unless there are no more. */
#define SLICE_LEAST 4096

/* Large systems that are computed together by a shared device: ALONE atoms fill it, and those of fewer are
 * joined up to TOGETHER, about. */
#define ALONE_ATOMS 20000
#define TOGETHER_ATOMS 2000000

/* --- the list ------------------------------------------------------------------------------------ */

/* One of the devices, by its name[n]; alone: no other is named. */
static shoal_status add_device(stream *s, const char *name, size_t n, bool alone)
{
    stream_device *d = &s->devices[s->n_devices];
    char given[64], resolved[24];
    if (n >= sizeof given) return shoal_fail(SHOAL_E_DEVICE, "unknown device '%.60s..'", name);
    (void)snprintf(given, sizeof given, "%.*s", (int)n, name);
    const size_t prefix = strncmp(given, "shadow:", 7) == 0 ? 7 : 0;
    if (!alone && strcmp(given + prefix, "auto") == 0)
        return shoal_fail(SHOAL_E_DEVICE, "'auto' in a list of devices: expected their names");
    SHOAL_TRY(shoal_device_resolve(given + prefix, resolved));
    (void)snprintf(d->name, sizeof d->name, "%.*s%s", (int)prefix, given, resolved);
    SHOAL_TRY(shoal_backend_find(d->name + prefix, &d->backend, &d->argument));
    for (int32_t k = 0; k < s->n_devices; ++k)
        if (strcmp(s->devices[k].name, d->name) == 0)
            return shoal_fail(SHOAL_E_DEVICE, "the device '%s' is named twice", d->name);
    if (!alone) SHOAL_TRY(shoal_device_check(d->name + prefix));
    if (!d->backend->shared && s->processor)
        return shoal_fail(SHOAL_E_DEVICE, "'%s' and '%s' are the same processor: name one of them",
                          s->processor->name, d->name);
    if (!d->backend->shared) s->processor = d;
    s->n_shared += d->backend->shared;
    ++s->n_devices;
    return SHOAL_OK;
}

shoal_status stream_devices_open(stream *s)
{
    const char *names = s->options->compute.engine && s->options->compute.engine->device
                            ? s->options->compute.engine->device
                            : "cpu";
    size_t n = 1;
    for (const char *c = names; *c; ++c) n += *c == ',';
    s->devices = shoal_alloc(n, sizeof *s->devices);
    if (!s->devices) return SHOAL_E_MEMORY;
    for (size_t k = 0; k < n; ++k) {
        const size_t size = strcspn(names, ",");
        SHOAL_TRY(add_device(s, names, size, n == 1));
        names += size + 1;
    }
    return SHOAL_OK;
}

static int32_t count_alive(const stream *s, bool shared_alone)
{
    int32_t n = 0;
    for (int32_t k = 0; k < s->n_devices; ++k)
        n += !s->devices[k].failed && (!shared_alone || s->devices[k].backend->shared);
    return n;
}

/* A device has failed: if there is another one it is given up, and the others take what it had. */
static bool give_up(stream *s, stream_device *d, shoal_status status)
{
    if (status != SHOAL_E_DEVICE || (!d->failed && count_alive(s, false) == 1)) return false;
    if (!d->failed) {
        ++s->progress.n_devices_lost;
        (void)snprintf(s->device_error, sizeof s->device_error, "%s: %s", d->name,
                       shoal_error_text());
        s->progress.device_error = s->device_error;
    }
    d->failed = true;
    stream_wake_all(s);
    return true;
}

/* --- slices -------------------------------------------------------------------------------------- */

/* Systems that wait for a device; of series one at a time. */
static int32_t count_typed(const stream *s)
{
    int32_t n = 0;
    for (const stream_block *b = s->first; b; b = b->next)
        if (b->stage == BLOCK_TYPED) n += b->n;
    return n / stream_series(s->options) * stream_stage(s->options);
}

/* Ends the part of every block that waits for the device and is named in blocks[n]. */
static void end_slice(stream_thread *own, stream_block **blocks, int32_t n, shoal_status status)
{
    stream *s = own->s;
    const bool again = give_up(s, own->device, status);
    for (int32_t k = 0; k < n; ++k) {
        if (again) {
            stream_set_stage(s, blocks[k], BLOCK_TYPED);
            continue;
        }
        if (status != SHOAL_OK) stream_block_fail(blocks[k], status, 0);
        stream_end_part(s, blocks[k]);
    }
}

/* Takes blocks that wait until there are most of them, or the slice is full; with the lock. Systems go to
 * own->list. */
static int32_t take_slice(stream_thread *own, int32_t most, stream_block **blocks,
                          int32_t *n_blocks)
{
    stream *s = own->s;
    int32_t n = 0;
    *n_blocks = 0;
    for (stream_block *b = s->first; b && *n_blocks < most; b = b->next) {
        if (b->stage != BLOCK_TYPED) continue;
        const int32_t at_once = (n + b->n) / stream_series(s->options) * stream_stage(s->options);
        if (n > 0 && at_once > s->slice_systems) break;
        b->stage = BLOCK_COMPUTING;
        stream_begin_computing(s, b);
        blocks[(*n_blocks)++] = b;
        for (int32_t i = 0; i < b->n; ++i) {
            if (!stream_is_small(s, &b->systems[i])) continue;
            if (stream_list_add(own, n, b, i) != SHOAL_OK) return -1;
            ++n;
        }
    }
    return n;
}

void stream_compute_slice(stream_thread *own, int32_t most_blocks, int32_t n_threads)
{
    stream *s = own->s;
    stream_block *blocks[STREAM_SLICE_BLOCKS];
    int32_t n_blocks;
    const int32_t n = take_slice(own, most_blocks, blocks, &n_blocks);
    (void)pthread_mutex_unlock(&s->lock);
    const shoal_status status = n < 0 ? SHOAL_E_MEMORY : stream_compute(own, n, n_threads);
    (void)pthread_mutex_lock(&s->lock);
    end_slice(own, blocks, n_blocks, status);
}

void stream_drop_typed(stream *s)
{
    for (stream_block *b = stream_find(s, BLOCK_TYPED); b; b = stream_find(s, BLOCK_TYPED)) {
        for (int32_t i = 0; i < b->n; ++i)
            if (stream_is_small(s, &b->systems[i])) b->systems[i].unfinished = true;
        b->stage = BLOCK_COMPUTING;
        stream_end_part(s, b);
    }
}

void stream_device_loop(stream_thread *own)
{
    stream *s = own->s;
    void *device;
    /* Devices are slow to start, and meanwhile workers read. What fails here fails again with the first slice,
     * which can say so. */
    (void)own->device->backend->open(&device, own->device->argument);
    const int32_t least = s->slice_systems < SLICE_LEAST ? s->slice_systems : SLICE_LEAST;
    const int32_t n_threads = s->n_threads / (STREAM_DEVICES * s->n_shared);
    (void)pthread_mutex_lock(&s->lock);
    while (!s->over && !own->device->failed) {
        stream_tell_seconds(own);
        const int32_t n_typed = count_typed(s);
        if (atomic_load(&s->stop)) stream_drop_typed(s);
        if (!stream_find(s, BLOCK_TYPED)) { /* one without systems has to go on, too */
            (void)pthread_cond_wait(&s->typed, &s->lock);
            continue;
        }
        /* More may be on its way, but a slow pipe does not hold up what has come. */
        if (n_typed < least && stream_is_reading(s) &&
            stream_wait(s, &s->typed, STREAM_TELL_SECONDS))
            continue;
        stream_compute_slice(own, STREAM_SLICE_BLOCKS, n_threads > 1 ? n_threads : 1);
    }
    (void)pthread_mutex_unlock(&s->lock);
}

/* --- large systems -------------------------------------------------------------------------------- */

/* True if a system is to be computed by itself: it fills the device, or goes on from a state. */
static bool is_alone(const stream_thread *own, const large_system *large)
{
    const shoal_stream_system *system = &large->block->systems[large->i];
    return !own->device->backend->shared || shoal_molecule_n_atoms(system->mol) >= ALONE_ATOMS ||
           stream_goes_on(own->s, system);
}

/* Takes large systems that wait, one or as many small ones among them as make up for one; a series or a group
 * counts as one. */
static int32_t take_large(stream_thread *own, large_system *taken, int32_t *n_systems)
{
    stream *s = own->s;
    int32_t n = 0;
    int64_t n_atoms = 0;
    *n_systems = 0;
    while (n < s->n_large && n < STREAM_SLICE_BLOCKS && n_atoms < TOGETHER_ATOMS) {
        const large_system *next = &s->large[n];
        const bool alone = is_alone(own, next);
        if (alone && n > 0) break;
        bool ok = true;
        for (int32_t k = 0; k < next->n && ok; ++k)
            ok = stream_list_add(own, *n_systems + k, next->block, next->i + k) == SHOAL_OK;
        if (!ok) break;
        *n_systems += next->n;
        n_atoms += next->n * (int64_t)shoal_molecule_n_atoms(next->block->systems[next->i].mol);
        taken[n++] = *next;
        if (alone) break;
    }
    s->n_large -= n;
    memmove(s->large, s->large + n, (size_t)s->n_large * sizeof *s->large);
    return n;
}

/* Puts systems back in front of those that wait; false if there is no memory. */
static bool put_back(stream *s, const large_system *taken, int32_t n)
{
    if (SHOAL_RESERVE(&s->large, &s->large_capacity, s->n_large + n) != SHOAL_OK) return false;
    memmove(s->large + n, s->large, (size_t)s->n_large * sizeof *s->large);
    memcpy(s->large, taken, (size_t)n * sizeof *taken);
    s->n_large += n;
    (void)pthread_cond_broadcast(&s->come);
    return true;
}

static void end_large(stream_thread *own, const large_system *taken, int32_t n, shoal_status status)
{
    stream *s = own->s;
    s->progress.large_index = -1;
    stream_tell_seconds(own);
    if (give_up(s, own->device, status) && put_back(s, taken, n)) return;
    for (int32_t k = 0; k < n; ++k) {
        if (status != SHOAL_OK) stream_block_fail(taken[k].block, status, taken[k].i);
        stream_end_part(s, taken[k].block);
    }
    for (; n == 0 && s->n_large > 0; --s->n_large) { /* no memory for a list */
        const large_system *last = &s->large[s->n_large - 1];
        stream_block_fail(last->block, status, last->i);
        stream_end_part(s, last->block);
    }
}

void stream_large_loop(stream_thread *own)
{
    stream *s = own->s;
    large_system taken[STREAM_SLICE_BLOCKS];
    int32_t n_systems;
    (void)pthread_mutex_lock(&s->lock);
    while (!s->over && !own->device->failed) {
        /* The processor is for small ones, as long as there are other devices. */
        const bool waits = !own->device->backend->shared && count_alive(s, true) > 0;
        if (s->n_large == 0 || waits) {
            (void)pthread_cond_wait(&s->come, &s->lock);
            continue;
        }
        const int32_t n = take_large(own, taken, &n_systems);
        (void)pthread_mutex_unlock(&s->lock);
        const shoal_status status =
            n == 0 ? SHOAL_E_MEMORY : stream_compute(own, n_systems, s->n_threads);
        (void)pthread_mutex_lock(&s->lock);
        end_large(own, taken, n, status);
    }
    (void)pthread_mutex_unlock(&s->lock);
}
