/* SPDX-License-Identifier: BSD-3-Clause
 * The thread's last error text and the two ways to fail. */
#ifndef SHOAL_BASE_ERROR_H
#define SHOAL_BASE_ERROR_H

#include "shoal/status.h"

/* First line of every exported function that can fail. */
void shoal_clear_error(void);

/* Sets the text and returns the status: return shoal_fail(SHOAL_E_FORMAT, "...", ...); */
shoal_status shoal_fail(shoal_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Evaluates a call and returns its status from the enclosing function if it failed. */
#define SHOAL_TRY(call)                                                                            \
    do {                                                                                           \
        const shoal_status try_status_ = (call);                                                   \
        if (try_status_ != SHOAL_OK) return try_status_;                                           \
    } while (0)

/* Pointers that may not be NULL, in an exported function after shoal_clear_error(): SHOAL_NEED(out && mol); */
#define SHOAL_NEED(pointers)                                                                       \
    do {                                                                                           \
        if (!(pointers))                                                                           \
            return shoal_fail(SHOAL_E_ARGUMENT, "%s: expected %s, not NULL", __func__, #pointers); \
    } while (0)

#endif
