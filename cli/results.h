/* SPDX-License-Identifier: BSD-3-Clause
 * Batches made of the systems that were read, and what commands say about their results. */
#ifndef SHOAL_CLI_RESULTS_H
#define SHOAL_CLI_RESULTS_H

#include "constraints.h"
#include "json.h"
#include "systems.h"

/* One batch of all systems of a chunk; held may be NULL. A system that lacks an atom which is held
 * becomes untyped there, with the reason. Returns an exit code; mistakes are
 * printed. The caller owns *out. */
int chunk_batch(const systems_chunk *chunk, const constraints *held, shoal_batch **out);

/* "terms":{...} in the order of the contract. */
void json_terms(json *j, const double *terms, int32_t n_terms);

/* A number of a table; in exponential form where it would run into its neighbours. */
void table_number(double value, int width, int decimals);

/* The first keys of every result: index, name, natoms, status. */
void json_system(json *j, const shoal_molecule *mol, int64_t index, shoal_system_status status);

/* Failed systems: the first ones by name, then a count. */
#define FAILURES_SHOWN 20
typedef struct failure_list {
    int64_t n;
    char lines[FAILURES_SHOWN][160];
} failure_list;

void failures_add(failure_list *list, const shoal_molecule *mol, int64_t index,
                  const shoal_result *r);
/* Prints the list on stderr. */
void failures_print(const failure_list *list);

#endif
