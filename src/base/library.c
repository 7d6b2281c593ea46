/* SPDX-License-Identifier: BSD-3-Clause
 * Shared libraries, loaded when they are first wanted. */
#include "base/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void *open_first(const library_wish *wish, char failure[LIBRARY_FAILURE_SIZE])
{
    for (size_t k = 0; k < sizeof wish->files / sizeof wish->files[0]; ++k) {
        void *handle = wish->files[k] ? dlopen(wish->files[k], RTLD_NOW | RTLD_LOCAL) : NULL;
        if (handle) return handle;
        if (k > 0) continue;
        const char *why = dlerror();
        (void)snprintf(failure, LIBRARY_FAILURE_SIZE,
                       "%s is not installed: %s could not be loaded (%s)", wish->title,
                       wish->files[0], why ? why : "no reason given");
    }
    return NULL;
}

bool library_load(const library_wish *wish, char failure[LIBRARY_FAILURE_SIZE])
{
    void *handle = open_first(wish, failure);
    if (!handle) return false;
    for (size_t k = 0; k < wish->n_symbols; ++k) {
        void *found = dlsym(handle, wish->symbols[k].name);
        if (!found) {
            (void)snprintf(failure, LIBRARY_FAILURE_SIZE,
                           "the %s that is installed lacks %s: a newer one is needed", wish->title,
                           wish->symbols[k].name);
            return false;
        }
        /* ISO C has no conversion of object pointers to function pointers; POSIX has their bits
         * agree. */
        memcpy(wish->symbols[k].place, &found, sizeof found);
    }
    failure[0] = '\0';
    return true;
}
