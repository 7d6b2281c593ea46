/* SPDX-License-Identifier: BSD-3-Clause
 * A thread that writes. */
#include "stream/write_queue.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

typedef struct piece {
    struct piece *next;
    size_t n;
    char bytes[];
} piece;

struct write_queue {
    write_queue_work *work;
    void *user;
    size_t most;
    pthread_t thread;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t filled, emptied;
    piece *first, *last;
    size_t waiting; /* bytes, of the piece at work, too */
    bool ends;
    shoal_status status; /* of the first piece that failed */
    char why[1024];
};

/* Takes the first piece; NULL when there will be none. With the lock. */
static piece *take(write_queue *q)
{
    while (!q->first && !q->ends) (void)pthread_cond_wait(&q->filled, &q->lock);
    piece *p = q->first;
    if (p) q->first = p->next;
    if (!q->first) q->last = NULL;
    return p;
}

static void *thread_main(void *user)
{
    write_queue *q = user;
    (void)pthread_mutex_lock(&q->lock);
    for (piece *p; (p = take(q));) {
        const bool wanted = q->status == SHOAL_OK;
        (void)pthread_mutex_unlock(&q->lock);
        const shoal_status status = wanted ? q->work(q->user, p->bytes, p->n) : SHOAL_OK;
        (void)pthread_mutex_lock(&q->lock);
        if (status != SHOAL_OK) {
            q->status = status;
            (void)snprintf(q->why, sizeof q->why, "%s", shoal_error_text());
        }
        q->waiting -= p->n;
        (void)pthread_cond_broadcast(&q->emptied);
        free(p);
    }
    (void)pthread_mutex_unlock(&q->lock);
    return NULL;
}

shoal_status write_queue_create(write_queue **out, write_queue_work *work, void *user, size_t most)
{
    write_queue *q = shoal_alloc(1, sizeof *q);
    if (!q) return SHOAL_E_MEMORY;
    q->work = work;
    q->user = user;
    q->most = most;
    (void)pthread_mutex_init(&q->lock, NULL);
    (void)pthread_cond_init(&q->filled, NULL);
    (void)pthread_cond_init(&q->emptied, NULL);
    *out = q;
    if (pthread_create(&q->thread, NULL, thread_main, q) == 0) return SHOAL_OK;
    free(q);
    *out = NULL;
    return shoal_fail(SHOAL_E_MEMORY, "no thread for writing can be started");
}

/* With the lock. */
static shoal_status status_of(const write_queue *q)
{
    return q->status == SHOAL_OK ? SHOAL_OK : shoal_fail(q->status, "%s", q->why);
}

shoal_status write_queue_put(write_queue *q, const char *bytes, size_t n)
{
    if (n == 0) return SHOAL_OK;
    piece *p = malloc(sizeof *p + n);
    if (!p) return shoal_fail(SHOAL_E_MEMORY, "out of memory: %zu bytes that are to be written", n);
    p->next = NULL;
    p->n = n;
    memcpy(p->bytes, bytes, n);
    (void)pthread_mutex_lock(&q->lock);
    while (q->waiting > 0 && q->waiting + n > q->most)
        (void)pthread_cond_wait(&q->emptied, &q->lock);
    const shoal_status status = status_of(q);
    if (status == SHOAL_OK) {
        if (q->last)
            q->last->next = p;
        else
            q->first = p;
        q->last = p;
        q->waiting += n;
        (void)pthread_cond_signal(&q->filled);
    }
    (void)pthread_mutex_unlock(&q->lock);
    if (status != SHOAL_OK) free(p);
    return status;
}

shoal_status write_queue_wait(write_queue *q)
{
    (void)pthread_mutex_lock(&q->lock);
    while (q->waiting > 0) (void)pthread_cond_wait(&q->emptied, &q->lock);
    const shoal_status status = status_of(q);
    (void)pthread_mutex_unlock(&q->lock);
    return status;
}

void write_queue_destroy(write_queue *q)
{
    if (!q) return;
    (void)pthread_mutex_lock(&q->lock);
    q->ends = true;
    (void)pthread_cond_signal(&q->filled);
    (void)pthread_mutex_unlock(&q->lock);
    (void)pthread_join(q->thread, NULL);
    (void)pthread_cond_destroy(&q->emptied);
    (void)pthread_cond_destroy(&q->filled);
    (void)pthread_mutex_destroy(&q->lock);
    free(q);
}
