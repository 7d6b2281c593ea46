/* SPDX-License-Identifier: BSD-3-Clause
 * Where frames of trajectories wait: those of a system stand together in an output, behind those of the systems before
 * it, but are told at the same time as those of thousands of others. What memory has no room for goes to a file, in
 * pieces of whole frames, and is read back once, when its turn comes.
 *
 * States of systems name their pieces, so that a later run finds them: a piece that was read back stays until two
 * checkpoints have been written that do not name it. */
#ifndef SHOAL_STREAM_SPOOL_H
#define SHOAL_STREAM_SPOOL_H

#include "base/text.h"

typedef struct spool spool;

typedef struct spool_piece {
    int64_t at; /* in the file */
    uint64_t size, hash;
} spool_piece;

/* A text: pieces in the file, and what follows in memory. Start with all zero. */
typedef struct spool_text {
    spool_piece *pieces;
    int32_t n, capacity;
    shoal_string tail;
} spool_text;

/* The file is made when it is needed, unless a run goes on that had `keep` bytes in it, which stay; SHOAL_E_IO where they
 * are not there. path NULL: it has no name. most: bytes that may wait in memory, about. Calls with a spool of NULL keep
 * everything in memory. */
shoal_status spool_create(spool **out, const char *path, int64_t keep, int64_t most);
/* The file stays under its name if it is to be kept. */
void spool_destroy(spool *s, bool keep);

/* The tail has grown by so many bytes, and goes to the file where memory is short; on any thread. */
shoal_status spool_grow(spool *s, spool_text *text, size_t added);
/* Frees the text; its pieces stay until they are dropped, as states may name them. */
void spool_release(spool *s, spool_text *text);

/* A piece instead of what is in out. SHOAL_E_IO where the file is not what it was. */
shoal_status spool_read(spool *s, const spool_piece *piece, shoal_string *out);
/* A piece that is not needed any more. */
void spool_drop(spool *s, const spool_piece *piece);

/* Appends what spool_load takes off *rest again; to NULL: it is passed over. Loading reads all pieces, and fails with
 * SHOAL_E_IO where one is not what it was, with SHOAL_E_ARGUMENT where there is no such text. */
void spool_save(const spool_text *text, shoal_string *out);
shoal_status spool_load(spool *s, shoal_span *rest, spool_text *to);

/* The same as one piece in memory, for those who do not have the file. */
shoal_status spool_save_whole(spool *s, const spool_text *text, shoal_string *out);

/* Before a checkpoint: pieces are on the disk; and after it was written. */
shoal_status spool_sync(spool *s, int64_t *size);
void spool_mark(spool *s);

#endif
