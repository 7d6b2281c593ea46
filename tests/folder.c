/* SPDX-License-Identifier: BSD-3-Clause
 * Part of every unit test: it stands in a folder of its own, where it may write, and which goes with its process. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static char folder[256];
static pid_t owner;

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static void leave(void)
{
    if (getpid() == owner) (void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

__attribute__((constructor)) static void enter(void)
{
    const char *top = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%s/shoal-test-XXXXXX", top && *top ? top : "/tmp");
    owner = getpid();
    if (!mkdtemp(folder) || chdir(folder) != 0 || atexit(leave) != 0) {
        perror(folder);
        _exit(1);
    }
}
