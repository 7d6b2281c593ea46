/* SPDX-License-Identifier: BSD-3-Clause
 * The OpenCL device that tests run on. */
#ifndef SHOAL_TESTS_DEVICE_FIXTURE_H
#define SHOAL_TESTS_DEVICE_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "shoal/device.h"

/* The one that SHOAL_TEST_DEVICE names, PoCL unless told otherwise; NULL, said on stdout, where it cannot be used, which
 * is a failure where everything is to be tested. */
static inline const char *find_test_device(void)
{
    const char *named = getenv("SHOAL_TEST_DEVICE"), *device = named ? named : "opencl:cpu";
    if (shoal_device_check(device) == SHOAL_OK) return device;
    CHECK(!getenv("CI"));
    (void)printf("%s left out: %s\n", device, shoal_error_text());
    return NULL;
}

#endif
