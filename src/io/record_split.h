/* SPDX-License-Identifier: BSD-3-Clause
 * Where a malformed record ends: what a line is by its look alone, and whether a counts line begins a
 * record of an SD file. */
#ifndef SHOAL_IO_RECORD_SPLIT_H
#define SHOAL_IO_RECORD_SPLIT_H

#include <stdint.h>

#include "base/text.h"

/* The fourth line of an SD record as programs write it: V2000 or V3000 in columns 35-39, and numbers or
 * blanks in columns 1-6. */
bool line_is_counts(shoal_span line);
bool line_is_number(shoal_span line);
/* Nothing but digits: the first line of an xyz frame. Most lines begin with a letter. */
static inline bool line_is_count(shoal_span line)
{
    return line.size > 0 && line.text[0] <= '9' && line_is_number(line);
}
/* At least four words, three of them numbers. */
bool line_is_atom(shoal_span line);

/* What a line of an SD record is part of. */
typedef enum sdf_part {
    SDF_HEAD, /* up to the counts line */
    SDF_MOL,  /* up to "M  END" */
    SDF_DATA, /* behind it, before the first data field */
    SDF_FIELD,
} sdf_part;

/* How far an SD record was looked through. Start with all zero. */
typedef struct sdf_place {
    size_t seen;     /* bytes */
    int64_t n_lines; /* in them */
    sdf_part part;   /* that the next line belongs to */
    bool has_value;  /* the field has a line that is not blank */
    bool after_blank;
} sdf_place;

/* Whether a counts line that begins at byte `at` of a record begins another one: inside a mol block, behind it,
 * or behind the blank line that ends a data field. A molfile that is the value of a field does not.
 * *start is then the byte of the first of the three lines before it. */
bool sdf_splits(sdf_place *place, const char *record, size_t at, size_t *start);

#endif
