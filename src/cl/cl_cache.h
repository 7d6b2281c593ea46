/* SPDX-License-Identifier: BSD-3-Clause
 * Files that remember what was built and tested for a device, in the folder of base/cache_folder.h. Losing them
 * costs only time. */
#ifndef SHOAL_CL_CACHE_H
#define SHOAL_CL_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/sha256.h"

/* What an entry is of: a digest, since code is loaded by it. */
typedef struct cl_cache_key {
    char digest[SHA256_TEXT];
} cl_cache_key;

/* Of texts with their ends, so that "ab", "c" and "a", "bc" differ. */
cl_cache_key cl_cache_key_of(const char *const *texts, int n);

/* The content of an entry, which the caller frees; kind is the end of its name. False if there is none, if it is
 * damaged, or if anybody else could have written it. */
bool cl_cache_load(cl_cache_key key, const char *kind, unsigned char **data, size_t *size);
/* Keeps an entry if that is possible, else false. Readers see all of it or nothing. */
bool cl_cache_store(cl_cache_key key, const char *kind, const void *data, size_t size);
/* Forgets an entry, if there is one. */
void cl_cache_remove(cl_cache_key key, const char *kind);

#endif
