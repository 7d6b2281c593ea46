/* SPDX-License-Identifier: BSD-3-Clause
 * The surface that the systems of a command stand on: file, charges, parameters. */
#ifndef SHOAL_CLI_SURFACE_OPTIONS_H
#define SHOAL_CLI_SURFACE_OPTIONS_H

#include "constraints.h"
#include "engine_options.h"
#include "grid.h"
#include "options.h"
#include "shoal/shoal.h"
#include "systems.h"

enum { SURFACE_CHARGES = 32 };

/* All zero is no surface. */
typedef struct surface_settings {
    const char *file, *params;
    const shoal_pair_model *model; /* of params where somebody has read it; NULL: it is read here */
    shoal_surface_options options;
    shoal_element_charge charges[SURFACE_CHARGES];
    shoal_surface *surface;
    const char *grid_how; /* --grid, NULL if it was not given */
    grid_workload work;   /* what --grid auto weighs */
    shoal_grid *grid;
    shoal_grid_settled found; /* of attach: where the grid is from */
    double c[3];              /* the third cell vector of the file, angstrom */
    double height;            /* angstrom; 0: systems stay where they are */
    int32_t movable_layers;
    double spring;          /* eV/A^2, of the atoms of movable layers */
    shoal_surface *movable; /* those layers, no longer part of the surface; NULL without them */
} surface_settings;

/* --surface, --height, --grid; from the fourth on those that a surface is made with. */
extern const cli_option surface_option_table[];
cli_take take_surface_option; /* the target is a surface_settings */

/* Settles the form once all options are known: only Morse has an alpha, and a pair model says all of it. model may be
 * NULL. False, with a message, where they contradict each other. */
bool surface_settings_settle(surface_settings *s, const shoal_pair_model *model);
/* Reads the file of --surface, if it was given, and makes s->surface. Returns an exit code; mistakes
 * are printed. */
int surface_settings_load(surface_settings *s);
/* The same, unless there is a surface already, then finds its grid and gives both to an engine. */
int surface_settings_attach(surface_settings *s, shoal_engine_options *engine, bool quiet);
/* Settles an engine: threads and the pair model of --params for the systems, which the surface gets, too, then the
 * same with --grid auto for so many evaluations of the systems of the files; NULL: these are not known. */
int surface_settings_prepare(surface_settings *s, systems_options *systems,
                             engine_settings *compute, const char **files, int n_files,
                             double evaluations);
/* False, with a message, where a spring was asked for and nothing moves. */
bool surface_spring_agrees(const surface_settings *s, bool moves);

/* What holds atoms, which may be NULL, and layers that move, in every system of a stream; borrowed from there. */
void systems_hold(const constraints *held, const surface_settings *surface,
                  shoal_stream_options *stream);
void surface_settings_free(surface_settings *s);
/* With the systems on the surface and what holds them. */
void systems_settings_free(systems_options *systems, surface_settings *surface, constraints *held);

#endif
