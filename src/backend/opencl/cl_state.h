/* SPDX-License-Identifier: BSD-3-Clause
 * Buffers of a device as a part of a state. */
#ifndef SHOAL_BACKEND_CL_STATE_H
#define SHOAL_BACKEND_CL_STATE_H

#include <stdlib.h>

#include "backend/state.h"
#include "base/alloc.h"
#include "cl/cl_buffer.h"

/* Some bytes of a buffer. */
static inline shoal_status cl_pass_part(state_pass *to, cl_buffer *buffer, size_t first,
                                        size_t size)
{
    void *bytes = shoal_alloc(size, 1);
    if (!bytes) return SHOAL_E_MEMORY;
    shoal_status status = to->to ? cl_buffer_read(buffer, first, size, bytes) : SHOAL_OK;
    if (status == SHOAL_OK) state_bytes(to, bytes, size);
    if (status == SHOAL_OK && !to->to)
        status = to->failed ? state_status(to) : cl_buffer_write(buffer, first, size, bytes);
    free(bytes);
    return status;
}

/* The first ones. */
static inline shoal_status cl_pass_buffer(state_pass *to, cl_buffer *buffer, size_t size)
{
    return cl_pass_part(to, buffer, 0, size);
}

#endif
