/* SPDX-License-Identifier: BSD-3-Clause
 * A stream of several processes. Rank 0 cuts records into blocks, keeps some and sends others to ranks that
 * have room; those parse, type, compute and format them and send texts and numbers back, in any order. Only
 * callers' threads send and receive. */
#ifndef SHOAL_STREAM_STREAM_PEERS_H
#define SHOAL_STREAM_STREAM_PEERS_H

#include "stream/stream.h"

/* Blocks that came and were not begun. */
typedef struct inbox_block {
    struct inbox_block *next;
    shoal_string message;
} inbox_block;

/* All but link and the messages with the lock. */
struct stream_peers {
    const shoal_peers *link;
    bool is_root;                    /* rank 0 */
    bool is_broken;                  /* nothing can be received */
    shoal_string outgoing, incoming; /* of the caller */
    /* On rank 0: */
    int32_t *room;  /* [size] blocks that a rank would take */
    bool *is_gone;  /* [size] nothing more will come from it */
    int32_t n_room; /* of all, less blocks that are already cut for them */
    int32_t n_gone;
    int64_t n_sent; /* blocks */
    bool told_stop, told_last;
    /* On the others: */
    inbox_block *first, *last;
    shoal_stream_progress told; /* what rank 0 knows */
    bool no_more;               /* blocks will come */
    bool told_failure, asked_stop, said_bye;
    bool ended;
    shoal_status status; /* of rank 0 */
    char error[STREAM_ERROR_SIZE];
};

static inline bool stream_is_root(const stream *s)
{
    return !s->peers || s->peers->is_root;
}

/* Before threads are started, and after they have ended. */
shoal_status stream_peers_open(stream *s);
void stream_peers_close(stream *s);

/* A thread of rank 0 that cuts blocks for the others. */
void stream_feed_loop(stream_thread *own);
/* Takes the next block that has come, on the other ranks; without the lock. */
shoal_status stream_peers_next(stream_thread *own, stream_block *b);

/* What callers do again and again, with the lock; false if there was nothing to do. */
bool stream_peers_lead(stream *s);
bool stream_peers_follow(stream *s);
/* The monitor of another rank has had enough. */
void stream_peers_ask_stop(stream *s);
/* True when nothing more will come from the others. */
bool stream_peers_are_gone(const stream *s);
/* Tells the others how the stream ended. */
void stream_peers_end(stream *s);

/* True if there are others, and ways to them. */
bool stream_peers_check(const shoal_peers *link);
/* For a rank that could not start: leaves the others informed, and no message unread. */
void stream_peers_excuse(const shoal_peers *link, shoal_status status);

#endif
