/* SPDX-License-Identifier: BSD-3-Clause
 * A small sum that a device must get right before it is trusted with more. */
#ifndef SHOAL_CL_SELFTEST_H
#define SHOAL_CL_SELFTEST_H

#include "cl/cl_target.h"

/* Runs the test unless the cache remembers that this device and driver passed it. Fails with
 * SHOAL_E_DEVICE and both numbers. */
shoal_status cl_selftest(cl_target *target);

/* Runs the test in any case. scale multiplies what the host expects: 1, unless a failure is
 * wanted. */
shoal_status cl_selftest_run(cl_target *target, float scale);

#endif
