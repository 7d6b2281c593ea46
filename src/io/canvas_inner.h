/* SPDX-License-Identifier: BSD-3-Clause
 * What a kind of canvas must be able to do. */
#ifndef SHOAL_IO_CANVAS_INNER_H
#define SHOAL_IO_CANVAS_INNER_H

#include "io/canvas.h"

typedef struct canvas_kind {
    void (*polyline)(canvas *c, const canvas_point *points, int32_t n, canvas_pen pen);
    void (*area)(canvas *c, canvas_box box, int32_t colour);
    void (*polygon)(canvas *c, const canvas_point *corners, int32_t n, int32_t colour);
    void (*disc)(canvas *c, canvas_point centre, double radius, int32_t colour, double opacity);
    void (*text)(canvas *c, canvas_point at, canvas_font font, const char *text);
    void (*clip)(canvas *c, const canvas_box *box);
    shoal_status (*close)(canvas *c);
    void (*destroy)(canvas *c);
} canvas_kind;

/* First member of every kind. */
struct canvas {
    const canvas_kind *kind;
};

shoal_status canvas_open_svg(canvas **out, const char *path, int32_t width, int32_t height);
shoal_status canvas_open_png(canvas **out, const char *path, int32_t width, int32_t height);

#endif
