/* SPDX-License-Identifier: BSD-3-Clause
 * A canvas of pixels that ends as a PNG. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "io/canvas_inner.h"
#include "io/png.h"
#include "io/raster.h"
#include "io/stroke_font.h"

#define MOST_PIXELS 4e7       /* of a sheet with two pixels per point */
#define POINTS_PER_METRE 3780 /* 96 per inch */

typedef struct png_canvas {
    canvas base;
    raster pixels;
    char *path;
    int32_t scale; /* pixels per point */
} png_canvas;

static canvas_point scaled(const png_canvas *c, canvas_point p)
{
    return (canvas_point){c->scale * p.x, c->scale * p.y};
}

/* Where the edges of a line fall between pixels. */
static double snap(double place, double width)
{
    return fmod(floor(width + 0.5), 2.0) == 0.0 ? floor(place + 0.5) : floor(place) + 0.5;
}

/* A dashed piece of a line; *walked is the length before it. */
static void stroke_dashes(raster *r, canvas_point a, canvas_point b, canvas_pen pen, double *walked)
{
    const double length = hypot(b.x - a.x, b.y - a.y), period = pen.dash + pen.gap;
    const double radius = 0.5 * pen.width;
    for (double at = -fmod(*walked, period); at < length; at += period) {
        /* Round ends add to a dash what this takes away. */
        const double from = fmax(at + radius, 0.0), to = fmin(at + pen.dash - radius, length);
        if (from >= to) continue;
        const double s = from / length, t = to / length;
        raster_stroke(r, (canvas_point){a.x + s * (b.x - a.x), a.y + s * (b.y - a.y)},
                      (canvas_point){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)}, radius);
    }
    *walked += length;
}

static void png_polyline(canvas *sheet, const canvas_point *points, int32_t n, canvas_pen pen)
{
    png_canvas *c = (png_canvas *)sheet;
    double walked = 0.0;
    pen.width *= c->scale;
    pen.dash *= c->scale;
    pen.gap *= c->scale;
    for (int32_t i = 1; i < n; ++i) {
        canvas_point a = scaled(c, points[i - 1]), b = scaled(c, points[i]);
        if (n == 2 && a.x == b.x) a.x = b.x = snap(a.x, pen.width);
        if (n == 2 && a.y == b.y) a.y = b.y = snap(a.y, pen.width);
        if (pen.dash > 0.0)
            stroke_dashes(&c->pixels, a, b, pen, &walked);
        else
            raster_stroke(&c->pixels, a, b, 0.5 * pen.width);
    }
    raster_ink(&c->pixels, pen.colour, 1.0);
}

static void png_polygon(canvas *sheet, const canvas_point *corners, int32_t n, int32_t colour)
{
    enum { MOST = 256 };
    png_canvas *c = (png_canvas *)sheet;
    canvas_point places[MOST];
    if (n > MOST) return;
    for (int32_t k = 0; k < n; ++k) places[k] = scaled(c, corners[k]);
    raster_polygon(&c->pixels, places, n, colour);
}

static void png_area(canvas *sheet, canvas_box b, int32_t colour)
{
    const canvas_point corners[] = {
        {b.left, b.top}, {b.right, b.top}, {b.right, b.bottom}, {b.left, b.bottom}};
    png_polygon(sheet, corners, 4, colour);
}

static void png_disc(canvas *sheet, canvas_point centre, double radius, int32_t colour,
                     double opacity)
{
    png_canvas *c = (png_canvas *)sheet;
    const canvas_point at = scaled(c, centre);
    raster_stroke(&c->pixels, at, at, c->scale * radius);
    raster_ink(&c->pixels, colour, opacity);
}

typedef struct writing {
    raster *pixels;
    canvas_point at;     /* of the base line's start, pixels */
    double size, radius; /* of the letters and of the pen, pixels */
    bool upwards;
} writing;

static canvas_point letter_place(const writing *w, canvas_point p)
{
    if (w->upwards) return (canvas_point){w->at.x - w->size * p.y, w->at.y - w->size * p.x};
    return (canvas_point){w->at.x + w->size * p.x, w->at.y - w->size * p.y};
}

static void draw_letter(void *user, canvas_point a, canvas_point b)
{
    const writing *w = user;
    raster_stroke(w->pixels, letter_place(w, a), letter_place(w, b), w->radius);
}

static void png_text(canvas *sheet, canvas_point at, canvas_font font, const char *text)
{
    static const double shares[] = {0.0, 0.5, 1.0};
    png_canvas *c = (png_canvas *)sheet;
    writing w = {&c->pixels, scaled(c, at), c->scale * font.size, 0.0, font.upwards};
    const double back = shares[font.anchor] * w.size * stroke_font_width(text);
    if (font.upwards)
        w.at.y += back;
    else
        w.at.x -= back;
    w.radius = 0.5 * w.size * STROKE_FONT_WEIGHT;
    if (font.halo) {
        w.radius += 1.5 * c->scale;
        stroke_font_draw(text, draw_letter, &w);
        raster_ink(&c->pixels, 0xffffff, 1.0);
        w.radius -= 1.5 * c->scale;
    }
    stroke_font_draw(text, draw_letter, &w);
    raster_ink(&c->pixels, 0x000000, 1.0);
}

static void png_clip(canvas *sheet, const canvas_box *box)
{
    png_canvas *c = (png_canvas *)sheet;
    if (!box) {
        raster_clip(&c->pixels, NULL);
        return;
    }
    raster_clip(&c->pixels, &(canvas_box){c->scale * box->left, c->scale * box->top,
                                          c->scale * box->right, c->scale * box->bottom});
}

static shoal_status png_close(canvas *sheet)
{
    png_canvas *c = (png_canvas *)sheet;
    return png_write(c->path, c->pixels.rgb, c->pixels.width, c->pixels.height,
                     POINTS_PER_METRE * c->scale);
}

static void png_destroy(canvas *sheet)
{
    png_canvas *c = (png_canvas *)sheet;
    raster_free(&c->pixels);
    free(c->path);
    free(c);
}

shoal_status canvas_open_png(canvas **out, const char *path, int32_t width, int32_t height)
{
    static const canvas_kind kind = {png_polyline, png_area, png_polygon, png_disc,
                                     png_text,     png_clip, png_close,   png_destroy};
    SHOAL_TRY(png_check(path));
    png_canvas *c = shoal_alloc(1, sizeof *c);
    if (!c) return SHOAL_E_MEMORY;
    c->base.kind = &kind;
    c->scale = 4.0 * width * height <= MOST_PIXELS ? 2 : 1;
    c->path = shoal_strdup(path);
    if (!c->path || raster_create(&c->pixels, c->scale * width, c->scale * height) != SHOAL_OK) {
        png_destroy(&c->base);
        return SHOAL_E_MEMORY;
    }
    *out = &c->base;
    return SHOAL_OK;
}
