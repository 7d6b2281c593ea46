/* SPDX-License-Identifier: BSD-3-Clause
 * Allocation that fails with a status, and growing arrays of plain structs. */
#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *shoal_alloc(size_t n, size_t size)
{
    void *p = calloc(n > 0 ? n : 1, size);
    if (!p) (void)shoal_fail(SHOAL_E_MEMORY, "out of memory: %zu objects of %zu bytes", n, size);
    return p;
}

void *shoal_alloc_dirty(size_t n, size_t size)
{
    void *p = n <= SIZE_MAX / 2 / size ? malloc(n > 0 ? n * size : size) : NULL;
    if (!p) (void)shoal_fail(SHOAL_E_MEMORY, "out of memory: %zu objects of %zu bytes", n, size);
    return p;
}

shoal_status shoal_grow(void *array, int32_t *capacity, int32_t n, size_t size)
{
    if (n < 0 || n > INT32_MAX / 2)
        return shoal_fail(SHOAL_E_MEMORY, "array of %d elements is beyond the limit of %d", n,
                          INT32_MAX / 2);
    int32_t wanted = *capacity < 16 ? 16 : *capacity;
    while (wanted < n) wanted *= 2;
    void *old;
    memcpy(&old, array, sizeof old);
    void *p = realloc(old, (size_t)wanted * size);
    if (!p)
        return shoal_fail(SHOAL_E_MEMORY, "out of memory: %d objects of %zu bytes", wanted, size);
    memcpy(array, &p, sizeof p);
    *capacity = wanted;
    return SHOAL_OK;
}

char *shoal_strdup(const char *text)
{
    const size_t n = strlen(text) + 1;
    char *copy = shoal_alloc(n, 1);
    if (copy) memcpy(copy, text, n);
    return copy;
}
