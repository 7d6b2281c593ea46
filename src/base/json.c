/* SPDX-License-Identifier: BSD-3-Clause
 * JSON, put into a growing text. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "shoal/text.h"

#define HEAD_SIZE 64

/* A comma, a key and a colon go in one piece, as rows have many. */
static void begin(shoal_json *j, const char *key)
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

void shoal_json_open(shoal_json *j, const char *key, char bracket)
{
    if (!j) return;
    begin(j, key);
    shoal_string_put(j->text, &bracket, 1);
    j->comma = false;
}

void shoal_json_close(shoal_json *j, char bracket)
{
    if (!j) return;
    shoal_string_put(j->text, &bracket, 1);
    j->comma = true;
}

void shoal_json_text(shoal_json *j, const char *key, const char *value)
{
    if (!j) return;
    begin(j, key);
    shoal_string_put_json(j->text, value ? value : "");
}

void shoal_json_number(shoal_json *j, const char *key, double value)
{
    if (!j) return;
    begin(j, key);
    if (isfinite(value))
        shoal_string_put_number(j->text, value);
    else
        shoal_string_put(j->text, "null", 4);
}

void shoal_json_integer(shoal_json *j, const char *key, int64_t value)
{
    if (!j) return;
    begin(j, key);
    shoal_string_put_integer(j->text, value);
}

void shoal_json_boolean(shoal_json *j, const char *key, bool value)
{
    if (!j) return;
    begin(j, key);
    shoal_string_put_text(j->text, value ? "true" : "false");
}

void shoal_json_numbers(shoal_json *j, const char *key, const double *values, int32_t n)
{
    shoal_json_open(j, key, '[');
    for (int32_t k = 0; k < n && values; ++k) shoal_json_number(j, NULL, values[k]);
    shoal_json_close(j, ']');
}

void shoal_json_integers(shoal_json *j, const char *key, const int32_t *values, int32_t n)
{
    shoal_json_open(j, key, '[');
    for (int32_t k = 0; k < n && values; ++k) shoal_json_integer(j, NULL, values[k]);
    shoal_json_close(j, ']');
}

void shoal_json_vectors(shoal_json *j, const char *key, const double (*v)[3], int32_t n)
{
    shoal_json_open(j, key, '[');
    for (int32_t i = 0; i < n && v; ++i) shoal_json_numbers(j, NULL, v[i], 3);
    shoal_json_close(j, ']');
}

void shoal_json_end(shoal_json *j)
{
    if (!j) return;
    shoal_string_put(j->text, "}\n", 2);
    j->comma = false;
}

void shoal_json_clear(shoal_json *j)
{
    if (!j) return;
    shoal_string_clear(j->text);
    j->comma = j->no_memory = false;
}

void shoal_json_free(shoal_json *j)
{
    if (!j) return;
    shoal_string_destroy(j->text);
    *j = (shoal_json){0};
}

shoal_status shoal_json_status(const shoal_json *j)
{
    shoal_clear_error();
    SHOAL_NEED(j);
    const shoal_status status = j->text ? shoal_string_status(j->text) : SHOAL_OK;
    if (!j->no_memory && status == SHOAL_OK) return SHOAL_OK;
    return shoal_fail(SHOAL_E_MEMORY, "out of memory: a text of JSON");
}
