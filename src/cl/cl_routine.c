/* SPDX-License-Identifier: BSD-3-Clause
 * One kernel of a program: its arguments and its launches. */
#include "cl/cl_routine.h"

#include <stdio.h>

shoal_status cl_routine_create(cl_routine *out, const cl_code *code, const char *name)
{
    cl_target *target = code->target;
    cl_int result;
    *out = (cl_routine){0};
    cl_kernel kernel = target->call->CreateKernel(code->program, name, &result);
    if (result != CL_SUCCESS) return cl_target_fail(target, result, "kernel %s", name);
    *out = (cl_routine){.target = target, .kernel = kernel, .is_double = code->is_double};
    (void)snprintf(out->name, sizeof out->name, "%s", name);
    return SHOAL_OK;
}

void cl_routine_free(cl_routine *routine)
{
    if (routine->kernel) (void)routine->target->call->ReleaseKernel(routine->kernel);
    *routine = (cl_routine){0};
}

static shoal_status set(cl_routine *routine, int32_t index, const char *label, const void *value,
                        size_t size)
{
    const cl_int code =
        routine->target->call->SetKernelArg(routine->kernel, (cl_uint)index, size, value);
    if (code == CL_SUCCESS) return SHOAL_OK;
    return cl_target_fail(routine->target, code, "kernel %s, argument %d '%s' of %zu bytes",
                          routine->name, (int)index, label, size);
}

shoal_status cl_routine_buffer(cl_routine *routine, int32_t index, const char *label,
                               const cl_buffer *buffer)
{
    if (!buffer->memory)
        return shoal_fail(SHOAL_E_ARGUMENT, "kernel %s, argument %d '%s': the buffer is not made",
                          routine->name, (int)index, label);
    return set(routine, index, label, &buffer->memory, sizeof buffer->memory);
}

shoal_status cl_routine_int(cl_routine *routine, int32_t index, const char *label, int32_t value)
{
    return set(routine, index, label, &value, sizeof value);
}

shoal_status cl_routine_real(cl_routine *routine, int32_t index, const char *label, double value)
{
    const float single = (float)value;
    if (routine->is_double) return set(routine, index, label, &value, sizeof value);
    return set(routine, index, label, &single, sizeof single);
}

shoal_status cl_routine_local(cl_routine *routine, int32_t index, const char *label, size_t size)
{
    return set(routine, index, label, NULL, size > 0 ? size : 16);
}

static cl_int limit(const cl_routine *routine, cl_kernel_work_group_info what, void *out,
                    size_t size)
{
    const cl_target *target = routine->target;
    return target->call->GetKernelWorkGroupInfo(routine->kernel, target->device.id, what, size, out,
                                                NULL);
}

shoal_status cl_routine_get_limits(const cl_routine *routine, cl_routine_limits *out)
{
    cl_ulong local_bytes = 0, private_bytes = 0;
    *out = (cl_routine_limits){0};
    cl_int code =
        limit(routine, CL_KERNEL_WORK_GROUP_SIZE, &out->max_group_size, sizeof out->max_group_size);
    if (code == CL_SUCCESS)
        code = limit(routine, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, &out->group_multiple,
                     sizeof out->group_multiple);
    if (code == CL_SUCCESS)
        code = limit(routine, CL_KERNEL_LOCAL_MEM_SIZE, &local_bytes, sizeof local_bytes);
    if (code == CL_SUCCESS)
        code = limit(routine, CL_KERNEL_PRIVATE_MEM_SIZE, &private_bytes, sizeof private_bytes);
    if (code != CL_SUCCESS)
        return cl_target_fail(routine->target, code, "limits of kernel %s", routine->name);
    out->local_bytes = (int64_t)local_bytes;
    out->private_bytes = (int64_t)private_bytes;
    return SHOAL_OK;
}

shoal_status cl_routine_launch(cl_routine *routine, size_t groups, size_t group_size)
{
    cl_target *target = routine->target;
    const size_t items = groups * group_size;
    cl_event event = NULL;
    if (groups == 0) return SHOAL_OK;
    target->busy = true;
    const cl_int code =
        target->call->EnqueueNDRangeKernel(target->queue, routine->kernel, 1, NULL, &items,
                                           &group_size, 0, NULL, target->times ? &event : NULL);
    if (code != CL_SUCCESS)
        return cl_target_fail(target, code, "kernel %s, launch of %zu groups of %zu", routine->name,
                              groups, group_size);
    return event ? cl_target_note(target, routine->name, event) : SHOAL_OK;
}
