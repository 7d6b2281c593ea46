/* SPDX-License-Identifier: BSD-3-Clause
 * Polar panels: a full turn around the middle, or the upper half on the base line. */
#include <math.h>

#include "io/figure_inner.h"

#include "constants.h"

enum { SPOKE = 30, RING_STEPS = 72 };

/* Angles of the panel, degrees. */
static figure_range angles_of(const figure_panel *p)
{
    figure_range range = FIGURE_NO_RANGE;
    for (int32_t k = 0; k < p->n_series; ++k)
        figure_range_add(&range, false, p->series[k].n, p->series[k].y);
    if (p->map && p->map->n_y > 0) figure_range_add(&range, false, p->map->n_y, p->map->y);
    return range;
}

bool figure_polar_half(const figure_panel *p)
{
    const figure_range angles = angles_of(p);
    return angles.low >= 0.0 && angles.high <= 180.0;
}

void figure_polar_scale(figure_drawing *d)
{
    const figure_panel *p = d->panel;
    const canvas_box *in = &d->inside;
    const double room = 16.0; /* for the numbers around it */
    const double width = in->right - in->left, height = in->bottom - in->top;
    const bool half = figure_polar_half(p);
    const double radius =
        half ? fmin(0.5 * width - room, height - 2.0 * room) : 0.5 * fmin(width, height) - room;
    figure_range range = {0.0, 0.0};
    figure_axis axis = p->x;
    for (int32_t k = 0; k < p->n_series; ++k)
        figure_range_add(&range, false, p->series[k].n, p->series[k].x);
    if (p->map && p->map->n_x > 0) {
        const double end = figure_map_border(p->map->x, p->map->n_x, p->map->n_x);
        figure_range_add(&range, false, 1, &end);
    }
    axis.log = false;
    axis.low = 0.0;
    axis.high = p->x.low < p->x.high ? p->x.high : range.high > 0.0 ? range.high : 1.0;
    d->centre = (canvas_point){0.5 * (in->left + in->right),
                               half ? in->top + 0.5 * (height + radius) - 0.5 * room
                                    : 0.5 * (in->top + in->bottom)};
    d->x = figure_scale_make(&axis, range, 0.0, radius);
}

static void draw_ring(const figure_drawing *d, double radius, double from, double to,
                      canvas_pen pen)
{
    canvas_point points[RING_STEPS + 1];
    for (int k = 0; k <= RING_STEPS; ++k) {
        const double angle = (from + (to - from) * k / RING_STEPS) * DEGREE;
        points[k] =
            (canvas_point){d->centre.x + radius * cos(angle), d->centre.y - radius * sin(angle)};
    }
    canvas_polyline(d->to, points, RING_STEPS + 1, pen);
}

static void draw_spoke(const figure_drawing *d, int angle, canvas_pen pen)
{
    const double c = cos(angle * DEGREE), s = sin(angle * DEGREE), radius = d->x.to;
    const canvas_anchor anchor = c > 0.1 ? CANVAS_START : c < -0.1 ? CANVAS_END : CANVAS_MIDDLE;
    const figure_scale whole = {.mantissa = 1};
    char text[FIGURE_LABEL_SIZE];
    canvas_line(d->to, d->centre.x, d->centre.y, d->centre.x + radius * c, d->centre.y - radius * s,
                pen);
    figure_scale_label(&whole, angle, text);
    figure_text(d, d->centre.x + (radius + 5) * c, d->centre.y - (radius + 5) * s + 4.0 * (1 - s),
                FIGURE_SMALL, anchor, text);
}

void figure_polar_axes(const figure_drawing *d)
{
    const canvas_pen thin = {.colour = 0x777777, .width = 0.5};
    const canvas_pen frame = {.colour = 0x000000, .width = 1.0};
    const int end = figure_polar_half(d->panel) ? 180 : 360;
    char text[FIGURE_LABEL_SIZE];
    for (int angle = 0; angle <= end && angle < 360; angle += SPOKE) draw_spoke(d, angle, thin);
    for (int64_t k = d->x.first > 0 ? d->x.first : 1; k <= d->x.last; ++k)
        draw_ring(d, figure_scale_tick(&d->x, k), 0.0, end, thin);
    draw_ring(d, d->x.to, 0.0, end, frame);
    if (end == 180)
        canvas_line(d->to, d->centre.x - d->x.to, d->centre.y, d->centre.x + d->x.to, d->centre.y,
                    frame);
    for (int64_t k = d->x.first > 0 ? d->x.first : 1; k <= d->x.last; ++k) {
        const double x = d->centre.x + figure_scale_tick(&d->x, k);
        figure_scale_label(&d->x, k, text);
        const canvas_font font = {.size = FIGURE_SMALL, .anchor = CANVAS_MIDDLE, .halo = true};
        if (x < d->centre.x + d->x.to - 6)
            canvas_text(d->to, (canvas_point){x, d->centre.y + (end == 180 ? 13 : 4)}, font, text);
    }
    if (d->panel->x.label)
        figure_text(d, d->centre.x, end == 180 ? d->centre.y + 30 : d->inside.bottom + 18,
                    FIGURE_NORMAL, CANVAS_MIDDLE, d->panel->x.label);
}
