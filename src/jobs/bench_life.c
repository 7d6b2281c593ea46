/* SPDX-License-Identifier: BSD-3-Clause
 * How long an engine takes to be made, used for the first time, read and destroyed: the first of a process, and
 * those after it. */
#include "jobs/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

static const char *const phase_names[SHOAL_N_PHASES] = {
    "create", "first_eval", "eval", "first_relax", "relax", "read", "destroy"};

const char *shoal_bench_phase_name(int phase)
{
    return phase >= 0 && phase < SHOAL_N_PHASES ? phase_names[phase] : NULL;
}

/* Seconds since this process began, to 0.01 s; 0 where Linux does not tell. */
static double process_age(void)
{
    unsigned long long start = 0;
    struct timespec booted;
    FILE *file = fopen("/proc/self/stat", "r");
    if (!file) return 0;
    /* The second field is a name in parentheses, the 22nd the start in ticks after that of the machine. */
    const int n = fscanf(file,
                         "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u "
                         "%*d %*d %*d %*d %*d %*d %llu",
                         &start);
    (void)fclose(file);
    const double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
    (void)clock_gettime(CLOCK_BOOTTIME, &booted);
    const double up = (double)booted.tv_sec + 1e-9 * (double)booted.tv_nsec;
    return n == 1 ? up - (double)start * tick : 0;
}

static shoal_status run_phase(shoal_bench_phase phase, shoal_engine **engine,
                              const shoal_batch *batch, const shoal_engine_options *options,
                              int steps)
{
    const shoal_relax_options relax = {.fmax = 1e-12, .max_steps = steps};
    shoal_engine_results_view view;
    switch (phase) {
    case SHOAL_PHASE_CREATE: return shoal_engine_create(engine, batch, options);
    case SHOAL_PHASE_FIRST_EVAL:
    case SHOAL_PHASE_EVAL: return shoal_engine_eval(*engine);
    case SHOAL_PHASE_FIRST_RELAX:
    case SHOAL_PHASE_RELAX: return shoal_engine_relax(*engine, &relax, NULL, NULL);
    case SHOAL_PHASE_READ: return shoal_engine_view(*engine, &view);
    default: break;
    }
    shoal_engine_destroy(*engine);
    *engine = NULL;
    return SHOAL_OK;
}

/* One engine from its beginning to its end. */
static shoal_status live(const shoal_batch *batch, const shoal_engine_options *options, int steps,
                         double times[SHOAL_N_PHASES], double *first_result)
{
    shoal_engine *engine = NULL;
    shoal_status status = SHOAL_OK;
    for (int phase = 0; phase < SHOAL_N_PHASES && status == SHOAL_OK; ++phase) {
        const double begin = bench_now();
        status = run_phase((shoal_bench_phase)phase, &engine, batch, options, steps);
        times[phase] = bench_now() - begin;
        if (phase == SHOAL_PHASE_FIRST_EVAL && first_result) *first_result = process_age();
    }
    shoal_engine_destroy(engine);
    return status;
}

static shoal_status live_again(const shoal_batch *batch, const shoal_engine_options *options,
                               int steps, int repeats, double medians[SHOAL_N_PHASES])
{
    const size_t n = (size_t)repeats;
    double *all = shoal_alloc(n * SHOAL_N_PHASES, sizeof *all); /* phase by phase */
    shoal_status status = all ? SHOAL_OK : SHOAL_E_MEMORY;
    for (size_t k = 0; k < n && status == SHOAL_OK; ++k) {
        double times[SHOAL_N_PHASES];
        status = live(batch, options, steps, times, NULL);
        for (size_t phase = 0; phase < SHOAL_N_PHASES; ++phase) all[phase * n + k] = times[phase];
    }
    for (size_t phase = 0; phase < SHOAL_N_PHASES && status == SHOAL_OK; ++phase) {
        medians[phase] = bench_sort(all + phase * n, repeats);
    }
    free(all);
    return status;
}

/* Opens the device by a plan for no systems. */
static shoal_status open_device(const shoal_engine_options *options, double *seconds)
{
    shoal_batch *nothing = NULL;
    shoal_plan plan;
    shoal_status status = shoal_batch_create(&nothing);
    const double begin = bench_now();
    if (status == SHOAL_OK) status = shoal_engine_plan(nothing, options, &plan);
    *seconds = bench_now() - begin;
    shoal_batch_destroy(nothing);
    return status;
}

shoal_status bench_live(shoal_bench *bench, int32_t repeats)
{
    const shoal_engine_options *options = bench->options.engine;
    const int steps = bench->counts.steps;
    shoal_bench_life *out = &bench->life;
    shoal_batch *batch = NULL;
    *out = (shoal_bench_life){0};
    shoal_status status = bench_batch(bench, bench->counts.systems, &batch);
    if (status == SHOAL_OK) status = open_device(options, &out->open);
    if (status == SHOAL_OK) status = live(batch, options, steps, out->first, &out->first_result);
    if (status == SHOAL_OK) status = live_again(batch, options, steps, repeats, out->later);
    shoal_batch_destroy(batch);
    return status;
}
