/* SPDX-License-Identifier: BSD-3-Clause
 * The state of a driver on its way into a text or out of one: the same calls in the same order do both, so that
 * what is written and what is read cannot differ. Numbers keep the bytes that they have in memory. */
#ifndef SHOAL_BACKEND_STATE_H
#define SHOAL_BACKEND_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "shoal/text.h"

typedef struct state_pass {
    shoal_string *to;          /* NULL: the state is read */
    const unsigned char *from; /* what is left to read */
    size_t left;               /* bytes */
    bool failed;               /* what was read is no such state */
} state_pass;

static inline void state_bytes(state_pass *s, void *data, size_t size)
{
    if (s->to) {
        shoal_string_put(s->to, data, size);
        return;
    }
    s->failed |= size > s->left;
    if (s->failed || size == 0) return;
    memcpy(data, s->from, size);
    s->from += size;
    s->left -= size;
}

#define STATE_VALUE(s, x) state_bytes((s), &(x), sizeof(x))

/* A number within a range, which places in arrays depend on. */
static inline void state_index(state_pass *s, int32_t *value, int32_t low, int32_t high)
{
    STATE_VALUE(s, *value);
    s->failed |= *value < low || *value > high;
}

/* A number that reader and writer must agree on. */
static inline void state_expect(state_pass *s, int32_t value)
{
    int32_t found = value;
    STATE_VALUE(s, found);
    s->failed |= found != value;
}

/* Name and version of what follows, and what it is of. */
static inline void state_begin(state_pass *s, const char *name, int32_t version, int32_t n_movers)
{
    char wanted[16] = {0}, found[16];
    (void)strncpy(wanted, name, sizeof wanted - 1);
    memcpy(found, wanted, sizeof found);
    STATE_VALUE(s, found);
    s->failed |= memcmp(found, wanted, sizeof found) != 0;
    state_expect(s, version);
    state_expect(s, n_movers);
}

/* After the last value, or where there is no going on. */
static inline shoal_status state_status(const state_pass *s)
{
    if (s->to) return shoal_string_status(s->to);
    return s->failed ? shoal_fail(SHOAL_E_ARGUMENT,
                                  "state: it was saved by another schedule, or is damaged")
                     : SHOAL_OK;
}

#endif
