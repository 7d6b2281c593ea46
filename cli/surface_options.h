/* SPDX-License-Identifier: BSD-3-Clause
 * The surface that the systems of a command stand on: file, charges, parameters. */
#ifndef SHOAL_CLI_SURFACE_OPTIONS_H
#define SHOAL_CLI_SURFACE_OPTIONS_H

#include "options.h"
#include "shoal/shoal.h"

enum { SURFACE_CHARGES = 32 };

/* All zero is no surface. */
typedef struct surface_settings {
    const char *file, *params;
    shoal_surface_options options;
    shoal_element_charge charges[SURFACE_CHARGES];
    const char *first; /* name of the first option that needs a surface */
    shoal_surface *surface;
} surface_settings;

extern const cli_option surface_option_table[]; /* --surface, --surface-charges, ... */
cli_take take_surface_option;                   /* the target is a surface_settings */

/* Reads the file of --surface, if it was given, and makes s->surface. Returns an exit code; mistakes
 * are printed. */
int surface_settings_load(surface_settings *s);
void surface_settings_free(surface_settings *s);

#endif
