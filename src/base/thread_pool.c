/* SPDX-License-Identifier: BSD-3-Clause
 * A thread pool for short loops.
 *
 * A ticket holds the number of the present loop and of its next piece; taking a piece is one compare and
 * exchange. A loop is closed before the next one is opened, so that a late thread, whose ticket is out of
 * date, cannot take a piece of a loop it has not seen. */
#include "base/thread_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"

#define SPINS 2000 /* looks before going to sleep, some 50 microseconds */
#define CLOSED 0xffffffffu

struct thread_pool {
    _Atomic uint64_t ticket; /* number of the list << 32 | next piece, or CLOSED */
    _Atomic int32_t n;       /* pieces of the list */
    _Atomic int32_t n_done;
    _Atomic(thread_pool_work *) work;
    _Atomic(void *) what;
    _Atomic bool over;
    pthread_mutex_t lock;
    pthread_cond_t fresh; /* a list was opened, or all is over */
    pthread_cond_t done;  /* a list was done */
    int32_t n_asleep;     /* threads that wait for fresh; with the lock */
    bool caller_asleep;   /* with the lock */
    int n_helpers;
    pthread_t helpers[];
};

static void relax_processor(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Takes pieces of a list until there are none. */
static void work_off(thread_pool *c, uint32_t list)
{
    for (;;) {
        uint64_t ticket = atomic_load(&c->ticket);
        const uint32_t k = (uint32_t)ticket;
        if (ticket >> 32 != list || k == CLOSED) return;
        const int32_t n = atomic_load(&c->n);
        thread_pool_work *work = atomic_load(&c->work);
        void *what = atomic_load(&c->what);
        if (k >= (uint32_t)n) return;
        if (!atomic_compare_exchange_weak(&c->ticket, &ticket, ticket + 1)) continue;
        work(what, (int32_t)k);
        if (atomic_fetch_add(&c->n_done, 1) + 1 < n) continue;
        (void)pthread_mutex_lock(&c->lock);
        if (c->caller_asleep) (void)pthread_cond_signal(&c->done);
        (void)pthread_mutex_unlock(&c->lock);
        return;
    }
}

/* Whether there is another list than the one seen last. */
static bool is_fresh(thread_pool *c, uint32_t seen)
{
    const uint64_t ticket = atomic_load(&c->ticket);
    return (ticket >> 32 != seen && (uint32_t)ticket != CLOSED) || atomic_load(&c->over);
}

static void *help(void *p)
{
    thread_pool *c = p;
    uint32_t seen = 0;
    while (!atomic_load(&c->over)) {
        for (int k = 0; k < SPINS && !is_fresh(c, seen); ++k) relax_processor();
        if (!is_fresh(c, seen)) {
            (void)pthread_mutex_lock(&c->lock);
            ++c->n_asleep;
            while (!is_fresh(c, seen)) (void)pthread_cond_wait(&c->fresh, &c->lock);
            --c->n_asleep;
            (void)pthread_mutex_unlock(&c->lock);
        }
        seen = (uint32_t)(atomic_load(&c->ticket) >> 32);
        work_off(c, seen);
    }
    return NULL;
}

thread_pool *thread_pool_create(int n_threads)
{
    const int most = n_threads > 1 ? n_threads - 1 : 0;
    thread_pool *c = shoal_alloc(1, sizeof *c + (size_t)most * sizeof c->helpers[0]);
    if (!c) return NULL;
    atomic_store(&c->ticket, (uint64_t)CLOSED);
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)pthread_cond_init(&c->fresh, NULL);
    (void)pthread_cond_init(&c->done, NULL);
    while (c->n_helpers < most && pthread_create(&c->helpers[c->n_helpers], NULL, help, c) == 0)
        ++c->n_helpers;
    return c;
}

static void wake(thread_pool *c)
{
    (void)pthread_mutex_lock(&c->lock);
    if (c->n_asleep > 0) (void)pthread_cond_broadcast(&c->fresh);
    (void)pthread_mutex_unlock(&c->lock);
}

void thread_pool_destroy(thread_pool *c)
{
    if (!c) return;
    atomic_store(&c->over, true);
    wake(c);
    for (int k = 0; k < c->n_helpers; ++k) (void)pthread_join(c->helpers[k], NULL);
    (void)pthread_cond_destroy(&c->done);
    (void)pthread_cond_destroy(&c->fresh);
    (void)pthread_mutex_destroy(&c->lock);
    free(c);
}

void thread_pool_run(thread_pool *c, int32_t n, thread_pool_work *work, void *what)
{
    if (!c || c->n_helpers == 0 || n < 2) {
        for (int32_t k = 0; k < n; ++k) work(what, k);
        return;
    }
    const uint32_t list = (uint32_t)(atomic_load(&c->ticket) >> 32) + 1;
    atomic_store(&c->n, n);
    atomic_store(&c->n_done, 0);
    atomic_store(&c->work, work);
    atomic_store(&c->what, what);
    atomic_store(&c->ticket, (uint64_t)list << 32);
    wake(c);
    work_off(c, list);
    for (int k = 0; k < SPINS && atomic_load(&c->n_done) < n; ++k) relax_processor();
    if (atomic_load(&c->n_done) < n) {
        (void)pthread_mutex_lock(&c->lock);
        c->caller_asleep = true;
        while (atomic_load(&c->n_done) < n) (void)pthread_cond_wait(&c->done, &c->lock);
        c->caller_asleep = false;
        (void)pthread_mutex_unlock(&c->lock);
    }
    atomic_store(&c->ticket, (uint64_t)list << 32 | CLOSED);
}

#define CHUNK 128

typedef struct chunked_loop {
    int32_t n;
    thread_pool_work *work;
    void *what;
} chunked_loop;

static void work_chunk(void *what, int32_t k)
{
    const chunked_loop *h = what;
    const int32_t last = h->n - CHUNK * k < CHUNK ? h->n : CHUNK * (k + 1);
    for (int32_t i = CHUNK * k; i < last; ++i) h->work(h->what, i);
}

void thread_pool_for(thread_pool *c, int32_t n, thread_pool_work *work, void *what)
{
    chunked_loop h = {n, work, what};
    thread_pool_run(c, n / CHUNK + (n % CHUNK != 0), work_chunk, &h);
}
