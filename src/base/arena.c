/* SPDX-License-Identifier: BSD-3-Clause
 * Memory that is handed out piece by piece and taken back all at once. */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define ALIGNMENT 16
#define FIRST_BLOCK ((size_t)4096)

struct arena_block {
    arena_block *next; /* older, full block */
    size_t size, used; /* bytes of data */
    _Alignas(ALIGNMENT) unsigned char data[];
};

static arena_block *new_block(arena *a, size_t size)
{
    arena_block *block = malloc(sizeof *block + size);
    if (!block) return NULL;
    *block = (arena_block){.next = a->head, .size = size};
    a->head = block;
    return block;
}

static arena_block *add_block(arena *a, size_t bytes)
{
    const size_t size = a->head ? 2 * a->head->size : FIRST_BLOCK;
    return new_block(a, size < bytes ? bytes : size);
}

shoal_status arena_reserve(arena *a, size_t bytes, int32_t n_pieces)
{
    const size_t all = bytes + (size_t)n_pieces * (ALIGNMENT - 1);
    if (a->head && a->head->size - a->head->used >= all) return SHOAL_OK;
    if (new_block(a, all)) return SHOAL_OK;
    return shoal_fail(SHOAL_E_MEMORY, "out of memory: %zu bytes", all);
}

void *arena_alloc_dirty(arena *a, size_t n, size_t size)
{
    if (n == 0) n = 1;
    arena_block *block = a->head;
    if (size != 0 && n <= (SIZE_MAX / 4) / size) {
        const size_t bytes = (n * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        if (!block || block->size - block->used < bytes) block = add_block(a, bytes);
        if (block) {
            void *p = block->data + block->used;
            block->used += bytes;
            return p;
        }
    }
    (void)shoal_fail(SHOAL_E_MEMORY, "out of memory: %zu objects of %zu bytes", n, size);
    return NULL;
}

void *arena_alloc(arena *a, size_t n, size_t size)
{
    void *p = arena_alloc_dirty(a, n, size);
    if (p) memset(p, 0, (n > 0 ? n : 1) * size);
    return p;
}

void arena_reset(arena *a)
{
    if (!a->head) return;
    if (a->head->next) {
        size_t total = 0;
        for (const arena_block *b = a->head; b; b = b->next) total += b->used;
        arena_free(a);
        (void)add_block(a, total); /* a failure shows at the next alloc */
    } else {
        a->head->used = 0;
    }
}

void arena_free(arena *a)
{
    while (a->head) {
        arena_block *next = a->head->next;
        free(a->head);
        a->head = next;
    }
}
