/* SPDX-License-Identifier: BSD-3-Clause
 * shoal bench: how fast built-in systems are computed, after a check that they are right. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "commands.h"
#include "engine_options.h"
#include "forcefield_options.h"
#include "json.h"
#include "relax_options.h"
#include "surface_options.h"
#include "systems.h"

#define MAX_REPEATS 1000

enum { WHOLE_RUN = SHOAL_BENCH_ENGINE + 1 }; /* --what file */
static const cli_word whats[] = {{"eval", SHOAL_BENCH_EVAL},
                                 {"relax", SHOAL_BENCH_RELAX},
                                 {"converge", SHOAL_BENCH_CONVERGE},
                                 {"md", SHOAL_BENCH_MD},
                                 {"langevin", SHOAL_BENCH_LANGEVIN},
                                 {"typing", SHOAL_BENCH_TYPING},
                                 {"grid", SHOAL_BENCH_GRID},
                                 {"engine", SHOAL_BENCH_ENGINE},
                                 {"file", WHOLE_RUN},
                                 {0}};
static const cli_word bench_jobs[] = {{"convert", SHOAL_JOB_READ},
                                      {"types", SHOAL_JOB_TYPE},
                                      {"energy", SHOAL_JOB_ENERGY},
                                      {"relax", SHOAL_JOB_RELAX},
                                      {0}};
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
    const char *which;       /* case */
    shoal_bench_what what;
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
    shoal_bench_options how;
    shoal_bench *bench;
    shoal_bench_counts n;
    shoal_bench_check checked;
    shoal_bench_life life;     /* of --what engine */
    double times[MAX_REPEATS]; /* s */
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
        shoal_bench_case c;
        int32_t k = 0;
        while (shoal_bench_case_get(k, &c) && strcmp(c.name, value) != 0) ++k;
        if (!shoal_bench_case_get(k, &c))
            cli_complain("--case '%s': unknown; --list shows what there is", value);
        o->which = value;
        return shoal_bench_case_get(k, &c);
    }
    if (strcmp(name, "against") == 0)
        return take_forcefield_option(&o->against, "forcefield", value);
    if (strcmp(name, "job") == 0) {
        o->job_given = true;
        return cli_choose(name, value, bench_jobs, &o->job);
    }
    if (strcmp(name, "what") == 0) {
        int what = 0;
        if (!cli_choose(name, value, whats, &what)) return false;
        o->whole = what == WHOLE_RUN;
        if (!o->whole) o->what = (shoal_bench_what)what;
        return true;
    }
    return cli_choose(name, value, relax_methods, &o->method);
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

/* Compares the first systems with ref. Returns an exit code. */
static int check_first(bench_run *run)
{
    shoal_bench_check *c = &run->checked;
    const shoal_status status = shoal_bench_compare(run->bench, c);
    if (status != SHOAL_OK) return complain_of_status(status);
    if (c->differs < 0) return EXIT_ALL_FINE;
    cli_complain("system %d of %s differs from ref (%s, force error %.2g, energy error %.2g): "
                 "nothing is timed",
                 c->differs, run->o->which, shoal_system_status_name(c->status), c->c.verdict,
                 c->c.energy_error);
    return EXIT_SOME_FAILED;
}

static bool is_dynamics(shoal_bench_what what)
{
    return what == SHOAL_BENCH_MD || what == SHOAL_BENCH_LANGEVIN;
}

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Puts the times of all repeats in order. */
static void sort_times(bench_run *run)
{
    shoal_bench_count(run->bench, &run->n);
    if (run->o->what == SHOAL_BENCH_RELAX &&
        run->n.evaluations < (int64_t)run->n.systems * run->n.steps * 99 / 100)
        cli_complain("warning: %lld of %lld evaluations done; the others were not needed",
                     (long long)run->n.evaluations, (long long)run->n.systems * run->n.steps);
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
            if (k < 0 && runs->o->what == SHOAL_BENCH_GRID) continue; /* nothing to warm up */
            const shoal_status status = shoal_bench_time(runs[i].bench, seconds);
            if (status != SHOAL_OK) return complain_of_status(status);
        }
    for (int i = 0; i < n; ++i) sort_times(&runs[i]);
    return EXIT_ALL_FINE;
}

/* Times whole engines. The first must find the device as the program found it, so that the check comes after. */
static int measure_life(bench_run *run)
{
    const shoal_status status = shoal_bench_live(run->bench, run->o->repeats, &run->life);
    shoal_bench_count(run->bench, &run->n);
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

static void put_phases(json *j, const char *key, const double times[SHOAL_N_PHASES])
{
    json_open(j, key, '{');
    for (int k = 0; k < SHOAL_N_PHASES; ++k) json_number(j, shoal_bench_phase_name(k), times[k]);
    json_close(j, '}');
}

static void life_json(const shoal_bench_life *b, json *j)
{
    json_put(j, "open", b->open, "first_result", b->first_result);
    put_phases(j, "first", b->first);
    put_phases(j, "later", b->later);
    json_number(j, "create_and_destroy",
                b->later[SHOAL_PHASE_CREATE] + b->later[SHOAL_PHASE_DESTROY]);
}

static void life_table(const shoal_bench_life *b, int systems)
{
    const double both = b->later[SHOAL_PHASE_CREATE] + b->later[SHOAL_PHASE_DESTROY];
    (void)printf("opening the device: %.3g ms; first energies %.3g s after the program began\n",
                 1e3 * b->open, b->first_result);
    (void)printf("%-12s %12s %12s\n", "ms", "first", "later");
    for (int k = 0; k < SHOAL_N_PHASES; ++k)
        (void)printf("%-12s %12.3f %12.3f\n", shoal_bench_phase_name(k), 1e3 * b->first[k],
                     1e3 * b->later[k]);
    (void)printf("create and destroy later: %.3g ms, %.3g us per system\n", 1e3 * both,
                 1e6 * both / systems);
}

/* The same work with the other force field. */
static void json_against(json *j, const bench_run *run, const bench_run *other)
{
    json_open(j, "against", '{');
    json_put(j, "forcefield", forcefield_name(other->typing), "seconds", median_of(other), "spread",
             (other->times[run->o->repeats - 1] - other->times[0]) / median_of(other), "checked",
             other->checked.verdict, "times_as_fast", median_of(other) / median_of(run));
    json_close(j, '}');
}

static void report_json(const bench_run *run, const bench_figures *f)
{
    const bench_options *o = run->o;
    char backend[32];
    json j = {0};
    (void)snprintf(backend, sizeof backend, "%.*s", (int)strcspn(f->device, ":"), f->device);
    json_open(&j, NULL, '{');
    if (o->what == SHOAL_BENCH_GRID) {
        json_integer(&j, "nodes", run->n.evaluations);
    } else {
        json_put(&j, "case", o->which, "natoms", run->n.n_atoms, "systems", run->n.systems, "steps",
                 run->n.steps);
    }
    if (o->typing.forcefield || f->other) json_text(&j, "forcefield", forcefield_name(run->typing));
    json_put(&j, "backend", backend, "device", f->name, "device_string", f->device, "precision",
             shoal_precision_name((int)o->compute.engine.precision));
    if (o->surface.surface) {
        json_text(&j, "surface", o->surface_name);
        if (f->is_engine) json_text(&j, "grid", o->surface.grid ? "yes" : "no");
    }
    if (o->what == SHOAL_BENCH_ENGINE) {
        life_json(&run->life, &j);
    } else {
        json_put(&j, rate_names[o->what], f->rate, "seconds", f->median);
    }
    json_text(&j, "what", whats[o->what].text);
    if (f->is_engine && o->what != SHOAL_BENCH_ENGINE && !is_dynamics(o->what))
        json_text(&j, "method", relax_methods[o->method].text);
    if (o->what == SHOAL_BENCH_CONVERGE) {
        json_put(&j, "systems_per_s", run->n.systems / f->median, "mean_steps",
                 (double)run->n.evaluations / run->n.systems, "converged", run->n.converged);
    }
    if (o->what != SHOAL_BENCH_ENGINE) json_number(&j, "spread", f->spread);
    json_put(&j, "repeats", o->repeats, "threads", o->threads);
    if (f->is_engine) json_number(&j, "checked", run->checked.verdict);
    if (f->other) json_against(&j, run, f->other);
    (void)json_print_line(&j);
}

static void report_table(const bench_run *run, const bench_figures *f)
{
    const bench_options *o = run->o;
    if (o->what == SHOAL_BENCH_GRID)
        (void)printf("grid of %s, %lld nodes in %.3g s", o->surface_name,
                     (long long)run->n.evaluations, f->median);
    else
        (void)printf("%s, %d atoms, %d system%s", o->which, run->n.n_atoms, run->n.systems,
                     run->n.systems == 1 ? "" : "s");
    (void)printf(" on %s (%s, %s, %d thread%s)\n", f->device, f->name,
                 shoal_precision_name((int)o->compute.engine.precision), o->threads,
                 o->threads == 1 ? "" : "s");
    if (o->what == SHOAL_BENCH_ENGINE)
        life_table(&run->life, run->n.systems);
    else
        (void)printf("%s: %.4g %s/s, median of %d, spread %.1f %%\n", whats[o->what].text, f->rate,
                     unit_names[o->what], o->repeats, 100 * f->spread);
    if (o->what == SHOAL_BENCH_CONVERGE)
        (void)printf("%.4g systems/s, %.1f evaluations each, %lld of %d converged\n",
                     run->n.systems / f->median, (double)run->n.evaluations / run->n.systems,
                     (long long)run->n.converged, run->n.systems);
    if (f->other)
        (void)printf("%s: %.4g s, %.2f times as fast as %s: %.4g s\n", forcefield_name(run->typing),
                     f->median, median_of(f->other) / f->median, forcefield_name(f->other->typing),
                     median_of(f->other));
    if (f->is_engine)
        (void)printf("checked against ref: force error %.2g of the largest force\n",
                     run->checked.verdict);
}

static void report(const bench_run *run, const bench_run *other)
{
    const bench_options *o = run->o;
    const int n = o->repeats;
    bench_figures f = {.is_engine = o->what < SHOAL_BENCH_TYPING || o->what == SHOAL_BENCH_ENGINE,
                       .median = median_of(run),
                       .other = other};
    f.device = o->what == SHOAL_BENCH_TYPING ? "cpu" : o->compute.engine.device;
    f.spread = (run->times[n - 1] - run->times[0]) / f.median;
    f.rate = (double)run->n.evaluations / f.median;
    name_device(f.device, f.name);
    if (o->json)
        report_json(run, &f);
    else
        report_table(run, &f);
}

/* Loads, types and checks what is to be timed. Returns an exit code. */
static int begin_run(bench_run *run, const bench_options *o, const systems_options *typing)
{
    *run = (bench_run){.o = o, .typing = typing};
    run->how = (shoal_bench_options){.what = o->what,
                                     .method = o->method,
                                     .systems = o->systems,
                                     .steps = o->steps,
                                     .n_threads = o->threads,
                                     .seed = o->seed,
                                     .engine = &o->compute.engine,
                                     .typing = &typing->typing,
                                     .surface = o->surface.surface,
                                     .height = o->surface.height};
    const shoal_status status = shoal_bench_create(&run->bench, o->which, &run->how);
    if (status == SHOAL_E_UNSUPPORTED) {
        cli_complain("%s", shoal_error_text());
        return EXIT_SOME_FAILED;
    }
    if (status != SHOAL_OK) return complain_of_status(status);
    return o->what < SHOAL_BENCH_TYPING ? check_first(run) : EXIT_ALL_FINE;
}

static int run_bench(const bench_options *o)
{
    bench_run runs[2] = {{0}};
    const int n = o->against.forcefield ? 2 : 1;
    int code = begin_run(&runs[0], o, &o->typing);
    if (code == EXIT_ALL_FINE && n == 2) code = begin_run(&runs[1], o, &o->against);
    if (code == EXIT_ALL_FINE)
        code = o->what == SHOAL_BENCH_ENGINE ? measure_life(&runs[0]) : measure(runs, n);
    if (code == EXIT_ALL_FINE) report(&runs[0], n == 2 ? &runs[1] : NULL);
    for (int i = 0; i < n; ++i) shoal_bench_destroy(runs[i].bench);
    return code;
}

/* What force fields can be asked for. */
static bool check_forcefields(const bench_options *o)
{
    if (o->against.forcefield &&
        (o->whole || o->what == SHOAL_BENCH_GRID || o->what == SHOAL_BENCH_ENGINE))
        return cli_refuse("--against is for eval, relax, converge, md, langevin and typing");
    if (!o->whole && o->typing.typing.no_angle_guard)
        return cli_refuse("--no-angle-guard has no effect on the built-in systems");
    const bool repeats = o->whole || strcmp(o->which, "framework") == 0;
    if (!repeats && (o->compute.engine.vdw_cutoff > 0 || o->compute.engine.vdw_tail))
        return cli_refuse(
            "--vdw-cutoff and --vdw-tail apply to periodic systems: --case framework, --what file");
    return forcefield_agrees(&o->typing) &&
           settings_agree(&o->compute, o->typing.typing.forcefield);
}

/* "nacl" or "nacl:16x16x3"; false for anything else. */
static bool parse_salt(const char *name, shoal_slab_options *slab)
{
    char rest;
    *slab = (shoal_slab_options){.size = {8, 8}, .layers = 3, .charge = 0.9};
    if (strcmp(name, "nacl") == 0) return true;
    return sscanf(name, "nacl:%9dx%9dx%9d%c", &slab->size[0], &slab->size[1], &slab->layers,
                  &rest) == 3 &&
           slab->size[0] > 0 && slab->size[1] > 0 && slab->layers > 0;
}

/* The surface that --surface names, a built-in slab or a file, and its grid. Returns an exit code. */
static int make_surface(surface_settings *s, shoal_engine_options *engine)
{
    shoal_slab_options slab;
    shoal_molecule *mol = NULL;
    if (s->movable_layers > 0) return cli_misuse("--movable-layers: bench keeps its surface rigid");
    if (s->file && parse_salt(s->file, &slab)) {
        if (!surface_settings_settle(s, s->model)) return EXIT_USAGE;
        s->file = NULL;
        s->options.charges = s->charges;
        shoal_status status = shoal_molecule_create(&mol);
        if (status == SHOAL_OK) status = shoal_slab_build(mol, &slab);
        if (status == SHOAL_OK) status = shoal_surface_create(&s->surface, mol, &s->options);
        shoal_molecule_destroy(mol);
        if (status != SHOAL_OK) return complain_of_status(status);
    }
    return surface_settings_attach(s, engine, true);
}

static int list_cases(void)
{
    shoal_bench_case c;
    for (int32_t k = 0; shoal_bench_case_get(k, &c); ++k)
        (void)printf("%-14s%s\n", c.name, c.about);
    return EXIT_ALL_FINE;
}

/* Leaves nothing to chance that a result should name; the precision is what --help promises. */
static void settle(bench_options *o)
{
    shoal_engine_options *e = &o->compute.engine;
    if (!o->threads) o->threads = 1;
    e->n_threads = o->threads;
    const bool is_cpu = strcmp(e->device, "cpu") == 0 || strcmp(e->device, "shadow:cpu") == 0;
    const bool is_double = (o->what == SHOAL_BENCH_EVAL && is_cpu) || strcmp(e->device, "ref") == 0;
    if (e->precision == SHOAL_PRECISION_AUTO)
        e->precision = is_double ? SHOAL_PRECISION_DOUBLE : SHOAL_PRECISION_FLOAT;
}

static void files_json(const bench_options *o, const shoal_bench_files_result *r)
{
    json j = {0};
    json_open(&j, NULL, '{');
    json_put(&j, "what", "file", "job", bench_jobs[o->job].text, "device_string",
             o->compute.engine.device, "systems", r->n_systems, "failed", r->n_failed,
             "evaluations", r->last.n_evaluations, "threads", o->threads, "seconds", r->seconds,
             "first_seconds", r->first_seconds, "systems_per_s", (double)r->n_systems / r->seconds,
             "megabytes", 1e-6 * (double)r->n_bytes);
    json_open(&j, "thread_seconds", '{');
    for (int k = 0; k < SHOAL_N_STAGES; ++k)
        json_number(&j, shoal_stage_name((shoal_stage)k), r->last.seconds[k]);
    json_close(&j, '}');
    json_put(&j, "spread", r->spread, "repeats", o->repeats);
    (void)json_print_line(&j);
}

static void files_table(const bench_options *o, const shoal_bench_files_result *r)
{
    const double n = (double)r->n_systems;
    (void)printf("%s of %lld systems (%lld failed) on %s, %d threads: %.4g s, %.4g systems/s\n",
                 bench_jobs[o->job].text, (long long)r->n_systems, (long long)r->n_failed,
                 o->compute.engine.device, o->threads, r->seconds, n / r->seconds);
    (void)printf("median of %d, spread %.1f %%; the first run of the process took %.4g s\n",
                 o->repeats, 100 * r->spread, r->first_seconds);
    (void)printf("%-10s%16s%16s%18s\n", "part", "thread seconds", "us/system", "systems/s/thread");
    for (int k = 0; k < SHOAL_N_STAGES; ++k) {
        const double t = r->last.seconds[k];
        if (t > 0)
            (void)printf("%-10s%16.4f%16.3f%18.4g\n", shoal_stage_name((shoal_stage)k), t,
                         1e6 * t / n, n / t);
    }
}

static int run_files(const bench_options *o, const char **files, int n_files)
{
    const shoal_bench_files_options options = {.job = o->job,
                                               .engine = &o->compute.engine,
                                               .typing = &o->typing.typing,
                                               .output = o->output,
                                               .n_threads = o->threads,
                                               .repeats = o->repeats};
    shoal_bench_files_result r;
    if (n_files == 0) return cli_misuse("--what file needs the names of files");
    const shoal_status status = shoal_bench_files(&options, files, n_files, &r);
    if (status != SHOAL_OK) return complain_of_status(status);
    if (r.same) {
        (o->json ? files_json : files_table)(o, &r);
        return EXIT_ALL_FINE;
    }
    cli_complain("two runs gave different texts: nothing is reported");
    return EXIT_SOME_FAILED;
}

static int run_job(void *user, const char **files, int n_files)
{
    bench_options *o = user;
    if (!check_forcefields(o)) return EXIT_USAGE;
    if (o->whole && o->typing.params)
        return cli_misuse("--params is for built-in systems, not for --what file");
    if (o->whole) return run_files(o, files, n_files);
    if (o->job_given) return cli_misuse("--job is for --what file");
    if (n_files > 0 || o->output)
        return cli_misuse("files are for --what file; built-in systems have names, see --list");
    settle(o);
    if (o->list) return list_cases();
    const int loaded = systems_load_params(&o->typing, &o->compute.engine.mixing);
    if (loaded != EXIT_ALL_FINE) return loaded;
    o->against.typing.model = o->typing.pair_model;
    o->surface_name = o->surface.file;
    o->surface.params = o->typing.params;
    o->surface.model = o->typing.pair_model;
    if (o->what == SHOAL_BENCH_GRID) {
        if (!o->surface.file) return cli_misuse("--what grid needs --surface");
        o->surface.grid_how = "off"; /* the surface alone */
    }
    const int code = make_surface(&o->surface, &o->compute.engine);
    return code == EXIT_ALL_FINE ? run_bench(o) : code;
}

int cmd_bench(int argc, char **argv)
{
    bench_options o = {.compute.engine.device = "cpu",
                       .which = "xylitol",
                       .what = SHOAL_BENCH_RELAX,
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
