/* SPDX-License-Identifier: BSD-3-Clause
 * JSON, put into a growing text. */
#include <math.h>
#include <string.h>

#include "base/text.h"

/* Room for n bytes of a value, behind its comma, its key and a colon; NULL without memory. Rows have many short values:
 * each asks for memory once. */
static char *begin(shoal_json *j, const char *key, size_t n)
{
    const size_t size = key ? strlen(key) : 0;
    if (!j->text && shoal_string_create(&j->text) != SHOAL_OK) j->no_memory = true;
    char *to = j->text ? shoal_string_room(j->text, size + 4 + n) : NULL;
    if (!to) return NULL;
    *to = ',';
    to += j->comma;
    j->comma = true;
    if (!key) return to;
    *to++ = '"';
    memcpy(to, key, size);
    to += size;
    *to++ = '"';
    *to++ = ':';
    return to;
}

/* The text ends here. */
static void end(shoal_json *j, char *to)
{
    *to = '\0';
    j->text->size = (size_t)(to - j->text->data);
}

static void put_bracket(shoal_json *j, char *to, char bracket)
{
    if (!to) return;
    *to = bracket;
    end(j, to + 1);
}

void shoal_json_open(shoal_json *j, const char *key, char bracket)
{
    if (!j) return;
    put_bracket(j, begin(j, key, 1), bracket);
    j->comma = false;
}

void shoal_json_close(shoal_json *j, char bracket)
{
    if (!j) return;
    j->comma = false;
    put_bracket(j, begin(j, NULL, 1), bracket);
    j->comma = true;
}

void shoal_json_text(shoal_json *j, const char *key, const char *value)
{
    if (!j) return;
    char *to = begin(j, key, 0);
    if (!to) return;
    end(j, to);
    shoal_string_put_json(j->text, value ? value : "");
}

void shoal_json_number(shoal_json *j, const char *key, double value)
{
    char *to = j ? begin(j, key, SHOAL_NUMBER_SIZE) : NULL;
    if (!to) return;
    if (isfinite(value))
        to += shoal_text_print(to, value);
    else
        to = (char *)memcpy(to, "null", 4) + 4;
    end(j, to);
}

void shoal_json_integer(shoal_json *j, const char *key, int64_t value)
{
    char *to = j ? begin(j, key, SHOAL_NUMBER_SIZE) : NULL;
    if (to) end(j, to + shoal_text_print_integer(to, value));
}

void shoal_json_boolean(shoal_json *j, const char *key, bool value)
{
    if (!j) return;
    const char *const word = value ? "true" : "false";
    const size_t n = strlen(word);
    char *to = begin(j, key, n);
    if (to) end(j, (char *)memcpy(to, word, n) + n);
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
