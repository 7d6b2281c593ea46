/* SPDX-License-Identifier: BSD-3-Clause
 * The words of a CIF: data names, values and what stands between them. */
#ifndef SHOAL_IO_CIF_WORDS_H
#define SHOAL_IO_CIF_WORDS_H

#include "io/input.h"

typedef enum cif_kind {
    CIF_END = 0,
    CIF_BLOCK, /* data_NAME: the text is NAME */
    CIF_LOOP,
    CIF_NAME, /* _cell_length_a */
    CIF_VALUE,
    CIF_OTHER, /* save_, global_, stop_: not of CIF 1.1 data files */
} cif_kind;

/* The text is a part of the record. */
typedef struct cif_word {
    cif_kind kind;
    shoal_span text;
    bool quoted;
    int64_t line;
} cif_word;

typedef struct cif_words {
    shoal_input *in;
    shoal_span rest; /* of the present line */
    bool has_line, repeat;
    cif_word last;
} cif_words;

/* The next word. in must be pointed at the whole record (shoal_input_point). */
shoal_status cif_next(cif_words *w, cif_word *out);
/* The next call gives the last word once more. */
void cif_unread(cif_words *w);

/* "." and "?", not quoted. */
bool cif_is_unknown(const cif_word *word);
/* A number, with its uncertainty in brackets or without: 1.234(5). */
bool cif_number(shoal_span text, double *out);

#endif
