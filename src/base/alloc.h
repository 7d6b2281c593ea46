/* SPDX-License-Identifier: BSD-3-Clause
 * Allocation that fails with a status, and growing arrays of plain structs. */
#ifndef SHOAL_BASE_ALLOC_H
#define SHOAL_BASE_ALLOC_H

#include <stddef.h>

#include "base/error.h"

/* Zeroed memory for n objects of a size; n = 0 gives a valid pointer. NULL with the error set. */
void *shoal_alloc(size_t n, size_t size);

/* The same, not zeroed: for large arrays that are filled at once. */
void *shoal_alloc_dirty(size_t n, size_t size);

/* Makes room for at least n objects in *array, growing by doubling. capacity counts objects. */
shoal_status shoal_grow(void *array, int32_t *capacity, int32_t n, size_t size);

/* Copy of a text; NULL with the error set. */
char *shoal_strdup(const char *text);

/* Makes room for n elements of a typed array: SHOAL_RESERVE(&m->bonds, &m->bond_cap, n). */
#define SHOAL_RESERVE(array, capacity, n)                                                          \
    ((n) <= *(capacity) ? SHOAL_OK : shoal_grow((array), (capacity), (n), sizeof **(array)))

#endif
