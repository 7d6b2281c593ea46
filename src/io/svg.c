/* SPDX-License-Identifier: BSD-3-Clause
 * Figures as SVG: panels with axes, lines, dots, colour maps and legends. */
#include "io/svg.h"

#include <math.h>
#include <stdio.h>

#include "io/output.h"
#include "io/svg_scale.h"

/* Pixels. */
enum {
    PANEL_WIDTH = 460,
    PANEL_HEIGHT = 340,
    MARGIN_LEFT = 78,
    MARGIN_RIGHT = 18,
    MARGIN_TOP = 32,
    MARGIN_BOTTOM = 52,
    TITLE_HEIGHT = 36,
    BAR_SPACE = 78, /* for the colour bar and its numbers */
    BAR_WIDTH = 12,
    BAR_STEPS = 64,
    LEGEND_ROW = 15
};

/* Okabe and Ito's colours, which the colour-blind can tell apart. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000"};
enum { N_COLOURS = sizeof colours / sizeof colours[0] };

typedef struct drawing {
    shoal_output *out;
    const svg_panel *panel;
    int32_t index;
    double left, right, top, bottom; /* of the plot inside the axes */
    svg_scale x, y;
} drawing;

/* A pixel with two decimals, whatever the locale. */
static void put_pixel(shoal_output *out, double value)
{
    const long long hundredths = llround(100.0 * value);
    const long long size = hundredths < 0 ? -hundredths : hundredths;
    shoal_output_format(out, "%s%lld", hundredths < 0 ? "-" : "", size / 100);
    if (size % 100 != 0) shoal_output_format(out, ".%02lld", size % 100);
}

static void put_attribute(shoal_output *out, const char *name, double pixel)
{
    shoal_output_format(out, " %s=\"", name);
    put_pixel(out, pixel);
    shoal_output_text(out, "\"");
}

static void put_escaped(shoal_output *out, const char *text)
{
    for (const char *p = text; *p; ++p) {
        const unsigned char c = (unsigned char)*p;
        if (c == '<' || c == '>' || c == '&')
            shoal_output_text(out, c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;");
        else
            shoal_output_put(out, c < ' ' || c == 0x7f ? shoal_span_of(" ") : (shoal_span){p, 1});
    }
}

/* style: further attributes of the element. */
static void put_text(shoal_output *out, double x, double y, const char *style, const char *text)
{
    shoal_output_text(out, "<text");
    put_attribute(out, "x", x);
    put_attribute(out, "y", y);
    shoal_output_format(out, " %s>", style);
    put_escaped(out, text);
    shoal_output_text(out, "</text>\n");
}

static void put_line(shoal_output *out, double x1, double y1, double x2, double y2,
                     const char *style)
{
    shoal_output_text(out, "<line");
    put_attribute(out, "x1", x1);
    put_attribute(out, "y1", y1);
    put_attribute(out, "x2", x2);
    put_attribute(out, "y2", y2);
    shoal_output_format(out, " %s/>\n", style);
}

static void put_rect(shoal_output *out, double x, double y, double width, double height,
                     const char *style)
{
    shoal_output_text(out, "<rect");
    put_attribute(out, "x", x);
    put_attribute(out, "y", y);
    put_attribute(out, "width", width);
    put_attribute(out, "height", height);
    shoal_output_format(out, " %s/>\n", style);
}

/* Share of the way from white (0) to red (1) or blue (-1). */
static void colour_of(double share, char out[32])
{
    const double t = fmin(fabs(share), 1.0);
    const int fade = (int)lround(255.0 * (1.0 - t));
    const int own = (int)lround(255.0 - 75.0 * t * t);
    if (!isfinite(share))
        (void)snprintf(out, 32, "fill=\"#bbbbbb\"");
    else
        (void)snprintf(out, 32, "fill=\"#%02x%02x%02x\"", share > 0 ? own : fade, fade,
                       share > 0 ? fade : own);
}

static double map_share(svg_range range, double value)
{
    if (!isfinite(value)) return NAN;
    if (range.low < 0.0 && range.high > 0.0) return value / fmax(-range.low, range.high);
    return -fmax((value - range.low) / (range.high - range.low), 0.0);
}

static svg_range map_range(const svg_map *map)
{
    svg_range range = {map->low, map->high};
    if (map->low < map->high) return range;
    range = SVG_NO_RANGE;
    svg_range_add(&range, false, map->n_x * map->n_y, map->values);
    if (range.low > range.high) return (svg_range){0.0, 1.0};
    if (range.low == range.high) range.high = range.low + 1.0;
    return range;
}

/* Border before centre i of centres[n]; i = n gives the last border. */
static double map_border(const double *centres, int32_t n, int32_t i)
{
    if (n == 1) return centres[0] + (i == 0 ? -0.5 : 0.5);
    if (i == 0) return centres[0] - 0.5 * (centres[1] - centres[0]);
    if (i == n) return centres[n - 1] + 0.5 * (centres[n - 1] - centres[n - 2]);
    return 0.5 * (centres[i - 1] + centres[i]);
}

static void draw_cells(const drawing *d, const svg_map *map, svg_range range)
{
    char colour[32];
    for (int32_t j = 0; j < map->n_y; ++j) {
        for (int32_t i = 0; i < map->n_x; ++i) {
            double x1, x2, y1, y2;
            if (!svg_scale_place(&d->x, map_border(map->x, map->n_x, i), &x1) ||
                !svg_scale_place(&d->x, map_border(map->x, map->n_x, i + 1), &x2) ||
                !svg_scale_place(&d->y, map_border(map->y, map->n_y, j), &y1) ||
                !svg_scale_place(&d->y, map_border(map->y, map->n_y, j + 1), &y2))
                continue;
            colour_of(map_share(range, map->values[j * map->n_x + i]), colour);
            put_rect(d->out, x1, y2, x2 - x1, y1 - y2, colour);
        }
    }
}

static void draw_bar(const drawing *d, const svg_map *map, svg_range range)
{
    const svg_axis axis = {.low = range.low, .high = range.high};
    const svg_scale scale = svg_scale_make(&axis, range, d->bottom, d->top);
    const double x = d->right + 14.0, step = (d->bottom - d->top) / BAR_STEPS;
    char text[SVG_LABEL_SIZE], colour[32];
    for (int k = 0; k < BAR_STEPS; ++k) {
        const double at = (k + 0.5) / BAR_STEPS;
        colour_of(map_share(range, range.low + at * (range.high - range.low)), colour);
        put_rect(d->out, x, d->bottom - (k + 1) * step, BAR_WIDTH, step, colour);
    }
    for (int64_t k = scale.first; k <= scale.last; ++k) {
        svg_scale_label(&scale, k, text);
        put_text(d->out, x + BAR_WIDTH + 4, svg_scale_tick(&scale, k) + 4,
                 "text-anchor=\"start\" font-size=\"10\"", text);
    }
    if (map->label)
        put_text(d->out, d->right + BAR_SPACE, d->top - 8, "text-anchor=\"end\"", map->label);
}

static void draw_axes(const drawing *d)
{
    static const char *const grid = "stroke=\"#e4e4e4\"";
    const svg_panel *p = d->panel;
    const double middle = 0.5 * (d->top + d->bottom);
    char text[SVG_LABEL_SIZE];
    for (int64_t k = d->x.first; k <= d->x.last; ++k) {
        const double x = svg_scale_tick(&d->x, k);
        if (!p->map) put_line(d->out, x, d->top, x, d->bottom, grid);
        put_line(d->out, x, d->bottom, x, d->bottom + 4, "stroke=\"#000\"");
        svg_scale_label(&d->x, k, text);
        put_text(d->out, x, d->bottom + 17, "text-anchor=\"middle\"", text);
    }
    for (int64_t k = d->y.first; k <= d->y.last; ++k) {
        const double y = svg_scale_tick(&d->y, k);
        if (!p->map) put_line(d->out, d->left, y, d->right, y, grid);
        put_line(d->out, d->left - 4, y, d->left, y, "stroke=\"#000\"");
        svg_scale_label(&d->y, k, text);
        put_text(d->out, d->left - 7, y + 4, "text-anchor=\"end\"", text);
    }
    if (p->x.label)
        put_text(d->out, 0.5 * (d->left + d->right), d->bottom + 38, "text-anchor=\"middle\"",
                 p->x.label);
    if (!p->y.label) return;
    shoal_output_text(d->out, "<g transform=\"translate(");
    put_pixel(d->out, d->left - MARGIN_LEFT + 16);
    shoal_output_text(d->out, " ");
    put_pixel(d->out, middle);
    shoal_output_text(d->out, ") rotate(-90)\">");
    put_text(d->out, 0, 0, "text-anchor=\"middle\"", p->y.label);
    shoal_output_text(d->out, "</g>\n");
}

static void draw_path(const drawing *d, const svg_series *s, const char *colour)
{
    bool open = false;
    shoal_output_text(d->out, "<path d=\"");
    for (int32_t i = 0; i < s->n; ++i) {
        double x, y;
        const bool ok = svg_scale_place(&d->x, s->x[i], &x) && svg_scale_place(&d->y, s->y[i], &y);
        if (ok) {
            shoal_output_text(d->out, open ? "L" : "M");
            put_pixel(d->out, x);
            shoal_output_text(d->out, " ");
            put_pixel(d->out, y);
        }
        open = ok;
    }
    shoal_output_format(d->out, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s/>\n", colour,
                        s->mark == SVG_DASHES ? " stroke-dasharray=\"6 4\"" : "");
}

static void draw_dots(const drawing *d, const svg_series *s, const char *colour)
{
    /* Many dots are small, or they hide one another. */
    const char *radius = s->n > 500 ? "1.4" : "2.6";
    for (int32_t i = 0; i < s->n; ++i) {
        double x, y;
        if (!svg_scale_place(&d->x, s->x[i], &x) || !svg_scale_place(&d->y, s->y[i], &y)) continue;
        shoal_output_text(d->out, "<circle");
        put_attribute(d->out, "cx", x);
        put_attribute(d->out, "cy", y);
        shoal_output_format(d->out, " r=\"%s\" fill=\"%s\" fill-opacity=\"0.7\"/>\n", radius,
                            colour);
    }
}

static void draw_series(const drawing *d)
{
    for (int32_t k = 0; k < d->panel->n_series; ++k) {
        const svg_series *s = &d->panel->series[k];
        const char *colour = colours[k % N_COLOURS];
        if (s->mark != SVG_DOTS) draw_path(d, s, colour);
        if (s->mark == SVG_DOTS || s->mark == SVG_LINE_DOTS) draw_dots(d, s, colour);
    }
}

static void draw_diagonal(const drawing *d)
{
    double x1, x2, y1, y2;
    const double from = d->x.log ? pow(10.0, d->x.low) : d->x.low;
    const double to = d->x.log ? pow(10.0, d->x.high) : d->x.high;
    if (svg_scale_place(&d->x, from, &x1) && svg_scale_place(&d->y, from, &y1) &&
        svg_scale_place(&d->x, to, &x2) && svg_scale_place(&d->y, to, &y2))
        put_line(d->out, x1, y1, x2, y2, "stroke=\"#888\" stroke-dasharray=\"3 3\"");
}

static void draw_legend(const drawing *d)
{
    double y = d->top + 8;
    for (int32_t k = 0; k < d->panel->n_series; ++k) {
        const svg_series *s = &d->panel->series[k];
        char style[96];
        if (!s->label) continue;
        (void)snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"%d\"%s",
                       colours[k % N_COLOURS], s->mark == SVG_DOTS ? 5 : 2,
                       s->mark == SVG_DASHES ? " stroke-dasharray=\"6 4\"" : "");
        const double x = d->right - (s->mark == SVG_DOTS ? 14 : 24);
        put_line(d->out, x, y, x + (s->mark == SVG_DOTS ? 5 : 20), y, style);
        put_text(d->out, d->right - 29, y + 4,
                 "text-anchor=\"end\" stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\"",
                 s->label);
        y += LEGEND_ROW;
    }
}

static int32_t n_labels(const svg_panel *panel)
{
    int32_t n = 0;
    for (int32_t k = 0; k < panel->n_series; ++k) n += panel->series[k].label != NULL;
    return n;
}

static void make_scales(drawing *d)
{
    const svg_panel *p = d->panel;
    svg_range x = SVG_NO_RANGE, y = SVG_NO_RANGE;
    for (int32_t k = 0; k < p->n_series; ++k) {
        svg_range_add(&x, p->x.log, p->series[k].n, p->series[k].x);
        svg_range_add(&y, p->y.log, p->series[k].n, p->series[k].y);
    }
    svg_axis x_axis = p->x, y_axis = p->y;
    if (p->map && p->map->n_x > 0 && p->map->n_y > 0 && p->x.low == p->x.high) {
        x_axis.low = map_border(p->map->x, p->map->n_x, 0);
        x_axis.high = map_border(p->map->x, p->map->n_x, p->map->n_x);
    }
    if (p->map && p->map->n_x > 0 && p->map->n_y > 0 && p->y.low == p->y.high) {
        y_axis.low = map_border(p->map->y, p->map->n_y, 0);
        y_axis.high = map_border(p->map->y, p->map->n_y, p->map->n_y);
    }
    if (p->diagonal) {
        const double ends[] = {x.low, x.high};
        svg_range_add(&y, p->y.log, x.low <= x.high ? 2 : 0, ends);
        x = y;
    }
    d->x = svg_scale_make(&x_axis, x, d->left, d->right);
    /* The legend gets room of its own above the data. */
    const int32_t rows = y_axis.low < y_axis.high || p->diagonal ? 0 : n_labels(p);
    const double top = d->top + (rows > 0 ? rows * LEGEND_ROW : 0);
    d->y = svg_scale_make(&y_axis, y, d->bottom, top);
    svg_scale_extend(&d->y, d->top);
}

static void draw_inside(const drawing *d)
{
    const svg_map *map = d->panel->map;
    shoal_output_format(d->out, "<clipPath id=\"panel%d\">", (int)d->index);
    put_rect(d->out, d->left, d->top, d->right - d->left, d->bottom - d->top, "");
    shoal_output_format(d->out, "</clipPath>\n<g clip-path=\"url(#panel%d)\">\n", (int)d->index);
    if (map) draw_cells(d, map, map_range(map));
    if (d->panel->diagonal) draw_diagonal(d);
    draw_series(d);
    shoal_output_text(d->out, "</g>\n");
    if (map) draw_bar(d, map, map_range(map));
}

static void draw_panel(drawing *d, double x, double y)
{
    d->left = x + MARGIN_LEFT;
    d->right = x + PANEL_WIDTH - MARGIN_RIGHT - (d->panel->map ? BAR_SPACE : 0);
    d->top = y + MARGIN_TOP;
    d->bottom = y + PANEL_HEIGHT - MARGIN_BOTTOM;
    make_scales(d);
    draw_axes(d);
    draw_inside(d);
    put_rect(d->out, d->left, d->top, d->right - d->left, d->bottom - d->top,
             "fill=\"none\" stroke=\"#000\"");
    draw_legend(d);
    if (d->panel->title)
        put_text(d->out, 0.5 * (d->left + d->right), d->top - 10,
                 "text-anchor=\"middle\" font-size=\"13\"", d->panel->title);
}

shoal_status svg_write(const char *path, const char *title, const svg_panel *panels,
                       int32_t n_panels, int32_t n_columns)
{
    const int32_t columns = n_columns < 1 ? 1 : n_columns > n_panels ? n_panels : n_columns;
    const int32_t rows = n_panels > 0 ? (n_panels + columns - 1) / columns : 0;
    const int32_t width = columns * PANEL_WIDTH, head = title ? TITLE_HEIGHT : 0;
    const int32_t height = rows * PANEL_HEIGHT + head;
    shoal_output *out = NULL;
    SHOAL_TRY(shoal_output_open(&out, path));
    shoal_output_format(out,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                        "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\">\n",
                        (int)width, (int)height, (int)width, (int)height);
    put_rect(out, 0, 0, width, height, "fill=\"#fff\"");
    if (title) put_text(out, 0.5 * width, 24, "text-anchor=\"middle\" font-size=\"15\"", title);
    for (int32_t k = 0; k < n_panels; ++k) {
        drawing d = {.out = out, .panel = &panels[k], .index = k};
        draw_panel(&d, (double)(k % columns) * PANEL_WIDTH,
                   (double)(k / columns) * PANEL_HEIGHT + head);
    }
    shoal_output_text(out, "</svg>\n");
    const shoal_status status = shoal_output_close(out);
    shoal_output_destroy(out);
    return status;
}
