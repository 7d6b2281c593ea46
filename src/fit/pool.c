/* SPDX-License-Identifier: BSD-3-Clause
 * The strength of the pool, chosen by cross-validation. */
#include <math.h>

#include "fit/objective.h"

shoal_status shoal_fit_choose_pool(shoal_fit *fit, const shoal_cv_options *options, double *pool,
                                   double *error)
{
    static const double strengths[] = {1.0, 0.3, 3.0, 0.1, 10.0, -1.0}; /* -1: none */
    const shoal_cv_options usual = {.n_folds = 5};
    shoal_clear_error();
    SHOAL_NEED(fit && pool && error);
    double best = 0.0, least = INFINITY;
    const double before = fit->options.pool;
    for (size_t k = 0; k < sizeof strengths / sizeof strengths[0]; ++k) {
        shoal_cv_result cv;
        fit->options.pool = strengths[k];
        const shoal_status status = shoal_fit_cross_validate(fit, options ? options : &usual, &cv);
        if (status != SHOAL_OK) {
            fit->options.pool = before;
            return status;
        }
        if (!(cv.rmse < least)) continue;
        least = cv.rmse;
        best = strengths[k];
    }
    fit->options.pool = best;
    *pool = best > 0.0 ? best : 0.0;
    *error = least;
    return SHOAL_OK;
}
