/* SPDX-License-Identifier: BSD-3-Clause
 * A stream of several processes: who sends what, and when. See run/stream_peers.h. */
#include "stream/stream_peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "stream/stream_message.h"

/* Blocks that a rank has or waits for: enough that it need not wait for messages, few enough that all ranks
 * end together. A shared device is full with thousands of systems. */
#define ROOM_PER_THREAD 2
#define ROOM_SHARED 64

/* Nothing of a block will come. */
static void lose_block(stream *s, stream_block *b)
{
    b->n = 0;
    b->cut_short = true;
    stream_set_stage(s, b, BLOCK_READY);
}

/* Nothing more can be received: this rank ends by itself, and says so if it can. */
static void break_off(stream *s, shoal_status status)
{
    stream_peers *p = s->peers;
    stream_fail(s, status, shoal_error_text());
    p->is_broken = p->ended = true;
    p->n_gone = p->link->size - 1;
    for (stream_block *b = s->first; b; b = b->next)
        if (b->stage == BLOCK_AWAY || b->stage == BLOCK_CUT) lose_block(s, b);
}

/* Sends what was written into outgoing. With the lock, which is not held while it is under way. */
static void send(stream *s, int32_t to)
{
    stream_peers *p = s->peers;
    shoal_status status = shoal_string_status(&p->outgoing);
    (void)pthread_mutex_unlock(&s->lock);
    if (status == SHOAL_OK)
        status = p->link->send(p->link->user, to, shoal_string_data(&p->outgoing),
                               shoal_string_size(&p->outgoing));
    (void)pthread_mutex_lock(&s->lock);
    if (status == SHOAL_OK) return;
    p->said_bye = true; /* nobody would hear it */
    break_off(s, status);
}

static void send_all(stream *s)
{
    for (int32_t k = 1; k < s->peers->link->size; ++k) send(s, k);
}

/* The next message, if one has come; with the lock, which is not held meanwhile. */
static bool receive(stream *s, int32_t *from)
{
    stream_peers *p = s->peers;
    bool found = false;
    if (p->is_broken) return false;
    shoal_string_clear(&p->incoming);
    (void)pthread_mutex_unlock(&s->lock);
    shoal_status status = p->link->receive(p->link->user, from, &p->incoming, &found);
    (void)pthread_mutex_lock(&s->lock);
    if (status == SHOAL_OK) status = shoal_string_status(&p->incoming);
    if (status != SHOAL_OK) break_off(s, status);
    return status == SHOAL_OK && found && *from >= 0 && *from < p->link->size;
}

/* --- rank 0 -------------------------------------------------------------------------------------- */

static void fail_for(stream *s, int32_t rank, shoal_status status, const char *text)
{
    char full[STREAM_ERROR_SIZE];
    (void)snprintf(full, sizeof full, "rank %d: %s", rank, text);
    stream_fail(s, status, full);
}

static void add_room(stream *s, int32_t rank, int32_t n)
{
    s->peers->room[rank] += n;
    s->peers->n_room += n;
    (void)pthread_cond_signal(&s->feed);
}

static bool has_grid(const stream *s)
{
    return s->options->compute.engine && s->options->compute.engine->grid;
}

static void hear_hello(stream *s, int32_t from, message_reader *in)
{
    message_hello hello;
    if (!message_get_hello(in, &hello)) {
        fail_for(s, from, SHOAL_E_ARGUMENT, "runs another version");
    } else if (hello.status != SHOAL_OK) {
        fail_for(s, from, hello.status, hello.error);
    } else if (hello.job != (int64_t)s->options->job ||
               hello.n_sinks != s->options->output.n_sinks ||
               hello.n_variants != stream_per_record(s->options) ||
               hello.unit != stream_unit(s->options)) {
        fail_for(s, from, SHOAL_E_ARGUMENT, "runs another job than rank 0");
    } else if ((hello.has_grid != 0) != has_grid(s)) {
        fail_for(s, from, SHOAL_E_ARGUMENT,
                 hello.has_grid
                     ? "has the surface on a grid and rank 0 has not, expected the same of all"
                     : "has the surface on no grid and rank 0 has, expected the same of all");
    } else {
        (void)atomic_fetch_add(&s->n_sharing, (int32_t)hello.n_threads);
        add_room(s, from, (int32_t)hello.n_room);
    }
}

/* A block that is back, whatever became of it. */
static void hear_done(stream *s, int32_t from, message_reader *in)
{
    const int64_t id = message_get_id(in);
    stream_block *b = s->first;
    while (b && (b->stage != BLOCK_AWAY || b->id != id)) b = b->next;
    if (!b || b->rank != from) {
        fail_for(s, from, SHOAL_E_ARGUMENT, "sends a block that nobody asked for");
        return;
    }
    stream_swap_texts(&s->peers->incoming, &b->message);
    /* Its texts are there twice now; it may wait long for its turn. */
    b->bytes += 2 * (int64_t)shoal_string_size(&b->message);
    s->bytes += 2 * (int64_t)shoal_string_size(&b->message);
    const shoal_status status = message_get_done(in, s, b);
    if (status != SHOAL_OK) stream_block_fail(b, status, 0);
    stream_set_stage(s, b, BLOCK_READY);
    add_room(s, from, 1);
}

static void hear_bye(stream *s, int32_t from)
{
    stream_peers *p = s->peers;
    p->n_gone += !p->is_gone[from];
    p->is_gone[from] = true;
    for (stream_block *b = s->first; b; b = b->next) {
        if (b->stage != BLOCK_AWAY || b->rank != from) continue;
        if (!atomic_load(&s->stop)) fail_for(s, from, SHOAL_E_IO, "left in the middle of its work");
        lose_block(s, b);
    }
}

static void hear_state(stream *s, int32_t from, message_reader *in)
{
    int64_t index;
    shoal_span state;
    if (message_get_state(in, &index, &state))
        stream_take_state(s, index, state);
    else
        fail_for(s, from, SHOAL_E_ARGUMENT, "sends what nobody understands");
}

static void hear(stream *s, int32_t from)
{
    message_reader in;
    const char *text;
    shoal_status status;
    switch (message_open(&in, &s->peers->incoming)) {
    case MESSAGE_HELLO: hear_hello(s, from, &in); break;
    case MESSAGE_DONE: hear_done(s, from, &in); break;
    case MESSAGE_BYE: hear_bye(s, from); break;
    case MESSAGE_STATE: hear_state(s, from, &in); break;
    case MESSAGE_STOP: stream_stop(s); break;
    case MESSAGE_FAIL:
        status = message_get_status(&in, &text);
        fail_for(s, from, status == SHOAL_OK ? SHOAL_E_ARGUMENT : status, text);
        break;
    default: fail_for(s, from, SHOAL_E_ARGUMENT, "sends what nobody understands");
    }
}

/* The rank that has most room. */
static int32_t choose_rank(const stream_peers *p)
{
    int32_t best = 1;
    for (int32_t k = 2; k < p->link->size; ++k)
        if (p->room[k] > p->room[best]) best = k;
    return best;
}

/* Sends a block that was cut for others. */
static void send_block(stream *s, stream_block *b)
{
    stream_peers *p = s->peers;
    b->rank = choose_rank(p);
    --p->room[b->rank];
    b->stage = BLOCK_AWAY;
    stream_swap_texts(&p->outgoing, &b->message);
    send(s, b->rank);
}

/* Tells the others once that all is to be stopped, and once that no blocks are left. */
static void tell_end(stream *s)
{
    stream_peers *p = s->peers;
    const bool stop = atomic_load(&s->stop);
    if (stop && !p->told_stop) {
        p->told_stop = true;
        message_begin(&p->outgoing, MESSAGE_STOP);
        send_all(s);
    }
    if (p->told_last || s->cutting || stream_find(s, BLOCK_CUT) || !(stop || s->ended)) return;
    p->told_last = true;
    message_begin(&p->outgoing, MESSAGE_LAST);
    send_all(s);
}

bool stream_peers_lead(stream *s)
{
    int32_t from = -1;
    bool busy = false;
    while (receive(s, &from)) {
        hear(s, from);
        busy = true;
    }
    for (stream_block *b = stream_find(s, BLOCK_CUT); b; b = stream_find(s, BLOCK_CUT)) {
        if (atomic_load(&s->stop))
            lose_block(s, b);
        else
            send_block(s, b);
        busy = true;
    }
    tell_end(s);
    return busy;
}

bool stream_peers_are_gone(const stream *s)
{
    return !s->peers || s->peers->n_gone == s->peers->link->size - 1;
}

void stream_peers_end(stream *s)
{
    message_begin(&s->peers->outgoing, MESSAGE_END);
    message_put_status(&s->peers->outgoing, s->status, s->error);
    send_all(s);
}

/* Cuts one block for whoever has room; with the lock. */
static void feed(stream_thread *own, stream_block *b)
{
    stream *s = own->s;
    s->cutting = true;
    --s->peers->n_room;
    (void)pthread_mutex_unlock(&s->lock);
    double began = stream_now();
    shoal_status status = stream_cut(own, b);
    stream_clock(own, SHOAL_STAGE_READ, &began);
    if (status == SHOAL_OK && own->records.block.n > 0) {
        message_begin(&b->message, MESSAGE_BLOCK);
        b->id = s->peers->n_sent++;
        message_put_records(&b->message, b->id, &own->records);
        status = shoal_string_status(&b->message);
    }
    if (status != SHOAL_OK) stream_block_fail(b, status, 0);
    (void)pthread_mutex_lock(&s->lock);
    stream_end_cutting(s, b, status, &own->records);
    stream_tell_seconds(own);
    const bool away = status == SHOAL_OK && own->records.block.n > 0;
    b->stage = away ? BLOCK_CUT : BLOCK_READY;
    (void)pthread_cond_signal(&s->ready);
}

void stream_feed_loop(stream_thread *own)
{
    stream *s = own->s;
    stream_block *b;
    (void)pthread_mutex_lock(&s->lock);
    while (!s->over) {
        /* The others do not have the state that one of the first systems goes on from. */
        const shoal_stream_options *o = s->options;
        const bool may = s->peers->n_room > 0 && stream_may_cut(s) &&
                         !(o->resume.state && stream_source_at(&s->source) <= o->resume.index);
        if (may && (b = stream_append_block(s)) != NULL) {
            feed(own, b);
        } else {
            if (may) stream_fail(s, SHOAL_E_MEMORY, "out of memory: a block of a stream");
            (void)pthread_cond_wait(&s->feed, &s->lock);
        }
    }
    (void)pthread_mutex_unlock(&s->lock);
}

/* --- the other ranks ------------------------------------------------------------------------------ */

static void drop_inbox(stream_peers *p)
{
    while (p->first) {
        inbox_block *next = p->first->next;
        shoal_string_free(&p->first->message);
        free(p->first);
        p->first = next;
    }
    p->last = NULL;
}

static void hear_block(stream *s)
{
    stream_peers *p = s->peers;
    if (atomic_load(&s->stop)) return; /* rank 0 misses it when this rank says bye */
    inbox_block *next = shoal_alloc(1, sizeof *next);
    if (!next) {
        stream_fail(s, SHOAL_E_MEMORY, shoal_error_text());
        return;
    }
    stream_swap_texts(&next->message, &p->incoming);
    if (p->last)
        p->last->next = next;
    else
        p->first = next;
    p->last = next;
    (void)pthread_cond_signal(&s->work);
}

static void hear_end(stream *s, message_reader *in)
{
    stream_peers *p = s->peers;
    const char *text;
    p->status = message_get_status(in, &text);
    (void)snprintf(p->error, sizeof p->error, "%s", text);
    p->ended = true;
    stream_stop(s);
}

static void follow_message(stream *s)
{
    message_reader in;
    switch (message_open(&in, &s->peers->incoming)) {
    case MESSAGE_BLOCK: hear_block(s); break;
    case MESSAGE_STOP: stream_stop(s); break;
    case MESSAGE_LAST:
        s->peers->no_more = true;
        stream_wake_all(s);
        break;
    case MESSAGE_END: hear_end(s, &in); break;
    default: stream_fail(s, SHOAL_E_ARGUMENT, "rank 0 sends what nobody understands");
    }
}

/* Sends a block back, and takes it out of the line. */
static void return_block(stream *s, stream_block *b)
{
    stream_peers *p = s->peers;
    const shoal_stream_progress now = s->progress;
    if (b->id < 0) { /* there was none when it was wanted */
        stream_retire_block(s, b);
        return;
    }
    b->stage = BLOCK_RETURNING;
    (void)pthread_mutex_unlock(&s->lock);
    message_begin(&p->outgoing, MESSAGE_DONE);
    message_put_done(&p->outgoing, s, b, &now, &p->told);
    (void)pthread_mutex_lock(&s->lock);
    send(s, 0);
    p->told = now;
    s->progress.n_done += b->n;
    stream_retire_block(s, b);
}

/* How far a large system has come, before its block goes back. */
static void tell_state(stream *s)
{
    stream_peers *p = s->peers;
    if (!s->state_is_new || s->state_seconds <= 0 || p->said_bye || p->ended) return;
    s->state_is_new = false;
    message_begin(&p->outgoing, MESSAGE_STATE);
    message_put_state(&p->outgoing, s->state_index, shoal_string_span(&s->state));
    send(s, 0);
}

/* Says once that this rank cannot go on, that it is to be stopped, and that nothing more will come. */
static void tell_leader(stream *s)
{
    stream_peers *p = s->peers;
    if (s->status != SHOAL_OK && !p->told_failure) {
        p->told_failure = true;
        message_begin(&p->outgoing, MESSAGE_FAIL);
        message_put_status(&p->outgoing, s->status, s->error);
        send(s, 0);
    }
    if (!(p->no_more || p->ended) || p->said_bye || s->first || s->cutting || p->first) return;
    p->said_bye = true;
    message_begin(&p->outgoing, MESSAGE_BYE);
    send(s, 0);
}

bool stream_peers_follow(stream *s)
{
    stream_peers *p = s->peers;
    int32_t from = -1;
    bool busy = false;
    while (receive(s, &from)) {
        follow_message(s);
        busy = true;
    }
    if (atomic_load(&s->stop)) drop_inbox(p);
    s->ended = p->no_more && !p->first;
    for (stream_block *b = stream_find(s, BLOCK_READY); b; b = stream_find(s, BLOCK_READY)) {
        tell_state(s);
        return_block(s, b);
        busy = true;
    }
    tell_state(s);
    tell_leader(s);
    return busy;
}

void stream_peers_ask_stop(stream *s)
{
    if (s->peers->asked_stop || s->peers->said_bye || s->peers->ended) return;
    s->peers->asked_stop = true;
    message_begin(&s->peers->outgoing, MESSAGE_STOP);
    send(s, 0);
}

shoal_status stream_peers_next(stream_thread *own, stream_block *b)
{
    stream *s = own->s;
    stream_peers *p = s->peers;
    message_reader in;
    own->records.block.n = own->records.n_systems = 0;
    own->records.block.size = 0;
    b->id = -1;
    (void)pthread_mutex_lock(&s->lock);
    inbox_block *next = p->first;
    if (next) p->first = next->next;
    if (!p->first) p->last = NULL;
    (void)pthread_mutex_unlock(&s->lock);
    if (!next) return SHOAL_OK;
    stream_swap_texts(&own->message, &next->message);
    shoal_string_free(&next->message);
    free(next);
    (void)message_open(&in, &own->message);
    return message_get_records(&in, &b->id, &own->records);
}

/* --- beginning and end ---------------------------------------------------------------------------- */

static shoal_status say_hello(stream *s)
{
    stream_peers *p = s->peers;
    const int32_t room = ROOM_PER_THREAD * s->n_threads + 1 + ROOM_SHARED * s->n_shared;
    message_begin(&p->outgoing, MESSAGE_HELLO);
    message_put_hello(&p->outgoing, &(message_hello){.n_threads = s->n_threads,
                                                     .n_room = room,
                                                     .job = s->options->job,
                                                     .n_sinks = s->options->output.n_sinks,
                                                     .n_variants = stream_per_record(s->options),
                                                     .unit = stream_unit(s->options),
                                                     .has_grid = has_grid(s),
                                                     .error = ""});
    SHOAL_TRY(shoal_string_status(&p->outgoing));
    return p->link->send(p->link->user, 0, shoal_string_data(&p->outgoing),
                         shoal_string_size(&p->outgoing));
}

shoal_status stream_peers_open(stream *s)
{
    const shoal_peers *link = s->options->peers;
    if (!link || link->size < 2) return SHOAL_OK;
    stream_peers *p = shoal_alloc(1, sizeof *p);
    if (!p) return SHOAL_E_MEMORY;
    s->peers = p;
    p->link = link;
    p->is_root = link->rank == 0;
    p->room = shoal_alloc((size_t)link->size, sizeof *p->room);
    p->is_gone = shoal_alloc((size_t)link->size, sizeof *p->is_gone);
    if (!p->room || !p->is_gone) return SHOAL_E_MEMORY;
    return p->is_root ? SHOAL_OK : say_hello(s);
}

void stream_peers_close(stream *s)
{
    stream_peers *p = s->peers;
    if (!p) return;
    drop_inbox(p);
    shoal_string_free(&p->outgoing);
    shoal_string_free(&p->incoming);
    free(p->room);
    free(p->is_gone);
    free(p);
}

/* Sends a message by itself; its failure is that of the rank, which has failed anyway. */
static void send_plain(const shoal_peers *link, int32_t to, message_kind kind, shoal_status status,
                       const char *error)
{
    shoal_string text = {0};
    message_begin(&text, kind);
    if (kind == MESSAGE_HELLO)
        message_put_hello(&text, &(message_hello){.status = status, .error = error});
    else
        message_put_status(&text, status, error);
    if (shoal_string_status(&text) == SHOAL_OK)
        (void)link->send(link->user, to, shoal_string_data(&text), shoal_string_size(&text));
    shoal_string_free(&text);
}

bool stream_peers_check(const shoal_peers *link)
{
    return link && link->size > 1 && link->rank >= 0 && link->rank < link->size && link->send &&
           link->receive;
}

void stream_peers_excuse(const shoal_peers *link, shoal_status status)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    char error[STREAM_ERROR_SIZE];
    (void)snprintf(error, sizeof error, "%s", shoal_error_text());
    const bool is_root = link->rank == 0;
    for (int32_t k = 1; is_root && k < link->size; ++k)
        send_plain(link, k, MESSAGE_END, status, error);
    if (!is_root) send_plain(link, 0, MESSAGE_HELLO, status, error);
    int32_t n_left = is_root ? link->size - 1 : 1, from;
    bool found = true, said_bye = false;
    shoal_string text = {0};
    while (n_left > 0) {
        message_reader in;
        shoal_string_clear(&text);
        if (link->receive(link->user, &from, &text, &found) != SHOAL_OK) break;
        if (!found) {
            (void)nanosleep(&pause, NULL);
            continue;
        }
        const message_kind kind = message_open(&in, &text);
        n_left -= kind == MESSAGE_BYE || kind == MESSAGE_END;
        if (!is_root && !said_bye && (kind == MESSAGE_LAST || kind == MESSAGE_END)) {
            said_bye = true;
            send_plain(link, 0, MESSAGE_BYE, SHOAL_OK, "");
        }
    }
    shoal_string_free(&text);
    (void)shoal_fail(status, "%s", error);
}
