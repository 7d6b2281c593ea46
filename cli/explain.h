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

/* One interaction as keys of an open object: term, kind, index, atoms, types, shifts (where one is not zero),
 * parameters by name, value, unit, energy. */
void explain_json_row(json *j, const shoal_term_row *row, const shoal_topology_view *v);
/* Its atoms, "0:C_3 1:H_(0,0,1)", and its parameters, as text. */
void explain_atoms(const shoal_term_row *row, const shoal_topology_view *v, shoal_string *out);
void explain_parameters(const shoal_term_row *row, const shoal_topology_view *v, shoal_string *out);
/* Unit of its value, "A" or "degrees". */
const char *explain_unit(const shoal_term_row *row);

#endif
