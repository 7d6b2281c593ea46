/* SPDX-License-Identifier: BSD-3-Clause
 * Memory of a device. */
#include "cl/cl_buffer.h"

#include <stdint.h>

#define MIB (1.0 / (1024 * 1024))

/* Whether a device can hold so many bytes more; drivers answer late and vaguely. */
static shoal_status check_room(const cl_target *target, const char *label, size_t bytes)
{
    const shoal_device_info *info = &target->device.info;
    const int64_t room = info->memory_bytes - cl_target_taken(target);
    if (info->max_buffer_bytes > 0 && bytes > (size_t)info->max_buffer_bytes)
        return shoal_fail(
            SHOAL_E_MEMORY, "buffer '%s' of %.1f MiB: %s, %s gives at most %.1f MiB at once", label,
            (double)bytes * MIB, info->device, info->name, (double)info->max_buffer_bytes * MIB);
    if (info->memory_bytes > 0 && (room < 0 || bytes > (size_t)room))
        return shoal_fail(SHOAL_E_MEMORY,
                          "buffer '%s' of %.1f MiB: %s, %s has %.1f MiB, and %.1f MiB are in use",
                          label, (double)bytes * MIB, info->device, info->name,
                          (double)info->memory_bytes * MIB, (double)cl_target_taken(target) * MIB);
    return SHOAL_OK;
}

shoal_status cl_buffer_create(cl_buffer *out, cl_target *target, const char *label, size_t n,
                              size_t size, const void *data)
{
    *out = (cl_buffer){0};
    if (size == 0 || n > (size_t)INT64_MAX / size)
        return shoal_fail(SHOAL_E_MEMORY, "buffer '%s': %zu objects of %zu bytes", label, n, size);
    const size_t bytes = (n > 0 ? n : 1) * size;
    SHOAL_TRY(check_room(target, label, bytes));
    target->allocated_bytes += (int64_t)bytes;
    *out = (cl_buffer){.target = target,
                       .label = label,
                       .size = n * size,
                       .allocated = bytes,
                       .block.size = bytes};
    if (target->dry) return SHOAL_OK;
    const cl_int code = cl_pool_take(cl_shared_pool(target->shared), CL_MEMORY_DEVICE, bytes,
                                     target->queue, &out->block);
    if (code != CL_SUCCESS) {
        cl_buffer_free(out);
        return cl_target_fail(target, code, "buffer '%s' of %zu bytes", label, bytes);
    }
    out->memory = out->block.memory;
    (void)cl_shared_allocate(target->shared, (int64_t)out->block.size);
    if (!data || n == 0) return SHOAL_OK;
    const shoal_status status = cl_buffer_write(out, 0, n * size, data);
    if (status != SHOAL_OK) cl_buffer_free(out);
    return status;
}

/* Gives a block back for others, or to the driver if the queue failed: then nobody knows what still uses it. */
static void return_block(cl_target *target, cl_memory_kind kind, cl_block *block)
{
    if (cl_target_idle(target))
        cl_pool_return(cl_shared_pool(target->shared), kind, target->queue, block);
    else
        cl_pool_release(cl_shared_pool(target->shared), kind, target->queue, block);
}

void cl_buffer_free(cl_buffer *buffer)
{
    if (!buffer->target) return;
    if (buffer->memory) {
        (void)cl_shared_allocate(buffer->target->shared, -(int64_t)buffer->block.size);
        return_block(buffer->target, CL_MEMORY_DEVICE, &buffer->block);
    }
    buffer->target->allocated_bytes -= (int64_t)buffer->allocated;
    *buffer = (cl_buffer){0};
}

static shoal_status check_range(const cl_buffer *buffer, const char *verb, size_t offset,
                                size_t size)
{
    if (offset <= buffer->size && size <= buffer->size - offset) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "buffer '%s': %s %zu bytes at %zu, but it has %zu",
                      buffer->label ? buffer->label : "", verb, size, offset, buffer->size);
}

shoal_status cl_buffer_write(cl_buffer *buffer, size_t offset, size_t size, const void *data)
{
    SHOAL_TRY(check_range(buffer, "write", offset, size));
    cl_target *target = buffer->target;
    if (size == 0 || target->dry) return SHOAL_OK;
    target->busy = true; /* data is free again, but need not have arrived */
    const cl_int code = target->call->EnqueueWriteBuffer(target->queue, buffer->memory, CL_TRUE,
                                                         offset, size, data, 0, NULL, NULL);
    if (code == CL_SUCCESS) return SHOAL_OK;
    return cl_target_fail(target, code, "buffer '%s': write %zu bytes", buffer->label, size);
}

shoal_status cl_buffer_read(const cl_buffer *buffer, size_t offset, size_t size, void *data)
{
    SHOAL_TRY(check_range(buffer, "read", offset, size));
    if (size == 0) return SHOAL_OK;
    cl_target *target = buffer->target;
    const cl_int code = target->call->EnqueueReadBuffer(target->queue, buffer->memory, CL_TRUE,
                                                        offset, size, data, 0, NULL, NULL);
    if (code == CL_SUCCESS) return SHOAL_OK;
    return cl_target_fail(target, code, "buffer '%s': read %zu bytes", buffer->label, size);
}

shoal_status cl_buffer_read_later(const cl_buffer *buffer, size_t offset, size_t size, void *data,
                                  cl_arrival *arrival)
{
    *arrival = (cl_arrival){0};
    SHOAL_TRY(check_range(buffer, "read", offset, size));
    if (size == 0) return SHOAL_OK;
    cl_target *target = buffer->target;
    cl_event event;
    target->busy = true;
    const cl_int code = target->call->EnqueueReadBuffer(target->queue, buffer->memory, CL_FALSE,
                                                        offset, size, data, 0, NULL, &event);
    if (code != CL_SUCCESS)
        return cl_target_fail(target, code, "buffer '%s': read %zu bytes", buffer->label, size);
    *arrival = (cl_arrival){target, event};
    return SHOAL_OK;
}

static cl_int await(cl_arrival *arrival)
{
    if (!arrival->event) return CL_SUCCESS;
    const cl_library *call = arrival->target->call;
    const cl_int code = call->WaitForEvents(1, &arrival->event);
    (void)call->ReleaseEvent(arrival->event);
    *arrival = (cl_arrival){0};
    return code;
}

shoal_status cl_arrival_wait(cl_arrival *arrival)
{
    const cl_target *target = arrival->target;
    const cl_int code = await(arrival);
    if (code == CL_SUCCESS) return SHOAL_OK;
    return cl_target_fail(target, code, "numbers of the device did not arrive");
}

void cl_arrival_drop(cl_arrival *arrival)
{
    (void)await(arrival);
}

shoal_status cl_buffer_fill(cl_buffer *buffer, const void *pattern, size_t pattern_size)
{
    if (buffer->size == 0 || buffer->target->dry) return SHOAL_OK;
    if (pattern_size == 0 || buffer->size % pattern_size != 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "buffer '%s': %zu bytes do not hold patterns of %zu",
                          buffer->label, buffer->size, pattern_size);
    cl_target *target = buffer->target;
    target->busy = true;
    const cl_int code = target->call->EnqueueFillBuffer(
        target->queue, buffer->memory, pattern, pattern_size, 0, buffer->size, 0, NULL, NULL);
    if (code == CL_SUCCESS) return SHOAL_OK;
    return cl_target_fail(target, code, "buffer '%s': fill %zu bytes", buffer->label, buffer->size);
}

shoal_status cl_staging_create(cl_staging *out, cl_target *target, const char *label, size_t size)
{
    *out = (cl_staging){.target = target};
    if (target->dry) return SHOAL_OK;
    const cl_int code = cl_pool_take(cl_shared_pool(target->shared), CL_MEMORY_HOST,
                                     size > 0 ? size : 1, target->queue, &out->block);
    out->data = out->block.data;
    if (code == CL_SUCCESS) return SHOAL_OK;
    return cl_target_fail(target, code, "host memory '%s' of %zu bytes", label, size);
}

void cl_staging_free(cl_staging *staging)
{
    if (staging->block.memory) return_block(staging->target, CL_MEMORY_HOST, &staging->block);
    *staging = (cl_staging){0};
}
