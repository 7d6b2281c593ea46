/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of JSON that a caller prints: where that is a file, it is cut back to the checkpoint when a run goes on. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stream/run.h"

void run_note_rows(run *r)
{
    struct stat info;
    checkpoint *c = &r->at;
    c->rows_size = -1;
    if (r->options->rows <= 0) return;
    if (fstat(r->options->rows, &info) != 0 || !S_ISREG(info.st_mode)) return;
    c->rows_device = (int64_t)info.st_dev;
    c->rows_inode = (int64_t)info.st_ino;
    c->rows_size = (int64_t)info.st_size;
}

/* True if nothing but rows, the last perhaps cut, stands in a file from there on. */
static bool has_only_rows(int32_t rows, int64_t from, int64_t size)
{
    static const char start[] = "{\"index\":";
    char name[64];
    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", (int)rows);
    char *text = size > from ? malloc((size_t)(size - from)) : NULL;
    const int fd = text ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    const ssize_t n = fd >= 0 ? pread(fd, text, (size_t)(size - from), from) : -1;
    bool ok = size == from || n == (ssize_t)(size - from);
    for (ssize_t at = 0; ok && at < n;) {
        const size_t left = (size_t)(n - at), most = sizeof start - 1;
        ok = memcmp(text + at, start, left < most ? left : most) == 0;
        const char *end = memchr(text + at, '\n', left);
        at = end ? end - text + 1 : n;
    }
    if (fd >= 0) (void)close(fd);
    free(text);
    return ok;
}

void run_resume_rows(run *r)
{
    struct stat info;
    const checkpoint *c = &r->at;
    const int32_t rows = r->options->rows;
    if (rows <= 0) return;
    const bool same = c->rows_size >= 0 && fstat(rows, &info) == 0 && S_ISREG(info.st_mode) &&
                      (int64_t)info.st_dev == c->rows_device &&
                      (int64_t)info.st_ino == c->rows_inode &&
                      (int64_t)info.st_size >= c->rows_size;
    if (same && has_only_rows(rows, c->rows_size, (int64_t)info.st_size) &&
        ftruncate(rows, c->rows_size) == 0) {
        (void)lseek(rows, c->rows_size, SEEK_SET);
        return;
    }
    if (c->next > 0)
        run_tell(r, SHOAL_RUN_NOTE,
                 "rows of the systems before %lld were printed by the run before, and perhaps some "
                 "of those that follow",
                 (long long)c->next);
}
