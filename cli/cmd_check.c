/* SPDX-License-Identifier: BSD-3-Clause
 * shoal check: a device against ref, over the systems of the user. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "commands.h"
#include "forcefield_options.h"
#include "groups.h"
#include "movers.h"
#include "relax_options.h"
#include "results.h"
#include "run.h"

typedef struct check_run {
    row_style style;
    const check_options *options;
    check_terms *terms; /* NULL unless each is looked at */
    check_relax *relax; /* NULL unless wanted */
    json line;
    double *errors; /* verdicts of the comparable systems */
    int64_t n_errors, capacity;
    int64_t n_systems, n_differ, n_no_numbers;
    struct {
        shoal_comparison c;
        int64_t index;
        char name[64], type[24];
        int term;          /* with the largest error of the forces */
        double term_error; /* eV/angstrom */
    } worst;
} check_run;

static const cli_option check_option_table[] = {
    {"tolerance", 0, "T",
     "of forces, relative to the largest (default: float 1e-4, double 1e-9, grid 1e-3)"},
    {"each-term", 0, NULL,
     "all terms: each as a whole, and every interaction of it alone; one table"},
    {"relax", 0, NULL, "a relaxation on the device, step by step"},
    {"interaction", 0, "WHAT",
     "one interaction, computed on the device: torsion:12, vdw:3,7, surface:4 and so on"},
    {"dump", 0, "FIELDS",
     "of the plan of --system, as JSON: positions,forces,energies,charges,slots,neighbours"},
    {"dump-to", 0, "DIR", "fields as files DIR/FIELD.npy instead"},
    {"system", 0, "INDEX", "that --interaction or --dump belongs to, counted from 0 (default 0)"},
    {"plain-terms", 0, NULL,
     "every bonded term by itself, without the paths that share work among several"},
    {NULL, 0, NULL, NULL},
};

static bool take_check_option(void *target, const char *name, const char *value)
{
    check_options *o = target;
    if (strcmp(name, "tolerance") == 0) return cli_number(name, value, 0, &o->tolerance);
    if (strcmp(name, "system") == 0) {
        o->has_system = true;
        return cli_integer(name, value, 0, 2147483647, &o->system);
    }
    if (strcmp(name, "interaction") == 0) o->interaction = value;
    if (strcmp(name, "relax") == 0) o->relax = true;
    if (strcmp(name, "dump") == 0) return check_dump_parse(o->dump = value);
    if (strcmp(name, "dump-to") == 0) o->dump_to = value;
    if (strcmp(name, "each-term") == 0) o->each_term = true;
    if (strcmp(name, "plain-terms") == 0) o->compute.engine.plain_terms = true;
    return true;
}

/* --- whole systems --------------------------------------------------------------------------- */

static shoal_status blame_term(check_run *run, const shoal_stream_system *system)
{
    check_system held;
    if (!check_hold(run->options, system, &held)) return SHOAL_E_MEMORY;
    const shoal_status status = check_blame(run->options, &held.system, check_count_movers(system),
                                            &run->worst.term, &run->worst.term_error);
    check_release(&held);
    return status;
}

static void json_compared(check_run *run, const shoal_stream_system *s, const shoal_result r[2],
                          const shoal_comparison *c, bool differs)
{
    json *j = &run->line;
    shoal_stream_system compared = *s;
    compared.result.status = r[1].status;
    json_reset(j);
    json_open(j, NULL, '{');
    json_system(j, &run->style, &compared);
    json_text(j, "ref_status", shoal_system_status_name(r[0].status));
    json_boolean(j, "differs", differs);
    if (c->comparable) {
        json_number(j, "force_error", c->force_error);
        json_number(j, "relative", c->relative);
        json_number(j, "verdict", c->verdict);
        json_integer(j, "atom", c->atom);
        json_number(j, "energy_error", c->energy_error);
        json_text(j, "energy_term", shoal_term_name(c->term));
    }
    json_print_line(j);
}

static bool note_error(check_run *run, double error)
{
    if (run->n_errors == run->capacity) {
        const int64_t capacity = 2 * run->capacity + 1024;
        double *more = realloc(run->errors, (size_t)capacity * sizeof *more);
        if (!more) return false;
        run->errors = more;
        run->capacity = capacity;
    }
    run->errors[run->n_errors++] = error;
    return true;
}

static void note_worst(check_run *run, const shoal_stream_system *s, const shoal_comparison *c)
{
    char buffer[32];
    shoal_topology_view v;
    shoal_topology_get(s->topology, &v);
    run->worst.c = *c;
    run->worst.index = s->index;
    (void)snprintf(run->worst.name, sizeof run->worst.name, "%.63s",
                   system_title(s->mol, s->index, buffer));
    mover_text type;
    (void)snprintf(run->worst.type, sizeof run->worst.type, "%.23s", mover_type(&v, c->atom, type));
}

/* Compares systems; *worst is the one with the largest error so far, -1 if none of them is. */
static int compare_systems(check_run *run, const shoal_stream_system *systems, int32_t n,
                           shoal_engine *engines[2], int32_t *worst)
{
    const check_options *o = run->options;
    const double most = check_tolerance(o);
    *worst = -1;
    for (int32_t i = 0; i < n; ++i) {
        const shoal_stream_system *s = &systems[i];
        shoal_result r[2];
        shoal_comparison c;
        for (int k = 0; k < 2; ++k) (void)shoal_engine_result(engines[k], i, &r[k]);
        shoal_compare(&r[0], &r[1], check_count_movers(s), &c);
        const bool off = c.comparable && !(c.verdict <= most && c.energy_error <= most);
        const bool differs = !c.same_status || off;
        run->n_differ += differs;
        run->n_no_numbers += !c.comparable;
        if (isnan(c.verdict)) c.verdict = INFINITY;
        if (c.comparable && !note_error(run, c.verdict)) {
            cli_complain("out of memory");
            return EXIT_DEVICE;
        }
        if (c.comparable && (c.verdict > run->worst.c.verdict || run->n_errors == 1)) {
            note_worst(run, s, &c);
            *worst = i;
        }
        if (o->systems.json) json_compared(run, s, r, &c, differs);
        if (differs && !o->systems.quiet)
            cli_complain("%lld %s differs: %s, ref %s, force error %.2g, energy error %.2g",
                         (long long)s->index, shoal_molecule_name(s->mol),
                         shoal_system_status_name(r[1].status),
                         shoal_system_status_name(r[0].status), c.verdict, c.energy_error);
    }
    run->n_systems += n;
    return EXIT_ALL_FINE;
}

static int visit(void *user, const shoal_stream_system *systems, int32_t n)
{
    check_run *run = user;
    const check_options *o = run->options;
    shoal_batch *batch = NULL;
    shoal_engine *engines[2];
    int32_t worst = -1;
    if (o->interaction || o->dump) {
        if (o->system < systems->index || o->system >= systems->index + n) return EXIT_ALL_FINE;
        ++run->n_systems;
        const shoal_stream_system *one = &systems[o->system - systems->index];
        return o->dump ? check_dump(o, one) : check_interaction(o, one);
    }
    if (run->terms) return check_terms_visit(run->terms, systems, n);
    if (run->relax) return check_relax_visit(run->relax, systems, n);
    int code = check_batch(o, systems, n, &batch);
    if (code != EXIT_ALL_FINE) return code;
    shoal_status status = check_evaluate(batch, &o->compute.engine, engines);
    code = status == SHOAL_OK ? compare_systems(run, systems, n, engines, &worst)
                              : complain_of_status(status);
    check_destroy(engines);
    shoal_batch_destroy(batch);
    if (code != EXIT_ALL_FINE || worst < 0) return code;
    status = blame_term(run, &systems[worst]);
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void conclude(check_run *run)
{
    const engine_settings *e = &run->options->compute;
    const int64_t n = run->n_errors;
    if (n > 0) qsort(run->errors, (size_t)n, sizeof *run->errors, compare_doubles);
    const double median = n > 0 ? run->errors[n / 2] : 0, largest = n > 0 ? run->errors[n - 1] : 0;
    const char *term = shoal_term_name(run->worst.term);
    if (run->options->systems.json) {
        json *j = &run->line;
        json_reset(j);
        json_open(j, NULL, '{');
        json_text(j, "device", e->engine.device);
        json_text(j, "precision", precision_name(e->engine.precision));
        json_integer(j, "systems", run->n_systems);
        json_integer(j, "compared", n);
        json_integer(j, "differ", run->n_differ);
        json_number(j, "median", median);
        json_number(j, "max", largest);
        if (n > 0) {
            json_open(j, "worst", '{');
            json_integer(j, "index", run->worst.index);
            json_text(j, "name", run->worst.name);
            json_integer(j, "atom", run->worst.c.atom);
            json_text(j, "term", term);
            json_number(j, "force_error", run->worst.c.force_error);
            json_number(j, "relative", run->worst.c.relative);
            json_number(j, "verdict", run->worst.c.verdict);
            json_close(j, '}');
        }
        json_print_line(j);
        return;
    }
    (void)printf("%lld systems on %s (%s) against ref: %lld compared, %lld differ\n",
                 (long long)run->n_systems, e->engine.device, precision_name(e->engine.precision),
                 (long long)n, (long long)run->n_differ);
    if (n == 0) return;
    (void)printf("force error / largest force of a system (1 eV/A at least): median %.2g, largest "
                 "%.2g\n",
                 median, largest);
    (void)printf("worst: system %lld %s, atom %d (%s): %.2g eV/A of %.3g eV/A, by the %s term\n",
                 (long long)run->worst.index, run->worst.name, run->worst.c.atom, run->worst.type,
                 run->worst.c.force_error, run->worst.c.force, term);
}

/* Only one way of looking at a time. */
static bool check_ways(const check_options *o)
{
    if (!!o->interaction + o->each_term + o->relax + !!o->dump > 1) {
        cli_complain("--interaction, --each-term, --relax, --dump: expected one of them");
        return false;
    }
    if (o->dump_to && !o->dump) {
        cli_complain("--dump-to goes with --dump");
        return false;
    }
    if (o->has_system && !o->interaction && !o->dump) {
        cli_complain("--system goes with --interaction or --dump");
        return false;
    }
    const shoal_relax_options *s = &o->steps;
    if (!o->relax && (s->fmax > 0 || s->max_steps > 0 || s->max_move > 0 || s->method)) {
        cli_complain("--fmax, --max-steps, --max-move and --method belong to --relax");
        return false;
    }
    if (!o->relax && o->held.n_fix > 0) {
        cli_complain(
            "--fix belongs to --relax: forces of atoms that do not move are compared, too");
        return false;
    }
    if (o->systems.strict) {
        cli_complain("check always stops at a record that cannot be read; expected no --strict");
        return false;
    }
    return surface_spring_agrees(&o->surface, o->relax || o->interaction || o->each_term) &&
           settings_agree(&o->compute, o->systems.typing.forcefield);
}

/* After the last system. */
static int end_check(check_run *run)
{
    const check_options *o = run->options;
    if (run->terms) return check_terms_conclude(run->terms);
    if (run->relax) return check_relax_conclude(run->relax);
    if (!o->interaction && !o->dump) {
        conclude(run);
        return run->n_differ > 0 ? EXIT_SOME_FAILED : EXIT_ALL_FINE;
    }
    if (run->n_systems > 0) return EXIT_ALL_FINE;
    cli_complain("--system %d: the input has fewer systems", o->system);
    return EXIT_USAGE;
}

static int run_check(void *user, const char **files, int n_files)
{
    check_options *o = user;
    shoal_engine_options *engine = &o->compute.engine;
    engine->n_threads = o->systems.n_threads;
    if (!check_ways(o)) return EXIT_USAGE;
    const shoal_status there = shoal_device_check(engine->device);
    if (there != SHOAL_OK) return complain_of_status(there);
    int code = systems_load_params(&o->systems, &engine->mixing);
    if (code != EXIT_ALL_FINE) return code;
    if (engine->precision == SHOAL_PRECISION_AUTO)
        engine->precision =
            strcmp(engine->device, "ref") == 0 ? SHOAL_PRECISION_DOUBLE : SHOAL_PRECISION_FLOAT;
    check_run run = {.options = o, .style.files = files};
    if (o->each_term && !(run.terms = check_terms_create(o))) code = EXIT_DEVICE;
    if (o->relax && !(run.relax = check_relax_create(o))) code = EXIT_DEVICE;
    o->surface.params = o->systems.params;
    o->surface.model = o->systems.pair_model;
    const grid_workload work = {
        .systems = &o->systems,
        .files = files,
        .n_files = n_files,
        .evaluations = o->relax ? shoal_job_evaluations(SHOAL_JOB_RELAX, &o->steps, NULL) : 1};
    o->surface.work = &work;
    if (code == EXIT_ALL_FINE)
        code = surface_settings_attach(&o->surface, engine, o->systems.quiet);
    o->surface.work = NULL;
    shoal_surface_view surface;
    shoal_surface_get(engine->surface, &surface);
    run.style.metals = surface.metals;
    const shoal_placement placement = {.height = o->surface.height};
    systems_job job = {.stream = {.job = SHOAL_JOB_TYPE,
                                  .compute.engine = engine,
                                  .build.placement = &placement,
                                  .build.movable = o->surface.movable,
                                  .build.movable_spring = o->surface.spring},
                       .visit = visit,
                       .user = &run,
                       .plans = true};
    constraints_attach(&o->held, &job.stream);
    o->systems.strict = true; /* what cannot be read cannot be compared */
    if (code == EXIT_ALL_FINE) code = run_systems(&o->systems, files, n_files, &job);
    if (code == EXIT_ALL_FINE) code = end_check(&run);
    check_terms_destroy(run.terms);
    check_relax_destroy(run.relax);
    free(run.errors);
    json_free(&run.line);
    return code;
}

int cmd_check(int argc, char **argv)
{
    check_options o = {.compute.engine.device = "cpu", .tolerance = -1};
    const cli_group groups[] = {
        {"options:", input_options, take_input_option, &o.systems},
        {"check:", check_option_table, take_check_option, &o},
        {"computing:", engine_option_table, take_engine_option, &o.compute},
        {"steps of --relax:", relax_option_table, take_relax_option, &o.steps},
        GROUP_OF_CONSTRAINTS(o),
        {"surface:", surface_option_table, take_surface_option, &o.surface},
        GROUPS_OF_TERMS(&o.systems),
    };
    const cli_command command = {
        .name = "check",
        .usage = "[OPTIONS] FILES",
        .purpose = "Compares energies and forces of a device with those of ref.",
        .notes =
            "The default device is cpu, in float. A system differs when a force is off by more "
            "than the tolerance\ntimes its largest force (or 1 eV/A, if that is larger), or "
            "when an energy or a status differs;\nthe exit code is then 1. A device that is not "
            "there is exit code 3.\n\n"
            "--interaction WHAT computes a system that holds this interaction alone, on ref and on "
            "the device:\n"
            "  bond:N angle:N torsion:N inversion:N   number N of the system, counted from 0\n"
            "  sigma_pi:N pi_pi:N                     the same, of mmffsp3\n"
            "  vdw:I,J coulomb:I,J                    a pair of atoms; periodic: through all "
            "images\n"
            "  vdw:I,J,A,B,C                          with the image of J in the cell A,B,C\n"
            "  surface:I restraint:N                  an atom on --surface, a --restrain\n"
            "Its error is relative to its own force, or to 1 eV/A (bond, angle, restraint, Ewald "
            "sum),\n0.05 (torsion, inversion, surface) or 0.001 (pairs) if that is larger. "
            "--each-term does that for all\ninteractions of all systems, thousands at a time, and "
            "compares every term of whole systems.",
        CLI_GROUPS(groups),
        CLI_ANY_FILES};
    const int code = cli_run(&command, argc, argv, run_check, &o);
    systems_settings_free(&o.systems, &o.surface, &o.held);
    return code;
}
