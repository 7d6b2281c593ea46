/* SPDX-License-Identifier: BSD-3-Clause
 * A thread that writes what is handed on, in order, while the one that hands it on does something else. */
#ifndef SHOAL_STREAM_WRITE_QUEUE_H
#define SHOAL_STREAM_WRITE_QUEUE_H

#include <stddef.h>

#include "shoal/status.h"

typedef struct write_queue write_queue;

/* Writes a piece; called by one thread at a time. */
typedef shoal_status write_queue_work(void *user, const char *bytes, size_t n);

/* most: bytes that may wait; a larger piece waits alone. Fails where memory or threads are out. */
shoal_status write_queue_create(write_queue **out, write_queue_work *work, void *user, size_t most);

/* Copies a piece, and waits where too much is waiting. Fails as the piece failed that could not be written; none
 * behind that one is. */
shoal_status write_queue_put(write_queue *q, const char *bytes, size_t n);

/* Waits until all is written; fails likewise. */
shoal_status write_queue_wait(write_queue *q);

/* Waits until all is written, and ends the thread; also takes NULL. */
void write_queue_destroy(write_queue *q);

#endif
