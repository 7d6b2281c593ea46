/* SPDX-License-Identifier: BSD-3-Clause
 * Growing texts. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/text.h"

shoal_status shoal_string_create(shoal_string **out)
{
    shoal_clear_error();
    SHOAL_NEED(out);
    *out = shoal_alloc(1, sizeof **out);
    return *out ? SHOAL_OK : SHOAL_E_MEMORY;
}

void shoal_string_destroy(shoal_string *s)
{
    if (!s) return;
    shoal_string_free(s);
    free(s);
}

void shoal_string_clear(shoal_string *s)
{
    if (!s) return;
    s->size = 0;
    s->status = SHOAL_OK;
    if (s->data) s->data[0] = '\0';
}

void shoal_string_cut(shoal_string *s, size_t size)
{
    if (!s || size >= s->size) return;
    s->size = size;
    s->data[size] = '\0';
}

void shoal_string_free(shoal_string *s)
{
    free(s->data);
    *s = (shoal_string){0};
}

const char *shoal_string_data(const shoal_string *s)
{
    return s && s->data ? s->data : "";
}

size_t shoal_string_size(const shoal_string *s)
{
    return s ? s->size : 0;
}

shoal_status shoal_string_status(const shoal_string *s)
{
    shoal_clear_error();
    SHOAL_NEED(s);
    if (s->status == SHOAL_OK) return SHOAL_OK;
    return shoal_fail(s->status, "out of memory: a text of more than %zu bytes", s->size);
}

char *shoal_string_grow(shoal_string *s, size_t n)
{
    if (s->status != SHOAL_OK) return NULL;
    if (s->capacity - s->size > n) return s->data + s->size;
    const size_t wanted = s->size + n < SIZE_MAX / 4 ? 2 * (s->size + n) + 64 : 0;
    char *bigger = wanted > 0 ? realloc(s->data, wanted) : NULL;
    if (!bigger) {
        s->status = SHOAL_E_MEMORY;
        return NULL;
    }
    s->data = bigger;
    s->capacity = wanted;
    return s->data + s->size;
}

void shoal_string_put(shoal_string *s, const char *bytes, size_t n)
{
    char *to = s && bytes ? shoal_string_room(s, n) : NULL;
    if (!to) return;
    memcpy(to, bytes, n);
    to[n] = '\0';
    s->size += n;
}

void shoal_string_put_text(shoal_string *s, const char *text)
{
    if (text) shoal_string_put(s, text, strlen(text));
}

void shoal_string_put_number(shoal_string *s, double value)
{
    char *to = s ? shoal_string_room(s, SHOAL_NUMBER_SIZE) : NULL;
    if (to) s->size += shoal_text_print(to, value);
}

void shoal_string_put_integer(shoal_string *s, int64_t value)
{
    char *to = s ? shoal_string_room(s, SHOAL_NUMBER_SIZE) : NULL;
    if (to) s->size += shoal_text_print_integer(to, value);
}

/* Blanks before a text of n bytes. */
static void put_padding(shoal_string *s, int32_t width, size_t n)
{
    const size_t blanks = width > 0 && (size_t)width > n ? (size_t)width - n : 0;
    char *to = shoal_string_room(s, blanks);
    if (!to) return;
    memset(to, ' ', blanks);
    s->size += blanks;
}

void shoal_string_put_fixed(shoal_string *s, double value, int32_t width, int32_t decimals)
{
    char text[SHOAL_NUMBER_SIZE];
    if (!s) return;
    const size_t n = shoal_text_print_fixed(text, value,
                                            decimals < 0   ? 0
                                            : decimals > 9 ? 9
                                                           : decimals);
    put_padding(s, width, n);
    shoal_string_put(s, text, n);
}

/* Bytes of the character at c, 0 if it is not well-formed UTF-8. */
static size_t utf8_length(const char *c)
{
    const unsigned char *u = (const unsigned char *)c;
    size_t n = 1;
    if (u[0] < 0x80) return 1;
    if (u[0] >= 0xc2 && u[0] < 0xe0) n = 2;
    if (u[0] >= 0xe0 && u[0] < 0xf0) n = 3;
    if (u[0] >= 0xf0 && u[0] < 0xf5) n = 4;
    for (size_t k = 1; k < n; ++k)
        if ((u[k] & 0xc0) != 0x80) return 0;
    const bool overlong = (u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xf0 && u[1] < 0x90);
    const bool out = (u[0] == 0xed && u[1] >= 0xa0) || (u[0] == 0xf4 && u[1] >= 0x90);
    return n == 1 || overlong || out ? 0 : n;
}

/* A character that cannot stand in a JSON string as it is; returns how many bytes it has. */
static size_t put_escape(shoal_string *s, const char *c)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned char u = (unsigned char)*c;
    if (u == '"' || u == '\\') {
        shoal_string_put(s, "\\", 1);
        shoal_string_put(s, c, 1);
        return 1;
    }
    if (u < 0x20 || u == 0x7f) {
        const char code[6] = {'\\', 'u', '0', '0', hex[u >> 4], hex[u & 15]};
        shoal_string_put(s, code, sizeof code);
        return 1;
    }
    const size_t n = utf8_length(c);
    if (n > 0)
        shoal_string_put(s, c, n);
    else
        shoal_string_put(s, "\\ufffd", 6);
    return n > 0 ? n : 1;
}

/* Characters that stand in a JSON string as they are. */
static size_t count_plain(const char *c)
{
    size_t n = 0;
    while (c[n] >= ' ' && c[n] < 0x7f && c[n] != '"' && c[n] != '\\') ++n;
    return n;
}

void shoal_string_put_json(shoal_string *s, const char *text)
{
    if (!s || !text) return;
    const size_t n = count_plain(text);
    char *to = shoal_string_room(s, n + 2);
    if (!to) return;
    *to = '"';
    memcpy(to + 1, text, n);
    to[n + 1] = '\0';
    s->size += n + 1;
    for (const char *c = text + n; *c;) {
        c += put_escape(s, c);
        const size_t more = count_plain(c);
        shoal_string_put(s, c, more);
        c += more;
    }
    shoal_string_put(s, "\"", 1);
}

void shoal_string_print(shoal_string *s, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    shoal_string_put(s, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

shoal_status shoal_string_append(shoal_string *s, shoal_span piece)
{
    shoal_string_put_span(s, piece);
    if (s->status == SHOAL_OK) return SHOAL_OK;
    return shoal_fail(s->status, "out of memory: a text of %zu bytes", s->size + piece.size);
}

shoal_status shoal_string_set(shoal_string *s, shoal_span content)
{
    shoal_string_clear(s);
    return shoal_string_append(s, content);
}

uint64_t shoal_checksum_add(uint64_t sum, const void *bytes, size_t n)
{
    return bytes ? hash_words(sum ^ HASH_START, bytes, n) : sum;
}
