/* SPDX-License-Identifier: BSD-3-Clause
 * Levenberg-Marquardt with bounds: an active set, Cholesky, damping by the gain ratio. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fit/book.h"

/* The slope by scaled variables, relative to J, at which a minimum is reached, and the relative change
 * of J below which several steps in a row end the search. */
#define SLOPE_TOLERANCE 2e-8
#define CHANGE_TOLERANCE 1e-13
#define CALM_STEPS 3
#define LARGEST_DAMPING 1e12
/* So many steps that lower J by less than this part are a stall. */
#define STALL_STEPS 50
#define STALL_FALL 1e-3

typedef struct levenberg {
    fit_objective *o;
    int32_t n;
    double *a, *g, *factor, *step, *trial, *trial_g;
    int32_t *free_rows; /* variables not held by a bound */
    int32_t n_free;
} levenberg;

/* Solves (A + mu D) x = -g on the free rows by Cholesky; false if it is not positive definite. D is
 * the diagonal of A with a floor, so that undetermined directions stay where they are. */
static bool solve(levenberg *lm, double mu)
{
    const int32_t n = lm->n_free;
    double largest = 0.0;
    for (int32_t i = 0; i < lm->n; ++i) largest = fmax(largest, lm->a[i * lm->n + i]);
    for (int32_t i = 0; i < n; ++i) {
        const int32_t row = lm->free_rows[i];
        for (int32_t k = 0; k <= i; ++k) {
            const int32_t column = lm->free_rows[k];
            double sum = lm->a[row * lm->n + column];
            if (i == k) sum += mu * fmax(sum, 1e-10 * largest);
            for (int32_t m = 0; m < k; ++m) sum -= lm->factor[i * n + m] * lm->factor[k * n + m];
            if (i == k && !(sum > 0.0)) return false;
            lm->factor[i * n + k] = i == k ? sqrt(sum) : sum / lm->factor[k * n + k];
        }
    }
    for (int32_t i = 0; i < n; ++i) {
        double sum = -lm->g[lm->free_rows[i]];
        for (int32_t m = 0; m < i; ++m) sum -= lm->factor[i * n + m] * lm->step[m];
        lm->step[i] = sum / lm->factor[i * n + i];
    }
    for (int32_t i = n - 1; i >= 0; --i) {
        double sum = lm->step[i];
        for (int32_t m = i + 1; m < n; ++m) sum -= lm->factor[m * n + i] * lm->step[m];
        lm->step[i] = sum / lm->factor[i * n + i];
    }
    return true;
}

static void find_free(levenberg *lm, const double *u)
{
    const fit_objective *o = lm->o;
    lm->n_free = 0;
    for (int32_t i = 0; i < lm->n; ++i) {
        const bool held =
            (u[i] <= o->lower[i] && lm->g[i] > 0.0) || (u[i] >= o->upper[i] && lm->g[i] < 0.0);
        if (!held) lm->free_rows[lm->n_free++] = i;
    }
}

/* The step cut at the bounds, and the fall of J that the quadratic model promises for it. */
static double make_trial(levenberg *lm, const double *u)
{
    const fit_objective *o = lm->o;
    double promise = 0.0;
    memcpy(lm->trial, u, (size_t)lm->n * sizeof *u);
    for (int32_t i = 0; i < lm->n_free; ++i) {
        const int32_t row = lm->free_rows[i];
        lm->trial[row] = fmin(fmax(u[row] + lm->step[i], o->lower[row]), o->upper[row]);
    }
    for (int32_t i = 0; i < lm->n; ++i) {
        double curved = 0.0;
        for (int32_t k = 0; k < lm->n; ++k) curved += lm->a[i * lm->n + k] * (lm->trial[k] - u[k]);
        promise -= (lm->trial[i] - u[i]) * (lm->g[i] + 0.5 * curved);
    }
    return promise;
}

/* Tries steps with growing damping until one is an improvement; *better is false if none is. */
static shoal_status improve(levenberg *lm, double *u, double *j, double *mu, bool *better)
{
    double growth = 2.0;
    *better = false;
    while (*mu < LARGEST_DAMPING) {
        double trial_j = INFINITY;
        const double promise = solve(lm, *mu) ? make_trial(lm, u) : -1.0;
        if (promise > 0.0) SHOAL_TRY(objective_value(lm->o, lm->trial, &trial_j, lm->trial_g));
        if (trial_j < *j && isfinite(objective_projected(lm->o, lm->trial, lm->trial_g))) {
            const double t = 2.0 * (*j - trial_j) / promise - 1.0;
            *mu = fmax(*mu * fmax(1.0 / 3.0, 1.0 - t * t * t), 1e-12);
            *j = trial_j;
            memcpy(u, lm->trial, (size_t)lm->n * sizeof *u);
            *better = true;
            return SHOAL_OK;
        }
        *mu *= growth;
        growth *= 2.0;
    }
    return SHOAL_OK;
}

static bool is_finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (!isfinite(x[i])) return false;
    return true;
}

static shoal_status descend(levenberg *lm, double *u, fit_descent *d)
{
    const int32_t patience = d->patience > 0 ? d->patience : STALL_STEPS;
    enum {
        MU,
        FALLEN,
        CALM,
        FIRST,
        N_KEPT
    }; /* damping, J at the last look for a stall, calm steps, the first step */
    double own[N_KEPT] = {[MU] = 1e-3, [FALLEN] = INFINITY, [FIRST] = d->steps};
    d->stalled = false;
    for ((void)mark_resume(lm->o, d, MARK_LEVENBERG, u, own, N_KEPT);; ++d->steps) {
        double j;
        bool better;
        const int32_t gone = d->steps - (int32_t)own[FIRST];
        SHOAL_TRY(mark_keep(lm->o, d, MARK_LEVENBERG, u, own, N_KEPT));
        SHOAL_TRY(objective_matrix(lm->o, u, &j, lm->g, lm->a, NULL));
        const double slope = objective_projected(lm->o, u, lm->g);
        d->j = j;
        SHOAL_TRY(descent_note(lm->o, u, j, slope, d));
        if (!is_finite(lm->a, (size_t)lm->n * (size_t)lm->n))
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "the curvature of the objective is not finite at step %d",
                              (int)d->steps);
        d->converged = slope <= SLOPE_TOLERANCE * d->j || own[CALM] >= CALM_STEPS;
        if (d->converged || d->stopped || gone >= d->max_steps) return SHOAL_OK;
        if (gone % patience == 0) {
            d->stalled = own[FALLEN] - j < STALL_FALL * j;
            if (d->stalled) return SHOAL_OK;
            own[FALLEN] = j;
        }
        find_free(lm, u);
        SHOAL_TRY(improve(lm, u, &d->j, &own[MU], &better));
        own[CALM] = j - d->j <= CHANGE_TOLERANCE * j ? own[CALM] + 1.0 : 0.0;
        /* No step is better: that is a minimum as far as the numbers can tell. */
        if (!better) {
            d->converged = true;
            return SHOAL_OK;
        }
    }
}

shoal_status minimise_levenberg(fit_objective *o, double *u, fit_descent *d)
{
    const size_t n = (size_t)o->n;
    levenberg lm = {.o = o, .n = o->n};
    lm.a = shoal_alloc(n * n, sizeof *lm.a);
    lm.factor = shoal_alloc(n * n, sizeof *lm.factor);
    lm.g = shoal_alloc(n, sizeof *lm.g);
    lm.step = shoal_alloc(n, sizeof *lm.step);
    lm.trial = shoal_alloc(n, sizeof *lm.trial);
    lm.trial_g = shoal_alloc(n, sizeof *lm.trial_g);
    lm.free_rows = shoal_alloc(n, sizeof *lm.free_rows);
    shoal_status status = SHOAL_E_MEMORY;
    if (lm.a && lm.factor && lm.g && lm.step && lm.trial && lm.trial_g && lm.free_rows)
        status = descend(&lm, u, d);
    free(lm.a);
    free(lm.factor);
    free(lm.g);
    free(lm.step);
    free(lm.trial);
    free(lm.trial_g);
    free(lm.free_rows);
    return status;
}
