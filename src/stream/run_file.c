/* SPDX-License-Identifier: BSD-3-Clause
 * A file that a run writes. */
#include "stream/run_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "io/gzip.h"
#include "io/writer.h"
#include "results/results_record.h"

#define PIECE ((size_t)1 << 16)
#define WAITING ((size_t)16 << 20) /* what may wait for being written */
#define CHUNK ((size_t)1 << 20)    /* of reading; words of eight bytes */

/* --- names --------------------------------------------------------------------------------------- */

static bool ends_with(const char *text, size_t n, const char *ending)
{
    const size_t k = strlen(ending);
    return n >= k && strncasecmp(text + n - k, ending, k) == 0;
}

bool shoal_path_is_same(const char *a, const char *b)
{
    struct stat of_a, of_b;
    if (!a || !b) return false;
    if (strcmp(a, b) == 0) return true;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino && S_ISREG(of_a.st_mode);
}

void run_file_choose(run_file *f, const shoal_run_output *output)
{
    struct stat info;
    const char *path = output->path;
    *f = (run_file){.output = output, .hash = HASH_START};
    f->is_file =
        path && strcmp(path, "-") != 0 && (stat(path, &info) != 0 || S_ISREG(info.st_mode));
}

static bool is_hdf5(const run_file *f)
{
    return f->output->kind == SHOAL_OUTPUT_HDF5;
}

static char *join(const char *path, const char *ending)
{
    const size_t n = strlen(path) + strlen(ending) + 1;
    char *name = shoal_alloc(n, 1);
    if (name) (void)snprintf(name, n, "%s%s", path, ending);
    return name;
}

static shoal_status name_part(run_file *f)
{
    if (!f->part) f->part = join(f->output->path, is_hdf5(f) ? "" : ".partial");
    return f->part ? SHOAL_OK : SHOAL_E_MEMORY;
}

/* --- what is kept -------------------------------------------------------------------------------- */

/* Goes on with the hash of a file up to a size; what is behind the last whole word waits for more. False where the file
 * cannot be read so far. */
static bool hash_text_file(run_file *f, const char *path, int64_t size, uint64_t *hash)
{
    char *buffer = malloc(CHUNK);
    const int fd = buffer ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    bool ok = fd >= 0;
    *hash = f->hash;
    while (ok && f->hashed < size) {
        const size_t left = (size_t)(size - f->hashed), want = left < CHUNK ? left : CHUNK;
        size_t n = 0;
        while (ok && n < want) {
            const ssize_t got = pread(fd, buffer + n, want - n, f->hashed + (off_t)n);
            ok = got > 0;
            if (ok) n += (size_t)got;
        }
        if (!ok) break;
        *hash = hash_words(f->hash, buffer, n);
        if (n % sizeof(uint64_t) != 0) break; /* the end */
        f->hash = *hash;
        f->hashed += (int64_t)n;
    }
    if (ok && f->hashed < size) {
        const size_t rest = (size_t)(size - f->hashed), whole = rest - rest % sizeof(uint64_t);
        f->hash = hash_words(f->hash, buffer, whole);
        f->hashed += (int64_t)whole;
    }
    if (fd >= 0) (void)close(fd);
    free(buffer);
    return ok;
}

static shoal_status refuse_kept(const char *path, const char *why)
{
    return shoal_fail(SHOAL_E_IO, "%s: %s since the checkpoint; the run cannot go on with it", path,
                      why);
}

/* Decodes whole members of a gzip file. */
static shoal_status unpack(char *bytes, size_t size, const char *path, shoal_string *out)
{
    shoal_gunzip *gz;
    SHOAL_TRY(shoal_gunzip_create(&gz, path));
    char *piece = malloc(CHUNK);
    shoal_window in = {(unsigned char *)bytes, size};
    const char *wrong = piece ? NULL : "out of memory";
    for (bool more = true; more && !wrong;) {
        shoal_window room = {(unsigned char *)piece, CHUNK};
        wrong = shoal_gunzip_run(gz, &in, &room);
        shoal_string_put(out, piece, CHUNK - room.left);
        more = room.left < CHUNK;
    }
    if (!wrong && !shoal_gunzip_complete(gz)) wrong = "it is cut";
    shoal_gunzip_destroy(gz);
    free(piece);
    return wrong ? shoal_fail(SHOAL_E_FORMAT, "%s: damaged gzip data: %s", path, wrong)
                 : shoal_string_status(out);
}

/* A journal is given back as it was handed on, whatever its file does with it. */
static shoal_status replay_bytes(const shoal_run_output *o, char *bytes, size_t size)
{
    shoal_string text = {0};
    if (!ends_with(o->path, strlen(o->path), ".gz")) return o->replay(o->user, bytes, size);
    shoal_status status = unpack(bytes, size, o->path, &text);
    if (status == SHOAL_OK)
        status = o->replay(o->user, shoal_string_data(&text), shoal_string_size(&text));
    shoal_string_free(&text);
    return status;
}

static shoal_status replay_text(const run_file *f, const char *path, int64_t size)
{
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc((size_t)size + 1) : NULL;
    shoal_status status = SHOAL_E_IO;
    if (text && fread(text, 1, (size_t)size, file) == (size_t)size)
        status = replay_bytes(f->output, text, (size_t)size);
    else
        status = shoal_fail(SHOAL_E_IO, "%s: the work of the run before cannot be read", path);
    if (file) (void)fclose(file);
    free(text);
    return status;
}

static shoal_status check_text(run_file *f, const char *path, const checkpoint_output *kept)
{
    struct stat info;
    uint64_t hash;
    if (stat(path, &info) != 0) return refuse_kept(path, "it is gone");
    if (info.st_size < kept->size) return refuse_kept(path, "it has become shorter");
    if (!hash_text_file(f, path, kept->size, &hash))
        return shoal_fail(SHOAL_E_IO, "%s: cannot be read: %s", path, strerror(errno));
    if (hash != kept->hash) return refuse_kept(path, "it has changed");
    return f->output->replay && kept->size > 0 ? replay_text(f, path, kept->size) : SHOAL_OK;
}

static shoal_status check_records(run_file *f, shoal_results_reader *reader,
                                  const checkpoint_output *kept, shoal_string *records)
{
    const shoal_run_output *o = f->output;
    if (shoal_results_n_systems(reader) < kept->size)
        return refuse_kept(o->path, "it has become shorter");
    for (int64_t i = 0; i < kept->size; ++i) {
        const size_t before = shoal_string_size(records);
        SHOAL_TRY(shoal_results_read(reader, i, records));
        f->hash = results_hash_add(f->hash, results_checksum(shoal_string_data(records) + before,
                                                             shoal_string_size(records) - before));
        if (shoal_string_size(records) < CHUNK && i < kept->size - 1) continue;
        if (o->replay)
            SHOAL_TRY(o->replay(o->user, shoal_string_data(records), shoal_string_size(records)));
        shoal_string_clear(records);
    }
    return f->hash == kept->hash ? SHOAL_OK : refuse_kept(o->path, "it has changed");
}

static shoal_status check_hdf5(run_file *f, const checkpoint_output *kept)
{
    shoal_results_reader *reader = NULL;
    shoal_string records = {0};
    if (access(f->output->path, F_OK) != 0) return refuse_kept(f->output->path, "it is gone");
    shoal_status status = shoal_results_open(&reader, f->output->path);
    if (status == SHOAL_OK) status = check_records(f, reader, kept, &records);
    shoal_string_free(&records);
    shoal_results_reader_destroy(reader);
    return status;
}

/* An HDF5 file whose writer has closed it. */
static bool is_closed(const char *path)
{
    shoal_results_reader *reader = NULL;
    const bool closed =
        shoal_results_open(&reader, path) == SHOAL_OK && shoal_results_is_complete(reader);
    shoal_results_reader_destroy(reader);
    return closed;
}

shoal_status run_file_is_complete(run_file *f, const checkpoint_output *kept, bool *complete)
{
    *complete = !f->output->path; /* there is nothing to name */
    if (!f->is_file) return SHOAL_OK;
    SHOAL_TRY(name_part(f));
    if (is_hdf5(f))
        *complete = is_closed(f->part);
    else
        *complete = access(f->part, F_OK) != 0 && access(f->output->path, F_OK) == 0;
    if (!*complete) return SHOAL_OK;
    return is_hdf5(f) ? check_hdf5(f, kept) : check_text(f, f->output->path, kept);
}

/* --- what it replaces ---------------------------------------------------------------------------- */

/* What an earlier run left is kept until this one is done. */
static void put_aside(run_file *f)
{
    struct stat info;
    if (stat(f->part, &info) != 0 || info.st_size == 0) return;
    char *old = join(f->part, ".old");
    f->has_aside = old && rename(f->part, old) == 0;
    free(old);
}

/* At the end it is forgotten, or comes back. */
static void end_aside(const char *path, bool comes_back)
{
    char *old = join(path, ".old");
    if (old && comes_back) (void)rename(old, path);
    if (old && !comes_back) (void)unlink(old);
    free(old);
}

/* True while another process writes the part. */
static bool is_locked(const run_file *f)
{
    char *name = join(f->part, is_hdf5(f) ? ".lock" : "");
    const int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    const bool locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0) (void)close(fd);
    free(name);
    return locked;
}

/* A whole file of results, or part of a run that could be gone on with. */
static bool is_worth_keeping(const run_file *f, bool has_work)
{
    return has_work || (is_hdf5(f) && is_closed(f->part));
}

/* --- the file ------------------------------------------------------------------------------------ */

/* The size of the first systems of a text, of about PIECE bytes; all of it where their ends are not seen easily. */
static size_t first_piece(const shoal_run_output *o, const char *text, size_t n)
{
    const bool is_sdf = o->kind == SHOAL_OUTPUT_MOLECULES && o->format == SHOAL_FORMAT_SDF;
    const char *ending = is_sdf ? "\n$$$$\n" : "\n";
    const size_t k = strlen(ending);
    if (n <= PIECE || (o->kind == SHOAL_OUTPUT_MOLECULES && !is_sdf)) return n;
    for (size_t end = PIECE; end >= k; --end)
        if (text[end - 1] == '\n' && memcmp(text + end - k, ending, k) == 0) return end;
    return n;
}

static shoal_status write_now(void *user, const char *bytes, size_t n)
{
    run_file *f = user;
    if (f->results) return shoal_results_write(f->results, bytes, n);
    /* When the disk is full, what is written stays whole up to the end of a piece. */
    while (f->writer && n > 0) {
        const size_t piece = first_piece(f->output, bytes, n);
        SHOAL_TRY(shoal_writer_append(f->writer, bytes, piece));
        bytes += piece;
        n -= piece;
    }
    return SHOAL_OK;
}

static shoal_status open_it(run_file *f, int64_t keep, const shoal_results_header *header)
{
    const shoal_run_output *o = f->output;
    f->resumed = keep >= 0;
    if (f->n_threads > 1 && f->is_file)
        SHOAL_TRY(write_queue_create(&f->queue, write_now, f, WAITING));
    if (is_hdf5(f)) return shoal_results_create(&f->results, f->part, header, keep);
    const shoal_format format = o->kind == SHOAL_OUTPUT_MOLECULES ? o->format : SHOAL_FORMAT_NONE;
    SHOAL_TRY(shoal_writer_open_as(&f->writer, o->path, format, f->part, keep));
    writer_share(f->writer, f->n_threads);
    return SHOAL_OK;
}

shoal_status run_file_open(run_file *f, const checkpoint_output *kept, bool has_work,
                           const shoal_results_header *header)
{
    if (!f->output->path) return SHOAL_OK;
    SHOAL_TRY(name_part(f));
    /* Nothing had been written. */
    if (kept && kept->size == 0 && access(f->part, F_OK) != 0) kept = NULL;
    if (kept && f->is_file) {
        SHOAL_TRY(is_hdf5(f) ? check_hdf5(f, kept) : check_text(f, f->part, kept));
        return open_it(f, kept->size, header);
    }
    if (f->is_file && is_locked(f))
        return shoal_fail(SHOAL_E_IO, "%s: another run is writing it", f->part);
    if (f->is_file && is_worth_keeping(f, has_work)) put_aside(f);
    return open_it(f, -1, header);
}

bool run_file_is_open(const run_file *f)
{
    return f->results || f->writer;
}

shoal_status run_file_write(run_file *f, const char *bytes, size_t n)
{
    return f->queue ? write_queue_put(f->queue, bytes, n) : write_now(f, bytes, n);
}

shoal_status run_file_wait(run_file *f)
{
    return f->queue ? write_queue_wait(f->queue) : SHOAL_OK;
}

shoal_status run_file_sync(run_file *f, checkpoint_output *out)
{
    SHOAL_TRY(run_file_wait(f));
    if (f->results) {
        out->hash = results_hash(f->results);
        return shoal_results_sync(f->results, &out->size);
    }
    SHOAL_TRY(shoal_writer_sync(f->writer, &out->size));
    if (hash_text_file(f, f->part, out->size, &out->hash)) return SHOAL_OK;
    return shoal_fail(SHOAL_E_IO, "%s: what was written cannot be read: %s", f->part,
                      strerror(errno));
}

/* What was handed on goes to the disk; the writer keeps the whole pieces of what it could not write. */
static shoal_status close_part(run_file *f)
{
    int64_t size;
    return f->results ? shoal_results_sync(f->results, &size)
                      : shoal_writer_close_as(f->writer, f->part);
}

static bool is_empty(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && info.st_size == 0;
}

shoal_status run_file_close(run_file *f, bool complete, bool keep)
{
    write_queue_destroy(f->queue); /* who wants to know what failed has waited */
    f->queue = NULL;
    shoal_status status = SHOAL_OK;
    const bool is_part = f->results || (f->writer && shoal_writer_part(f->writer));
    if (complete && run_file_is_open(f))
        status = f->results ? shoal_results_close(f->results) : shoal_writer_close(f->writer);
    if (!complete && keep && is_part) status = close_part(f);
    if (!complete && f->writer && !is_part) (void)shoal_writer_close(f->writer); /* what is done */
    shoal_results_destroy(f->results);
    shoal_writer_destroy(f->writer);
    if (is_part && !complete && !f->resumed && (!keep || is_empty(f->part))) {
        (void)unlink(f->part);
        if (f->has_aside) end_aside(f->part, true);
    }
    if (is_part && complete && status == SHOAL_OK && f->has_aside && is_hdf5(f))
        end_aside(f->part, false);
    free(f->part);
    *f = (run_file){.output = f->output, .is_file = f->is_file};
    return status;
}

/* --- kinds --------------------------------------------------------------------------------------- */

/* The name of a format: what follows the last point of a path, but for .gz. */
static void format_of_path(const char *path, char format[16])
{
    size_t n = strlen(path);
    if (ends_with(path, n, ".gz")) n -= 3;
    const char *dot = NULL;
    for (size_t i = 0; i < n; ++i)
        if (path[i] == '.' || path[i] == '/') dot = path[i] == '.' ? path + i : NULL;
    const size_t size = dot ? (size_t)(path + n - dot) - 1 : 0;
    (void)snprintf(format, 16, "%.*s", size < 16 ? (int)size : 0, dot ? dot + 1 : "");
}

static bool choose_kind(shoal_run_output *o, const char *format)
{
    static const struct {
        const char *name;
        shoal_output_kind kind;
    } names[] = {{"json", SHOAL_OUTPUT_TEXT},   {"jsonl", SHOAL_OUTPUT_TEXT},
                 {"csv", SHOAL_OUTPUT_CSV},     {"ndjson", SHOAL_OUTPUT_TEXT},
                 {"h5", SHOAL_OUTPUT_HDF5},     {"hdf5", SHOAL_OUTPUT_HDF5},
                 {"tsv", SHOAL_OUTPUT_FF_TABLE}};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        if (strcasecmp(format, names[k].name) != 0) continue;
        o->kind = names[k].kind;
        o->format = SHOAL_FORMAT_NONE;
        return true;
    }
    o->kind = SHOAL_OUTPUT_MOLECULES;
    o->format = shoal_format_by_name(format);
    if (strcasecmp(format, "mol") == 0) return false; /* has one molecule and no data */
    return shoal_format_is_written(o->format);
}

shoal_status shoal_run_output_choose(shoal_run_output *out, const char *path, const char *format)
{
    static const char expected[] = "xyz, extxyz, sdf, mol2, cif, poscar, pdb, jsonl, csv or h5";
    char found[16];
    run_file f;
    shoal_clear_error();
    SHOAL_NEED(out && path);
    *out = (shoal_run_output){.path = path};
    format_of_path(path, found);
    if (!choose_kind(out, found) && !(format && choose_kind(out, format))) {
        if (format) return shoal_fail(SHOAL_E_ARGUMENT, "'%s': expected %s", format, expected);
        if (strcmp(path, "-") == 0)
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "standard output has no name that tells the format; expected xyz, "
                              "extxyz, sdf, mol2, cif, pdb, jsonl or csv");
        if (strcasecmp(found, "mol") == 0)
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "%s: a .mol file has room for one molecule and no results, expected "
                              ".sdf, whose records are such files",
                              path);
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "%s: the name does not tell a format that can be written, expected .xyz, "
            ".extxyz, .sdf, .mol2, .cif, .pdb, .jsonl, .csv (each also .gz) or .h5, or the name of "
            "one",
            path);
    }
    run_file_choose(&f, out);
    if (out->kind == SHOAL_OUTPUT_HDF5 && (!f.is_file || ends_with(path, strlen(path), ".gz")))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "%s: HDF5 is written into a file, and not compressed as a whole", path);
    return SHOAL_OK;
}

shoal_status shoal_run_output_write(const shoal_run_output *output,
                                    const shoal_results_header *header, int64_t n,
                                    shoal_output_entry *entry, void *user)
{
    run_file f;
    shoal_string text = {0};
    shoal_clear_error();
    SHOAL_NEED(output && entry && output->path);
    run_file_choose(&f, output);
    shoal_status status = run_file_open(&f, NULL, false, header);
    for (int64_t i = 0; i < n && status == SHOAL_OK; ++i) {
        shoal_string_clear(&text);
        status = entry(user, i, &text);
        if (status == SHOAL_OK) status = shoal_string_status(&text);
        if (status == SHOAL_OK)
            status = run_file_write(&f, shoal_string_data(&text), shoal_string_size(&text));
    }
    shoal_string_free(&text);
    char why[512];
    (void)snprintf(why, sizeof why, "%s", shoal_error_text());
    const shoal_status closed = run_file_close(&f, status == SHOAL_OK, false);
    return status == SHOAL_OK ? closed : shoal_fail(status, "%s", why);
}
