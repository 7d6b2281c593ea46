/* SPDX-License-Identifier: BSD-3-Clause
 * libOpenCL, loaded when it is first wanted. */
#include "cl/cl_library.h"

#include <pthread.h>
#include <stdbool.h>

#include "base/library.h"

/* Written once, by load, and only read afterwards. */
static struct {
    cl_library library;
    char failure[LIBRARY_FAILURE_SIZE];
} loaded;

static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load(void)
{
#define WISH(name) {"cl" #name, &loaded.library.name},
    const library_symbol symbols[] = {CL_LIBRARY_CALLS(WISH)};
#undef WISH
    const library_request request = {.title = "OpenCL",
                                     .files = {"libOpenCL.so.1", "libOpenCL.so"},
                                     .symbols = symbols,
                                     .n_symbols = sizeof symbols / sizeof symbols[0]};
    (void)library_load(&request, loaded.failure);
}

shoal_status cl_library_get(const cl_library **out)
{
    if (pthread_once(&load_once, load) != 0)
        return shoal_fail(SHOAL_E_DEVICE, "libOpenCL could not be loaded: pthread_once failed");
    if (loaded.failure[0]) return shoal_fail(SHOAL_E_DEVICE, "%s", loaded.failure);
    *out = &loaded.library;
    return SHOAL_OK;
}

typedef struct error_row {
    cl_int code;
    const char *name;
} error_row;

/* Codes of OpenCL 1.2, and two of its extensions that every loader uses. */
#define ROW(name)                                                                                  \
    {                                                                                              \
        name, #name                                                                                \
    }
static const error_row errors[] = {
    ROW(CL_SUCCESS),
    ROW(CL_DEVICE_NOT_FOUND),
    ROW(CL_DEVICE_NOT_AVAILABLE),
    ROW(CL_COMPILER_NOT_AVAILABLE),
    ROW(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    ROW(CL_OUT_OF_RESOURCES),
    ROW(CL_OUT_OF_HOST_MEMORY),
    ROW(CL_PROFILING_INFO_NOT_AVAILABLE),
    ROW(CL_MEM_COPY_OVERLAP),
    ROW(CL_IMAGE_FORMAT_MISMATCH),
    ROW(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    ROW(CL_BUILD_PROGRAM_FAILURE),
    ROW(CL_MAP_FAILURE),
    ROW(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    ROW(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    ROW(CL_COMPILE_PROGRAM_FAILURE),
    ROW(CL_LINKER_NOT_AVAILABLE),
    ROW(CL_LINK_PROGRAM_FAILURE),
    ROW(CL_DEVICE_PARTITION_FAILED),
    ROW(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    ROW(CL_INVALID_VALUE),
    ROW(CL_INVALID_DEVICE_TYPE),
    ROW(CL_INVALID_PLATFORM),
    ROW(CL_INVALID_DEVICE),
    ROW(CL_INVALID_CONTEXT),
    ROW(CL_INVALID_QUEUE_PROPERTIES),
    ROW(CL_INVALID_COMMAND_QUEUE),
    ROW(CL_INVALID_HOST_PTR),
    ROW(CL_INVALID_MEM_OBJECT),
    ROW(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    ROW(CL_INVALID_IMAGE_SIZE),
    ROW(CL_INVALID_SAMPLER),
    ROW(CL_INVALID_BINARY),
    ROW(CL_INVALID_BUILD_OPTIONS),
    ROW(CL_INVALID_PROGRAM),
    ROW(CL_INVALID_PROGRAM_EXECUTABLE),
    ROW(CL_INVALID_KERNEL_NAME),
    ROW(CL_INVALID_KERNEL_DEFINITION),
    ROW(CL_INVALID_KERNEL),
    ROW(CL_INVALID_ARG_INDEX),
    ROW(CL_INVALID_ARG_VALUE),
    ROW(CL_INVALID_ARG_SIZE),
    ROW(CL_INVALID_KERNEL_ARGS),
    ROW(CL_INVALID_WORK_DIMENSION),
    ROW(CL_INVALID_WORK_GROUP_SIZE),
    ROW(CL_INVALID_WORK_ITEM_SIZE),
    ROW(CL_INVALID_GLOBAL_OFFSET),
    ROW(CL_INVALID_EVENT_WAIT_LIST),
    ROW(CL_INVALID_EVENT),
    ROW(CL_INVALID_OPERATION),
    ROW(CL_INVALID_GL_OBJECT),
    ROW(CL_INVALID_BUFFER_SIZE),
    ROW(CL_INVALID_MIP_LEVEL),
    ROW(CL_INVALID_GLOBAL_WORK_SIZE),
    ROW(CL_INVALID_PROPERTY),
    ROW(CL_INVALID_IMAGE_DESCRIPTOR),
    ROW(CL_INVALID_COMPILER_OPTIONS),
    ROW(CL_INVALID_LINKER_OPTIONS),
    ROW(CL_INVALID_DEVICE_PARTITION_COUNT),
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    /* A kernel of NVIDIA's that touched memory it does not have. */
    {-9999, "illegal read or write by a kernel"},
};
#undef ROW

const char *cl_error_name(cl_int code)
{
    for (size_t k = 0; k < sizeof errors / sizeof errors[0]; ++k)
        if (errors[k].code == code) return errors[k].name;
    return "unknown OpenCL error";
}

shoal_status cl_error_status(cl_int code)
{
    const bool memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY;
    return memory ? SHOAL_E_MEMORY : SHOAL_E_DEVICE;
}
