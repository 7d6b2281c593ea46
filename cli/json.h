/* SPDX-License-Identifier: BSD-3-Clause
 * JSON on standard output, in short words. */
#ifndef SHOAL_CLI_JSON_H
#define SHOAL_CLI_JSON_H

#include <stdio.h>

#include "options.h"
#include "shoal/text.h"

typedef shoal_json json;
#define json_open shoal_json_open
#define json_close shoal_json_close
#define json_text shoal_json_text
#define json_number shoal_json_number
#define json_integer shoal_json_integer
#define json_boolean shoal_json_boolean
#define json_numbers shoal_json_numbers
#define json_integers shoal_json_integers
#define json_vectors shoal_json_vectors
#define json_end shoal_json_end
#define json_free shoal_json_free

/* Members of an object: pairs of a key and a value, by the type of the value; up to 12 of them. */
#define json_put(j, ...)                                                                           \
    JSON_PICK(__VA_ARGS__, JSON_12, 0, JSON_11, 0, JSON_10, 0, JSON_9, 0, JSON_8, 0, JSON_7, 0,    \
              JSON_6, 0, JSON_5, 0, JSON_4, 0, JSON_3, 0, JSON_2, 0, JSON_1, 0)                    \
    (j, __VA_ARGS__)
#define JSON_PICK(k0, v0, k1, v1, k2, v2, k3, v3, k4, v4, k5, v5, k6, v6, k7, v7, k8, v8, k9, v9,  \
                  k10, v10, k11, v11, NAME, ...)                                                   \
    NAME
#define JSON_1(j, key, value)                                                                      \
    _Generic((value), char *: json_text, const char *: json_text, double: json_number, bool: json_boolean, default: json_integer)(j, key, value)
#define JSON_2(j, key, value, ...) (JSON_1(j, key, value), JSON_1(j, __VA_ARGS__))
#define JSON_3(j, key, value, ...) (JSON_1(j, key, value), JSON_2(j, __VA_ARGS__))
#define JSON_4(j, key, value, ...) (JSON_1(j, key, value), JSON_3(j, __VA_ARGS__))
#define JSON_5(j, key, value, ...) (JSON_1(j, key, value), JSON_4(j, __VA_ARGS__))
#define JSON_6(j, key, value, ...) (JSON_1(j, key, value), JSON_5(j, __VA_ARGS__))
#define JSON_7(j, key, value, ...) (JSON_1(j, key, value), JSON_6(j, __VA_ARGS__))
#define JSON_8(j, key, value, ...) (JSON_1(j, key, value), JSON_7(j, __VA_ARGS__))
#define JSON_9(j, key, value, ...) (JSON_1(j, key, value), JSON_8(j, __VA_ARGS__))
#define JSON_10(j, key, value, ...) (JSON_1(j, key, value), JSON_9(j, __VA_ARGS__))
#define JSON_11(j, key, value, ...) (JSON_1(j, key, value), JSON_10(j, __VA_ARGS__))
#define JSON_12(j, key, value, ...) (JSON_1(j, key, value), JSON_11(j, __VA_ARGS__))

/* Ends the object of a line, prints it ("{}" if there was no memory) and frees it. Returns an exit code. */
static inline int json_print_line(json *j)
{
    json_end(j);
    const bool ok = shoal_json_status(j) == SHOAL_OK;
    if (ok)
        (void)fwrite(shoal_string_data(j->text), 1, shoal_string_size(j->text), stdout);
    else
        (void)fputs("{}\n", stdout);
    json_free(j);
    return ok ? EXIT_ALL_FINE : EXIT_DEVICE;
}

#endif
