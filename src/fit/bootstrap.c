/* SPDX-License-Identifier: BSD-3-Clause
 * Bootstrap over dimers: how the parameters would vary with other dimers of the same kind. */
#ifdef _OPENMP
#include <omp.h>
#endif
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "fit/book.h"

#define DRAW_STREAM UINT64_C(0x626f6f74)
enum { DEFAULT_REPLICATES = 200 };

typedef struct bootstrap {
    shoal_fit *fit;
    const shoal_bootstrap_options *options;
    int32_t n, n_counted;
    int32_t *counted; /* [n_counted] dimers with a weight above 0 */
    double *values;   /* [n][n_free] units of the file, NaN where a replicate tells nothing */
} bootstrap;

static shoal_status find_counted(bootstrap *b)
{
    const fit_problem *problem = &b->fit->problem;
    const size_t n = (size_t)problem->data->n_dimers;
    bool *counts = shoal_alloc(n, sizeof *counts);
    b->counted = shoal_alloc(n, sizeof *b->counted);
    if (counts && b->counted) {
        for (int32_t i = 0; i < problem->n_samples; ++i)
            if (b->fit->weight[i] > 0.0)
                counts[problem->data->samples[problem->source[i]].dimer] = true;
        for (size_t d = 0; d < n; ++d)
            if (counts[d]) b->counted[b->n_counted++] = (int32_t)d;
    }
    free(counts);
    if (!b->counted || !counts) return SHOAL_E_MEMORY;
    if (b->n_counted > 1) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "a bootstrap of %d dimer: expected at least 2",
                      (int)b->n_counted);
}

static shoal_status fit_replicate(const bootstrap *b, int32_t replicate, fit_objective *o,
                                  double *factor, bool *present)
{
    const shoal_fit *fit = b->fit;
    double *u = &b->values[(size_t)replicate * (size_t)o->n];
    const shoal_fit_run_options *run = &b->options->run;
    fit_descent d = {.max_steps = run->max_steps, .stop = run->stop, .user = run->user};
    for (int32_t k = 0; k < b->n_counted; ++k) {
        const double r =
            fit_random(b->options->seed, DRAW_STREAM + (uint64_t)replicate, (uint64_t)k);
        factor[b->counted[(int32_t)(r * b->n_counted)]] += 1.0;
    }
    SHOAL_TRY(objective_weigh(o, factor));
    objective_types(o, present);
    for (int32_t i = 0; i < o->n; ++i)
        u[i] = fit_dof_scaled(&fit->dofs[fit->free_dofs[i]], fit->value[fit->free_dofs[i]]);
    SHOAL_TRY(fit_book_descend(o, run->method, false, replicate, 0, u, &d));
    for (int32_t i = 0; i < o->n; ++i) {
        const fit_dof *dof = &fit->dofs[fit->free_dofs[i]];
        const bool known = !d.stopped && (dof->type < 0 || present[dof->type]);
        u[i] = known ? fit_dof_value(dof, u[i]) : NAN;
    }
    return SHOAL_OK;
}

/* A replicate that cannot be fitted is left out. */
static void run_replicate(const bootstrap *b, int32_t replicate, bool clone)
{
    const fit_problem *problem = &b->fit->problem;
    fit_objective *o = NULL;
    double *factor = shoal_alloc((size_t)problem->data->n_dimers, sizeof *factor);
    bool *present = shoal_alloc((size_t)problem->n_types, sizeof *present);
    shoal_status status = factor && present ? SHOAL_OK : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) status = objective_create(&o, b->fit, clone);
    if (status == SHOAL_OK) status = fit_replicate(b, replicate, o, factor, present);
    for (int32_t i = 0; i < problem->n_free && status != SHOAL_OK; ++i)
        b->values[(size_t)replicate * (size_t)problem->n_free + (size_t)i] = NAN;
    objective_destroy(o);
    free(factor);
    free(present);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between the ordered values. */
static double quantile(const double *sorted, int32_t n, double part)
{
    const double at = part * (n - 1);
    const int32_t k = (int32_t)at < n - 1 ? (int32_t)at : n - 2;
    return sorted[k] + (at - k) * (sorted[k + 1] - sorted[k]);
}

static fit_bootstrap_error summarise(const bootstrap *b, int32_t column, double *sorted)
{
    const int32_t n_free = b->fit->problem.n_free;
    int32_t n = 0;
    double mean = 0.0, squares = 0.0;
    for (int32_t k = 0; k < b->n; ++k) {
        const double x = b->values[(size_t)k * (size_t)n_free + (size_t)column];
        if (isfinite(x)) sorted[n++] = x;
    }
    if (n < 2) return (fit_bootstrap_error){NAN, NAN, NAN};
    for (int32_t k = 0; k < n; ++k) mean += sorted[k] / n;
    for (int32_t k = 0; k < n; ++k) squares += (sorted[k] - mean) * (sorted[k] - mean);
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    return (fit_bootstrap_error){sqrt(squares / (n - 1)), quantile(sorted, n, 0.025),
                                 quantile(sorted, n, 0.975)};
}

static shoal_status run(bootstrap *b)
{
    shoal_fit *fit = b->fit;
    const int32_t n = b->n;
    const size_t n_free = (size_t)fit->problem.n_free;
    const bool clone = fit->evaluator->clone != NULL;
    const shoal_fit_run_options *how = &b->options->run;
    double *sorted = shoal_alloc((size_t)n, sizeof *sorted);
    b->values = shoal_alloc((size_t)n * n_free, sizeof *b->values);
    if (!fit->bootstrap) fit->bootstrap = shoal_alloc(n_free, sizeof *fit->bootstrap);
    const bool complete = sorted && b->values && fit->bootstrap;
    if (complete) {
#ifdef _OPENMP
        const int n_threads = clone ? (int)fit->problem.n_threads : 1;
#pragma omp parallel for schedule(dynamic, 1) num_threads(n_threads)
#endif
        for (int32_t k = 0; k < n; ++k)
            if (!how->stop || !how->stop(how->user)) run_replicate(b, k, clone);
        const bool stopped = how->stop && how->stop(how->user);
        for (size_t i = 0; i < n_free; ++i)
            fit->bootstrap[i] =
                stopped ? (fit_bootstrap_error){NAN, NAN, NAN} : summarise(b, (int32_t)i, sorted);
    }
    free(sorted);
    return complete ? SHOAL_OK : SHOAL_E_MEMORY;
}

shoal_status shoal_fit_bootstrap(shoal_fit *fit, const shoal_bootstrap_options *options)
{
    shoal_clear_error();
    SHOAL_NEED(fit);
    shoal_bootstrap_options o = options ? *options : (shoal_bootstrap_options){0};
    if (o.n == 0) o.n = DEFAULT_REPLICATES;
    if (o.n < 2)
        return shoal_fail(SHOAL_E_ARGUMENT, "a bootstrap of %d replicates: expected at least 2",
                          (int)o.n);
    o.run.max_steps = fit_max_steps(&o.run);
    SHOAL_TRY(
        fit_book_call(fit, "bootstrap", &o.run, (int64_t)hash_words(o.seed, &o.n, sizeof o.n)));
    fit_asking asking;
    fit_ask_together(fit, &o.run, &asking);
    bootstrap b = {.fit = fit, .options = &o, .n = o.n};
    shoal_status status = find_counted(&b);
    if (status == SHOAL_OK) status = run(&b);
    free(b.counted);
    free(b.values);
    return status;
}
