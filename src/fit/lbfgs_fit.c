/* SPDX-License-Identifier: BSD-3-Clause
 * Limited-memory BFGS with bounds: directions on the variables that no bound holds, projected line
 * search. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fit/book.h"

enum { MEMORY = 20, MAX_TRIALS = 40 };
#define SLOPE_TOLERANCE 1e-7 /* by scaled variables, relative to J */
#define CHANGE_TOLERANCE 1e-15
#define CALM_STEPS 10
#define SUFFICIENT 1e-4  /* of the fall that the slope promises */
#define LARGEST_STEP 5.0 /* of a scaled variable */

/* What goes on: calm steps, the first step, pairs, the newest of them, then rho, s and y. */
enum { CALM = 0, FIRST, PAIRS, NEWEST, RHO, N_KEPT = RHO + MEMORY };

typedef struct lbfgs {
    fit_objective *o;
    int32_t n, n_pairs, newest;
    double *own;   /* [N_KEPT + 2 MEMORY n] */
    double *s, *y; /* [MEMORY][n], of own */
    double *rho;   /* [MEMORY], of own */
    double alpha[MEMORY];
    double *g, *d, *trial, *trial_g;
} lbfgs;

static double dot(const double *a, const double *b, int32_t n)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

static bool held(const fit_objective *o, const double *u, const double *g, int32_t i)
{
    return (u[i] <= o->lower[i] && g[i] > 0.0) || (u[i] >= o->upper[i] && g[i] < 0.0);
}

/* The two-loop recursion on the free variables; held ones do not move. */
static void direction(lbfgs *b, const double *u)
{
    const int32_t n = b->n;
    for (int32_t i = 0; i < n; ++i) b->d[i] = held(b->o, u, b->g, i) ? 0.0 : -b->g[i];
    for (int32_t k = 0; k < b->n_pairs; ++k) {
        const int32_t at = (b->newest - k + MEMORY) % MEMORY;
        b->alpha[at] = b->rho[at] * dot(&b->s[at * n], b->d, n);
        for (int32_t i = 0; i < n; ++i) b->d[i] -= b->alpha[at] * b->y[at * n + i];
    }
    if (b->n_pairs > 0) {
        const double *y = &b->y[b->newest * n];
        const double scale = 1.0 / (b->rho[b->newest] * dot(y, y, n));
        for (int32_t i = 0; i < n; ++i) b->d[i] *= scale;
    }
    for (int32_t k = b->n_pairs - 1; k >= 0; --k) {
        const int32_t at = (b->newest - k + MEMORY) % MEMORY;
        const double beta = b->rho[at] * dot(&b->y[at * n], b->d, n);
        for (int32_t i = 0; i < n; ++i) b->d[i] += (b->alpha[at] - beta) * b->s[at * n + i];
    }
    for (int32_t i = 0; i < n; ++i)
        if (held(b->o, u, b->g, i)) b->d[i] = 0.0;
    if (!(dot(b->d, b->g, n) < 0.0)) {
        b->n_pairs = 0;
        for (int32_t i = 0; i < n; ++i) b->d[i] = held(b->o, u, b->g, i) ? 0.0 : -b->g[i];
    }
}

static void remember(lbfgs *b, const double *u)
{
    const int32_t n = b->n, at = (b->newest + 1) % MEMORY;
    double *s = &b->s[at * n], *y = &b->y[at * n];
    for (int32_t i = 0; i < n; ++i) {
        s[i] = b->trial[i] - u[i];
        y[i] = b->trial_g[i] - b->g[i];
    }
    const double sy = dot(s, y, n);
    if (!(sy > 1e-12 * sqrt(dot(s, s, n) * dot(y, y, n)))) return;
    b->rho[at] = 1.0 / sy;
    b->newest = at;
    if (b->n_pairs < MEMORY) b->n_pairs++;
}

/* Halves the step until J falls enough; *better is false if it never does. */
static shoal_status search(lbfgs *b, double *u, double *j, bool *better)
{
    const fit_objective *o = b->o;
    double most = 0.0;
    for (int32_t i = 0; i < b->n; ++i) most = fmax(most, fabs(b->d[i]));
    double t = b->n_pairs > 0 ? 1.0 : 0.1 / fmax(most, 1e-300);
    t = fmin(t, LARGEST_STEP / fmax(most, 1e-300));
    *better = false;
    for (int k = 0; k < MAX_TRIALS && !*better; ++k, t *= 0.5) {
        double trial_j, promise = 0.0;
        for (int32_t i = 0; i < b->n; ++i) {
            b->trial[i] = fmin(fmax(u[i] + t * b->d[i], o->lower[i]), o->upper[i]);
            promise -= b->g[i] * (b->trial[i] - u[i]);
        }
        SHOAL_TRY(objective_value(b->o, b->trial, &trial_j, b->trial_g));
        if (!(trial_j <= *j - SUFFICIENT * promise && promise > 0.0) ||
            !isfinite(objective_projected(o, b->trial, b->trial_g)))
            continue;
        remember(b, u);
        memcpy(u, b->trial, (size_t)b->n * sizeof *u);
        memcpy(b->g, b->trial_g, (size_t)b->n * sizeof *u);
        *j = trial_j;
        *better = true;
    }
    return SHOAL_OK;
}

static shoal_status descend(lbfgs *b, double *u, fit_descent *d)
{
    const int32_t n_own = N_KEPT + 2 * MEMORY * b->n;
    b->own[FIRST] = d->steps;
    const bool goes_on = mark_resume(b->o, d, MARK_LBFGS, u, b->own, n_own);
    const int32_t evaluations = b->o->evaluations;
    SHOAL_TRY(objective_value(b->o, u, &d->j, b->g));
    if (goes_on) b->o->evaluations = evaluations; /* J was known there */
    b->n_pairs = (int32_t)b->own[PAIRS];
    b->newest = (int32_t)b->own[NEWEST];
    for (;; ++d->steps) {
        bool better;
        b->own[PAIRS] = b->n_pairs;
        b->own[NEWEST] = b->newest;
        SHOAL_TRY(mark_keep(b->o, d, MARK_LBFGS, u, b->own, n_own));
        const double slope = objective_projected(b->o, u, b->g), before = d->j;
        SHOAL_TRY(descent_note(b->o, u, d->j, slope, d));
        d->converged = slope <= SLOPE_TOLERANCE * d->j || b->own[CALM] >= CALM_STEPS;
        if (d->converged || d->stopped || d->steps - (int32_t)b->own[FIRST] >= d->max_steps)
            return SHOAL_OK;
        direction(b, u);
        SHOAL_TRY(search(b, u, &d->j, &better));
        b->own[CALM] = before - d->j <= CHANGE_TOLERANCE * before ? b->own[CALM] + 1.0 : 0.0;
        if (better) continue;
        if (b->n_pairs == 0) { /* not even along the slope */
            d->converged = true;
            return SHOAL_OK;
        }
        b->n_pairs = 0;
    }
}

shoal_status minimise_lbfgs(fit_objective *o, double *u, fit_descent *d)
{
    const size_t n = (size_t)o->n;
    lbfgs b = {.o = o, .n = o->n};
    b.own = shoal_alloc(N_KEPT + 2 * MEMORY * n, sizeof *b.own);
    b.g = shoal_alloc(n, sizeof *b.g);
    b.d = shoal_alloc(n, sizeof *b.d);
    b.trial = shoal_alloc(n, sizeof *b.trial);
    b.trial_g = shoal_alloc(n, sizeof *b.trial_g);
    shoal_status status = SHOAL_E_MEMORY;
    if (b.own && b.g && b.d && b.trial && b.trial_g) {
        b.rho = b.own + RHO;
        b.s = b.own + N_KEPT;
        b.y = b.s + MEMORY * n;
        status = descend(&b, u, d);
    }
    free(b.own);
    free(b.g);
    free(b.d);
    free(b.trial);
    free(b.trial_g);
    return status;
}
