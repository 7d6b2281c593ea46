/* SPDX-License-Identifier: BSD-3-Clause
 * Threads that work through short lists of pieces together, thousands of times a second. Unlike
 * those of OpenMP nobody waits for a thread that has not woken up: who calls does all pieces
 * himself if need be, and whoever waits sleeps after a moment, so that a busy machine costs
 * time, but not many times as much. */
#ifndef SHOAL_BASE_CREW_H
#define SHOAL_BASE_CREW_H

#include "base/error.h"

typedef struct crew crew;

/* Does piece k of something. */
typedef void crew_work(void *what, int32_t k);

/* n_threads counts the caller: one makes no threads. Where fewer can be made, fewer it is. NULL
 * when memory is out. */
crew *crew_create(int n_threads);
/* Also takes NULL. */
void crew_destroy(crew *c);

/* Does pieces 0 .. n - 1, in any order and by any thread, and returns when all are done. One
 * call at a time, and not from within work. NULL: the caller alone. */
void crew_run(crew *c, int32_t n, crew_work *work, void *what);

/* The same for many small pieces, which are handed out by the hundred. */
void crew_run_many(crew *c, int32_t n, crew_work *work, void *what);

#endif
