/* SPDX-License-Identifier: BSD-3-Clause
 * The book of a fit in a checkpoint: the state of a run is the list of its descents. */
#ifndef SHOAL_FIT_BOOK_FILE_H
#define SHOAL_FIT_BOOK_FILE_H

#include "fit/book.h"
#include "stream/checkpoint.h"

struct fit_book {
    shoal_fit *fit;
    char *path;
    bool ours;            /* of several ranks the first writes; all read */
    double seconds, last; /* between checkpoints, and when the last was written */
    int32_t call;         /* that is under way; -1: none has begun */
    uint64_t *calls;      /* [n_calls] hashes of their options */
    int32_t n_calls, call_capacity;
    fit_mark **marks; /* [n_marks]; their addresses stay */
    int32_t n_marks, mark_capacity;
    double *rows; /* of the trajectory of the process before, until its descent goes on */
    int32_t n_row_numbers;
};

/* One more descent; NULL without memory. */
fit_mark *fit_book_add(fit_book *book, int32_t call, int32_t index, int32_t part);
/* The trajectory as it was where the descent goes on. */
void fit_book_restore_rows(fit_book *book, const fit_mark *m, fit_trajectory *t);

shoal_status fit_book_write(fit_book *book);
/* *found is false where there is no checkpoint. Fails, with the reason, where it is that of another fit. */
shoal_status fit_book_read(fit_book *book, bool *found);

uint64_t fit_book_call_hash(const shoal_fit *fit, const char *kind,
                            const shoal_fit_run_options *run, int64_t number);

#endif
