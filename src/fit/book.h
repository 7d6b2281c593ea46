/* SPDX-License-Identifier: BSD-3-Clause
 * The book of a fit: where every descent is, so that another process can go on there with the same bits.
 *
 * Calls of a fit (run, cross-validation, bootstrap) are counted; a descent is known by the call, its index in it (start, fold,
 * replicate) and its part. What is done is recalled; what was on its way goes on at the step that was noted last. */
#ifndef SHOAL_FIT_BOOK_H
#define SHOAL_FIT_BOOK_H

#include "fit/objective.h"

enum { MARK_NONE = 0, MARK_LEVENBERG, MARK_LBFGS, MARK_FIRE };

/* One descent. */
struct fit_mark {
    fit_book *book;
    int32_t call, index, part;
    bool done,
        resumes; /* resumes: it was on its way in an earlier process, and has not begun here */
    int32_t stage, method; /* of fit_minimise; minimiser that is at work */
    int32_t steps, handed_over, evaluations;
    bool converged, stalled;
    double j, pool;
    double *numbers; /* [n_numbers] the scaled variables, then what the minimiser keeps */
    int32_t n_numbers, capacity;
    int32_t n_rows; /* of the trajectory, of the descent that has one */
};

/* A call begins: options of it, and the values that it starts from, must be those of the process before. Without a book nothing
 * happens. */
shoal_status fit_book_call(shoal_fit *fit, const char *kind, const shoal_fit_run_options *run,
                           int64_t number);
/* fit_minimise, or fit_descend with staged = false, recalled or gone on with where the book has it. */
shoal_status fit_book_descend(fit_objective *o, shoal_fit_method method, bool staged, int32_t index,
                              int32_t part, double *u, fit_descent *d);

/* For minimisers, at the head of a step: notes where they are. own[n_own] is what they need besides u[n]. */
shoal_status mark_keep(fit_objective *o, const fit_descent *d, int32_t method, const double *u,
                       const double *own, int32_t n_own);
/* Where this minimiser was at work: sets u, own, the steps and the evaluations. */
bool mark_resume(fit_objective *o, fit_descent *d, int32_t method, double *u, double *own,
                 int32_t n_own);
/* The stage to go on with; 0 for one that begins. */
int32_t mark_stage(const fit_descent *d);
void mark_set_stage(fit_descent *d, int32_t stage);

/* Appends a row to a trajectory while others may write the book. */
shoal_status book_note_row(fit_trajectory *t, int32_t width, double **row);

void fit_book_destroy(fit_book *book);

#endif
