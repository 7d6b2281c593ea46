/* SPDX-License-Identifier: BSD-3-Clause
 * Pair models that are part of the library: the files of data/models, by name. */
#ifndef SHOAL_IO_PAIR_MODEL_TEXTS_H
#define SHOAL_IO_PAIR_MODEL_TEXTS_H

#include <stddef.h>

typedef struct pair_model_text {
    const char *name, *text;
    size_t size;
} pair_model_text;

extern const pair_model_text pair_model_texts[];
extern const int pair_model_n_texts;

#endif
