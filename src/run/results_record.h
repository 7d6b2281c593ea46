/* SPDX-License-Identifier: BSD-3-Clause
 * The columns of a file of results, and the record that holds one system's share of them.
 *
 * A column is a dataset. Its rows belong to systems, or to what systems have several of (an axis): then the rows
 * of system i are starts[i] .. starts[i + 1] of the axis. A record is a results_head and the rows of all
 * columns, one column after the other in the order of the table, all little-endian and without padding. */
#ifndef SHOAL_RUN_RESULTS_RECORD_H
#define SHOAL_RUN_RESULTS_RECORD_H

#include "shoal/results.h"

typedef enum results_axis {
    RESULTS_SYSTEM = 0, /* one row per system, no starts */
    RESULTS_NAME,       /* bytes of texts */
    RESULTS_REASON,
    RESULTS_WARNING,
    RESULTS_ATOM,
    RESULTS_BOND,
    RESULTS_DATA, /* bytes: key, zero, value, zero, .. */
    RESULTS_N_AXES,
} results_axis;

typedef enum results_type {
    RESULTS_INT8 = 0,
    RESULTS_UINT8,
    RESULTS_INT16,
    RESULTS_INT32,
    RESULTS_INT64,
    RESULTS_FLOAT64,
    RESULTS_TEXT8, /* padded with zeros */
    RESULTS_TEXT24,
    RESULTS_N_TYPES,
} results_type;

/* Numbers per row of the column of energies by term: as many as there are terms. */
enum { RESULTS_TERMS = -1 };

typedef struct results_column {
    const char *name; /* path of the dataset */
    results_axis axis;
    results_type type;
    int32_t width; /* numbers per row; 0: one, and the dataset has one dimension */
} results_column;

/* Places of two of them; the index comes first. */
enum { RESULTS_INDEX = 0, RESULTS_FORCE = 19, RESULTS_N_COLUMNS = 29 };
extern const results_column results_columns[RESULTS_N_COLUMNS];
/* Path of the starts of an axis, NULL for systems. */
extern const char *const results_starts[RESULTS_N_AXES];
/* Bytes of one number of a type. */
extern const size_t results_type_size[RESULTS_N_TYPES];

enum { RESULTS_HAS_FORCES = 1 };

typedef struct results_head {
    char magic[4];
    uint32_t flags;                /* RESULTS_HAS_ */
    uint64_t size;                 /* bytes of the record, with this head */
    uint32_t n_terms;              /* energies by term */
    uint32_t rows[RESULTS_N_AXES]; /* of this system */
} results_head;

/* Fills in magic and size. */
void results_head_finish(results_head *head);
/* The head of the first record in bytes[n]; SHOAL_E_FORMAT where no whole record begins there. */
shoal_status results_head_read(const char *bytes, size_t n, results_head *out);

/* Bytes of one row of a column; 0 where such records do not have it. */
size_t results_row_size(const results_column *column, uint32_t flags, uint32_t n_terms);

#endif
