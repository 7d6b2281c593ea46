/* SPDX-License-Identifier: BSD-3-Clause
 * Checkpoints as files: written so that one is whole at any moment, and removed. */
#include "stream/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_SIZE 4096
#define MARK "shoal checkpoint " /* of all versions */

static bool name_beside(char name[NAME_SIZE], const char *path, const char *ending)
{
    return snprintf(name, NAME_SIZE, "%s%s", path, ending) < NAME_SIZE;
}

/* --- writing ------------------------------------------------------------------------------------- */

static bool write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t done = write(fd, bytes, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        bytes += done;
        n -= (size_t)done;
    }
    return true;
}

/* Names on the disk, too; a system that cannot do that has done what it can. */
static void sync_directory(const char *path)
{
    char directory[NAME_SIZE];
    const char *slash = strrchr(path, '/');
    const int n = slash == path ? 1 : slash ? (int)(slash - path) : 0;
    (void)snprintf(directory, sizeof directory, "%.*s", n > 0 ? n : 1, n > 0 ? path : ".");
    const int fd = open(directory, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    (void)fsync(fd);
    (void)close(fd);
}

/* A name of our own: what stands there is left from a run that was killed, or a link that somebody has planted, which
 * is not followed. */
static bool write_file(const shoal_string *text, const char *path)
{
    (void)unlink(path);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0) return false;
    bool ok = write_all(fd, shoal_string_data(text), shoal_string_size(text)) && fsync(fd) == 0;
    const int code = errno;
    ok = close(fd) == 0 && ok;
    if (!ok) (void)unlink(path);
    errno = code;
    return ok;
}

static shoal_status fail_to_write(const char *path)
{
    return shoal_fail(SHOAL_E_IO, "%s: cannot write the checkpoint: %s", path, strerror(errno));
}

shoal_status checkpoint_save(const checkpoint *c, const char *path)
{
    char fresh[NAME_SIZE], old[NAME_SIZE];
    shoal_string text = {0};
    if (!name_beside(fresh, path, ".new") || !name_beside(old, path, ".old"))
        return shoal_fail(SHOAL_E_ARGUMENT, "%.200s..: the name of the checkpoint is too long",
                          path);
    checkpoint_format(c, &text);
    shoal_status status = shoal_string_status(&text);
    if (status != SHOAL_OK)
        status = shoal_fail(SHOAL_E_MEMORY, "%s: out of memory: the checkpoint", path);
    else if (!write_file(&text, fresh))
        status = fail_to_write(path);
    shoal_string_free(&text);
    if (status != SHOAL_OK) return status;
    /* Between the two a crash leaves the old one, whose outputs are still long enough. */
    if (rename(path, old) != 0 && errno != ENOENT) return fail_to_write(path);
    if (rename(fresh, path) != 0) return fail_to_write(path);
    sync_directory(path);
    return SHOAL_OK;
}

void checkpoint_remove(const char *path)
{
    /* The newest last: an older one that stayed alone would be taken for the state of things. */
    static const char *const endings[] = {".new", ".frames", ".old", ""};
    char name[NAME_SIZE];
    for (int k = 0; k < 4; ++k)
        if (name_beside(name, path, endings[k])) (void)unlink(name);
}

/* --- reading ------------------------------------------------------------------------------------- */

/* The whole file, NULL if there is none or it cannot be read. */
static char *read_file(const char *path, size_t *size)
{
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *bytes = NULL;
    *size = 0;
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
        bytes = malloc((size_t)info.st_size + 1);
    while (bytes && *size < (size_t)info.st_size) {
        const ssize_t n = read(fd, bytes + *size, (size_t)info.st_size - *size);
        if (n <= 0) break;
        *size += (size_t)n;
    }
    if (fd >= 0) (void)close(fd);
    return bytes;
}

typedef enum finding {
    IS_MISSING,
    IS_WHOLE,
    IS_DAMAGED, /* it is empty, or begins as a checkpoint does */
    IS_FORMER,  /* of another version of the format */
    IS_OTHER,   /* damaged at its head, or not ours */
} finding;

static finding look(checkpoint *c, const char *path)
{
    size_t size;
    char *bytes = read_file(path, &size);
    if (!bytes) return IS_MISSING;
    const bool marked = size >= strlen(MARK) && memcmp(bytes, MARK, strlen(MARK)) == 0;
    const char *end = marked ? memchr(bytes, '\n', size) : NULL;
    const size_t head = end ? (size_t)(end - bytes) + 1 : 0;
    const bool former =
        end && (head != strlen(CHECKPOINT_MAGIC) || memcmp(bytes, CHECKPOINT_MAGIC, head) != 0);
    const bool whole = checkpoint_parse(c, bytes, size) == SHOAL_OK;
    free(bytes);
    return whole ? IS_WHOLE : former ? IS_FORMER : marked || size == 0 ? IS_DAMAGED : IS_OTHER;
}

/* What is there under the two names; *c is the newest that is whole. */
static finding look_at_both(checkpoint *c, const char *path, bool *older)
{
    char old[NAME_SIZE];
    const finding newest = look(c, path);
    *older = newest != IS_WHOLE && name_beside(old, path, ".old") && look(c, old) == IS_WHOLE;
    return *older ? IS_WHOLE : newest;
}

static shoal_status refuse_name(const char *path)
{
    return shoal_fail(SHOAL_E_ARGUMENT, "%s is no checkpoint; expected another name", path);
}

shoal_status checkpoint_check_name(const char *path)
{
    checkpoint c = {0};
    bool older;
    const finding found = look_at_both(&c, path, &older);
    checkpoint_free(&c);
    return found == IS_OTHER ? refuse_name(path) : SHOAL_OK;
}

shoal_status checkpoint_load(checkpoint *c, const char *path, bool *found)
{
    char old[NAME_SIZE];
    bool older;
    *c = (checkpoint){0};
    const finding is = look_at_both(c, path, &older);
    *found = is == IS_WHOLE;
    if (is == IS_OTHER) return refuse_name(path);
    if (is == IS_FORMER)
        return shoal_fail(
            SHOAL_E_FORMAT,
            "%s: the checkpoint is of another version of Shoal, which can resume from it", path);
    if (is == IS_DAMAGED)
        return shoal_fail(SHOAL_E_FORMAT,
                          "%s: the checkpoint cannot be used: it is damaged, and there is none "
                          "before it",
                          path);
    /* Under its own name, as the next one would put the damaged one in its place. */
    if (older && name_beside(old, path, ".old")) (void)rename(old, path);
    return SHOAL_OK;
}

shoal_status shoal_run_about(const char *path, shoal_string *out)
{
    checkpoint c = {0};
    bool older;
    shoal_clear_error();
    SHOAL_NEED(path && out);
    if (look_at_both(&c, path, &older) == IS_WHOLE) shoal_string_put_text(out, c.about);
    checkpoint_free(&c);
    return shoal_string_status(out);
}
