/* SPDX-License-Identifier: BSD-3-Clause
 * JSON, put into a growing text. */
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEAD_SIZE 64

/* A comma, a key and a colon go in one piece, as rows have many. */
static void begin(json *j, const char *key)
{
    char head[HEAD_SIZE];
    const size_t size = key ? strnlen(key, HEAD_SIZE - 4) : 0;
    size_t n = j->comma;
    if (!j->text && shoal_string_create(&j->text) != SHOAL_OK) j->no_memory = true;
    head[0] = ',';
    if (key) {
        head[n++] = '"';
        memcpy(head + n, key, size);
        n += size;
        head[n++] = '"';
        head[n++] = ':';
    }
    shoal_string_put(j->text, head, n);
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

void json_print_line(json *j)
{
    json_close(j, '}');
    json_end_line(j);
    json_print(j);
}
