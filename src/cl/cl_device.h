/* SPDX-License-Identifier: BSD-3-Clause
 * The OpenCL devices of all platforms, and the choice of one by what follows "opencl:". */
#ifndef SHOAL_CL_DEVICE_H
#define SHOAL_CL_DEVICE_H

#include "cl/cl_library.h"
#include "shoal/device.h"

typedef struct cl_device_entry {
    cl_platform_id platform;
    cl_device_id id;
    char platform_version[128];
    shoal_device_info info; /* info.device is "opencl:INDEX" */
    cl_int failure;         /* of the driver, asked for what results depend on; CL_SUCCESS = 0 */
} cl_device_entry;

/* All devices, in the order of the platforms; the caller frees *out. No device at all is an empty
 * list; OpenCL not being installed is a failure. */
shoal_status cl_device_list(cl_device_entry **out, int32_t *n);

/* Index of the device that which names among devices[n]:
 *   ""                          the first GPU, else the first that is not a CPU
 *   "0", "1", ..                the index itself
 *   "gpu" "cpu" "accelerator"   the first of that type
 *   other text                  the only one with it in "platform name platform-version", in any
 *                               case; PoCL names itself only in its version
 * Otherwise fails with SHOAL_E_DEVICE and a text that lists what there is. */
shoal_status cl_device_match(const cl_device_entry *devices, int32_t n, const char *which,
                             int32_t *index);

/* Lists and matches. Fails with SHOAL_E_DEVICE for a device that its driver could not describe. */
shoal_status cl_device_choose(const char *which, cl_device_entry *out);

#endif
