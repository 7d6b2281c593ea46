/* SPDX-License-Identifier: BSD-3-Clause
 * A file that a run writes. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"
#include "systems.h"

#define PIECE ((size_t)1 << 16)

/* --- kinds --------------------------------------------------------------------------------------- */

static bool ends_with(const char *text, size_t n, const char *ending)
{
    const size_t k = strlen(ending);
    return n >= k && strncasecmp(text + n - k, ending, k) == 0;
}

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

static bool choose_kind(output *o, const char *format)
{
    static const struct {
        const char *name;
        output_kind kind;
    } names[] = {{"json", OUTPUT_JSON}, {"jsonl", OUTPUT_JSON}, {"ndjson", OUTPUT_JSON},
                 {"csv", OUTPUT_CSV},   {"h5", OUTPUT_HDF5},    {"hdf5", OUTPUT_HDF5}};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        if (strcasecmp(format, names[k].name) != 0) continue;
        o->kind = names[k].kind;
        o->format = SHOAL_FORMAT_NONE;
        return true;
    }
    o->kind = OUTPUT_MOLECULES;
    o->format = shoal_format_by_name(format);
    return o->format == SHOAL_FORMAT_XYZ || o->format == SHOAL_FORMAT_SDF;
}

int output_choose(output *o, const char *path, const char *format)
{
    static const char expected[] = "xyz, extxyz, sdf, jsonl, csv or h5";
    char found[16];
    struct stat info;
    *o = (output){.path = path};
    o->is_file = strcmp(path, "-") != 0 && (stat(path, &info) != 0 || S_ISREG(info.st_mode));
    format_of_path(path, found);
    if (!choose_kind(o, found) && !(format && choose_kind(o, format))) {
        if (format)
            cli_complain("--output-format '%s': expected %s", format, expected);
        else if (strcmp(path, "-") == 0)
            cli_complain(
                "-o -: standard output has no name that tells the format; expected --output-format "
                "%s",
                expected);
        else
            cli_complain(
                "%s: the name tells no format that can be written, expected .xyz, .extxyz, .sdf, "
                ".jsonl, .csv (each also .gz) or .h5, or --output-format",
                path);
        return EXIT_USAGE;
    }
    if (o->kind == OUTPUT_HDF5 && (!o->is_file || ends_with(path, strlen(path), ".gz"))) {
        cli_complain("%s: HDF5 is written into a file, and not compressed as a whole", path);
        return EXIT_USAGE;
    }
    return EXIT_ALL_FINE;
}

/* --- the file ------------------------------------------------------------------------------------ */

bool output_is_same(const char *a, const char *b)
{
    struct stat of_a, of_b;
    if (strcmp(a, b) == 0) return true;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino && S_ISREG(of_a.st_mode);
}

bool output_can_resume(const output *o)
{
    return o->is_file;
}

static char *join(const char *path, const char *ending)
{
    const size_t n = strlen(path) + strlen(ending) + 1;
    char *name = malloc(n);
    if (name) (void)snprintf(name, n, "%s%s", path, ending);
    return name;
}

/* What an earlier run left is kept until this one is done. */
static void put_aside(output *o)
{
    struct stat info;
    if (stat(o->part, &info) != 0 || info.st_size == 0) return;
    char *old = join(o->part, ".old");
    o->has_aside = old && rename(o->part, old) == 0;
    free(old);
}

/* True while another process writes the part. */
static bool is_locked(const output *o)
{
    char *name = join(o->part, o->kind == OUTPUT_HDF5 ? ".lock" : "");
    const int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    const bool locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0) (void)close(fd);
    free(name);
    return locked;
}

/* At the end it is forgotten, or comes back. */
static void end_aside(const char *path, bool comes_back)
{
    char *old = join(path, ".old");
    if (old && comes_back) (void)rename(old, path);
    if (old && !comes_back) (void)unlink(old);
    free(old);
}

/* A whole file of results, or part of a run that could be gone on with. */
static bool is_worth_keeping(const output *o, bool has_work)
{
    shoal_results_reader *reader = NULL;
    if (has_work || o->kind != OUTPUT_HDF5) return has_work;
    const bool complete =
        shoal_results_open(&reader, o->part) == SHOAL_OK && shoal_results_is_complete(reader);
    shoal_results_reader_destroy(reader);
    return complete;
}

int output_open(output *o, int64_t keep, bool has_work, const shoal_results_header *header)
{
    shoal_status status;
    o->part = join(o->path, o->kind == OUTPUT_HDF5 ? "" : ".partial");
    if (!o->part) return complain_of_status(SHOAL_E_MEMORY);
    if (keep == 0 && access(o->part, F_OK) != 0) keep = -1; /* nothing had been written */
    if (keep < 0 && output_can_resume(o)) {
        if (is_locked(o)) {
            cli_complain("%s: another run is writing it", o->part);
            return EXIT_FILES;
        }
        if (is_worth_keeping(o, has_work)) put_aside(o);
    }
    o->resumed = keep >= 0;
    if (o->kind == OUTPUT_HDF5)
        status = shoal_results_create(&o->results, o->part, header, keep);
    else
        status = shoal_writer_open_as(&o->writer, o->path, o->format, o->part, keep);
    if (status == SHOAL_OK) return EXIT_ALL_FINE;
    return status == SHOAL_E_ARGUMENT || status == SHOAL_E_UNSUPPORTED ? complain_of_status(status)
                                                                       : complain_of_output();
}

bool output_is_open(const output *o)
{
    return o->results || o->writer;
}

bool output_has_its_name(const output *o)
{
    struct stat info;
    char *part = join(o->path, ".partial");
    const bool has =
        o->kind != OUTPUT_HDF5 && part && stat(part, &info) != 0 && stat(o->path, &info) == 0;
    free(part);
    return has;
}

/* The size of the first systems of a text, of about PIECE bytes; all of it where their ends are not seen easily. */
static size_t first_piece(const output *o, const char *text, size_t n)
{
    const char *ending = o->format == SHOAL_FORMAT_SDF ? "\n$$$$\n" : "\n";
    const size_t k = strlen(ending);
    if (n <= PIECE || o->format == SHOAL_FORMAT_XYZ) return n;
    for (size_t end = PIECE; end >= k; --end)
        if (memcmp(text + end - k, ending, k) == 0) return end;
    return n;
}

shoal_status output_write(output *o, const char *bytes, size_t n)
{
    if (o->results) return shoal_results_write(o->results, bytes, n);
    /* When the disk is full, what is written stays whole up to the end of a piece. */
    while (n > 0) {
        const size_t piece = first_piece(o, bytes, n);
        const shoal_status status = shoal_writer_append(o->writer, bytes, piece);
        if (status != SHOAL_OK) return status;
        bytes += piece;
        n -= piece;
    }
    return SHOAL_OK;
}

shoal_status output_sync(output *o, int64_t *size)
{
    return o->results ? shoal_results_sync(o->results, size) : shoal_writer_sync(o->writer, size);
}

static shoal_status close_complete(output *o)
{
    return o->results ? shoal_results_close(o->results) : shoal_writer_close(o->writer);
}

/* What was handed on goes to the disk; the writer keeps the whole pieces of what it could not write. */
static shoal_status close_part(output *o)
{
    int64_t size;
    return o->results ? shoal_results_sync(o->results, &size)
                      : shoal_writer_close_as(o->writer, o->part);
}

static bool is_empty(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && info.st_size == 0;
}

bool output_close(output *o, bool complete, bool keep)
{
    shoal_status status = SHOAL_OK;
    const bool is_file = o->results || (o->writer && shoal_writer_part(o->writer));
    const bool open = o->results || o->writer;
    if (open && complete) status = close_complete(o);
    if (open && !complete && keep && is_file) status = close_part(o);
    if (o->writer && !complete && !is_file)
        (void)shoal_writer_close(o->writer); /* what is finished */
    if (status != SHOAL_OK) cli_complain("%s", shoal_error_text());
    shoal_results_destroy(o->results);
    shoal_writer_destroy(o->writer);
    if (is_file && !complete && !o->resumed && (!keep || is_empty(o->part))) {
        (void)unlink(o->part);
        if (o->has_aside) end_aside(o->part, true);
    }
    const bool replaced = o->has_aside && o->kind == OUTPUT_HDF5;
    if (is_file && complete && status == SHOAL_OK && replaced) end_aside(o->part, false);
    free(o->part);
    *o = (output){.path = o->path,
                  .is_file = o->is_file,
                  .kind = o->kind,
                  .format = o->format,
                  .on_the_way = o->on_the_way};
    return status == SHOAL_OK;
}
