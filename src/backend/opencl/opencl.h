/* SPDX-License-Identifier: BSD-3-Clause
 * The OpenCL backend. */
#ifndef SHOAL_BACKEND_OPENCL_H
#define SHOAL_BACKEND_OPENCL_H

#include "backend/backend.h"

extern const shoal_backend shoal_backend_opencl;

#endif
