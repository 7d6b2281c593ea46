/* SPDX-License-Identifier: BSD-3-Clause
 * Options of relaxations. */
#ifndef SHOAL_CLI_RELAX_OPTIONS_H
#define SHOAL_CLI_RELAX_OPTIONS_H

#include "options.h"
#include "shoal/shoal.h"

extern const cli_option
    relax_option_table[]; /* --fmax, --max-steps, --method, --max-move of a shoal_relax_options */
extern const cli_word relax_methods[]; /* lbfgs, fire, by shoal_method */

#endif
