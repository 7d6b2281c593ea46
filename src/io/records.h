/* SPDX-License-Identifier: BSD-3-Clause
 * Cutting a molecule file into whole records without parsing them, so that threads can. */
#ifndef SHOAL_IO_RECORDS_H
#define SHOAL_IO_RECORDS_H

#include "base/text.h"
#include "shoal/io.h"

typedef struct record_cutter record_cutter;

/* Consecutive records of one file. Start with all zero; the memory is used again from call to call. */
typedef struct record_block {
    char *text; /* record i is text[starts[i], starts[i + 1]) */
    size_t size, capacity;
    int32_t n; /* records */
    int32_t n_capacity;
    size_t *starts; /* [n + 1] */
    int64_t *lines; /* [n] number of the first line of each, from 1 */
    int64_t first;  /* number of the first record in the file, from 0 */
} record_block;

/* "-" is standard input. SHOAL_FORMAT_AUTO asks the name. A cutter is for one thread at a time. stop: as in
 * shoal_input_open. */
shoal_status record_cutter_open(record_cutter **out, const char *path, shoal_format format,
                                const _Atomic bool *stop);
/* data[size] is borrowed until the cutter is destroyed. */
shoal_status record_cutter_open_memory(record_cutter **out, const void *data, size_t size,
                                       const char *label, shoal_format format);
void record_cutter_destroy(record_cutter *c);

/* Up to max_records records, fewer once they have max_bytes, or where a pipe has no more for now; at least one
 * unless the file ends, n = 0 at its end. A record ends with the line $$$$ (SDF), with the last atom that its
 * count announces (xyz), before the next @<TRIPOS>MOLECULE (mol2), before the next block behind one with sites (CIF), with ENDMDL or END behind atoms
 * (PDB; CRYST1 is put before the models that lack it), with its line (SMILES), or with the file; blank lines at the end of the
 * file are none. What is wrong inside a record is for its parser to say, and costs no other: a counts line where
 * an SD record cannot have one begins the next three lines before it; so does a lone number among the atoms of an
 * xyz frame; atoms behind the last one announced are part of the frame, unless a pipe has nothing more for now;
 * and lines without a count before them are one record. Fails where the file cannot be read or decoded, behind the
 * last whole record before that, and on a record of more than 1 GiB; a failure is final. */
shoal_status record_cutter_next(record_cutter *c, record_block *b, int32_t max_records,
                                size_t max_bytes);

shoal_format record_cutter_format(const record_cutter *c);
/* The name of the file for error texts, borrowed. */
const char *record_cutter_label(const record_cutter *c);
/* Stored bytes consumed, and in all (0 if unknown). */
void record_cutter_progress(const record_cutter *c, uint64_t *done, uint64_t *total);

static inline shoal_span record_block_text(const record_block *b, int32_t i)
{
    return (shoal_span){b->text + b->starts[i], b->starts[i + 1] - b->starts[i]};
}

/* Room for n records and the end of the last. */
shoal_status record_block_reserve(record_block *b, int32_t n);
void record_block_free(record_block *b);

#endif
