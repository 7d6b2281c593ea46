/* SPDX-License-Identifier: BSD-3-Clause
 * Built-in systems, timed after a check that they are right. */
#include "jobs/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "jobs/check.h"
#include "shoal/md.h"
#include "shoal/placement.h"

#define HEIGHT 3.0 /* angstrom above a surface */
enum { N_CHECKED = 4 /* systems that are compared with ref */ };

double bench_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- systems --------------------------------------------------------------------------------- */

shoal_status bench_batch(const shoal_bench *bench, int32_t n, shoal_batch **out)
{
    shoal_surface_view v = {0};
    if (bench->options.engine->surface) shoal_surface_get(bench->options.engine->surface, &v);
    return bench_case_batch(&bench->set, (uint64_t)bench->options.seed, n,
                            (const double(*)[2])v.cell, out);
}

static int32_t atoms_of(const shoal_bench *bench, int32_t i_system)
{
    return shoal_molecule_n_atoms(bench->set.molecules[i_system % bench->set.n]);
}

/* A table may lack types. */
static shoal_status check_types(const bench_set *set, const char *name)
{
    for (int32_t k = 0; k < set->n; ++k)
        if (shoal_topology_status(set->topologies[k]) != SHOAL_SYSTEM_OK)
            return shoal_fail(SHOAL_E_UNSUPPORTED, "%s: %s", name,
                              shoal_topology_reason(set->topologies[k]));
    return SHOAL_OK;
}

static shoal_status prepare(shoal_bench *bench, const bench_case *c)
{
    const shoal_bench_options *o = &bench->options;
    const shoal_placement placement = {.height = o->height > 0 ? o->height : HEIGHT};
    const bool few = o->what == SHOAL_BENCH_EVAL;
    SHOAL_TRY(bench_case_load(c, &bench->set));
    SHOAL_TRY(bench_set_type(&bench->set, o->typing));
    for (int32_t k = 0; k < bench->set.n && o->surface; ++k)
        SHOAL_TRY(shoal_placement_apply(&placement, o->surface, bench->set.molecules[k]));
    bench->counts.n_atoms = bench->set.most_atoms;
    bench->counts.systems = o->systems > 0 ? o->systems : c->systems;
    bench->counts.steps = o->steps > 0                    ? o->steps
                          : few                           ? 10
                          : o->what == SHOAL_BENCH_ENGINE ? 20
                                                          : 200;
    if (o->what == SHOAL_BENCH_CONVERGE) bench->counts.steps = 0;
    return check_types(&bench->set, c->name);
}

shoal_status shoal_bench_create(shoal_bench **out, const char *name,
                                const shoal_bench_options *options)
{
    shoal_clear_error();
    SHOAL_NEED(out && name && options && options->engine);
    *out = NULL;
    const bench_case *c = bench_case_find(name);
    if (!c) return shoal_fail(SHOAL_E_ARGUMENT, "no built-in system is called '%s'", name);
    if (options->what == SHOAL_BENCH_GRID && !options->surface)
        return shoal_fail(SHOAL_E_ARGUMENT, "a grid is that of a surface");
    shoal_bench *bench = shoal_alloc(1, sizeof *bench);
    if (!bench) return SHOAL_E_MEMORY;
    bench->options = *options;
    bench->name = c->name;
    const shoal_status status = prepare(bench, c);
    if (status == SHOAL_OK)
        *out = bench;
    else
        shoal_bench_destroy(bench);
    return status;
}

void shoal_bench_destroy(shoal_bench *bench)
{
    if (!bench) return;
    shoal_engine_destroy(bench->engine);
    free(bench->start);
    free(bench->seconds);
    bench_set_free(&bench->set);
    free(bench);
}

void shoal_bench_count(const shoal_bench *bench, shoal_bench_counts *out)
{
    if (out) *out = bench ? bench->counts : (shoal_bench_counts){0};
}

/* --- whether they are right ------------------------------------------------------------------ */

shoal_status shoal_bench_compare(shoal_bench *bench, shoal_bench_check *out)
{
    shoal_clear_error();
    SHOAL_NEED(bench && out);
    *out = (shoal_bench_check){.differs = -1};
    shoal_batch *batch = NULL;
    shoal_engine *engines[2] = {NULL, NULL};
    const shoal_engine_options *engine = bench->options.engine;
    const int32_t n = bench->counts.systems < N_CHECKED ? bench->counts.systems : N_CHECKED;
    shoal_status status = bench_batch(bench, n, &batch);
    if (status == SHOAL_OK) status = check_evaluate(batch, engine, engines);
    for (int32_t i = 0; i < n && status == SHOAL_OK && out->differs < 0; ++i) {
        shoal_result r[2];
        check_results(engines, i, r);
        shoal_compare(&r[0], &r[1], atoms_of(bench, i), &out->c);
        out->verdict = fmax(out->verdict, out->c.verdict);
        out->status = r[1].status;
        if (!out->c.comparable || check_differs(&out->c, shoal_compare_tolerance(engine)))
            out->differs = i;
    }
    bench->verdict = out->verdict;
    check_destroy(engines);
    shoal_batch_destroy(batch);
    return status;
}

/* --- how fast -------------------------------------------------------------------------------- */

/* Counts what a run did. */
static shoal_status count_steps(shoal_bench *bench)
{
    shoal_bench_counts *c = &bench->counts;
    c->evaluations = c->converged = 0;
    for (int32_t i = 0; i < c->systems; ++i) {
        shoal_result r;
        SHOAL_TRY(shoal_engine_result(bench->engine, i, &r));
        c->evaluations += r.steps;
        c->converged += r.status == SHOAL_SYSTEM_CONVERGED;
    }
    return SHOAL_OK;
}

/* The engine of all repeats: programs and buffers are made by the first. */
static shoal_status prepare_engine(shoal_bench *bench)
{
    const size_t n_atoms = (size_t)bench->set.most_atoms;
    shoal_batch *batch = NULL;
    shoal_status status = bench_batch(bench, bench->counts.systems, &batch);
    if (status == SHOAL_OK)
        status = shoal_engine_create(&bench->engine, batch, bench->options.engine);
    shoal_batch_destroy(batch);
    if (status != SHOAL_OK) return status;
    bench->start = shoal_alloc((size_t)bench->counts.systems * n_atoms, sizeof *bench->start);
    if (!bench->start) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < bench->counts.systems; ++i)
        memcpy(bench->start + (size_t)i * n_atoms, shoal_engine_positions(bench->engine, i),
               (size_t)atoms_of(bench, i) * sizeof *bench->start);
    return SHOAL_OK;
}

static shoal_status rewind_engine(shoal_bench *bench)
{
    const size_t n_atoms = (size_t)bench->set.most_atoms;
    if (!bench->start) SHOAL_TRY(prepare_engine(bench));
    for (int32_t i = 0; i < bench->counts.systems; ++i)
        SHOAL_TRY(shoal_engine_set_positions(
            bench->engine, i, (const double(*)[3])bench->start + (size_t)i * n_atoms));
    return SHOAL_OK;
}

static shoal_status time_engine(shoal_bench *bench, double *seconds)
{
    const shoal_bench_what what = bench->options.what;
    const int32_t steps = bench->counts.steps;
    const bool langevin = what == SHOAL_BENCH_LANGEVIN;
    shoal_relax_options relax = {.method = bench->options.method};
    const shoal_md_options md = {.n_steps = steps,
                                 .stride = steps,
                                 .thermostat =
                                     langevin ? SHOAL_THERMOSTAT_LANGEVIN : SHOAL_THERMOSTAT_NONE};
    SHOAL_TRY(rewind_engine(bench));
    if (what == SHOAL_BENCH_RELAX) {
        relax.fmax = 1e-12; /* never reached */
        relax.max_steps = steps;
    }
    shoal_status status = SHOAL_OK;
    const double begin = bench_now();
    if (what == SHOAL_BENCH_EVAL) {
        for (int k = 0; k < steps && status == SHOAL_OK; ++k)
            status = shoal_engine_eval(bench->engine);
    } else if (langevin || what == SHOAL_BENCH_MD) {
        status = shoal_engine_md(bench->engine, &md, NULL, NULL);
    } else {
        status = shoal_engine_relax(bench->engine, &relax, NULL, NULL);
    }
    *seconds = bench_now() - begin;
    bench->counts.evaluations = (int64_t)bench->counts.systems * steps;
    return status == SHOAL_OK && what != SHOAL_BENCH_EVAL ? count_steps(bench) : status;
}

/* Perceives and types copies of the molecules; only that is timed. */
static shoal_status time_typing(shoal_bench *bench, double *seconds)
{
    const int n = bench->counts.systems;
    const int n_threads = bench->options.n_threads > 0 ? bench->options.n_threads : 1;
    shoal_molecule **copies = shoal_alloc((size_t)n, sizeof(*copies));
    shoal_status status = copies ? SHOAL_OK : SHOAL_E_MEMORY;
    for (int k = 0; k < n && status == SHOAL_OK; ++k) {
        status = shoal_molecule_create(&copies[k]);
        if (status == SHOAL_OK)
            status = shoal_molecule_copy(copies[k], bench->set.molecules[k % bench->set.n]);
    }
    int failed = 0;
    const double begin = bench_now();
    (void)n_threads; /* without OpenMP */
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 8) num_threads(n_threads) reduction(+ : failed)
#endif
    for (int k = 0; k < (status == SHOAL_OK ? n : 0); ++k) {
        shoal_topology *topology = NULL;
        failed += shoal_topology_create(&topology, copies[k], bench->options.typing) != SHOAL_OK;
        shoal_topology_destroy(topology);
    }
    *seconds = bench_now() - begin;
    bench->counts.evaluations = n;
    for (int k = 0; k < n && copies; ++k) shoal_molecule_destroy(copies[k]);
    free((void *)copies);
    return failed ? SHOAL_E_MEMORY : status;
}

/* Builds the grid of the whole cell of the surface. */
static shoal_status time_grid(shoal_bench *bench, double *seconds)
{
    const shoal_grid_options options = {.whole_cell = true,
                                        .device = bench->options.engine->device,
                                        .n_threads = bench->options.n_threads,
                                        .samples = -1};
    shoal_grid *grid = NULL;
    shoal_grid_view v = {0};
    const double begin = bench_now();
    const shoal_status status = shoal_grid_build(&grid, bench->options.surface, &options);
    *seconds = bench_now() - begin;
    if (status == SHOAL_OK) shoal_grid_get(grid, &v);
    bench->counts.evaluations = (int64_t)v.shape[0] * v.shape[1] * v.shape[2];
    shoal_grid_destroy(grid);
    return status;
}

shoal_status bench_time(shoal_bench *bench, double *seconds)
{
    if (bench->options.what == SHOAL_BENCH_TYPING) return time_typing(bench, seconds);
    if (bench->options.what == SHOAL_BENCH_GRID) return time_grid(bench, seconds);
    return time_engine(bench, seconds);
}
