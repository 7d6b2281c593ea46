/* SPDX-License-Identifier: BSD-3-Clause
 * Terms of distance geometry: nothing within a range, a smooth wall outside. Two first derivatives are
 * continuous at the ends of a range; all functions are polynomials or quotients without poles. Ranges have a form that
 * also works on vectors of numbers, see uff_forms.h. */
#if !defined(FORM) && !defined(SHOAL_KERNELS_RANGE_TERMS_H)
#define SHOAL_KERNELS_RANGE_TERMS_H
#include "real.h"

#define FORM(name) name
#define FORM_MAX(a, b) real_max(a, b)
#define FORM_RANGE_ONCE
#endif

#ifdef FORM
/* dE/d(r^2), twice; lower2 and upper are the squares of the lower end and of the inverse upper one, 0 where there is no
 * such end. */
SHOAL_FN real FORM(range_pull)(real r2, real k, real lower2, real upper, real *energy)
{
    const real far = FORM_MAX(r2 * upper - R(1.0), R(0.0));
    const real share = R(1.0) / (lower2 + r2 + R(1e-12));
    const real near = FORM_MAX((lower2 - r2) * share, R(0.0));
    *energy = k * (far * far + near * near);
    return R(4.0) * k * (far * upper - R(2.0) * near * lower2 * share * share);
}
#endif

#ifdef FORM_RANGE_ONCE
#undef FORM_RANGE_ONCE
#undef FORM_MAX
#undef FORM

/* arms[0] = r_j - r_i; p = k, lower^2, 1/upper^2. */
SHOAL_FN real term_range(const real *p, const v3 *arms, v3 *f)
{
    real energy;
    const real pull = range_pull(v3_dot(arms[0], arms[0]), p[0], p[1], p[2], &energy);
    f[0] = v3_scale(pull, arms[0]);
    f[1] = v3_scale(R(-1.0), f[0]);
    return energy;
}

/* arms = r_j, r_k, r_l less r_i; p = k, low, high. */
SHOAL_FN real term_volume(const real *p, const v3 *arms, v3 *f)
{
    const v3 jk = v3_cross(arms[0], arms[1]), kl = v3_cross(arms[1], arms[2]),
             lj = v3_cross(arms[2], arms[0]);
    const real v = v3_dot(arms[0], kl);
    const real off = real_max(v - p[2], R(0.0)) + real_min(v - p[1], R(0.0));
    const real pull = R(-2.0) * p[0] * off;
    f[1] = v3_scale(pull, kl);
    f[2] = v3_scale(pull, lj);
    f[3] = v3_scale(pull, jk);
    f[0] = v3_scale(R(-1.0), v3_add(f[1], v3_add(f[2], f[3])));
    return p[0] * off * off;
}

#endif
