/* SPDX-License-Identifier: BSD-3-Clause
 * Figures as SVG: panels with axes, lines, dots and colour maps. The same data give the same bytes. */
#ifndef SHOAL_IO_SVG_H
#define SHOAL_IO_SVG_H

#include <stdbool.h>

#include "base/error.h"

typedef enum svg_mark { SVG_LINE, SVG_DASHES, SVG_DOTS, SVG_LINE_DOTS } svg_mark;

/* Points that are not finite, or not positive on a logarithmic axis, interrupt the line. */
typedef struct svg_series {
    const char *label; /* NULL: not in the legend */
    svg_mark mark;
    int32_t n;
    const double *x, *y;
} svg_series;

/* Values over the centres of cells. low < 0 < high: blue, white at zero, red; else white to blue.
 * low = high: the range of the values. Cells that are not finite stay grey. */
typedef struct svg_map {
    const char *label; /* of the colour bar, with the unit */
    int32_t n_x, n_y;
    const double *x, *y;  /* increasing */
    const double *values; /* values[n_y][n_x] */
    double low, high;
} svg_map;

typedef struct svg_axis {
    const char *label; /* with the unit; NULL: none */
    double low, high;  /* equal: from the data */
    bool log;
} svg_axis;

typedef struct svg_panel {
    const char *title; /* NULL: none */
    svg_axis x, y;
    const svg_series *series;
    int32_t n_series;
    const svg_map *map; /* NULL: none */
    bool diagonal;      /* draw y = x, and give both axes the same range */
} svg_panel;

/* Panels in rows of n_columns below a title (NULL: none). "-" is standard output; a name ending in
 * .gz is compressed. */
shoal_status svg_write(const char *path, const char *title, const svg_panel *panels,
                       int32_t n_panels, int32_t n_columns);

#endif
