/* SPDX-License-Identifier: BSD-3-Clause
 * Frames of trajectories that wait in a file: see stream/spool.h. */
#define _GNU_SOURCE /* fallocate */
#include "stream/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"

/* Smaller tails wait until memory is twice as short: pieces are read one by one, and given back by whole pages. */
#define PIECE_BYTES 16384

typedef struct piece_list {
    spool_piece *pieces;
    int32_t n, capacity;
} piece_list;

struct spool {
    char *path; /* NULL: it has no name */
    int file;   /* -1: none yet */
    int64_t most, end;
    _Atomic int64_t waiting; /* bytes in memory */
    pthread_mutex_t lock;    /* of the file's making, its end and these: */
    piece_list dropped, old; /* since the last checkpoint, and before */
};

/* --- beginning and end ---------------------------------------------------------------------------- */

static shoal_status failed(const spool *s, const char *what, const char *why)
{
    return shoal_fail(SHOAL_E_IO, "%s: frames that wait for their turn cannot be %s: %s",
                      s->path ? s->path : "a temporary file", what, why);
}

/* One without a name goes when its descriptor does. */
static int open_nameless(void)
{
    const char *folder = getenv("TMPDIR");
    char name[4096];
    const int n =
        snprintf(name, sizeof name, "%s/shoal-frames-XXXXXX", folder && *folder ? folder : "/tmp");
    const int file = n < (int)sizeof name ? mkstemp(name) : -1;
    if (file >= 0) (void)unlink(name);
    return file;
}

/* With the lock. What stands under the name is left from a run that nobody goes on with, or a link that somebody has
 * planted, which is not followed. */
static shoal_status need_file(spool *s)
{
    if (s->file >= 0) return SHOAL_OK;
    if (s->path) (void)unlink(s->path);
    s->file = s->path ? open(s->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)
                      : open_nameless();
    return s->file >= 0 ? SHOAL_OK : failed(s, "written", strerror(errno));
}

/* What a run that goes on had; what came behind it goes. */
static shoal_status open_kept(spool *s, int64_t keep)
{
    struct stat info;
    if (keep == 0) return SHOAL_OK;
    s->file = open(s->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (s->file < 0) return failed(s, "read", strerror(errno));
    if (fstat(s->file, &info) != 0 || info.st_size < keep)
        return failed(s, "read", "the file has become shorter");
    if (ftruncate(s->file, keep) != 0) return failed(s, "written", strerror(errno));
    s->end = keep;
    return SHOAL_OK;
}

shoal_status spool_create(spool **out, const char *path, int64_t keep, int64_t most)
{
    spool *s = shoal_alloc(1, sizeof *s);
    *out = s;
    if (!s) return SHOAL_E_MEMORY;
    s->file = -1;
    s->most = most;
    (void)pthread_mutex_init(&s->lock, NULL);
    s->path = path ? shoal_strdup(path) : NULL;
    if (!path) return SHOAL_OK;
    return s->path ? open_kept(s, keep) : SHOAL_E_MEMORY;
}

void spool_destroy(spool *s, bool keep)
{
    if (!s) return;
    if (s->file >= 0) (void)close(s->file);
    if (s->path && !keep) (void)unlink(s->path);
    (void)pthread_mutex_destroy(&s->lock);
    free(s->dropped.pieces);
    free(s->old.pieces);
    free(s->path);
    free(s);
}

/* --- pieces --------------------------------------------------------------------------------------- */

static shoal_status write_all(const spool *s, const char *bytes, size_t n, int64_t at)
{
    while (n > 0) {
        const ssize_t done = pwrite(s->file, bytes, n, at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return failed(s, "written", strerror(done < 0 ? errno : EIO));
        bytes += done;
        at += done;
        n -= (size_t)done;
    }
    return SHOAL_OK;
}

/* The tail becomes a piece. */
static shoal_status put_away(spool *s, spool_text *text)
{
    const size_t size = shoal_string_size(&text->tail);
    spool_piece piece = {.size = size,
                         .hash = hash_words(HASH_START, shoal_string_data(&text->tail), size)};
    SHOAL_TRY(SHOAL_RESERVE(&text->pieces, &text->capacity, text->n + 1));
    (void)pthread_mutex_lock(&s->lock);
    const shoal_status status = need_file(s);
    piece.at = s->end;
    if (status == SHOAL_OK) s->end += (int64_t)size;
    (void)pthread_mutex_unlock(&s->lock);
    SHOAL_TRY(status);
    SHOAL_TRY(write_all(s, shoal_string_data(&text->tail), size, piece.at));
    text->pieces[text->n++] = piece;
    shoal_string_free(&text->tail);
    atomic_fetch_sub(&s->waiting, (int64_t)size);
    return SHOAL_OK;
}

shoal_status spool_grow(spool *s, spool_text *text, size_t added)
{
    SHOAL_TRY(shoal_string_status(&text->tail));
    if (!s) return SHOAL_OK;
    const int64_t waiting = atomic_fetch_add(&s->waiting, (int64_t)added) + (int64_t)added;
    const bool short_of = waiting > s->most && shoal_string_size(&text->tail) >= PIECE_BYTES;
    return short_of || waiting / 2 > s->most ? put_away(s, text) : SHOAL_OK;
}

void spool_release(spool *s, spool_text *text)
{
    if (s) atomic_fetch_sub(&s->waiting, (int64_t)shoal_string_size(&text->tail));
    shoal_string_free(&text->tail);
    free(text->pieces);
    *text = (spool_text){0};
}

shoal_status spool_read(spool *s, const spool_piece *piece, shoal_string *out)
{
    shoal_string_clear(out);
    char *to = shoal_string_room(out, (size_t)piece->size);
    if (!to) return shoal_string_status(out);
    for (uint64_t n = 0; n < piece->size;) {
        const ssize_t got =
            s->file < 0 ? 0
                        : pread(s->file, to + n, (size_t)(piece->size - n), piece->at + (int64_t)n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0)
            return failed(s, "read",
                          s->file < 0 || got == 0 ? "the file is gone or has become shorter"
                                                  : strerror(errno));
        n += (uint64_t)got;
    }
    if (hash_words(HASH_START, to, (size_t)piece->size) != piece->hash)
        return failed(s, "read", "the file has changed");
    out->size += (size_t)piece->size;
    return SHOAL_OK;
}

/* --- giving back ---------------------------------------------------------------------------------- */

/* File systems that cannot do it keep the bytes until the end. */
static void punch(const spool *s, const spool_piece *piece)
{
#ifdef FALLOC_FL_PUNCH_HOLE
    if (s->file >= 0)
        (void)fallocate(s->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, piece->at,
                        (off_t)piece->size);
#else
    (void)s;
    (void)piece;
#endif
}

void spool_drop(spool *s, const spool_piece *piece)
{
    if (!s) return;
    (void)pthread_mutex_lock(&s->lock);
    piece_list *list = &s->dropped;
    if (!s->path)
        punch(s, piece);
    else if (SHOAL_RESERVE(&list->pieces, &list->capacity, list->n + 1) == SHOAL_OK)
        list->pieces[list->n++] = *piece;
    (void)pthread_mutex_unlock(&s->lock);
}

shoal_status spool_sync(spool *s, int64_t *size)
{
    *size = 0;
    if (!s) return SHOAL_OK;
    (void)pthread_mutex_lock(&s->lock);
    *size = s->end;
    (void)pthread_mutex_unlock(&s->lock);
    return s->file < 0 || fdatasync(s->file) == 0 ? SHOAL_OK
                                                  : failed(s, "written", strerror(errno));
}

void spool_mark(spool *s)
{
    if (!s) return;
    (void)pthread_mutex_lock(&s->lock);
    for (int32_t i = 0; i < s->old.n; ++i) punch(s, &s->old.pieces[i]);
    const piece_list free_list = {s->old.pieces, 0, s->old.capacity};
    s->old = s->dropped;
    s->dropped = free_list;
    (void)pthread_mutex_unlock(&s->lock);
}

/* --- states --------------------------------------------------------------------------------------- */

static void put_number(shoal_string *out, uint64_t n)
{
    shoal_string_put(out, (const char *)&n, sizeof n);
}

void spool_save(const spool_text *text, shoal_string *out)
{
    static const spool_text none = {0};
    if (!text) text = &none;
    put_number(out, (uint64_t)text->n);
    if (text->n > 0)
        shoal_string_put(out, (const char *)text->pieces, (size_t)text->n * sizeof *text->pieces);
    put_number(out, shoal_string_size(&text->tail));
    shoal_string_put(out, shoal_string_data(&text->tail), shoal_string_size(&text->tail));
}

shoal_status spool_save_whole(spool *s, const spool_text *text, shoal_string *out)
{
    shoal_string piece = {0};
    shoal_status status = SHOAL_OK;
    uint64_t size = text ? shoal_string_size(&text->tail) : 0;
    for (int32_t i = 0; text && i < text->n; ++i) size += text->pieces[i].size;
    put_number(out, 0);
    put_number(out, size);
    for (int32_t i = 0; text && i < text->n && status == SHOAL_OK; ++i) {
        status = spool_read(s, &text->pieces[i], &piece);
        shoal_string_put(out, shoal_string_data(&piece), shoal_string_size(&piece));
    }
    if (text) shoal_string_put(out, shoal_string_data(&text->tail), shoal_string_size(&text->tail));
    shoal_string_free(&piece);
    return status;
}

static bool take_number(shoal_span *rest, uint64_t *n)
{
    if (rest->size < sizeof *n) return false;
    memcpy(n, rest->text, sizeof *n);
    *rest = shoal_span_after(*rest, sizeof *n);
    return true;
}

static shoal_status damaged(void)
{
    return shoal_fail(SHOAL_E_ARGUMENT, "stream: the state has frames that make no sense");
}

/* Takes n things of that size off; false where there are less. */
static bool take_bytes(shoal_span *rest, uint64_t n, size_t size, const char **out)
{
    if (n > rest->size / size) return false;
    *out = rest->text;
    *rest = shoal_span_after(*rest, (size_t)n * size);
    return true;
}

shoal_status spool_load(spool *s, shoal_span *rest, spool_text *to)
{
    uint64_t n, size;
    const char *pieces, *tail;
    shoal_string piece = {0};
    if (!take_number(rest, &n) || n > INT32_MAX ||
        !take_bytes(rest, n, sizeof *to->pieces, &pieces) || !take_number(rest, &size) ||
        !take_bytes(rest, size, 1, &tail))
        return damaged();
    if (!to) return SHOAL_OK;
    if (n > 0 && !s) return damaged();
    SHOAL_TRY(SHOAL_RESERVE(&to->pieces, &to->capacity, (int32_t)n));
    if (n > 0) memcpy(to->pieces, pieces, (size_t)n * sizeof *to->pieces);
    to->n = (int32_t)n;
    shoal_status status = SHOAL_OK;
    for (int32_t i = 0; i < to->n && status == SHOAL_OK; ++i)
        status = to->pieces[i].size > (uint64_t)s->end || to->pieces[i].at < 0
                     ? failed(s, "read", "the file is gone or has become shorter")
                     : spool_read(s, &to->pieces[i], &piece);
    shoal_string_free(&piece);
    SHOAL_TRY(status);
    SHOAL_TRY(shoal_string_set(&to->tail, (shoal_span){tail, (size_t)size}));
    if (s) atomic_fetch_add(&s->waiting, (int64_t)size);
    return SHOAL_OK;
}
