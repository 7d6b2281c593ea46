/* SPDX-License-Identifier: BSD-3-Clause
 * The folder of what may be lost at the price of time. */
#include "base/cache_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool find_path(cache_folder *f)
{
    static const struct {
        const char *variable, *below;
    } places[] = {{"SHOAL_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "/shoal"}, {"HOME", "/.cache/shoal"}};
    for (size_t k = 0; k < sizeof places / sizeof places[0]; ++k) {
        const char *top = getenv(places[k].variable);
        if (!top || !*top) continue;
        const int n = snprintf(f->path, sizeof f->path, "%s%s", top, places[k].below);
        if (n > 0 && n < CACHE_PATH) return true;
        (void)snprintf(f->why, sizeof f->why, "the path in %s is too long", places[k].variable);
        return false;
    }
    (void)snprintf(f->why, sizeof f->why,
                   "none of SHOAL_CACHE_DIR, XDG_CACHE_HOME and HOME is set");
    return false;
}

/* A link would be followed where a slash stands behind its name. */
static void cut_slashes(char *path)
{
    for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; --n) path[n - 1] = '\0';
}

static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    (void)mkdir(path, 0700);
}

/* Whether nobody else can put anything into the folder that is open. */
static bool is_ours(cache_folder *f)
{
    struct stat info;
    if (fstat(f->descriptor, &info) != 0)
        (void)snprintf(f->why, sizeof f->why, "%s: %s", f->path, strerror(errno));
    else if (info.st_uid != geteuid())
        (void)snprintf(f->why, sizeof f->why,
                       "%s belongs to user %lld, expected this one, %lld: nothing is kept there",
                       f->path, (long long)info.st_uid, (long long)geteuid());
    else if (info.st_mode & (S_IWGRP | S_IWOTH))
        (void)snprintf(f->why, sizeof f->why,
                       "%s may be written to by others (mode %03o, expected 700): nothing is kept "
                       "there",
                       f->path, (unsigned)info.st_mode & 0777U);
    else
        return true;
    return false;
}

bool cache_folder_open(cache_folder *f, bool make)
{
    const char *wanted = getenv("SHOAL_CACHE");
    *f = (cache_folder){.descriptor = -1};
    if (wanted && strcmp(wanted, "0") == 0) return false;
    if (!find_path(f)) return false;
    cut_slashes(f->path);
    if (make) make_folders(f->path);
    f->descriptor = open(f->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f->descriptor >= 0 && is_ours(f)) return true;
    const int code = errno;
    if (f->descriptor < 0 && (code == ELOOP || code == ENOTDIR))
        (void)snprintf(f->why, sizeof f->why,
                       "%s: expected a folder, and no link to one: nothing is kept there", f->path);
    else if (f->descriptor < 0 && (make || code != ENOENT))
        (void)snprintf(f->why, sizeof f->why, "%s: %s", f->path, strerror(code));
    cache_folder_close(f);
    return false;
}

bool cache_folder_place(const cache_folder *f, const char *name, char *path, size_t size)
{
#ifdef __linux__
    const int n = snprintf(path, size, "/proc/self/fd/%d/%s", f->descriptor, name);
#else
    const int n = snprintf(path, size, "%s/%s", f->path, name);
#endif
    return n > 0 && (size_t)n < size;
}

void cache_folder_close(cache_folder *f)
{
    if (f->descriptor >= 0) (void)close(f->descriptor);
    f->descriptor = -1;
}
