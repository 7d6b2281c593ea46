/* SPDX-License-Identifier: BSD-3-Clause
 * Numbers and vectors of the shared physics: valid as C17 and as OpenCL C 1.2.
 *
 * C sources define SHOAL_REAL (float or double) before including this; OpenCL programs are built
 * with -DSHOAL_DOUBLE for double. Arithmetic is written so that strict IEEE evaluation, without
 * contraction, gives the same bits for any number of SIMD lanes. */
#ifndef SHOAL_KERNELS_REAL_H
#define SHOAL_KERNELS_REAL_H

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#ifdef SHOAL_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
#define R(x) x
#else
typedef float real;
#define R_FLOAT(x) x##f
#define R(x) R_FLOAT(x) /* by way of another macro, so that x may be one itself */
#endif
#define SHOAL_FN static inline
#define SHOAL_LOCAL local
#define SHOAL_GLOBAL global
#define SHOAL_UNROLL _Pragma("unroll")
#ifdef SHOAL_DOUBLE
#define real_sqrt(x) sqrt(x)
#define real_rsqrt(x) rsqrt(x)
#define real_divide(x, y) ((x) / (y))
#else /* native functions are good to 2 ulp on every GPU we know; shoal check tells */
#define real_sqrt(x) native_sqrt(x)
#define real_rsqrt(x) native_rsqrt(x)
#define real_divide(x, y) native_divide(x, y)
#endif
#define real_abs(x) fabs(x)
#define real_atan2(y, x) atan2(y, x)
#define real_log(x) log(x)
#define real_round(x) rint(x)
#else
#include <math.h>
#include <stdint.h>
#include <string.h>
typedef SHOAL_REAL real;
#define R(x) ((SHOAL_REAL)(x))
#define SHOAL_FN static inline __attribute__((always_inline))
#define SHOAL_LOCAL
#define SHOAL_GLOBAL
#define SHOAL_UNROLL
#define real_sqrt(x) _Generic((real)0, float : sqrtf, default : sqrt)(x)
#define real_rsqrt(x) (R(1.0) / real_sqrt(x))
#define real_divide(x, y) ((x) / (y))
#define real_abs(x) _Generic((real)0, float : fabsf, default : fabs)(x)
/* Never called from a vectorised loop: the bits must be those of one function. */
#define real_atan2(y, x) ((real)atan2((double)(y), (double)(x)))
#define real_log(x) ((real)log((double)(x)))
#define real_round(x) ((real)rint((double)(x)))

/* 2^n from the last bits of n + 1.5 2^23 (doubles: 2^52); 0 for the n below that of normal numbers. */
SHOAL_FN float real_power_float(float shifted)
{
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 127) << 23;
    memcpy(&shifted, &bits, sizeof bits);
    return shifted;
}
SHOAL_FN double real_power_double(double shifted)
{
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52;
    memcpy(&shifted, &bits, sizeof bits);
    return shifted;
}
#define real_power(x) _Generic((real)0, float : real_power_float, default : real_power_double)(x)
#endif

/* 1/x, 1/y and 1/sqrt(xy); x y must be no smaller than 1e-37. On processors a division and a root cost
 * most, and on GPUs they do not. */
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
SHOAL_FN void real_inverses(real x, real y, real *ix, real *iy, real *root)
{
    const real rx = real_rsqrt(x), ry = real_rsqrt(y);
    *ix = rx * rx;
    *iy = ry * ry;
    *root = rx * ry;
}
#else
SHOAL_FN void real_inverses(real x, real y, real *ix, real *iy, real *root)
{
    const real inverse = R(1.0) / (x * y);
    *ix = inverse * y;
    *iy = inverse * x;
    *root = real_sqrt(inverse);
}
#endif

/* fmin and fmax treat NaN in ways that cost instructions; these let NaN through to the caller. */
#define real_max(a, b) ((a) < (b) ? (b) : (a))
#define real_min(a, b) ((a) > (b) ? (b) : (a))

typedef struct v3 {
    real x, y, z;
} v3;

SHOAL_FN v3 v3_make(real x, real y, real z)
{
    v3 r;
    r.x = x;
    r.y = y;
    r.z = z;
    return r;
}

SHOAL_FN v3 v3_add(v3 a, v3 b)
{
    return v3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}
SHOAL_FN v3 v3_sub(v3 a, v3 b)
{
    return v3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}
SHOAL_FN v3 v3_scale(real s, v3 a)
{
    return v3_make(s * a.x, s * a.y, s * a.z);
}
SHOAL_FN real v3_dot(v3 a, v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

SHOAL_FN v3 v3_cross(v3 a, v3 b)
{
    return v3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

#endif
