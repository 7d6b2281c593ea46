/* SPDX-License-Identifier: BSD-3-Clause
 * One kernel of a program: its arguments and its launches. */
#ifndef SHOAL_CL_ROUTINE_H
#define SHOAL_CL_ROUTINE_H

#include "cl/cl_buffer.h"
#include "cl/cl_code.h"

/* All zero is no kernel. */
typedef struct cl_routine {
    cl_target *target;
    cl_kernel kernel;
    char name[64];
    bool is_double; /* of the program it is from */
} cl_routine;

/* What the device grants a kernel. */
typedef struct cl_routine_limits {
    size_t max_group_size;
    size_t group_multiple; /* group sizes should be multiples of it */
    int64_t local_bytes;   /* used by the kernel itself, without cl_routine_local */
    int64_t private_bytes; /* per work-item */
} cl_routine_limits;

shoal_status cl_routine_create(cl_routine *out, const cl_code *code, const char *name);
/* Also takes a kernel that is all zero. */
void cl_routine_free(cl_routine *routine);

/* Arguments keep their value from launch to launch. label names the argument in error texts. */
shoal_status cl_routine_buffer(cl_routine *routine, int32_t index, const char *label,
                               const cl_buffer *buffer);
shoal_status cl_routine_int(cl_routine *routine, int32_t index, const char *label, int32_t value);
/* A kernel argument of type real: float or double, as the program was built. */
shoal_status cl_routine_real(cl_routine *routine, int32_t index, const char *label, double value);
/* Local memory of a size in bytes; 0 gives the least there is. */
shoal_status cl_routine_local(cl_routine *routine, int32_t index, const char *label, size_t size);

shoal_status cl_routine_get_limits(const cl_routine *routine, cl_routine_limits *out);

/* Enqueues groups x group_size work-items in one dimension; returns at once. No groups, no launch. */
shoal_status cl_routine_launch(cl_routine *routine, size_t groups, size_t group_size);

#endif
