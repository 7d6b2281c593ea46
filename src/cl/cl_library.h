/* SPDX-License-Identifier: BSD-3-Clause
 * libOpenCL, loaded when it is first wanted: its calls as pointers, and names of its errors. */
#ifndef SHOAL_CL_LIBRARY_H
#define SHOAL_CL_LIBRARY_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "base/error.h"

/* Every call that Shoal makes, without its prefix "cl". All belong to OpenCL 1.2. */
#define CL_LIBRARY_CALLS(X)                                                                        \
    X(GetPlatformIDs)                                                                              \
    X(GetPlatformInfo)                                                                             \
    X(GetDeviceIDs)                                                                                \
    X(GetDeviceInfo)                                                                               \
    X(CreateContext)                                                                               \
    X(ReleaseContext)                                                                              \
    X(CreateCommandQueue)                                                                          \
    X(ReleaseCommandQueue)                                                                         \
    X(Flush)                                                                                       \
    X(Finish)                                                                                      \
    X(WaitForEvents)                                                                               \
    X(CreateBuffer)                                                                                \
    X(ReleaseMemObject)                                                                            \
    X(EnqueueReadBuffer)                                                                           \
    X(EnqueueWriteBuffer)                                                                          \
    X(EnqueueFillBuffer)                                                                           \
    X(EnqueueMapBuffer)                                                                            \
    X(EnqueueUnmapMemObject)                                                                       \
    X(CreateProgramWithSource)                                                                     \
    X(CreateProgramWithBinary)                                                                     \
    X(BuildProgram)                                                                                \
    X(GetProgramInfo)                                                                              \
    X(GetProgramBuildInfo)                                                                         \
    X(RetainProgram)                                                                               \
    X(ReleaseProgram)                                                                              \
    X(CreateKernel)                                                                                \
    X(SetKernelArg)                                                                                \
    X(GetKernelWorkGroupInfo)                                                                      \
    X(ReleaseKernel)                                                                               \
    X(EnqueueNDRangeKernel)                                                                        \
    X(GetEventProfilingInfo)                                                                       \
    X(ReleaseEvent)

/* library->CreateBuffer is clCreateBuffer, and so on. */
typedef struct cl_library {
#define CL_LIBRARY_MEMBER(name) __typeof__(&cl##name) name;
    CL_LIBRARY_CALLS(CL_LIBRARY_MEMBER)
#undef CL_LIBRARY_MEMBER
} cl_library;

/* The library, loaded by the first caller of any thread and kept until the process ends. Fails
 * with SHOAL_E_DEVICE where OpenCL is not installed or lacks a call. */
shoal_status cl_library_get(const cl_library **out);

/* "CL_OUT_OF_RESOURCES" and so on; "unknown OpenCL error" for a code that no header names. */
const char *cl_error_name(cl_int code);

/* The status that stands for a failed call: SHOAL_E_MEMORY if memory ran out, of the host or the
 * device, else SHOAL_E_DEVICE. */
shoal_status cl_error_status(cl_int code);

#endif
