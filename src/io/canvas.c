/* SPDX-License-Identifier: BSD-3-Clause
 * Choice of the kind of canvas, shapes made of others, and characters of a text. */
#include "io/canvas.h"

#include <string.h>

#include "io/canvas_inner.h"

shoal_status canvas_open(canvas **out, const char *path, int32_t width, int32_t height)
{
    const size_t length = strlen(path);
    *out = NULL;
    if (length >= 4 && strcmp(path + length - 4, ".png") == 0)
        return canvas_open_png(out, path, width, height);
    return canvas_open_svg(out, path, width, height);
}

void canvas_polyline(canvas *c, const canvas_point *points, int32_t n, canvas_pen pen)
{
    if (n > 0) c->kind->polyline(c, points, n, pen);
}

void canvas_line(canvas *c, double x1, double y1, double x2, double y2, canvas_pen pen)
{
    const canvas_point ends[] = {{x1, y1}, {x2, y2}};
    c->kind->polyline(c, ends, 2, pen);
}

void canvas_frame(canvas *c, canvas_box box, canvas_pen pen)
{
    canvas_line(c, box.left, box.top, box.right, box.top, pen);
    canvas_line(c, box.right, box.top, box.right, box.bottom, pen);
    canvas_line(c, box.right, box.bottom, box.left, box.bottom, pen);
    canvas_line(c, box.left, box.bottom, box.left, box.top, pen);
}

void canvas_area(canvas *c, canvas_box box, int32_t colour)
{
    c->kind->area(c, box, colour);
}

void canvas_polygon(canvas *c, const canvas_point *corners, int32_t n, int32_t colour)
{
    if (n > 2) c->kind->polygon(c, corners, n, colour);
}

void canvas_disc(canvas *c, canvas_point centre, double radius, int32_t colour, double opacity)
{
    c->kind->disc(c, centre, radius, colour, opacity);
}

void canvas_text(canvas *c, canvas_point at, canvas_font font, const char *text)
{
    c->kind->text(c, at, font, text);
}

void canvas_clip(canvas *c, const canvas_box *box)
{
    c->kind->clip(c, box);
}

shoal_status canvas_close(canvas *c)
{
    return c->kind->close(c);
}

void canvas_destroy(canvas *c)
{
    if (c) c->kind->destroy(c);
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
