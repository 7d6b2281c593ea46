/* SPDX-License-Identifier: BSD-3-Clause
 * What an engine can run on: the devices of this machine, by the names that engines take. */
#ifndef SHOAL_DEVICE_H
#define SHOAL_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "shoal/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum shoal_device_type {
    SHOAL_DEVICE_CPU = 0,
    SHOAL_DEVICE_GPU,
    SHOAL_DEVICE_ACCELERATOR,
    SHOAL_DEVICE_OTHER,
} shoal_device_type;

/* Texts are cut to their size; zero and "" stand for what does not apply or is not known. */
typedef struct shoal_device_info {
    char device[24]; /* the device string of shoal_engine_options: "cpu", "ref", "opencl:0" */
    char name[128];
    char vendor[64];
    char platform[64];        /* OpenCL: name of the platform */
    char driver[64];          /* OpenCL: version of the driver */
    char version[128];        /* OpenCL: what the device supports, "OpenCL 3.0 ..." */
    char instruction_set[16]; /* "cpu": the build that runs: "base", "avx2" or "avx512" */
    shoal_device_type type;
    int32_t compute_units; /* threads of a processor */
    int32_t clock_mhz;
    int64_t memory_bytes, max_buffer_bytes;
    int64_t local_bytes; /* memory shared by a work-group */
    int64_t max_group_size;
    bool fp64;
} shoal_device_info;

/* Number of devices listed: "cpu", "ref", then those of OpenCL in the order of its platforms.
 * Without OpenCL there are two. */
SHOAL_API shoal_status shoal_device_count(int32_t *n);
/* One device of the list. Fails with SHOAL_E_ARGUMENT out of range. */
SHOAL_API shoal_status shoal_device_get(int32_t i_device, shoal_device_info *out);

/* Succeeds if a device string names exactly one device here, without starting it; otherwise fails
 * with SHOAL_E_DEVICE, or SHOAL_E_UNSUPPORTED in a build without OpenCL, and says what there is. */
SHOAL_API shoal_status shoal_device_check(const char *device);

/* The device that "auto" means here, "opencl:i" of the first GPU or "cpu"; other strings are copied.
 * Fails with SHOAL_E_DEVICE for those of more than 23 characters. */
SHOAL_API shoal_status shoal_device_resolve(const char *device, char out[24]);

/* Whether a run of so many seconds on this device (NULL: "cpu") left a GPU idle that would have paid: on "cpu", beyond half a minute.
 * out is the GPU's name, else "". Looking for GPUs takes a moment, so that shorter runs do not ask. */
SHOAL_API bool shoal_device_left_idle(const char *device, double seconds, char out[24]);

/* The folder where compiled kernels and grids of surfaces are kept, made on demand: the first of $SHOAL_CACHE_DIR,
 * $XDG_CACHE_HOME/shoal and $HOME/.cache/shoal that is set. Code is loaded from it, so it must belong to this user,
 * be no link, and let nobody else write to it; otherwise nothing is kept, and this fails with SHOAL_E_IO and says
 * why; with SHOAL_CACHE=0, which wants none, it fails with SHOAL_E_UNSUPPORTED. path[size] may be NULL. */
SHOAL_API shoal_status shoal_cache_folder(char *path, size_t size);

/* Programs of kernels are compiled side by side, by drivers that do one at a time in processes of their own, if
 * SHOAL_CL_COMPILER in the environment names a program (shoal itself sets it). Started as 'PROGRAM compile-kernel KEY' that
 * program calls this, which compiles what waits in the cache folder under the key and puts it there. Fails with SHOAL_E_IO
 * where nothing waits. */
SHOAL_API shoal_status shoal_kernel_compile(const char *key);

/* "cpu", "gpu", "accelerator" or "other". */
SHOAL_API const char *shoal_device_type_name(shoal_device_type type);

#ifdef __cplusplus
}
#endif

#endif
