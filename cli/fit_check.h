/* SPDX-License-Identifier: BSD-3-Clause
 * The checks of 'shoal fit': what was read, and whether every slope is right. */
#ifndef SHOAL_CLI_FIT_CHECK_H
#define SHOAL_CLI_FIT_CHECK_H

#include "fit_options.h"

/* Sets, types and DOFs as they were read, as tables or one JSON object; fit may be NULL. Returns an
 * exit code. */
int check_data(const fit_job *job, bool as_json);

/* Every DOF that the options choose: analytic slope, numeric slope, verdict. Exit code 1 if one fails. */
int check_derivatives(const fit_job *job, const fit_options *o);

#endif
