/* SPDX-License-Identifier: BSD-3-Clause
 * Files that remember what was built and tested for a device. Losing them costs only time. */
#ifndef SHOAL_CL_CACHE_H
#define SHOAL_CL_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 128 bits; not against forgers. */
typedef struct cl_cache_key {
    uint64_t a, b;
} cl_cache_key;

/* Start of every key. */
cl_cache_key cl_cache_begin(void);
/* Adds a text with its end, so that "ab","c" and "a","bc" differ. */
void cl_cache_add(cl_cache_key *key, const char *text);

/* Path of an entry, kind being the end of its name, in the first of $SHOAL_CACHE_DIR,
 * $XDG_CACHE_HOME/shoal and $HOME/.cache/shoal that is set. False where nothing can be kept: with
 * SHOAL_CACHE=0, or if that directory cannot be made. */
bool cl_cache_path(cl_cache_key key, const char *kind, char *path, size_t size);

/* The content of an entry, which the caller frees; false if there is none or if it is damaged. */
bool cl_cache_load(cl_cache_key key, const char *kind, unsigned char **data, size_t *size);
/* Keeps an entry if that is possible. Readers see all of it or nothing. */
void cl_cache_store(cl_cache_key key, const char *kind, const void *data, size_t size);

#endif
