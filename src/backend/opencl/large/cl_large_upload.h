/* SPDX-License-Identifier: BSD-3-Clause
 * What a slice of large systems sends to the device. */
#ifndef SHOAL_BACKEND_CL_LARGE_UPLOAD_H
#define SHOAL_BACKEND_CL_LARGE_UPLOAD_H

#include "backend/opencl/large/cl_large.h"

/* Records, geometry, translations and k-vectors: all that depends on cells and room. */
shoal_status cl_large_upload_cells(cl_large *large);

/* Coordinates as anchors, homes and what is left, and restraints. */
shoal_status cl_large_upload_atoms(cl_large *large, const backend_result *results);

/* Phases of the anchors, which depend on the k-vectors. */
shoal_status cl_large_upload_turns(cl_large *large);

#endif
