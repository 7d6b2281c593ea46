/* SPDX-License-Identifier: BSD-3-Clause
 * What commands say about the results of systems. */
#ifndef SHOAL_CLI_RESULTS_H
#define SHOAL_CLI_RESULTS_H

#include "json.h"
#include "systems.h"

/* Appends up to 1023 characters to a row of a table. */
void table_print(shoal_string *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Columns of the terminal that standard output is, 80 where it does not tell; INT_MAX where it is none: what is read by
 * programs, or goes to a file, is as wide as it is. */
int table_width(void);
/* Those of names, 24 where the terminal has room for them beside so many others. */
int table_name_width(int others);
/* A number of a table; in exponential form where it would run into its neighbours. */
void table_number(shoal_string *out, double value, int width, int decimals);

/* False for a system that could not be computed; one that did not converge was left on the way. */
static inline bool has_numbers(const shoal_result *r)
{
    return shoal_system_has_numbers(r->status, r->energy);
}

/* The beginning of a row of a table, name, atoms and status, and its end: reason and warning. */
void table_begin(shoal_string *out, const shoal_stream_system *s, int width);
void table_end(shoal_string *out, const shoal_result *r);

void failures_add(failure_list *list, const shoal_stream_system *s);
void warnings_add(warning_list *list, const shoal_stream_system *s);
/* One line on stderr for every kind: how many systems, and the first of them. */
void warnings_print(const warning_list *list);
/* Prints the list on stderr, and how many of n are not in it. */
void failures_print(const failure_list *list, int64_t n);

#endif
