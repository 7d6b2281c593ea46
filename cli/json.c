/* SPDX-License-Identifier: BSD-3-Clause
 * JSON, put into a growing text. */
#include "json.h"

#include <math.h>
#include <stdio.h>

#define HEAD_SIZE 64

/* A comma, a key and a colon in one piece, as rows have many; 0 if the key is longer, or might have to be
 * escaped. */
static size_t make_head(char head[HEAD_SIZE], bool comma, const char *key)
{
    size_t n = 0;
    head[0] = ',';
    n += comma;
    if (!key) return n;
    head[n++] = '"';
    for (; *key; ++key) {
        const int c = (signed char)*key;
        if (c <= '"' || c == '\\' || c == 0x7f || n + 2 >= HEAD_SIZE) return 0;
        head[n++] = *key;
    }
    head[n++] = '"';
    head[n++] = ':';
    return n;
}

static void begin(json *j, const char *key)
{
    char head[HEAD_SIZE];
    if (!j->text && shoal_string_create(&j->text) != SHOAL_OK) j->no_memory = true;
    const size_t n = make_head(head, j->comma, key);
    if (n > 0) {
        shoal_string_put(j->text, head, n);
    } else if (key) {
        if (j->comma) shoal_string_put(j->text, ",", 1);
        shoal_string_put_json(j->text, key);
        shoal_string_put(j->text, ":", 1);
    }
    j->comma = true;
}

void json_reset(json *j)
{
    shoal_string_clear(j->text);
    j->comma = j->no_memory = false;
}

void json_free(json *j)
{
    shoal_string_destroy(j->text);
    *j = (json){0};
}

bool json_failed(const json *j)
{
    return j->no_memory || (j->text && shoal_string_status(j->text) != SHOAL_OK);
}

void json_print(const json *j)
{
    if (json_failed(j))
        (void)fputs("{}\n", stdout);
    else
        (void)fwrite(shoal_string_data(j->text), 1, shoal_string_size(j->text), stdout);
}

void json_open(json *j, const char *key, char bracket)
{
    begin(j, key);
    shoal_string_put(j->text, &bracket, 1);
    j->comma = false;
}

void json_close(json *j, char bracket)
{
    shoal_string_put(j->text, &bracket, 1);
    j->comma = true;
}

void json_text(json *j, const char *key, const char *value)
{
    begin(j, key);
    shoal_string_put_json(j->text, value);
}

void json_number(json *j, const char *key, double value)
{
    begin(j, key);
    if (isfinite(value))
        shoal_string_put_number(j->text, value);
    else
        shoal_string_put(j->text, "null", 4);
}

void json_integer(json *j, const char *key, int64_t value)
{
    begin(j, key);
    shoal_string_put_integer(j->text, value);
}

void json_boolean(json *j, const char *key, int value)
{
    begin(j, key);
    shoal_string_put_text(j->text, value ? "true" : "false");
}

void json_vector(json *j, const double v[3])
{
    json_open(j, NULL, '[');
    for (int c = 0; c < 3; ++c) json_number(j, NULL, v[c]);
    json_close(j, ']');
}

void json_end_line(json *j)
{
    shoal_string_put(j->text, "\n", 1);
    j->comma = false;
}
