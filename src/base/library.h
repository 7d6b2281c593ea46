/* SPDX-License-Identifier: BSD-3-Clause
 * A shared library that is loaded when it is first wanted, so that a run which does not want it
 * starts without it: loading takes longer than relaxing a small molecule. */
#ifndef SHOAL_BASE_LIBRARY_H
#define SHOAL_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* One thing wanted of a library; its address is put into the pointer at place. */
typedef struct library_symbol {
    const char *name;
    void *place;
} library_symbol;

typedef struct library_request {
    const char *title;    /* as messages call it */
    const char *files[3]; /* tried in this order; any may be NULL */
    const library_symbol *symbols;
    size_t n_symbols;
} library_request;

#define LIBRARY_FAILURE_SIZE 320

/* Loads a library and finds its symbols; it stays until the process ends. False, with the reason in
 * failure, if it cannot be loaded or lacks a symbol. To be called through pthread_once. */
bool library_load(const library_request *request, char failure[LIBRARY_FAILURE_SIZE]);

#define LIBRARY_PATH_SIZE 4096

/* Looks for a file that came along with Shoal: beside this library, then beside the program, and in the folders
 * named shoal that such files are installed into. */
bool library_find_beside(const char *name, char out[LIBRARY_PATH_SIZE]);

#endif
