/* SPDX-License-Identifier: BSD-3-Clause
 * Figures: axes, lines, dots, marks and legends of panels. */
#include "io/figure.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "io/figure_inner.h"

#include "constants.h"

/* Points. */
enum {
    PANEL_WIDTH = 460,
    PANEL_HEIGHT = 340,
    MARGIN_LEFT = 78,
    MARGIN_RIGHT = 18,
    MARGIN_TOP = 32,
    MARGIN_BOTTOM = 52,
    TITLE_HEIGHT = 36,
    LEGEND_ROW = 15,
    LEGEND_SAMPLE = 20 /* of a line */
};

/* Okabe and Ito's colours, which the colour-blind can tell apart. */
static const int32_t colours[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                  0xe69f00, 0x56b4e9, 0x000000};
enum { N_COLOURS = sizeof colours / sizeof colours[0] };
#define MARK_COLOUR 0xb00020

static const canvas_pen axis_pen = {.colour = 0x000000, .width = 1.0};

bool figure_place(const figure_drawing *d, double x, double y, canvas_point *place)
{
    if (!d->panel->polar)
        return figure_scale_place(&d->x, x, &place->x) && figure_scale_place(&d->y, y, &place->y);
    double radius;
    if (!isfinite(y) || !figure_scale_place(&d->x, x, &radius)) return false;
    const double angle = y * DEGREE;
    *place = (canvas_point){d->centre.x + radius * cos(angle), d->centre.y - radius * sin(angle)};
    return true;
}

void figure_text(const figure_drawing *d, double x, double y, double size, canvas_anchor anchor,
                 const char *text)
{
    canvas_text(d->to, (canvas_point){x, y}, (canvas_font){.size = size, .anchor = anchor}, text);
}

static void draw_x_axis(const figure_drawing *d)
{
    const canvas_pen grid = {.colour = 0xe4e4e4, .width = 1.0};
    const canvas_box *in = &d->inside;
    char text[FIGURE_LABEL_SIZE];
    for (int64_t k = d->x.first; k <= d->x.last; ++k) {
        const double x = figure_scale_tick(&d->x, k);
        if (!d->panel->map) canvas_line(d->to, x, in->top, x, in->bottom, grid);
        canvas_line(d->to, x, in->bottom, x, in->bottom + FIGURE_TICK, axis_pen);
        figure_scale_label(&d->x, k, text);
        figure_text(d, x, in->bottom + 17, FIGURE_NORMAL, CANVAS_MIDDLE, text);
    }
    if (figure_scale_factor(&d->x, text))
        figure_text(d, in->right, in->bottom + 33, FIGURE_SMALL, CANVAS_END, text);
    if (d->panel->x.label)
        figure_text(d, 0.5 * (in->left + in->right), in->bottom + 38, FIGURE_NORMAL, CANVAS_MIDDLE,
                    d->panel->x.label);
}

static void draw_y_axis(const figure_drawing *d)
{
    const canvas_pen grid = {.colour = 0xe4e4e4, .width = 1.0};
    const canvas_font upwards = {.size = FIGURE_NORMAL, .anchor = CANVAS_MIDDLE, .upwards = true};
    const canvas_box *in = &d->inside;
    char text[FIGURE_LABEL_SIZE];
    for (int64_t k = d->y.first; k <= d->y.last; ++k) {
        const double y = figure_scale_tick(&d->y, k);
        if (!d->panel->map) canvas_line(d->to, in->left, y, in->right, y, grid);
        canvas_line(d->to, in->left - FIGURE_TICK, y, in->left, y, axis_pen);
        figure_scale_label(&d->y, k, text);
        figure_text(d, in->left - 7, y + 4, FIGURE_NORMAL, CANVAS_END, text);
    }
    if (figure_scale_factor(&d->y, text))
        figure_text(d, in->left - 50, in->top - 8, FIGURE_SMALL, CANVAS_START, text);
    if (d->panel->y.label)
        canvas_text(d->to,
                    (canvas_point){in->left - MARGIN_LEFT + 16, 0.5 * (in->top + in->bottom)},
                    upwards, d->panel->y.label);
}

/* Lines on a map are black, so that no colour of the map hides them. */
static canvas_pen pen_of(const figure_panel *p, int32_t k)
{
    const bool dashes = p->series[k].style == FIGURE_DASHES;
    return (canvas_pen){.colour = p->map ? 0x000000 : colours[k % N_COLOURS],
                        .width = 1.6,
                        .dash = dashes ? 6.0 : 0.0,
                        .gap = dashes ? 4.0 : 0.0};
}

static void draw_path(const figure_drawing *d, const figure_series *s, canvas_pen pen,
                      canvas_point *points)
{
    int32_t n = 0;
    for (int32_t i = 0; i < s->n; ++i) {
        if (figure_place(d, s->x[i], s->y[i], &points[n])) {
            ++n;
            continue;
        }
        canvas_polyline(d->to, points, n, pen);
        n = 0;
    }
    canvas_polyline(d->to, points, n, pen);
}

static shoal_status draw_series(const figure_drawing *d)
{
    for (int32_t k = 0; k < d->panel->n_series; ++k) {
        const figure_series *s = &d->panel->series[k];
        const canvas_pen pen = pen_of(d->panel, k);
        canvas_point *points = shoal_alloc((size_t)s->n + 1, sizeof *points);
        if (!points) return SHOAL_E_MEMORY;
        if (s->style != FIGURE_DOTS) draw_path(d, s, pen, points);
        free(points);
        if (s->style != FIGURE_DOTS && s->style != FIGURE_LINE_DOTS) continue;
        /* Many dots are small, or they hide one another. */
        const double radius = s->n > 500 ? 1.4 : 2.6;
        for (int32_t i = 0; i < s->n; ++i) {
            canvas_point at;
            if (figure_place(d, s->x[i], s->y[i], &at))
                canvas_disc(d->to, at, radius, pen.colour, 0.7);
        }
    }
    return SHOAL_OK;
}

static void draw_mark_sign(const figure_drawing *d, canvas_point at)
{
    canvas_disc(d->to, at, 5.5, 0xffffff, 1.0);
    canvas_disc(d->to, at, 4.5, MARK_COLOUR, 1.0);
    canvas_disc(d->to, at, 2.4, 0xffffff, 1.0);
}

static void draw_marks(const figure_drawing *d)
{
    const canvas_pen pen = {.colour = MARK_COLOUR, .width = 1.2, .dash = 4.0, .gap = 3.0};
    const canvas_box *in = &d->inside;
    for (int32_t k = 0; k < d->panel->n_marks; ++k) {
        const figure_mark *m = &d->panel->marks[k];
        canvas_point at;
        if (figure_place(d, m->x, m->y, &at))
            draw_mark_sign(d, at);
        else if (!d->panel->polar && figure_scale_place(&d->x, m->x, &at.x))
            canvas_line(d->to, at.x, in->bottom, at.x, in->top, pen);
        else if (!d->panel->polar && figure_scale_place(&d->y, m->y, &at.y))
            canvas_line(d->to, in->left, at.y, in->right, at.y, pen);
    }
}

static void draw_diagonal(const figure_drawing *d)
{
    canvas_point a, b;
    const double from = d->x.log ? pow(10.0, d->x.low) : d->x.low;
    const double to = d->x.log ? pow(10.0, d->x.high) : d->x.high;
    if (figure_place(d, from, from, &a) && figure_place(d, to, to, &b))
        canvas_line(d->to, a.x, a.y, b.x, b.y,
                    (canvas_pen){.colour = 0x888888, .width = 1.0, .dash = 3.0, .gap = 3.0});
}

/* Label of entry k of the legend: series, then marks. */
static const char *label_of(const figure_panel *p, int32_t k)
{
    return k < p->n_series ? p->series[k].label : p->marks[k - p->n_series].label;
}

/* How the legend is laid out: entries in columns from left to right, then rows. */
typedef struct figure_legend {
    int32_t n, columns, rows;
    double width; /* of a column */
} figure_legend;

static figure_legend lay_out(const figure_drawing *d)
{
    const figure_panel *p = d->panel;
    figure_legend legend = {0};
    for (int32_t k = 0; k < p->n_series + p->n_marks; ++k) {
        if (!label_of(p, k)) continue;
        ++legend.n;
        legend.width = fmax(legend.width, canvas_text_width(FIGURE_NORMAL, label_of(p, k)));
    }
    legend.width += LEGEND_SAMPLE + 20;
    const double room = d->inside.right - d->inside.left - 8;
    const int32_t most = p->diagonal || legend.n < 3 ? 1 : (int32_t)(room / legend.width);
    legend.columns = most < 1 ? 1 : most > legend.n ? legend.n : most;
    legend.rows = legend.n > 0 ? (legend.n + legend.columns - 1) / legend.columns : 0;
    return legend;
}

/* What stands for entry k in the legend, from x on. */
static void draw_sample(const figure_drawing *d, int32_t k, double x, double y)
{
    const figure_panel *p = d->panel;
    const canvas_point middle = {x + 0.5 * LEGEND_SAMPLE, y};
    if (k >= p->n_series) {
        draw_mark_sign(d, middle);
        return;
    }
    const figure_style style = p->series[k].style;
    const canvas_pen pen = pen_of(p, k);
    if (style != FIGURE_DOTS) canvas_line(d->to, x, y, x + LEGEND_SAMPLE, y, pen);
    if (style == FIGURE_DOTS || style == FIGURE_LINE_DOTS)
        canvas_disc(d->to, middle, 2.6, pen.colour, 1.0);
}

/* On the right, but beside the diagonal on the left, where there are no data, and below
 * a map, on which its signs would be taken for data. */
static void draw_legend(const figure_drawing *d)
{
    const figure_panel *p = d->panel;
    const figure_legend legend = lay_out(d);
    const bool left = p->diagonal;
    const canvas_font font = {
        .size = FIGURE_NORMAL, .anchor = left ? CANVAS_START : CANVAS_END, .halo = true};
    const double top = p->polar || p->map ? d->inside.bottom + 29 : d->inside.top + 9;
    int32_t entry = 0;
    for (int32_t k = 0; k < p->n_series + p->n_marks; ++k) {
        if (!label_of(p, k)) continue;
        const int32_t column = entry % legend.columns, row = entry / legend.columns;
        const double end = d->inside.right - 4 - (legend.columns - 1 - column) * legend.width;
        const double y = top + row * LEGEND_ROW;
        const double x = left ? d->inside.left + 6 : end - LEGEND_SAMPLE;
        canvas_text(d->to, (canvas_point){left ? x + LEGEND_SAMPLE + 5 : x - 5, y + 4}, font,
                    label_of(p, k));
        draw_sample(d, k, x, y);
        ++entry;
    }
}

static void axis_of_map(figure_axis *axis, const double *centres, int32_t n)
{
    if (axis->low != axis->high) return;
    axis->low = figure_map_border(centres, n, 0);
    axis->high = figure_map_border(centres, n, n);
}

static void make_scales(figure_drawing *d)
{
    const figure_panel *p = d->panel;
    figure_range x = FIGURE_NO_RANGE, y = FIGURE_NO_RANGE;
    figure_axis x_axis = p->x, y_axis = p->y;
    for (int32_t k = 0; k < p->n_series; ++k) {
        figure_range_add(&x, p->x.log, p->series[k].n, p->series[k].x);
        figure_range_add(&y, p->y.log, p->series[k].n, p->series[k].y);
    }
    for (int32_t k = 0; k < p->n_marks; ++k) {
        figure_range_add(&x, p->x.log, 1, &p->marks[k].x);
        figure_range_add(&y, p->y.log, 1, &p->marks[k].y);
    }
    if (p->map && p->map->n_x > 0 && p->map->n_y > 0) {
        axis_of_map(&x_axis, p->map->x, p->map->n_x);
        axis_of_map(&y_axis, p->map->y, p->map->n_y);
    }
    if (p->diagonal) {
        const double ends[] = {x.low, x.high};
        figure_range_add(&y, p->y.log, x.low <= x.high ? 2 : 0, ends);
        x = y;
    }
    d->x = figure_scale_make(&x_axis, x, d->inside.left, d->inside.right);
    /* The legend gets room of its own above the data. */
    const int32_t rows = y_axis.low < y_axis.high || p->diagonal ? 0 : lay_out(d).rows;
    d->y = figure_scale_make(&y_axis, y, d->inside.bottom, d->inside.top + rows * LEGEND_ROW);
    if (rows > 0) figure_scale_extend(&d->y, d->inside.top);
}

static shoal_status draw_plane(figure_drawing *d)
{
    make_scales(d);
    draw_x_axis(d);
    draw_y_axis(d);
    canvas_clip(d->to, &d->inside);
    if (d->panel->map) figure_map_cells(d);
    if (d->panel->diagonal) draw_diagonal(d);
    SHOAL_TRY(draw_series(d));
    draw_marks(d);
    canvas_clip(d->to, NULL);
    canvas_frame(d->to, d->inside, axis_pen);
    return SHOAL_OK;
}

static shoal_status draw_polar(figure_drawing *d)
{
    figure_polar_scale(d);
    if (d->panel->map) figure_map_cells(d);
    figure_polar_axes(d);
    SHOAL_TRY(draw_series(d));
    draw_marks(d);
    return SHOAL_OK;
}

static shoal_status draw_panel(figure_drawing *d, double x, double y)
{
    const double bar = d->panel->map ? FIGURE_BAR_SPACE : 0.0;
    d->inside = (canvas_box){x + MARGIN_LEFT, y + MARGIN_TOP, x + PANEL_WIDTH - MARGIN_RIGHT - bar,
                             y + PANEL_HEIGHT - MARGIN_BOTTOM};
    SHOAL_TRY(d->panel->polar ? draw_polar(d) : draw_plane(d));
    if (d->panel->map) figure_map_bar(d);
    draw_legend(d);
    if (d->panel->title)
        figure_text(d, 0.5 * (d->inside.left + d->inside.right), d->inside.top - 10, FIGURE_LARGE,
                    CANVAS_MIDDLE, d->panel->title);
    return SHOAL_OK;
}

shoal_status figure_write(const char *path, const char *title, const figure_panel *panels,
                          int32_t n_panels, int32_t n_columns)
{
    const int32_t columns = n_columns < 1 || n_panels < 1 ? 1
                            : n_columns > n_panels        ? n_panels
                                                          : n_columns;
    const int32_t rows = (n_panels + columns - 1) / columns;
    const int32_t width = columns * PANEL_WIDTH, head = title ? TITLE_HEIGHT : 0;
    const int32_t height = rows * PANEL_HEIGHT + head;
    canvas *to = NULL;
    SHOAL_TRY(canvas_open(&to, path, width, height));
    shoal_status status = SHOAL_OK;
    canvas_area(to, (canvas_box){0, 0, width, height}, 0xffffff);
    if (title)
        canvas_text(to, (canvas_point){0.5 * width, 24},
                    (canvas_font){.size = FIGURE_TITLE, .anchor = CANVAS_MIDDLE}, title);
    for (int32_t k = 0; k < n_panels && status == SHOAL_OK; ++k) {
        figure_drawing d = {.to = to, .panel = &panels[k]};
        status = draw_panel(&d, (double)(k % columns) * PANEL_WIDTH,
                            (double)(k / columns) * PANEL_HEIGHT + head);
    }
    if (status == SHOAL_OK) status = canvas_close(to);
    canvas_destroy(to);
    return status;
}
