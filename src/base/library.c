/* SPDX-License-Identifier: BSD-3-Clause
 * Shared libraries, loaded when they are first wanted. */
#define _GNU_SOURCE /* dladdr */
#include "base/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef SHOAL_LIBDIR
#define SHOAL_LIBDIR "lib"
#endif

/* The reason given is that of the first file. */
static void *open_first(const library_request *request, char failure[LIBRARY_FAILURE_SIZE])
{
    failure[0] = '\0';
    for (size_t k = 0; k < sizeof request->files / sizeof request->files[0]; ++k) {
        if (!request->files[k]) continue;
        void *handle = dlopen(request->files[k], RTLD_NOW | RTLD_LOCAL);
        if (handle) return handle;
        if (failure[0]) continue;
        const char *why = dlerror();
        (void)snprintf(failure, LIBRARY_FAILURE_SIZE,
                       "%s is not installed: %s could not be loaded (%s)", request->title,
                       request->files[k], why ? why : "no reason given");
    }
    return NULL;
}

bool library_load(const library_request *request, char failure[LIBRARY_FAILURE_SIZE])
{
    void *handle = open_first(request, failure);
    if (!handle) return false;
    for (size_t k = 0; k < request->n_symbols; ++k) {
        void *found = dlsym(handle, request->symbols[k].name);
        if (!found) {
            (void)snprintf(failure, LIBRARY_FAILURE_SIZE,
                           "the %s that is installed lacks %s: a newer one is needed",
                           request->title, request->symbols[k].name);
            return false;
        }
        /* ISO C has no conversion of object pointers to function pointers; POSIX has their bits
         * agree. */
        memcpy(request->symbols[k].place, &found, sizeof found);
    }
    failure[0] = '\0';
    return true;
}

/* Looks beside a file, and where both are when they are installed. */
static bool find_near(const char *file, const char *name, char out[LIBRARY_PATH_SIZE])
{
    static const char *const places[] = {"", "shoal/", "../" SHOAL_LIBDIR "/shoal/",
                                         "../lib/shoal/"};
    const char *slash = strrchr(file, '/');
    if (!slash) return false;
    for (size_t k = 0; k < sizeof places / sizeof places[0]; ++k) {
        const int n = snprintf(out, LIBRARY_PATH_SIZE, "%.*s/%s%s", (int)(slash - file), file,
                               places[k], name);
        if (n < LIBRARY_PATH_SIZE && access(out, R_OK) == 0) return true;
    }
    return false;
}

bool library_find_beside(const char *name, char out[LIBRARY_PATH_SIZE])
{
    static const char here = 0;
    char program[LIBRARY_PATH_SIZE];
    Dl_info info;
    if (dladdr(&here, &info) != 0 && info.dli_fname && find_near(info.dli_fname, name, out))
        return true;
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    return find_near(program, name, out);
}
