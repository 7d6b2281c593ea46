/* SPDX-License-Identifier: BSD-3-Clause
 * Options that choose a force field, of all commands that type molecules. */
#ifndef SHOAL_CLI_FORCEFIELD_OPTIONS_H
#define SHOAL_CLI_FORCEFIELD_OPTIONS_H

#include "systems.h"

extern const cli_option forcefield_options[]; /* --forcefield, --electron-pairs */
extern const cli_option params_options[]; /* --params, --bond-scale, ..: of energies, not types */
cli_take take_forcefield_option;          /* the target is a systems_options, of both */

/* Takes --dialect; false after saying what is wrong with it. */
bool take_dialect(systems_options *o, const char *value);

/* False after saying which options do not go together. */
bool forcefield_agrees(const systems_options *o);

/* The one that was chosen, as --forcefield names it. */
const char *forcefield_name(const systems_options *o);

#endif
