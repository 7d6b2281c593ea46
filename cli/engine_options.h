/* SPDX-License-Identifier: BSD-3-Clause
 * Options of all commands that compute: device, precision, terms, mixing, units of the tables. */
#ifndef SHOAL_CLI_ENGINE_OPTIONS_H
#define SHOAL_CLI_ENGINE_OPTIONS_H

#include "options.h"
#include "shoal/shoal.h"

typedef struct engine_settings {
    shoal_engine_options engine;
    char device[24]; /* what --device auto found */
    bool kcal;       /* tables in kcal/mol */
} engine_settings;

extern const cli_option engine_option_table[]; /* --device, --precision, --terms, ... */
extern const cli_option table_options[];       /* --kcal, of commands that print energies */
cli_take take_engine_option;                   /* the target is an engine_settings, of both */

/* False after saying which of them a force field or the device leaves no room for. */
bool settings_agree(const engine_settings *s, shoal_forcefield forcefield);
/* Whether something was asked of periodic systems alone. */
bool settings_repeat(const engine_settings *s);

/* eV per unit of the tables, and its name. */
double settings_unit(const engine_settings *s);
const char *settings_unit_name(const engine_settings *s);

#endif
