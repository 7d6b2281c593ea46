/* SPDX-License-Identifier: BSD-3-Clause
 * A growing text: frames and numbers are put into it on any thread and written as they are.
 *
 * Numbers look the same in every locale. A failure to get memory is kept, and what follows it is dropped:
 * ask once, at the end, with shoal_string_status. NULL has no text and takes none. */
#ifndef SHOAL_TEXT_H
#define SHOAL_TEXT_H

#include <stddef.h>

#include "shoal/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_string shoal_string;

/* Creates an empty text. The caller owns *out. Fails with SHOAL_E_MEMORY. */
SHOAL_API shoal_status shoal_string_create(shoal_string **out);
SHOAL_API void shoal_string_destroy(shoal_string *s);
/* Empties a text but keeps its memory; a failure is forgotten. */
SHOAL_API void shoal_string_clear(shoal_string *s);

/* Drops what lies behind the first size bytes. */
SHOAL_API void shoal_string_cut(shoal_string *s, size_t size);

/* Zero-terminated and never NULL; borrowed until the text changes. */
SHOAL_API const char *shoal_string_data(const shoal_string *s);
/* Bytes, without the terminating zero. */
SHOAL_API size_t shoal_string_size(const shoal_string *s);
/* SHOAL_E_MEMORY if something was dropped since the text was empty. */
SHOAL_API shoal_status shoal_string_status(const shoal_string *s);

/* Appends bytes[n], which may not be a part of this text. */
SHOAL_API void shoal_string_put(shoal_string *s, const char *bytes, size_t n);
SHOAL_API void shoal_string_put_text(shoal_string *s, const char *text);
/* The fewest digits that read back as the same bits; "nan", "inf" or "-inf" otherwise. */
SHOAL_API void shoal_string_put_number(shoal_string *s, double value);
SHOAL_API void shoal_string_put_integer(shoal_string *s, int64_t value);
/* Rounded to 0 to 9 decimals, right-aligned in at least width columns; no minus before zero. Beyond
 * 10^15 units of the last decimal as shoal_string_put_number does. */
SHOAL_API void shoal_string_put_fixed(shoal_string *s, double value, int32_t width,
                                      int32_t decimals);
/* In quotes, with the escapes of JSON; what is not UTF-8 becomes U+FFFD. */
SHOAL_API void shoal_string_put_json(shoal_string *s, const char *text);

/* A checksum that goes on from `sum`, 0 at first, with bytes[n]: equal texts put in equal pieces have equal sums. */
SHOAL_API uint64_t shoal_checksum_add(uint64_t sum, const void *bytes, size_t n);

#ifdef __cplusplus
}
#endif

#endif
