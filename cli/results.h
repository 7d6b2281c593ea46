/* SPDX-License-Identifier: BSD-3-Clause
 * What commands say about the results of systems. */
#ifndef SHOAL_CLI_RESULTS_H
#define SHOAL_CLI_RESULTS_H

#include "json.h"
#include "systems.h"

/* "terms":{...} in the order of the contract. */
void json_terms(json *j, const shoal_result *r);

/* Appends up to 1023 characters to a row of a table. */
void table_print(shoal_string *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A number of a table; in exponential form where it would run into its neighbours. */
void table_number(shoal_string *out, double value, int width, int decimals);

/* The first keys of every result: index, name, natoms, status, file, record. */
void json_system(json *j, const row_style *style, const shoal_stream_system *s);

/* The last ones: reason and warning, and what --positions and --forces ask for. */
void json_details(json *j, const row_style *style, const shoal_stream_system *s);
void json_atoms(json *j, const row_style *style, const shoal_stream_system *s); /* these alone */
/* Energies of the molecule alone and of adsorption, where they are known. */
void json_adsorption(json *j, const shoal_stream_system *s);

/* False for a system that could not be computed; one that did not converge was left on the way. */
static inline bool has_numbers(const shoal_result *r)
{
    return shoal_system_has_numbers(r->status, r->energy);
}
/* The line of a system in the JSON of energy and relax. */
void energy_json(const row_style *style, const shoal_stream_system *s, shoal_string *out);
/* The first of these without its end, for more keys. */
void energy_json_open(json *j, const row_style *style, const shoal_stream_system *s);
void relax_json(const row_style *style, const shoal_stream_system *s, shoal_string *out);

/* The end of a row of a table: reason and warning. */
void table_end(shoal_string *out, const shoal_result *r);

void failures_add(failure_list *list, const shoal_stream_system *s);
/* Prints the list on stderr, and how many of n are not in it. */
void failures_print(const failure_list *list, int64_t n);

#endif
