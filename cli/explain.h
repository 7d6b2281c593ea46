/* SPDX-License-Identifier: BSD-3-Clause
 * --explain: every interaction of one system, sorted by energy. */
#ifndef SHOAL_CLI_EXPLAIN_H
#define SHOAL_CLI_EXPLAIN_H

#include "json.h"
#include "systems.h"

/* Appends a table of all interactions of a system; unit is eV per unit of the table. */
shoal_status explain_system(const shoal_stream_system *system, double unit, const char *unit_name,
                            shoal_string *out);

/* The same as "interactions" of an open JSON object, in eV. */
shoal_status explain_json(const shoal_stream_system *system, json *j);

#endif
