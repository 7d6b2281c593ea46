/* SPDX-License-Identifier: BSD-3-Clause
 * Built-in pair models: attraction A and repulsion B as functions of r, R0 and alpha. */
#include <string.h>

#include "base/wide.h"
#include "fit/fit.h"

#define SHOAL_REAL double
#include "special_terms.h"

#define INLINE static inline __attribute__((always_inline))

/* cA A and cB B with their partial derivatives. */
typedef struct shape {
    double a, b;
    double a_r, b_r;   /* by r */
    double a_r0, b_r0; /* by R0 */
    double a_al, b_al; /* by alpha */
    double a_be;       /* by beta */
} shape;

/* e^x; beyond what a double holds, the largest it holds. */
INLINE double bounded_exp(double x)
{
    return special_exp(x < 709.0 ? x : 709.0);
}

/* u^n for n = 5, 7, 8, 11; u6 u = u^7 and so on. */
INLINE double power_5(double u)
{
    const double u2 = u * u;
    return u2 * u2 * u;
}

/* c u^6 with u = R0/r. */
INLINE void attract_6(double r, double r0, double c, shape *s)
{
    const double inverse = 1.0 / r, u = r0 * inverse, u5 = power_5(u);
    s->a = c * u5 * u;
    s->a_r0 = 6.0 * c * u5 * inverse;
    s->a_r = -6.0 * s->a * inverse;
    s->a_al = 0.0;
}

/* bounded_exp(-k (r - R0)) for k = n alpha. */
INLINE void decay(double r, double r0, double alpha, double n, double c, double out[4])
{
    const double e = c * bounded_exp(-n * alpha * (r - r0));
    out[0] = e;
    out[1] = -n * alpha * e;
    out[2] = n * alpha * e;
    out[3] = -n * (r - r0) * e;
}

/* bounded_exp(-n alpha (r/R0 - 1)). */
INLINE void decay_scaled(double r, double r0, double alpha, double n, double c, double out[4])
{
    const double e = c * bounded_exp(-n * alpha * (r / r0 - 1.0));
    out[0] = e;
    out[1] = -n * alpha / r0 * e;
    out[2] = n * alpha * r / (r0 * r0) * e;
    out[3] = -n * (r / r0 - 1.0) * e;
}

INLINE void set_attraction(shape *s, const double d[4])
{
    s->a = d[0];
    s->a_r = d[1];
    s->a_r0 = d[2];
    s->a_al = d[3];
}

INLINE void set_repulsion(shape *s, const double d[4])
{
    s->b = d[0];
    s->b_r = d[1];
    s->b_r0 = d[2];
    s->b_al = d[3];
}

INLINE void repel_power(double inverse, double c, double n, double below, double u, shape *s)
{
    /* below = u^(n-1) */
    s->b = c * below * u;
    s->b_r0 = n * c * below * inverse;
    s->b_r = -n * s->b * inverse;
    s->b_al = 0.0;
}

INLINE void shape_lj(double r, double r0, double alpha, shape *s)
{
    const double inverse = 1.0 / r, u = r0 * inverse, u5 = power_5(u);
    (void)alpha;
    attract_6(r, r0, 2.0, s);
    repel_power(inverse, 1.0, 12.0, u5 * u5 * u, u, s);
}

INLINE void shape_lj8(double r, double r0, double alpha, shape *s)
{
    const double inverse = 1.0 / r, u = r0 * inverse, u5 = power_5(u);
    (void)alpha;
    attract_6(r, r0, 4.0, s);
    repel_power(inverse, 3.0, 8.0, u5 * u * u, u, s);
}

INLINE void shape_lj9(double r, double r0, double alpha, shape *s)
{
    const double inverse = 1.0 / r, u = r0 * inverse, u5 = power_5(u);
    (void)alpha;
    attract_6(r, r0, 3.0, s);
    repel_power(inverse, 2.0, 9.0, u5 * u * u * u, u, s);
}

INLINE void shape_morse(double r, double r0, double alpha, shape *s)
{
    double d[4];
    decay(r, r0, alpha, 1.0, 2.0, d);
    set_attraction(s, d);
    /* B = (A/2)^2 */
    s->b = 0.25 * d[0] * d[0];
    s->b_r = 0.5 * d[0] * d[1];
    s->b_r0 = 0.5 * d[0] * d[2];
    s->b_al = 0.5 * d[0] * d[3];
}

INLINE void shape_morse6(double r, double r0, double alpha, shape *s)
{
    double d[4];
    decay_scaled(r, r0, alpha, 1.0, 2.0, d);
    set_attraction(s, d);
    decay_scaled(r, r0, alpha, 2.0, 1.0, d);
    set_repulsion(s, d);
}

INLINE void shape_buck(double r, double r0, double alpha, shape *s)
{
    double d[4];
    attract_6(r, r0, 2.0, s);
    decay(r, r0, alpha, 2.0, 1.0, d);
    set_repulsion(s, d);
}

INLINE void shape_buck6(double r, double r0, double alpha, shape *s)
{
    double d[4];
    attract_6(r, r0, 2.0, s);
    decay_scaled(r, r0, alpha, 2.0, 1.0, d);
    set_repulsion(s, d);
}

/* Exp-6: E0 (6 bounded_exp(alpha (1 - r/R0)) - alpha u^6) / (alpha - 6). */
INLINE void shape_exp6(double r, double r0, double alpha, shape *s)
{
    const double c = 1.0 / (alpha - 6.0);
    double d[4];
    attract_6(r, r0, alpha * c, s);
    s->a_al = -6.0 * c / alpha * s->a;
    decay_scaled(r, r0, alpha, 1.0, 6.0 * c, d);
    set_repulsion(s, d);
    s->b_al -= c * s->b;
}

typedef void shape_function(double r, double r0, double alpha, shape *s);

/* Tang and Toennies: u^6 times f(x) = 1 - bounded_exp(-x) sum_{k=0..6} x^k/k! with x = beta r. */
INLINE void damp(double r, double beta, shape *s)
{
    const double x = beta * r, e = bounded_exp(-x);
    double term = 1.0, sum = 1.0;
    for (int k = 1; k <= 6; ++k) {
        term *= x / k;
        sum += term;
    }
    const double f = 1.0 - e * sum, slope = e * term;
    s->a_be = s->a * slope * r;
    s->a_r = s->a_r * f + s->a * slope * beta;
    s->a_r0 *= f;
    s->a_al *= f;
    s->a *= f;
}

/* What is wanted of a batch. */
enum { ENERGIES, SLOPES, ALL_SLOPES };

/* wanted and damps are constants where this is put to use, so that the loop has no branches. */
INLINE void eval_batch(const fit_model *model, const double *globals, int wanted, bool damps,
                       pair_batch *restrict b, shape_function *function)
{
    const double alpha = globals[FIT_ALPHA], beta = globals[FIT_BETA];
    const double on_b = model->hbond == SHOAL_HBOND_REPULSION || model->hbond == SHOAL_HBOND_BOTH;
    const double on_a = model->hbond == SHOAL_HBOND_ATTRACTION || model->hbond == SHOAL_HBOND_BOTH;
    const double scale_a = b->scale_a, scale_b = b->scale_b;
    const int32_t n = b->n;
    for (int32_t k = 0; k < n; ++k) {
        shape s;
        function(b->r[k], b->r0[k], alpha, &s);
        if (damps) damp(b->r[k], beta, &s);
        const double fb = scale_b * (1.0 + on_b * b->h[k]);
        const double fa = scale_a * (1.0 - on_a * b->h[k]);
        const double e0 = b->e0[k], unit = fb * s.b - fa * s.a;
        b->e[k] = e0 * unit;
        if (wanted == ENERGIES) continue;
        b->by_e0[k] = unit;
        b->by_r0[k] = e0 * (fb * s.b_r0 - fa * s.a_r0);
        b->by_h[k] = e0 * (on_b * scale_b * s.b + on_a * scale_a * s.a);
        if (wanted == SLOPES) continue;
        b->by_r[k] = e0 * (fb * s.b_r - fa * s.a_r);
        b->by_global[FIT_ALPHA][k] = e0 * (fb * s.b_al - fa * s.a_al);
        if (damps) b->by_global[FIT_BETA][k] = -e0 * fa * s.a_be;
    }
}

#define EVAL(name)                                                                                 \
    WIDE static void eval_##name(const fit_model *model, const double *globals, bool derivatives,  \
                                 pair_batch *b)                                                    \
    {                                                                                              \
        if (model->disperses && globals[FIT_BETA] > 0.0)                                           \
            eval_batch(model, globals, ALL_SLOPES, true, b, shape_##name);                         \
        else if (!derivatives)                                                                     \
            eval_batch(model, globals, ENERGIES, false, b, shape_##name);                          \
        else if (b->bare)                                                                          \
            eval_batch(model, globals, SLOPES, false, b, shape_##name);                            \
        else                                                                                       \
            eval_batch(model, globals, ALL_SLOPES, false, b, shape_##name);                        \
    }
EVAL(lj)
EVAL(lj8)
EVAL(lj9)
EVAL(morse)
EVAL(morse6)
EVAL(buck)
EVAL(buck6)
EVAL(exp6)

/* Powers of r and of R0 for a repulsion with c u^n. */
static inline void moment_power(double r, double *a, double *b, int n)
{
    const double i2 = 1.0 / (r * r), i6 = i2 * i2 * i2;
    *a = i6;
    *b = n == 12 ? i6 * i6 : n == 8 ? i6 * i2 : i6 * i2 / r;
}

static inline void factor_power(double r0, double f[2], double by[2], double ca, double cb, int n)
{
    const double r2 = r0 * r0, r5 = r2 * r2 * r0;
    const double below = n == 12 ? r5 * r5 * r0 : n == 8 ? r5 * r2 : r5 * r2 * r0;
    f[0] = ca * r5 * r0;
    by[0] = 6.0 * ca * r5;
    f[1] = cb * below * r0;
    by[1] = n * cb * below;
}

#define POWER(name, ca, cb, n)                                                                     \
    static void moment_##name(double r, double alpha, double *a, double *b)                        \
    {                                                                                              \
        (void)alpha;                                                                               \
        moment_power(r, a, b, n);                                                                  \
    }                                                                                              \
    static void factor_##name(double r0, double alpha, double f[2], double by[2])                  \
    {                                                                                              \
        (void)alpha;                                                                               \
        factor_power(r0, f, by, ca, cb, n);                                                        \
    }                                                                                              \
    static const fit_separable separable_##name = {moment_##name, factor_##name};
POWER(lj, 2.0, 1.0, 12)
POWER(lj8, 4.0, 3.0, 8)
POWER(lj9, 3.0, 2.0, 9)

static void moment_morse(double r, double alpha, double *a, double *b)
{
    *a = exp(-alpha * r);
    *b = *a * *a;
}

static void factor_morse(double r0, double alpha, double f[2], double by[2])
{
    const double e = exp(alpha * r0);
    f[0] = 2.0 * e;
    f[1] = e * e;
    by[0] = alpha * f[0];
    by[1] = 2.0 * alpha * f[1];
}

static void moment_buck(double r, double alpha, double *a, double *b)
{
    const double i2 = 1.0 / (r * r);
    *a = i2 * i2 * i2;
    *b = exp(-2.0 * alpha * r);
}

static void factor_buck(double r0, double alpha, double f[2], double by[2])
{
    const double r2 = r0 * r0, r5 = r2 * r2 * r0;
    f[0] = 2.0 * r5 * r0;
    f[1] = exp(2.0 * alpha * r0);
    by[0] = 12.0 * r5;
    by[1] = 2.0 * alpha * f[1];
}

static const fit_separable separable_morse = {moment_morse, factor_morse};
static const fit_separable separable_buck = {moment_buck, factor_buck};

bool fit_model_builtin(const char *name, shoal_hbond hbond, fit_model *out, double *alpha)
{
    enum { ALPHA = 1u << FIT_ALPHA };
    static const struct {
        fit_model model;
        double alpha;
    } models[] = {
        {{.name = "lj", .eval = eval_lj, .separable = &separable_lj}, 0.0},
        {{.name = "lj8", .eval = eval_lj8, .separable = &separable_lj8}, 0.0},
        {{.name = "lj9", .eval = eval_lj9, .separable = &separable_lj9}, 0.0},
        {{.name = "morse",
          .eval = eval_morse,
          .separable = &separable_morse,
          .globals_used = ALPHA},
         1.6},
        {{.name = "buck", .eval = eval_buck, .separable = &separable_buck, .globals_used = ALPHA},
         1.6},
        {{.name = "morse6", .eval = eval_morse6, .globals_used = ALPHA}, 6.0},
        {{.name = "buck6", .eval = eval_buck6, .globals_used = ALPHA}, 6.0},
        {{.name = "exp6", .eval = eval_exp6, .globals_used = ALPHA}, 12.0},
    };
    for (size_t i = 0; i < sizeof models / sizeof models[0]; ++i) {
        if (strcmp(name, models[i].model.name) != 0) continue;
        *out = models[i].model;
        out->hbond = hbond;
        out->disperses = strncmp(name, "morse", 5) != 0;
        *alpha = models[i].alpha;
        return true;
    }
    return false;
}
