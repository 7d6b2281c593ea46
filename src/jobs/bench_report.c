/* SPDX-License-Identifier: BSD-3-Clause
 * Repeats of benches, and what is reported of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/kernel_choices.h"
#include "jobs/bench.h"
#include "shoal/device.h"
#include "shoal/json.h"

#define put shoal_json_put

/* By shoal_bench_what. */
static const struct bench_words {
    const char *name, *unit, *rate; /* in tables, in JSON */
} words[SHOAL_N_BENCHES] = {
    {"eval", "evaluations", "evals_per_s"},     {"relax", "evaluations", "evals_per_s"},
    {"converge", "evaluations", "evals_per_s"}, {"md", "steps", "steps_per_s"},
    {"langevin", "steps", "steps_per_s"},       {"typing", "molecules", "molecules_per_s"},
    {"grid", "nodes", "nodes_per_s"},           {"engine", "engines", "engines_per_s"},
};

const char *shoal_bench_what_name(int what)
{
    return what >= 0 && what < SHOAL_N_BENCHES ? words[what].name : NULL;
}

bool shoal_bench_slab(const char *name, shoal_slab_options *out)
{
    char rest;
    if (!name || !out) return false;
    *out = (shoal_slab_options){.size = {8, 8}, .layers = 3, .charge = 0.9};
    if (strcmp(name, "nacl") == 0) return true;
    return sscanf(name, "nacl:%9dx%9dx%9d%c", &out->size[0], &out->size[1], &out->layers, &rest) ==
               3 &&
           out->size[0] > 0 && out->size[1] > 0 && out->layers > 0;
}

/* --- repeats --------------------------------------------------------------------------------- */

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_sort(double *seconds, int32_t n)
{
    qsort(seconds, (size_t)n, sizeof *seconds, compare_times);
    return 0.5 * (seconds[(n - 1) / 2] + seconds[n / 2]);
}

shoal_status shoal_bench_measure(shoal_bench *const *benches, int32_t n_benches, int32_t repeats)
{
    shoal_clear_error();
    SHOAL_NEED(benches && n_benches > 0);
    if (repeats < 1) return shoal_fail(SHOAL_E_ARGUMENT, "%d repeats, expected 1 or more", repeats);
    for (int32_t i = 0; i < n_benches; ++i) {
        SHOAL_NEED(benches[i]);
        if (benches[i]->options.what == SHOAL_BENCH_ENGINE)
            SHOAL_TRY(bench_live(benches[i], repeats));
        free(benches[i]->seconds);
        benches[i]->n_repeats = repeats;
        benches[i]->seconds = shoal_alloc((size_t)repeats, sizeof(double));
        if (!benches[i]->seconds) return SHOAL_E_MEMORY;
    }
    for (int32_t k = -1; k < repeats; ++k)
        for (int32_t i = 0; i < n_benches; ++i) {
            double warm_up, *seconds = k < 0 ? &warm_up : &benches[i]->seconds[k];
            const shoal_bench_what what = benches[i]->options.what;
            if (what == SHOAL_BENCH_ENGINE || (k < 0 && what == SHOAL_BENCH_GRID)) continue;
            SHOAL_TRY(bench_time(benches[i], seconds));
        }
    for (int32_t i = 0; i < n_benches; ++i) (void)bench_sort(benches[i]->seconds, repeats);
    return SHOAL_OK;
}

/* --- figures --------------------------------------------------------------------------------- */

/* Types are made by the processor, whatever the device. */
static const char *device_of(const shoal_bench *bench)
{
    const char *device = bench->options.engine->device;
    return bench->options.what == SHOAL_BENCH_TYPING || !device ? "cpu" : device;
}

/* What the device calls itself; "" if nobody knows. */
static void name_device(const char *device, char out[128])
{
    const shoal_engine_options options = {.device = device};
    shoal_batch *nothing = NULL;
    shoal_plan plan = {0};
    shoal_device_info processor = {0};
    if (shoal_batch_create(&nothing) == SHOAL_OK) (void)shoal_engine_plan(nothing, &options, &plan);
    if (!plan.name[0]) (void)shoal_device_get(0, &processor);
    (void)snprintf(out, 128, "%s", plan.name[0] ? plan.name : processor.name);
    shoal_batch_destroy(nothing);
}

shoal_status shoal_bench_report(const shoal_bench *bench, shoal_bench_figures *out)
{
    shoal_clear_error();
    SHOAL_NEED(bench && out);
    const shoal_bench_what what = bench->options.what;
    const shoal_bench_counts *n = &bench->counts;
    const int32_t last = bench->n_repeats - 1;
    if (last < 0) return shoal_fail(SHOAL_E_ARGUMENT, "nothing was measured yet");
    *out = (shoal_bench_figures){
        .unit = words[what].unit,
        .on_engine = what < SHOAL_BENCH_TYPING || what == SHOAL_BENCH_ENGINE,
        .fell_short =
            what == SHOAL_BENCH_RELAX && n->evaluations < (int64_t)n->systems * n->steps * 99 / 100,
        .life = bench->life};
    out->median = 0.5 * (bench->seconds[last / 2] + bench->seconds[(last + 1) / 2]);
    out->spread = (bench->seconds[last] - bench->seconds[0]) / out->median;
    out->rate = (double)n->evaluations / out->median;
    name_device(device_of(bench), out->device);
    return SHOAL_OK;
}

/* --- as JSON --------------------------------------------------------------------------------- */

static void put_phases(shoal_json *j, const char *key, const double times[SHOAL_N_PHASES])
{
    shoal_json_open(j, key, '{');
    for (int k = 0; k < SHOAL_N_PHASES; ++k)
        shoal_json_number(j, shoal_bench_phase_name(k), times[k]);
    shoal_json_close(j, '}');
}

static void put_life(shoal_json *j, const shoal_bench_life *b)
{
    put(j, "open", b->open, "first_result", b->first_result);
    put_phases(j, "first", b->first);
    put_phases(j, "later", b->later);
    put(j, "create_and_destroy", b->later[SHOAL_PHASE_CREATE] + b->later[SHOAL_PHASE_DESTROY]);
}

static void put_speed(shoal_json *j, const shoal_bench *bench, const shoal_bench_figures *f)
{
    const shoal_bench_what what = bench->options.what;
    const shoal_bench_counts *n = &bench->counts;
    if (what == SHOAL_BENCH_ENGINE)
        put_life(j, &bench->life);
    else
        put(j, words[what].rate, f->rate, "seconds", f->median);
    put(j, "what", words[what].name);
    if (what <= SHOAL_BENCH_CONVERGE)
        put(j, "method", bench->options.method == SHOAL_METHOD_FIRE ? "fire" : "lbfgs");
    if (what == SHOAL_BENCH_CONVERGE)
        put(j, "systems_per_s", n->systems / f->median, "mean_steps",
            (double)n->evaluations / n->systems, "converged", n->converged);
    if (what != SHOAL_BENCH_ENGINE) put(j, "spread", f->spread);
}

shoal_status shoal_bench_json(shoal_json *j, const shoal_bench *bench, const shoal_bench *against,
                              const char *const forcefields[2], const char *surface)
{
    shoal_bench_figures f, other;
    shoal_clear_error();
    SHOAL_NEED(j && bench);
    const shoal_engine_options *engine = bench->options.engine;
    const char *device = device_of(bench);
    char backend[32], kernels[512];
    kernel_choices_text(device, kernels, sizeof kernels);
    SHOAL_TRY(shoal_bench_report(bench, &f));
    if (against) SHOAL_TRY(shoal_bench_report(against, &other));
    (void)snprintf(backend, sizeof backend, "%.*s", (int)strcspn(device, ":"), device);
    if (bench->options.what == SHOAL_BENCH_GRID)
        put(j, "nodes", bench->counts.evaluations);
    else
        put(j, "case", bench->name, "natoms", bench->counts.n_atoms, "systems",
            bench->counts.systems, "steps", bench->counts.steps);
    if (forcefields) put(j, "forcefield", forcefields[0]);
    put(j, "backend", backend, "device", f.device, "device_string", device, "precision",
        shoal_precision_name((int)engine->precision));
    if (kernels[0]) put(j, "kernels", kernels);
    if (surface) put(j, "surface", surface);
    if (surface && f.on_engine) put(j, "grid", engine->grid ? "yes" : "no");
    put_speed(j, bench, &f);
    put(j, "repeats", bench->n_repeats, "threads", bench->options.n_threads);
    if (f.on_engine) put(j, "checked", bench->verdict);
    if (!against) return SHOAL_OK;
    shoal_json_open(j, "against", '{');
    put(j, "forcefield", forcefields ? forcefields[1] : "", "seconds", other.median, "spread",
        other.spread, "checked", against->verdict, "times_as_fast", other.median / f.median);
    shoal_json_close(j, '}');
    return SHOAL_OK;
}
