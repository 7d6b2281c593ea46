/* SPDX-License-Identifier: BSD-3-Clause
 * The pair loop of a fit on an OpenCL device. */
#ifndef SHOAL_FIT_FIT_OPENCL_H
#define SHOAL_FIT_FIT_OPENCL_H

#include "fit/fit.h"

/* device is what follows "opencl:", "" for the first GPU. Data go to the device once; an evaluation
 * sends parameters and fetches results. Fails with SHOAL_E_DEVICE, or SHOAL_E_UNSUPPORTED where the
 * build has no OpenCL. */
shoal_status fit_opencl_create(fit_evaluator **out, const fit_problem *problem, const char *device,
                               bool is_double);

/* The slope of many sets of parameters at once, p[n_sets][n_slots], summed on the device:
 * j[n_sets] and slopes[n_sets][n_slots], zero where there is no DOF. */
shoal_status fit_opencl_slopes(fit_evaluator *ev, int32_t n_sets, const double *p,
                               const fit_target *target, double *j, double *slopes);

/* Name of the device; borrowed. */
const char *fit_opencl_device_name(const fit_evaluator *ev);

#endif
