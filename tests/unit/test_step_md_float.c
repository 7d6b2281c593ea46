/* SPDX-License-Identifier: BSD-3-Clause
 * Decisions of dynamics and random numbers in float. */
#define SHOAL_REAL float
#include "step_md_probe.h"
