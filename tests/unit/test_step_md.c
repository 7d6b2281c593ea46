/* SPDX-License-Identifier: BSD-3-Clause
 * Decisions of dynamics and random numbers in double. */
#define SHOAL_REAL double
#include "step_md_probe.h"
