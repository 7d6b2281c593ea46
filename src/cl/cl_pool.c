/* SPDX-License-Identifier: BSD-3-Clause
 * Memory and queues that go from hand to hand. */
#include "cl/cl_pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { MOST_BLOCKS = 256, MOST_QUEUES = 16 };

#define KEPT_SHARE 0.5 /* of the device's memory may be kept */
#define FULL_SHARE 0.8 /* of it may be taken and kept; drivers need the rest */
#define MOST_OF_HOST ((int64_t)1 << 30)
#define SMALL ((size_t)64 << 10) /* bytes: below, blocks serve any smaller need */

typedef struct free_list {
    cl_block blocks[MOST_BLOCKS]; /* the oldest first */
    int32_t n;
    cl_pool_bytes bytes;
    int64_t most_kept, most; /* bytes: kept, and kept and taken */
} free_list;

struct cl_pool {
    const cl_library *call;
    cl_context context;
    cl_device_id device;
    size_t largest;       /* bytes of one block; 0: not known */
    pthread_mutex_t lock; /* of what follows */
    free_list lists[CL_N_MEMORY_KINDS];
    cl_command_queue queues[MOST_QUEUES];
    int32_t n_queues;
};

/* Blocks that were taken from a list to be released without the lock. */
typedef struct surplus {
    int32_t n;
    cl_block blocks[MOST_BLOCKS + 1];
} surplus;

static void lock(cl_pool *pool)
{
    (void)pthread_mutex_lock(&pool->lock);
}

static void unlock(cl_pool *pool)
{
    (void)pthread_mutex_unlock(&pool->lock);
}

cl_pool *cl_pool_create(const cl_library *call, cl_context context, const cl_device_entry *device)
{
    cl_pool *pool = shoal_alloc(1, sizeof *pool);
    if (!pool) return NULL;
    const double memory = (double)device->info.memory_bytes;
    pool->call = call;
    pool->context = context;
    pool->device = device->id;
    pool->largest = (size_t)device->info.max_buffer_bytes;
    pool->lists[CL_MEMORY_DEVICE].most_kept = (int64_t)(KEPT_SHARE * memory);
    pool->lists[CL_MEMORY_DEVICE].most = memory > 0 ? (int64_t)(FULL_SHARE * memory) : INT64_MAX;
    pool->lists[CL_MEMORY_HOST].most_kept = MOST_OF_HOST;
    pool->lists[CL_MEMORY_HOST].most = INT64_MAX;
    (void)pthread_mutex_init(&pool->lock, NULL);
    return pool;
}

void cl_pool_destroy(cl_pool *pool)
{
    if (!pool) return;
    cl_command_queue queue = NULL;
    if (cl_pool_take_queue(pool, &queue) == CL_SUCCESS) {
        cl_pool_clear(pool, queue);
        (void)pool->call->ReleaseCommandQueue(queue);
    }
    for (int32_t k = 0; k < pool->n_queues; ++k)
        (void)pool->call->ReleaseCommandQueue(pool->queues[k]);
    (void)pthread_mutex_destroy(&pool->lock);
    free(pool);
}

cl_int cl_pool_take_queue(cl_pool *pool, cl_command_queue *out)
{
    cl_int code = CL_SUCCESS;
    lock(pool);
    *out = pool->n_queues > 0 ? pool->queues[--pool->n_queues] : NULL;
    unlock(pool);
    if (!*out) *out = pool->call->CreateCommandQueue(pool->context, pool->device, 0, &code);
    return code;
}

void cl_pool_return_queue(cl_pool *pool, cl_command_queue queue)
{
    lock(pool);
    const bool kept = pool->n_queues < MOST_QUEUES;
    if (kept) pool->queues[pool->n_queues++] = queue;
    unlock(pool);
    if (!kept) (void)pool->call->ReleaseCommandQueue(queue);
}

/* --- blocks --------------------------------------------------------------------------------------- */

/* Up to an eighth of its power of two: blocks that are wanted for batches of like size fit each other. */
static size_t round_up(const cl_pool *pool, size_t bytes)
{
    size_t step = 256;
    while (16 * step < bytes && step <= SIZE_MAX / 32) step *= 2;
    const size_t rounded = bytes > SIZE_MAX - step ? bytes : (bytes + step - 1) / step * step;
    return pool->largest > 0 && rounded > pool->largest ? bytes : rounded;
}

static cl_block remove_block(free_list *s, int32_t k)
{
    const cl_block block = s->blocks[k];
    s->bytes.kept -= (int64_t)block.size;
    --s->n;
    memmove(&s->blocks[k], &s->blocks[k + 1], (size_t)(s->n - k) * sizeof block);
    return block;
}

/* The smallest block that has room, and not much more than that; -1 without one. */
static int32_t find_fit(const free_list *s, size_t bytes)
{
    const size_t most = bytes + bytes / 4 > SMALL ? bytes + bytes / 4 : SMALL;
    int32_t best = -1;
    for (int32_t k = 0; k < s->n; ++k) {
        const size_t size = s->blocks[k].size;
        if (size < bytes || size > most) continue;
        if (best < 0 || size < s->blocks[best].size) best = k;
    }
    return best;
}

/* Takes the oldest blocks off a list until so many bytes more may be kept, or be taken. */
static void make_room(free_list *s, int64_t keep, int64_t take, surplus *out)
{
    while (s->n > 0 && (s->n + (keep > 0) > MOST_BLOCKS || s->bytes.kept + keep > s->most_kept ||
                        s->bytes.kept + s->bytes.taken + take > s->most))
        out->blocks[out->n++] = remove_block(s, 0);
}

static void release(const cl_pool *pool, cl_command_queue queue, const cl_block *b)
{
    if (b->data) (void)pool->call->EnqueueUnmapMemObject(queue, b->memory, b->data, 0, NULL, NULL);
    (void)pool->call->ReleaseMemObject(b->memory);
}

static void release_all(const cl_pool *pool, cl_command_queue queue, const surplus *from)
{
    for (int32_t k = 0; k < from->n; ++k) release(pool, queue, &from->blocks[k]);
}

static cl_int make_block(const cl_pool *pool, cl_memory_kind kind, cl_command_queue queue,
                         cl_block *block)
{
    const bool host = kind == CL_MEMORY_HOST;
    cl_int code;
    block->memory = pool->call->CreateBuffer(pool->context,
                                             CL_MEM_READ_WRITE | (host ? CL_MEM_ALLOC_HOST_PTR : 0),
                                             block->size, NULL, &code);
    if (!host || code != CL_SUCCESS) return code;
    block->data =
        pool->call->EnqueueMapBuffer(queue, block->memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                     block->size, 0, NULL, NULL, &code);
    if (code != CL_SUCCESS) (void)pool->call->ReleaseMemObject(block->memory);
    return code;
}

cl_int cl_pool_take(cl_pool *pool, cl_memory_kind kind, size_t bytes, cl_command_queue queue,
                    cl_block *out)
{
    free_list *s = &pool->lists[kind];
    surplus old;
    cl_block block = {.size = round_up(pool, bytes)};
    old.n = 0;
    lock(pool);
    const int32_t k = find_fit(s, bytes);
    if (k >= 0) block = remove_block(s, k);
    make_room(s, 0, (int64_t)block.size, &old);
    s->bytes.taken += (int64_t)block.size;
    unlock(pool);
    release_all(pool, queue, &old);
    cl_int code = k >= 0 ? CL_SUCCESS : make_block(pool, kind, queue, &block);
    if (code != CL_SUCCESS) { /* perhaps what is kept was too much */
        cl_pool_clear(pool, queue);
        code = make_block(pool, kind, queue, &block);
    }
    if (code == CL_SUCCESS) {
        *out = block;
        return code;
    }
    lock(pool);
    s->bytes.taken -= (int64_t)block.size;
    unlock(pool);
    *out = (cl_block){0};
    return code;
}

void cl_pool_return(cl_pool *pool, cl_memory_kind kind, cl_command_queue queue, cl_block *block)
{
    free_list *s = &pool->lists[kind];
    const int64_t size = (int64_t)block->size;
    surplus old;
    if (!block->memory) return;
    old.n = 0;
    lock(pool);
    s->bytes.taken -= size;
    make_room(s, size, size, &old);
    const bool kept = size <= s->most_kept && s->bytes.kept + s->bytes.taken + size <= s->most;
    if (kept) {
        s->blocks[s->n++] = *block;
        s->bytes.kept += size;
    }
    unlock(pool);
    if (!kept) old.blocks[old.n++] = *block;
    release_all(pool, queue, &old);
    *block = (cl_block){0};
}

void cl_pool_release(cl_pool *pool, cl_memory_kind kind, cl_command_queue queue, cl_block *block)
{
    if (!block->memory) return;
    lock(pool);
    pool->lists[kind].bytes.taken -= (int64_t)block->size;
    unlock(pool);
    release(pool, queue, block);
    *block = (cl_block){0};
}

void cl_pool_clear(cl_pool *pool, cl_command_queue queue)
{
    for (int kind = 0; kind < CL_N_MEMORY_KINDS; ++kind) {
        free_list *s = &pool->lists[kind];
        surplus all;
        all.n = 0;
        lock(pool);
        while (s->n > 0) all.blocks[all.n++] = remove_block(s, s->n - 1);
        unlock(pool);
        release_all(pool, queue, &all);
    }
}

cl_pool_bytes cl_pool_count(cl_pool *pool, cl_memory_kind kind)
{
    lock(pool);
    const cl_pool_bytes bytes = pool->lists[kind].bytes;
    unlock(pool);
    return bytes;
}

int32_t cl_pool_sizes(cl_pool *pool, cl_memory_kind kind, size_t *sizes, int32_t most)
{
    const free_list *s = &pool->lists[kind];
    lock(pool);
    const int32_t n = s->n < most ? s->n : most;
    for (int32_t k = 0; k < n; ++k) sizes[k] = s->blocks[k].size;
    unlock(pool);
    return n;
}
