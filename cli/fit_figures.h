/* SPDX-License-Identifier: BSD-3-Clause
 * Figures of 'shoal fit' and 'shoal fit scan', where --plot wants them. */
#ifndef SHOAL_CLI_FIT_FIGURES_H
#define SHOAL_CLI_FIT_FIGURES_H

#include "fit_options.h"

/* cv may be NULL. */
shoal_status fit_figures(const fit_options *o, const fit_job *job, const shoal_cv_result *cv);
shoal_status fit_scan_figure(const fit_options *o, shoal_fit *fit, const shoal_fit_scan *scan);

#endif
