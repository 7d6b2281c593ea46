/* SPDX-License-Identifier: BSD-3-Clause
 * Vectors of SHOAL_LANES numbers, one register of the instruction set, and the shared physics on them: the
 * operations are the same as on single numbers. Included by the template cpu_kernels.c after the headers
 * for single numbers. */

#include "clamp_terms.h"
#include "form_terms.h"
#include "pair_terms.h"

#include "bonded_terms.h"
#include "node_forms.h"

typedef real vec __attribute__((vector_size(SHOAL_LANES * sizeof(real)), may_alias));
typedef __typeof__(_Generic((real)0, float : (int32_t)0, default : (int64_t)0)) vec_int;
typedef vec_int vec_mask __attribute__((vector_size(SHOAL_LANES * sizeof(real)), may_alias));

typedef struct vec3 {
    vec x, y, z;
} vec3;

#define OPS_VEC vec
#define OPS_MASK vec_mask
#define OPS(name) vec_##name
#define N_OPS SHOAL_LANES
#include "backend/cpu/cpu_vector_ops.h"

SHOAL_FN vec vec_abs(vec x)
{
    const vec zero = {0};
    return (vec)((vec_mask)x & ~(vec_mask)-zero);
}

SHOAL_FN vec vec_rsqrt(vec x)
{
    return R(1.0) / vec_sqrt(x);
}

SHOAL_FN bool vec_any(vec_mask m)
{
    typedef int64_t word __attribute__((vector_size(sizeof(vec_mask))));
    const word w = (word)m;
    int64_t any = 0;
    for (int k = 0; k < (int)(sizeof w / sizeof any); ++k) any |= w[k];
    return any != 0;
}

SHOAL_FN vec3 vec3_make(vec x, vec y, vec z)
{
    return (vec3){x, y, z};
}

SHOAL_FN vec3 vec3_add(vec3 a, vec3 b)
{
    return vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

SHOAL_FN vec3 vec3_sub(vec3 a, vec3 b)
{
    return vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

SHOAL_FN vec3 vec3_scale(vec s, vec3 a)
{
    return vec3_make(s * a.x, s * a.y, s * a.z);
}

SHOAL_FN vec vec3_dot(vec3 a, vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

SHOAL_FN vec3 vec3_cross(vec3 a, vec3 b)
{
    return vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

#define real vec
#define v3 vec3
#define v3_add vec3_add
#define v3_sub vec3_sub
#define v3_scale vec3_scale
#define v3_dot vec3_dot
#define v3_cross vec3_cross
#define PAIR(name) name##_vec
#define PAIR_SELECT(c, a, b) vec_select(c, a, b)
#define PAIR_RSQRT(x) vec_rsqrt(x)
#define PAIR_MIN(a, b) vec_min(a, b)
#define PAIR_MAX(a, b) vec_max(a, b)
#define PAIR_POWER(shifted) vec_power(shifted)
#include "clamp_terms.h"
#include "form_terms.h"
#include "pair_terms.h"
#undef PAIR_POWER
#undef PAIR_MAX
#undef PAIR_MIN
#undef PAIR_RSQRT
#undef PAIR_SELECT
#undef PAIR
#define FORM(name) name##_vec
#define FORM_FLAG vec_mask
#define FORM_SQRT vec_sqrt
#define FORM_RSQRT vec_rsqrt
#define FORM_ABS vec_abs
#include "uff_forms.h"
#define FORM_MAX(a, b) vec_max(a, (vec){0} + (b))
#define FORM_SELECT(c, a, b) vec_select(c, a, (vec){0} + (b))
#include "node_forms.h"
#include "range_terms.h"
#undef FORM_SELECT
#undef FORM_MAX
#undef FORM_ABS
#undef FORM_RSQRT
#undef FORM_SQRT
#undef FORM_FLAG
#undef FORM
#undef v3_cross
#undef v3_dot
#undef v3_scale
#undef v3_sub
#undef v3_add
#undef v3
#undef real
