/* SPDX-License-Identifier: BSD-3-Clause
 * Short-range energies of sites: H times a shape of u = r/w. */
#include <string.h>

#include "fit/sites.h"

#define SHOAL_REAL double
#include "fit_terms.h"

static inline void eval_shape(bool derivatives, pair_batch *restrict b, int shape)
{
    for (int32_t k = 0; k < b->n; ++k) {
        const double w = b->r0[k];
        double by_w;
        const double f = fit_site(shape, b->r[k], w, &by_w);
        b->e[k] = b->h[k] * f;
        if (!derivatives) continue;
        b->by_h[k] = f;
        b->by_r[k] = -b->h[k] * by_w * (w / b->r[k]); /* a function of r/w */
        b->by_r0[k] = b->h[k] * by_w;
        b->by_e0[k] = 0.0;
        b->by_q[k] = 0.0;
    }
}

#define EVAL(name, shape)                                                                          \
    static void eval_##name(const fit_model *model, const double *globals, bool derivatives,       \
                            pair_batch *b)                                                         \
    {                                                                                              \
        (void)model;                                                                               \
        (void)globals;                                                                             \
        eval_shape(derivatives, b, shape);                                                         \
    }
EVAL(sr, 1)
EVAL(sr2, 2)
EVAL(sr3, 3)

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
