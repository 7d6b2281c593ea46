/* SPDX-License-Identifier: BSD-3-Clause
 * shoal check: a device against ref, over the systems of the user. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "engine_options.h"
#include "results.h"
#include "run.h"
#include "surface_options.h"

typedef struct check_options {
    systems_options systems;
    engine_settings compute;
    surface_settings surface;
    double tolerance;        /* negative: by the precision */
    const char *interaction; /* TERM:INDEX or TERM:I,J, NULL for none */
    int system;              /* that it belongs to */
} check_options;

typedef struct check_run {
    row_style style;
    const check_options *options;
    json line;
    double *errors; /* verdicts of the comparable systems */
    int64_t n_errors, capacity;
    int64_t n_systems, n_differ, n_no_numbers;
    struct {
        shoal_comparison c;
        int64_t index;
        char name[64], type[16];
        int term;          /* with the largest error of the forces */
        double term_error; /* eV/angstrom */
    } worst;
} check_run;

static const cli_option check_option_table[] = {
    {"tolerance", 0, "T",
     "of forces, relative to the largest (default: float 1e-4, double 1e-9, grid 1e-3)"},
    {"interaction", 0, "WHAT", "one interaction on both sides: torsion:12, vdw:3,7 and so on"},
    {"system", 0, "INDEX", "that --interaction belongs to, counted from 0 (default 0)"},
    {NULL, 0, NULL, NULL},
};

static bool take_check_option(void *target, const char *name, const char *value)
{
    check_options *o = target;
    if (strcmp(name, "tolerance") == 0) return cli_number(name, value, 0, &o->tolerance);
    if (strcmp(name, "system") == 0) return cli_integer(name, value, 0, 2147483647, &o->system);
    o->interaction = value;
    return true;
}

/* --- one interaction ------------------------------------------------------------------------- */

static bool parse_interaction(const char *text, int *term, int32_t which[2])
{
    const char *colon = strchr(text, ':');
    char rest;
    *term = colon ? term_by_name(text, (size_t)(colon - text)) : shoal_term_count();
    const bool is_pair = *term == SHOAL_TERM_VDW || *term == SHOAL_TERM_COULOMB;
    which[1] = -1;
    if (*term < shoal_term_count() && *term != SHOAL_TERM_SURFACE &&
        (is_pair ? sscanf(colon + 1, "%d,%d%c", &which[0], &which[1], &rest) == 2
                 : sscanf(colon + 1, "%d%c", &which[0], &rest) == 1))
        return true;
    cli_complain("--interaction '%s': expected bond:N, angle:N, torsion:N, inversion:N, vdw:I,J or "
                 "coulomb:I,J",
                 text);
    return false;
}

/* A pair of a periodic system is a sum over images: says so, and what to do instead. */
static bool refuse_images(const shoal_molecule *mol, int term, const char *asked)
{
    if ((term != SHOAL_TERM_VDW && term != SHOAL_TERM_COULOMB) || !shoal_molecule_is_periodic(mol))
        return false;
    cli_complain(
        "--interaction %s: the system is periodic, and %s", asked,
        term == SHOAL_TERM_VDW
            ? "two atoms meet through many images; 'shoal energy --explain --terms vdw' "
              "lists them one by one"
            : "an Ewald sum has no single pairs; 'shoal check --terms coulomb' compares it "
              "as a whole");
    return true;
}

static void print_interaction(const shoal_interaction sides[2], const shoal_topology_view *v,
                              const char *precision)
{
    const shoal_term_row *row = &sides[0].row;
    shoal_term_kind kind;
    const bool is_angle = shoal_term_kind_get(row->kind, &kind) && kind.value_unit[0] == 'd';
    (void)printf("%s", shoal_term_name(row->term));
    if (row->index >= 0) (void)printf(" %d", row->index);
    for (int32_t k = 0; k < row->n_atoms; ++k)
        (void)printf("%s%d:%s", k ? " " : ", atoms ", row->atoms[k].atom,
                     v->types[row->atoms[k].atom]);
    (void)printf("\n%-22s%24s%24s%12s\n", "", "ref", precision, "difference");
    const double values[2] = {row->value, sides[1].row.value};
    const double energies[2] = {row->energy, sides[1].row.energy};
    (void)printf("%-22s%24.16g%24.16g%12.2g\n", is_angle ? "value, degrees" : "value, A", values[0],
                 values[1], values[1] - values[0]);
    (void)printf("%-22s%24.16g%24.16g%12.2g\n", "energy, eV", energies[0], energies[1],
                 energies[1] - energies[0]);
    for (int32_t k = 0; k < row->n_atoms; ++k)
        for (int c = 0; c < 3; ++c) {
            const double a = sides[0].forces[k][c], b = sides[1].forces[k][c];
            (void)printf("force on %-8d %c, eV/A%23.16g%24.16g%12.2g\n", row->atoms[k].atom,
                         "xyz"[c], a, b, b - a);
        }
}

static void json_interaction(json *j, const shoal_interaction sides[2], const char *precision)
{
    const shoal_term_row *row = &sides[0].row;
    const char *names[2] = {"ref", precision};
    json_reset(j);
    json_open(j, NULL, '{');
    json_text(j, "term", shoal_term_name(row->term));
    json_integer(j, "index", row->index);
    json_open(j, "atoms", '[');
    for (int32_t k = 0; k < row->n_atoms; ++k) json_integer(j, NULL, row->atoms[k].atom);
    json_close(j, ']');
    for (int side = 0; side < 2; ++side) {
        json_open(j, names[side], '{');
        json_number(j, "value", sides[side].row.value);
        json_number(j, "energy", sides[side].row.energy);
        json_open(j, "forces", '[');
        for (int32_t k = 0; k < row->n_atoms; ++k) json_vector(j, sides[side].forces[k]);
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, '}');
    json_end_line(j);
    json_print(j);
}

static int show_interaction(check_run *run, const shoal_stream_system *system)
{
    const check_options *o = run->options;
    shoal_engine_options options = o->compute.engine;
    shoal_interaction sides[2];
    shoal_topology_view v;
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    int term;
    int32_t which[2];
    if (!parse_interaction(o->interaction, &term, which) ||
        refuse_images(system->mol, term, o->interaction))
        return EXIT_USAGE;
    int code = systems_batch(system, 1, &batch);
    if (code != EXIT_ALL_FINE) return code;
    options.device = "ref";
    options.precision = SHOAL_PRECISION_DOUBLE;
    shoal_status status = shoal_engine_create(&engine, batch, &options);
    if (status == SHOAL_OK)
        status = shoal_engine_interaction(engine, 0, term, which, o->compute.engine.precision,
                                          &sides[0], &sides[1]);
    shoal_topology_get(system->topology, &v);
    const char *precision = precision_name(o->compute.engine.precision);
    if (status != SHOAL_OK)
        code = complain_of_status(status);
    else if (o->systems.json)
        json_interaction(&run->line, sides, precision);
    else
        print_interaction(sides, &v, precision);
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    return code;
}

/* --- whole systems --------------------------------------------------------------------------- */

/* ref (0) and the device (1) over one batch. */
static shoal_status evaluate(const shoal_batch *batch, const shoal_engine_options *device,
                             shoal_engine *engines[2])
{
    shoal_engine_options options[2] = {*device, *device};
    options[0].device = "ref";
    options[0].precision = SHOAL_PRECISION_DOUBLE;
    shoal_status status = SHOAL_OK;
    engines[0] = engines[1] = NULL;
    for (int k = 1; k >= 0 && status == SHOAL_OK; --k) {
        status = shoal_engine_create(&engines[k], batch, &options[k]);
        if (status == SHOAL_OK) status = shoal_engine_eval(engines[k]);
    }
    return status;
}

static void destroy_both(shoal_engine *engines[2])
{
    shoal_engine_destroy(engines[0]);
    shoal_engine_destroy(engines[1]);
}

/* Finds the term that the worst system owes its error to, by computing each alone. */
static shoal_status blame_term(check_run *run, const shoal_stream_system *system)
{
    shoal_batch *batch = NULL;
    shoal_status status = SHOAL_OK;
    if (systems_batch(system, 1, &batch) != EXIT_ALL_FINE) return SHOAL_E_MEMORY;
    run->worst.term_error = -1;
    for (int t = 0; t < shoal_term_count() && status == SHOAL_OK; ++t) {
        shoal_engine_options options = run->options->compute.engine;
        shoal_engine *engines[2];
        shoal_result r[2];
        shoal_comparison c;
        if (options.terms_off >> t & 1u || (t == SHOAL_TERM_SURFACE && !options.surface)) continue;
        options.terms_off = ~(1u << t);
        status = evaluate(batch, &options, engines);
        for (int k = 0; k < 2 && status == SHOAL_OK; ++k)
            status = shoal_engine_result(engines[k], 0, &r[k]);
        if (status == SHOAL_OK) {
            shoal_compare(&r[0], &r[1], shoal_molecule_n_atoms(system->mol), &c);
            if (c.force_error > run->worst.term_error) {
                run->worst.term_error = c.force_error;
                run->worst.term = t;
            }
        }
        destroy_both(engines);
    }
    shoal_batch_destroy(batch);
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
    json_close(j, '}');
    json_end_line(j);
    json_print(j);
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
    (void)snprintf(run->worst.type, sizeof run->worst.type, "%.15s", v.types[c->atom]);
}

/* Compares systems; *worst is the one with the largest error so far, -1 if none of them is. */
static int compare_systems(check_run *run, const shoal_stream_system *systems, int32_t n,
                           shoal_engine *engines[2], int32_t *worst)
{
    const check_options *o = run->options;
    const double most =
        o->tolerance >= 0 ? o->tolerance : shoal_compare_tolerance(&o->compute.engine);
    *worst = -1;
    for (int32_t i = 0; i < n; ++i) {
        const shoal_stream_system *s = &systems[i];
        shoal_result r[2];
        shoal_comparison c;
        for (int k = 0; k < 2; ++k) (void)shoal_engine_result(engines[k], i, &r[k]);
        shoal_compare(&r[0], &r[1], shoal_molecule_n_atoms(s->mol), &c);
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
    if (o->interaction) {
        if (o->system < systems->index || o->system >= systems->index + n) return EXIT_ALL_FINE;
        ++run->n_systems;
        return show_interaction(run, &systems[o->system - systems->index]);
    }
    int code = systems_batch(systems, n, &batch);
    if (code != EXIT_ALL_FINE) return code;
    shoal_status status = evaluate(batch, &o->compute.engine, engines);
    code = status == SHOAL_OK ? compare_systems(run, systems, n, engines, &worst)
                              : complain_of_status(status);
    destroy_both(engines);
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
        json_close(j, '}');
        json_end_line(j);
        json_print(j);
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

static int run_check(void *user, const char **files, int n_files)
{
    check_options *o = user;
    shoal_engine_options *engine = &o->compute.engine;
    engine->n_threads = o->systems.n_threads;
    int code = systems_load_params(&o->systems, &engine->mixing);
    if (code != EXIT_ALL_FINE) return code;
    if (engine->precision == SHOAL_PRECISION_AUTO)
        engine->precision =
            strcmp(engine->device, "ref") == 0 ? SHOAL_PRECISION_DOUBLE : SHOAL_PRECISION_FLOAT;
    check_run run = {.options = o, .style.files = files};
    o->surface.params = o->systems.params;
    code = surface_settings_attach(&o->surface, engine, o->systems.quiet);
    systems_job job = {.stream = {.job = SHOAL_JOB_TYPE,
                                  .engine = engine,
                                  .height = o->surface.height,
                                  .movable = o->surface.movable},
                       .visit = visit,
                       .user = &run,
                       .plans = true};
    o->systems.strict = true; /* what cannot be read cannot be compared */
    if (code == EXIT_ALL_FINE) code = run_systems(&o->systems, files, n_files, &job);
    if (code == EXIT_ALL_FINE && o->interaction && run.n_systems == 0) {
        cli_complain("--system %d: there are not so many", o->system);
        code = EXIT_USAGE;
    } else if (code == EXIT_ALL_FINE && !o->interaction) {
        conclude(&run);
        if (run.n_differ > 0) code = EXIT_SOME_FAILED;
    }
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
        {"surface:", surface_option_table, take_surface_option, &o.surface},
        {"typing:", typing_options, take_typing_option, &o.systems},
        {"parameters:", params_options, take_params_option, &o.systems},
    };
    const cli_command command = {
        .name = "check",
        .usage = "[OPTIONS] FILES",
        .purpose = "Compares energies and forces of a device with those of ref.",
        .notes =
            "The default device is cpu, in float. A system differs when a force is off by more "
            "than the tolerance\ntimes its largest force (or 1 eV/A, if that is larger), or "
            "when an energy or a status differs;\nthe exit code is then 1.",
        .groups = groups,
        .n_groups = sizeof groups / sizeof groups[0],
        .min_files = 1,
        .max_files = -1};
    const int code = cli_run(&command, argc, argv, run_check, &o);
    systems_options_free(&o.systems);
    surface_settings_free(&o.surface);
    return code;
}
