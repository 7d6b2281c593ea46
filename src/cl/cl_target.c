/* SPDX-License-Identifier: BSD-3-Clause
 * A user of a device: opening, closing, waiting, timing. */
#include "cl/cl_target.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* So many launches are timed before the queue is waited for. */
enum { MAX_PENDING = 1024 };

typedef struct pending_launch {
    cl_event event;
    int32_t row;
} pending_launch;

struct cl_times {
    cl_time_row *rows;
    int32_t n_rows, row_capacity;
    pending_launch pending[MAX_PENDING]; /* launches that were not yet added to their row */
    int32_t n_pending;
};

shoal_status cl_target_fail(const cl_target *target, cl_int code, const char *format, ...)
{
    char text[640];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return shoal_fail(cl_error_status(code), "%s: %s (%d) on %s, %s", text, cl_error_name(code),
                      (int)code, target->device.info.device, target->device.info.name);
}

cl_cache_key cl_target_key(const cl_target *target, const char *source, const char *options)
{
    const shoal_device_info *info = &target->device.info;
    const char *const parts[] = {
        source,       options,       info->name,     info->vendor,
        info->driver, info->version, info->platform, target->device.platform_version};
    return cl_cache_key_of(parts, (int)(sizeof parts / sizeof parts[0]));
}

static shoal_status make_queue(cl_target *target, bool profiling)
{
    cl_int code;
    if (profiling)
        target->queue = target->call->CreateCommandQueue(target->context, target->device.id,
                                                         CL_QUEUE_PROFILING_ENABLE, &code);
    else
        code = cl_pool_take_queue(cl_shared_pool(target->shared), &target->queue);
    if (code != CL_SUCCESS) return cl_target_fail(target, code, "no queue could be made");
    if (profiling) {
        target->times = shoal_alloc(1, sizeof *target->times);
        if (!target->times) return SHOAL_E_MEMORY;
    }
    return SHOAL_OK;
}

shoal_status cl_target_create(cl_target **out, cl_shared *shared, bool profiling)
{
    *out = NULL;
    cl_target *target = shoal_alloc(1, sizeof *target);
    if (!target) return SHOAL_E_MEMORY;
    target->shared = shared;
    target->device = *cl_shared_device(shared);
    target->context = cl_shared_context(shared);
    shoal_status status = cl_library_get(&target->call);
    if (status == SHOAL_OK) status = make_queue(target, profiling);
    if (status != SHOAL_OK) {
        cl_target_close(target);
        return status;
    }
    *out = target;
    return SHOAL_OK;
}

shoal_status cl_target_open(cl_target **out, const char *which, bool profiling)
{
    cl_shared *shared;
    *out = NULL;
    SHOAL_TRY(cl_shared_open(&shared, which));
    return cl_target_create(out, shared, profiling);
}

int64_t cl_target_taken(const cl_target *target)
{
    const int64_t all = cl_shared_allocate(target->shared, 0);
    return target->dry ? all + target->allocated_bytes : all;
}

void cl_target_close(cl_target *target)
{
    if (!target) return;
    const bool keep = target->queue && !target->times && cl_target_idle(target);
    if (target->times) {
        for (int32_t k = 0; k < target->times->n_pending; ++k)
            (void)target->call->ReleaseEvent(target->times->pending[k].event);
        free(target->times->rows);
        free(target->times);
    }
    if (keep)
        cl_pool_return_queue(cl_shared_pool(target->shared), target->queue);
    else if (target->queue)
        (void)target->call->ReleaseCommandQueue(target->queue);
    free(target);
}

/* Adds finished launches to their rows. */
static shoal_status collect_times(cl_target *target)
{
    cl_times *times = target->times;
    cl_int code = CL_SUCCESS;
    for (int32_t k = 0; k < times->n_pending; ++k) {
        const pending_launch *p = &times->pending[k];
        cl_ulong start = 0, end = 0; /* ns */
        if (code == CL_SUCCESS)
            code = target->call->GetEventProfilingInfo(p->event, CL_PROFILING_COMMAND_START,
                                                       sizeof start, &start, NULL);
        if (code == CL_SUCCESS)
            code = target->call->GetEventProfilingInfo(p->event, CL_PROFILING_COMMAND_END,
                                                       sizeof end, &end, NULL);
        times->rows[p->row].seconds += 1e-9 * (double)(end - start);
        (void)target->call->ReleaseEvent(p->event);
    }
    times->n_pending = 0;
    if (code != CL_SUCCESS) return cl_target_fail(target, code, "a launch could not be timed");
    return SHOAL_OK;
}

shoal_status cl_target_flush(cl_target *target)
{
    const cl_int code = target->call->Flush(target->queue);
    return code == CL_SUCCESS ? SHOAL_OK : cl_target_fail(target, code, "work was not taken");
}

shoal_status cl_target_finish(cl_target *target)
{
    const cl_int code = target->call->Finish(target->queue);
    if (code != CL_SUCCESS) return cl_target_fail(target, code, "the work enqueued failed");
    target->busy = false;
    return target->times ? collect_times(target) : SHOAL_OK;
}

bool cl_target_idle(cl_target *target)
{
    if (target->busy && target->call->Finish(target->queue) == CL_SUCCESS) target->busy = false;
    return !target->busy;
}

const cl_time_row *cl_target_times(const cl_target *target, int32_t *n)
{
    *n = target->times ? target->times->n_rows : 0;
    return target->times ? target->times->rows : NULL;
}

/* Row of a kernel, made if it is new; -1 with the error set when memory is out. */
static int32_t find_row(cl_times *times, const char *kernel)
{
    for (int32_t k = 0; k < times->n_rows; ++k)
        if (strcmp(times->rows[k].kernel, kernel) == 0) return k;
    if (SHOAL_RESERVE(&times->rows, &times->row_capacity, times->n_rows + 1) != SHOAL_OK) return -1;
    cl_time_row *row = &times->rows[times->n_rows];
    *row = (cl_time_row){0};
    (void)snprintf(row->kernel, sizeof row->kernel, "%s", kernel);
    return times->n_rows++;
}

shoal_status cl_target_note(cl_target *target, const char *kernel, cl_event event)
{
    cl_times *times = target->times;
    const int32_t row = find_row(times, kernel);
    if (row < 0) {
        (void)target->call->ReleaseEvent(event);
        return SHOAL_E_MEMORY;
    }
    ++times->rows[row].n_launches;
    times->pending[times->n_pending++] = (pending_launch){event, row};
    return times->n_pending == MAX_PENDING ? cl_target_finish(target) : SHOAL_OK;
}
