/* SPDX-License-Identifier: BSD-3-Clause
 * Files of results, read back as the records they were written from: blocks of systems, column by column. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "results/results_file.h"
#include "shoal/results.h"

#ifdef SHOAL_HAVE_HDF5

/* Systems and bytes of a block at most; a larger system is a block of its own. */
enum { BLOCK_SYSTEMS = 4096, BLOCK_BYTES = 16 << 20 };

enum { N_TEXTS = 6 };
static const char *const text_names[N_TEXTS] = {"program", "command", "options",
                                                "device",  "driver",  "start_time"};

struct shoal_results_reader {
    results_file file;
    char *path;
    int64_t n_systems;
    bool complete;
    int64_t n_rows[RESULTS_N_AXES]; /* of all systems */
    size_t row_size[RESULTS_N_COLUMNS];
    char *texts[N_TEXTS];
    char **files;
    char *file_names;
    int32_t n_files;
    /* Systems first .. first + n in memory: */
    int64_t first, n;
    int64_t starts[RESULTS_N_AXES][BLOCK_SYSTEMS + 1];
    int64_t checksum[BLOCK_SYSTEMS];
    char *rows[RESULTS_N_COLUMNS];
    size_t capacity[RESULTS_N_COLUMNS];
};

static shoal_status damaged(const shoal_results_reader *reader, const char *what)
{
    return shoal_fail(SHOAL_E_FORMAT, "%s: damaged: '%s' makes no sense", reader->path, what);
}

/* --- open ----------------------------------------------------------------------------------------- */

/* Readers beside a writer try again where a checksum does not fit, and sleep 1, 2, 4 .. ns in between: so many
 * tries are 0.07 s, more than a writer needs. HDF5's own hundred would outlast the user of a damaged file. */
enum { READ_ATTEMPTS = 26 };

static hid_t open_beside_writer(const results_file *f)
{
    const hid_t access = f->h5->Pcreate(*f->h5->FILE_ACCESS);
    hid_t id = -1;
    if (f->h5->Pset_metadata_read_attempts(access, READ_ATTEMPTS) >= 0)
        id = f->h5->Fopen(f->path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
    (void)f->h5->Pclose(access);
    return id;
}

/* A finished file; otherwise one with a writer, at work or ended. */
static shoal_status open_file(results_file *f)
{
    FILE *there = fopen(f->path, "rb");
    if (!there) return shoal_fail(SHOAL_E_IO, "%s: cannot be opened", f->path);
    (void)fclose(there);
    hid_t id = f->h5->Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (id < 0) id = open_beside_writer(f);
    if (id < 0)
        return shoal_fail(SHOAL_E_FORMAT, "%s: not an HDF5 file, or damaged: HDF5 cannot open it",
                          f->path);
    f->id = id;
    return SHOAL_OK;
}

/* The index comes last when rows are written, and is looked at first. */
static shoal_status count_rows(shoal_results_reader *reader)
{
    results_file *f = &reader->file;
    reader->n_systems = results_count_rows(f, f->column[RESULTS_INDEX]);
    reader->n_rows[RESULTS_SYSTEM] = reader->n_systems;
    if (reader->n_systems < 0) return damaged(reader, "systems/index");
    for (int a = 1; a < RESULTS_N_AXES; ++a) {
        if (results_count_rows(f, f->starts[a]) <= reader->n_systems)
            return damaged(reader, results_starts[a]);
        SHOAL_TRY(
            results_read_rows(f, f->starts[a], NULL, reader->n_systems, 1, &reader->n_rows[a]));
    }
    if (results_count_rows(f, f->checksum) < reader->n_systems)
        return damaged(reader, RESULTS_CHECKSUM);
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c) {
        const results_column *column = &results_columns[c];
        reader->row_size[c] = results_row_size(column, f->flags, f->n_terms);
        if (reader->row_size[c] > 0 &&
            (reader->n_rows[column->axis] < 0 ||
             results_count_rows(f, f->column[c]) < reader->n_rows[column->axis]))
            return damaged(reader, column->name);
    }
    return SHOAL_OK;
}

/* A dataset of one dimension as a whole, with a zero behind it, to be freed. */
static char *read_array(const results_file *f, const char *name, const results_column *like,
                        int64_t *n)
{
    const hid_t id = f->h5->Dopen2(f->id, name, H5P_DEFAULT);
    const size_t size = results_type_size[like ? like->type : RESULTS_INT64];
    *n = id >= 0 ? results_count_rows(f, id) : -1;
    char *data = *n >= 0 && *n < INT32_MAX ? shoal_alloc((size_t)*n + 1, size) : NULL;
    if (data && results_read_rows(f, id, like, 0, *n, data) != SHOAL_OK) {
        free(data);
        data = NULL;
    }
    if (id >= 0) (void)f->h5->Dclose(id);
    return data;
}

/* Names of the files, each with a zero behind it. */
static shoal_status split_names(shoal_results_reader *reader, const int64_t *starts, int64_t n,
                                const char *names, int64_t n_bytes)
{
    reader->files = shoal_alloc((size_t)n, sizeof *reader->files);
    reader->file_names = shoal_alloc((size_t)(n_bytes + n), 1);
    if (!reader->files || !reader->file_names) return SHOAL_E_MEMORY;
    char *to = reader->file_names;
    for (int64_t i = 0; i < n; ++i) {
        const int64_t size = starts[i + 1] - starts[i];
        if (starts[i] < 0 || size < 0 || starts[i + 1] > n_bytes)
            return damaged(reader, "files/starts");
        reader->files[i] = to;
        memcpy(to, names + starts[i], (size_t)size);
        to += size + 1;
    }
    reader->n_files = (int32_t)n;
    return SHOAL_OK;
}

static shoal_status read_header(shoal_results_reader *reader)
{
    static const results_column byte = {"files/name", RESULTS_NAME, RESULTS_UINT8, 0};
    results_file *f = &reader->file;
    int64_t n = 0, n_bytes = 0;
    for (int t = 0; t < N_TEXTS; ++t) {
        reader->texts[t] = results_get_text(f, text_names[t]);
        if (!reader->texts[t]) return damaged(reader, text_names[t]);
    }
    int64_t *starts = (int64_t *)(void *)read_array(f, "files/starts", NULL, &n);
    char *names = read_array(f, "files/name", &byte, &n_bytes);
    shoal_status status = SHOAL_OK;
    if (!starts || !names || n < 1)
        status = damaged(reader, "files");
    else
        status = split_names(reader, starts, n - 1, names, n_bytes);
    free(starts);
    free(names);
    return status;
}

shoal_status shoal_results_open(shoal_results_reader **out, const char *path)
{
    shoal_clear_error();
    SHOAL_NEED(out && path);
    *out = NULL;
    const hdf5_library *h5;
    SHOAL_TRY(hdf5_library_get(&h5));
    shoal_results_reader *reader = shoal_alloc(1, sizeof *reader);
    if (!reader) return SHOAL_E_MEMORY;
    reader->path = shoal_strdup(path);
    reader->file = (results_file){.h5 = h5, .path = reader->path};
    shoal_status status = reader->path ? SHOAL_OK : SHOAL_E_MEMORY;
    const hdf5_quiet before = hdf5_library_lock(h5);
    if (status == SHOAL_OK) status = open_file(&reader->file);
    if (status == SHOAL_OK) status = results_file_find(&reader->file, false);
    if (status == SHOAL_OK) status = count_rows(reader);
    if (status == SHOAL_OK) status = read_header(reader);
    if (status == SHOAL_OK) reader->complete = results_get_number(&reader->file, "complete") == 1;
    hdf5_library_unlock(h5, before);
    if (status != SHOAL_OK) {
        shoal_results_reader_destroy(reader);
        return status;
    }
    shoal_clear_error(); /* a file was asked for columns that not all have */
    *out = reader;
    return SHOAL_OK;
}

void shoal_results_reader_destroy(shoal_results_reader *reader)
{
    if (!reader) return;
    const hdf5_quiet before = hdf5_library_lock(reader->file.h5);
    (void)results_file_close(&reader->file);
    hdf5_library_unlock(reader->file.h5, before);
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c) free(reader->rows[c]);
    for (int t = 0; t < N_TEXTS; ++t) free(reader->texts[t]);
    free(reader->files);
    free(reader->file_names);
    free(reader->path);
    free(reader);
}

int64_t shoal_results_n_systems(const shoal_results_reader *reader)
{
    return reader ? reader->n_systems : 0;
}

bool shoal_results_is_complete(const shoal_results_reader *reader)
{
    return reader && reader->complete;
}

shoal_status shoal_results_header_get(const shoal_results_reader *reader, shoal_results_header *out)
{
    shoal_clear_error();
    SHOAL_NEED(reader && out);
    char *const *t = reader->texts;
    const results_file *f = &reader->file;
    const hdf5_quiet before = hdf5_library_lock(f->h5);
    const int64_t seed = results_get_number(f, "seed");
    hdf5_library_unlock(f->h5, before);
    *out = (shoal_results_header){.what = results_what(f->flags),
                                  .files = (const char *const *)reader->files,
                                  .n_files = reader->n_files,
                                  .program = t[0],
                                  .command = t[1],
                                  .options = t[2],
                                  .device = t[3],
                                  .driver = t[4],
                                  .start_time = t[5],
                                  .seed = seed};
    return SHOAL_OK;
}

/* --- blocks --------------------------------------------------------------------------------------- */

static int64_t rows_before(const shoal_results_reader *reader, int axis, int64_t k)
{
    return axis == RESULTS_SYSTEM ? reader->first + k : reader->starts[axis][k];
}

/* Starts of up to n systems, and whether they can be meant. */
static shoal_status load_starts(shoal_results_reader *reader, int64_t n)
{
    results_file *f = &reader->file;
    for (int a = 1; a < RESULTS_N_AXES; ++a) {
        int64_t *starts = reader->starts[a];
        SHOAL_TRY(results_read_rows(f, f->starts[a], NULL, reader->first, n + 1, starts));
        bool good = starts[0] >= 0 && starts[n] <= reader->n_rows[a];
        for (int64_t k = 0; k < n; ++k)
            good = good && starts[k] <= starts[k + 1] && starts[k + 1] - starts[k] <= UINT32_MAX;
        if (!good) return damaged(reader, results_starts[a]);
    }
    return SHOAL_OK;
}

/* Bytes that the first n systems of the block take. */
static uint64_t count_bytes(const shoal_results_reader *reader, int64_t n)
{
    uint64_t bytes = 0;
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c) {
        const int axis = (int)results_columns[c].axis;
        const int64_t rows = rows_before(reader, axis, n) - rows_before(reader, axis, 0);
        bytes += (uint64_t)rows * reader->row_size[c];
    }
    return bytes;
}

static shoal_status load_column(shoal_results_reader *reader, int c, int64_t n)
{
    const results_column *column = &results_columns[c];
    const int64_t first = rows_before(reader, (int)column->axis, 0);
    const int64_t rows = rows_before(reader, (int)column->axis, n) - first;
    const size_t wanted = (size_t)rows * reader->row_size[c];
    if (wanted > reader->capacity[c]) {
        free(reader->rows[c]);
        reader->capacity[c] = 0;
        reader->rows[c] = shoal_alloc_dirty(wanted, 1);
        if (!reader->rows[c]) return SHOAL_E_MEMORY;
        reader->capacity[c] = wanted;
    }
    return results_read_rows(&reader->file, reader->file.column[c], column, first, rows,
                             reader->rows[c]);
}

static shoal_status load_block(shoal_results_reader *reader, int64_t i)
{
    int64_t n = reader->n_systems - i < BLOCK_SYSTEMS ? reader->n_systems - i : BLOCK_SYSTEMS;
    reader->first = i;
    reader->n = 0;
    SHOAL_TRY(load_starts(reader, n));
    while (n > 1 && count_bytes(reader, n) > BLOCK_BYTES) n = (n + 1) / 2;
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c)
        if (reader->row_size[c] > 0) SHOAL_TRY(load_column(reader, c, n));
    SHOAL_TRY(
        results_read_rows(&reader->file, reader->file.checksum, NULL, i, n, reader->checksum));
    reader->n = n;
    return SHOAL_OK;
}

/* --- read ----------------------------------------------------------------------------------------- */

/* System k of the block. */
static shoal_status put_record(const shoal_results_reader *reader, int64_t k, shoal_string *record)
{
    results_head head = {.flags = reader->file.flags, .n_terms = reader->file.n_terms};
    for (int a = 0; a < RESULTS_N_AXES; ++a)
        head.rows[a] = (uint32_t)(rows_before(reader, a, k + 1) - rows_before(reader, a, k));
    results_head_finish(&head);
    char *to = shoal_string_room(record, head.size);
    if (!to) return shoal_string_status(record);
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c) {
        const int axis = (int)results_columns[c].axis;
        const int64_t before = rows_before(reader, axis, k) - rows_before(reader, axis, 0);
        const size_t size = head.rows[axis] * reader->row_size[c];
        if (size > 0) memcpy(to, reader->rows[c] + (size_t)before * reader->row_size[c], size);
        to += size;
    }
    *to = '\0';
    if (results_checksum(to - head.size, (size_t)head.size) != reader->checksum[k])
        return shoal_fail(SHOAL_E_FORMAT,
                          "%s: damaged: system %lld does not agree with its checksum", reader->path,
                          (long long)(reader->first + k));
    record->size += head.size;
    return SHOAL_OK;
}

shoal_status shoal_results_read(shoal_results_reader *reader, int64_t i, shoal_string *record)
{
    shoal_clear_error();
    SHOAL_NEED(reader && record);
    if (i < 0 || i >= reader->n_systems)
        return shoal_fail(SHOAL_E_ARGUMENT, "%s: no system %lld, there are %lld", reader->path,
                          (long long)i, (long long)reader->n_systems);
    if (i < reader->first || i >= reader->first + reader->n) {
        const hdf5_quiet before = hdf5_library_lock(reader->file.h5);
        const shoal_status status = load_block(reader, i);
        hdf5_library_unlock(reader->file.h5, before);
        SHOAL_TRY(status);
    }
    return put_record(reader, i - reader->first, record);
}

#else

shoal_status shoal_results_open(shoal_results_reader **out, const char *path)
{
    shoal_clear_error();
    SHOAL_NEED(out && path);
    *out = NULL;
    return shoal_fail(SHOAL_E_UNSUPPORTED, "%s: this build has no HDF5, results cannot be read",
                      path);
}

int64_t shoal_results_n_systems(const shoal_results_reader *reader)
{
    (void)reader;
    return 0;
}

bool shoal_results_is_complete(const shoal_results_reader *reader)
{
    (void)reader;
    return false;
}

shoal_status shoal_results_header_get(const shoal_results_reader *reader, shoal_results_header *out)
{
    shoal_clear_error();
    SHOAL_NEED(reader && out);
    return shoal_fail(SHOAL_E_UNSUPPORTED, "results: this build has no HDF5");
}

shoal_status shoal_results_read(shoal_results_reader *reader, int64_t i, shoal_string *record)
{
    shoal_clear_error();
    (void)i;
    SHOAL_NEED(reader && record);
    return shoal_fail(SHOAL_E_UNSUPPORTED, "results: this build has no HDF5");
}

void shoal_results_reader_destroy(shoal_results_reader *reader)
{
    (void)reader;
}
#endif
