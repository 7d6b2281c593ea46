/* SPDX-License-Identifier: BSD-3-Clause
 * A sheet of SVG to draw on: lines, areas, discs and words. Places are in points from the upper left
 * corner. */
#ifndef SHOAL_IO_CANVAS_H
#define SHOAL_IO_CANVAS_H

#include <stdbool.h>

#include "base/error.h"

typedef struct canvas canvas;

typedef struct canvas_point {
    double x, y;
} canvas_point;

typedef struct canvas_box {
    double left, top, right, bottom;
} canvas_box;

typedef struct canvas_pen {
    int32_t colour; /* 0xrrggbb */
    double width;
    double dash, gap; /* 0: solid */
} canvas_pen;

typedef enum canvas_anchor { CANVAS_START, CANVAS_MIDDLE, CANVAS_END } canvas_anchor;

typedef struct canvas_font {
    double size;
    canvas_anchor anchor;
    bool upwards; /* turned by a quarter, to be read from below */
    bool halo;    /* a white edge keeps it apart from what is behind */
} canvas_font;

/* "-" is standard output, a name ending in .gz is compressed, one ending in .png is refused. */
shoal_status canvas_open(canvas **out, const char *path, int32_t width, int32_t height);

void canvas_polyline(canvas *c, const canvas_point *points, int32_t n, canvas_pen pen);
void canvas_line(canvas *c, double x1, double y1, double x2, double y2, canvas_pen pen);
void canvas_frame(canvas *c, canvas_box box, canvas_pen pen);
/* Areas have hard edges, so that neighbours leave no seam between them. */
void canvas_area(canvas *c, canvas_box box, int32_t colour);
void canvas_polygon(canvas *c, const canvas_point *corners, int32_t n, int32_t colour);
void canvas_disc(canvas *c, canvas_point centre, double radius, int32_t colour, double opacity);
/* UTF-8; the place is on the base line. */
void canvas_text(canvas *c, canvas_point at, canvas_font font, const char *text);
/* What follows is drawn inside the box only, until the next call; NULL: everywhere. */
void canvas_clip(canvas *c, const canvas_box *box);

/* Writes what is left and gives the file its name. */
shoal_status canvas_close(canvas *c);
/* Discards the file unless it was closed. */
void canvas_destroy(canvas *c);

/* Takes the next character off a text in UTF-8: U+FFFD where it is malformed, 0 at the end. */
int32_t canvas_character(const char **text);
/* About how wide a text will be, points; whoever shows the drawing chooses the font. */
double canvas_text_width(double size, const char *text);

#endif
