/* SPDX-License-Identifier: BSD-3-Clause
 * A panel while it is drawn. */
#ifndef SHOAL_IO_FIGURE_INNER_H
#define SHOAL_IO_FIGURE_INNER_H

#include "io/canvas.h"
#include "io/figure_scale.h"

/* Points. */
enum {
    FIGURE_BAR_SPACE = 78, /* for the colour bar and its numbers */
    FIGURE_TICK = 4
};
#define FIGURE_SMALL 10.0
#define FIGURE_NORMAL 11.0
#define FIGURE_LARGE 13.0
#define FIGURE_TITLE 15.0

typedef struct figure_drawing {
    canvas *to;
    const figure_panel *panel;
    canvas_box inside; /* of the axes */
    figure_scale x, y; /* polar: x from the centre outwards */
    canvas_point centre;
} figure_drawing;

/* Where a point of the data is; false if nowhere. */
bool figure_place(const figure_drawing *d, double x, double y, canvas_point *place);
void figure_text(const figure_drawing *d, double x, double y, double size, canvas_anchor anchor,
                 const char *text);

/* Border i of n cells around their centres, 0 <= i <= n. */
double figure_map_border(const double *centres, int32_t n, int32_t i);
void figure_map_cells(const figure_drawing *d);
/* The colour bar on the right. */
void figure_map_bar(const figure_drawing *d);

/* Is a polar panel the upper half only? */
bool figure_polar_half(const figure_panel *panel);
/* Scale, rings and spokes of a polar panel. */
void figure_polar_scale(figure_drawing *d);
void figure_polar_axes(const figure_drawing *d);

#endif
