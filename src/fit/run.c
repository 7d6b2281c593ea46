/* SPDX-License-Identifier: BSD-3-Clause
 * Running a fit: stages, several starts, the trajectory. */
#ifdef _OPENMP
#include <omp.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/random.h"
#include "fit/book.h"
#include "fit/formula_model.h"
#include "fit/split.h"

/* Residuals beyond this many times the spread of the references call for a clamped stage first. */
#define HUGE_RESIDUAL 2.0

#define LBFGS_STEPS 40 /* of L-BFGS for one of Levenberg-Marquardt */

double fit_random(uint64_t seed, uint64_t stream, uint64_t index)
{
    return random_fraction(random_key(random_key(random_key(0, seed), stream), index));
}

shoal_status descent_note(fit_objective *o, const double *u, double j, double slope, fit_descent *d)
{
    fit_trajectory *t = d->trajectory;
    if (!isfinite(j) || !isfinite(slope))
        return shoal_fail(SHOAL_E_ARGUMENT, "the %sobjective is not finite at step %d",
                          isfinite(j) ? "slope of the " : "", (int)d->steps);
    if (d->monitor && !d->monitor(d->user, d->steps, sqrt(2.0 * j))) d->stopped = true;
    if (d->stop && d->stop(d->user)) d->stopped = true;
    if (!t) return SHOAL_OK;
    const int32_t width = 3 + o->n;
    double *row;
    SHOAL_TRY(book_note_row(t, width, &row));
    row[0] = d->steps;
    row[1] = j;
    row[2] = slope;
    for (int32_t i = 0; i < o->n; ++i)
        row[3 + i] = fit_dof_value(&o->fit->dofs[o->fit->free_dofs[i]], u[i]);
    return SHOAL_OK;
}

shoal_status fit_descend(fit_objective *o, shoal_fit_method method, double *u, fit_descent *d)
{
    switch (method) {
    case SHOAL_FIT_LBFGS: return minimise_lbfgs(o, u, d);
    case SHOAL_FIT_FIRE: return minimise_fire(o, u, d);
    case SHOAL_FIT_LM: break;
    }
    const bool handed = d->mark && d->mark->resumes && d->mark->method == MARK_LBFGS;
    if (!handed) SHOAL_TRY(minimise_levenberg(o, u, d));
    if (!handed && !d->stalled) return SHOAL_OK;
    /* Many DOFs that the data hardly determine: its steps cost a matrix each and lead nowhere, where
     * those of L-BFGS cost a slope. */
    fit_descent rest = *d;
    rest.max_steps = d->max_steps * LBFGS_STEPS;
    rest.handed_over = d->steps;
    const shoal_status status = minimise_lbfgs(o, u, &rest);
    rest.max_steps = d->max_steps;
    *d = rest;
    return status;
}

/* Root mean square of the references that count. */
static double spread(const fit_objective *o)
{
    double sum = 0.0;
    for (int32_t i = 0; i < o->fit->problem.n_samples; ++i)
        sum += o->weight[i] * o->target.reference[i] * o->target.reference[i];
    return sqrt(sum);
}

/* Steep walls would drive the first steps into a corner: residuals are clamped until they are of
 * the size of the references. */
static shoal_status approach(fit_objective *o, shoal_fit_method method, double *u, fit_descent *d)
{
    double rmse;
    const fit_target target = o->target;
    const double scale = spread(o);
    SHOAL_TRY(objective_rmse(o, u, &rmse, NULL));
    if (rmse <= HUGE_RESIDUAL * scale || target.clamp_from < target.clamp_to) return SHOAL_OK;
    o->target.clamp_from = scale;
    o->target.clamp_to = 2.0 * scale;
    /* It need not end in a minimum: a stall is the end of it. */
    const shoal_status status =
        method == SHOAL_FIT_LM ? minimise_levenberg(o, u, d) : fit_descend(o, method, u, d);
    o->target = target;
    return status;
}

enum { APPROACH = 0, FREE, POOLED }; /* stages */

/* Without the pool. What data without a prior hardly determine need not be found before the prior comes: a stall is the end. */
static shoal_status minimise_free(fit_objective *o, shoal_fit_method method, bool pooled, double *u,
                                  fit_descent *d)
{
    mark_set_stage(d, FREE);
    return pooled && method == SHOAL_FIT_LM ? minimise_levenberg(o, u, d)
                                            : fit_descend(o, method, u, d);
}

shoal_status fit_minimise(fit_objective *o, shoal_fit_method method, double *u, fit_descent *d)
{
    double rmse;
    const double factor = o->fit->options.pool == 0.0 ? 1.0 : o->fit->options.pool;
    const bool pooled = factor >= 0.0 && o->fit->n_groups > 0 && d->max_steps > 0;
    const int32_t stage = mark_stage(d);
    mark_set_stage(d, stage);
    o->pool = 0.0;
    if (stage <= APPROACH && d->max_steps > 0) SHOAL_TRY(approach(o, method, u, d));
    if (d->stopped) { /* with residuals that are not bent */
        SHOAL_TRY(objective_rmse(o, u, &rmse, NULL));
        d->j = 0.5 * rmse * rmse;
        d->converged = false;
        return SHOAL_OK;
    }
    if (stage <= FREE) SHOAL_TRY(minimise_free(o, method, pooled, u, d));
    if (d->stopped) d->converged = false; /* there may have been another stage */
    if (d->stopped || !pooled) return SHOAL_OK;
    if (stage < POOLED) SHOAL_TRY(objective_rmse(o, u, &rmse, NULL));
    o->pool = stage < POOLED ? factor * rmse * rmse / o->n_dimers : d->mark->pool;
    mark_set_stage(d, POOLED);
    return fit_descend(o, method, u, d);
}

static bool has_peers(const shoal_fit *fit)
{
    return fit->options.peers && fit->options.peers->size > 1;
}

/* A rank that cannot ask stops: its next evaluation says why. */
static bool stop_together(void *user)
{
    const fit_asking *a = user;
    bool stops = a->stop && a->fit->options.peers->rank == 0 && a->stop(a->user);
    return fit_split_agree(a->fit->evaluator, &stops) != SHOAL_OK || stops;
}

static bool monitor_together(void *user, int32_t step, double rmse)
{
    const fit_asking *a = user;
    bool stops = a->monitor && a->fit->options.peers->rank == 0 && !a->monitor(a->user, step, rmse);
    return fit_split_agree(a->fit->evaluator, &stops) == SHOAL_OK && !stops;
}

void fit_ask_together(shoal_fit *fit, shoal_fit_run_options *options, fit_asking *asking)
{
    *asking = (fit_asking){fit, options->stop, options->monitor, options->user};
    if (!has_peers(fit)) return;
    options->stop = stop_together;
    options->monitor = monitor_together;
    options->user = asking;
}

int32_t fit_max_steps(const shoal_fit_run_options *options)
{
    if (options->max_steps < 0) return 0;
    if (options->max_steps > 0) return options->max_steps;
    return options->method == SHOAL_FIT_LM ? 500 : 20000;
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Start number k: 0 is that of the DOFs, others lie between walls and bounds. */
static void set_start(const fit_objective *o, uint64_t seed, int32_t k, double *u)
{
    for (int32_t i = 0; i < o->n; ++i) {
        const fit_dof *dof = &o->fit->dofs[o->fit->free_dofs[i]];
        u[i] = fit_dof_scaled(dof, o->fit->value[o->fit->free_dofs[i]]);
        if (k == 0) continue;
        const double low = fmax(dof->min, dof->walls ? dof->xlo : dof->min);
        const double high = fmin(dof->max, dof->walls ? dof->xhi : dof->max);
        const double a = fit_dof_scaled(dof, low), b = fit_dof_scaled(dof, high);
        u[i] = a + (b - a) * fit_random(seed, (uint64_t)k, (uint64_t)i);
    }
}

typedef struct start_run {
    double *u;
    fit_descent descent;
    int32_t evaluations;
    double pool;
    shoal_status status;
} start_run;

static void run_start(shoal_fit *fit, const shoal_fit_run_options *options, int32_t k, bool clone,
                      start_run *run)
{
    fit_objective *o = NULL;
    if (k > 0 && options->stop && options->stop(options->user)) {
        run->descent.stopped = true;
        run->status = SHOAL_E_ARGUMENT; /* not begun: nothing to collect */
        return;
    }
    run->status = objective_create(&o, fit, clone);
    run->descent.max_steps = options->max_steps;
    run->descent.stop = options->stop;
    run->descent.user = options->user;
    if (k == 0) {
        fit->trajectory.n = 0;
        run->descent.trajectory = &fit->trajectory;
        run->descent.monitor = options->monitor;
    }
    if (run->status == SHOAL_OK) {
        set_start(o, options->seed, k, run->u);
        run->status = fit_book_descend(o, options->method, true, k, 0, run->u, &run->descent);
        run->evaluations = o->evaluations;
        run->pool = o->pool;
    }
    objective_destroy(o);
}

/* Starts are independent of each other; threads share them out. */
static void run_starts(shoal_fit *fit, const shoal_fit_run_options *options, start_run *runs)
{
    const int32_t n = options->n_starts;
    if (n == 1 || !fit->evaluator->clone) {
        for (int32_t k = 0; k < n; ++k) run_start(fit, options, k, false, &runs[k]);
        return;
    }
#ifdef _OPENMP
    const int32_t together = fit->evaluator->n_together < n ? fit->evaluator->n_together : n;
    const int n_threads =
        (int)(together > fit->problem.n_threads ? together : fit->problem.n_threads);
#pragma omp parallel for schedule(dynamic, 1) num_threads(n_threads)
#endif
    for (int32_t k = 0; k < n; ++k) run_start(fit, options, k, true, &runs[k]);
}

/* What went to its end is better than what was stopped, whose objective may lack a stage. */
static bool is_better(const start_run *a, const start_run *b)
{
    if (a->descent.stopped != b->descent.stopped) return b->descent.stopped;
    return a->descent.j < b->descent.j;
}

static shoal_status collect(shoal_fit *fit, const start_run *runs, int32_t n,
                            shoal_fit_result *result)
{
    fit_objective *o;
    int32_t best = -1;
    for (int32_t k = 0; k < n; ++k) {
        result->evaluations += runs[k].evaluations;
        result->stopped = result->stopped || runs[k].descent.stopped;
        if (runs[k].status == SHOAL_OK && (best < 0 || is_better(&runs[k], &runs[best]))) best = k;
    }
    if (best < 0 && n == 1) return runs[0].status; /* its text is this thread's */
    if (best < 0)
        return shoal_fail(runs[0].status, "none of the %d starts led to a finite objective",
                          (int)n);
    for (int32_t k = 0; k < n; ++k)
        result->same_optimum +=
            runs[k].status == SHOAL_OK &&
            runs[k].descent.j <= runs[best].descent.j * (1.0 + FIT_SAME_OPTIMUM);
    for (int32_t i = 0; i < fit->problem.n_free; ++i) {
        const fit_dof *dof = &fit->dofs[fit->free_dofs[i]];
        fit->value[fit->free_dofs[i]] =
            fmin(fmax(fit_dof_value(dof, runs[best].u[i]), dof->min), dof->max);
    }
    fit->pool = runs[best].pool;
    result->best_start = best;
    result->j = runs[best].descent.j;
    result->steps = runs[best].descent.steps;
    result->converged = runs[best].descent.converged;
    result->handed_over = runs[best].descent.handed_over;
    result->stalled = runs[best].descent.stalled && !result->converged;
    SHOAL_TRY(objective_create(&o, fit, false));
    const shoal_status status = objective_rmse(o, runs[best].u, &result->rmse, NULL);
    objective_destroy(o);
    return status;
}

static shoal_status start_rmse(shoal_fit *fit, double *u, double *rmse)
{
    fit_objective *o;
    SHOAL_TRY(objective_create(&o, fit, false));
    set_start(o, 0, 0, u);
    const shoal_status status = objective_rmse(o, u, rmse, NULL);
    objective_destroy(o);
    return status;
}

/* Equal energies tell nothing about parameters: a column that was not filled in, for instance. */
static shoal_status refuse_equal(const shoal_fit *fit)
{
    const fit_problem *problem = &fit->problem;
    int32_t first = -1, n = 0;
    for (int32_t i = 0; i < problem->n_samples; ++i) {
        if (!(fit->weight[i] > 0.0)) continue;
        if (first < 0) first = i;
        if (fit->reference[i] != fit->reference[first]) return SHOAL_OK;
        ++n;
    }
    if (n < 2) return SHOAL_OK;
    return shoal_fail(SHOAL_E_FORMAT,
                      "%s: all %d reference energies are %g eV: expected those of the samples",
                      problem->data->sets[0].label, (int)n, fit->reference[first]);
}

/* Where the parameters went to, a formula may have got poles among the data that it had not at the start. */
static shoal_status check_end(shoal_fit *fit)
{
    if (!fit_formula_of(&fit->problem.model)) return SHOAL_OK;
    double *p = shoal_alloc((size_t)fit->problem.n_slots, sizeof *p);
    if (!p) return SHOAL_E_MEMORY;
    fit_slots(fit, fit->value, p);
    const shoal_status status = fit_formula_check(&fit->problem, p, true);
    free(p);
    return status;
}

shoal_status shoal_fit_run(shoal_fit *fit, const shoal_fit_run_options *options,
                           shoal_fit_result *result)
{
    shoal_clear_error();
    SHOAL_NEED(fit && result);
    shoal_fit_run_options o = options ? *options : (shoal_fit_run_options){0};
    if (o.n_starts <= 0) o.n_starts = 1;
    o.max_steps = fit_max_steps(&o);
    if (o.max_steps > 0) SHOAL_TRY(refuse_equal(fit));
    SHOAL_TRY(fit_book_call(fit, "run", &o, 0));
    fit_asking asking;
    fit_ask_together(fit, &o, &asking);
    const double began = now();
    const size_t n = (size_t)fit->problem.n_free;
    *result = (shoal_fit_result){0};
    start_run *runs = shoal_alloc((size_t)o.n_starts, sizeof *runs);
    double *u = shoal_alloc((size_t)o.n_starts * n, sizeof *u);
    shoal_status status = runs && u ? SHOAL_OK : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) status = start_rmse(fit, u, &result->rmse_before);
    if (status == SHOAL_OK) {
        for (int32_t k = 0; k < o.n_starts; ++k) runs[k].u = &u[(size_t)k * n];
        run_starts(fit, &o, runs);
        status = collect(fit, runs, o.n_starts, result);
    }
    if (status == SHOAL_OK && o.max_steps > 0) status = check_end(fit);
    result->seconds = now() - began;
    free(runs);
    free(u);
    return status;
}
