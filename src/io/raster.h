/* SPDX-License-Identifier: BSD-3-Clause
 * Pixels: shapes are collected as coverage, then inked in one colour, so that the pieces of a line
 * join without darker spots. */
#ifndef SHOAL_IO_RASTER_H
#define SHOAL_IO_RASTER_H

#include "io/canvas.h"

/* Columns left..right - 1 and rows top..bottom - 1. */
typedef struct raster_box {
    int32_t left, top, right, bottom;
} raster_box;

typedef struct raster {
    int32_t width, height;
    uint8_t *rgb;    /* [height][width][3] */
    uint8_t *cover;  /* [height][width] of the shape in work, 0 elsewhere */
    raster_box clip; /* nothing is drawn outside */
    raster_box work; /* holds all that is covered */
} raster;

/* A white sheet. */
shoal_status raster_create(raster *r, int32_t width, int32_t height);
void raster_free(raster *r);
void raster_clip(raster *r, const canvas_box *box); /* NULL: the whole sheet */

/* Covers what is closer than radius to the line from a to b; all in pixels. */
void raster_stroke(raster *r, canvas_point a, canvas_point b, double radius);
/* Colours what is covered, and covers nothing from then on. */
void raster_ink(raster *r, int32_t colour, double opacity);

/* Pixels whose centres lie inside. */
void raster_polygon(raster *r, const canvas_point *corners, int32_t n, int32_t colour);

#endif
