/* SPDX-License-Identifier: BSD-3-Clause
 * Canvases: how much of a pixel a stroke covers, joints, seams, clips, letters and their width. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "io/canvas.h"
#include "io/raster.h"
#include "io/stroke_font.h"

static int grey(const raster *r, int x, int y)
{
    return r->rgb[3 * (y * r->width + x)];
}

/* A line of width 3 on the middle of row 4 fills rows 3 to 5; one on their border half of two rows. */
static void check_strokes(void)
{
    raster r;
    if (raster_create(&r, 40, 20) != SHOAL_OK) return;
    raster_stroke(&r, (canvas_point){5, 4.5}, (canvas_point){20, 4.5}, 1.5);
    raster_stroke(&r, (canvas_point){20, 4.5}, (canvas_point){35, 4.5}, 1.5);
    raster_ink(&r, 0x000000, 1.0);
    CHECK(grey(&r, 10, 2) == 255 && grey(&r, 10, 3) == 0 && grey(&r, 10, 4) == 0);
    CHECK(grey(&r, 10, 5) == 0 && grey(&r, 10, 6) == 255);
    raster_stroke(&r, (canvas_point){5, 12}, (canvas_point){20, 12}, 0.5);
    raster_stroke(&r, (canvas_point){20, 12}, (canvas_point){35, 12}, 0.5);
    raster_ink(&r, 0x000000, 1.0);
    CHECK(abs(grey(&r, 10, 11) - 127) <= 1 && abs(grey(&r, 10, 12) - 127) <= 1);
    CHECK(grey(&r, 20, 12) == grey(&r, 10, 12)); /* the joint is no darker */
    CHECK(grey(&r, 10, 16) == 255);
    raster_free(&r);
}

static void check_clip_and_opacity(void)
{
    raster r;
    if (raster_create(&r, 20, 20) != SHOAL_OK) return;
    raster_clip(&r, &(canvas_box){5, 5, 10, 10});
    raster_stroke(&r, (canvas_point){8, 8}, (canvas_point){8, 8}, 6.0);
    raster_ink(&r, 0x000000, 0.5);
    CHECK(grey(&r, 8, 8) == 128 && grey(&r, 4, 8) == 255 && grey(&r, 10, 8) == 255);
    raster_clip(&r, NULL);
    raster_stroke(&r, (canvas_point){-50, -50}, (canvas_point){100, 100}, 1.0); /* far outside */
    raster_ink(&r, 0x000000, 1.0);
    CHECK(grey(&r, 15, 15) == 0);
    raster_free(&r);
}

/* Neighbours share no pixel and leave none out. */
static void check_seams(void)
{
    const canvas_point left[] = {{1.3, 1.2}, {7.7, 1.2}, {6.1, 9.8}, {1.3, 9.8}};
    const canvas_point right[] = {{7.7, 1.2}, {13.0, 1.2}, {13.0, 9.8}, {6.1, 9.8}};
    raster r;
    int n_left = 0, n_right = 0;
    if (raster_create(&r, 16, 12) != SHOAL_OK) return;
    raster_polygon(&r, left, 4, 0x400000);
    raster_polygon(&r, right, 4, 0x800000);
    for (int y = 1; y < 10; ++y)
        for (int x = 1; x < 13; ++x) {
            n_left += grey(&r, x, y) == 0x40;
            n_right += grey(&r, x, y) == 0x80;
        }
    CHECK(n_left + n_right == 12 * 9);
    CHECK(n_left > 40 && n_right > 40);
    CHECK(grey(&r, 0, 5) == 255 && grey(&r, 13, 5) == 255 && grey(&r, 5, 10) == 255);
    raster_free(&r);
}

static void count_stroke(void *user, canvas_point a, canvas_point b)
{
    double *most = user;
    most[0] += 1.0;
    most[1] = fmax(most[1], fmax(a.x, b.x));
    CHECK(fmin(a.y, b.y) > -0.3 && fmax(a.y, b.y) < 1.0 && fmin(a.x, b.x) >= 0.0);
}

static void check_letters(void)
{
    for (int code = '!'; code <= '~'; ++code) {
        const char text[] = {(char)code, '\0'};
        double most[2] = {0.0, 0.0};
        stroke_font_draw(text, count_stroke, most);
        CHECK(most[0] > 0.0 && most[1] <= stroke_font_width(text));
    }
    CHECK_NEAR(stroke_font_width("0.12"), stroke_font_width("7.89"), 1e-12);
    CHECK(stroke_font_width("ab") > stroke_font_width("a"));
    CHECK(stroke_font_width("") == 0.0);
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
    CHECK(canvas_open(&c, "test_io_canvas.tmp.png", 30, 10) == SHOAL_OK);
    if (!c) return;
    canvas_text(c, (canvas_point){2, 8}, (canvas_font){.size = 8}, "abc");
    CHECK(canvas_close(c) == SHOAL_OK);
    canvas_destroy(c);
    FILE *file = fopen("test_io_canvas.tmp.png", "rb");
    unsigned char head[24] = {0};
    CHECK(file && fread(head, 1, sizeof head, file) == sizeof head);
    if (file) (void)fclose(file);
    (void)unlink("test_io_canvas.tmp.png");
    CHECK(memcmp(head, "\x89PNG\r\n\x1a\n", 8) == 0 && head[19] == 60 && head[23] == 20);
}

int main(void)
{
    check_strokes();
    check_clip_and_opacity();
    check_seams();
    check_letters();
    check_characters();
    check_files();
    return check_done();
}
