/* SPDX-License-Identifier: BSD-3-Clause
 * The folder of what may be lost at the price of time: compiled kernels, grids of surfaces. */
#ifndef SHOAL_BASE_CACHE_FOLDER_H
#define SHOAL_BASE_CACHE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

enum { CACHE_PATH = 1024, CACHE_WHY = CACHE_PATH + 200 };

typedef struct cache_folder {
    int descriptor; /* -1: there is none */
    char path[CACHE_PATH];
    char why[CACHE_WHY]; /* there is none; "" where none is wanted, or it was not made yet */
} cache_folder;

/* Opens the first of $SHOAL_CACHE_DIR, $XDG_CACHE_HOME/shoal and $HOME/.cache/shoal that is set, and makes it on
 * demand, unless SHOAL_CACHE=0. Code is loaded from it: it must be a folder, not a link, of this user, that nobody
 * else may write to. Where it is not, nothing is kept; the reason is in `why`, and no error is set. */
bool cache_folder_open(cache_folder *folder, bool make);
/* The path of a file in the folder that is open, for those who take no descriptor; it is that one whatever has taken
 * its name meanwhile. False where it does not fit. */
bool cache_folder_place(const cache_folder *folder, const char *name, char *path, size_t size);
void cache_folder_close(cache_folder *folder);

#endif
