/* SPDX-License-Identifier: BSD-3-Clause
 * One device for many threads: what they ask for at about the same time becomes one launch. */
#ifndef SHOAL_FIT_FIT_SHARE_H
#define SHOAL_FIT_FIT_SHARE_H

#include "fit/fit.h"

/* Energies, and rows unless rows is NULL, of n sets of parameters at once. */
typedef shoal_status fit_share_work(fit_evaluator *device, int32_t n, const double *const *p,
                                    double *const *energy, double *const *rows);

typedef struct fit_share fit_share;

shoal_status fit_share_create(fit_share **out, fit_evaluator *device, fit_share_work *work);
/* No clone may live any more. */
void fit_share_destroy(fit_share *share);
/* An evaluator for one thread. A set of parameters gives the same bits in any company, so results
 * do not depend on who asks when. */
shoal_status fit_share_clone(fit_share *share, fit_evaluator **out);

#endif
