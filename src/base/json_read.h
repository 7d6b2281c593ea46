/* SPDX-License-Identifier: BSD-3-Clause
 * JSON as a tree. */
#ifndef SHOAL_BASE_JSON_READ_H
#define SHOAL_BASE_JSON_READ_H

#include "base/arena.h"
#include "base/text.h"

typedef enum json_type {
    JSON_NULL = 0,
    JSON_BOOLEAN,
    JSON_NUMBER,
    JSON_TEXT,
    JSON_ARRAY,
    JSON_OBJECT,
} json_type;

typedef struct json_value {
    json_type type;
    const char *key;  /* of a member; NULL otherwise */
    const char *text; /* zero-terminated */
    double number;    /* 1 of true */
    int32_t n, line;  /* items; where it begins */
    struct json_value *first, *next;
} json_value;

/* Borrowed from the memory. Fails with SHOAL_E_FORMAT and "LABEL:LINE: ..". */
shoal_status json_read(const json_value **out, shoal_span text, const char *label, arena *memory);

/* A member of an object; NULL if there is none. */
const json_value *json_member(const json_value *object, const char *key);

#endif
