/* SPDX-License-Identifier: BSD-3-Clause
 * Pair energies of parameter fits with their derivatives by parameters: shapes of attraction and repulsion, Coulomb
 * kernels, sites. Valid as C17 and OpenCL C 1.2.
 *
 * E = E0 (B (1 + h1) - A (1 - h2)); A and B hold their factors cA and cB. */
#ifndef SHOAL_KERNELS_FIT_TERMS_H
#define SHOAL_KERNELS_FIT_TERMS_H

#include "form_terms.h"

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define fit_cosh(x) cosh(x)
#define fit_tanh(x) tanh(x)
#else
#define fit_cosh(x) _Generic((real)0, float : coshf, default : cosh)(x)
#define fit_tanh(x) _Generic((real)0, float : tanhf, default : tanh)(x)
#endif

/* A and B, and their partial derivatives by r, R0, alpha and, of a damped attraction, beta. */
typedef struct fit_shape {
    real a, b;
    real a_r, b_r;
    real a_r0, b_r0;
    real a_alpha, b_alpha;
    real a_beta;
} fit_shape;

/* e^x; beyond what a number holds, about the largest it holds. */
SHOAL_FN real fit_exp(real x)
{
    return special_exp(real_min(x, sizeof(R(0.0)) == 4 ? R(88.0) : R(709.0)));
}

/* c u^6 with u = R0/r, into the attraction. */
SHOAL_FN void fit_attract_6(fit_shape *s, real c, real r, real r0)
{
    const real inverse = R(1.0) / r, u = r0 * inverse, u2 = u * u, u5 = u2 * u2 * u;
    s->a = c * u5 * u;
    s->a_r0 = R(6.0) * c * u5 * inverse;
    s->a_r = R(-6.0) * s->a * inverse;
    s->a_alpha = R(0.0);
}

/* Repulsion c u^n; below = u^(n-1). */
SHOAL_FN void fit_repel_power(fit_shape *s, real c, real n, real below, real r, real r0)
{
    const real inverse = R(1.0) / r;
    s->b = c * below * (r0 * inverse);
    s->b_r0 = n * c * below * inverse;
    s->b_r = -n * s->b * inverse;
    s->b_alpha = R(0.0);
}

SHOAL_FN real fit_power_5(real u)
{
    const real u2 = u * u;
    return u2 * u2 * u;
}

SHOAL_FN fit_shape fit_lj(real r, real r0)
{
    const real u = r0 * (R(1.0) / r), u5 = fit_power_5(u);
    fit_shape s;
    fit_attract_6(&s, R(2.0), r, r0);
    fit_repel_power(&s, R(1.0), R(12.0), u5 * u5 * u, r, r0);
    return s;
}

SHOAL_FN fit_shape fit_lj8(real r, real r0)
{
    const real u = r0 * (R(1.0) / r), u5 = fit_power_5(u);
    fit_shape s;
    fit_attract_6(&s, R(4.0), r, r0);
    fit_repel_power(&s, R(3.0), R(8.0), u5 * u * u, r, r0);
    return s;
}

SHOAL_FN fit_shape fit_lj9(real r, real r0)
{
    const real u = r0 * (R(1.0) / r), u5 = fit_power_5(u);
    fit_shape s;
    fit_attract_6(&s, R(3.0), r, r0);
    fit_repel_power(&s, R(2.0), R(9.0), u5 * u * u * u, r, r0);
    return s;
}

/* c exp(-n alpha x) into the repulsion, x = r - R0 or, scaled, r/R0 - 1. */
SHOAL_FN void fit_repel_exp(fit_shape *s, real c, real n, real r, real r0, real alpha, int scaled)
{
    const real x = scaled ? r / r0 - R(1.0) : r - r0, rate = n * alpha;
    s->b = c * fit_exp(-rate * x);
    s->b_r = -(scaled ? rate / r0 : rate) * s->b;
    s->b_r0 = (scaled ? rate * r / (r0 * r0) : rate) * s->b;
    s->b_alpha = -n * x * s->b;
}

/* With scaled, alpha has no unit: exp(-alpha (r/R0 - 1)). */
SHOAL_FN fit_shape fit_morse(real r, real r0, real alpha, int scaled)
{
    fit_shape s;
    fit_repel_exp(&s, R(2.0), R(1.0), r, r0, alpha, scaled);
    s.a = s.b, s.a_r = s.b_r, s.a_r0 = s.b_r0, s.a_alpha = s.b_alpha;
    /* B = (A/2)^2 */
    s.b = R(0.25) * s.a * s.a;
    s.b_r = R(0.5) * s.a * s.a_r;
    s.b_r0 = R(0.5) * s.a * s.a_r0;
    s.b_alpha = R(0.5) * s.a * s.a_alpha;
    return s;
}

SHOAL_FN fit_shape fit_buck(real r, real r0, real alpha, int scaled)
{
    fit_shape s;
    fit_attract_6(&s, R(2.0), r, r0);
    fit_repel_exp(&s, R(1.0), R(2.0), r, r0, alpha, scaled);
    return s;
}

/* E0 (6 exp(alpha (1 - r/R0)) - alpha u^6) / (alpha - 6). */
SHOAL_FN fit_shape fit_exp6(real r, real r0, real alpha)
{
    const real c = R(1.0) / (alpha - R(6.0));
    fit_shape s;
    fit_attract_6(&s, alpha * c, r, r0);
    s.a_alpha = R(-6.0) * c / alpha * s.a;
    fit_repel_exp(&s, R(6.0) * c, R(1.0), r, r0, alpha, 1);
    s.b_alpha -= c * s.b;
    return s;
}

/* Dispersion damped with x = beta r, beta above 0. */
SHOAL_FN void fit_damp(fit_shape *s, real r, real beta)
{
    real by_x;
    const real f = form_damping_6(beta * r, &by_x);
    s->a_beta = s->a * by_x / beta;
    s->a_r = s->a_r * f + s->a * by_x / r;
    s->a_r0 *= f;
    s->a_alpha *= f;
    s->a *= f;
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

/* g(r) of the Coulomb energy, as the engine has it, and g'(r). */
SHOAL_FN real fit_coulomb(int kind, real r, real damping, real *by_r)
{
    const real inverse = R(1.0) / r;
    real s = R(0.0), g = R(0.0);
    if (kind != FORM_COULOMB_NONE) g = form_coulomb(kind, R(1.0), damping, r, inverse, &s);
    *by_r = -s * inverse;
    return g;
}

/* dg/d(damping). */
SHOAL_FN real fit_coulomb_by_damping(int kind, real r, real damping)
{
    if (kind == FORM_COULOMB_DAMPED) {
        const real g = real_rsqrt(r * r + damping * damping);
        return -damping * g * g * g;
    }
    if (kind != FORM_COULOMB_ERF) return R(0.0);
    const real x = r / damping;
    return -R(TWO_BY_SQRT_PI) / (damping * damping) * fit_exp(-x * x);
}

/* Short-range shape of a site of width w, and its derivative by w: 1 exp(-u), 2 exp(-u^2), 3
 * 1/cosh(u), u = r/w. */
SHOAL_FN real fit_site(int kind, real r, real w, real *by_w)
{
    *by_w = R(0.0);
    if (!(w > R(0.0))) return R(0.0); /* the limit */
    const real u = r / w;
    const real f = kind == 1 ? fit_exp(-u) : kind == 2 ? fit_exp(-u * u) : R(1.0) / fit_cosh(u);
    const real slope = kind == 1 ? f : kind == 2 ? R(2.0) * u * f : f * fit_tanh(u);
    *by_w = slope * u / w;
    return f;
}

#endif
