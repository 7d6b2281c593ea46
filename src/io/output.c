/* SPDX-License-Identifier: BSD-3-Clause
 * A file being written, plain or gzip, that gets its final name only when it is complete. */
#define _GNU_SOURCE /* realpath, flock, sync_file_range */
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/gzip_members.h"

enum { CHUNK = 1 << 18 };

/* The disk is set to work after so many bytes, so that the end of a file does not wait for all of it. */
#define WRITE_BACK ((int64_t)8 << 20)
/* Text of a gzip member, which is what a full disk can cost; more members would compress worse. Where nobody says what is
 * whole, it ends after so much. */
#define MEMBER ((size_t)1 << 20)
#define MEMBER_MOST ((size_t)4 << 20)

struct shoal_output {
    char *label;           /* the name as given */
    char *path;            /* the final name; NULL if fd is written directly */
    char *part;            /* the name until then; NULL when it is gone */
    bool stays;            /* the part outlives a writer that did not finish */
    int fd;                /* -1 when closed */
    size_t used;           /* bytes in buffer */
    char *buffer;          /* [CHUNK] text; NULL with compression */
    gzip_members *members; /* NULL without compression */
    shoal_status status;
    int code;                  /* errno of the first failure */
    int64_t n_written, n_sent; /* bytes, and those that the disk was told to take */
    int64_t n_whole;           /* bytes of the file that hold whole pieces */
    /* Ends of the whole pieces in the buffer. */
    size_t *marks;
    int32_t n_marks, mark_capacity;
};

static shoal_status fail_system(const shoal_output *out, const char *path, const char *what,
                                int code)
{
    char buffer[128];
    const char *reason = strerror_r(code, buffer, sizeof buffer); /* the GNU form */
    return shoal_fail(SHOAL_E_IO, "%s: cannot %s: %s", path ? path : out->label, what, reason);
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
    return fail_system(out, NULL, "write", code);
}

/* The process that holds the lock may give the file its final name before this one gets the lock: then it
 * is no part any more, and the name has to be opened again. */
static bool is_named(int fd, const char *path)
{
    struct stat open_file, named;
    return fstat(fd, &open_file) == 0 && stat(path, &named) == 0 &&
           open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev;
}

static shoal_status lock_part(shoal_output *out, const char *part, bool create)
{
    for (;;) {
        out->fd = open(part, O_WRONLY | O_CLOEXEC | (create ? O_CREAT : 0), 0666);
        if (out->fd < 0) break;
        if (flock(out->fd, LOCK_EX | LOCK_NB) != 0) break;
        if (is_named(out->fd, part)) return SHOAL_OK;
        (void)close(out->fd);
    }
    const int code = errno;
    if (out->fd >= 0 && code == EWOULDBLOCK)
        return shoal_fail(SHOAL_E_IO, "%s: another run is writing it", part);
    return fail_system(out, part, create ? "write" : "continue", code);
}

/* The part as it is up to keep bytes. */
static shoal_status open_given(shoal_output *out, const char *part, int64_t keep)
{
    struct stat info;
    SHOAL_TRY(lock_part(out, part, keep < 0));
    if (fstat(out->fd, &info) != 0) return fail_system(out, part, "write", errno);
    if (!S_ISREG(info.st_mode)) return fail_system(out, part, "write", EEXIST);
    if (info.st_size < keep)
        return shoal_fail(SHOAL_E_IO,
                          "%s: cannot continue: %" PRId64 " bytes, expected at least %" PRId64,
                          part, (int64_t)info.st_size, keep);
    const int64_t size = keep < 0 ? 0 : keep;
    if (ftruncate(out->fd, size) != 0 || lseek(out->fd, 0, SEEK_END) < 0)
        return fail_system(out, part, "write", errno);
    out->n_written = out->n_sent = out->n_whole = size;
    out->part = shoal_strdup(part);
    return out->part ? SHOAL_OK : SHOAL_E_MEMORY;
}

/* Standard output, devices and pipes. */
static shoal_status open_directly(shoal_output *out, const char *path, int64_t keep)
{
    if (keep > 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "%s: cannot continue: no regular file", out->label);
    out->fd = strcmp(path, "-") == 0 ? STDOUT_FILENO : open(path, O_WRONLY | O_CLOEXEC);
    return out->fd >= 0 ? SHOAL_OK : fail_system(out, NULL, "write", errno);
}

/* Links are followed, so that they stay links. */
static shoal_status open_file(shoal_output *out, const char *path, const char *part, int64_t keep)
{
    struct stat info;
    const bool there = strcmp(path, "-") != 0 && stat(path, &info) == 0;
    if (strcmp(path, "-") == 0) return open_directly(out, path, keep);
    if (there && S_ISDIR(info.st_mode)) return fail_system(out, NULL, "write", EISDIR);
    if (there && !S_ISREG(info.st_mode)) return open_directly(out, path, keep);
    out->path = there ? realpath(path, NULL) : shoal_strdup(path);
    if (!out->path) return there ? fail_system(out, NULL, "write", errno) : SHOAL_E_MEMORY;
    out->stays = part != NULL;
    return part ? open_given(out, part, keep) : open_part(out);
}

static shoal_status prepare(shoal_output *out, const char *path)
{
    const shoal_span name = shoal_span_of(path);
    out->label = shoal_strdup(strcmp(path, "-") == 0 ? "<stdout>" : path);
    if (!out->label) return SHOAL_E_MEMORY;
    if (name.size > 3 && shoal_span_equal_nocase(shoal_span_after(name, name.size - 3), ".gz"))
        return gzip_members_create(&out->members, out->label);
    out->buffer = shoal_alloc(CHUNK, 1);
    return out->buffer ? SHOAL_OK : SHOAL_E_MEMORY;
}

shoal_status shoal_output_open(shoal_output **result, const char *path)
{
    return shoal_output_open_as(result, path, NULL, -1);
}

shoal_status shoal_output_open_as(shoal_output **result, const char *path, const char *part,
                                  int64_t keep)
{
    *result = NULL;
    shoal_output *out = shoal_alloc(1, sizeof *out);
    if (!out) return SHOAL_E_MEMORY;
    out->fd = -1;
    shoal_status status = prepare(out, path);
    if (status == SHOAL_OK) status = open_file(out, path, part, keep);
    if (status == SHOAL_OK)
        *result = out;
    else
        shoal_output_destroy(out);
    return status;
}

void shoal_output_share(shoal_output *out, int32_t n_threads)
{
    if (out->members) gzip_members_share(out->members, n_threads);
}

const char *shoal_output_part(const shoal_output *out)
{
    return out->part;
}

/* Behind the last whole piece, so that what is there can be read; a member that was begun is none. */
static void cut_back(shoal_output *out, int64_t from)
{
    for (int32_t k = 0; k < out->n_marks; ++k) {
        const int64_t end = from + (int64_t)out->marks[k];
        if (end <= out->n_written) out->n_whole = end;
    }
    if (out->part && ftruncate(out->fd, out->n_whole) == 0 &&
        lseek(out->fd, 0, SEEK_END) == out->n_whole)
        out->n_written = out->n_whole;
    if (out->members) gzip_members_drop(out->members);
}

static void keep_failure(shoal_output *out, shoal_status status, int code)
{
    if (out->status != SHOAL_OK || status == SHOAL_OK) return;
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

/* Members that are compressed, or all that have ended, in their order. */
static void write_members(shoal_output *out, bool all)
{
    shoal_span bytes;
    bool whole, found = true;
    while (out->status == SHOAL_OK) {
        const shoal_status status = gzip_members_take(out->members, all, &bytes, &whole, &found);
        if (!found) break;
        keep_failure(out, status, EIO);
        write_all(out, bytes.text, bytes.size);
        if (out->status != SHOAL_OK)
            cut_back(out, 0);
        else if (whole)
            out->n_whole = out->n_written;
        write_back(out);
    }
}

static void end_member(shoal_output *out, bool whole)
{
    gzip_members_end(out->members, whole);
    write_members(out, false);
}

static void pack(shoal_output *out, shoal_span piece)
{
    while (piece.size > 0 && out->status == SHOAL_OK) {
        const size_t room = MEMBER_MOST - gzip_members_size(out->members);
        const size_t n = piece.size < room ? piece.size : room;
        keep_failure(out, gzip_members_put(out->members, (shoal_span){piece.text, n}), ENOMEM);
        piece = shoal_span_after(piece, n);
        if (out->status != SHOAL_OK)
            cut_back(out, 0);
        else if (n == room)
            end_member(out, false);
    }
}

/* Everything goes to the file. An empty one is one empty member. */
static void flush_members(shoal_output *out)
{
    write_members(out, true);
    if (out->status != SHOAL_OK) return;
    if (gzip_members_size(out->members) > 0 || out->n_written == 0) end_member(out, true);
    write_members(out, true);
}

static void flush_text(shoal_output *out)
{
    const int64_t from = out->n_written;
    const bool good = out->status == SHOAL_OK;
    write_all(out, out->buffer, out->used);
    if (good && out->status != SHOAL_OK) cut_back(out, from);
    if (out->n_marks > 0 && out->status == SHOAL_OK)
        out->n_whole = from + (int64_t)out->marks[out->n_marks - 1];
    out->n_marks = 0;
    out->used = 0;
    write_back(out);
}

static void flush(shoal_output *out)
{
    if (out->members)
        flush_members(out);
    else
        flush_text(out);
}

void shoal_output_put(shoal_output *out, shoal_span piece)
{
    if (out->members) {
        pack(out, piece);
        return;
    }
    while (piece.size > 0) {
        /* Much text goes without a copy. */
        if (piece.size >= CHUNK && out->used == 0) {
            const bool good = out->status == SHOAL_OK;
            write_all(out, piece.text, piece.size);
            if (good && out->status != SHOAL_OK) cut_back(out, 0);
            return;
        }
        const size_t room = CHUNK - out->used;
        const size_t n = piece.size < room ? piece.size : room;
        memcpy(out->buffer + out->used, piece.text, n);
        out->used += n;
        piece = shoal_span_after(piece, n);
        if (out->used == CHUNK) flush_text(out);
    }
}

void shoal_output_mark(shoal_output *out)
{
    if (out->members) {
        if (out->status == SHOAL_OK && gzip_members_size(out->members) >= MEMBER)
            end_member(out, true);
    } else if (out->used == 0) {
        if (out->status == SHOAL_OK) out->n_whole = out->n_written;
    } else if (SHOAL_RESERVE(&out->marks, &out->mark_capacity, out->n_marks + 1) == SHOAL_OK) {
        out->marks[out->n_marks++] = out->used;
    }
}

shoal_status shoal_output_sync(shoal_output *out, int64_t *size)
{
    flush(out);
    if (out->part && out->status == SHOAL_OK && fdatasync(out->fd) != 0)
        keep_failure(out, SHOAL_E_IO, errno);
    *size = out->n_written;
    return shoal_output_check(out);
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
    return out->status == SHOAL_OK ? SHOAL_OK : fail_system(out, NULL, "write", out->code);
}

shoal_status shoal_output_rename(shoal_output *out, const char *path)
{
    char *copy = shoal_strdup(path);
    if (!copy) return SHOAL_E_MEMORY;
    free(out->path);
    out->path = copy;
    if (out->status == SHOAL_OK || !out->part || out->n_written != out->n_whole) return SHOAL_OK;
    out->status = SHOAL_OK;
    out->used = 0;
    out->n_marks = 0;
    return SHOAL_OK;
}

/* The final name appears only after the bytes are safe on the disk, and before the lock goes. */
shoal_status shoal_output_close(shoal_output *out)
{
    if (out->fd < 0) return shoal_output_check(out);
    flush(out);
    if (out->part && out->status == SHOAL_OK && fsync(out->fd) != 0)
        keep_failure(out, SHOAL_E_IO, errno);
    if (out->part && out->status == SHOAL_OK && rename(out->part, out->path) != 0)
        keep_failure(out, SHOAL_E_IO, errno);
    if (out->fd > STDERR_FILENO && close(out->fd) != 0) keep_failure(out, SHOAL_E_IO, errno);
    out->fd = -1;
    if (out->status != SHOAL_OK) return shoal_output_check(out);
    free(out->part);
    out->part = NULL;
    return SHOAL_OK;
}

void shoal_output_destroy(shoal_output *out)
{
    if (!out) return;
    if (out->fd > STDERR_FILENO) (void)close(out->fd);
    if (out->part && !out->stays) (void)unlink(out->part);
    gzip_members_destroy(out->members);
    free(out->marks);
    free(out->buffer);
    free(out->part);
    free(out->path);
    free(out->label);
    free(out);
}
