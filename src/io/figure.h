/* SPDX-License-Identifier: BSD-3-Clause
 * Figures: panels with axes, lines, dots, marks and colour maps, plane or polar, as SVG. The same data
 * give the same picture. */
#ifndef SHOAL_IO_FIGURE_H
#define SHOAL_IO_FIGURE_H

#include <stdbool.h>

#include "base/error.h"

typedef enum figure_style {
    FIGURE_LINE,
    FIGURE_DASHES,
    FIGURE_DOTS,
    FIGURE_LINE_DOTS
} figure_style;

/* Points that are not finite, or not positive on a logarithmic axis, interrupt the line. */
typedef struct figure_series {
    const char *label; /* NULL: not in the legend */
    figure_style style;
    int32_t n;
    const double *x, *y;
} figure_series;

/* A place that counts. Both finite: a ring; one of them NaN: a line across the panel. */
typedef struct figure_mark {
    const char *label; /* NULL: not in the legend */
    double x, y;
} figure_mark;

/* Values over the centres of cells. low < 0 < high: blue, white at zero, red; else from dark to
 * bright. low = high: the range of the values. Cells that are not finite stay grey. */
typedef struct figure_map {
    const char *label; /* of the colour bar, with the unit */
    int32_t n_x, n_y;
    const double *x, *y;  /* increasing */
    const double *values; /* values[n_y][n_x] */
    double low, high;
    bool log; /* colours by the logarithm; values that are not positive stay grey */
} figure_map;

typedef struct figure_axis {
    const char *label; /* with the unit; NULL: none */
    double low, high;  /* equal: from the data */
    bool log;
} figure_axis;

typedef struct figure_panel {
    const char *title; /* NULL: none */
    figure_axis x, y;
    const figure_series *series;
    int32_t n_series;
    const figure_mark *marks;
    int32_t n_marks;
    const figure_map *map; /* NULL: none */
    bool polar;            /* x is a radius from 0 on, y an angle in degrees */
    bool diagonal;         /* draw y = x, and give both axes the same range */
} figure_panel;

/* Panels in rows of n_columns below a title (NULL: none). path: as for canvas_open. */
shoal_status figure_write(const char *path, const char *title, const figure_panel *panels,
                          int32_t n_panels, int32_t n_columns);

#endif
