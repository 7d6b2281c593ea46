/* SPDX-License-Identifier: BSD-3-Clause
 * Building a grid on the device that was asked for. */
#include <string.h>

#ifdef SHOAL_HAVE_OPENCL
#include "backend/opencl/cl_grid.h"
#endif
#include "base/error.h"
#include "surf/grid_helper.h"

#ifdef SHOAL_HAVE_OPENCL
static shoal_status build_opencl(shoal_grid **out, shoal_surface *surface,
                                 const shoal_grid_options *options)
{
    grid_helper helper = {0};
    const char *colon = strchr(options->device, ':');
    SHOAL_TRY(cl_grid_open(colon ? colon + 1 : "", &helper));
    const shoal_status status = grid_build(out, surface, options, &helper);
    cl_grid_close(&helper);
    return status;
}
#else
static shoal_status build_opencl(shoal_grid **out, shoal_surface *surface,
                                 const shoal_grid_options *options)
{
    (void)out;
    (void)surface;
    return shoal_fail(SHOAL_E_UNSUPPORTED, "grid: '%s': this build has no OpenCL", options->device);
}
#endif

shoal_status shoal_grid_build(shoal_grid **out, shoal_surface *surface,
                              const shoal_grid_options *options)
{
    shoal_clear_error();
    const shoal_grid_options defaults = {0};
    const grid_helper none = {0};
    if (!out || !surface) return shoal_fail(SHOAL_E_ARGUMENT, "grid: no surface or no place");
    *out = NULL;
    if (!options) options = &defaults;
    const char *device = options->device;
    if (!device || strcmp(device, "cpu") == 0) return grid_build(out, surface, options, &none);
    if (strcmp(device, "opencl") == 0 || strncmp(device, "opencl:", 7) == 0)
        return build_opencl(out, surface, options);
    return shoal_fail(SHOAL_E_DEVICE, "grid: device '%s', expected cpu, opencl or opencl:WHICH",
                      device);
}
