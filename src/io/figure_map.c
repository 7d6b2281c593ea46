/* SPDX-License-Identifier: BSD-3-Clause
 * Colour maps, plane and polar, and their colour bars. */
#include <math.h>

#include "io/figure_inner.h"

enum { BAR_WIDTH = 12, BAR_STEPS = 128, NO_COLOUR = 0xbbbbbb };

/* Share of the way from white (0) to red (1) or blue (-1). */
static int32_t signed_colour(double share)
{
    const double t = fmin(fabs(share), 1.0);
    const int32_t fade = (int32_t)lround(255.0 * (1.0 - t));
    const int32_t own = (int32_t)lround(255.0 - 75.0 * t * t);
    return share > 0 ? own << 16 | fade << 8 | fade : fade << 16 | fade << 8 | own;
}

/* From dark to bright, evenly so for the eye (anchors of viridis, CC0). */
static int32_t rising_colour(double share)
{
    static const int32_t anchors[] = {0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c,
                                      0x28ae80, 0x5ec962, 0xaddc30, 0xfde725};
    enum { LAST = sizeof anchors / sizeof anchors[0] - 1 };
    const double at = LAST * fmin(fmax(share, 0.0), 1.0);
    const int k = at >= LAST ? LAST - 1 : (int)at;
    int32_t colour = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        const int32_t a = (anchors[k] >> shift) & 0xff, b = (anchors[k + 1] >> shift) & 0xff;
        colour |= (int32_t)lround(a + (at - k) * (b - a)) << shift;
    }
    return colour;
}

static figure_range range_of(const figure_map *map)
{
    figure_range range = {map->low, map->high};
    if (map->low < map->high) return range;
    range = FIGURE_NO_RANGE;
    figure_range_add(&range, map->log, map->n_x * map->n_y, map->values);
    if (range.low > range.high) range = (figure_range){0.5, 1.0};
    if (range.low == range.high) range.high = range.low + fmax(fabs(range.low), 1e-300);
    return range;
}

static int32_t colour_of(const figure_map *map, figure_range range, double value)
{
    if (!isfinite(value) || (map->log && value <= 0.0)) return NO_COLOUR;
    if (map->log)
        return rising_colour((log10(value) - log10(range.low)) /
                             (log10(range.high) - log10(range.low)));
    if (range.low < 0.0 && range.high > 0.0)
        return signed_colour(value > 0.0 ? value / range.high : -value / range.low);
    return rising_colour((value - range.low) / (range.high - range.low));
}

double figure_map_border(const double *centres, int32_t n, int32_t i)
{
    if (n == 1) return centres[0] + (i == 0 ? -0.5 : 0.5);
    if (i == 0) return centres[0] - 0.5 * (centres[1] - centres[0]);
    if (i == n) return centres[n - 1] + 0.5 * (centres[n - 1] - centres[n - 2]);
    return 0.5 * (centres[i - 1] + centres[i]);
}

/* A cell between two radii and two angles. */
static void draw_sector(const figure_drawing *d, canvas_box cell, int32_t colour)
{
    enum { STEPS = 8 };
    const bool half = figure_polar_half(d->panel);
    canvas_point corners[2 * (STEPS + 1)];
    for (int k = 0; k <= STEPS; ++k) {
        double angle = cell.top + (cell.bottom - cell.top) * k / STEPS;
        if (half) angle = fmin(fmax(angle, 0.0), 180.0);
        if (!figure_place(d, fmax(cell.left, 0.0), angle, &corners[k]) ||
            !figure_place(d, cell.right, angle, &corners[2 * STEPS + 1 - k]))
            return;
    }
    canvas_polygon(d->to, corners, 2 * (STEPS + 1), colour);
}

void figure_map_cells(const figure_drawing *d)
{
    const figure_map *map = d->panel->map;
    const figure_range range = range_of(map);
    for (int32_t j = 0; j < map->n_y; ++j) {
        for (int32_t i = 0; i < map->n_x; ++i) {
            const int32_t colour = colour_of(map, range, map->values[j * map->n_x + i]);
            const canvas_box cell = {figure_map_border(map->x, map->n_x, i),
                                     figure_map_border(map->y, map->n_y, j),
                                     figure_map_border(map->x, map->n_x, i + 1),
                                     figure_map_border(map->y, map->n_y, j + 1)};
            canvas_point a, b;
            if (d->panel->polar)
                draw_sector(d, cell, colour);
            else if (figure_place(d, cell.left, cell.bottom, &a) &&
                     figure_place(d, cell.right, cell.top, &b))
                canvas_area(d->to, (canvas_box){a.x, a.y, b.x, b.y}, colour);
        }
    }
}

void figure_map_bar(const figure_drawing *d)
{
    const figure_map *map = d->panel->map;
    const figure_range range = range_of(map);
    const figure_axis axis = {.low = range.low, .high = range.high, .log = map->log};
    const figure_scale scale = figure_scale_make(&axis, range, d->inside.bottom, d->inside.top);
    const double x = d->inside.right + 14.0, step = (scale.to - scale.from) / BAR_STEPS;
    const canvas_pen pen = {.colour = 0x000000, .width = 1.0};
    char text[FIGURE_LABEL_SIZE];
    for (int k = 0; k < BAR_STEPS; ++k) {
        const double at = scale.low + (k + 0.5) / BAR_STEPS * (scale.high - scale.low);
        canvas_area(
            d->to,
            (canvas_box){x, scale.from + (k + 1) * step, x + BAR_WIDTH, scale.from + k * step},
            colour_of(map, range, map->log ? pow(10.0, at) : at));
    }
    canvas_frame(d->to, (canvas_box){x, d->inside.top, x + BAR_WIDTH, d->inside.bottom}, pen);
    for (int64_t k = scale.first; k <= scale.last; ++k) {
        const double y = figure_scale_tick(&scale, k);
        canvas_line(d->to, x + BAR_WIDTH, y, x + BAR_WIDTH + 3, y, pen);
        figure_scale_label(&scale, k, text);
        figure_text(d, x + BAR_WIDTH + 5, y + 3.5, FIGURE_SMALL, CANVAS_START, text);
    }
    if (figure_scale_factor(&scale, text))
        figure_text(d, x, d->inside.bottom + 14, FIGURE_SMALL, CANVAS_START, text);
    if (map->label) figure_text(d, x, d->inside.top - 8, FIGURE_SMALL, CANVAS_START, map->label);
}
