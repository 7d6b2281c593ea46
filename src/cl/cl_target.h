/* SPDX-License-Identifier: BSD-3-Clause
 * A user of a device: a command queue of its own, its memory, and its timing. */
#ifndef SHOAL_CL_TARGET_H
#define SHOAL_CL_TARGET_H

#include "cl/cl_cache.h"
#include "cl/cl_context.h"

/* Time of one kernel, summed over its launches. */
typedef struct cl_time_row {
    char kernel[64];
    int64_t n_launches;
    double seconds; /* on the device */
} cl_time_row;

typedef struct cl_times cl_times;

/* Of the memory of a device, what one user takes at a time unless told otherwise: three may live side by side. */
#define CL_USUAL_SHARE 0.3

typedef struct cl_target {
    const cl_library *call; /* target->call->CreateBuffer(...) */
    cl_device_entry device;
    cl_context context; /* of the device */
    cl_command_queue queue;
    cl_shared *shared;       /* the device, with all its users */
    int64_t allocated_bytes; /* by the buffers of this target that live */
    bool dry;                /* buffers are counted, not made */
    bool busy;               /* something was enqueued that nobody has waited for */
    cl_times *times;         /* NULL unless profiling */
} cl_target;

/* A queue on the device that which names (see cl_device_match), which is opened if nobody did so before.
 * Everything made on a target must be freed before it is closed. A target serves one thread at a time. */
shoal_status cl_target_open(cl_target **out, const char *which, bool profiling);
/* The same on an open device. */
shoal_status cl_target_create(cl_target **out, cl_shared *shared, bool profiling);
void cl_target_close(cl_target *target);

/* Bytes that are taken on the device: by all its users, or counted by a dry target. */
int64_t cl_target_taken(const cl_target *target);

/* Has the device begin with all that was enqueued; returns at once. */
shoal_status cl_target_flush(cl_target *target);
/* Waits until all that was enqueued is done. */
shoal_status cl_target_finish(cl_target *target);

/* Waits likewise; false if the work failed. */
bool cl_target_idle(cl_target *target);

/* Time of every kernel up to the last cl_target_finish, borrowed until the next launch. NULL and
 * zero without profiling. */
const cl_time_row *cl_target_times(const cl_target *target, int32_t *n);

/* Takes over an event of a launch of a kernel; for cl_routine. */
shoal_status cl_target_note(cl_target *target, const char *kernel, cl_event event);

/* Key of what a source and its options give on this device and driver. */
cl_cache_key cl_target_key(const cl_target *target, const char *source, const char *options);

/* return cl_target_fail(target, code, "while %s", ...): adds error and device name to the text. */
shoal_status cl_target_fail(const cl_target *target, cl_int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
