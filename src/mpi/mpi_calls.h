/* SPDX-License-Identifier: BSD-3-Clause
 * What the library wants of MPI, in a shared object of its own: only a run that an MPI launcher has started
 * loads it, and a build for another MPI replaces it alone. It knows nothing of the library. */
#ifndef SHOAL_MPI_CALLS_H
#define SHOAL_MPI_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHOAL_MPI_VERSION 1

/* All are called on the thread that called begin, and return false after a failure, with its text. */
typedef struct shoal_mpi_calls {
    int32_t version;
    bool (*begin)(int32_t *rank, int32_t *size);
    /* Sends a copy; does not wait. */
    bool (*send)(int32_t to, const void *bytes, size_t n);
    /* The next piece that has come: its sender, its size and whether more of the same message follow; found
     * is false if there is none. Then it has to be taken into bytes[n]. */
    bool (*probe)(bool *found, int32_t *from, size_t *n, bool *more);
    bool (*take)(void *bytes);
    /* Waits for what was sent, and for all others to end. */
    void (*end)(void);
    const char *(*error)(void);
} shoal_mpi_calls;

/* The name that is looked for in the shared object. */
#define SHOAL_MPI_SYMBOL "shoal_mpi_open"
typedef const shoal_mpi_calls *shoal_mpi_opener(void);

#endif
