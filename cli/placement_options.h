/* SPDX-License-Identifier: BSD-3-Clause
 * How the molecules of a command are put before they are computed, copies of them, and what is written of the
 * substrate that they stand on. */
#ifndef SHOAL_CLI_PLACEMENT_OPTIONS_H
#define SHOAL_CLI_PLACEMENT_OPTIONS_H

#include "surface_options.h"

/* All zero leaves molecules where they are. */
typedef struct placement_settings {
    shoal_placement placement; /* its height is that of the surface settings */
    shoal_jitter jitter;       /* n_copies 0: none were asked for */
    bool draws;                /* the command has other uses for random numbers */
    bool with_slab, adsorption;
    shoal_variants variants; /* of the copies */
} placement_settings;

extern const cli_option
    placement_option_table[]; /* --at, --rotate, --orient, --with-slab, --adsorption */
extern const cli_option copies_option_table[]; /* --copies, --jitter, --seed */
cli_take take_placement_option;                /* of both; the target is a placement_settings */

/* Settles what the options ask for and puts it into a job, whose copies become the variants of its stream. The settings and the
 * surface outlive the run. Returns an exit code; mistakes are printed. */
int placement_attach(placement_settings *p, const surface_settings *surface, systems_job *job);
/* The same but for the variants, which the command makes of p->jitter. */
int placement_attach_alone(placement_settings *p, const surface_settings *surface,
                           systems_job *job);

#endif
