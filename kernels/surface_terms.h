/* SPDX-License-Identifier: BSD-3-Clause
 * Direct sums over a substrate: pair functions and k-vectors; valid as C17 and OpenCL C 1.2. What is
 * split between pairs and k-vectors, and how, stands in src/surf/surface_sum.h.
 *
 * Slopes of pairs are (dE/dr)/r, so that the gradient is slope (r - r_s). */
#ifndef SHOAL_KERNELS_SURFACE_TERMS_H
#define SHOAL_KERNELS_SURFACE_TERMS_H

#include "form_numbers.h"
#include "special_terms.h"

/* P e^2 + L e, e = exp(-alpha r). */
SHOAL_FN real surface_morse(real alpha, real P, real L, real r2, real *slope)
{
    const real r = real_sqrt(real_max(r2, R(1e-12))), e = special_exp(-alpha * r);
    *slope = -alpha * e * (R(2.0) * P * e + L) / r;
    return e * (P * e + L);
}

/* The parts in pairs of P / r^12 + L / r^6. */
SHOAL_FN real surface_lj(real eta2, real P, real L, real r2, real *slope)
{
    const real x = eta2 * r2, e = special_exp(-x), i2 = R(1.0) / r2, i6 = i2 * i2 * i2;
    const real s3 = R(1.0) + x * (R(1.0) + x * R(0.5)), x3 = x * x * x;
    const real s6 = s3 + x3 * (R(0.16666666666666667) +
                               x * (R(0.041666666666666667) + x * R(0.0083333333333333333)));
    const real a = P * i6 * i6 * e, b = L * i6 * e;
    *slope = -(R(12.0) * a * (s6 + x3 * x3 * R(0.0013888888888888889)) +
               R(6.0) * b * (s3 + x3 * R(0.16666666666666667))) *
             i2;
    return a * s6 + b * s3;
}

/* The part in pairs of q / s, s^2 = r^2 + damping^2: q erfc(eta s)/s. */
SHOAL_FN real surface_charge(real eta, real q, real s2, real *slope)
{
    const real s = real_sqrt(s2), x = eta * s, is = R(1.0) / s, e = special_exp(-x * x);
    const real value = q * e * special_erfcx(x) * is;
    *slope = -(value + R(TWO_BY_SQRT_PI) * eta * q * e) * (is * is);
    return value;
}

/* Numbers of a pair model that do not hang on the pair: src/surf/surface_model.h. */
typedef struct surface_form {
    real eta, eta2;
    real c_a, c_b, h_a, h_b, k0, k1;
    real beta; /* 1/angstrom: damping of dispersion */
    real d,
        damping2; /* angstrom: of clouds of charge; its square where charges are damped, else 0 */
} surface_form;

/* Gamma(p/2, x) / Gamma(p/2), x = y^2: what is left of 1/r^p to pairs; *more = -x d/dx of it. e = exp(-x); p is
 * 6, 8, 9 or 12. */
SHOAL_FN real surface_share(int p, real y, real x, real e, real *more)
{
    const real s3 = R(1.0) + x * (R(1.0) + x * R(0.5)), x3 = x * x * x;
    if (p == 6) {
        *more = R(0.5) * e * x3;
        return e * s3;
    }
    if (p == 8) {
        *more = R(0.16666666666666667) * e * x3 * x;
        return e * (s3 + x3 * R(0.16666666666666667));
    }
    if (p == 9) {
        *more = R(0.085971746064419995) * e * x3 * x * y;
        return e * (special_erfcx(y) +
                    y * (R(TWO_BY_SQRT_PI) +
                         x * (R(0.75225277806367508) +
                              x * (R(0.30090111122547003) + x * R(0.085971746064419995)))));
    }
    *more = R(0.0083333333333333333) * e * x3 * x3;
    return e * (s3 + x3 * (R(0.16666666666666667) +
                           x * (R(0.041666666666666667) + x * R(0.0083333333333333333))));
}

/* exp(-x) sum_{k=0..6} x^k/k!, what damping takes off dispersion, and *by_x = -x d/dx of it. */
SHOAL_FN real surface_undamped(real x, real *by_x)
{
    const real e = special_exp(-x), x2 = x * x;
    *by_x = e * (x2 * x2) * (x2 * x) * R(0.0013888888888888889);
    return e *
           (R(1.0) + x * (R(1.0) + x * (R(0.5) + x * (R(0.16666666666666667) +
                                                      x * (R(0.041666666666666667) +
                                                           x * (R(0.0083333333333333333) +
                                                                x * R(0.0013888888888888889)))))));
}

/* The vdW part in pairs of a model: R0 and E0, H <= 0. */
SHOAL_FN real surface_pair(int family, int damped, surface_form f, real r0, real e0, real h,
                           real r2, real *slope)
{
    const real near2 = real_max(r2, R(1e-12)), r = real_sqrt(near2), i2 = R(1.0) / near2;
    const real a = e0 * f.c_a * (R(1.0) - f.h_a * h), b = e0 * f.c_b * (R(1.0) + f.h_b * h);
    if (family == FORM_MORSE) {
        const real k = f.k0 + f.k1 / r0, e = special_exp(-k * (r - r0));
        *slope = -k * e * (R(2.0) * b * e - a) / r;
        return e * (b * e - a);
    }
    const real x = f.eta2 * near2, y = f.eta * r, e = special_exp(-x);
    const real u2 = r0 * r0 * i2, u6 = u2 * u2 * u2, a6 = a * u6;
    real more, repulsion, by_r;
    real attraction = a6 * surface_share(6, y, x, e, &more);
    real by_a = R(6.0) * attraction + R(2.0) * a6 * more;
    if (damped) {
        real by_x;
        const real lost = a6 * surface_undamped(f.beta * r, &by_x);
        attraction -= lost;
        by_a -= R(6.0) * lost + a6 * by_x;
    }
    if (family == FORM_BUCK) {
        const real k = f.k0 + f.k1 / r0;
        repulsion = b * special_exp(-k * (r - r0));
        by_r = k * r * repulsion;
    } else {
        const int p = family == FORM_POWER_12 ? 12 : family == FORM_POWER_9 ? 9 : 8;
        const real u = p == 12 ? u6 * u6 : p == 9 ? u6 * u2 * (r0 / r) : u6 * u2;
        repulsion = b * u * surface_share(p, y, x, e, &more);
        by_r = (real)p * repulsion + R(2.0) * b * u * more;
    }
    *slope = -(by_r - by_a) * i2;
    return repulsion - attraction;
}

/* What the form of charges takes off q/r; 0 for those that are plain or damped. */
SHOAL_FN real surface_bend(int coulomb, real q, real d, real r2, real *slope)
{
    const real near2 = real_max(r2, R(1e-12)), r = real_sqrt(near2), ir = R(1.0) / r;
    *slope = R(0.0);
    if (coulomb == FORM_COULOMB_ERF) {
        const real x = r / d, gauss = special_exp(-x * x), v = q * ir * gauss * special_erfcx(x);
        *slope = (v + R(TWO_BY_SQRT_PI) * q / d * gauss) * (ir * ir);
        return -v;
    }
    if (coulomb == FORM_COULOMB_CLAMP || coulomb == FORM_COULOMB_SMOOTH) {
        const real z = (ir - R(3.0)) / R(3.0), y = real_max(z, R(0.0)), bend = R(1.0) + y;
        const real n = coulomb == FORM_COULOMB_CLAMP ? bend : bend + y * y;
        const real top = coulomb == FORM_COULOMB_CLAMP ? R(1.0) : bend + y;
        const real far = q * ir, s = far * (top / (n * n));
        *slope = z > R(0.0) ? (far - s) * (ir * ir) : R(0.0);
        return z > R(0.0) ? q * (R(6.0) - R(3.0) / n) - far : R(0.0);
    }
    return R(0.0);
}

#endif
