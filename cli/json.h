/* SPDX-License-Identifier: BSD-3-Clause
 * JSON, written into a growing text. */
#ifndef SHOAL_CLI_JSON_H
#define SHOAL_CLI_JSON_H

#include <stddef.h>
#include "shoal/text.h"
#include <stdint.h>

/* All zero is an empty text. Memory that cannot be had sets failed, and what follows is dropped. */
typedef struct json {
    char *text;
    size_t length, capacity;
    int failed;
    struct shoal_string *out;
    int comma; /* the next value needs a comma before it */
} json;

/* temporary */
json json_on(shoal_string *out);
void json_reset(json *j);
void json_free(json *j);

/* key may be NULL inside arrays. */
void json_open(json *j, const char *key, char bracket); /* '{' or '[' */
void json_close(json *j, char bracket);                 /* '}' or ']' */
void json_text(json *j, const char *key, const char *value);
void json_number(json *j, const char *key, double value); /* null if it is not finite */
void json_integer(json *j, const char *key, int64_t value);
void json_boolean(json *j, const char *key, int value);
void json_vector(json *j, const double v[3]);
void json_end_line(json *j);

#endif
