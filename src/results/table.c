/* SPDX-License-Identifier: BSD-3-Clause
 * Results in memory: columns as growing arrays, made from records and made into them again. */
#include "shoal/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/molecule.h"
#include "results/results_record.h"

/* Rows of a column, or the starts of an axis. */
typedef struct table_array {
    char *data;
    size_t capacity; /* bytes */
} table_array;

struct shoal_table {
    uint32_t flags;               /* RESULTS_HAS_ */
    uint32_t n_terms;             /* of the records; that of the first decides */
    int64_t rows[RESULTS_N_AXES]; /* of all systems; of the first axis: systems */
    size_t row_size[RESULTS_N_COLUMNS];
    table_array columns[RESULTS_N_COLUMNS];
    table_array starts[RESULTS_N_AXES]; /* int64_t[systems + 1] */
};

_Static_assert((int)SHOAL_COLUMN_TEXT24 == (int)RESULTS_TEXT24 &&
                   (int)SHOAL_COLUMN_FLOAT64 == (int)RESULTS_FLOAT64,
               "types of columns are those of datasets");

/* --- memory --------------------------------------------------------------------------------------- */

static shoal_status reserve(table_array *a, uint64_t bytes)
{
    if (bytes <= a->capacity) return SHOAL_OK;
    const size_t capacity = bytes < a->capacity * 2 ? a->capacity * 2 : (size_t)bytes;
    char *data = bytes < SIZE_MAX / 2 ? realloc(a->data, capacity) : NULL;
    if (!data)
        return shoal_fail(SHOAL_E_MEMORY, "out of memory: %llu bytes of a column of results",
                          (unsigned long long)bytes);
    a->data = data;
    a->capacity = capacity;
    return SHOAL_OK;
}

static shoal_status reserve_axis(shoal_table *t, int axis, uint64_t n_rows)
{
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c)
        if ((int)results_columns[c].axis == axis)
            SHOAL_TRY(reserve(&t->columns[c], n_rows * t->row_size[c]));
    return SHOAL_OK;
}

static shoal_status reserve_starts(shoal_table *t, uint64_t n_systems)
{
    for (int axis = RESULTS_NAME; axis < RESULTS_N_AXES; ++axis)
        SHOAL_TRY(reserve(&t->starts[axis], (n_systems + 1) * sizeof(int64_t)));
    return SHOAL_OK;
}

static void set_terms(shoal_table *t, uint32_t n_terms)
{
    t->n_terms = n_terms;
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c)
        t->row_size[c] = results_row_size(&results_columns[c], t->flags, n_terms);
}

shoal_status shoal_table_create(shoal_table **out, const shoal_results_what *what)
{
    shoal_clear_error();
    SHOAL_NEED(out);
    *out = NULL;
    shoal_table *t = shoal_alloc(1, sizeof *t);
    if (!t) return SHOAL_E_MEMORY;
    t->flags = what ? results_flags(what) : 0;
    set_terms(t, results_n_terms(t->flags));
    const shoal_status status = reserve_starts(t, 0);
    for (int axis = RESULTS_NAME; axis < RESULTS_N_AXES && status == SHOAL_OK; ++axis)
        memset(t->starts[axis].data, 0, sizeof(int64_t));
    if (status == SHOAL_OK)
        *out = t;
    else
        shoal_table_destroy(t);
    return status;
}

void shoal_table_destroy(shoal_table *table)
{
    if (!table) return;
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c) free(table->columns[c].data);
    for (int axis = 0; axis < RESULTS_N_AXES; ++axis) free(table->starts[axis].data);
    free(table);
}

shoal_status shoal_table_reserve(shoal_table *table, int64_t n_systems, int64_t n_atoms)
{
    shoal_clear_error();
    SHOAL_NEED(table);
    const int64_t most = INT64_MAX / 8;
    if (n_systems < 0 || n_atoms < 0 || n_systems > most || n_atoms > most)
        return shoal_fail(SHOAL_E_ARGUMENT, "table: room for %lld systems and %lld atoms",
                          (long long)n_systems, (long long)n_atoms);
    SHOAL_TRY(reserve_starts(table, (uint64_t)n_systems));
    SHOAL_TRY(reserve_axis(table, RESULTS_SYSTEM, (uint64_t)n_systems));
    SHOAL_TRY(reserve_axis(table, RESULTS_ATOM, (uint64_t)n_atoms));
    return reserve_axis(table, RESULTS_BOND, (uint64_t)n_atoms); /* about as many */
}

/* --- taking records ------------------------------------------------------------------------------- */

/* Rows that records bring, by axis; fails where they are no records of this table. ours: made by this process a moment
 * ago, so that whoever waits for the table need not look for damage. */
static shoal_status count_rows(const shoal_table *t, shoal_span rest, bool ours,
                               int64_t rows[RESULTS_N_AXES], uint32_t *n_terms)
{
    bool first = t->rows[RESULTS_SYSTEM] == 0;
    *n_terms = t->n_terms;
    while (rest.size > 0) {
        results_head head;
        if (ours)
            memcpy(&head, rest.text, sizeof head);
        else
            SHOAL_TRY(results_head_read(rest.text, rest.size, &head));
        if (first) *n_terms = head.n_terms;
        first = false;
        if (head.flags != t->flags || head.n_terms != *n_terms)
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "table: a record that was made for other columns (%u with %u terms) "
                              "than the table has (%u with %u)",
                              head.flags, head.n_terms, t->flags, *n_terms);
        for (int axis = 0; axis < RESULTS_N_AXES; ++axis) rows[axis] += head.rows[axis];
        rest = shoal_span_after(rest, (size_t)head.size);
    }
    return SHOAL_OK;
}

/* Appends a record for which there is room; returns what is behind it. */
static const char *append(shoal_table *t, const char *from)
{
    results_head head;
    memcpy(&head, from, sizeof head);
    from += sizeof head;
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c) {
        const results_axis axis = results_columns[c].axis;
        const size_t row = t->row_size[c], size = head.rows[axis] * row;
        if (size > 0) memcpy(t->columns[c].data + (size_t)t->rows[axis] * row, from, size);
        from += size;
    }
    for (int axis = 0; axis < RESULTS_N_AXES; ++axis) t->rows[axis] += head.rows[axis];
    for (int axis = RESULTS_NAME; axis < RESULTS_N_AXES; ++axis)
        ((int64_t *)(void *)t->starts[axis].data)[t->rows[RESULTS_SYSTEM]] = t->rows[axis];
    return from;
}

static shoal_status take(shoal_table *table, const char *bytes, size_t n, bool ours)
{
    int64_t rows[RESULTS_N_AXES];
    uint32_t n_terms;
    memcpy(rows, table->rows, sizeof rows);
    SHOAL_TRY(count_rows(table, (shoal_span){bytes, n}, ours, rows, &n_terms));
    if (n_terms != table->n_terms) set_terms(table, n_terms);
    SHOAL_TRY(reserve_starts(table, (uint64_t)rows[RESULTS_SYSTEM]));
    for (int axis = 0; axis < RESULTS_N_AXES; ++axis)
        SHOAL_TRY(reserve_axis(table, axis, (uint64_t)rows[axis]));
    for (const char *at = bytes; at < bytes + n;) at = append(table, at);
    return SHOAL_OK;
}

shoal_status shoal_table_take(shoal_table *table, const char *bytes, size_t n)
{
    shoal_clear_error();
    SHOAL_NEED(table && bytes);
    return take(table, bytes, n, false);
}

/* --- sinks ---------------------------------------------------------------------------------------- */

static shoal_status write(void *user, const char *text, size_t size)
{
    return take(user, text, size, true);
}

/* What the table is made for does not change: any thread may ask. */
static shoal_status format(void *user, const shoal_stream_system *system, shoal_string *out)
{
    const shoal_table *t = user;
    const shoal_results_what what = results_what(t->flags);
    return shoal_results_format(&what, system, out);
}

shoal_status shoal_table_sink(shoal_table *table, shoal_sink *out)
{
    shoal_clear_error();
    SHOAL_NEED(table && out);
    *out = (shoal_sink){.format = format, .write = write, .user = table};
    return SHOAL_OK;
}

static shoal_status format_frame(void *user, const shoal_stream_system *system,
                                 const shoal_relax_frame *step, shoal_string *out)
{
    const shoal_table *t = user;
    const shoal_results_what what = results_what(t->flags);
    return shoal_results_format_frame(&what, system, step, out);
}

shoal_status shoal_table_frame_sink(shoal_table *table, shoal_sink *out)
{
    shoal_clear_error();
    SHOAL_NEED(table && out);
    *out = (shoal_sink){.step = format_frame, .write = write, .user = table};
    return SHOAL_OK;
}

/* --- looking at it -------------------------------------------------------------------------------- */

int64_t shoal_table_size(const shoal_table *table)
{
    return table ? table->rows[RESULTS_SYSTEM] : 0;
}

void shoal_table_what(const shoal_table *table, shoal_results_what *out)
{
    if (out) *out = results_what(table ? table->flags : 0);
}

static shoal_column starts_of(const shoal_table *t, results_axis axis)
{
    return (shoal_column){.name = results_starts[axis],
                          .type = SHOAL_COLUMN_INT64,
                          .n_rows = t->rows[RESULTS_SYSTEM] + 1,
                          .data = t->starts[axis].data};
}

static shoal_column column_of(const shoal_table *t, int c)
{
    const results_column *column = &results_columns[c];
    const int64_t n = t->rows[column->axis];
    return (shoal_column){.name = column->name,
                          .type = (shoal_column_type)column->type,
                          .width =
                              column->width == RESULTS_TERMS ? (int32_t)t->n_terms : column->width,
                          .n_rows = n,
                          .data = n > 0 ? t->columns[c].data : NULL};
}

/* The starts of an axis stand before its first column. */
shoal_status shoal_table_column(const shoal_table *table, int32_t k, shoal_column *out)
{
    shoal_clear_error();
    SHOAL_NEED(table && out);
    *out = (shoal_column){.name = ""};
    results_axis before = RESULTS_SYSTEM;
    int32_t left = k;
    for (int c = 0; c < RESULTS_N_COLUMNS && left >= 0; ++c) {
        const results_axis axis = results_columns[c].axis;
        if (table->row_size[c] == 0) continue;
        if (axis != before && left-- == 0) {
            *out = starts_of(table, axis);
            return SHOAL_OK;
        }
        before = axis;
        if (left-- > 0) continue;
        *out = column_of(table, c);
        return SHOAL_OK;
    }
    return shoal_fail(SHOAL_E_ARGUMENT, "table: there is no column %d", k);
}

static shoal_status check_row(const shoal_table *t, int64_t i)
{
    if (i >= 0 && i < t->rows[RESULTS_SYSTEM]) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "table: row %lld of %lld", (long long)i,
                      (long long)t->rows[RESULTS_SYSTEM]);
}

shoal_status shoal_table_record(const shoal_table *table, int64_t i, shoal_string *out)
{
    shoal_clear_error();
    SHOAL_NEED(table && out);
    SHOAL_TRY(check_row(table, i));
    results_head head = {
        .flags = table->flags, .n_terms = table->n_terms, .rows = {[RESULTS_SYSTEM] = 1}};
    int64_t first[RESULTS_N_AXES] = {[RESULTS_SYSTEM] = i};
    for (int axis = RESULTS_NAME; axis < RESULTS_N_AXES; ++axis) {
        const int64_t *starts = (const int64_t *)(void *)table->starts[axis].data;
        first[axis] = starts[i];
        head.rows[axis] = (uint32_t)(starts[i + 1] - starts[i]);
    }
    results_head_finish(&head);
    shoal_string_put(out, (const char *)&head, sizeof head);
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c) {
        const results_axis axis = results_columns[c].axis;
        const size_t row = table->row_size[c], size = head.rows[axis] * row;
        if (size > 0)
            shoal_string_put(out, table->columns[c].data + (size_t)first[axis] * row, size);
    }
    return shoal_string_status(out);
}

shoal_status shoal_table_molecule(const shoal_table *table, int64_t i, shoal_molecule *mol)
{
    shoal_clear_error();
    SHOAL_NEED(table && mol);
    shoal_string record = {0};
    shoal_molecule_clear(mol);
    shoal_status status = shoal_table_record(table, i, &record);
    if (status == SHOAL_OK) status = results_make_input(shoal_string_span(&record), mol);
    shoal_string_free(&record);
    return status;
}
