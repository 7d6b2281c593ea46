/* SPDX-License-Identifier: BSD-3-Clause
 * Tables of atom types with non-covalent parameters (AtomTypes.dat), read, looked up and written.
 *
 * A table is white-space separated text, one type per line, '#' starts a comment:
 *   name parent element epair valence n_epair npi sym Ruff RvdW EvdW [Qbase [Hb [more ...]]]
 * The first SHOAL_TYPE_COLUMNS words behind Hb may be numbers that a formula names (shoal/pair_model.h).
 * RvdW is half the distance of the minimum, so that two atoms have theirs at R_i + R_j. EvdW above
 * 0.1 eV is taken for kcal/mol and refused, unless a line "# units: eV" stands above all types; it
 * is written where it is needed. Of a pair model (shoal/pair_model.h) the table alone is read. */
#ifndef SHOAL_ATOM_TYPES_H
#define SHOAL_ATOM_TYPES_H

#include <stdbool.h>
#include <stddef.h>

#include "shoal/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SHOAL_TYPE_NAME_SIZE 16
#define SHOAL_TYPE_COLUMNS 4

typedef struct shoal_atom_types shoal_atom_types;

typedef struct shoal_atom_type {
    char name[SHOAL_TYPE_NAME_SIZE];
    char parent[SHOAL_TYPE_NAME_SIZE];
    char element[SHOAL_TYPE_NAME_SIZE];
    char epair[SHOAL_TYPE_NAME_SIZE]; /* type of its lone-pair or sigma-hole sites */
    int32_t valence, n_epair, n_pi, sym;
    double r_covalent; /* angstrom */
    double r;          /* angstrom, half the distance of the minimum */
    double e;          /* eV, depth of the well */
    double q;          /* e */
    double h;          /* hydrogen bonds: > 0 donor, < 0 acceptor, 0 neither */
} shoal_atom_type;

/* Reads a table; "-" is standard input. The error text names file, line, word and expectation.
 * The caller owns *out. */
SHOAL_API shoal_status shoal_atom_types_read(shoal_atom_types **out, const char *path);
/* The same from memory; label stands for the file name in error texts. */
SHOAL_API shoal_status shoal_atom_types_read_memory(shoal_atom_types **out, const void *data,
                                                    size_t size, const char *label);
SHOAL_API shoal_status shoal_atom_types_copy(shoal_atom_types **out, const shoal_atom_types *types);
SHOAL_API void shoal_atom_types_destroy(shoal_atom_types *types);

SHOAL_API int32_t shoal_atom_types_count(const shoal_atom_types *types);
/* Borrowed, NULL out of range. */
SHOAL_API const shoal_atom_type *shoal_atom_types_get(const shoal_atom_types *types, int32_t index);
/* Index of a name, -1 if there is none. */
SHOAL_API int32_t shoal_atom_types_find(const shoal_atom_types *types, const char *name);
/* Replaces r, e, q and h of a type. */
SHOAL_API shoal_status shoal_atom_types_set(shoal_atom_types *types, int32_t index, double r,
                                            double e, double q, double h);
/* The number in a column behind Hb, 0 being the first; NaN where the line has none. */
SHOAL_API double shoal_atom_types_column(const shoal_atom_types *types, int32_t index,
                                         int32_t column);
/* Replaces it, where the line has one. */
SHOAL_API shoal_status shoal_atom_types_set_column(shoal_atom_types *types, int32_t index,
                                                   int32_t column, double value);

#ifdef __cplusplus
}
#endif

#endif
