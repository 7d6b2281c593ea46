/* SPDX-License-Identifier: BSD-3-Clause
 * Memory of a device, with a label for error texts. */
#ifndef SHOAL_CL_BUFFER_H
#define SHOAL_CL_BUFFER_H

#include "cl/cl_target.h"

/* All zero is no buffer. */
typedef struct cl_buffer {
    cl_target *target;
    cl_mem memory; /* that of the block */
    cl_block block;
    const char *label; /* borrowed: a literal */
    size_t size;       /* bytes asked for */
    size_t allocated;  /* bytes taken: more than size if that is zero */
} cl_buffer;

/* Memory for n objects of a size, holding data[n] or, if data is NULL, nothing defined: what an earlier
 * buffer left there. n = 0 gives room for one object, so that a kernel can always be given a buffer. Fails
 * with SHOAL_E_MEMORY if the device has not so much. */
shoal_status cl_buffer_create(cl_buffer *out, cl_target *target, const char *label, size_t n,
                              size_t size, const void *data);
/* Also takes a buffer that is all zero. Waits for what was enqueued on the target: the memory goes to whoever
 * asks next, on whatever queue. */
void cl_buffer_free(cl_buffer *buffer);

/* offset and size in bytes; beyond the end is SHOAL_E_ARGUMENT. data is free again on return. */
shoal_status cl_buffer_write(cl_buffer *buffer, size_t offset, size_t size, const void *data);
/* Waits for all that was enqueued before. */
shoal_status cl_buffer_read(const cl_buffer *buffer, size_t offset, size_t size, void *data);
/* Repeats a pattern of 1, 2, 4 ... 128 bytes over the whole buffer; returns at once. */
shoal_status cl_buffer_fill(cl_buffer *buffer, const void *pattern, size_t pattern_size);

/* A read that is under way. All zero is none. */
typedef struct cl_arrival {
    cl_target *target;
    cl_event event;
} cl_arrival;

/* As cl_buffer_read, but returns at once: data, which should lie in a cl_staging, must stay and is
 * defined only after cl_arrival_wait. */
shoal_status cl_buffer_read_later(const cl_buffer *buffer, size_t offset, size_t size, void *data,
                                  cl_arrival *arrival);
/* Both also take one that is all zero, and leave it so. The second is for numbers that nobody wants
 * any more: it waits too, but has no error of its own. */
shoal_status cl_arrival_wait(cl_arrival *arrival);
void cl_arrival_drop(cl_arrival *arrival);

/* Memory of the host that the device copies from and to at full speed, where a driver knows of
 * such: pages that never move. All zero is none. */
typedef struct cl_staging {
    cl_target *target;
    cl_block block;
    void *data; /* that of the block */
} cl_staging;

shoal_status cl_staging_create(cl_staging *out, cl_target *target, const char *label, size_t size);
/* Also takes one that is all zero. */
void cl_staging_free(cl_staging *staging);

#endif
