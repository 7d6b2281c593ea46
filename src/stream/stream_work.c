/* SPDX-License-Identifier: BSD-3-Clause
 * What the workers of a stream do: cut, parse, type, compute and format blocks. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "stream/stream.h"
#include "stream/stream_peers.h"

static shoal_status need_parser(stream_thread *own, shoal_format format)
{
    if (own->parser && own->parser->format == format) return SHOAL_OK;
    shoal_reader_destroy(own->parser);
    own->parser = NULL;
    return reader_create(&own->parser, format, &own->s->options->input.read);
}

shoal_status stream_cut(stream_thread *own, stream_block *b)
{
    stream *s = own->s;
    const int32_t n_sharing = (s->peers ? 2 : 1) * atomic_load(&s->n_sharing);
    const shoal_status status = stream_is_root(s)
                                    ? stream_source_next(&s->source, n_sharing, &own->records)
                                    : stream_peers_next(own, b);
    if (!atomic_load(&s->stop)) return status;
    /* The input may have been cut short where it is no end. */
    own->records.block.n = own->records.n_systems = own->records.n_passed = 0;
    b->cut_short = true;
    return SHOAL_OK;
}

/* Notes what was cut, and passes the turn on; with the lock. */
void stream_end_cutting(stream *s, stream_block *b, shoal_status status, const stream_records *cut)
{
    const double part = stream_source_part(&s->source);
    s->cutting = false;
    s->ended = s->ended || (stream_is_root(s) && (status != SHOAL_OK || cut->block.n == 0));
    const shoal_stream_input *in = &s->options->input;
    if (s->progress.n_read == 0) s->part_first = in->first > 0 ? part : 0;
    if (cut->n_systems > cut->n_passed)
        s->progress.n_before = in->first / (in->n_shards > 1 ? in->n_shards : 1);
    s->part_read = part;
    s->progress.n_read += status == SHOAL_OK ? cut->n_systems - cut->n_passed : 0;
    stream_block_weigh(s, b, cut);
    s->bytes += b->bytes;
    (void)pthread_cond_signal(&s->work);
    (void)pthread_cond_signal(&s->feed);
}

/* Sends the large systems of a block to the large thread and lists the others in own->list; returns their
 * number, -1 when memory is out. */
static int32_t sort_out(stream_thread *own, stream_block *b)
{
    stream *s = own->s;
    const int32_t unit = stream_unit(s->options);
    int32_t n = 0;
    bool ok = true;
    (void)pthread_mutex_lock(&s->lock);
    if (s->n_shared == 0) stream_begin_computing(s, b);
    for (int32_t i = 0; i < b->n && ok; ++i) {
        if (!b->systems[i].topology) continue; /* it cannot be read */
        if (stream_is_small(s, &b->systems[i])) {
            ok = stream_list_add(own, n++, b, i) == SHOAL_OK;
            continue;
        }
        ok = SHOAL_RESERVE(&s->large, &s->large_capacity, s->n_large + 1) == SHOAL_OK;
        if (!ok) break;
        s->large[s->n_large++] = (large_system){b, i, unit};
        i += unit - 1;
        ++b->n_parts;
    }
    if (b->n_parts > 1) (void)pthread_cond_broadcast(&s->come);
    (void)pthread_mutex_unlock(&s->lock);
    return ok ? n : -1;
}

/* What a worker does with a block that is typed: computes its small systems, or leaves them to a device. */
static void compute_block(stream_thread *own, stream_block *b)
{
    stream *s = own->s;
    b->n_parts = 1;
    const int32_t n = sort_out(own, b);
    shoal_status status = n < 0 ? SHOAL_E_MEMORY : SHOAL_OK;
    if (status == SHOAL_OK && s->n_shared == 0) status = stream_compute(own, n, 1);
    (void)pthread_mutex_lock(&s->lock);
    if (status != SHOAL_OK) stream_block_fail(b, status, 0);
    if (status == SHOAL_OK && s->n_shared > 0 && n > 0)
        stream_set_stage(s, b, BLOCK_TYPED);
    else
        stream_end_part(s, b);
    (void)pthread_mutex_unlock(&s->lock);
}

/* Takes a block from the file to where it can be computed or formatted. With the lock, and the turn to
 * cut, which is passed on as soon as the records are cut. */
static void read_block(stream_thread *own, stream_block *b)
{
    stream *s = own->s;
    (void)pthread_mutex_unlock(&s->lock);
    double began = stream_now();
    shoal_status status = stream_cut(own, b);
    if (status == SHOAL_OK && own->records.block.n > 0 && !stream_in_memory(s->options))
        status = need_parser(own, own->records.format);
    stream_clock(own, SHOAL_STAGE_READ, &began);
    if (status != SHOAL_OK) stream_block_fail(b, status, 0);
    (void)pthread_mutex_lock(&s->lock);
    stream_end_cutting(s, b, status, &own->records);
    (void)pthread_mutex_unlock(&s->lock);
    if (status == SHOAL_OK) stream_block_fill(own, b);
    if (stream_computes(s)) compute_block(own, b);
    (void)pthread_mutex_lock(&s->lock);
    if (!stream_computes(s)) stream_set_stage(s, b, BLOCK_COMPUTED);
    if (!stream_is_reading(s)) (void)pthread_cond_broadcast(&s->typed);
}

static void format_block(stream_thread *own, stream_block *b)
{
    stream *s = own->s;
    b->stage = BLOCK_FORMATTING;
    (void)pthread_mutex_unlock(&s->lock);
    double began = stream_now();
    stream_block_format(s, b);
    stream_clock(own, SHOAL_STAGE_FORMAT, &began);
    /* Trajectories may take more than was thought. */
    const int64_t more = stream_block_text_bytes(s, b) - b->bytes;
    (void)pthread_mutex_lock(&s->lock);
    s->bytes += more > 0 ? more : 0;
    b->bytes += more > 0 ? more : 0;
    stream_set_stage(s, b, BLOCK_READY);
}

/* Blocks that were handed on are no longer in line. */
static void recycle_block(stream_thread *own, stream_block *b)
{
    stream *s = own->s;
    s->used_blocks = b->next;
    (void)pthread_mutex_unlock(&s->lock);
    double began = stream_now();
    stream_block_clear(s, b);
    stream_clock(own, SHOAL_STAGE_RELEASE, &began);
    (void)pthread_mutex_lock(&s->lock);
    s->bytes -= b->bytes;
    b->bytes = 0;
    b->stage = BLOCK_FREE;
    b->next = s->free_blocks;
    s->free_blocks = b;
    (void)pthread_cond_signal(&s->work); /* there may be room for another block */
    (void)pthread_cond_signal(&s->feed);
}

/* A worker that has nothing else to do computes a block for the shared devices, if it may. */
static bool may_help(const stream *s)
{
    return s->n_shared > 0 && s->processor && !atomic_load(&s->stop) &&
           stream_find(s, BLOCK_TYPED) != NULL;
}

void stream_work_loop(stream_thread *own)
{
    stream *s = own->s;
    stream_block *b;
    (void)pthread_mutex_lock(&s->lock);
    while (!s->over) {
        stream_tell_seconds(own);
        if (s->used_blocks) {
            recycle_block(own, s->used_blocks);
        } else if ((b = stream_find(s, BLOCK_COMPUTED)) != NULL) {
            format_block(own, b);
        } else if (stream_may_cut(s) && (b = stream_append_block(s)) != NULL) {
            s->cutting = true;
            read_block(own, b);
        } else if (may_help(s)) {
            stream_compute_slice(own, 1, 1);
        } else {
            if (stream_may_cut(s))
                stream_fail(s, SHOAL_E_MEMORY, "out of memory: a block of a stream");
            (void)pthread_cond_wait(&s->work, &s->lock);
        }
    }
    stream_destroy_blocks(s, &s->used_blocks);
    stream_destroy_blocks(s, &s->free_blocks);
    (void)pthread_mutex_unlock(&s->lock);
}
