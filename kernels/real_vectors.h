/* SPDX-License-Identifier: BSD-3-Clause
 * Vectors of two and of four numbers. */
#ifndef SHOAL_KERNELS_REAL_VECTORS_H
#define SHOAL_KERNELS_REAL_VECTORS_H

#ifdef SHOAL_DOUBLE
typedef double2 real2;
typedef double4 real4;
#else
typedef float2 real2;
typedef float4 real4;
#endif

#endif
