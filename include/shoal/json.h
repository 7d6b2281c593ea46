/* SPDX-License-Identifier: BSD-3-Clause
 * Members of JSON objects by the type of their values, which C++ cannot choose: there it declares nothing. */
#ifndef SHOAL_JSON_H
#define SHOAL_JSON_H

#include "shoal/text.h"

#ifndef __cplusplus

/* Members of an object: pairs of a key and a value, by the type of the value; up to 12 of them. */
#define shoal_json_put(j, ...)                                                                     \
    SHOAL_JSON_PICK(__VA_ARGS__, SHOAL_JSON_12, 0, SHOAL_JSON_11, 0, SHOAL_JSON_10, 0,             \
                    SHOAL_JSON_9, 0, SHOAL_JSON_8, 0, SHOAL_JSON_7, 0, SHOAL_JSON_6, 0,            \
                    SHOAL_JSON_5, 0, SHOAL_JSON_4, 0, SHOAL_JSON_3, 0, SHOAL_JSON_2, 0,            \
                    SHOAL_JSON_1, 0)                                                               \
    (j, __VA_ARGS__)
#define SHOAL_JSON_PICK(k0, v0, k1, v1, k2, v2, k3, v3, k4, v4, k5, v5, k6, v6, k7, v7, k8, v8,    \
                        k9, v9, k10, v10, k11, v11, NAME, ...)                                     \
    NAME
#define SHOAL_JSON_1(j, key, value)                                                                \
    _Generic((value), char *: shoal_json_text, const char *: shoal_json_text, double: shoal_json_number, bool: shoal_json_boolean, default: shoal_json_integer)(j, key, value)
#define SHOAL_JSON_2(j, key, value, ...) (SHOAL_JSON_1(j, key, value), SHOAL_JSON_1(j, __VA_ARGS__))
#define SHOAL_JSON_3(j, key, value, ...) (SHOAL_JSON_1(j, key, value), SHOAL_JSON_2(j, __VA_ARGS__))
#define SHOAL_JSON_4(j, key, value, ...) (SHOAL_JSON_1(j, key, value), SHOAL_JSON_3(j, __VA_ARGS__))
#define SHOAL_JSON_5(j, key, value, ...) (SHOAL_JSON_1(j, key, value), SHOAL_JSON_4(j, __VA_ARGS__))
#define SHOAL_JSON_6(j, key, value, ...) (SHOAL_JSON_1(j, key, value), SHOAL_JSON_5(j, __VA_ARGS__))
#define SHOAL_JSON_7(j, key, value, ...) (SHOAL_JSON_1(j, key, value), SHOAL_JSON_6(j, __VA_ARGS__))
#define SHOAL_JSON_8(j, key, value, ...) (SHOAL_JSON_1(j, key, value), SHOAL_JSON_7(j, __VA_ARGS__))
#define SHOAL_JSON_9(j, key, value, ...) (SHOAL_JSON_1(j, key, value), SHOAL_JSON_8(j, __VA_ARGS__))
#define SHOAL_JSON_10(j, key, value, ...)                                                          \
    (SHOAL_JSON_1(j, key, value), SHOAL_JSON_9(j, __VA_ARGS__))
#define SHOAL_JSON_11(j, key, value, ...)                                                          \
    (SHOAL_JSON_1(j, key, value), SHOAL_JSON_10(j, __VA_ARGS__))
#define SHOAL_JSON_12(j, key, value, ...)                                                          \
    (SHOAL_JSON_1(j, key, value), SHOAL_JSON_11(j, __VA_ARGS__))

#endif

#endif
