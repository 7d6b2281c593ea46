/* SPDX-License-Identifier: BSD-3-Clause
 * One device for many threads: the last thread that has to wait, or the first that has waited long
 * enough, works for all. */
#include "fit/fit_share.h"

#ifdef SHOAL_HAVE_OPENCL
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"

enum { MOST_TOGETHER = 64 };
/* So long a thread waits for company, ns: about as long as a launch takes. */
static const long patience = 300000;

typedef struct request {
    const double *p;
    double *energy, *rows;
    bool taken, done;
    shoal_status status;
    char reason[512]; /* errors belong to threads: the text has to travel */
} request;

struct fit_share {
    fit_evaluator *device;
    fit_share_work *work;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool busy; /* somebody works for others */
    int32_t n_clones;
    request *pending[MOST_TOGETHER];
    int32_t n_pending;
};

typedef struct shared_evaluator {
    fit_evaluator base;
    fit_share *share;
} shared_evaluator;

shoal_status fit_share_create(fit_share **out, fit_evaluator *device, fit_share_work *work)
{
    fit_share *share = shoal_alloc(1, sizeof *share);
    *out = share;
    if (!share) return SHOAL_E_MEMORY;
    share->device = device;
    share->work = work;
    (void)pthread_mutex_init(&share->mutex, NULL);
    (void)pthread_cond_init(&share->changed, NULL);
    return SHOAL_OK;
}

void fit_share_destroy(fit_share *share)
{
    if (!share) return;
    (void)pthread_cond_destroy(&share->changed);
    (void)pthread_mutex_destroy(&share->mutex);
    free(share);
}

/* Does all that is pending, without the lock meanwhile. */
static void work_for_all(fit_share *share)
{
    request *batch[MOST_TOGETHER];
    const double *p[MOST_TOGETHER];
    double *energy[MOST_TOGETHER], *rows[MOST_TOGETHER];
    const int32_t n = share->n_pending;
    for (int32_t k = 0; k < n; ++k) {
        batch[k] = share->pending[k];
        batch[k]->taken = true;
        p[k] = batch[k]->p;
        energy[k] = batch[k]->energy;
        rows[k] = batch[k]->rows;
    }
    share->n_pending = 0;
    share->busy = true;
    (void)pthread_mutex_unlock(&share->mutex);
    const shoal_status status = share->work(share->device, n, p, energy, rows);
    (void)pthread_mutex_lock(&share->mutex);
    share->busy = false;
    for (int32_t k = 0; k < n; ++k) {
        batch[k]->status = status;
        if (status != SHOAL_OK)
            (void)strncpy(batch[k]->reason, shoal_error_text(), sizeof batch[k]->reason - 1);
        batch[k]->done = true;
    }
    (void)pthread_cond_broadcast(&share->changed);
}

/* Waits for a change; true if patience is at its end. */
static bool wait_for_change(fit_share *share)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += patience;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        ++until.tv_sec;
    }
    return pthread_cond_timedwait(&share->changed, &share->mutex, &until) != 0;
}

static shoal_status ask(fit_share *share, const double *p, double *energy, double *rows)
{
    request mine = {.p = p, .energy = energy, .rows = rows};
    (void)pthread_mutex_lock(&share->mutex);
    while (share->n_pending == MOST_TOGETHER) (void)wait_for_change(share);
    share->pending[share->n_pending++] = &mine;
    bool late = false;
    while (!mine.done) {
        const bool complete =
            share->n_pending >= share->n_clones || share->n_pending == MOST_TOGETHER;
        if (!share->busy && !mine.taken && (complete || late))
            work_for_all(share);
        else
            late = wait_for_change(share);
    }
    (void)pthread_mutex_unlock(&share->mutex);
    if (mine.status == SHOAL_OK) return SHOAL_OK;
    return shoal_fail(mine.status, "%s", mine.reason);
}

static shoal_status energies(fit_evaluator *ev, const double *p, double *energy)
{
    return ask(((shared_evaluator *)ev)->share, p, energy, NULL);
}

static shoal_status rows(fit_evaluator *ev, const double *p, double *energy, double *out)
{
    return ask(((shared_evaluator *)ev)->share, p, energy, out);
}

static void destroy(fit_evaluator *ev)
{
    fit_share *share = ((shared_evaluator *)ev)->share;
    (void)pthread_mutex_lock(&share->mutex);
    --share->n_clones;
    (void)pthread_cond_broadcast(&share->changed); /* who waits may now be all */
    (void)pthread_mutex_unlock(&share->mutex);
    free(ev);
}

shoal_status fit_share_clone(fit_share *share, fit_evaluator **out)
{
    shared_evaluator *ev = shoal_alloc(1, sizeof *ev);
    *out = NULL;
    if (!ev) return SHOAL_E_MEMORY;
    ev->share = share;
    ev->base = (fit_evaluator){.name = share->device->name,
                               .problem = share->device->problem,
                               .energies = energies,
                               .rows = rows,
                               .destroy = destroy};
    (void)pthread_mutex_lock(&share->mutex);
    ++share->n_clones;
    (void)pthread_mutex_unlock(&share->mutex);
    *out = &ev->base;
    return SHOAL_OK;
}

#endif
