/* SPDX-License-Identifier: BSD-3-Clause
 * Spans of text, strict number parsing and printing that no locale can change, growing strings. */
#ifndef SHOAL_BASE_TEXT_H
#define SHOAL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"

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

#define SHOAL_NUMBER_SIZE 40
/* Prints a number so that shoal_text_double gives the same bits, in 15 digits where they suffice,
 * else in 17; "nan", "inf" and "-inf" otherwise. Zero-terminated; returns the length. */
size_t shoal_text_print(char out[SHOAL_NUMBER_SIZE], double value);

#define SHOAL_QUOTE_SIZE 176
/* A value for an error text: at most 40 characters, then "..."; unprintable bytes as \xNN. */
void shoal_text_quote(char out[SHOAL_QUOTE_SIZE], shoal_span value);

/* A growing text, zero-terminated once anything was appended. Start with all zero. */
typedef struct shoal_string {
    char *data;
    int32_t size, capacity;
} shoal_string;

shoal_status shoal_string_append(shoal_string *s, shoal_span piece);
/* Replaces the content. */
shoal_status shoal_string_set(shoal_string *s, shoal_span content);
void shoal_string_free(shoal_string *s);

#endif
