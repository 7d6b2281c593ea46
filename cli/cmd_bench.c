/* SPDX-License-Identifier: BSD-3-Clause
 * shoal bench: how fast built-in systems are computed, after a check that they are right. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "bench_cases.h"
#include "bench_engine.h"
#include "bench_file.h"
#include "bench_surface.h"
#include "commands.h"
#include "engine_options.h"
#include "forcefield_options.h"
#include "json.h"
#include "systems.h"

#define MAX_REPEATS 1000
#define N_CHECKED 4 /* systems compared with ref before anything is timed */

typedef enum bench_what {
    BENCH_EVAL,
    BENCH_RELAX,
    BENCH_CONVERGE,
    BENCH_MD,
    BENCH_LANGEVIN,
    BENCH_TYPING,
    BENCH_GRID,
    BENCH_ENGINE,
} bench_what;

static const char *const what_names[] = {"eval",     "relax",  "converge", "md",
                                         "langevin", "typing", "grid",     "engine"};
/* What is counted per second, in tables and in JSON. */
static const char *const unit_names[] = {"evaluations", "evaluations", "evaluations", "steps",
                                         "steps",       "molecules",   "nodes",       "engines"};
static const char *const rate_names[] = {"evals_per_s", "evals_per_s",  "evals_per_s",
                                         "steps_per_s", "steps_per_s",  "molecules_per_s",
                                         "nodes_per_s", "engines_per_s"};

typedef struct bench_options {
    engine_settings compute;
    surface_settings surface;
    systems_options typing;  /* force field, and the pair model of --params */
    systems_options against; /* of --against: its force field alone */
    const bench_case *which;
    bench_what what;
    shoal_method method;
    int systems, steps, repeats, threads, seed;
    const char *surface_name;
    bool json, list;
    bool whole; /* --what file: not a built-in system but a run over files */
    shoal_job job;
    bool job_given;
    const char *output;
} bench_options;

/* What is being measured, and what came of it. */
typedef struct bench_run {
    const bench_options *o;
    const systems_options *typing; /* of --forcefield or of --against */
    bench_set set;
    int systems, steps;
    double times[MAX_REPEATS]; /* s */
    int64_t n_evaluations;     /* of one repeat */
    int64_t n_converged;
    double checked; /* largest verdict of a comparison */
    shoal_engine *engine;
    /* coordinates that every repeat begins with, set.most_atoms of each system */
    double (*start)[3];
    bench_engine life; /* of --what engine */
} bench_run;

static const cli_option bench_option_table[] = {
    {"case", 0, "NAME", "built-in system; --list shows them (default xylitol)"},
    {"systems", 0, "N", "copies, each slightly different (default 4096; unlike 64, framework 1)"},
    {"steps", 0, "N", "evaluations per system (default 200, eval 10, engine 20)"},
    {"what", 0, "WHAT",
     "relax (default), eval, converge (to 0.01 eV/A), md, langevin, typing, grid, engine, file"},
    {"job", 0, "NAME", "of --what file FILES: relax (default), energy, types or convert"},
    {"output", 'o', "FILE", "of --what file: write the systems there (default: nowhere)"},
    {"method", 0, "NAME", "of relax and converge: lbfgs (default) or fire"},
    {"against", 0, "NAME", "time this force field, too, by turns, and say how much faster"},
    {"repeats", 0, "N", "timed repeats after one that is not counted (default 5)"},
    {"seed", 0, "S", "of the differences between the copies (default 1)"},
    {"threads", 0, "N", "threads to use (default: all)"},
    {"json", 0, NULL, "one JSON object"},
    {"list", 0, NULL, "list the built-in systems and stop"},
    {NULL, 0, NULL, NULL},
};

static bool take_choice(bench_options *o, const char *name, const char *value)
{
    if (strcmp(name, "case") == 0) {
        o->which = bench_case_find(value);
        if (!o->which) cli_complain("--case '%s': unknown; --list shows what there is", value);
        return o->which != NULL;
    }
    if (strcmp(name, "against") == 0)
        return take_forcefield_option(&o->against, "forcefield", value);
    if (strcmp(name, "job") == 0) {
        o->job_given = true;
        return bench_file_job(value, &o->job);
    }
    if (strcmp(name, "what") == 0) {
        o->whole = strcmp(value, "file") == 0;
        if (o->whole) return true;
        for (int k = 0; k <= BENCH_ENGINE; ++k) {
            if (strcmp(value, what_names[k]) != 0) continue;
            o->what = (bench_what)k;
            return true;
        }
        cli_complain(
            "--what '%s': expected eval, relax, converge, md, langevin, typing, grid, engine "
            "or file",
            value);
        return false;
    }
    if (strcmp(value, "fire") != 0 && strcmp(value, "lbfgs") != 0) {
        cli_complain("--method '%s': expected lbfgs or fire", value);
        return false;
    }
    o->method = strcmp(value, "fire") == 0 ? SHOAL_METHOD_FIRE : SHOAL_METHOD_LBFGS;
    return true;
}

static bool take_bench_option(void *target, const char *name, const char *value)
{
    bench_options *o = target;
    if (strcmp(name, "systems") == 0) return cli_integer(name, value, 1, 100000000, &o->systems);
    if (strcmp(name, "steps") == 0) return cli_integer(name, value, 1, 100000000, &o->steps);
    if (strcmp(name, "repeats") == 0) return cli_integer(name, value, 1, MAX_REPEATS, &o->repeats);
    if (strcmp(name, "threads") == 0) return cli_integer(name, value, 1, 4096, &o->threads);
    if (strcmp(name, "seed") == 0) return cli_integer(name, value, 0, 2147483647, &o->seed);
    if (strcmp(name, "json") == 0) {
        o->json = true;
    } else if (strcmp(name, "output") == 0) {
        o->output = value;
    } else if (strcmp(name, "list") == 0) {
        o->list = true;
    } else {
        return take_choice(o, name, value);
    }
    return true;
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static shoal_status make_batch(const bench_run *run, int32_t n, shoal_batch **out)
{
    const shoal_surface *surface = run->o->compute.engine.surface;
    shoal_surface_view v = {0};
    if (surface) shoal_surface_get(surface, &v);
    return bench_case_batch(&run->set, (uint64_t)run->o->seed, n, (const double(*)[2])v.cell, out);
}

static shoal_status make_engine(const bench_run *run, int32_t n,
                                const shoal_engine_options *options, shoal_engine **out)
{
    shoal_batch *batch = NULL;
    shoal_status status = make_batch(run, n, &batch);
    if (status == SHOAL_OK) status = shoal_engine_create(out, batch, options);
    shoal_batch_destroy(batch);
    return status;
}

static int32_t atoms_of(const bench_run *run, int32_t i_system)
{
    return shoal_molecule_n_atoms(run->set.molecules[i_system % run->set.n]);
}

/* Compares the first systems with ref. Returns an exit code. */
static int check_first(bench_run *run)
{
    shoal_engine *engines[2] = {NULL, NULL};
    shoal_engine_options options[2] = {run->o->compute.engine, run->o->compute.engine};
    options[0].device = "ref";
    options[0].precision = SHOAL_PRECISION_DOUBLE;
    const int32_t n = run->systems < N_CHECKED ? run->systems : N_CHECKED;
    shoal_status status = SHOAL_OK;
    /* The device comes first: what it cannot do need not be computed by ref. */
    for (int k = 1; k >= 0 && status == SHOAL_OK; --k) {
        status = make_engine(run, n, &options[k], &engines[k]);
        if (status == SHOAL_OK) status = shoal_engine_eval(engines[k]);
    }
    int code = status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
    for (int32_t i = 0; i < n && code == EXIT_ALL_FINE; ++i) {
        shoal_result results[2];
        shoal_comparison c;
        for (int k = 0; k < 2; ++k) (void)shoal_engine_result(engines[k], i, &results[k]);
        shoal_compare(&results[0], &results[1], atoms_of(run, i), &c);
        run->checked = fmax(run->checked, c.verdict);
        const double most = shoal_compare_tolerance(&options[1]);
        if (c.comparable && c.verdict <= most && c.energy_error <= most) continue;
        cli_complain("system %d of %s differs from ref (%s, force error %.2g, energy error %.2g): "
                     "nothing is timed",
                     i, run->o->which->name, shoal_system_status_name(results[1].status), c.verdict,
                     c.energy_error);
        code = EXIT_SOME_FAILED;
    }
    shoal_engine_destroy(engines[0]);
    shoal_engine_destroy(engines[1]);
    return code;
}

/* Counts what a relaxation did. */
static shoal_status count_steps(bench_run *run, const shoal_engine *engine)
{
    run->n_evaluations = run->n_converged = 0;
    for (int32_t i = 0; i < run->systems; ++i) {
        shoal_result r;
        const shoal_status status = shoal_engine_result(engine, i, &r);
        if (status != SHOAL_OK) return status;
        run->n_evaluations += r.steps;
        run->n_converged += r.status == SHOAL_SYSTEM_CONVERGED;
    }
    return SHOAL_OK;
}

/* The engine of all repeats: programs and buffers are made by the first, which is not counted. */
static shoal_status prepare_engine(bench_run *run)
{
    const size_t n_atoms = (size_t)run->set.most_atoms;
    const shoal_status status =
        make_engine(run, run->systems, &run->o->compute.engine, &run->engine);
    if (status != SHOAL_OK) return status;
    run->start = malloc((size_t)run->systems * n_atoms * sizeof *run->start);
    if (!run->start) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < run->systems; ++i)
        memcpy(run->start + (size_t)i * n_atoms, shoal_engine_positions(run->engine, i),
               (size_t)atoms_of(run, i) * sizeof *run->start);
    return SHOAL_OK;
}

static shoal_status rewind_engine(bench_run *run)
{
    const size_t n_atoms = (size_t)run->set.most_atoms;
    shoal_status status = run->engine ? SHOAL_OK : prepare_engine(run);
    for (int32_t i = 0; i < run->systems && status == SHOAL_OK; ++i)
        status = shoal_engine_set_positions(run->engine, i,
                                            (const double(*)[3])run->start + (size_t)i * n_atoms);
    return status;
}

static bool is_dynamics(bench_what what)
{
    return what == BENCH_MD || what == BENCH_LANGEVIN;
}

static shoal_status time_engine(bench_run *run, double *seconds)
{
    const bench_what what = run->o->what;
    shoal_status status = rewind_engine(run);
    shoal_relax_options relax = {.method = run->o->method};
    const shoal_md_options md = {.n_steps = run->steps,
                                 .stride = run->steps,
                                 .thermostat = what == BENCH_LANGEVIN ? SHOAL_THERMOSTAT_LANGEVIN
                                                                      : SHOAL_THERMOSTAT_NONE};
    if (what == BENCH_RELAX) {
        relax.fmax = 1e-12; /* never reached */
        relax.max_steps = run->steps;
    }
    const double begin = now();
    if (what == BENCH_EVAL) {
        for (int k = 0; k < run->steps && status == SHOAL_OK; ++k)
            status = shoal_engine_eval(run->engine);
        run->n_evaluations = (int64_t)run->systems * run->steps;
    } else if (status == SHOAL_OK && is_dynamics(what)) {
        status = shoal_engine_md(run->engine, &md, NULL, NULL);
    } else if (status == SHOAL_OK) {
        status = shoal_engine_relax(run->engine, &relax, NULL, NULL);
    }
    *seconds = now() - begin;
    if (status == SHOAL_OK && what != BENCH_EVAL) status = count_steps(run, run->engine);
    return status;
}

/* Perceives and types copies of the molecule; only that is timed. */
static shoal_status time_typing(bench_run *run, double *seconds)
{
    const int n = run->systems;
    shoal_molecule **copies = calloc((size_t)n, sizeof(*copies));
    shoal_status status = copies ? SHOAL_OK : SHOAL_E_MEMORY;
    for (int k = 0; k < n && status == SHOAL_OK; ++k) {
        status = shoal_molecule_create(&copies[k]);
        if (status == SHOAL_OK)
            status = shoal_molecule_copy(copies[k], run->set.molecules[k % run->set.n]);
    }
    int failed = 0;
    const double begin = now();
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 8) num_threads(run->o->threads) reduction(+ : failed)
#endif
    for (int k = 0; k < (status == SHOAL_OK ? n : 0); ++k) {
        shoal_topology *topology = NULL;
        failed += shoal_topology_create(&topology, copies[k], &run->typing->typing) != SHOAL_OK;
        shoal_topology_destroy(topology);
    }
    *seconds = now() - begin;
    for (int k = 0; k < n && copies; ++k) shoal_molecule_destroy(copies[k]);
    free((void *)copies);
    return failed ? SHOAL_E_MEMORY : status;
}

/* Builds the grid of the whole cell of the surface. */
static shoal_status time_grid(bench_run *run, double *seconds)
{
    const bench_options *o = run->o;
    const shoal_grid_options options = {.whole_cell = true,
                                        .device = o->compute.engine.device,
                                        .n_threads = o->threads,
                                        .samples = -1};
    shoal_grid *grid = NULL;
    shoal_grid_view v = {0};
    const double begin = now();
    const shoal_status status = shoal_grid_build(&grid, o->surface.surface, &options);
    *seconds = now() - begin;
    if (status == SHOAL_OK) shoal_grid_get(grid, &v);
    run->n_evaluations = (int64_t)v.shape[0] * v.shape[1] * v.shape[2];
    shoal_grid_destroy(grid);
    return status;
}

static shoal_status time_once(bench_run *run, double *seconds)
{
    if (run->o->what == BENCH_TYPING) return time_typing(run, seconds);
    return run->o->what == BENCH_GRID ? time_grid(run, seconds) : time_engine(run, seconds);
}

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Puts the times of all repeats in order. */
static void sort_times(bench_run *run)
{
    if (run->o->what == BENCH_RELAX &&
        run->n_evaluations < (int64_t)run->systems * run->steps * 99 / 100)
        cli_complain("warning: %lld of %lld evaluations done; the others were not needed",
                     (long long)run->n_evaluations, (long long)run->systems * run->steps);
    qsort(run->times, (size_t)run->o->repeats, sizeof run->times[0], compare_times);
}

/* Times all repeats, the first of which warms up; leaves them sorted. Two runs take turns, so that what else the
 * machine does meets both. */
static int measure(bench_run *runs, int n)
{
    double warm_up;
    for (int k = -1; k < runs->o->repeats; ++k)
        for (int i = 0; i < n; ++i) {
            double *seconds = k < 0 ? &warm_up : &runs[i].times[k];
            if (k < 0 && runs->o->what == BENCH_GRID) continue; /* nothing to warm up */
            const shoal_status status = time_once(&runs[i], seconds);
            if (status != SHOAL_OK) return complain_of_status(status);
        }
    for (int i = 0; i < n; ++i) sort_times(&runs[i]);
    return EXIT_ALL_FINE;
}

/* Times whole engines. The first must find the device as the program found it, so that the check comes after. */
static int measure_life(bench_run *run)
{
    const bench_options *o = run->o;
    shoal_batch *batch = NULL;
    shoal_status status = make_batch(run, run->systems, &batch);
    if (status == SHOAL_OK)
        status =
            bench_engine_measure(batch, &o->compute.engine, run->steps, o->repeats, &run->life);
    shoal_batch_destroy(batch);
    return status == SHOAL_OK ? check_first(run) : complain_of_status(status);
}

/* What the device of a device string calls itself; "" if nobody knows. */
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

typedef struct bench_figures {
    bool is_engine;     /* not typing, not a grid */
    const char *device; /* as --device names it */
    char name[128];
    double median, spread;  /* s; of the median */
    double rate;            /* evaluations or molecules per s */
    const bench_run *other; /* of --against, NULL: none */
} bench_figures;

static double median_of(const bench_run *run)
{
    const int n = run->o->repeats;
    return 0.5 * (run->times[(n - 1) / 2] + run->times[n / 2]);
}

/* The same work with the other force field. */
static void json_against(json *j, const bench_run *run, const bench_run *other)
{
    json_open(j, "against", '{');
    json_text(j, "forcefield", forcefield_name(other->typing));
    json_number(j, "seconds", median_of(other));
    json_number(j, "spread",
                (other->times[run->o->repeats - 1] - other->times[0]) / median_of(other));
    json_number(j, "checked", other->checked);
    json_number(j, "times_as_fast", median_of(other) / median_of(run));
    json_close(j, '}');
}

static void report_json(const bench_run *run, const bench_figures *f)
{
    const bench_options *o = run->o;
    char backend[32];
    json j = {0};
    (void)snprintf(backend, sizeof backend, "%.*s", (int)strcspn(f->device, ":"), f->device);
    json_open(&j, NULL, '{');
    if (o->what == BENCH_GRID) {
        json_integer(&j, "nodes", run->n_evaluations);
    } else {
        json_text(&j, "case", o->which->name);
        json_integer(&j, "natoms", run->set.most_atoms);
        json_integer(&j, "systems", run->systems);
        json_integer(&j, "steps", run->steps);
    }
    if (o->typing.forcefield || f->other) json_text(&j, "forcefield", forcefield_name(run->typing));
    json_text(&j, "backend", backend);
    json_text(&j, "device", f->name);
    json_text(&j, "device_string", f->device);
    json_text(&j, "precision", precision_name(o->compute.engine.precision));
    if (o->surface.surface) {
        json_text(&j, "surface", o->surface_name);
        if (f->is_engine) json_text(&j, "grid", o->surface.grid ? "yes" : "no");
    }
    if (o->what == BENCH_ENGINE) {
        bench_engine_json(&run->life, &j);
    } else {
        json_number(&j, rate_names[o->what], f->rate);
        json_number(&j, "seconds", f->median);
    }
    json_text(&j, "what", what_names[o->what]);
    if (f->is_engine && o->what != BENCH_ENGINE && !is_dynamics(o->what))
        json_text(&j, "method", o->method == SHOAL_METHOD_FIRE ? "fire" : "lbfgs");
    if (o->what == BENCH_CONVERGE) {
        json_number(&j, "systems_per_s", run->systems / f->median);
        json_number(&j, "mean_steps", (double)run->n_evaluations / run->systems);
        json_integer(&j, "converged", run->n_converged);
    }
    if (o->what != BENCH_ENGINE) json_number(&j, "spread", f->spread);
    json_integer(&j, "repeats", o->repeats);
    json_integer(&j, "threads", o->threads);
    if (f->is_engine) json_number(&j, "checked", run->checked);
    if (f->other) json_against(&j, run, f->other);
    (void)json_print_line(&j);
}

static void report_table(const bench_run *run, const bench_figures *f)
{
    const bench_options *o = run->o;
    if (o->what == BENCH_GRID)
        (void)printf("grid of %s, %lld nodes in %.3g s", o->surface_name,
                     (long long)run->n_evaluations, f->median);
    else
        (void)printf("%s, %d atoms, %d system%s", o->which->name, run->set.most_atoms, run->systems,
                     run->systems == 1 ? "" : "s");
    (void)printf(" on %s (%s, %s, %d thread%s)\n", f->device, f->name,
                 precision_name(o->compute.engine.precision), o->threads,
                 o->threads == 1 ? "" : "s");
    if (o->what == BENCH_ENGINE)
        bench_engine_table(&run->life, run->systems);
    else
        (void)printf("%s: %.4g %s/s, median of %d, spread %.1f %%\n", what_names[o->what], f->rate,
                     unit_names[o->what], o->repeats, 100 * f->spread);
    if (o->what == BENCH_CONVERGE)
        (void)printf("%.4g systems/s, %.1f evaluations each, %lld of %d converged\n",
                     run->systems / f->median, (double)run->n_evaluations / run->systems,
                     (long long)run->n_converged, run->systems);
    if (f->other)
        (void)printf("%s: %.4g s, %.2f times as fast as %s: %.4g s\n", forcefield_name(run->typing),
                     f->median, median_of(f->other) / f->median, forcefield_name(f->other->typing),
                     median_of(f->other));
    if (f->is_engine)
        (void)printf("checked against ref: force error %.2g of the largest force\n", run->checked);
}

static void report(const bench_run *run, const bench_run *other)
{
    const bench_options *o = run->o;
    const int n = o->repeats;
    bench_figures f = {.is_engine = o->what < BENCH_TYPING || o->what == BENCH_ENGINE,
                       .median = median_of(run),
                       .other = other};
    f.device = o->what == BENCH_TYPING ? "cpu" : o->compute.engine.device;
    f.spread = (run->times[n - 1] - run->times[0]) / f.median;
    f.rate = (double)(o->what == BENCH_TYPING ? run->systems : run->n_evaluations) / f.median;
    name_device(f.device, f.name);
    if (o->json)
        report_json(run, &f);
    else
        report_table(run, &f);
}

/* A table may lack types. Returns an exit code. */
static int check_types(const bench_run *run)
{
    for (int32_t k = 0; k < run->set.n; ++k) {
        const shoal_topology *t = run->set.topologies[k];
        if (shoal_topology_status(t) == SHOAL_SYSTEM_OK) continue;
        cli_complain("%s: %s", run->o->which->name, shoal_topology_reason(t));
        return EXIT_SOME_FAILED;
    }
    return EXIT_ALL_FINE;
}

/* Loads, types and checks what is to be timed. Returns an exit code. */
static int begin_run(bench_run *run, const bench_options *o, const systems_options *typing)
{
    *run = (bench_run){.o = o, .typing = typing, .systems = o->systems, .steps = o->steps};
    if (run->systems == 0) run->systems = o->which->systems;
    if (run->steps == 0)
        run->steps = o->what == BENCH_EVAL ? 10 : o->what == BENCH_ENGINE ? 20 : 200;
    if (o->what == BENCH_CONVERGE) run->steps = 0;
    shoal_status status = bench_case_load(o->which, &run->set);
    if (status == SHOAL_OK) status = bench_set_type(&run->set, &typing->typing);
    for (int32_t k = 0; k < run->set.n && status == SHOAL_OK && o->surface.surface; ++k)
        status = surface_place(o->surface.surface,
                               o->surface.height > 0 ? o->surface.height : BENCH_HEIGHT,
                               run->set.molecules[k]);
    const int code = status == SHOAL_OK ? check_types(run) : complain_of_status(status);
    return code == EXIT_ALL_FINE && o->what < BENCH_TYPING ? check_first(run) : code;
}

static int run_bench(const bench_options *o)
{
    bench_run runs[2] = {{0}};
    const int n = o->against.forcefield ? 2 : 1;
    int code = begin_run(&runs[0], o, &o->typing);
    if (code == EXIT_ALL_FINE && n == 2) code = begin_run(&runs[1], o, &o->against);
    if (code == EXIT_ALL_FINE)
        code = o->what == BENCH_ENGINE ? measure_life(&runs[0]) : measure(runs, n);
    if (code == EXIT_ALL_FINE) report(&runs[0], n == 2 ? &runs[1] : NULL);
    for (int i = 0; i < n; ++i) {
        shoal_engine_destroy(runs[i].engine);
        free(runs[i].start);
        bench_set_free(&runs[i].set);
    }
    return code;
}

/* What force fields can be asked for. */
static bool check_forcefields(const bench_options *o)
{
    if (o->against.forcefield && (o->whole || o->what == BENCH_GRID || o->what == BENCH_ENGINE)) {
        cli_complain("--against is for eval, relax, converge, md, langevin and typing");
        return false;
    }
    if (!o->whole && o->typing.typing.no_angle_guard) {
        cli_complain("--no-angle-guard has no effect on the built-in systems");
        return false;
    }
    const bool repeats = o->whole || strcmp(o->which->name, "framework") == 0;
    if (!repeats && (o->compute.engine.vdw_cutoff > 0 || o->compute.engine.vdw_tail)) {
        cli_complain(
            "--vdw-cutoff and --vdw-tail apply to periodic systems: --case framework, --what file");
        return false;
    }
    return forcefield_agrees(&o->typing) &&
           settings_agree(&o->compute, o->typing.typing.forcefield);
}

static int list_cases(void)
{
    for (int k = 0; k < bench_n_cases; ++k)
        (void)printf("%-14s%s\n", bench_cases[k].name, bench_cases[k].about);
    return EXIT_ALL_FINE;
}

/* Leaves nothing to chance that a result should name; the precision is what --help promises. */
static void settle(bench_options *o)
{
    shoal_engine_options *e = &o->compute.engine;
    if (!o->threads) o->threads = 1;
    e->n_threads = o->threads;
    const bool is_cpu = strcmp(e->device, "cpu") == 0 || strcmp(e->device, "shadow:cpu") == 0;
    const bool is_double = (o->what == BENCH_EVAL && is_cpu) || strcmp(e->device, "ref") == 0;
    if (e->precision == SHOAL_PRECISION_AUTO)
        e->precision = is_double ? SHOAL_PRECISION_DOUBLE : SHOAL_PRECISION_FLOAT;
}

static int run_files(const bench_options *o, const char **files, int n_files)
{
    const bench_file b = {.engine = &o->compute.engine,
                          .typing = &o->typing.typing,
                          .job = o->job,
                          .output = o->output,
                          .n_threads = o->threads,
                          .repeats = o->repeats,
                          .json = o->json};
    if (n_files > 0) return bench_file_run(&b, files, n_files);
    cli_complain("--what file needs the names of files");
    return EXIT_USAGE;
}

static int run_job(void *user, const char **files, int n_files)
{
    bench_options *o = user;
    if (!check_forcefields(o)) return EXIT_USAGE;
    if (o->whole && o->typing.params) {
        cli_complain("--params is for built-in systems, not for --what file");
        return EXIT_USAGE;
    }
    if (o->whole) return run_files(o, files, n_files);
    if (o->job_given) {
        cli_complain("--job is for --what file");
        return EXIT_USAGE;
    }
    if (n_files > 0 || o->output) {
        cli_complain("files are for --what file; built-in systems have names, see --list");
        return EXIT_USAGE;
    }
    settle(o);
    if (o->list) return list_cases();
    const int loaded = systems_load_params(&o->typing, &o->compute.engine.mixing);
    if (loaded != EXIT_ALL_FINE) return loaded;
    o->against.typing.model = o->typing.pair_model;
    o->surface_name = o->surface.file;
    o->surface.params = o->typing.params;
    o->surface.model = o->typing.pair_model;
    if (o->what == BENCH_GRID) {
        if (!o->surface.file) {
            cli_complain("--what grid needs --surface");
            return EXIT_USAGE;
        }
        o->surface.grid_how = "off"; /* the surface alone */
    }
    const int code = bench_surface_make(&o->surface, &o->compute.engine);
    return code == EXIT_ALL_FINE ? run_bench(o) : code;
}

int cmd_bench(int argc, char **argv)
{
    bench_options o = {.compute.engine.device = "cpu",
                       .which = bench_case_find("xylitol"),
                       .what = BENCH_RELAX,
                       .job = SHOAL_JOB_RELAX,
                       .repeats = 5,
                       .seed = 1};
#ifdef _OPENMP
    o.threads = omp_get_max_threads();
#endif
    const cli_group groups[] = {
        {"options:", bench_option_table, take_bench_option, &o},
        {"computing:", engine_option_table, take_engine_option, &o.compute},
        {"force field:", forcefield_options, take_forcefield_option, &o.typing},
        {"parameters:", params_options, take_forcefield_option, &o.typing},
        {"surface:", surface_option_table, take_surface_option, &o.surface},
    };
    const cli_command command = {
        .name = "bench",
        .usage = "[OPTIONS] [FILES]",
        .purpose =
            "Times built-in systems, after the first ones were compared with ref, or whole runs.",
        .notes =
            "The default device is cpu. The rate is that of the median repeat; the spread is "
            "(slowest - fastest) / median.\n--surface nacl[:NxMxLAYERS] is built in (default "
            "8x8x3): the copies are spread over it, 3 A\nabove; --grid off sums directly. --what "
            "file runs a job over FILES as its command would, and says\nwhat the time goes into.",
        CLI_GROUPS(groups),
        .max_files = -1};
    const int code = cli_run(&command, argc, argv, run_job, &o);
    surface_settings_free(&o.surface);
    systems_options_free(&o.typing);
    return code;
}
