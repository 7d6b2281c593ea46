/* SPDX-License-Identifier: BSD-3-Clause
 * The book of a fit. */
#include "fit/book.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "fit/book_file.h"

#define USUAL_SECONDS 60.0

/* Descents of several threads write into one book. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void fit_book_destroy(fit_book *book)
{
    if (!book) return;
    for (int32_t i = 0; i < book->n_marks; ++i) {
        free(book->marks[i]->numbers);
        free(book->marks[i]);
    }
    free((void *)book->marks);
    free(book->calls);
    free(book->rows);
    free(book->path);
    free(book);
}

shoal_status shoal_fit_keep(shoal_fit *fit, const shoal_fit_restart *restart, bool *resumed)
{
    bool found = false;
    shoal_clear_error();
    SHOAL_NEED(fit && restart && restart->checkpoint);
    if (!(restart->seconds >= 0.0))
        return shoal_fail(SHOAL_E_ARGUMENT, "%g s between checkpoints: expected no less than 0",
                          restart->seconds);
    fit_book *book = shoal_alloc(1, sizeof *book);
    if (!book) return SHOAL_E_MEMORY;
    book->fit = fit;
    book->path = strdup(restart->checkpoint);
    book->seconds = restart->seconds > 0.0 ? restart->seconds : USUAL_SECONDS;
    book->last = now();
    book->call = -1;
    book->ours = !fit->options.peers || fit->options.peers->rank == 0;
    shoal_status status = book->path ? checkpoint_check_name(book->path) : SHOAL_E_MEMORY;
    if (status == SHOAL_OK && restart->resume) status = fit_book_read(book, &found);
    if (status != SHOAL_OK) {
        fit_book_destroy(book);
        return status;
    }
    fit_book_destroy(fit->book);
    fit->book = book;
    if (resumed) *resumed = found;
    return SHOAL_OK;
}

shoal_status shoal_fit_keep_end(shoal_fit *fit, bool complete)
{
    shoal_clear_error();
    SHOAL_NEED(fit);
    shoal_status status = SHOAL_OK;
    if (fit->book && complete && fit->book->ours)
        checkpoint_remove(fit->book->path);
    else if (fit->book && !complete)
        status = fit_book_write(fit->book);
    fit_book_destroy(fit->book);
    fit->book = NULL;
    return status;
}

shoal_status fit_book_call(shoal_fit *fit, const char *kind, const shoal_fit_run_options *run,
                           int64_t number)
{
    fit_book *book = fit->book;
    if (!book) return SHOAL_OK;
    const uint64_t hash = fit_book_call_hash(fit, kind, run, number);
    const int32_t call = ++book->call;
    if (call < book->n_calls && book->calls[call] != hash)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "%s is of another fit: method, steps, starts, seed, folds or the values "
                          "that it starts from are not the same",
                          book->path);
    if (call < book->n_calls) return SHOAL_OK;
    SHOAL_TRY(SHOAL_RESERVE(&book->calls, &book->call_capacity, call + 1));
    book->calls[call] = hash;
    book->n_calls = call + 1;
    return SHOAL_OK;
}

/* The descent of that name, made where there is none. The caller has the lock. */
static fit_mark *find_mark(fit_book *book, int32_t index, int32_t part)
{
    for (int32_t i = 0; i < book->n_marks; ++i) {
        fit_mark *m = book->marks[i];
        if (m->call == book->call && m->index == index && m->part == part) return m;
    }
    return fit_book_add(book, book->call, index, part);
}

static shoal_status put_numbers(fit_mark *m, const double *u, int32_t n, const double *own,
                                int32_t n_own)
{
    SHOAL_TRY(SHOAL_RESERVE(&m->numbers, &m->capacity, n + n_own));
    m->n_numbers = n + n_own;
    memcpy(m->numbers, u, (size_t)n * sizeof *u);
    if (n_own > 0) memcpy(m->numbers + n, own, (size_t)n_own * sizeof *own);
    return SHOAL_OK;
}

static void put_state(fit_mark *m, const fit_objective *o, const fit_descent *d)
{
    m->stage = d->stage;
    m->steps = d->steps;
    m->handed_over = d->handed_over;
    m->converged = d->converged;
    m->stalled = d->stalled;
    m->j = d->j;
    m->pool = o->pool;
    m->evaluations = o->evaluations;
    m->n_rows = d->trajectory ? d->trajectory->n : 0;
}

/* A descent that was done before. */
static shoal_status recall(const fit_mark *m, fit_objective *o, double *u, fit_descent *d)
{
    if (m->n_numbers != o->n)
        return shoal_fail(SHOAL_E_FORMAT, "%s: the checkpoint cannot be used", m->book->path);
    memcpy(u, m->numbers, (size_t)o->n * sizeof *u);
    d->steps = m->steps;
    d->handed_over = m->handed_over;
    d->converged = m->converged;
    d->stalled = m->stalled;
    d->j = m->j;
    o->pool = m->pool;
    o->evaluations = m->evaluations;
    return SHOAL_OK;
}

shoal_status fit_book_descend(fit_objective *o, shoal_fit_method method, bool staged, int32_t index,
                              int32_t part, double *u, fit_descent *d)
{
    fit_book *book = o->fit->book;
    if (book) {
        (void)pthread_mutex_lock(&lock);
        d->mark = find_mark(book, index, part);
        if (d->mark && d->trajectory) fit_book_restore_rows(book, d->mark, d->trajectory);
        (void)pthread_mutex_unlock(&lock);
        if (!d->mark) return SHOAL_E_MEMORY;
        if (d->mark->done) return recall(d->mark, o, u, d);
    }
    SHOAL_TRY(staged ? fit_minimise(o, method, u, d) : fit_descend(o, method, u, d));
    if (!book || d->stopped) return SHOAL_OK;
    (void)pthread_mutex_lock(&lock);
    const shoal_status status = put_numbers(d->mark, u, o->n, NULL, 0);
    put_state(d->mark, o, d);
    d->mark->done = status == SHOAL_OK;
    (void)pthread_mutex_unlock(&lock);
    return status;
}

shoal_status mark_keep(fit_objective *o, const fit_descent *d, int32_t method, const double *u,
                       const double *own, int32_t n_own)
{
    fit_mark *m = d->mark;
    if (!m) return SHOAL_OK;
    (void)pthread_mutex_lock(&lock);
    const shoal_status status = put_numbers(m, u, o->n, own, n_own);
    put_state(m, o, d);
    m->method = method;
    const double time = now();
    if (status == SHOAL_OK && time - m->book->last >= m->book->seconds) {
        m->book->last = time;
        /* Where it cannot be written the one before still holds; the last one, of shoal_fit_keep_end, says why. */
        (void)fit_book_write(m->book);
    }
    (void)pthread_mutex_unlock(&lock);
    return status;
}

bool mark_resume(fit_objective *o, fit_descent *d, int32_t method, double *u, double *own,
                 int32_t n_own)
{
    fit_mark *m = d->mark;
    if (!m || !m->resumes || m->method != method || m->n_numbers != o->n + n_own) return false;
    m->resumes = false;
    memcpy(u, m->numbers, (size_t)o->n * sizeof *u);
    memcpy(own, m->numbers + o->n, (size_t)n_own * sizeof *own);
    d->steps = m->steps;
    d->handed_over = m->handed_over;
    d->stalled = m->stalled;
    o->evaluations = m->evaluations;
    return true;
}

int32_t mark_stage(const fit_descent *d)
{
    return d->mark && d->mark->resumes ? d->mark->stage : 0;
}

void mark_set_stage(fit_descent *d, int32_t stage)
{
    d->stage = stage; /* the book gets it with the numbers of that stage */
}

shoal_status book_note_row(fit_trajectory *t, int32_t width, double **row)
{
    (void)pthread_mutex_lock(&lock);
    const shoal_status status = SHOAL_RESERVE(&t->rows, &t->capacity, (t->n + 1) * width);
    if (status == SHOAL_OK) *row = &t->rows[t->n++ * width];
    (void)pthread_mutex_unlock(&lock);
    return status;
}
