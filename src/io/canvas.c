/* SPDX-License-Identifier: BSD-3-Clause
 * A canvas that writes SVG, well-formed whatever the texts hold, the same bytes for the same calls. */
#include "io/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "io/output.h"

#define CHARACTER_WIDTH 0.58 /* of the size: the mean of common sans-serif fonts */

struct canvas {
    shoal_output *out;
    int32_t n_clips;
    bool clipped;
};

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

shoal_status canvas_open(canvas **out, const char *path, int32_t width, int32_t height)
{
    const size_t length = strlen(path);
    *out = NULL;
    if (length >= 4 && strcmp(path + length - 4, ".png") == 0)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "%s: figures are SVG, expected a name that ends in .svg; the Python "
                          "package draws PNG (shoal.plot)",
                          path);
    canvas *c = shoal_alloc(1, sizeof *c);
    if (!c) return SHOAL_E_MEMORY;
    const shoal_status status = shoal_output_open(&c->out, path);
    if (status != SHOAL_OK) {
        free(c);
        return status;
    }
    shoal_output_format(c->out,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                        "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\">\n",
                        (int)width, (int)height, (int)width, (int)height);
    *out = c;
    return SHOAL_OK;
}

void canvas_polyline(canvas *c, const canvas_point *points, int32_t n, canvas_pen pen)
{
    if (n < 1) return;
    shoal_output *out = c->out;
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

void canvas_line(canvas *c, double x1, double y1, double x2, double y2, canvas_pen pen)
{
    const canvas_point ends[] = {{x1, y1}, {x2, y2}};
    canvas_polyline(c, ends, 2, pen);
}

void canvas_frame(canvas *c, canvas_box box, canvas_pen pen)
{
    canvas_line(c, box.left, box.top, box.right, box.top, pen);
    canvas_line(c, box.right, box.top, box.right, box.bottom, pen);
    canvas_line(c, box.right, box.bottom, box.left, box.bottom, pen);
    canvas_line(c, box.left, box.bottom, box.left, box.top, pen);
}

static void put_box(shoal_output *out, canvas_box box)
{
    put_attribute(out, "x", box.left);
    put_attribute(out, "y", box.top);
    put_attribute(out, "width", fmax(box.right - box.left, 0.0));
    put_attribute(out, "height", fmax(box.bottom - box.top, 0.0));
}

void canvas_area(canvas *c, canvas_box box, int32_t colour)
{
    shoal_output *out = c->out;
    shoal_output_text(out, "<rect");
    put_box(out, box);
    put_colour(out, "fill", colour);
    shoal_output_text(out, " shape-rendering=\"crispEdges\"/>\n");
}

void canvas_polygon(canvas *c, const canvas_point *corners, int32_t n, int32_t colour)
{
    if (n < 3) return;
    shoal_output *out = c->out;
    shoal_output_text(out, "<path d=\"");
    put_points(out, corners, n);
    shoal_output_text(out, "Z\"");
    put_colour(out, "fill", colour);
    shoal_output_text(out, " shape-rendering=\"crispEdges\"/>\n");
}

void canvas_disc(canvas *c, canvas_point centre, double radius, int32_t colour, double opacity)
{
    shoal_output *out = c->out;
    shoal_output_text(out, "<circle");
    put_attribute(out, "cx", centre.x);
    put_attribute(out, "cy", centre.y);
    put_attribute(out, "r", radius);
    put_colour(out, "fill", colour);
    if (opacity < 1.0) put_attribute(out, "fill-opacity", opacity);
    shoal_output_text(out, "/>\n");
}

void canvas_text(canvas *c, canvas_point at, canvas_font font, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    shoal_output *out = c->out;
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

void canvas_clip(canvas *c, const canvas_box *box)
{
    if (c->clipped) shoal_output_text(c->out, "</g>\n");
    c->clipped = box != NULL;
    if (!box) return;
    shoal_output_format(c->out, "<clipPath id=\"clip%d\"><rect", (int)c->n_clips);
    put_box(c->out, *box);
    shoal_output_format(c->out, "/></clipPath>\n<g clip-path=\"url(#clip%d)\">\n",
                        (int)c->n_clips++);
}

shoal_status canvas_close(canvas *c)
{
    canvas_clip(c, NULL);
    shoal_output_text(c->out, "</svg>\n");
    return shoal_output_close(c->out);
}

void canvas_destroy(canvas *c)
{
    if (!c) return;
    shoal_output_destroy(c->out);
    free(c);
}

int32_t canvas_character(const char **text)
{
    static const int32_t least[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)*text;
    if (*p == 0) return 0;
    const int more = *p < 0x80 ? 0 : *p < 0xc0 ? -1 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : 3;
    int32_t code = more <= 0 ? *p : *p & (0x3f >> more);
    *text += 1;
    if (more < 0 || *p > 0xf7) return 0xfffd;
    for (int k = 1; k <= more; ++k) {
        if ((p[k] & 0xc0) != 0x80) return 0xfffd;
        code = (code << 6) | (p[k] & 0x3f);
    }
    if (code < least[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0xfffd;
    *text += more;
    return code;
}

double canvas_text_width(double size, const char *text)
{
    int32_t n = 0;
    while (canvas_character(&text) != 0) ++n;
    return CHARACTER_WIDTH * size * n;
}
