/* SPDX-License-Identifier: BSD-3-Clause
 * Threads that share pieces: every piece once, list after list, with threads that sleep and come late. */
#include "base/thread_pool.h"
#include "check.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#define MOST 64

typedef struct tally {
    _Atomic int32_t times[MOST];
    _Atomic int64_t sum;
} tally;

static void count(void *what, int32_t k)
{
    tally *t = what;
    atomic_fetch_add(&t->times[k], 1);
    atomic_fetch_add(&t->sum, k);
}

static void count_one(void *what, int32_t k)
{
    atomic_fetch_add((_Atomic int32_t *)what + k, 1);
}

static void nap(long microseconds)
{
    const struct timespec time = {0, 1000 * microseconds};
    (void)nanosleep(&time, NULL);
}

static void slow_count(void *what, int32_t k)
{
    if (k % 3 == 0) nap(200);
    count(what, k);
}

static void check_lists(thread_pool *c, int n_lists, thread_pool_work *work, long pause)
{
    bool once = true;
    for (int list = 0; list < n_lists; ++list) {
        tally t = {0};
        const int32_t n = list * 7 % (MOST + 1);
        thread_pool_run(c, n, work, &t);
        for (int32_t k = 0; k < MOST; ++k) once &= t.times[k] == (k < n);
        once &= t.sum == (int64_t)n * (n - 1) / 2;
        if (pause) nap(pause);
    }
    CHECK(once);
}

/* Many small pieces, around the numbers where the last hundred begins. */
static void check_many(thread_pool *c)
{
    static const int32_t sizes[] = {0, 1, 127, 128, 129, 1000, 1024, 5000};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        static _Atomic int32_t times[5000];
        for (int32_t i = 0; i < 5000; ++i) times[i] = 0;
        thread_pool_for(c, sizes[k], count_one, times);
        bool once = true;
        for (int32_t i = 0; i < 5000; ++i) once &= times[i] == (i < sizes[k]);
        CHECK(once);
    }
}

int main(void)
{
    for (int n = 1; n <= 8; n += n < 3 ? 1 : 5) {
        thread_pool *c = thread_pool_create(n);
        CHECK(c != NULL);
        check_lists(c, 20000, count, 0);
        check_lists(c, 40, slow_count, 0);
        check_lists(c, 40, count, 1000); /* all helpers asleep */
        check_many(c);
        thread_pool_destroy(c);
    }
    check_many(NULL);
    check_lists(NULL, 20, count, 0);
    for (int k = 0; k < 200; ++k) thread_pool_destroy(thread_pool_create(4)); /* never used */
    thread_pool_destroy(NULL);
    return check_done();
}
