/* SPDX-License-Identifier: BSD-3-Clause
 * Letters as strokes of a pen, for canvases without fonts of their own. */
#ifndef SHOAL_IO_STROKE_FONT_H
#define SHOAL_IO_STROKE_FONT_H

#include "io/canvas.h"

/* Told every stroke; points of a size-1 font, base line at 0, y upwards. */
typedef void stroke_pen(void *user, canvas_point a, canvas_point b);

#define STROKE_FONT_WEIGHT 0.078 /* width of the pen, by the size */

/* Width of a text of size 1. */
double stroke_font_width(const char *text);
void stroke_font_draw(const char *text, stroke_pen *pen, void *user);

#endif
