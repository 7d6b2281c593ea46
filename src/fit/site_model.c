/* SPDX-License-Identifier: BSD-3-Clause
 * Short-range energies of sites: H times a shape of u = r/w. */
#include <string.h>

#include "fit/sites.h"

/* Shape and its slope by u. */
typedef double shape_of(double u, double *slope);

static inline double shape_sr(double u, double *slope)
{
    const double f = exp(-u);
    *slope = -f;
    return f;
}

static inline double shape_sr2(double u, double *slope)
{
    const double f = exp(-u * u);
    *slope = -2.0 * u * f;
    return f;
}

static inline double shape_sr3(double u, double *slope)
{
    const double f = 1.0 / cosh(u);
    *slope = -f * tanh(u);
    return f;
}

static inline void eval_shape(bool derivatives, pair_batch *restrict b, shape_of *shape)
{
    for (int32_t k = 0; k < b->n; ++k) {
        const double w = b->r0[k], u = b->r[k] / w;
        double slope;
        const double f = shape(u, &slope);
        b->e[k] = b->h[k] * f;
        if (!derivatives) continue;
        b->by_h[k] = f;
        b->by_r[k] = b->h[k] * slope / w;
        b->by_r0[k] = -b->h[k] * slope * u / w;
        b->by_e0[k] = 0.0;
        b->by_q[k] = 0.0;
    }
}

#define EVAL(name)                                                                                 \
    static void eval_##name(const fit_model *model, const double *globals, bool derivatives,       \
                            pair_batch *b)                                                         \
    {                                                                                              \
        (void)model;                                                                               \
        (void)globals;                                                                             \
        eval_shape(derivatives, b, shape_##name);                                                  \
    }
EVAL(sr)
EVAL(sr2)
EVAL(sr3)

bool fit_site_model(const char *name, fit_model *out)
{
    static const fit_model models[] = {{.name = "sr", .eval = eval_sr},
                                       {.name = "sr2", .eval = eval_sr2},
                                       {.name = "sr3", .eval = eval_sr3}};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; ++i) {
        if (strcmp(name, models[i].name) != 0) continue;
        *out = models[i];
        return true;
    }
    return false;
}
