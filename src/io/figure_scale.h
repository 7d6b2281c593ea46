/* SPDX-License-Identifier: BSD-3-Clause
 * An axis of a figure: from values to places, and where its ticks are. */
#ifndef SHOAL_IO_FIGURE_SCALE_H
#define SHOAL_IO_FIGURE_SCALE_H

#include <stdbool.h>
#include <stddef.h>

#include "io/figure.h"

/* Logarithmic axes have ticks at decades, at 1, 2 and 5 times powers of ten if there are few of
 * those, and at even steps of the value if the range is narrow. */
typedef enum figure_ticks { FIGURE_EVEN, FIGURE_DECADES, FIGURE_ONE_TWO_FIVE } figure_ticks;

typedef struct figure_scale {
    double low, high; /* of the values; of their decimal logarithms on a logarithmic axis */
    double from, to;  /* places of low and high */
    bool log;
    figure_ticks ticks;
    /* Tick k, first <= k <= last. FIGURE_EVEN: the value k * mantissa * 10^exponent;
     * FIGURE_DECADES: 10^(k * mantissa); FIGURE_ONE_TWO_FIVE: {1, 2, 5}[k mod 3] 10^floor(k/3). */
    int64_t first, last;
    int32_t mantissa, exponent;
    int32_t power; /* labels of even ticks are values / 10^power, all with as many decimals */
} figure_scale;

/* Range of finite values so far; start with FIGURE_NO_RANGE. */
typedef struct figure_range {
    double low, high;
} figure_range;
#define FIGURE_NO_RANGE ((figure_range){1.0, -1.0})

void figure_range_add(figure_range *range, bool log, int32_t n, const double *values);

/* The axis over its own range or, without one, over that of the data with a margin. */
figure_scale figure_scale_make(const figure_axis *axis, figure_range data, double from, double to);
/* Continues the axis beyond its upper end to another place. */
void figure_scale_extend(figure_scale *scale, double to);
/* False for what has no place: not finite, or not positive on a logarithmic axis. */
bool figure_scale_place(const figure_scale *scale, double value, double *place);
double figure_scale_tick(const figure_scale *scale, int64_t k); /* place */

#define FIGURE_LABEL_SIZE 48
void figure_scale_label(const figure_scale *scale, int64_t k, char out[FIGURE_LABEL_SIZE]);
/* What the labels are multiples of, "\u00d7 1e-4"; false if they are the values themselves. */
bool figure_scale_factor(const figure_scale *scale, char out[FIGURE_LABEL_SIZE]);

#endif
