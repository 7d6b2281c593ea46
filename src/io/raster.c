/* SPDX-License-Identifier: BSD-3-Clause
 * Pixels of strokes with soft edges, and of polygons with hard ones. */
#include "io/raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { MAX_CORNERS = 256 };

shoal_status raster_create(raster *r, int32_t width, int32_t height)
{
    const size_t n = (size_t)width * (size_t)height;
    *r = (raster){.width = width, .height = height};
    r->rgb = shoal_alloc_dirty(n, 3);
    r->cover = shoal_alloc(n, 1);
    if (!r->rgb || !r->cover) {
        raster_free(r);
        return SHOAL_E_MEMORY;
    }
    memset(r->rgb, 0xff, 3 * n);
    raster_clip(r, NULL);
    return SHOAL_OK;
}

void raster_free(raster *r)
{
    free(r->rgb);
    free(r->cover);
    *r = (raster){0};
}

static int32_t limit(double value, int32_t most)
{
    if (!(value > 0.0)) return 0;
    return value >= most ? most : (int32_t)value;
}

void raster_clip(raster *r, const canvas_box *box)
{
    r->clip = (raster_box){0, 0, r->width, r->height};
    if (!box) return;
    r->clip = (raster_box){
        limit(floor(box->left + 0.5), r->width), limit(floor(box->top + 0.5), r->height),
        limit(floor(box->right + 0.5), r->width), limit(floor(box->bottom + 0.5), r->height)};
}

/* Pixels that a shape between these ends can touch, as far as they may be drawn. */
static raster_box touched(const raster *r, canvas_box b)
{
    const raster_box *c = &r->clip;
    raster_box box = {limit(floor(b.left), r->width), limit(floor(b.top), r->height),
                      limit(ceil(b.right), r->width), limit(ceil(b.bottom), r->height)};
    if (box.left < c->left) box.left = c->left;
    if (box.top < c->top) box.top = c->top;
    if (box.right > c->right) box.right = c->right;
    if (box.bottom > c->bottom) box.bottom = c->bottom;
    return box;
}

static void add_work(raster *r, raster_box box)
{
    raster_box *w = &r->work;
    const bool empty = w->left >= w->right;
    if (empty || box.left < w->left) w->left = box.left;
    if (empty || box.top < w->top) w->top = box.top;
    if (empty || box.right > w->right) w->right = box.right;
    if (empty || box.bottom > w->bottom) w->bottom = box.bottom;
}

void raster_stroke(raster *r, canvas_point a, canvas_point b, double radius)
{
    const double reach = radius + 1.0, dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    const raster_box box = touched(r, (canvas_box){fmin(a.x, b.x) - reach, fmin(a.y, b.y) - reach,
                                                   fmax(a.x, b.x) + reach, fmax(a.y, b.y) + reach});
    if (box.left >= box.right || box.top >= box.bottom) return;
    add_work(r, box);
    for (int32_t j = box.top; j < box.bottom; ++j) {
        uint8_t *row = r->cover + (size_t)j * (size_t)r->width;
        for (int32_t i = box.left; i < box.right; ++i) {
            const double px = i + 0.5 - a.x, py = j + 0.5 - a.y;
            const double along = square > 0.0 ? (px * dx + py * dy) / square : 0.0;
            const double t = fmin(fmax(along, 0.0), 1.0), ex = px - t * dx, ey = py - t * dy;
            const double share = radius + 0.5 - sqrt(ex * ex + ey * ey);
            if (share <= 0.0) continue;
            const uint8_t covered = (uint8_t)(255.0 * fmin(share, 1.0) + 0.5);
            if (covered > row[i]) row[i] = covered;
        }
    }
}

static void blend(uint8_t *pixel, int32_t colour, double share)
{
    for (int k = 0; k < 3; ++k) {
        const int wanted = (colour >> (16 - 8 * k)) & 0xff;
        pixel[k] = (uint8_t)(pixel[k] + share * (wanted - pixel[k]) + 0.5);
    }
}

void raster_ink(raster *r, int32_t colour, double opacity)
{
    for (int32_t j = r->work.top; j < r->work.bottom; ++j) {
        const size_t start = (size_t)j * (size_t)r->width;
        for (int32_t i = r->work.left; i < r->work.right; ++i) {
            uint8_t *cover = &r->cover[start + (size_t)i];
            if (*cover == 0) continue;
            blend(&r->rgb[3 * (start + (size_t)i)], colour, opacity * *cover / 255.0);
            *cover = 0;
        }
    }
    r->work = (raster_box){0};
}

static void fill_row(raster *r, int32_t row, double from, double to, int32_t colour)
{
    const int32_t first = limit(ceil(from - 0.5), r->width), end = limit(ceil(to - 0.5), r->width);
    for (int32_t i = first > r->clip.left ? first : r->clip.left; i < end && i < r->clip.right; ++i)
        blend(&r->rgb[3 * ((size_t)row * (size_t)r->width + (size_t)i)], colour, 1.0);
}

void raster_polygon(raster *r, const canvas_point *corners, int32_t n, int32_t colour)
{
    double top = INFINITY, bottom = -INFINITY;
    if (n > MAX_CORNERS) return;
    for (int32_t k = 0; k < n; ++k) {
        top = fmin(top, corners[k].y);
        bottom = fmax(bottom, corners[k].y);
    }
    const raster_box box = touched(r, (canvas_box){0, top, r->width, bottom});
    for (int32_t j = box.top; j < box.bottom; ++j) {
        double at[MAX_CORNERS];
        int32_t n_at = 0;
        for (int32_t k = 0; k < n; ++k) {
            const canvas_point a = corners[k], b = corners[(k + 1) % n];
            if ((a.y > j + 0.5) == (b.y > j + 0.5)) continue;
            const double x = a.x + (j + 0.5 - a.y) / (b.y - a.y) * (b.x - a.x);
            int32_t place = n_at++;
            for (; place > 0 && at[place - 1] > x; --place) at[place] = at[place - 1];
            at[place] = x;
        }
        for (int32_t k = 0; k + 1 < n_at; k += 2) fill_row(r, j, at[k], at[k + 1], colour);
    }
}
