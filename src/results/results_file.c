/* SPDX-License-Identifier: BSD-3-Clause
 * Datasets and attributes of a file of results. */
#include "results/results_file.h"

#ifdef SHOAL_HAVE_HDF5
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/kernel_choices.h"

static const char *const groups[] = {"systems", "atoms", "bonds", "marks", "data", "files"};
enum { N_GROUPS = sizeof groups / sizeof groups[0] };

/* Rows of a chunk. A file with one system has one chunk of every column, together some 700 kB; a
 * million systems have some 25 000 of each. */
static const hsize_t chunk_rows[RESULTS_N_AXES] = {
    [RESULTS_SYSTEM] = 1024,   [RESULTS_NAME] = 16384,  [RESULTS_REASON] = 16384,
    [RESULTS_WARNING] = 16384, [RESULTS_LINES] = 16384, [RESULTS_ATOM] = 4096,
    [RESULTS_BOND] = 4096,     [RESULTS_MARK] = 4096,   [RESULTS_DATA] = 65536,
};

/* --- failures ------------------------------------------------------------------------------------- */

/* The innermost failure comes first; that of the operating system is quoted in it. */
static herr_t take_first(unsigned n, const H5E_error2_t *error, void *user)
{
    static const char mark[] = "error message = '";
    char *text = user;
    if (n > 0 || !error->desc) return 0;
    const char *quoted = strstr(error->desc, mark);
    const char *from = quoted ? quoted + strlen(mark) : error->desc;
    (void)snprintf(text, 128, "%.*s", quoted ? (int)strcspn(from, "'") : 127, from);
    return 0;
}

shoal_status results_failed(const results_file *f, const char *what)
{
    char why[128] = "HDF5 does not say why";
    (void)f->h5->Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, why);
    return shoal_fail(SHOAL_E_IO, "%s: cannot %s: %s", f->path, what, why);
}

static shoal_status write_failed(const results_file *f, const char *name)
{
    char what[64];
    (void)snprintf(what, sizeof what, "write '%s'", name);
    return results_failed(f, what);
}

/* --- types ---------------------------------------------------------------------------------------- */

/* To be closed. Starts have the type of the index. */
static hid_t make_type(const hdf5_library *h5, const results_column *column)
{
    const hid_t plain[RESULTS_N_TYPES] = {*h5->NATIVE_INT8,  *h5->NATIVE_UINT8, *h5->NATIVE_INT16,
                                          *h5->NATIVE_INT32, *h5->NATIVE_INT64, *h5->NATIVE_DOUBLE,
                                          *h5->C_S1,         *h5->C_S1};
    const results_type type = column ? column->type : RESULTS_INT64;
    const hid_t id = h5->Tcopy(plain[type]);
    if (type < RESULTS_TEXT8) return id;
    (void)h5->Tset_size(id, results_type_size[type]);
    (void)h5->Tset_strpad(id, H5T_STR_NULLPAD);
    return id;
}

static hsize_t count_numbers(const results_file *f, const results_column *column)
{
    if (!column || column->width == 0) return 1;
    return column->width == RESULTS_TERMS ? f->n_terms : (hsize_t)column->width;
}

static int count_dimensions(const results_column *column)
{
    return column && column->width != 0 ? 2 : 1;
}

static bool close_dataset(const results_file *f, hid_t *id)
{
    const bool good = *id <= 0 || f->h5->Dclose(*id) >= 0;
    *id = 0;
    return good;
}

static bool close_datasets(results_file *f)
{
    bool good = close_dataset(f, &f->checksum);
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c) good = close_dataset(f, &f->column[c]) && good;
    for (int a = 0; a < RESULTS_N_AXES; ++a) good = close_dataset(f, &f->starts[a]) && good;
    return good;
}

/* --- attributes ----------------------------------------------------------------------------------- */

/* n texts of a fixed size, one behind the other; n = 0: one text that is no list. */
static shoal_status put_texts(const results_file *f, hid_t at, const char *name, const char *texts,
                              size_t size, hsize_t n)
{
    const hdf5_library *h5 = f->h5;
    const hid_t type = h5->Tcopy(*h5->C_S1);
    const hid_t space = n > 0 ? h5->Screate_simple(1, &n, NULL) : h5->Screate(H5S_SCALAR);
    (void)h5->Tset_size(type, size);
    (void)h5->Tset_cset(type, H5T_CSET_UTF8);
    const hid_t id = h5->Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const shoal_status status =
        id >= 0 && h5->Awrite(id, type, texts) >= 0 ? SHOAL_OK : write_failed(f, name);
    if (id >= 0) (void)h5->Aclose(id);
    (void)h5->Sclose(space);
    (void)h5->Tclose(type);
    return status;
}

static shoal_status put_text(const results_file *f, const char *name, const char *text)
{
    const char *given = text ? text : "";
    return put_texts(f, f->id, name, given, strlen(given) + 1, 0);
}

static shoal_status put_number(const results_file *f, const char *name, int64_t value)
{
    const hdf5_library *h5 = f->h5;
    const hid_t space = h5->Screate(H5S_SCALAR);
    const hid_t id = h5->Acreate2(f->id, name, *h5->NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT);
    const shoal_status status = id >= 0 && h5->Awrite(id, *h5->NATIVE_INT64, &value) >= 0
                                    ? SHOAL_OK
                                    : write_failed(f, name);
    if (id >= 0) (void)h5->Aclose(id);
    (void)h5->Sclose(space);
    return status;
}

/* The time of day in UTC, to the second. */
static void tell_time(char text[32])
{
    struct tm parts;
    const time_t now = time(NULL);
    (void)gmtime_r(&now, &parts);
    (void)strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

static shoal_status put_header(const results_file *f, const shoal_results_header *header)
{
    char time[32], kernels[512];
    tell_time(time);
    kernel_choices_text(header->device, kernels, sizeof kernels);
    SHOAL_TRY(put_text(f, "format", RESULTS_FORMAT));
    SHOAL_TRY(put_number(f, "version", RESULTS_VERSION));
    SHOAL_TRY(put_text(f, "units", "eV, angstrom, e"));
    SHOAL_TRY(put_text(f, "program", header->program));
    SHOAL_TRY(put_text(f, "command", header->command));
    SHOAL_TRY(put_text(f, "options", header->options));
    SHOAL_TRY(put_text(f, "device", header->device));
    SHOAL_TRY(put_text(f, "driver", header->driver));
    if (kernels[0]) SHOAL_TRY(put_text(f, "kernels", kernels));
    SHOAL_TRY(put_text(f, "start_time", header->start_time ? header->start_time : time));
    SHOAL_TRY(put_number(f, "complete", 0));
    return put_number(f, "seed", header->seed);
}

static const char *status_name(int i)
{
    return shoal_system_status_name((shoal_system_status)i);
}

static const char *mark_name(int i)
{
    return results_mark_names[i];
}

/* The names that the numbers of a column stand for. */
static shoal_status put_names(const results_file *f, const char *column,
                              const char *(*name_of)(int i), int n)
{
    enum { SIZE = 24, MOST = 64 };
    char names[MOST][SIZE] = {{0}};
    for (int i = 0; i < n && i < MOST; ++i) (void)snprintf(names[i], SIZE, "%s", name_of(i));
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c)
        if (strcmp(results_columns[c].name, column) == 0)
            return put_texts(f, f->column[c], "names", names[0], SIZE,
                             (hsize_t)(n < MOST ? n : MOST));
    return SHOAL_OK;
}

/* --- making --------------------------------------------------------------------------------------- */

/* A dataset without rows that can have any number of them; NULL: starts. */
static shoal_status make_dataset(const results_file *f, const char *name,
                                 const results_column *column, hid_t *out)
{
    const hdf5_library *h5 = f->h5;
    const int rank = count_dimensions(column);
    const hsize_t width = count_numbers(f, column);
    const hsize_t size[2] = {0, width}, most[2] = {H5S_UNLIMITED, width};
    const hsize_t chunk[2] = {chunk_rows[column ? column->axis : RESULTS_SYSTEM], width};
    const hid_t type = make_type(h5, column), space = h5->Screate_simple(rank, size, most);
    const hid_t make = h5->Pcreate(*h5->DATASET_CREATE);
    (void)h5->Pset_chunk(make, rank, chunk);
    (void)h5->Pset_fill_time(make, H5D_FILL_TIME_NEVER); /* rows are written before they are read */
    const hid_t id = h5->Dcreate2(f->id, name, type, space, H5P_DEFAULT, make, H5P_DEFAULT);
    if (id >= 0) *out = id;
    const shoal_status status = id >= 0 ? SHOAL_OK : write_failed(f, name);
    (void)h5->Pclose(make);
    (void)h5->Sclose(space);
    (void)h5->Tclose(type);
    return status;
}

/* A dataset that is never extended, with a checksum that HDF5 looks at. Those that grow have none: their last chunk
 * is written again and again, and readers beside the writer, and after its sudden end, would find it torn. */
static shoal_status put_array(const results_file *f, const char *name, hid_t type, hsize_t n,
                              const void *data)
{
    const hdf5_library *h5 = f->h5;
    const hid_t space = h5->Screate_simple(1, &n, NULL);
    const hid_t make = h5->Pcreate(*h5->DATASET_CREATE);
    if (n > 0) {
        (void)h5->Pset_chunk(make, 1, &n);
        (void)h5->Pset_fletcher32(make);
    }
    const hid_t id = h5->Dcreate2(f->id, name, type, space, H5P_DEFAULT, make, H5P_DEFAULT);
    const bool good =
        id >= 0 && (n == 0 || h5->Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    const shoal_status status = good ? SHOAL_OK : write_failed(f, name);
    if (id >= 0) (void)h5->Dclose(id);
    (void)h5->Pclose(make);
    (void)h5->Sclose(space);
    return status;
}

static shoal_status put_files(const results_file *f, const shoal_results_header *header)
{
    const size_t n = header->n_files > 0 ? (size_t)header->n_files : 0;
    int64_t *starts = shoal_alloc(n + 1, sizeof *starts);
    if (!starts) return SHOAL_E_MEMORY;
    for (size_t i = 0; i < n; ++i) starts[i + 1] = starts[i] + (int64_t)strlen(header->files[i]);
    char *names = shoal_alloc((size_t)starts[n] + 1, 1);
    shoal_status status = names ? SHOAL_OK : SHOAL_E_MEMORY;
    for (size_t i = 0; i < n && names; ++i)
        memcpy(names + starts[i], header->files[i], (size_t)(starts[i + 1] - starts[i]));
    if (status == SHOAL_OK)
        status = put_array(f, "files/starts", *f->h5->NATIVE_INT64, n + 1, starts);
    if (status == SHOAL_OK)
        status = put_array(f, "files/name", *f->h5->NATIVE_UINT8, (hsize_t)starts[n], names);
    free(names);
    free(starts);
    return status;
}

shoal_status results_file_make(results_file *f, const shoal_results_header *header)
{
    const int64_t zero = 0;
    f->flags = results_flags(&header->what);
    f->n_terms = results_n_terms(f->flags);
    for (int g = 0; g < N_GROUPS; ++g) {
        const hid_t id = f->h5->Gcreate2(f->id, groups[g], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (id < 0) return write_failed(f, groups[g]);
        (void)f->h5->Gclose(id);
    }
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c)
        if (results_row_size(&results_columns[c], f->flags, f->n_terms) > 0)
            SHOAL_TRY(make_dataset(f, results_columns[c].name, &results_columns[c], &f->column[c]));
    for (int a = 0; a < RESULTS_N_AXES; ++a)
        if (results_starts[a]) {
            SHOAL_TRY(make_dataset(f, results_starts[a], NULL, &f->starts[a]));
            SHOAL_TRY(results_append_rows(f, f->starts[a], NULL, 0, 1, &zero));
        }
    SHOAL_TRY(make_dataset(f, RESULTS_CHECKSUM, NULL, &f->checksum));
    SHOAL_TRY(put_names(f, "systems/status", status_name, SHOAL_SYSTEM_UNSTABLE + 1));
    SHOAL_TRY(put_names(f, "systems/terms", shoal_term_name, (int)f->n_terms));
    SHOAL_TRY(put_names(f, "marks/kind", mark_name, RESULTS_N_MARKS));
    SHOAL_TRY(put_files(f, header));
    SHOAL_TRY(put_header(f, header));
    return close_datasets(f) ? SHOAL_OK : results_failed(f, "close its datasets");
}

/* --- rows ----------------------------------------------------------------------------------------- */

int64_t results_count_rows(const results_file *f, hid_t dataset)
{
    hsize_t size[2] = {0, 0};
    const hid_t space = f->h5->Dget_space(dataset);
    const int rank = space >= 0 ? f->h5->Sget_simple_extent_ndims(space) : -1;
    const bool good = (rank == 1 || rank == 2) &&
                      f->h5->Sget_simple_extent_dims(space, size, NULL) == rank &&
                      size[0] <= INT64_MAX;
    if (space >= 0) (void)f->h5->Sclose(space);
    return good ? (int64_t)size[0] : -1;
}

/* Reads or writes rows that are there. */
static shoal_status move_rows(const results_file *f, hid_t dataset, const results_column *column,
                              int64_t first, int64_t n, void *to, const void *from)
{
    const hdf5_library *h5 = f->h5;
    const hsize_t at[2] = {(hsize_t)first, 0};
    const hsize_t size[2] = {(hsize_t)n, count_numbers(f, column)};
    const hid_t type = make_type(h5, column), file = h5->Dget_space(dataset);
    const hid_t memory = h5->Screate_simple(count_dimensions(column), size, NULL);
    bool good = file >= 0 && h5->Sselect_hyperslab(file, H5S_SELECT_SET, at, NULL, size, NULL) >= 0;
    if (good && to) good = h5->Dread(dataset, type, memory, file, H5P_DEFAULT, to) >= 0;
    if (good && from) good = h5->Dwrite(dataset, type, memory, file, H5P_DEFAULT, from) >= 0;
    shoal_status status = SHOAL_OK;
    if (!good) {
        char what[64];
        (void)snprintf(what, sizeof what, "%s '%s'", to ? "read" : "write",
                       column ? column->name : "starts");
        status = results_failed(f, what);
    }
    (void)h5->Sclose(memory);
    if (file >= 0) (void)h5->Sclose(file);
    (void)h5->Tclose(type);
    return status;
}

shoal_status results_read_rows(const results_file *f, hid_t dataset, const results_column *column,
                               int64_t first, int64_t n, void *to)
{
    return n == 0 ? SHOAL_OK : move_rows(f, dataset, column, first, n, to, NULL);
}

shoal_status results_append_rows(const results_file *f, hid_t dataset, const results_column *column,
                                 int64_t first, int64_t n, const void *from)
{
    const hsize_t size[2] = {(hsize_t)(first + n), count_numbers(f, column)};
    if (n == 0) return SHOAL_OK;
    if (f->h5->Dset_extent(dataset, size) < 0)
        return write_failed(f, column ? column->name : "starts");
    return move_rows(f, dataset, column, first, n, NULL, from);
}

shoal_status results_set_number(const results_file *f, const char *name, int64_t value)
{
    const hdf5_library *h5 = f->h5;
    const hid_t id = h5->Aopen(f->id, name, H5P_DEFAULT);
    const shoal_status status = id >= 0 && h5->Awrite(id, *h5->NATIVE_INT64, &value) >= 0
                                    ? SHOAL_OK
                                    : write_failed(f, name);
    if (id >= 0) (void)h5->Aclose(id);
    return status;
}

/* --- finding -------------------------------------------------------------------------------------- */

char *results_get_text(const results_file *f, const char *name)
{
    const hdf5_library *h5 = f->h5;
    const hid_t id = h5->Aopen(f->id, name, H5P_DEFAULT);
    const hid_t type = id >= 0 ? h5->Aget_type(id) : -1;
    const bool good =
        type >= 0 && h5->Tget_class(type) == H5T_STRING && h5->Tis_variable_str(type) == 0;
    char *text = good ? shoal_alloc(h5->Tget_size(type) + 1, 1) : NULL;
    if (text && h5->Aread(id, type, text) < 0) {
        free(text);
        text = NULL;
    }
    if (type >= 0) (void)h5->Tclose(type);
    if (id >= 0) (void)h5->Aclose(id);
    return text;
}

int64_t results_get_number(const results_file *f, const char *name)
{
    const hdf5_library *h5 = f->h5;
    int64_t value = 0;
    const hid_t id = h5->Aopen(f->id, name, H5P_DEFAULT);
    const hid_t space = id >= 0 ? h5->Aget_space(id) : -1;
    if (space >= 0 && h5->Sget_simple_extent_npoints(space) == 1 &&
        h5->Aread(id, *h5->NATIVE_INT64, &value) < 0)
        value = 0;
    if (space >= 0) (void)h5->Sclose(space);
    if (id >= 0) (void)h5->Aclose(id);
    return value;
}

/* Numbers per row of a dataset, 0 where it has not the dimensions of its column. */
static hsize_t find_width(const results_file *f, hid_t dataset, const results_column *column)
{
    hsize_t size[2] = {0, 1};
    const hid_t space = f->h5->Dget_space(dataset);
    const bool good = space >= 0 &&
                      f->h5->Sget_simple_extent_ndims(space) == count_dimensions(column) &&
                      f->h5->Sget_simple_extent_dims(space, size, NULL) > 0;
    if (space >= 0) (void)f->h5->Sclose(space);
    return good ? size[1] : 0;
}

static shoal_status find_dataset(results_file *f, const char *name, const results_column *column,
                                 hid_t access, hid_t *out)
{
    const hid_t id = f->h5->Dopen2(f->id, name, access);
    if (id < 0) return shoal_fail(SHOAL_E_FORMAT, "%s: damaged: '%s' is missing", f->path, name);
    *out = id;
    const hsize_t width = find_width(f, id, column);
    if (column && column->width == RESULTS_TERMS && width <= 1000) f->n_terms = (uint32_t)width;
    if (width == 0 || width != count_numbers(f, column))
        return shoal_fail(SHOAL_E_FORMAT, "%s: damaged: '%s' has another shape", f->path, name);
    return SHOAL_OK;
}

static shoal_status find_datasets(results_file *f, hid_t access)
{
    f->flags = 0;
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c) {
        const shoal_status status =
            find_dataset(f, results_columns[c].name, &results_columns[c], access, &f->column[c]);
        const uint32_t flag = results_column_flag(c);
        if (status != SHOAL_OK && (!flag || f->flags & flag || f->column[c] > 0)) return status;
        if (status == SHOAL_OK) f->flags |= flag;
    }
    for (int a = 0; a < RESULTS_N_AXES; ++a)
        if (results_starts[a])
            SHOAL_TRY(find_dataset(f, results_starts[a], NULL, access, &f->starts[a]));
    return find_dataset(f, RESULTS_CHECKSUM, NULL, access, &f->checksum);
}

shoal_status results_file_find(results_file *f, bool writes)
{
    char *format = results_get_text(f, "format");
    const bool good = format && strcmp(format, RESULTS_FORMAT) == 0;
    free(format);
    if (!good)
        return shoal_fail(SHOAL_E_FORMAT, "%s: an HDF5 file, but not results of shoal", f->path);
    const int64_t version = results_get_number(f, "version");
    if (version != RESULTS_VERSION)
        return shoal_fail(SHOAL_E_FORMAT, "%s: results of version %lld, expected %d", f->path,
                          (long long)version, RESULTS_VERSION);
    if (!writes) return find_datasets(f, H5P_DEFAULT);
    /* Rows are only appended, many at once: they go to the disk as they are, by way of no cache. */
    const hid_t access = f->h5->Pcreate(*f->h5->DATASET_ACCESS);
    (void)f->h5->Pset_chunk_cache(access, 1, 0, 1.0);
    const shoal_status status = find_datasets(f, access);
    (void)f->h5->Pclose(access);
    return status;
}

bool results_file_close(results_file *f)
{
    bool good = close_datasets(f);
    if (f->id > 0 && f->h5->Fclose(f->id) < 0) good = false;
    f->id = 0;
    return good;
}
#endif
