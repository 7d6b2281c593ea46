/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of a table of atom types. */
#ifndef SHOAL_IO_ATOM_TYPES_H
#define SHOAL_IO_ATOM_TYPES_H

#include "base/text.h"
#include "io/input.h"
#include "io/output.h"
#include "shoal/atom_types.h"

/* EvdW beyond this is no depth in eV: the deepest of UFF is 0.015 eV, the shallowest in kcal/mol
 * 0.02, most are above 0.04. A fit may go beyond; then the table says its unit. */
#define ATOM_TYPE_E_LIMIT 0.1

/* The element of rows that fits keep for something that is no atom. */
#define ATOM_TYPE_NO_ATOM "-"

/* A type and the span of its text. */
typedef struct atom_type_row {
    shoal_atom_type type;
    int32_t line;                       /* index in lines */
    bool changed;                       /* the numbers are no longer those of the line */
    double columns[SHOAL_TYPE_COLUMNS]; /* behind Hb; NaN: none. Rows that were appended have 0 */
    uint32_t hash;                      /* of the name */
    int32_t next;                       /* row with the same bucket, -1 at the end */
} atom_type_row;

enum { ATOM_TYPE_BUCKETS = 256 };

struct shoal_atom_types {
    atom_type_row *rows;
    int32_t n_rows, row_capacity;
    int32_t bucket[ATOM_TYPE_BUCKETS]; /* first row of each, -1 without one */
    /* The text, every line with its end; line_start[n_lines] is the size of it. */
    shoal_string text;
    size_t *line_start;
    int32_t n_lines, line_capacity;
    bool has_units; /* says before its first type that it is in eV: any depth is meant */
};

shoal_status atom_types_create(shoal_atom_types **out);
/* Keeps a line of the file verbatim. */
shoal_status atom_types_add_line(shoal_atom_types *types, shoal_span line);
/* The type of the last line; its name is new. columns may be NULL: all are 0. */
shoal_status atom_types_add_row(shoal_atom_types *types, const shoal_atom_type *type,
                                const double columns[SHOAL_TYPE_COLUMNS]);
/* A type with a line of its own behind the last; its name is new. */
shoal_status atom_types_append(shoal_atom_types *types, const shoal_atom_type *type);
/* Leaves the first n_rows; those behind them were appended. */
void atom_types_truncate(shoal_atom_types *types, int32_t n_rows);
/* -1 if there is none. */
int32_t atom_types_find_span(const shoal_atom_types *types, shoal_span name);

/* The table that the rest of an input is, and a table as such text; comment lines behind a '#'. */
shoal_status atom_types_read_rest(shoal_atom_types **out, shoal_input *in);
void atom_types_put(shoal_output *out, const shoal_atom_types *types);
void atom_types_put_comment(shoal_output *out, const char *comment);

#endif
