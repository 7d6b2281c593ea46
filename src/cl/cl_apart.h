/* SPDX-License-Identifier: BSD-3-Clause
 * Compiling in processes of its own: some drivers, NVIDIA's among them, compile one program at a time in a process, whatever
 * the threads. A task and its result pass through the cache, so that nothing is compiled apart where there is none. */
#ifndef SHOAL_CL_APART_H
#define SHOAL_CL_APART_H

#include <stdbool.h>

#include "cl/cl_cache.h"
#include "shoal/status.h"

typedef struct cl_apart_task {
    const char *device; /* "opencl:0" */
    const char *source_name, *options;
    const char *source; /* in full */
} cl_apart_task;

/* Has the program that SHOAL_CL_COMPILER names compile a task, waits for it, and says whether it found all well. It is
 * started as 'PROGRAM compile-kernel KEY', without input and output, and calls shoal_kernel_compile. */
bool cl_apart_compile(cl_cache_key key, const cl_apart_task *task);

/* What such a process does. */
shoal_status cl_apart_work(cl_cache_key key);

#endif
