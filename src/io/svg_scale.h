/* SPDX-License-Identifier: BSD-3-Clause
 * An axis of a figure: from values to pixels, and where its ticks are. */
#ifndef SHOAL_IO_SVG_SCALE_H
#define SHOAL_IO_SVG_SCALE_H

#include <stdbool.h>
#include <stddef.h>

#include "io/svg.h"

typedef struct svg_scale {
    double low, high; /* of the values; of their decimal logarithms on a logarithmic axis */
    double from, to;  /* pixels of low and high */
    bool log;
    /* Tick k, first <= k <= last, is at k * mantissa * 10^exponent, of the logarithm likewise. */
    int64_t first, last;
    int32_t mantissa, exponent;
} svg_scale;

/* Range of finite values so far; start with SVG_NO_RANGE. */
typedef struct svg_range {
    double low, high;
} svg_range;
#define SVG_NO_RANGE ((svg_range){1.0, -1.0})

void svg_range_add(svg_range *range, bool log, int32_t n, const double *values);

/* The axis over its own range or, without one, over that of the data with a margin. */
svg_scale svg_scale_make(const svg_axis *axis, svg_range data, double from, double to);
/* Continues the axis beyond its upper end to another pixel. */
void svg_scale_extend(svg_scale *scale, double to);
/* False for what has no place: not finite, or not positive on a logarithmic axis. */
bool svg_scale_place(const svg_scale *scale, double value, double *pixel);
double svg_scale_tick(const svg_scale *scale, int64_t k); /* pixel */

#define SVG_LABEL_SIZE 48
void svg_scale_label(const svg_scale *scale, int64_t k, char out[SVG_LABEL_SIZE]);

#endif
