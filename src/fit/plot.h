/* SPDX-License-Identifier: BSD-3-Clause
 * The figures of a fit while they are made. */
#ifndef SHOAL_FIT_PLOT_H
#define SHOAL_FIT_PLOT_H

#include "fit/objective.h"
#include "io/figure.h"

/* A dimer and how well it is fitted. */
typedef struct plot_dimer {
    int32_t dimer, n; /* n samples */
    double square;    /* sum of squared errors, eV^2 */
} plot_dimer;

typedef struct plotting {
    shoal_fit *fit;
    const shoal_dataset *data;
    const char *prefix;
    arena memory;
    double *model, *reference; /* [n_samples] eV */
    plot_dimer *dimers;        /* [data->n_dimers], the worst first */
} plotting;

/* Of the arena; NULL when memory is out. */
double *plot_numbers(plotting *p, int32_t n);
char *plot_label(plotting *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "words: 0.0123 unit", whatever the locale; value >= 0. */
char *plot_value_label(plotting *p, const char *words, double value, const char *unit);

/* Files PREFIX-NAME of all formats. */
shoal_status plot_write(const plotting *p, const char *name, const char *title,
                        const figure_panel *panels, int32_t n, int32_t columns);
const char *plot_dimer_name(const plotting *p, int32_t dimer);
/* Is there more than one angle? */
bool plot_has_angles(const plotting *p, int32_t dimer);

shoal_status plot_maps(plotting *p);
shoal_status plot_dofs(plotting *p);
shoal_status plot_trajectory(plotting *p);

#endif
