/* SPDX-License-Identifier: BSD-3-Clause
 * --explain: every interaction of one system, sorted by energy. */
#ifndef SHOAL_CLI_EXPLAIN_H
#define SHOAL_CLI_EXPLAIN_H

#include "systems.h"

/* Prints a table of all interactions of a system; unit is eV per unit of the table. */
int explain_system(const shoal_engine *engine, int32_t i_system, const loaded_system *system,
                   double unit, const char *unit_name);

#endif
