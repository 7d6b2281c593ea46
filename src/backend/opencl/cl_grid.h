/* SPDX-License-Identifier: BSD-3-Clause
 * Short-range sums of a grid build on an OpenCL device. */
#ifndef SHOAL_BACKEND_CL_GRID_H
#define SHOAL_BACKEND_CL_GRID_H

#include "surf/grid_helper.h"

/* Opens the device that follows "opencl:" ("" for the first). */
shoal_status cl_grid_open(const char *which, grid_helper *out);
void cl_grid_close(grid_helper *helper);

#endif
