/* SPDX-License-Identifier: BSD-3-Clause
 * The line of blocks in the order of the input, their stages, and who is woken for them; all of it with the lock. */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "stream/stream.h"
#include "stream/stream_peers.h"

#define READY_MOST 2 /* blocks of a thread that wait to be handed on */

stream_block *stream_find(const stream *s, block_stage stage)
{
    stream_block *b = s->first;
    while (b && b->stage != stage) b = b->next;
    return b;
}

/* Whoever takes a task looks for the next one before it waits, so that one is woken for each. */
void stream_set_stage(stream *s, stream_block *b, block_stage stage)
{
    b->stage = stage;
    (void)pthread_cond_signal(stage == BLOCK_READY   ? &s->ready
                              : stage == BLOCK_TYPED ? &s->typed
                                                     : &s->work);
    if (stage == BLOCK_TYPED && s->processor) (void)pthread_cond_signal(&s->work);
}

void stream_wake_all(stream *s)
{
    (void)pthread_cond_broadcast(&s->work);
    (void)pthread_cond_broadcast(&s->typed);
    (void)pthread_cond_broadcast(&s->come);
    (void)pthread_cond_broadcast(&s->feed);
}

/* A block is about to be computed; with the lock. */
void stream_begin_computing(stream *s, stream_block *b)
{
    s->bytes += b->bytes_computed - b->bytes;
    b->bytes = b->bytes_computed;
}

/* One of the parts that a block waits for is done. */
void stream_end_part(stream *s, stream_block *b)
{
    if (--b->n_parts == 0) stream_set_stage(s, b, BLOCK_COMPUTED);
}

/* Blocks that wait for the caller. One thread is one core: the only worker rests while the caller writes. Where systems
 * take no time, several rest, too, when it falls behind: what waits only drives other blocks out of the caches. */
static bool workers_rest(const stream *s)
{
    const int32_t most = s->n_threads == 1 ? 1 : READY_MOST * s->n_threads;
    int32_t n = 0;
    if (most > 1 && (s->n_shared > 0 || s->options->job > SHOAL_JOB_ENERGY)) return false;
    for (const stream_block *b = s->first; b && b->stage == BLOCK_READY && n < most; b = b->next)
        ++n;
    return n == most;
}

bool stream_may_cut(const stream *s)
{
    if (!stream_is_root(s)) return s->peers->first && !s->cutting && !atomic_load(&s->stop);
    return !s->ended && !s->cutting && !atomic_load(&s->stop) &&
           (s->bytes < s->most_bytes || !s->first) && !workers_rest(s);
}

/* A block at the end of the line, for the records that are cut next. */
stream_block *stream_append_block(stream *s)
{
    stream_block *b = s->free_blocks;
    if (b)
        s->free_blocks = b->next;
    else
        b = stream_block_create(s);
    if (!b) return NULL;
    b->next = NULL;
    b->stage = BLOCK_READING;
    if (s->last)
        s->last->next = b;
    else
        s->first = b;
    s->last = b;
    return b;
}

void stream_stop(stream *s)
{
    atomic_store(&s->stop, true);
    stream_wake_all(s);
}

void stream_fail(stream *s, shoal_status status, const char *text)
{
    if (s->status != SHOAL_OK) return;
    s->status = status;
    (void)snprintf(s->error, sizeof s->error, "%s", text);
    stream_stop(s);
}

/* More systems may come for a device without anything being done about it. */
bool stream_is_reading(const stream *s)
{
    return (!s->ended && !atomic_load(&s->stop) && s->bytes < s->most_bytes) || s->cutting ||
           stream_find(s, BLOCK_READING) != NULL;
}

bool stream_wait(stream *s, pthread_cond_t *what, double seconds)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += (long)(1e9 * seconds);
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return pthread_cond_timedwait(what, &s->lock, &t) != ETIMEDOUT;
}

void stream_retire_block(stream *s, stream_block *b)
{
    stream_block *before = NULL;
    for (stream_block *k = s->first; k != b; k = k->next) before = k;
    if (before)
        before->next = b->next;
    else
        s->first = b->next;
    if (s->last == b) s->last = before;
    b->stage = BLOCK_USED;
    b->next = s->used_blocks;
    s->used_blocks = b;
    (void)pthread_cond_signal(&s->work);
}

/* At the end, by all workers at once: a million molecules take a while. With the lock. */
void stream_destroy_blocks(stream *s, stream_block **list)
{
    while (*list) {
        stream_block *b = *list;
        *list = b->next;
        (void)pthread_mutex_unlock(&s->lock);
        stream_block_destroy(s, b);
        (void)pthread_mutex_lock(&s->lock);
    }
}
