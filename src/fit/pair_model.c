/* SPDX-License-Identifier: BSD-3-Clause
 * Built-in pair models: attraction A and repulsion B as functions of r, R0 and alpha. */
#include <string.h>

#include "base/wide.h"
#include "fit/fit.h"

#define SHOAL_REAL double
#include "fit_terms.h"

#define INLINE static inline __attribute__((always_inline))

/* What is wanted of a batch. */
enum { ENERGIES, SLOPES, ALL_SLOPES };

/* wanted, damps and shape are constants where this is put to use, so that the loop has no branches. */
INLINE void eval_batch(const fit_model *model, const double *globals, int wanted, bool damps,
                       pair_batch *restrict b, int shape)
{
    const double alpha = globals[FIT_ALPHA], beta = globals[FIT_BETA];
    const double on_b = model->hbond == SHOAL_HBOND_REPULSION || model->hbond == SHOAL_HBOND_BOTH;
    const double on_a = model->hbond == SHOAL_HBOND_ATTRACTION || model->hbond == SHOAL_HBOND_BOTH;
    const double scale_a = b->scale_a, scale_b = b->scale_b;
    const int32_t n = b->n;
    for (int32_t k = 0; k < n; ++k) {
        fit_shape s = fit_shape_of(shape, b->r[k], b->r0[k], alpha);
        if (damps) fit_damp(&s, b->r[k], beta);
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
        b->by_global[FIT_ALPHA][k] = e0 * (fb * s.b_alpha - fa * s.a_alpha);
        if (damps) b->by_global[FIT_BETA][k] = -e0 * fa * s.a_beta;
    }
}

#define EVAL(name, shape)                                                                          \
    WIDE static void eval_##name(const fit_model *model, const double *globals, bool derivatives,  \
                                 pair_batch *b)                                                    \
    {                                                                                              \
        if (model->disperses && globals[FIT_BETA] > 0.0)                                           \
            eval_batch(model, globals, ALL_SLOPES, true, b, shape);                                \
        else if (!derivatives)                                                                     \
            eval_batch(model, globals, ENERGIES, false, b, shape);                                 \
        else if (b->bare)                                                                          \
            eval_batch(model, globals, SLOPES, false, b, shape);                                   \
        else                                                                                       \
            eval_batch(model, globals, ALL_SLOPES, false, b, shape);                               \
    }
EVAL(lj, FIT_MODEL_LJ)
EVAL(lj8, FIT_MODEL_LJ8)
EVAL(lj9, FIT_MODEL_LJ9)
EVAL(morse, FIT_MODEL_MORSE)
EVAL(morse6, FIT_MODEL_MORSE6)
EVAL(buck, FIT_MODEL_BUCK)
EVAL(buck6, FIT_MODEL_BUCK6)
EVAL(exp6, FIT_MODEL_EXP6)

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
