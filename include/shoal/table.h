/* SPDX-License-Identifier: BSD-3-Clause
 * Results in memory: the columns of a file of results (docs/results.md) as arrays.
 *
 * A table takes records (shoal/results.h) from a stream, a file or a search, and gives them back as they came. Its
 * columns are plain arrays, so that other languages can look at them without a copy. */
#ifndef SHOAL_TABLE_H
#define SHOAL_TABLE_H

#include "shoal/results.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_table shoal_table;

/* An empty table of records made for what (NULL: nothing but what all have). The caller owns *out. */
SHOAL_API shoal_status shoal_table_create(shoal_table **out, const shoal_results_what *what);
SHOAL_API void shoal_table_destroy(shoal_table *table);

/* Makes room for this many systems and atoms, where they are known before; no more than a hint. */
SHOAL_API shoal_status shoal_table_reserve(shoal_table *table, int64_t n_systems, int64_t n_atoms);
/* Appends the records bytes[n], all of them whole and made for the same what. Columns that were looked at before
 * are no longer valid. */
SHOAL_API shoal_status shoal_table_take(shoal_table *table, const char *bytes, size_t n);
/* A sink of a stream that fills the table, in the order of the input. The table outlives the stream. */
SHOAL_API shoal_status shoal_table_sink(shoal_table *table, shoal_sink *out);
/* A sink for the frames of trajectories instead (of relaxations with options.compute.relax->every, of dynamics
 * with their stride): every frame becomes a row, and the rows of a system follow each other. A table of dynamics
 * has what.dynamics. */
SHOAL_API shoal_status shoal_table_frame_sink(shoal_table *table, shoal_sink *out);

/* Systems, or frames. */
SHOAL_API int64_t shoal_table_size(const shoal_table *table);
SHOAL_API void shoal_table_what(const shoal_table *table, shoal_results_what *out);

typedef enum shoal_column_type {
    SHOAL_COLUMN_INT8 = 0,
    SHOAL_COLUMN_UINT8,
    SHOAL_COLUMN_INT16,
    SHOAL_COLUMN_INT32,
    SHOAL_COLUMN_INT64,
    SHOAL_COLUMN_FLOAT64,
    SHOAL_COLUMN_TEXT8, /* 8 bytes, padded with zeros */
    SHOAL_COLUMN_TEXT24,
} shoal_column_type;

/* data[n_rows][width], aligned; borrowed until the table changes. */
typedef struct shoal_column {
    const char
        *name; /* path of the dataset: "systems/energy", "atoms/position", "atoms/starts"; static */
    shoal_column_type type;
    int32_t width; /* numbers of a row; 0: one, and the array has one dimension */
    int64_t n_rows;
    const void *data; /* NULL where there are no rows */
} shoal_column;

/* Column k of those that the table has, in the order of docs/results.md; SHOAL_E_ARGUMENT beyond the last. */
SHOAL_API shoal_status shoal_table_column(const shoal_table *table, int32_t k, shoal_column *out);

/* Appends row i as the record that it was made of. */
SHOAL_API shoal_status shoal_table_record(const shoal_table *table, int64_t i, shoal_string *out);
/* The molecule of row i, cleared first, as streams read it from a file of results; its data fields are those of the
 * input alone. */
SHOAL_API shoal_status shoal_table_molecule(const shoal_table *table, int64_t i,
                                            shoal_molecule *mol);

#ifdef __cplusplus
}
#endif

#endif
