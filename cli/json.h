/* SPDX-License-Identifier: BSD-3-Clause
 * JSON, put into a growing text. */
#ifndef SHOAL_CLI_JSON_H
#define SHOAL_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "shoal/text.h"

/* All zero makes a text of its own when it is needed, which json_free destroys. With a text of the caller's
 * in it, {.text = ...}, it goes behind what is there, and json_free is not called. */
typedef struct json {
    shoal_string *text;
    bool comma;     /* the next value needs a comma before it */
    bool no_memory; /* for a text */
} json;

/* Empties the text. */
void json_reset(json *j);
void json_free(json *j);
/* True if there was no memory: some of it is missing. */
bool json_failed(const json *j);
/* Prints it, "{}" if it failed. */
void json_print(const json *j);

/* key: the program's own words, at most 60 letters that need no escape; NULL inside arrays. */
void json_open(json *j, const char *key, char bracket); /* '{' or '[' */
void json_close(json *j, char bracket);                 /* '}' or ']' */
void json_text(json *j, const char *key, const char *value);
/* In the fewest digits that read back as the same bits; null if it is not finite. */
void json_number(json *j, const char *key, double value);
void json_integer(json *j, const char *key, int64_t value);
void json_boolean(json *j, const char *key, int value);
void json_vector(json *j, const double v[3]);
void json_end_line(json *j);
/* Closes the object of a line, and prints it. */
void json_print_line(json *j);

#endif
