/* SPDX-License-Identifier: BSD-3-Clause
 * Whether a file can be written, tried before anything is computed. */
#define _GNU_SOURCE /* realpath */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "shoal/run.h"

/* A new file can be made beside the final one, which it will replace; that of a link is its target. */
static bool can_make(const char *path)
{
    char *real = realpath(path, NULL);
    const char *name = real ? real : path;
    char *part = malloc(strlen(name) + 32);
    int fd = -1, code = ENOMEM;
    if (part) {
        (void)sprintf(part, "%s.try-%ld", name, (long)getpid());
        fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        code = errno;
    }
    if (fd >= 0) {
        (void)close(fd);
        (void)unlink(part);
    }
    free(real);
    free(part);
    errno = code;
    return fd >= 0;
}

shoal_status shoal_path_try(const char *path)
{
    struct stat info;
    shoal_clear_error();
    SHOAL_NEED(path);
    const bool there = stat(path, &info) == 0;
    bool fine;
    if (there && S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        fine = false;
    } else if (there && !S_ISREG(info.st_mode)) {
        fine = access(path, W_OK) == 0;
    } else {
        fine = can_make(path);
    }
    return fine ? SHOAL_OK : shoal_fail(SHOAL_E_IO, "%s: cannot write: %s", path, strerror(errno));
}
