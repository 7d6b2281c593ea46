/* SPDX-License-Identifier: BSD-3-Clause
 * The types of prepared frames: a table to start a fit from, and its degrees of freedom. */
#ifndef SHOAL_FIT_PREPARE_H
#define SHOAL_FIT_PREPARE_H

#include "fit/fragment_types.h"

typedef struct prepared_type {
    char name[SHOAL_TYPE_NAME_SIZE]; /* as written */
    fragment_atom atom;              /* the first of that name */
    int32_t z, n_atoms;
} prepared_type;

typedef struct prepared_types {
    prepared_type *types;
    int32_t n, capacity;
} prepared_types;

/* Counts an atom; the order of the types is that of their first atoms. */
shoal_status prepared_types_count(prepared_types *list, shoal_span name, const fragment_atom *atom,
                                  int32_t z);
shoal_status prepared_types_write_table(const prepared_types *list, const char *path);
shoal_status prepared_types_write_dofs(const prepared_types *list, const char *path);

#endif
