/* SPDX-License-Identifier: BSD-3-Clause
 * The files that 'shoal fit' will write, tried before it starts. */
#ifndef SHOAL_CLI_FIT_OUTPUTS_H
#define SHOAL_CLI_FIT_OUTPUTS_H

#include "fit_options.h"

/* Whether every output can be written, is no input and is named once. Returns an exit code; mistakes are
 * printed. What is there already stays as it is. */
int check_outputs(const fit_options *o);

#endif
