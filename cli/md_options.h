/* SPDX-License-Identifier: BSD-3-Clause
 * Options of dynamics. */
#ifndef SHOAL_CLI_MD_OPTIONS_H
#define SHOAL_CLI_MD_OPTIONS_H

#include "options.h"
#include "shoal/shoal.h"

enum { MD_TEMPERATURES = 256 };

/* All zero is the default. */
typedef struct md_settings {
    shoal_md_options md;
    double kelvin[MD_TEMPERATURES], kelvin_of_copies[MD_TEMPERATURES];
    int n_copies;
    shoal_variants variants; /* the copies */
} md_settings;

extern const cli_option md_option_table[];
cli_take take_md_option; /* the target is a md_settings */

/* Settles what options mean together. Returns an exit code; mistakes are printed. */
int md_settings_settle(md_settings *s);

#endif
