/* SPDX-License-Identifier: BSD-3-Clause
 * Memory that is handed out piece by piece and taken back all at once. */
#ifndef SHOAL_BASE_ARENA_H
#define SHOAL_BASE_ARENA_H

#include <stddef.h>

#include "base/error.h"

typedef struct arena_block arena_block;

/* All zero is an empty arena. */
typedef struct arena {
    arena_block *head;
} arena;

/* n zeroed objects of a size, aligned for any type, valid until reset or free; n = 0 gives a valid
 * pointer. NULL with the error set when memory is out. */
void *arena_alloc(arena *a, size_t n, size_t size);

/* As arena_alloc, but the objects are left undefined. */
void *arena_alloc_dirty(arena *a, size_t n, size_t size);

/* Room for n_pieces of so many bytes together, in one block of no more than that. */
shoal_status arena_reserve(arena *a, size_t bytes, int32_t n_pieces);

/* Takes everything back and keeps one block large enough for as much again. */
void arena_reset(arena *a);
void arena_free(arena *a);

#endif
