/* SPDX-License-Identifier: BSD-3-Clause
 * What a device keeps from one user for the next: memory and queues, which drivers are slow to make and to
 * release. */
#ifndef SHOAL_CL_POOL_H
#define SHOAL_CL_POOL_H

#include "cl/cl_device.h"

typedef enum cl_memory_kind {
    CL_MEMORY_DEVICE,
    CL_MEMORY_HOST, /* that the device copies from and to at full speed, mapped all the time */
    CL_N_MEMORY_KINDS,
} cl_memory_kind;

/* All zero is none. */
typedef struct cl_block {
    cl_mem memory;
    void *data;  /* where memory of the host is mapped; else NULL */
    size_t size; /* bytes */
} cl_block;

typedef struct cl_pool cl_pool;

/* NULL when memory is out. All calls but create and destroy are safe from any thread; none holds a lock while
 * it calls the driver. */
cl_pool *cl_pool_create(const cl_library *call, cl_context context, const cl_device_entry *device);
/* Also takes NULL. Only what was returned is released. */
void cl_pool_destroy(cl_pool *pool);

/* A queue in order, without profiling. It must be idle when it is returned. */
cl_int cl_pool_take_queue(cl_pool *pool, cl_command_queue *out);
void cl_pool_return_queue(cl_pool *pool, cl_command_queue queue);

/* A block of at least so many bytes, one that was returned or a new one. It holds what its last user left in
 * it. Where memory is short, what is kept is released. queue is any, for mapping. */
cl_int cl_pool_take(cl_pool *pool, cl_memory_kind kind, size_t bytes, cl_command_queue queue,
                    cl_block *out);
/* Keeps a block that no command uses any more. Up to half the memory of the device is kept, and a GiB of the
 * host's; the oldest go first. */
void cl_pool_return(cl_pool *pool, cl_memory_kind kind, cl_command_queue queue, cl_block *block);
/* Has the driver release a block as soon as no command uses it. */
void cl_pool_release(cl_pool *pool, cl_memory_kind kind, cl_command_queue queue, cl_block *block);
/* Releases all blocks that are kept. */
void cl_pool_clear(cl_pool *pool, cl_command_queue queue);

/* Bytes of all blocks that are taken and of those that are kept. */
typedef struct cl_pool_bytes {
    int64_t taken, kept;
} cl_pool_bytes;
cl_pool_bytes cl_pool_count(cl_pool *pool, cl_memory_kind kind);
/* Sizes of up to most blocks that are kept, the oldest first; returns their number. */
int32_t cl_pool_sizes(cl_pool *pool, cl_memory_kind kind, size_t *sizes, int32_t most);

#endif
