/* SPDX-License-Identifier: BSD-3-Clause
 * An evaluator that shares samples out among devices and ranks. */
#ifndef SHOAL_FIT_SPLIT_H
#define SHOAL_FIT_SPLIT_H

#include "fit/fit.h"
#include "shoal/stream.h"

/* Makes one of the evaluators of a fit for a problem, which lives as long. */
typedef shoal_status split_make(fit_evaluator **out, const fit_problem *problem, const char *name,
                                bool single);

/* names: of evaluators with commas between them, one for each device; peers may be NULL. Each part of the samples is evaluated
 * by one of them, and sums go over all samples in their order on the host, so that neither the number of devices nor that of
 * ranks changes a bit. All ranks make the same calls in the same order, on one thread. */
shoal_status fit_split_create(fit_evaluator **out, const fit_problem *problem, const char *names,
                              bool single, const shoal_peers *peers, split_make *make);

/* What rank 0 says, on all ranks. *flag of the others is set. */
shoal_status fit_split_agree(fit_evaluator *ev, bool *flag);

#endif
