/* SPDX-License-Identifier: BSD-3-Clause
 * 'shoal bench --what engine'. */
#include "bench_engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char *const phase_names[N_PHASES] = {"create", "first_eval", "eval",   "first_relax",
                                                  "relax",  "read",       "destroy"};

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

/* Seconds since this process began, to 0.01 s; 0 where Linux does not tell. */
static double process_age(void)
{
    unsigned long long start = 0;
    FILE *file = fopen("/proc/self/stat", "r");
    if (!file) return 0;
    /* The second field is a name in parentheses, the 22nd the start in ticks after that of the machine. */
    const int n = fscanf(file,
                         "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u "
                         "%*d %*d %*d %*d %*d %*d %llu",
                         &start);
    (void)fclose(file);
    const double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
    return n == 1 ? seconds_of(CLOCK_BOOTTIME) - (double)start * tick : 0;
}

static shoal_status run_phase(bench_phase phase, shoal_engine **engine, const shoal_batch *batch,
                              const shoal_engine_options *options, int steps)
{
    const shoal_relax_options relax = {.fmax = 1e-12, .max_steps = steps};
    shoal_engine_results_view view;
    switch (phase) {
    case PHASE_CREATE: return shoal_engine_create(engine, batch, options);
    case PHASE_FIRST_EVAL:
    case PHASE_EVAL: return shoal_engine_eval(*engine);
    case PHASE_FIRST_RELAX:
    case PHASE_RELAX: return shoal_engine_relax(*engine, &relax, NULL, NULL);
    case PHASE_READ: return shoal_engine_view(*engine, &view);
    default: break;
    }
    shoal_engine_destroy(*engine);
    *engine = NULL;
    return SHOAL_OK;
}

/* One engine from its beginning to its end. */
static shoal_status live(const shoal_batch *batch, const shoal_engine_options *options, int steps,
                         double times[N_PHASES], double *first_result)
{
    shoal_engine *engine = NULL;
    shoal_status status = SHOAL_OK;
    for (int phase = 0; phase < N_PHASES && status == SHOAL_OK; ++phase) {
        const double begin = now();
        status = run_phase((bench_phase)phase, &engine, batch, options, steps);
        times[phase] = now() - begin;
        if (phase == PHASE_FIRST_EVAL && first_result) *first_result = process_age();
    }
    shoal_engine_destroy(engine);
    return status;
}

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static shoal_status live_again(const shoal_batch *batch, const shoal_engine_options *options,
                               int steps, int repeats, double medians[N_PHASES])
{
    const size_t n = (size_t)repeats;
    double *all = calloc(n * N_PHASES, sizeof *all); /* phase by phase */
    shoal_status status = all ? SHOAL_OK : SHOAL_E_MEMORY;
    for (size_t k = 0; k < n && status == SHOAL_OK; ++k) {
        double times[N_PHASES];
        status = live(batch, options, steps, times, NULL);
        for (size_t phase = 0; phase < N_PHASES; ++phase) all[phase * n + k] = times[phase];
    }
    for (size_t phase = 0; phase < N_PHASES && status == SHOAL_OK; ++phase) {
        double *row = all + phase * n;
        qsort(row, n, sizeof *row, compare_times);
        medians[phase] = 0.5 * (row[(n - 1) / 2] + row[n / 2]);
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
    const double begin = now();
    if (status == SHOAL_OK) status = shoal_engine_plan(nothing, options, &plan);
    *seconds = now() - begin;
    shoal_batch_destroy(nothing);
    return status;
}

shoal_status bench_engine_measure(const shoal_batch *batch, const shoal_engine_options *options,
                                  int steps, int repeats, bench_engine *out)
{
    *out = (bench_engine){0};
    shoal_status status = open_device(options, &out->open);
    if (status == SHOAL_OK) status = live(batch, options, steps, out->first, &out->first_result);
    if (status == SHOAL_OK) status = live_again(batch, options, steps, repeats, out->later);
    return status;
}

static void put_phases(json *j, const char *key, const double times[N_PHASES])
{
    json_open(j, key, '{');
    for (int k = 0; k < N_PHASES; ++k) json_number(j, phase_names[k], times[k]);
    json_close(j, '}');
}

void bench_engine_json(const bench_engine *b, json *j)
{
    json_number(j, "open", b->open);
    json_number(j, "first_result", b->first_result);
    put_phases(j, "first", b->first);
    put_phases(j, "later", b->later);
    json_number(j, "create_and_destroy", b->later[PHASE_CREATE] + b->later[PHASE_DESTROY]);
}

void bench_engine_table(const bench_engine *b, int systems)
{
    const double both = b->later[PHASE_CREATE] + b->later[PHASE_DESTROY];
    (void)printf("opening the device: %.3g ms; first energies %.3g s after the program began\n",
                 1e3 * b->open, b->first_result);
    (void)printf("%-12s %12s %12s\n", "ms", "first", "later");
    for (int k = 0; k < N_PHASES; ++k)
        (void)printf("%-12s %12.3f %12.3f\n", phase_names[k], 1e3 * b->first[k], 1e3 * b->later[k]);
    (void)printf("create and destroy later: %.3g ms, %.3g us per system\n", 1e3 * both,
                 1e6 * both / systems);
}
