/* SPDX-License-Identifier: BSD-3-Clause
 * Peers that are threads of one process, with queues between them. */
#ifndef SHOAL_TESTS_PEERS_FIXTURE_H
#define SHOAL_TESTS_PEERS_FIXTURE_H

#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "check.h"
#include "shoal/shoal.h"

enum { MOST_RANKS = 3 };

typedef struct message {
    struct message *next;
    int32_t from;
    size_t size;
    char bytes[];
} message;

typedef struct mailbox {
    pthread_mutex_t lock;
    message *first, *last;
    int64_t n_came, n_bytes;
} mailbox;

static mailbox boxes[MOST_RANKS];

/* The end of one rank. */
typedef struct wire {
    shoal_peers link;
    int64_t broken_after; /* messages that it can receive; -1: all */
} wire;

static shoal_status post(void *user, int32_t to, const void *bytes, size_t n)
{
    const wire *own = user;
    mailbox *box = &boxes[to];
    message *m = malloc(sizeof *m + n);
    if (!m) return SHOAL_E_MEMORY;
    *m = (message){.from = own->link.rank, .size = n};
    memcpy(m->bytes, bytes, n);
    (void)pthread_mutex_lock(&box->lock);
    if (box->last)
        box->last->next = m;
    else
        box->first = m;
    box->last = m;
    ++box->n_came;
    box->n_bytes += (int64_t)n;
    (void)pthread_mutex_unlock(&box->lock);
    return SHOAL_OK;
}

static shoal_status fetch(void *user, int32_t *from, shoal_string *out, bool *found)
{
    wire *own = user;
    mailbox *box = &boxes[own->link.rank];
    *found = false;
    if (own->broken_after == 0) return shoal_fail(SHOAL_E_IO, "the wire is cut");
    (void)pthread_mutex_lock(&box->lock);
    message *m = box->first;
    if (m) box->first = m->next;
    if (!box->first) box->last = NULL;
    (void)pthread_mutex_unlock(&box->lock);
    if (!m) return SHOAL_OK;
    if (own->broken_after > 0) --own->broken_after;
    *found = true;
    *from = m->from;
    shoal_string_put(out, m->bytes, m->size);
    free(m);
    return SHOAL_OK;
}

static inline void wire_up(wire *w, int32_t rank, int32_t size)
{
    *w = (wire){.broken_after = -1};
    w->link = (shoal_peers){rank, size, post, fetch, w};
    (void)pthread_mutex_init(&boxes[rank].lock, NULL);
    boxes[rank].n_came = boxes[rank].n_bytes = 0;
}

static inline void drop_messages(int32_t rank)
{
    while (boxes[rank].first) {
        message *m = boxes[rank].first;
        boxes[rank].first = m->next;
        free(m);
    }
    boxes[rank].last = NULL;
}

#endif
