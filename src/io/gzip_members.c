/* SPDX-License-Identifier: BSD-3-Clause
 * Members of a gzip file in a ring: at hand, ended, compressed, taken. */
#include "io/gzip_members.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "io/gzip.h"

#define ROOM_PER_THREAD 2 /* members that wait or are compressed */

typedef struct member {
    shoal_string text, packed;
    shoal_status status;
    bool whole, done;
} member;

/* Members are counted from the first on; member k lies at k % n_slots. */
struct gzip_members {
    char *label;
    shoal_gzip *own; /* of the caller's thread */
    int32_t n_threads, n_slots;
    member *slots;
    int64_t n_taken, n_ended; /* of the caller's thread, which alone changes them */
    pthread_t *threads;
    int32_t n_started;
    pthread_mutex_t lock; /* of all that follows, n_ended, and done of members */
    pthread_cond_t work, done;
    int64_t n_begun;
    bool over;
};

static member *slot(const gzip_members *m, int64_t k)
{
    return &m->slots[k % m->n_slots];
}

shoal_status gzip_members_create(gzip_members **out, const char *label)
{
    gzip_members *m = shoal_alloc(1, sizeof *m);
    *out = m;
    if (!m) return SHOAL_E_MEMORY;
    (void)pthread_mutex_init(&m->lock, NULL);
    (void)pthread_cond_init(&m->work, NULL);
    (void)pthread_cond_init(&m->done, NULL);
    m->n_threads = m->n_slots = 1;
    m->label = shoal_strdup(label);
    m->slots = shoal_alloc(1, sizeof *m->slots);
    shoal_status status = m->label && m->slots ? SHOAL_OK : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) status = shoal_gzip_create(&m->own, label);
    if (status == SHOAL_OK) return SHOAL_OK;
    gzip_members_destroy(m);
    *out = NULL;
    return status;
}

void gzip_members_destroy(gzip_members *m)
{
    if (!m) return;
    (void)pthread_mutex_lock(&m->lock);
    m->over = true;
    (void)pthread_cond_broadcast(&m->work);
    (void)pthread_mutex_unlock(&m->lock);
    for (int32_t k = 0; k < m->n_started; ++k) (void)pthread_join(m->threads[k], NULL);
    for (int32_t k = 0; m->slots && k < m->n_slots; ++k) {
        shoal_string_free(&m->slots[k].text);
        shoal_string_free(&m->slots[k].packed);
    }
    (void)pthread_cond_destroy(&m->done);
    (void)pthread_cond_destroy(&m->work);
    (void)pthread_mutex_destroy(&m->lock);
    shoal_gzip_destroy(m->own);
    free(m->threads);
    free(m->slots);
    free(m->label);
    free(m);
}

/* More than these are faster than any run, and each has memory of its own. */
#define MOST_THREADS 8

void gzip_members_share(gzip_members *m, int32_t n_threads)
{
    if (m->n_ended == 0) m->n_threads = n_threads < MOST_THREADS ? n_threads : MOST_THREADS;
}

/* --- threads -------------------------------------------------------------------------------------- */

static void pack(member *at, shoal_gzip *gzip)
{
    shoal_string_clear(&at->packed);
    at->status = shoal_gzip_pack(gzip, shoal_string_span(&at->text), &at->packed);
}

static void *thread_main(void *p)
{
    gzip_members *m = p;
    shoal_gzip *gzip = NULL;
    const shoal_status status = shoal_gzip_create(&gzip, m->label);
    (void)pthread_mutex_lock(&m->lock);
    while (status == SHOAL_OK) {
        while (!m->over && m->n_begun == m->n_ended) (void)pthread_cond_wait(&m->work, &m->lock);
        if (m->over) break;
        member *at = slot(m, m->n_begun++);
        (void)pthread_mutex_unlock(&m->lock);
        pack(at, gzip);
        (void)pthread_mutex_lock(&m->lock);
        at->done = true;
        (void)pthread_cond_signal(&m->done);
    }
    (void)pthread_mutex_unlock(&m->lock);
    shoal_gzip_destroy(gzip);
    return NULL;
}

/* With the first member that ends. Where there are fewer threads than asked for, or none, the caller does their work. */
static void start(gzip_members *m)
{
    const int32_t n = m->n_threads, n_slots = ROOM_PER_THREAD * n + 1;
    if (n < 2 || m->threads) return;
    pthread_t *threads = malloc((size_t)n * sizeof *threads);
    member *slots = threads ? calloc((size_t)n_slots, sizeof *slots) : NULL;
    if (!slots) {
        free(threads);
        m->n_threads = 1;
        return;
    }
    slots[0] = m->slots[0]; /* the first one is at hand */
    free(m->slots);
    m->slots = slots;
    m->n_slots = n_slots;
    m->threads = threads;
    while (m->n_started < n && pthread_create(&threads[m->n_started], NULL, thread_main, m) == 0)
        ++m->n_started;
}

/* --- members -------------------------------------------------------------------------------------- */

shoal_status gzip_members_put(gzip_members *m, shoal_span text)
{
    return shoal_string_append(&slot(m, m->n_ended)->text, text);
}

size_t gzip_members_size(const gzip_members *m)
{
    return shoal_string_size(&slot(m, m->n_ended)->text);
}

void gzip_members_end(gzip_members *m, bool whole)
{
    start(m);
    member *at = slot(m, m->n_ended);
    at->whole = whole;
    at->done = false;
    (void)pthread_mutex_lock(&m->lock);
    ++m->n_ended;
    (void)pthread_cond_signal(&m->work);
    (void)pthread_mutex_unlock(&m->lock);
}

/* Waits for a member if need be; false if it is not done. The caller compresses what no thread has begun. */
static bool finish(gzip_members *m, member *at, bool wait)
{
    (void)pthread_mutex_lock(&m->lock);
    if (wait && !at->done && m->n_begun == m->n_taken) {
        ++m->n_begun;
        (void)pthread_mutex_unlock(&m->lock);
        pack(at, m->own);
        at->done = true;
        return true;
    }
    while (wait && !at->done) (void)pthread_cond_wait(&m->done, &m->lock);
    const bool done = at->done;
    (void)pthread_mutex_unlock(&m->lock);
    return done;
}

shoal_status gzip_members_take(gzip_members *m, bool all, shoal_span *bytes, bool *whole,
                               bool *found)
{
    const int64_t n_waiting = m->n_ended - m->n_taken;
    member *at = slot(m, m->n_taken);
    *found = n_waiting > 0 && finish(m, at, all || n_waiting == m->n_slots - (m->n_slots > 1));
    if (!*found) return SHOAL_OK;
    ++m->n_taken;
    *bytes = shoal_string_span(&at->packed);
    *whole = at->whole;
    shoal_string_clear(&at->text);
    return at->status;
}

void gzip_members_drop(gzip_members *m)
{
    shoal_span bytes;
    bool whole, found = true;
    while (found) (void)gzip_members_take(m, true, &bytes, &whole, &found);
    shoal_string_clear(&slot(m, m->n_ended)->text);
}
