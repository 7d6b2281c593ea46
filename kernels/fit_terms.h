/* SPDX-License-Identifier: BSD-3-Clause
 * Pair energies of parameter fits: shapes of attraction and repulsion, Coulomb kernels, sites.
 *
 * E = E0 (B (1 + h1) - A (1 - h2)); A and B hold their factors cA and cB. */
#ifndef SHOAL_KERNELS_FIT_TERMS_H
#define SHOAL_KERNELS_FIT_TERMS_H

#include "constants.h"
#include "real.h"

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define fit_exp(x) exp(x)
#define fit_cosh(x) cosh(x)
#define fit_tanh(x) tanh(x)
#define fit_erf(x) erf(x)
#else
#define fit_exp(x) _Generic((real)0, float : expf, default : exp)(x)
#define fit_cosh(x) _Generic((real)0, float : coshf, default : cosh)(x)
#define fit_tanh(x) _Generic((real)0, float : tanhf, default : tanh)(x)
#define fit_erf(x) _Generic((real)0, float : erff, default : erf)(x)
#endif

/* A and B, and their partial derivatives by R0 and alpha. */
typedef struct fit_shape {
    real a, b;
    real a_r0, b_r0;
    real a_alpha, b_alpha;
    real a_beta; /* of a damped attraction */
} fit_shape;

/* c u^6 with u = R0/r, into the attraction. */
SHOAL_FN void fit_attract_6(fit_shape *s, real c, real r, real r0)
{
    const real u = r0 / r, u2 = u * u;
    s->a = c * u2 * u2 * u2;
    s->a_r0 = R(6.0) * c * u2 * u2 * u / r;
    s->a_alpha = R(0.0);
}

/* Repulsion c u^n; below = u^(n-1). */
SHOAL_FN void fit_repel_power(fit_shape *s, real c, real n, real below, real r, real r0)
{
    s->b = c * below * (r0 / r);
    s->b_r0 = n * c * below / r;
    s->b_alpha = R(0.0);
}

SHOAL_FN fit_shape fit_lj(real r, real r0)
{
    const real u = r0 / r, u2 = u * u, u4 = u2 * u2;
    fit_shape s;
    fit_attract_6(&s, R(2.0), r, r0);
    fit_repel_power(&s, R(1.0), R(12.0), u4 * u4 * u2 * u, r, r0);
    return s;
}

SHOAL_FN fit_shape fit_lj8(real r, real r0)
{
    const real u = r0 / r, u2 = u * u;
    fit_shape s;
    fit_attract_6(&s, R(4.0), r, r0);
    fit_repel_power(&s, R(3.0), R(8.0), u2 * u2 * u2 * u, r, r0);
    return s;
}

SHOAL_FN fit_shape fit_lj9(real r, real r0)
{
    const real u = r0 / r, u2 = u * u, u4 = u2 * u2;
    fit_shape s;
    fit_attract_6(&s, R(3.0), r, r0);
    fit_repel_power(&s, R(2.0), R(9.0), u4 * u4, r, r0);
    return s;
}

/* With scaled, alpha has no unit: exp(-alpha (r/R0 - 1)). */
SHOAL_FN fit_shape fit_morse(real r, real r0, real alpha, int scaled)
{
    const real x = scaled ? r / r0 - R(1.0) : r - r0;
    const real x_r0 = scaled ? -r / (r0 * r0) : -R(1.0);
    const real e = fit_exp(-alpha * x), e2 = e * e;
    fit_shape s;
    s.a = R(2.0) * e;
    s.b = e2;
    s.a_r0 = R(-2.0) * alpha * x_r0 * e;
    s.b_r0 = R(-2.0) * alpha * x_r0 * e2;
    s.a_alpha = R(-2.0) * x * e;
    s.b_alpha = R(-2.0) * x * e2;
    return s;
}

SHOAL_FN fit_shape fit_buck(real r, real r0, real alpha, int scaled)
{
    fit_shape s = fit_morse(r, r0, alpha, scaled);
    fit_attract_6(&s, R(2.0), r, r0);
    return s;
}

/* E0 (6 exp(alpha (1 - r/R0)) - alpha u^6) / (alpha - 6). */
SHOAL_FN fit_shape fit_exp6(real r, real r0, real alpha)
{
    const real c = R(1.0) / (alpha - R(6.0)), x = R(1.0) - r / r0;
    const real e = R(6.0) * c * fit_exp(alpha * x);
    fit_shape s;
    fit_attract_6(&s, alpha * c, r, r0);
    s.a_alpha = R(-6.0) * c / alpha * s.a;
    s.b = e;
    s.b_r0 = alpha * r / (r0 * r0) * e;
    s.b_alpha = (x - c) * e;
    return s;
}

/* Tang and Toennies: u^6 times f(x) = 1 - exp(-x) sum_{k=0..6} x^k/k! with x = beta r. */
SHOAL_FN void fit_damp(fit_shape *s, real r, real beta)
{
    const real x = beta * r, e = fit_exp(-x);
    real term = R(1.0), sum = R(1.0);
    for (int k = 1; k <= 6; ++k) {
        term *= x / (real)k;
        sum += term;
    }
    const real f = R(1.0) - e * sum;
    s->a_beta = s->a * e * term * r;
    s->a *= f;
    s->a_r0 *= f;
    s->a_alpha *= f;
}

/* Numbers of the models; the host names them in the same order. */
enum {
    FIT_MODEL_LJ,
    FIT_MODEL_LJ8,
    FIT_MODEL_LJ9,
    FIT_MODEL_MORSE,
    FIT_MODEL_BUCK,
    FIT_MODEL_MORSE6,
    FIT_MODEL_BUCK6,
    FIT_MODEL_EXP6
};

SHOAL_FN fit_shape fit_shape_of(int model, real r, real r0, real alpha)
{
    switch (model) {
    case FIT_MODEL_LJ: return fit_lj(r, r0);
    case FIT_MODEL_LJ8: return fit_lj8(r, r0);
    case FIT_MODEL_LJ9: return fit_lj9(r, r0);
    case FIT_MODEL_MORSE: return fit_morse(r, r0, alpha, 0);
    case FIT_MODEL_BUCK: return fit_buck(r, r0, alpha, 0);
    case FIT_MODEL_MORSE6: return fit_morse(r, r0, alpha, 1);
    case FIT_MODEL_BUCK6: return fit_buck(r, r0, alpha, 1);
    default: return fit_exp6(r, r0, alpha);
    }
}

/* g(r) of the Coulomb energy and g'(r); kinds in the order of shoal_coulomb. 1/r is bent
 * from 3 towards 6 1/angstrom. */
enum {
    FIT_COULOMB_PLAIN,
    FIT_COULOMB_CLAMP,
    FIT_COULOMB_SMOOTH,
    FIT_COULOMB_DAMPED,
    FIT_COULOMB_ERF,
    FIT_COULOMB_NONE
};

SHOAL_FN real fit_coulomb(int kind, real r, real damping, real *by_r)
{
    const real y = R(1.0) / r, z = (y - R(3.0)) / R(3.0), bend = R(1.0) + z;
    *by_r = -y * y;
    if (kind == FIT_COULOMB_CLAMP && z > R(0.0)) {
        *by_r /= bend * bend;
        return R(3.0) + R(3.0) * (R(1.0) - R(1.0) / bend);
    }
    if (kind == FIT_COULOMB_SMOOTH && z > R(0.0)) {
        const real d = bend + z * z;
        *by_r *= (R(1.0) + R(2.0) * z) / (d * d);
        return R(6.0) - R(3.0) / d;
    }
    if (kind == FIT_COULOMB_DAMPED) {
        const real g = real_rsqrt(r * r + damping * damping);
        *by_r = -r * g * g * g;
        return g;
    }
    if (kind == FIT_COULOMB_ERF) {
        const real x = r / damping, g = fit_erf(x) * y;
        *by_r = (R(TWO_BY_SQRT_PI) / damping * fit_exp(-x * x) - g) * y;
        return g;
    }
    if (kind == FIT_COULOMB_NONE) {
        *by_r = R(0.0);
        return R(0.0);
    }
    return y;
}

/* dg/d(damping). */
SHOAL_FN real fit_coulomb_by_damping(int kind, real r, real damping)
{
    if (kind == FIT_COULOMB_DAMPED) {
        const real g = real_rsqrt(r * r + damping * damping);
        return -damping * g * g * g;
    }
    if (kind != FIT_COULOMB_ERF) return R(0.0);
    const real x = r / damping;
    return -R(TWO_BY_SQRT_PI) / (damping * damping) * fit_exp(-x * x);
}

/* Short-range shape of a site of width w, and its derivative by w: 1 exp(-u), 2 exp(-u^2), 3
 * 1/cosh(u), u = r/w. */
SHOAL_FN real fit_site(int kind, real r, real w, real *by_w)
{
    const real u = r / w;
    const real f = kind == 1 ? fit_exp(-u) : kind == 2 ? fit_exp(-u * u) : R(1.0) / fit_cosh(u);
    const real slope = kind == 1 ? f : kind == 2 ? R(2.0) * u * f : f * fit_tanh(u);
    *by_w = slope * u / w;
    return f;
}

#endif
