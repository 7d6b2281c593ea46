/* SPDX-License-Identifier: BSD-3-Clause
 * Canvases: shapes as SVG, characters, names of files. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "io/canvas.h"

#define FILE_NAME "test_io_canvas.tmp.svg"

/* What a canvas wrote, without its first line. */
static void read_back(char *text, size_t size)
{
    FILE *file = fopen(FILE_NAME, "rb");
    text[0] = '\0';
    CHECK(file != NULL);
    if (!file) return;
    CHECK(fgets(text, (int)size, file) && strncmp(text, "<svg ", 5) == 0);
    text[fread(text, 1, size - 1, file)] = '\0';
    (void)fclose(file);
    (void)unlink(FILE_NAME);
}

static void check_shapes(void)
{
    const canvas_point corners[] = {{1, 2}, {3, 4.5}, {-0.005, 6}};
    const canvas_box box = {1, 2, 5, 4};
    char text[2000];
    canvas *c = NULL;
    CHECK(canvas_open(&c, FILE_NAME, 30, 10) == SHOAL_OK);
    if (!c) return;
    canvas_polyline(c, corners, 0, (canvas_pen){0}); /* nothing */
    canvas_polygon(c, corners, 2, 0xff0000);         /* no area */
    canvas_polyline(c, corners, 2,
                    (canvas_pen){.colour = 0x102030, .width = 1, .dash = 2, .gap = 1});
    canvas_clip(c, &box);
    canvas_polygon(c, corners, 3, 0xff0000);
    canvas_clip(c, NULL);
    canvas_disc(c, (canvas_point){1, 1}, 2, 0x0000ff, 0.5);
    canvas_text(c, (canvas_point){2, 8}, (canvas_font){.size = 8, .anchor = CANVAS_END}, "a<b\x07");
    CHECK(canvas_close(c) == SHOAL_OK);
    canvas_destroy(c);
    read_back(text, sizeof text);
    CHECK_TEXT(
        text, "<path d=\"M1 2L3 4.50\" fill=\"none\" stroke=\"#102030\" stroke-width=\"1\" "
              "stroke-dasharray=\"2 1\"/>\n"
              "<clipPath id=\"clip0\"><rect x=\"1\" y=\"2\" width=\"4\" height=\"2\"/></clipPath>\n"
              "<g clip-path=\"url(#clip0)\">\n"
              "<path d=\"M1 2L3 4.50L-0.01 6Z\" fill=\"#ff0000\" shape-rendering=\"crispEdges\"/>\n"
              "</g>\n"
              "<circle cx=\"1\" cy=\"1\" r=\"2\" fill=\"#0000ff\" fill-opacity=\"0.50\"/>\n"
              "<text x=\"2\" y=\"8\" font-size=\"8\" text-anchor=\"end\">a&lt;b </text>\n"
              "</svg>\n");
}

static void check_characters(void)
{
    const char *text = "a\xc3\x85\xe2\x88\x92\xf0\x9f\x98\x80\xff\xc3";
    const int32_t wanted[] = {'a', 0xc5, 0x2212, 0x1f600, 0xfffd, 0xfffd, 0};
    for (int k = 0; k < 7; ++k) CHECK(canvas_character(&text) == wanted[k]);
    const char *overlong = "\xc0\xaf";
    CHECK(canvas_character(&overlong) == 0xfffd);
}

static void check_files(void)
{
    canvas *c = NULL;
    CHECK(canvas_open(&c, "no/such/directory/x.svg", 10, 10) == SHOAL_E_IO);
    CHECK(canvas_open(&c, "test_io_canvas.tmp.png", 10, 10) == SHOAL_E_ARGUMENT && !c);
    CHECK(strstr(shoal_error_text(), ".svg") && strstr(shoal_error_text(), "shoal.plot"));
    CHECK(access("test_io_canvas.tmp.png", F_OK) != 0);
    CHECK(canvas_open(&c, FILE_NAME, 10, 10) == SHOAL_OK);
    canvas_destroy(c); /* not closed: no file */
    CHECK(access(FILE_NAME, F_OK) != 0);
    canvas_destroy(NULL);
}

static void check_widths(void)
{
    CHECK(canvas_text_width(10, "") == 0.0);
    CHECK(canvas_text_width(10, "\xc3\x85\xc3\x85") == canvas_text_width(10, "ab"));
    CHECK_NEAR(canvas_text_width(20, "abc"), 3 * 20 * 0.58, 1e-12);
}

int main(void)
{
    check_shapes();
    check_characters();
    check_files();
    check_widths();
    return check_done();
}
