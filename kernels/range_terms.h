/* SPDX-License-Identifier: BSD-3-Clause
 * Terms of distance geometry: nothing within a range, a smooth wall outside. Two first derivatives are
 * continuous at the ends of a range; all functions are polynomials or quotients without poles. */
#ifndef SHOAL_KERNELS_RANGE_TERMS_H
#define SHOAL_KERNELS_RANGE_TERMS_H

#include "real.h"

/* arms[0] = r_j - r_i; p = k, lower^2, 1/upper^2, both squares 0 where there is no such end. */
SHOAL_FN real term_range(const real *p, const v3 *arms, v3 *f)
{
    const real r2 = v3_dot(arms[0], arms[0]);
    const real far = real_max(r2 * p[2] - R(1.0), R(0.0));
    const real share = R(1.0) / (p[1] + r2 + R(1e-12));
    const real near = real_max((p[1] - r2) * share, R(0.0));
    /* dE/d(r^2), twice, along the arm */
    const real pull = R(4.0) * p[0] * (far * p[2] - R(2.0) * near * p[1] * share * share);
    f[0] = v3_scale(pull, arms[0]);
    f[1] = v3_scale(R(-1.0), f[0]);
    return p[0] * (far * far + near * near);
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
