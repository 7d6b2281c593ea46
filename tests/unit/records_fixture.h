/* SPDX-License-Identifier: BSD-3-Clause
 * Molecules of files in memory, streams of them into tables, and tables compared. */
#ifndef SHOAL_TESTS_RECORDS_FIXTURE_H
#define SHOAL_TESTS_RECORDS_FIXTURE_H

#include "stream_fixture.h"

enum { MOST_LOADED = 1024 };

typedef struct loaded {
    shoal_molecule *mols[MOST_LOADED];
    shoal_record records[MOST_LOADED];
    int64_t n;
} loaded;

static inline void load(const char *path, loaded *l)
{
    shoal_reader *reader = NULL;
    bool found = true;
    l->n = 0;
    CHECK(shoal_reader_open(&reader, path, SHOAL_FORMAT_AUTO) == SHOAL_OK);
    while (found && l->n < MOST_LOADED) {
        CHECK(shoal_molecule_create(&l->mols[l->n]) == SHOAL_OK);
        CHECK(shoal_reader_next(reader, l->mols[l->n], &found) == SHOAL_OK);
        l->records[l->n] = (shoal_record){.molecule = l->mols[l->n]};
        if (found)
            ++l->n;
        else
            shoal_molecule_destroy(l->mols[l->n]);
    }
    shoal_reader_destroy(reader);
}

static inline void unload(loaded *l)
{
    for (int64_t i = 0; i < l->n; ++i) shoal_molecule_destroy(l->mols[i]);
    l->n = 0;
}

/* The table of a stream from a file, or of records if that is NULL. */
static inline shoal_table *table_of(shoal_stream_options o, const char *path,
                                    const shoal_record *records, int64_t n, shoal_results_what what)
{
    shoal_table *table = NULL;
    shoal_sink sink;
    CHECK(shoal_table_create(&table, &what) == SHOAL_OK);
    CHECK(shoal_table_sink(table, &sink) == SHOAL_OK);
    if (path) {
        o.input.files = &path;
        o.input.n_files = 1;
    } else {
        o.input.records = records;
        o.input.n_records = n;
    }
    o.output.sinks = &sink;
    o.output.n_sinks = 1;
    const shoal_status status = shoal_stream_run(&o);
    CHECK(status == SHOAL_OK);
    if (status != SHOAL_OK) (void)printf("%s\n", shoal_error_text());
    return table;
}

static inline shoal_column find_column(const shoal_table *table, const char *name)
{
    shoal_column c = {.name = ""};
    for (int32_t k = 0; shoal_table_column(table, k, &c) == SHOAL_OK; ++k)
        if (strcmp(c.name, name) == 0) return c;
    CHECK(false);
    return c;
}

static inline const double *numbers(const shoal_table *table, const char *name)
{
    const shoal_column c = find_column(table, name);
    CHECK(c.type == SHOAL_COLUMN_FLOAT64);
    return c.data;
}

static inline int32_t status_of(const shoal_table *table, int64_t i)
{
    return ((const int32_t *)find_column(table, "systems/status").data)[i];
}

/* A text of row i, and whether it contains a piece. */
static inline bool says(const shoal_table *table, const char *name, int64_t i, const char *piece)
{
    char text[1024], starts_name[64];
    (void)snprintf(starts_name, sizeof starts_name, "%s_starts", name);
    const int64_t *starts = find_column(table, starts_name).data;
    const char *bytes = find_column(table, name).data;
    const int64_t n = starts[i + 1] - starts[i];
    if (n <= 0 || n >= (int64_t)sizeof text) return false;
    memcpy(text, bytes + starts[i], (size_t)n);
    text[n] = '\0';
    if (!strstr(text, piece)) (void)printf("row %lld says: %s\n", (long long)i, text);
    return strstr(text, piece) != NULL;
}

static inline size_t row_bytes(const shoal_column *c)
{
    static const size_t sizes[] = {1, 1, 2, 4, 8, 8, 8, 24};
    return sizes[c->type] * (size_t)(c->width > 0 ? c->width : 1);
}

/* Columns that differ, but for the one called except. */
static inline int count_unlike(const shoal_table *a, const shoal_table *b, const char *except)
{
    int n = 0;
    shoal_column x, y;
    for (int32_t k = 0; shoal_table_column(a, k, &x) == SHOAL_OK; ++k) {
        CHECK(shoal_table_column(b, k, &y) == SHOAL_OK);
        if (strcmp(x.name, except) == 0) continue;
        const bool same =
            strcmp(x.name, y.name) == 0 && x.type == y.type && x.width == y.width &&
            x.n_rows == y.n_rows &&
            (x.n_rows == 0 || memcmp(x.data, y.data, (size_t)x.n_rows * row_bytes(&x)) == 0);
        if (!same) (void)printf("column %s differs\n", x.name);
        n += !same;
    }
    return n;
}

#endif
