/* SPDX-License-Identifier: BSD-3-Clause
 * A file being written, plain or gzip, that gets its final name only when it is complete. */
#define _GNU_SOURCE /* realpath, sync_file_range */
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/gzip.h"

enum { CHUNK = 1 << 18 };

/* The disk is set to work after so many bytes, so that the end of a file does not wait for all of it. */
#define WRITE_BACK ((int64_t)8 << 20)

struct shoal_output {
    char *label;           /* the name as given */
    char *path;            /* the final name; NULL if fd is written directly */
    char *part;            /* the name until then; NULL when it is gone */
    int fd;                /* -1 when closed */
    size_t used;           /* bytes in buffer */
    char *buffer;          /* [CHUNK] text */
    unsigned char *packed; /* [CHUNK] compressed bytes; NULL without compression */
    shoal_gzip *gzip;
    shoal_status status;
    int code;                  /* errno of the first failure */
    int64_t n_written, n_sent; /* bytes, and those that the disk was told to take */
};

static shoal_status fail_system(const shoal_output *out, const char *what, int code)
{
    char reason[128];
    if (strerror_r(code, reason, sizeof reason) != 0)
        (void)snprintf(reason, sizeof reason, "error %d", code);
    return shoal_fail(SHOAL_E_IO, "%s: cannot %s: %s", out->label, what, reason);
}

/* A new file beside the final one. */
static shoal_status open_part(shoal_output *out)
{
    const size_t size = strlen(out->path) + 48;
    out->part = shoal_alloc(size, 1);
    if (!out->part) return SHOAL_E_MEMORY;
    for (int attempt = 0; attempt < 100; ++attempt) {
        (void)snprintf(out->part, size, "%s.part-%ld-%d", out->path, (long)getpid(), attempt);
        out->fd = open(out->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out->fd >= 0 || errno != EEXIST) break;
    }
    if (out->fd >= 0) return SHOAL_OK;
    const int code = errno;
    free(out->part);
    out->part = NULL;
    return fail_system(out, "write", code);
}

/* Devices and pipes are written directly; links are followed, so that they stay links. */
static shoal_status open_file(shoal_output *out, const char *path)
{
    struct stat info;
    if (strcmp(path, "-") == 0) {
        out->fd = STDOUT_FILENO;
        return SHOAL_OK;
    }
    if (stat(path, &info) != 0) {
        out->path = shoal_strdup(path);
        return out->path ? open_part(out) : SHOAL_E_MEMORY;
    }
    if (S_ISDIR(info.st_mode)) return fail_system(out, "write", EISDIR);
    if (!S_ISREG(info.st_mode)) {
        out->fd = open(path, O_WRONLY | O_CLOEXEC);
        return out->fd >= 0 ? SHOAL_OK : fail_system(out, "write", errno);
    }
    out->path = realpath(path, NULL);
    return out->path ? open_part(out) : fail_system(out, "write", errno);
}

static shoal_status prepare(shoal_output *out, const char *path)
{
    const shoal_span name = shoal_span_of(path);
    out->label = shoal_strdup(strcmp(path, "-") == 0 ? "<stdout>" : path);
    out->buffer = shoal_alloc(CHUNK, 1);
    if (!out->label || !out->buffer) return SHOAL_E_MEMORY;
    if (name.size > 3 && shoal_span_equal_nocase(shoal_span_after(name, name.size - 3), ".gz")) {
        SHOAL_TRY(shoal_gzip_create(&out->gzip, out->label));
        out->packed = shoal_alloc(CHUNK, 1);
        if (!out->packed) return SHOAL_E_MEMORY;
    }
    return open_file(out, path);
}

shoal_status shoal_output_open(shoal_output **result, const char *path)
{
    *result = NULL;
    shoal_output *out = shoal_alloc(1, sizeof *out);
    if (!out) return SHOAL_E_MEMORY;
    out->fd = -1;
    const shoal_status status = prepare(out, path);
    if (status == SHOAL_OK)
        *result = out;
    else
        shoal_output_destroy(out);
    return status;
}

const char *shoal_output_part(const shoal_output *out)
{
    return out->part;
}

static void keep_failure(shoal_output *out, shoal_status status, int code)
{
    if (out->status != SHOAL_OK) return;
    out->status = status;
    out->code = code;
}

static void write_all(shoal_output *out, const void *bytes, size_t n)
{
    const char *p = bytes;
    while (n > 0 && out->status == SHOAL_OK) {
        const ssize_t done = write(out->fd, p, n);
        if (done > 0) {
            p += done;
            n -= (size_t)done;
            out->n_written += done;
        } else if (done == 0 || errno != EINTR) {
            keep_failure(out, SHOAL_E_IO, done == 0 ? ENOSPC : errno);
        }
    }
}

/* A hint, which may fail. */
static void write_back(shoal_output *out)
{
#ifdef __linux__
    if (!out->part || out->n_written - out->n_sent < WRITE_BACK) return;
    (void)sync_file_range(out->fd, out->n_sent, out->n_written - out->n_sent,
                          SYNC_FILE_RANGE_WRITE);
#endif
    out->n_sent = out->n_written;
}

static void flush(shoal_output *out, bool last)
{
    if (!out->gzip) {
        write_all(out, out->buffer, out->used);
    } else {
        shoal_window in = {(unsigned char *)out->buffer, out->used};
        bool done = false;
        while (out->status == SHOAL_OK && (in.left > 0 || (last && !done))) {
            shoal_window room = {out->packed, CHUNK};
            keep_failure(out, shoal_gzip_run(out->gzip, &in, &room, last, &done), EIO);
            write_all(out, out->packed, CHUNK - room.left);
        }
    }
    out->used = 0;
    write_back(out);
}

void shoal_output_put(shoal_output *out, shoal_span piece)
{
    /* A large piece goes without a copy. */
    if (piece.size >= CHUNK && !out->gzip) {
        flush(out, false);
        write_all(out, piece.text, piece.size);
        return;
    }
    while (piece.size > 0) {
        const size_t room = CHUNK - out->used;
        const size_t n = piece.size < room ? piece.size : room;
        memcpy(out->buffer + out->used, piece.text, n);
        out->used += n;
        piece = shoal_span_after(piece, n);
        if (out->used == CHUNK) flush(out, false);
    }
}

void shoal_output_text(shoal_output *out, const char *text)
{
    shoal_output_put(out, shoal_span_of(text));
}

void shoal_output_number(shoal_output *out, double value)
{
    char text[SHOAL_NUMBER_SIZE];
    const size_t n = shoal_text_print(text, value);
    shoal_output_put(out, (shoal_span){text, n});
}

void shoal_output_format(shoal_output *out, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    shoal_output_text(out, text);
}

shoal_status shoal_output_check(const shoal_output *out)
{
    return out->status == SHOAL_OK ? SHOAL_OK : fail_system(out, "write", out->code);
}

shoal_status shoal_output_rename(shoal_output *out, const char *path)
{
    char *copy = shoal_strdup(path);
    if (!copy) return SHOAL_E_MEMORY;
    free(out->path);
    out->path = copy;
    return SHOAL_OK;
}

/* The final name appears only after the bytes are safe on the disk. */
shoal_status shoal_output_close(shoal_output *out)
{
    if (out->fd < 0) return shoal_output_check(out);
    flush(out, true);
    if (out->part && out->status == SHOAL_OK && fsync(out->fd) != 0)
        keep_failure(out, SHOAL_E_IO, errno);
    if (out->fd > STDERR_FILENO && close(out->fd) != 0) keep_failure(out, SHOAL_E_IO, errno);
    out->fd = -1;
    if (out->part && out->status == SHOAL_OK && rename(out->part, out->path) != 0)
        keep_failure(out, SHOAL_E_IO, errno);
    if (out->status != SHOAL_OK) return shoal_output_check(out);
    free(out->part);
    out->part = NULL;
    return SHOAL_OK;
}

void shoal_output_destroy(shoal_output *out)
{
    if (!out) return;
    if (out->fd > STDERR_FILENO) (void)close(out->fd);
    if (out->part) (void)unlink(out->part);
    shoal_gzip_destroy(out->gzip);
    free(out->packed);
    free(out->buffer);
    free(out->part);
    free(out->path);
    free(out->label);
    free(out);
}
