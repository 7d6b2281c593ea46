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

/* JSON, put into a text piece by piece. All zero makes a text of its own when it is needed, which shoal_json_free
 * destroys; with a text of the caller's in it, {.text = ..}, it goes behind what is there, and stays the caller's. */
typedef struct shoal_json {
    shoal_string *text;
    bool comma;     /* the next value needs a comma before it */
    bool no_memory; /* for a text */
} shoal_json;

/* key: at most 60 letters that need no escape; NULL inside arrays. */
SHOAL_API void shoal_json_open(shoal_json *j, const char *key, char bracket); /* '{' or '[' */
SHOAL_API void shoal_json_close(shoal_json *j, char bracket);                 /* '}' or ']' */
SHOAL_API void shoal_json_text(shoal_json *j, const char *key, const char *value);
/* In the fewest digits that read back as the same bits; null if it is not finite. */
SHOAL_API void shoal_json_number(shoal_json *j, const char *key, double value);
SHOAL_API void shoal_json_integer(shoal_json *j, const char *key, int64_t value);
SHOAL_API void shoal_json_boolean(shoal_json *j, const char *key, bool value);
/* Arrays: of numbers, of whole ones, and of v[n][3]. */
SHOAL_API void shoal_json_numbers(shoal_json *j, const char *key, const double *values, int32_t n);
SHOAL_API void shoal_json_integers(shoal_json *j, const char *key, const int32_t *values,
                                   int32_t n);
SHOAL_API void shoal_json_vectors(shoal_json *j, const char *key, const double (*v)[3], int32_t n);
/* Closes the object of a line, and ends that. */
SHOAL_API void shoal_json_end(shoal_json *j);
/* Empties the text. */
SHOAL_API void shoal_json_clear(shoal_json *j);
SHOAL_API void shoal_json_free(shoal_json *j);
/* SHOAL_E_MEMORY if some of it is missing. */
SHOAL_API shoal_status shoal_json_status(const shoal_json *j);

/* A checksum that goes on from `sum`, 0 at first, with bytes[n]: equal texts put in equal pieces have equal sums. */
SHOAL_API uint64_t shoal_checksum_add(uint64_t sum, const void *bytes, size_t n);

#ifdef __cplusplus
}
#endif

#endif
