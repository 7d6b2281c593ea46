/* SPDX-License-Identifier: BSD-3-Clause
 * A program of kernels, built for a target from our sources or taken from the cache. */
#ifndef SHOAL_CL_CODE_H
#define SHOAL_CL_CODE_H

#include "cl/cl_apart.h"
#include "cl/cl_target.h"

/* All zero is no program. */
typedef struct cl_code {
    cl_target *target;
    cl_program program;
    bool is_double; /* real is double: the options hold -DSHOAL_DOUBLE */
} cl_code;

/* Builds a source of kernels/, such as "group_fire.cl", with -cl-std=CL1.2 and the options ("" for none);
 * once for all users of the device. What does not compile is SHOAL_E_DEVICE with device, file, line and the
 * compiler's words; if SHOAL_CL_LOG in the environment names a file, the full log is written there. */
shoal_status cl_code_build(cl_code *out, cl_target *target, const char *source_name,
                           const char *options);
/* The same with a text of the caller's, definitions of macros, before the source; "" for none. */
shoal_status cl_code_build_with(cl_code *out, cl_target *target, const char *source_name,
                                const char *text, const char *options);
/* A program that will be wanted; text: as above, NULL for none. */
typedef struct cl_code_request {
    char source[32], options[384];
    const char *text;
} cl_code_request;

shoal_status cl_code_build_request(cl_code *out, cl_target *target, const cl_code_request *request);

enum { CL_CODE_MOST_WISHES = 64 };

/* Builds programs, up to CL_CODE_MOST_WISHES, as many at a time as there are processors, all but the first in processes of
 * their own where that is possible (cl_apart.h); cl_code_build then finds them. Fails as it does. */
shoal_status cl_code_prepare(cl_target *target, const cl_code_request *requests, int32_t n);

/* What a process of its own does: compiles, and keeps the binary in the cache. */
shoal_status cl_code_compile(cl_cache_key key, const cl_apart_task *task);

/* Also takes a program that is all zero. */
void cl_code_free(cl_code *code);

#endif
