/* SPDX-License-Identifier: BSD-3-Clause
 * Spans of text, strict number parsing and printing that no locale can change, growing strings. */
#ifndef SHOAL_BASE_TEXT_H
#define SHOAL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "shoal/text.h"

/* Borrowed text without a terminating zero. */
typedef struct shoal_span {
    const char *text;
    size_t size;
} shoal_span;

static inline bool shoal_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool shoal_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool shoal_is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static inline shoal_span shoal_span_of(const char *text)
{
    return (shoal_span){text, strlen(text)};
}

/* What is left after the first n characters. */
static inline shoal_span shoal_span_after(shoal_span s, size_t n)
{
    return (shoal_span){s.text + (n < s.size ? n : s.size), n < s.size ? s.size - n : 0};
}

/* Without blanks at both ends. */
shoal_span shoal_span_trim(shoal_span s);

/* Takes the next blank-separated word off *rest; an empty span when none is left. */
static inline shoal_span shoal_span_word(shoal_span *rest)
{
    const char *p = rest->text, *end = p + rest->size;
    while (p < end && shoal_is_blank(*p)) ++p;
    const char *start = p;
    while (p < end && !shoal_is_blank(*p)) ++p;
    *rest = (shoal_span){p, (size_t)(end - p)};
    return (shoal_span){start, (size_t)(p - start)};
}

/* Columns first..last-1, counted from 0, cut at the end of the line, without blanks. */
shoal_span shoal_span_columns(shoal_span line, size_t first, size_t last);

bool shoal_span_equal(shoal_span s, const char *text);
bool shoal_span_equal_nocase(shoal_span s, const char *text);
bool shoal_span_starts(shoal_span s, const char *prefix);

/* The whole span as a finite decimal number, correctly rounded; the exponent may be written with
 * e, E, d or D. False for anything else: blanks, junk, hexadecimal, inf, nan, overflow. */
bool shoal_text_double(shoal_span s, double *out);
/* The whole span as a decimal integer; false for anything else and beyond 32 bits. */
bool shoal_text_int(shoal_span s, int32_t *out);

/* Of any number printed, and room to print it fast. */
#define SHOAL_NUMBER_SIZE 48
/* Prints a number with the fewest digits from which shoal_text_double gives the same bits; "nan", "inf"
 * and "-inf" otherwise. Zero-terminated; returns the length. */
size_t shoal_text_print(char out[SHOAL_NUMBER_SIZE], double value);
size_t shoal_text_print_integer(char out[SHOAL_NUMBER_SIZE], int64_t value);

/* Rounded to decimals, 0..9; beyond 10^15 units of the last one as shoal_text_print does. */
size_t shoal_text_print_fixed(char out[SHOAL_NUMBER_SIZE], double value, int32_t decimals);

/* "%10.4f" without a minus before zero; false, and nothing is written, from +-9999.9999 on. */
bool shoal_text_coordinate(char to[10], double x);

#define SHOAL_QUOTE_SIZE 176
/* A value for an error text: at most 40 characters, then "..."; unprintable bytes as \xNN. */
void shoal_text_quote(char out[SHOAL_QUOTE_SIZE], shoal_span value);

/* Zero-terminated once anything was appended. Start with all zero. */
struct shoal_string {
    char *data;
    size_t size, capacity;
    shoal_status status; /* of the first failure */
};

/* Makes room for n bytes behind the text and a zero, and returns the place; whoever writes there adds
 * to size. NULL if there is no memory, or was none before. */
char *shoal_string_grow(shoal_string *s, size_t n);
static inline char *shoal_string_room(shoal_string *s, size_t n)
{
    return s->status == SHOAL_OK && s->capacity - s->size > n ? s->data + s->size
                                                              : shoal_string_grow(s, n);
}
static inline void shoal_string_put_span(shoal_string *s, shoal_span piece)
{
    shoal_string_put(s, piece.text, piece.size);
}
static inline shoal_span shoal_string_span(const shoal_string *s)
{
    return (shoal_span){s->data ? s->data : "", s->size};
}

/* Appends up to 1023 characters as printf makes them. */
void shoal_string_print(shoal_string *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends where a failure matters at once. */
shoal_status shoal_string_append(shoal_string *s, shoal_span piece);
/* Replaces the content. */
shoal_status shoal_string_set(shoal_string *s, shoal_span content);
void shoal_string_free(shoal_string *s);

#endif
