/* SPDX-License-Identifier: BSD-3-Clause
 * A canvas that writes SVG, well-formed whatever the texts hold, the same bytes for the same calls. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "io/canvas_inner.h"
#include "io/output.h"

typedef struct svg_canvas {
    canvas base;
    shoal_output *out;
    int32_t n_clips;
    bool clipped;
} svg_canvas;

static shoal_output *out_of(canvas *c)
{
    return ((svg_canvas *)c)->out;
}

/* Two decimals, whatever the locale. */
static void put_place(shoal_output *out, double value)
{
    const long long hundredths = llround(100.0 * value);
    const long long size = hundredths < 0 ? -hundredths : hundredths;
    shoal_output_format(out, "%s%lld", hundredths < 0 ? "-" : "", size / 100);
    if (size % 100 != 0) shoal_output_format(out, ".%02lld", size % 100);
}

static void put_attribute(shoal_output *out, const char *name, double value)
{
    shoal_output_format(out, " %s=\"", name);
    put_place(out, value);
    shoal_output_text(out, "\"");
}

static void put_colour(shoal_output *out, const char *name, int32_t colour)
{
    shoal_output_format(out, " %s=\"#%06x\"", name, (unsigned)colour);
}

/* XML allows neither control characters nor bytes that are no UTF-8. */
static void put_escaped(shoal_output *out, const char *text)
{
    for (const char *next = text; *text; text = next) {
        const int32_t code = canvas_character(&next);
        if (code == '<' || code == '>' || code == '&')
            shoal_output_text(out, code == '<' ? "&lt;" : code == '>' ? "&gt;" : "&amp;");
        else if (code < ' ' || code == 0x7f)
            shoal_output_text(out, " ");
        else if (code == 0xfffd || code == 0xfffe || code == 0xffff)
            shoal_output_text(out, "\xef\xbf\xbd");
        else
            shoal_output_put(out, (shoal_span){text, (size_t)(next - text)});
    }
}

static void put_points(shoal_output *out, const canvas_point *points, int32_t n)
{
    for (int32_t i = 0; i < n; ++i) {
        shoal_output_text(out, i == 0 ? "M" : "L");
        put_place(out, points[i].x);
        shoal_output_text(out, " ");
        put_place(out, points[i].y);
    }
}

static void svg_polyline(canvas *c, const canvas_point *points, int32_t n, canvas_pen pen)
{
    shoal_output *out = out_of(c);
    shoal_output_text(out, "<path d=\"");
    put_points(out, points, n);
    shoal_output_text(out, "\" fill=\"none\"");
    put_colour(out, "stroke", pen.colour);
    put_attribute(out, "stroke-width", pen.width);
    if (pen.dash > 0.0) {
        shoal_output_text(out, " stroke-dasharray=\"");
        put_place(out, pen.dash);
        shoal_output_text(out, " ");
        put_place(out, pen.gap);
        shoal_output_text(out, "\"");
    }
    shoal_output_text(out, "/>\n");
}

static void put_box(shoal_output *out, canvas_box box)
{
    put_attribute(out, "x", box.left);
    put_attribute(out, "y", box.top);
    put_attribute(out, "width", fmax(box.right - box.left, 0.0));
    put_attribute(out, "height", fmax(box.bottom - box.top, 0.0));
}

static void svg_area(canvas *c, canvas_box box, int32_t colour)
{
    shoal_output *out = out_of(c);
    shoal_output_text(out, "<rect");
    put_box(out, box);
    put_colour(out, "fill", colour);
    shoal_output_text(out, " shape-rendering=\"crispEdges\"/>\n");
}

static void svg_polygon(canvas *c, const canvas_point *corners, int32_t n, int32_t colour)
{
    shoal_output *out = out_of(c);
    shoal_output_text(out, "<path d=\"");
    put_points(out, corners, n);
    shoal_output_text(out, "Z\"");
    put_colour(out, "fill", colour);
    shoal_output_text(out, " shape-rendering=\"crispEdges\"/>\n");
}

static void svg_disc(canvas *c, canvas_point centre, double radius, int32_t colour, double opacity)
{
    shoal_output *out = out_of(c);
    shoal_output_text(out, "<circle");
    put_attribute(out, "cx", centre.x);
    put_attribute(out, "cy", centre.y);
    put_attribute(out, "r", radius);
    put_colour(out, "fill", colour);
    if (opacity < 1.0) put_attribute(out, "fill-opacity", opacity);
    shoal_output_text(out, "/>\n");
}

static void svg_text(canvas *c, canvas_point at, canvas_font font, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    shoal_output *out = out_of(c);
    shoal_output_text(out, "<text");
    put_attribute(out, "x", at.x);
    put_attribute(out, "y", at.y);
    put_attribute(out, "font-size", font.size);
    shoal_output_format(out, " text-anchor=\"%s\"", anchors[font.anchor]);
    if (font.upwards) {
        shoal_output_text(out, " transform=\"rotate(-90 ");
        put_place(out, at.x);
        shoal_output_text(out, " ");
        put_place(out, at.y);
        shoal_output_text(out, ")\"");
    }
    if (font.halo)
        shoal_output_text(out, " stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\"");
    shoal_output_text(out, ">");
    put_escaped(out, text);
    shoal_output_text(out, "</text>\n");
}

static void svg_clip(canvas *c, const canvas_box *box)
{
    svg_canvas *s = (svg_canvas *)c;
    if (s->clipped) shoal_output_text(s->out, "</g>\n");
    s->clipped = box != NULL;
    if (!box) return;
    shoal_output_format(s->out, "<clipPath id=\"clip%d\"><rect", (int)s->n_clips);
    put_box(s->out, *box);
    shoal_output_format(s->out, "/></clipPath>\n<g clip-path=\"url(#clip%d)\">\n",
                        (int)s->n_clips++);
}

static shoal_status svg_close(canvas *c)
{
    svg_clip(c, NULL);
    shoal_output_text(out_of(c), "</svg>\n");
    return shoal_output_close(out_of(c));
}

static void svg_destroy(canvas *c)
{
    shoal_output_destroy(out_of(c));
    free(c);
}

shoal_status canvas_open_svg(canvas **out, const char *path, int32_t width, int32_t height)
{
    static const canvas_kind kind = {svg_polyline, svg_area, svg_polygon, svg_disc,
                                     svg_text,     svg_clip, svg_close,   svg_destroy};
    svg_canvas *s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_E_MEMORY;
    s->base.kind = &kind;
    const shoal_status status = shoal_output_open(&s->out, path);
    if (status != SHOAL_OK) {
        free(s);
        return status;
    }
    shoal_output_format(s->out,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                        "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\">\n",
                        (int)width, (int)height, (int)width, (int)height);
    *out = &s->base;
    return SHOAL_OK;
}
