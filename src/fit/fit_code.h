/* SPDX-License-Identifier: BSD-3-Clause
 * The device programs of a fit; only where the build has OpenCL. */
#ifndef SHOAL_FIT_FIT_CODE_H
#define SHOAL_FIT_FIT_CODE_H

#include "cl/cl_code.h"
#include "fit/fit.h"

/* kernels/fit_pairs.cl for the model of a problem, in groups of so many work-items. */
shoal_status fit_code_samples(cl_code *out, cl_target *target, const fit_problem *problem,
                              int group_size, bool is_double);
shoal_status fit_code_gather(cl_code *out, cl_target *target, int group_size, bool is_double);

#endif
