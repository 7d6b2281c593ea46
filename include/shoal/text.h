/* SPDX-License-Identifier: BSD-3-Clause
 * temporary */
#ifndef SHOAL_TEXT_H
#define SHOAL_TEXT_H
#include <stddef.h>
#include "shoal/io.h"
typedef struct shoal_string shoal_string;
SHOAL_API shoal_status shoal_string_create(shoal_string **out);
SHOAL_API void shoal_string_destroy(shoal_string *s);
SHOAL_API void shoal_string_clear(shoal_string *s);
SHOAL_API size_t shoal_string_size(const shoal_string *s);
SHOAL_API const char *shoal_string_data(const shoal_string *s);
SHOAL_API void shoal_string_cut(shoal_string *s, size_t size);
SHOAL_API shoal_status shoal_string_check(const shoal_string *s);
SHOAL_API void shoal_string_put(shoal_string *s, const char *text, size_t n);
SHOAL_API shoal_status shoal_frame_format(shoal_string *out, shoal_format format, const shoal_molecule *mol, const shoal_frame *frame);
SHOAL_API shoal_status shoal_writer_append(shoal_writer *w, const char *text, size_t size);
#endif
