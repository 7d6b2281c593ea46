/* SPDX-License-Identifier: BSD-3-Clause
 * A thread pool for loops that last microseconds and run thousands of times a second. Unlike an OpenMP
 * barrier, nothing waits for a thread that has not woken up: the caller works through all pieces itself
 * if need be, and waiting threads sleep after a short spin, so that a loaded machine slows a loop down
 * only by its share of the load. */
#ifndef SHOAL_BASE_THREAD_POOL_H
#define SHOAL_BASE_THREAD_POOL_H

#include "base/error.h"

typedef struct thread_pool thread_pool;

/* Does piece k of a loop. */
typedef void thread_pool_work(void *what, int32_t k);

/* n_threads counts the caller: one makes no threads. Where the system grants fewer, the pool is smaller.
 * NULL when memory is out. */
thread_pool *thread_pool_create(int n_threads);
/* Also takes NULL. */
void thread_pool_destroy(thread_pool *c);

/* Does pieces 0 .. n - 1, in any order and on any thread, and returns when all are done. One call at a
 * time, and not from within work. NULL: the caller alone. */
void thread_pool_run(thread_pool *c, int32_t n, thread_pool_work *work, void *what);

/* The same for many small pieces, handed out in chunks of 128. */
void thread_pool_for(thread_pool *c, int32_t n, thread_pool_work *work, void *what);

#endif
