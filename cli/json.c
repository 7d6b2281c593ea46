/* SPDX-License-Identifier: BSD-3-Clause
 * JSON, written into a growing text. Numbers carry 17 digits, so that reading them gives the same
 * bits. */
#include "json.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(json *j, const char *text, size_t n)
{
    if (j->failed) return;
    if (j->out) { shoal_string_put(j->out, text, n); return; }
    if (j->length + n + 1 > j->capacity) {
        const size_t capacity = 2 * (j->length + n) + 1024;
        char *bigger = realloc(j->text, capacity);
        if (!bigger) {
            j->failed = 1;
            return;
        }
        j->text = bigger;
        j->capacity = capacity;
    }
    memcpy(j->text + j->length, text, n);
    j->length += n;
    j->text[j->length] = '\0';
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

static void put_string(json *j, const char *value)
{
    put(j, "\"", 1);
    for (const char *c = value; *c; ++c) {
        const unsigned char u = (unsigned char)*c;
        char escape[8];
        if (u == '"' || u == '\\') {
            (void)snprintf(escape, sizeof escape, "\\%c", u);
            put(j, escape, 2);
        } else if (u < 0x20 || u == 0x7f) {
            (void)snprintf(escape, sizeof escape, "\\u%04x", u);
            put(j, escape, 6);
        } else {
            const size_t n = utf8_length(c);
            if (n > 0)
                put(j, c, n);
            else
                put(j, "\\ufffd", 6); /* not UTF-8: JSON must be */
            c += n > 0 ? n - 1 : 0;
        }
    }
    put(j, "\"", 1);
}

static void begin(json *j, const char *key)
{
    if (j->comma) put(j, ",", 1);
    if (key) {
        put_string(j, key);
        put(j, ":", 1);
    }
    j->comma = 1;
}

json json_on(shoal_string *out)
{
    return (json){.out = out};
}

void json_reset(json *j)
{
    j->length = 0;
    j->comma = 0;
}

void json_free(json *j)
{
    free(j->text);
    *j = (json){0};
}

void json_open(json *j, const char *key, char bracket)
{
    begin(j, key);
    put(j, &bracket, 1);
    j->comma = 0;
}

void json_close(json *j, char bracket)
{
    put(j, &bracket, 1);
    j->comma = 1;
}

void json_text(json *j, const char *key, const char *value)
{
    begin(j, key);
    put_string(j, value);
}

void json_number(json *j, const char *key, double value)
{
    char text[32] = "null";
    if (isfinite(value)) (void)snprintf(text, sizeof text, "%.17g", value);
    begin(j, key);
    put(j, text, strlen(text));
}

void json_integer(json *j, const char *key, int64_t value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%lld", (long long)value);
    begin(j, key);
    put(j, text, strlen(text));
}

void json_boolean(json *j, const char *key, int value)
{
    begin(j, key);
    put(j, value ? "true" : "false", value ? 4 : 5);
}

void json_vector(json *j, const double v[3])
{
    json_open(j, NULL, '[');
    for (int c = 0; c < 3; ++c) json_number(j, NULL, v[c]);
    json_close(j, ']');
}

void json_end_line(json *j)
{
    put(j, "\n", 1);
    j->comma = 0;
}
