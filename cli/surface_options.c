/* SPDX-License-Identifier: BSD-3-Clause
 * The surface that the systems of a command stand on: file, charges, parameters. */
#include "surface_options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"

/* eV/A^2: what holds an ion in NaCl, whose mean square displacement at 300 K is 0.02 A^2, is 1.3. */
#define LAYER_SPRING 1.0

static const cli_word forms[] = {{"morse", SHOAL_SURFACE_MORSE}, {"lj", SHOAL_SURFACE_LJ}, {0}};
static const cli_word metals[] = {
    {"adsorption", SHOAL_METALS_ADSORPTION}, {"uff", SHOAL_METALS_UFF}, {0}};

const cli_option surface_option_table[] = {
    {"surface", 0, "FILE", "rigid substrate below all systems: xyz or extxyz with a cell",
     CLI_TEXT(surface_settings, file)},
    {"height", 0, "H",
     "put the lowest atom of every system H angstrom above the topmost surface atom",
     CLI_NUMBER(surface_settings, height, 0.1)},
    {"grid", 0, "HOW",
     "GRID.h5, off, or auto (default: a cached grid, otherwise whichever is faster)",
     CLI_TEXT(surface_settings, grid_how)},
    {"surface-charges", 0, "LIST",
     "charges by element, e.g. Na=0.9,Cl=-0.9 (default: those of the file)"},
    {"surface-form", 0, "FORM",
     "lj (default: that of UFF) or morse, with a softer wall; not with a pair model",
     CLI_WORD(surface_settings, options.form, forms)},
    {"metals", 0, "WHOSE",
     "parameters of a metal: adsorption (default: fitted to measured adsorption) or uff (too "
     "weak); not with "
     "--params",
     CLI_WORD(surface_settings, options.metals, metals)},
    {"alpha", 0, "A",
     "stiffness of the Morse form, 1/A (default 1.5); implies --surface-form morse",
     CLI_NUMBER(surface_settings, options.alpha, 0.2)},
    {"surface-damping", 0, "D", "damping of its Coulomb sum, kC q q / sqrt(r^2 + D^2) (default 0)",
     CLI_NUMBER(surface_settings, options.damping, 0)},
    {"no-hbonds", 0, NULL, "ignore the hydrogen bonds (h) of --params",
     CLI_FLAG(surface_settings, options.no_hbonds)},
    {"movable-layers", 0, "N",
     "the N topmost layers move: their atoms join every system, which becomes periodic in a and b",
     CLI_COUNT(surface_settings, movable_layers, 1, 10000)},
    {"layer-spring", 0, "K",
     "springs that tie movable atoms to their crystal positions, eV/A^2 (default 1; 0: force field "
     "only)",
     CLI_NUMBER(surface_settings, spring, 0)},
    {NULL, 0, NULL, NULL},
};

/* One ELEMENT=CHARGE of n characters. */
static bool take_charge(surface_settings *s, const char *text, size_t n)
{
    char symbol[4] = "", *end;
    const char *equals = memchr(text, '=', n);
    const size_t length = equals ? (size_t)(equals - text) : 0;
    if (length > 0 && length < sizeof symbol) memcpy(symbol, text, length);
    const int32_t z = shoal_element_number(symbol);
    const double charge = equals ? strtod(equals + 1, &end) : NAN;
    if (z == 0 || !isfinite(charge) || end == equals + 1 || end != text + n)
        return cli_refuse(
            "--surface-charges: '%.*s': expected an element and its charge, e.g. Na=0.9", (int)n,
            text);
    if (s->options.n_charges == SURFACE_CHARGES)
        return cli_refuse("--surface-charges: more than %d elements", SURFACE_CHARGES);
    s->charges[s->options.n_charges++] = (shoal_element_charge){z, charge};
    return true;
}

bool take_surface_option(void *target, const char *name, const char *value)
{
    (void)name;
    for (const char *at = value; *at;) {
        const size_t n = strcspn(at, ",");
        if (!take_charge(target, at, n)) return false;
        at += n + (at[n] == ',');
    }
    return true;
}

/* What a pair model settles, nobody else may; false, with a message, where somebody does. */
static bool obeys_model(const surface_settings *s)
{
    const char *option = cli_was_given("surface-form") ? "surface-form"
                         : cli_was_given("alpha")      ? "alpha"
                         : s->options.damping > 0      ? "surface-damping"
                         : s->options.no_hbonds        ? "no-hbonds"
                         : s->movable_layers > 0       ? "movable-layers"
                                                       : NULL;
    if (!option) return true;
    if (s->movable_layers > 0 && strcmp(option, "movable-layers") == 0)
        cli_complain("--movable-layers cannot be combined with the pair model of --params, which "
                     "does not describe what holds a crystal together");
    else
        cli_complain("--%s contradicts --params: the pair model says how molecules and substrate "
                     "interact",
                     option);
    return false;
}

bool surface_settings_settle(surface_settings *s, const shoal_pair_model *model)
{
    if (model && cli_was_given("metals")) {
        cli_complain(
            "--metals contradicts --params, which has parameters of all atoms of the surface");
        return false;
    }
    if (model && !shoal_pair_model_settings(model)->is_table) {
        s->options.model = model;
        return obeys_model(s);
    }
    s->options.types = shoal_pair_model_types(model);
    if (cli_was_given("alpha") && !cli_was_given("surface-form"))
        s->options.form = SHOAL_SURFACE_MORSE;
    if (!cli_was_given("alpha") || s->options.form == SHOAL_SURFACE_MORSE) return true;
    return cli_refuse("--alpha belongs to --surface-form morse; lj has none");
}

bool surface_spring_agrees(const surface_settings *s, bool moves)
{
    if (!cli_was_given("layer-spring") || moves || s->movable_layers == 0) return true;
    return cli_refuse("--layer-spring pulls back what has moved; nothing moves here");
}

/* Takes the layers that move off the surface. */
static int split_surface(surface_settings *s)
{
    shoal_surface *rest = NULL;
    if (cli_was_given("layer-spring") && s->movable_layers == 0)
        return cli_misuse("--layer-spring needs --movable-layers");
    if (s->movable_layers == 0) return EXIT_ALL_FINE;
    if (!cli_was_given("layer-spring")) s->spring = LAYER_SPRING;
    if (shoal_surface_split(s->surface, s->movable_layers, &rest, &s->movable) != SHOAL_OK)
        return cli_misuse("--movable-layers %d: %s", s->movable_layers, shoal_error_text());
    shoal_surface_destroy(s->surface);
    s->surface = rest;
    return EXIT_ALL_FINE;
}

int surface_settings_load(surface_settings *s)
{
    shoal_molecule *mol = NULL;
    shoal_pair_model *own = NULL;
    const char *first = cli_given_of(surface_option_table + 1);
    if (!s->file && first) return cli_misuse("--%s needs --surface", first);
    if (!s->file) return EXIT_ALL_FINE;
    int code = EXIT_FILES;
    s->options.charges = s->charges;
    if (s->params && !s->model && shoal_pair_model_read(&own, s->params) != SHOAL_OK) {
        cli_complain("--params: %s", shoal_error_text());
        return code;
    }
    if (!surface_settings_settle(s, s->model ? s->model : own)) {
        shoal_pair_model_destroy(own);
        return EXIT_USAGE;
    }
    if (systems_read_frame("surface", s->file, &mol) == SHOAL_OK) {
        double cell[3][3];
        bool pbc[3];
        code = EXIT_ALL_FINE;
        shoal_molecule_cell(mol, cell, pbc);
        memcpy(s->c, cell[2], sizeof s->c);
        if (shoal_surface_create(&s->surface, mol, &s->options) != SHOAL_OK) {
            cli_complain("--surface %s: %s", s->file, shoal_error_text());
            code = EXIT_FILES;
        } else {
            code = split_surface(s);
        }
    }
    s->options.types = NULL;
    s->options.model = NULL;
    shoal_molecule_destroy(mol);
    shoal_pair_model_destroy(own);
    return code;
}

int surface_settings_attach(surface_settings *s, shoal_engine_options *engine, bool quiet)
{
    int code = s->surface ? EXIT_ALL_FINE : surface_settings_load(s);
    const grid_source source = {.how = s->grid_how,
                                .surface_file = s->file,
                                .device = engine->device,
                                .n_threads = engine->n_threads,
                                .quiet = quiet,
                                .work = s->work.files ? &s->work : NULL};
    if (code == EXIT_ALL_FINE) code = grid_source_load(&source, s->surface, &s->grid, &s->found);
    engine->surface = s->surface;
    engine->grid = s->grid;
    return code;
}

int surface_settings_prepare(surface_settings *s, systems_options *systems,
                             engine_settings *compute, const char **files, int n_files,
                             double evaluations)
{
    shoal_engine_options *engine = &compute->engine;
    engine->n_threads = systems->n_threads;
    if (!settings_agree(compute, systems->typing.forcefield) || !output_agrees(systems))
        return EXIT_USAGE;
    const int code = systems_load_params(systems, engine);
    if (code != EXIT_ALL_FINE) return code;
    s->params = systems->params;
    s->model = systems->pair_model;
    s->work = (grid_workload){systems, files, n_files, evaluations, s->work.plans};
    return surface_settings_attach(s, engine, systems->quiet);
}

void systems_hold(const constraints *held, const surface_settings *surface,
                  shoal_stream_options *stream)
{
    if (held) constraints_attach(held, stream);
    stream->build.movable = surface->movable;
    stream->build.movable_spring = surface->spring;
}

void surface_settings_free(surface_settings *s)
{
    shoal_grid_destroy(s->grid);
    s->grid = NULL;
    shoal_surface_destroy(s->surface);
    s->surface = NULL;
    shoal_surface_destroy(s->movable);
    s->movable = NULL;
}

void systems_settings_free(systems_options *systems, surface_settings *surface, constraints *held)
{
    systems_options_free(systems);
    surface_settings_free(surface);
    constraints_free(held);
}
