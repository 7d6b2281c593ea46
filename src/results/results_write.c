/* SPDX-License-Identifier: BSD-3-Clause
 * Files of results, written: records are cut into columns in memory, which reach the file in pieces.
 *
 * Single writer, multiple readers (SWMR): HDF5 orders what it writes such that a file makes sense at every moment,
 * to readers now and to shoal_results_create after the end of its writer, however sudden. A file gets its
 * name only when this order is kept; one whose writer was ended is copied and never written again. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "results/results_disk.h"
#include "results/results_file.h"
#include "shoal/results.h"

#ifdef SHOAL_HAVE_HDF5

/* A piece: so many bytes, or what a second brought. */
enum { PIECE_BYTES = 8 << 20, PIECE_SECONDS = 1 };

/* Rows on their way into a dataset. */
typedef struct row_buffer {
    char *bytes;
    size_t size, capacity;
} row_buffer;

struct shoal_results {
    results_file file;
    results_disk disk;
    char *path, *new_path, *lock_path;
    int lock; /* -1: none */
    size_t row_size[RESULTS_N_COLUMNS];
    row_buffer column[RESULTS_N_COLUMNS], starts[RESULTS_N_AXES], checksum;
    size_t buffered;                /* bytes in all of them */
    int64_t n_rows[RESULTS_N_AXES]; /* with those on their way */
    int64_t in_file[RESULTS_N_AXES];
    uint64_t hash;     /* of the checksums of all records */
    double last_piece; /* seconds */
    bool closed;
    shoal_status failed; /* of the first failure, after which nothing is written */
    char why[512];
};

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- failures ------------------------------------------------------------------------------------- */

static shoal_status failed_before(const shoal_results *results)
{
    return shoal_fail(results->failed, "%s", results->why);
}

/* Remembers a failure of HDF5 or, which tells more, of the disk under it; returns its status. */
static shoal_status fail(shoal_results *results, shoal_status status)
{
    if (results->disk.error != 0) status = results_disk_check(&results->disk, results->path);
    if (results->failed != SHOAL_OK || status == SHOAL_OK) return status;
    results->failed = status;
    (void)snprintf(results->why, sizeof results->why, "%s", shoal_error_text());
    return failed_before(results);
}

/* --- pieces --------------------------------------------------------------------------------------- */

static shoal_status append(row_buffer *to, const void *rows, size_t size)
{
    if (to->capacity - to->size < size) {
        const size_t wanted = 2 * (to->size + size) + 4096;
        char *bigger = realloc(to->bytes, wanted);
        if (!bigger) return shoal_fail(SHOAL_E_MEMORY, "out of memory: %zu bytes", wanted);
        to->bytes = bigger;
        to->capacity = wanted;
    }
    memcpy(to->bytes + to->size, rows, size);
    to->size += size;
    return SHOAL_OK;
}

static shoal_status put_column(shoal_results *results, int c)
{
    const results_file *f = &results->file;
    const results_column *column = &results_columns[c];
    row_buffer *rows = &results->column[c];
    const int64_t first = results->in_file[column->axis];
    const int64_t n = results->n_rows[column->axis] - first;
    if (results->row_size[c] == 0) return SHOAL_OK;
    SHOAL_TRY(results_append_rows(f, f->column[c], column, first, n, rows->bytes));
    rows->size = 0;
    return SHOAL_OK;
}

/* One number per system, of which the file has some already; and one more before the first of starts. */
static shoal_status put_numbers(shoal_results *results, hid_t dataset, int64_t before,
                                row_buffer *numbers)
{
    const int64_t first = results->in_file[RESULTS_SYSTEM];
    const int64_t n = results->n_rows[RESULTS_SYSTEM] - first;
    SHOAL_TRY(
        results_append_rows(&results->file, dataset, NULL, before + first, n, numbers->bytes));
    numbers->size = 0;
    return SHOAL_OK;
}

static shoal_status flush(const shoal_results *results)
{
    const results_file *f = &results->file;
    if (f->h5->Fflush(f->id, H5F_SCOPE_GLOBAL) < 0) return results_failed(f, "flush");
    return results_disk_check(&results->disk, results->path);
}

/* Everything gathered so far goes into the file, where readers find it: the index last, which
 * promises all the others. */
static shoal_status put_piece(shoal_results *results)
{
    results->last_piece = now();
    if (results->n_rows[RESULTS_SYSTEM] == results->in_file[RESULTS_SYSTEM]) return SHOAL_OK;
    for (int c = RESULTS_N_COLUMNS - 1; c > RESULTS_INDEX; --c) SHOAL_TRY(put_column(results, c));
    for (int a = 0; a < RESULTS_N_AXES; ++a)
        if (results_starts[a])
            SHOAL_TRY(put_numbers(results, results->file.starts[a], 1, &results->starts[a]));
    SHOAL_TRY(put_numbers(results, results->file.checksum, 0, &results->checksum));
    SHOAL_TRY(flush(results));
    SHOAL_TRY(put_column(results, RESULTS_INDEX));
    SHOAL_TRY(flush(results));
    memcpy(results->in_file, results->n_rows, sizeof results->in_file);
    results->buffered = 0;
    return SHOAL_OK;
}

/* --- write ---------------------------------------------------------------------------------------- */

static shoal_status take_record(shoal_results *results, const char *bytes, const results_head *head)
{
    const char *from = bytes + sizeof *head;
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c) {
        const size_t size = head->rows[results_columns[c].axis] * results->row_size[c];
        if (size == 0) continue;
        SHOAL_TRY(append(&results->column[c], from, size));
        from += size;
    }
    for (int a = 0; a < RESULTS_N_AXES; ++a) {
        results->n_rows[a] += head->rows[a];
        if (results_starts[a])
            SHOAL_TRY(append(&results->starts[a], &results->n_rows[a], sizeof results->n_rows[a]));
    }
    const int64_t checksum = results_checksum(bytes, (size_t)head->size);
    results->buffered += head->size;
    results->hash = results_hash_add(results->hash, checksum);
    return append(&results->checksum, &checksum, sizeof checksum);
}

/* Whole records of the kind that this file holds, all of them: nothing is taken otherwise. */
static shoal_status check_records(const shoal_results *results, const char *bytes, size_t n)
{
    const results_file *f = &results->file;
    results_head head;
    for (size_t at = 0; at < n; at += (size_t)head.size) {
        SHOAL_TRY(results_head_read(bytes + at, n - at, &head));
        if ((head.flags ^ f->flags) & ~(uint32_t)RESULTS_HAS_FORCES)
            return shoal_fail(
                SHOAL_E_ARGUMENT,
                "%s: either a record or the file is without variants, adsorption or dynamics",
                results->path);
        if (head.flags != f->flags || head.n_terms != f->n_terms)
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "%s: a record with%s forces and %u terms, the file is %s and has %u",
                              results->path, head.flags & RESULTS_HAS_FORCES ? "" : "out",
                              head.n_terms, f->flags & RESULTS_HAS_FORCES ? "with" : "without",
                              f->n_terms);
    }
    return SHOAL_OK;
}

/* Between lock and unlock. */
static shoal_status write_records(shoal_results *results, const char *bytes, size_t n)
{
    results_head head;
    for (size_t at = 0; at < n; at += (size_t)head.size) {
        memcpy(&head, bytes + at, sizeof head);
        SHOAL_TRY(take_record(results, bytes + at, &head));
        if (results->buffered >= PIECE_BYTES) SHOAL_TRY(put_piece(results));
    }
    return now() - results->last_piece >= PIECE_SECONDS ? put_piece(results) : SHOAL_OK;
}

static shoal_status check_open(const shoal_results *results)
{
    if (results->failed != SHOAL_OK) return failed_before(results);
    if (results->closed)
        return shoal_fail(SHOAL_E_ARGUMENT, "%s: the file is closed", results->path);
    return SHOAL_OK;
}

shoal_status shoal_results_write(shoal_results *results, const char *bytes, size_t n)
{
    shoal_clear_error();
    SHOAL_NEED(results && bytes);
    SHOAL_TRY(check_open(results));
    SHOAL_TRY(check_records(results, bytes, n));
    const hdf5_quiet before = hdf5_library_lock(results->file.h5);
    const shoal_status status = fail(results, write_records(results, bytes, n));
    hdf5_library_unlock(results->file.h5, before);
    return status;
}

uint64_t results_hash(const shoal_results *results)
{
    return results->hash;
}

/* --- sync ----------------------------------------------------------------------------------------- */

static shoal_status sync_file(shoal_results *results)
{
    SHOAL_TRY(put_piece(results));
    SHOAL_TRY(flush(results));
    results_disk_sync(&results->disk);
    return results_disk_check(&results->disk, results->path);
}

shoal_status shoal_results_sync(shoal_results *results, int64_t *n_systems)
{
    shoal_clear_error();
    SHOAL_NEED(results && n_systems);
    SHOAL_TRY(check_open(results));
    const hdf5_quiet before = hdf5_library_lock(results->file.h5);
    const shoal_status status = fail(results, sync_file(results));
    hdf5_library_unlock(results->file.h5, before);
    if (status == SHOAL_OK) *n_systems = results->in_file[RESULTS_SYSTEM];
    return status;
}

/* --- create --------------------------------------------------------------------------------------- */

/* One writer at a time: "PATH.lock" is locked. A name that went to another file meanwhile, as an
 * earlier writer removed it at its end, does not count. */
static shoal_status take_lock(shoal_results *results)
{
    struct stat mine, there;
    for (int turn = 0; turn < 100; ++turn) {
        const int lock = open(results->lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (lock < 0)
            return shoal_fail(SHOAL_E_IO, "%s: cannot be created: %s", results->lock_path,
                              strerror(errno));
        /* Some file systems know no locks: there it is up to the caller. */
        if (flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            (void)close(lock);
            return shoal_fail(SHOAL_E_IO, "%s: another process is writing it", results->path);
        }
        if (fstat(lock, &mine) == 0 && stat(results->lock_path, &there) == 0 &&
            mine.st_ino == there.st_ino && mine.st_dev == there.st_dev) {
            results->lock = lock;
            return SHOAL_OK;
        }
        (void)close(lock);
    }
    return shoal_fail(SHOAL_E_IO, "%s: cannot be locked", results->path);
}

/* SWMR needs the format of 1.10; later ones are not asked for, so that 1.10 can read. */
static shoal_status make_file(shoal_results *results, const shoal_results_header *header)
{
    results_file *f = &results->file;
    SHOAL_TRY(results_disk_open(&results->disk, f->h5, results->new_path));
    const hid_t access = f->h5->Pcreate(*f->h5->FILE_ACCESS);
    (void)f->h5->Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    const hid_t id = results_disk_use(&results->disk, access)
                         ? f->h5->Fcreate(results->new_path, H5F_ACC_TRUNC, H5P_DEFAULT, access)
                         : -1;
    const shoal_status status = id >= 0 ? SHOAL_OK : results_failed(f, "be created");
    (void)f->h5->Pclose(access);
    SHOAL_TRY(status);
    f->id = id;
    SHOAL_TRY(results_file_make(f, header));
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c)
        results->row_size[c] = results_row_size(&results_columns[c], f->flags, f->n_terms);
    /* The next call reads back what was written, and would not bear that it is not there. */
    SHOAL_TRY(flush(results));
    if (f->h5->Fstart_swmr_write(f->id) < 0) return results_failed(f, "be shared with readers");
    SHOAL_TRY(results_file_find(f, true));
    shoal_clear_error(); /* a file was asked for columns that not all have */
    return SHOAL_OK;
}

/* The name of a file is on the disk when its directory is. */
static void sync_directory(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *directory = shoal_strdup(slash ? path : ".");
    if (!directory) return;
    if (slash) directory[slash == path ? 1 : slash - path] = '\0';
    const int number = open(directory, O_RDONLY | O_CLOEXEC);
    if (number >= 0) {
        (void)fsync(number);
        (void)close(number);
    }
    free(directory);
}

/* The first keep systems of the file that has the name. */
static shoal_status copy_systems(shoal_results *results, int64_t keep)
{
    shoal_results_reader *reader = NULL;
    shoal_string record = {0};
    if (shoal_results_open(&reader, results->path) != SHOAL_OK) {
        char why[256];
        (void)snprintf(why, sizeof why, "%s", shoal_error_text());
        return shoal_fail(SHOAL_E_IO, "%s (%lld systems of an earlier run were to be kept)", why,
                          (long long)keep);
    }
    const int64_t there = shoal_results_n_systems(reader);
    shoal_status status = SHOAL_OK;
    if (there < keep)
        status = shoal_fail(SHOAL_E_IO, "%s: has %lld systems, but %lld were to be kept",
                            results->path, (long long)there, (long long)keep);
    for (int64_t i = 0; i < keep && status == SHOAL_OK; ++i) {
        shoal_string_clear(&record);
        status = shoal_results_read(reader, i, &record);
        if (status == SHOAL_OK) status = shoal_results_write(results, record.data, record.size);
    }
    shoal_string_free(&record);
    /* The text of a failure is that of the copy. */
    shoal_results_reader_destroy(reader);
    return status;
}

static shoal_status begin(shoal_results *results, const shoal_results_header *header, int64_t keep)
{
    const hdf5_library *h5 = results->file.h5;
    int64_t n = 0;
    SHOAL_TRY(take_lock(results));
    results->last_piece = now();
    const hdf5_quiet before = hdf5_library_lock(h5);
    const shoal_status status = fail(results, make_file(results, header));
    hdf5_library_unlock(h5, before);
    SHOAL_TRY(status);
    if (keep > 0) SHOAL_TRY(copy_systems(results, keep));
    SHOAL_TRY(shoal_results_sync(results, &n));
    if (rename(results->new_path, results->path) != 0)
        return shoal_fail(SHOAL_E_IO, "%s: cannot be given its name: %s", results->path,
                          strerror(errno));
    sync_directory(results->path);
    return SHOAL_OK;
}

/* A name with an ending, to be freed; NULL without memory. */
static char *join(const char *path, const char *ending)
{
    const size_t size = strlen(path) + strlen(ending) + 1;
    char *name = shoal_alloc(size, 1);
    if (name) (void)snprintf(name, size, "%s%s", path, ending);
    return name;
}

shoal_status shoal_results_create(shoal_results **out, const char *path,
                                  const shoal_results_header *header, int64_t keep)
{
    shoal_clear_error();
    SHOAL_NEED(out && path && header);
    *out = NULL;
    const hdf5_library *h5;
    SHOAL_TRY(hdf5_library_get(&h5));
    shoal_results *results = shoal_alloc(1, sizeof *results);
    if (!results) return SHOAL_E_MEMORY;
    results->lock = results->disk.number = -1;
    results->hash = HASH_START;
    results->path = join(path, "");
    results->new_path = join(path, ".new");
    results->lock_path = join(path, ".lock");
    results->file = (results_file){.h5 = h5, .path = results->path};
    const bool named = results->path && results->new_path && results->lock_path;
    const shoal_status status = named ? begin(results, header, keep) : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) {
        *out = results;
        return SHOAL_OK;
    }
    if (results->lock >= 0) (void)unlink(results->new_path);
    shoal_results_destroy(results);
    return status;
}

/* --- the end -------------------------------------------------------------------------------------- */

static void drop_lock(shoal_results *results)
{
    if (results->lock < 0) return;
    (void)unlink(results->lock_path);
    (void)close(results->lock);
    results->lock = -1;
}

/* The file is complete when all of its rows are on the disk. The last words are written by the close itself. */
static shoal_status end_file(shoal_results *results)
{
    SHOAL_TRY(sync_file(results));
    SHOAL_TRY(results_set_number(&results->file, "complete", 1));
    SHOAL_TRY(flush(results));
    if (!results_file_close(&results->file)) return results_failed(&results->file, "be closed");
    results_disk_sync(&results->disk);
    return SHOAL_OK;
}

shoal_status shoal_results_close(shoal_results *results)
{
    shoal_clear_error();
    SHOAL_NEED(results);
    SHOAL_TRY(check_open(results));
    const hdf5_quiet before = hdf5_library_lock(results->file.h5);
    const shoal_status status = fail(results, end_file(results));
    hdf5_library_unlock(results->file.h5, before);
    results->closed = true;
    if (status == SHOAL_OK) drop_lock(results);
    return status;
}

void shoal_results_destroy(shoal_results *results)
{
    if (!results) return;
    if (results->file.id > 0) {
        const hdf5_quiet before = hdf5_library_lock(results->file.h5);
        (void)results_file_close(&results->file);
        hdf5_library_unlock(results->file.h5, before);
    }
    results_disk_close(&results->disk);
    drop_lock(results);
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c) free(results->column[c].bytes);
    for (int a = 0; a < RESULTS_N_AXES; ++a) free(results->starts[a].bytes);
    free(results->checksum.bytes);
    free(results->path);
    free(results->new_path);
    free(results->lock_path);
    free(results);
}

#else

static shoal_status refuse(const char *path)
{
    return shoal_fail(SHOAL_E_UNSUPPORTED, "%s: this build has no HDF5, results cannot be written",
                      path);
}

shoal_status shoal_results_create(shoal_results **out, const char *path,
                                  const shoal_results_header *header, int64_t keep)
{
    shoal_clear_error();
    (void)keep;
    SHOAL_NEED(out && path && header);
    *out = NULL;
    return refuse(path);
}

shoal_status shoal_results_write(shoal_results *results, const char *bytes, size_t n)
{
    shoal_clear_error();
    (void)n;
    SHOAL_NEED(results && bytes);
    return refuse("results");
}

shoal_status shoal_results_sync(shoal_results *results, int64_t *n_systems)
{
    shoal_clear_error();
    SHOAL_NEED(results && n_systems);
    return refuse("results");
}

shoal_status shoal_results_close(shoal_results *results)
{
    shoal_clear_error();
    SHOAL_NEED(results);
    return refuse("results");
}

void shoal_results_destroy(shoal_results *results)
{
    (void)results;
}

uint64_t results_hash(const shoal_results *results)
{
    (void)results;
    return HASH_START;
}
#endif
