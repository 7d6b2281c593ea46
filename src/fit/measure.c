/* SPDX-License-Identifier: BSD-3-Clause
 * The speed of evaluators: many sets of parameters, checked before they are timed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "fit/fit_opencl.h"
#include "fit/objective.h"

enum { MIN_REPEATS = 5, MAX_REPEATS = 50, N_CHECKED = 3 };
static const double least_seconds = 1.0;

typedef struct measurement {
    const shoal_fit *fit;
    fit_evaluator *ev, *check;
    bool on_device;
    int32_t n_sets;
    double *p, *slopes, *j; /* [n_sets][n_slots], [n_sets] */
    double *energy, *rows;  /* of one set */
} measurement;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* J and its slope from energies and rows. */
static shoal_status slope_by_rows(measurement *m, fit_evaluator *ev, const double *p,
                                  const fit_target *t, double *j, double *slope)
{
    const fit_problem *problem = &m->fit->problem;
    SHOAL_TRY(ev->rows(ev, p, m->energy, m->rows));
    memset(slope, 0, (size_t)problem->n_slots * sizeof *slope);
    *j = 0.0;
    for (int32_t s = 0; s < problem->n_samples; ++s) {
        double rate;
        const double c = fit_residual(t, m->energy[s] - t->reference[s], &rate);
        const fit_block *block = &problem->blocks[problem->block_of[s]];
        const double *row = m->rows + problem->row_start[s];
        *j += 0.5 * t->weight[s] * c * c;
        for (int32_t k = 0; k < block->n_columns; ++k)
            slope[problem->column_slot[block->columns[k]]] += t->weight[s] * c * rate * row[k];
    }
    return SHOAL_OK;
}

static fit_target target_of(const shoal_fit *fit)
{
    return (fit_target){fit->reference, fit->weight, fit->options.clamp_from,
                        fit->options.clamp_to};
}

static shoal_status run_sets(measurement *m)
{
    const fit_target target = target_of(m->fit);
    const size_t n = (size_t)m->fit->problem.n_slots;
    if (m->on_device) return fit_opencl_slopes(m->ev, m->n_sets, m->p, &target, m->j, m->slopes);
    for (size_t k = 0; k < (size_t)m->n_sets; ++k) {
        double *slope = m->slopes + k * n;
        if (m->ev->slope)
            SHOAL_TRY(m->ev->slope(m->ev, m->p + k * n, &target, &m->j[k], slope));
        else
            SHOAL_TRY(slope_by_rows(m, m->ev, m->p + k * n, &target, &m->j[k], slope));
    }
    return SHOAL_OK;
}

/* The first, the middle and the last set against the pair loop. */
static shoal_status check_sets(measurement *m, double *error)
{
    const fit_problem *problem = &m->fit->problem;
    const fit_target target = target_of(m->fit);
    const size_t n = (size_t)problem->n_slots;
    double *slope = shoal_alloc(n, sizeof *slope), j;
    if (!slope) return SHOAL_E_MEMORY;
    shoal_status status = SHOAL_OK;
    *error = 0.0;
    for (size_t k = 0; k < N_CHECKED && status == SHOAL_OK; ++k) {
        const size_t set = k * (size_t)(m->n_sets - 1) / (N_CHECKED - 1);
        double size = 0.0, worst = 0.0;
        status = slope_by_rows(m, m->check, m->p + set * n, &target, &j, slope);
        for (int32_t c = 0; c < problem->n_free; ++c) {
            const size_t slot = (size_t)problem->column_slot[c];
            size = fmax(size, fabs(slope[slot]));
            worst = fmax(worst, fabs(slope[slot] - m->slopes[set * n + slot]));
        }
        *error = fmax(*error, worst / fmax(size, 1e-300));
    }
    free(slope);
    return status;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static shoal_status time_sets(measurement *m, shoal_fit_speed *speed)
{
    double times[MAX_REPEATS], total = 0.0;
    int32_t n = 0;
    SHOAL_TRY(run_sets(m)); /* the first run builds and warms up */
    SHOAL_TRY(check_sets(m, &speed->error));
    if (!(speed->error <= 1e-3))
        return shoal_fail(SHOAL_E_DEVICE,
                          "%s: the slope of J is wrong by %.2g of its largest component",
                          speed->device, speed->error);
    while (n < MIN_REPEATS || (n < MAX_REPEATS && total < least_seconds)) {
        const double start = now();
        SHOAL_TRY(run_sets(m));
        times[n] = now() - start;
        total += times[n++];
    }
    qsort(times, (size_t)n, sizeof *times, by_value);
    speed->n_repeats = n;
    speed->seconds = times[n / 2];
    speed->spread = (times[n - 1] - times[0]) / speed->seconds;
    speed->pairs_per_s = (double)speed->n_pairs * m->n_sets / speed->seconds;
    return SHOAL_OK;
}

static shoal_status prepare(measurement *m, const char *evaluator, bool single,
                            shoal_fit_speed *speed)
{
    const fit_problem *problem = &m->fit->problem;
    const size_t n = (size_t)problem->n_slots, n_sets = (size_t)m->n_sets;
    const char *why;
    m->p = shoal_alloc(n_sets * n, sizeof *m->p);
    m->slopes = shoal_alloc(n_sets * n, sizeof *m->slopes);
    m->j = shoal_alloc(n_sets, sizeof *m->j);
    m->energy = shoal_alloc((size_t)problem->n_samples, sizeof *m->energy);
    m->rows = shoal_alloc((size_t)problem->row_start[problem->n_samples], sizeof *m->rows);
    if (!m->p || !m->slopes || !m->j || !m->energy || !m->rows) return SHOAL_E_MEMORY;
    for (size_t k = 0; k < n_sets; ++k) { /* no two sets are the same */
        fit_slots(m->fit, m->fit->value, m->p + k * n);
        for (int32_t c = 0; c < problem->n_free; ++c)
            m->p[k * n + (size_t)problem->column_slot[c]] *= 1.0 + 1e-3 * (double)k / m->n_sets;
    }
    SHOAL_TRY(fit_pairs_create(&m->check, problem));
    (void)snprintf(speed->device, sizeof speed->device, "cpu");
    if (strcmp(evaluator, "pairs") == 0) return fit_pairs_create(&m->ev, problem);
    if (strcmp(evaluator, "moments") == 0) {
        if (!fit_moments_possible(problem, &why))
            return shoal_fail(SHOAL_E_ARGUMENT, "evaluator 'moments': %s", why);
        return fit_moments_create(&m->ev, problem);
    }
    if (strcmp(evaluator, "opencl") != 0 && strncmp(evaluator, "opencl:", 7) != 0)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "evaluator '%s': expected moments, pairs or opencl[:WHICH]", evaluator);
    SHOAL_TRY(fit_opencl_create(&m->ev, problem, evaluator[6] ? evaluator + 7 : "", !single));
    m->on_device = true;
    (void)snprintf(speed->device, sizeof speed->device, "%s", fit_opencl_device_name(m->ev));
    return SHOAL_OK;
}

shoal_status shoal_fit_measure(const shoal_fit *fit, const char *evaluator, bool single,
                               int32_t n_sets, shoal_fit_speed *speed)
{
    shoal_clear_error();
    SHOAL_NEED(fit && evaluator && speed);
    measurement m = {.fit = fit, .n_sets = n_sets};
    *speed = (shoal_fit_speed){.n_sets = n_sets, .n_samples = fit->problem.n_samples, .n_pairs = 0};
    if (n_sets < 1 || n_sets > 1000000)
        return shoal_fail(SHOAL_E_ARGUMENT, "%d sets of parameters: expected 1 to 1000000",
                          (int)n_sets);
    for (int32_t s = 0; s < fit->problem.n_samples; ++s) {
        const fit_sample *x = &fit->problem.data->samples[fit->problem.source[s]];
        speed->n_pairs += (int64_t)x->n_first * (x->n_atoms - x->n_first);
    }
    shoal_status status = prepare(&m, evaluator, single, speed);
    if (status == SHOAL_OK) status = time_sets(&m, speed);
    if (m.ev) m.ev->destroy(m.ev);
    if (m.check) m.check->destroy(m.check);
    free(m.p);
    free(m.slopes);
    free(m.j);
    free(m.energy);
    free(m.rows);
    return status;
}
