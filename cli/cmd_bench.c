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
    const char *output;
} bench_options;

static const cli_option bench_option_table[] = {
    {"case", 0, "NAME", "built-in system; --list shows them (default xylitol)"},
    {"systems", 0, "N",
     "copies, each slightly different (default 4096; unlike 64, cells 256, framework 1)",
     CLI_COUNT(bench_options, systems, 1, 100000000)},
    {"steps", 0, "N", "evaluations per system (default 200, eval 10, engine 20)",
     CLI_COUNT(bench_options, steps, 1, 100000000)},
    {"what", 0, "WHAT",
     "relax (default), eval, converge (to 0.01 eV/A), md, langevin, typing, grid, engine, file"},
    {"job", 0, "NAME", "of --what file FILES: relax (default), energy, types or convert",
     CLI_WORD(bench_options, job, bench_jobs)},
    {"output", 'o', "FILE", "of --what file: write the systems there (default: nowhere)",
     CLI_TEXT(bench_options, output)},
    {"method", 0, "NAME", "method of relax and converge: lbfgs (default) or fire",
     CLI_WORD(bench_options, method, relax_methods)},
    {"against", 0, "NAME", "also time this force field, alternating, and print the ratio"},
    {"repeats", 0, "N", "timed repeats, after one that does not count (default 5)",
     CLI_COUNT(bench_options, repeats, 1, MAX_REPEATS)},
    {"seed", 0, "S", "seed of the differences between the copies (default 1)",
     CLI_COUNT(bench_options, seed, 0, INT32_MAX)},
    {"threads", 0, "N", "threads to use (default: all)",
     CLI_COUNT(bench_options, threads, 1, 4096)},
    {"json", 0, NULL, "one JSON object", CLI_FLAG(bench_options, json)},
    {"list", 0, NULL, "list the built-in systems and stop", CLI_FLAG(bench_options, list)},
    {NULL, 0, NULL, NULL},
};

static bool take_bench_option(void *target, const char *name, const char *value)
{
    bench_options *o = target;
    if (strcmp(name, "case") == 0) {
        shoal_bench_case c;
        int32_t k = 0;
        while (shoal_bench_case_get(k, &c) && strcmp(c.name, value) != 0) ++k;
        if (!shoal_bench_case_get(k, &c))
            cli_complain("--case '%s': unknown; --list shows the built-in systems", value);
        o->which = value;
        return shoal_bench_case_get(k, &c);
    }
    if (strcmp(name, "against") == 0)
        return take_forcefield_option(&o->against, "forcefield", value);
    int what = 0;
    if (!cli_choose(name, value, whats, &what)) return false;
    o->whole = what == WHOLE_RUN;
    if (!o->whole) o->what = (shoal_bench_what)what;
    return true;
}

/* Compares the first systems with ref. Returns an exit code. */
static int check_first(shoal_bench *bench, const bench_options *o, double *verdict)
{
    shoal_bench_check c;
    const shoal_status status = shoal_bench_compare(bench, &c);
    if (status != SHOAL_OK) return complain_of_status(status);
    *verdict = c.verdict;
    if (c.differs < 0) return EXIT_ALL_FINE;
    cli_complain("system %d of %s differs from ref (%s, force error %.2g, energy error %.2g): "
                 "nothing is timed",
                 c.differs, o->which, shoal_system_status_name(c.status), c.c.verdict,
                 c.c.energy_error);
    return EXIT_SOME_FAILED;
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

static void print_head(const bench_options *o, const shoal_bench_figures *f,
                       const shoal_bench_counts *n)
{
    if (o->what == SHOAL_BENCH_GRID)
        (void)printf("grid of %s, %lld nodes in %.3g s", o->surface_name, (long long)n->evaluations,
                     f->median);
    else
        (void)printf("%s, %d atoms, %d system%s", o->which, n->n_atoms, n->systems,
                     n->systems == 1 ? "" : "s");
    (void)printf(" on %s (%s, %s, %d thread%s)\n",
                 o->what == SHOAL_BENCH_TYPING ? "cpu" : o->compute.engine.device, f->device,
                 shoal_precision_name((int)o->compute.engine.precision), o->threads,
                 o->threads == 1 ? "" : "s");
}

static void print_table(const bench_options *o, shoal_bench *const *benches,
                        const shoal_bench_figures *f, double verdict)
{
    shoal_bench_counts n;
    shoal_bench_count(benches[0], &n);
    print_head(o, f, &n);
    if (o->what == SHOAL_BENCH_ENGINE)
        life_table(&f->life, n.systems);
    else
        (void)printf("%s: %.4g %s/s, median of %d, spread %.1f %%\n", whats[o->what].text, f->rate,
                     f->unit, o->repeats, 100 * f->spread);
    if (o->what == SHOAL_BENCH_CONVERGE)
        (void)printf("%.4g systems/s, %.1f evaluations each, %lld of %d converged\n",
                     n.systems / f->median, (double)n.evaluations / n.systems,
                     (long long)n.converged, n.systems);
    if (benches[1])
        (void)printf("%s: %.4g s, %.2f times as fast as %s: %.4g s\n", forcefield_name(&o->typing),
                     f[0].median, f[1].median / f[0].median, forcefield_name(&o->against),
                     f[1].median);
    if (f->on_engine)
        (void)printf("checked against ref: force error %.2g of the largest force\n", verdict);
}

static shoal_status report(const bench_options *o, shoal_bench *const *benches, double verdict)
{
    shoal_bench_figures f[2];
    const char *const names[2] = {forcefield_name(&o->typing), forcefield_name(&o->against)};
    const bool named = o->typing.forcefield || benches[1];
    shoal_status status = SHOAL_OK;
    for (int i = 0; i < 2 && benches[i] && status == SHOAL_OK; ++i) {
        shoal_bench_counts n;
        status = shoal_bench_report(benches[i], &f[i]);
        shoal_bench_count(benches[i], &n);
        if (status == SHOAL_OK && f[i].fell_short)
            cli_complain("warning: %lld of %lld evaluations done; the others were not needed",
                         (long long)n.evaluations, (long long)n.systems * n.steps);
    }
    if (status == SHOAL_OK && !o->json) print_table(o, benches, f, verdict);
    if (status != SHOAL_OK || !o->json) return status;
    json j = {0};
    json_open(&j, NULL, '{');
    status = shoal_bench_json(&j, benches[0], benches[1], named ? names : NULL, o->surface_name);
    (void)json_print_line(&j);
    return status;
}

/* Loads, types and checks what is to be timed. Returns an exit code. */
static int begin(shoal_bench **bench, const bench_options *o, const systems_options *typing,
                 double *verdict)
{
    const shoal_bench_options how = {.what = o->what,
                                     .method = o->method,
                                     .systems = o->systems,
                                     .steps = o->steps,
                                     .n_threads = o->threads,
                                     .seed = o->seed,
                                     .engine = &o->compute.engine,
                                     .typing = &typing->typing,
                                     .surface = o->surface.surface,
                                     .height = o->surface.height};
    const shoal_status status = shoal_bench_create(bench, o->which, &how);
    if (status == SHOAL_E_UNSUPPORTED) {
        cli_complain("%s", shoal_error_text());
        return EXIT_SOME_FAILED;
    }
    if (status != SHOAL_OK) return complain_of_status(status);
    return o->what < SHOAL_BENCH_TYPING ? check_first(*bench, o, verdict) : EXIT_ALL_FINE;
}

static int run_bench(const bench_options *o)
{
    shoal_bench *benches[2] = {NULL, NULL};
    double verdict = 0, other = 0;
    int code = begin(&benches[0], o, &o->typing, &verdict);
    if (code == EXIT_ALL_FINE && o->against.forcefield)
        code = begin(&benches[1], o, &o->against, &other);
    shoal_status status = SHOAL_OK;
    if (code == EXIT_ALL_FINE)
        status = shoal_bench_measure(benches, benches[1] ? 2 : 1, o->repeats);
    /* The first engine must find the device as the program found it: the check comes after. */
    if (code == EXIT_ALL_FINE && status == SHOAL_OK && o->what == SHOAL_BENCH_ENGINE)
        code = check_first(benches[0], o, &verdict);
    if (code == EXIT_ALL_FINE && status == SHOAL_OK) status = report(o, benches, verdict);
    for (int i = 0; i < 2; ++i) shoal_bench_destroy(benches[i]);
    return status == SHOAL_OK ? code : complain_of_status(status);
}

/* What force fields can be asked for. */
static bool check_forcefields(const bench_options *o)
{
    if (o->against.forcefield &&
        (o->whole || o->what == SHOAL_BENCH_GRID || o->what == SHOAL_BENCH_ENGINE))
        return cli_refuse("--against is for eval, relax, converge, md, langevin and typing");
    if (!o->whole && o->typing.typing.no_angle_guard)
        return cli_refuse("--no-angle-guard has no effect on the built-in systems");
    const bool repeats =
        o->whole || strcmp(o->which, "framework") == 0 || strcmp(o->which, "cells") == 0;
    if (!repeats && settings_repeat(&o->compute))
        return cli_refuse("--vdw-cutoff, --vdw-tail, --ewald and --ewald-tolerance apply to "
                          "periodic systems: --case framework or cells, --what file");
    return forcefield_agrees(&o->typing) &&
           settings_agree(&o->compute, o->typing.typing.forcefield);
}

/* The surface that --surface names, a built-in slab or a file, and its grid. Returns an exit code. */
static int make_surface(surface_settings *s, shoal_engine_options *engine)
{
    shoal_slab_options slab;
    shoal_molecule *mol = NULL;
    if (s->movable_layers > 0) return cli_misuse("--movable-layers: bench keeps its surface rigid");
    if (s->file && shoal_bench_slab(s->file, &slab)) {
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
        if (!o->json) {
            files_table(o, &r);
            return EXIT_ALL_FINE;
        }
        json j = {0};
        json_open(&j, NULL, '{');
        shoal_bench_files_json(&j, &options, &r);
        return json_print_line(&j);
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
    const int loaded = systems_load_params(&o->typing, &o->compute.engine);
    if (loaded != EXIT_ALL_FINE) return loaded;
    if (o->whole) return run_files(o, files, n_files);
    if (cli_was_given("job")) return cli_misuse("--job is for --what file");
    if (n_files > 0 || o->output)
        return cli_misuse("files are for --what file; built-in systems have names, see --list");
    settle(o);
    if (o->list) return list_cases();
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
        {"parameters:", params_options, NULL, &o.typing},
        {"surface:", surface_option_table, take_surface_option, &o.surface},
    };
    const cli_command command = {
        .name = "bench",
        .usage = "[OPTIONS] [FILES]",
        .purpose =
            "Times built-in systems, after comparing the first ones with ref, or whole runs.",
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
