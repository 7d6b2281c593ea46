/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs of a pair model, without a branch that depends on the numbers, so that they also work on vectors of them, as in
 * pair_terms.h; who includes this for vectors defines what special_terms.h asks for, and lane by lane PAIR_SELECT(c, a,
 * b), c ? a : b, and PAIR_RSQRT(x).
 *
 * The force on i is g (r_i - r_j); terms give s = r^2 g = -r dE/dr. family, coulomb and the flags of a
 * model are constants where this is called. */
#include "form_numbers.h"
#ifndef PAIR_HAS_SPECIAL /* for vectors: ewald_terms.h came first and brought them */
#include "special_terms.h"
#endif

#if defined(PAIR) || !defined(SHOAL_KERNELS_FORM_TERMS_H)
#ifndef PAIR
#define SHOAL_KERNELS_FORM_TERMS_H
#define PAIR(name) name
#define PAIR_SELECT(c, a, b) ((c) ? (a) : (b))
#define PAIR_RSQRT(x) real_rsqrt(x)
#define PAIR_FORM_ONCE
#endif

/* 1 - exp(-x) sum_{k=0..6} x^k/k! (Tang and Toennies, J. Chem. Phys. 80 (1984) 3726), and *by_x = x d/dx of
 * it. Beyond 80 it is 1 to all digits, and powers of pairs that are put far away would overflow. */
SHOAL_FN real PAIR(form_damping_6)(real far, real *by_x)
{
    const real zero = {0}, most = zero + R(80.0), x = PAIR_SELECT(far > most, most, far);
    const real e = PAIR(special_exp)(-x), x2 = x * x, x6 = x2 * x2 * x2;
    const real sum =
        R(1.0) + x * (R(1.0) + x * (R(0.5) + x * (R(0.16666666666666666667) +
                                                  x * (R(0.041666666666666666667) +
                                                       x * (R(0.0083333333333333333333) +
                                                            x * R(0.0013888888888888888889))))));
    *by_x = e * x6 * x * R(0.0013888888888888888889);
    return R(1.0) - e * sum;
}

/* Buffered 14-7 of 1.07^7 times the depth a and one by the distance of the minimum k. */
SHOAL_FN real PAIR(form_buffered)(real a, real k, real r, real *s)
{
    /* Powers of pairs that are put far away would overflow. */
    const real zero = {0}, most = zero + R(1e4), by = r * k, u = PAIR_SELECT(most < by, most, by);
    const real u2 = u * u, u6 = u2 * u2 * u2;
    const real near = R(1.0) / (u + R(0.07)), far = R(1.0) / (u6 * u + R(0.12));
    const real n2 = near * near, n6 = n2 * n2 * n2, wall = a * (n6 * near);
    const real rise = R(1.12) * far, bent = rise - R(2.0);
    *s = R(7.0) * u * wall * (bent * near + u6 * far * rise);
    return wall * bent;
}

/* b B(r) - a A(r); ir = 1/r, ir2 = 1/r^2; beta: damping of r^-6 (1/angstrom), where damped says so. */
SHOAL_FN real PAIR(form_vdw)(int family, int damped, real a, real b, real k, real beta, real r,
                             real ir, real ir2, real *s)
{
    if (family == FORM_BUFFERED) return PAIR(form_buffered)(a, k, r, s);
    const real ir6 = ir2 * ir2 * ir2;
    real repulsion, attraction, by_r, slope;
    if (family == FORM_MORSE) {
        const real e = PAIR(special_exp)(-(k * r));
        attraction = a * e;
        repulsion = b * e * e;
        *s = k * r * (R(2.0) * repulsion - attraction);
        return repulsion - attraction;
    }
    if (family == FORM_BUCK) {
        repulsion = b * PAIR(special_exp)(-(k * r));
        by_r = k * r * repulsion;
    } else {
        const real power = family == FORM_POWER_12  ? ir6 * ir6
                           : family == FORM_POWER_9 ? ir6 * ir2 * ir
                                                    : ir6 * ir2;
        repulsion = b * power;
        by_r = (family == FORM_POWER_12  ? R(12.0)
                : family == FORM_POWER_9 ? R(9.0)
                                         : R(8.0)) *
               repulsion;
    }
    attraction = a * ir6;
    slope = R(6.0) * attraction;
    if (damped) {
        real by_x;
        const real f = PAIR(form_damping_6)(beta * r, &by_x);
        slope = f * slope - by_x * attraction;
        attraction = f * attraction;
    }
    *s = by_r - slope;
    return repulsion - attraction;
}

/* kqq g(r); *s as above. d: the damping length, angstrom. 1/r is bent from 3 towards 6 1/angstrom. */
SHOAL_FN real PAIR(form_coulomb)(int coulomb, real kqq, real d, real r, real ir, real *s)
{
    if (coulomb == FORM_COULOMB_DAMPED) {
        const real s2 = r * r + d * d, g = PAIR_RSQRT(s2);
        *s = kqq * g * (r * g) * (r * g);
        return kqq * g;
    }
    if (coulomb == FORM_COULOMB_ERF) { /* erf = 1 - erfc */
        const real x = r / d, gauss = PAIR(special_exp)(-x * x);
        const real g = kqq * ir * (R(1.0) - gauss * PAIR(special_erfcx)(x));
        *s = g - kqq * R(TWO_BY_SQRT_PI) / d * gauss;
        return g;
    }
    if (coulomb == FORM_COULOMB_CLAMP || coulomb == FORM_COULOMB_SMOOTH) {
        const real zero = {0}, z = (ir - R(3.0)) / R(3.0);
        const real y = PAIR_SELECT(z > zero, z, zero);
        const real bend = R(1.0) + y;
        real n = bend, top = zero + R(1.0);
        if (coulomb == FORM_COULOMB_SMOOTH) {
            n = bend + y * y;
            top = bend + y;
        }
        const real far = kqq * ir, near = kqq * (R(6.0) - R(3.0) / n);
        *s = PAIR_SELECT(z > zero, far * (top / (n * n)), far);
        return PAIR_SELECT(z > zero, near, far);
    }
    if (coulomb == FORM_COULOMB_BUFFERED || coulomb == FORM_COULOMB_BUFFERED_FAR) {
        const real x = R(1.0) / (r + d);
        real g = kqq * x;
        *s = g * (r * x);
        if (coulomb == FORM_COULOMB_BUFFERED) return g;
        g = g * x;
        *s = R(2.0) * g * (r * x);
        return g;
    }
    *s = kqq * ir;
    return *s;
}

#ifdef PAIR_FORM_ONCE
#undef PAIR_FORM_ONCE
#undef PAIR_RSQRT
#undef PAIR_SELECT
#undef PAIR
#endif
#endif
