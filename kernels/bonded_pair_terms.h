/* SPDX-License-Identifier: BSD-3-Clause
 * Special pairs, scaled or with parameters of their own, as bonded terms: what pairs are, without
 * cut-off and without switch. */
#ifndef SHOAL_KERNELS_BONDED_PAIR_TERMS_H
#define SHOAL_KERNELS_BONDED_PAIR_TERMS_H

#include "form_terms.h"
#include "pair_terms.h"
#include "real.h"

/* arms[0] = r_j - r_i; p = x^6, 12 D x^6. */
SHOAL_FN real term_pair_vdw(const real *p, const v3 *arms, v3 *f)
{
    const real ir2 = R(1.0) / v3_dot(arms[0], arms[0]);
    real s;
    const real e = pair_vdw(p[0], p[1], ir2 * ir2 * ir2, &s);
    f[1] = v3_scale(s * ir2, arms[0]);
    f[0] = v3_scale(R(-1.0), f[1]);
    return e * R(0.08333333333333333333);
}

/* p = scale kC q_i q_j, square of the damping. */
SHOAL_FN real term_pair_coulomb(const real *p, const v3 *arms, v3 *f)
{
    const real id = real_rsqrt(v3_dot(arms[0], arms[0]) + p[1]), e = pair_coulomb(p[0], id);
    f[1] = v3_scale(e * id * id, arms[0]);
    f[0] = v3_scale(R(-1.0), f[1]);
    return e;
}

/* The family as a number that is known. */
SHOAL_FN real pair_form_energy(int family, const real *p, real r, real ir, real *s)
{
    return form_vdw(family, 1, p[1], p[2], p[3], p[4], r, ir, ir * ir, s);
}

/* p = family, a, b, k, beta. Without damping beta r is so large that nothing is taken from r^-6. */
SHOAL_FN real term_pair_form(const real *p, const v3 *arms, v3 *f)
{
    const real r2 = v3_dot(arms[0], arms[0]), ir = real_rsqrt(r2), r = r2 * ir;
    real e, s;
    if (p[0] == R(3.0))
        e = pair_form_energy(FORM_MORSE, p, r, ir, &s);
    else if (p[0] == R(4.0))
        e = pair_form_energy(FORM_BUCK, p, r, ir, &s);
    else if (p[0] == R(2.0))
        e = pair_form_energy(FORM_POWER_8, p, r, ir, &s);
    else if (p[0] == R(1.0))
        e = pair_form_energy(FORM_POWER_9, p, r, ir, &s);
    else
        e = pair_form_energy(FORM_POWER_12, p, r, ir, &s);
    f[1] = v3_scale(s * ir * ir, arms[0]);
    f[0] = v3_scale(R(-1.0), f[1]);
    return e;
}

#endif
