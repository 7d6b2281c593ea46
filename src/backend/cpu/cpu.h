/* SPDX-License-Identifier: BSD-3-Clause
 * The CPU backend: threads over systems, SIMD lanes = systems of one topology. */
#ifndef SHOAL_BACKEND_CPU_H
#define SHOAL_BACKEND_CPU_H

#include "backend/backend.h"

extern const shoal_backend shoal_backend_cpu;

#endif
