/* SPDX-License-Identifier: BSD-3-Clause
 * Figures: round ticks in exact decimals, escaped text, points outside, and repeatable bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "io/svg.h"
#include "io/svg_scale.h"

static const char *const path = "test_io_svg.tmp.svg";

/* Labels of an axis, separated by blanks. */
static void labels(double low, double high, bool log, char *out, size_t size)
{
    const svg_axis axis = {.low = low, .high = high, .log = log};
    const svg_scale s = svg_scale_make(&axis, SVG_NO_RANGE, 0.0, 100.0);
    size_t used = 0;
    out[0] = '\0';
    for (int64_t k = s.first; k <= s.last && used < size; ++k) {
        char text[SVG_LABEL_SIZE];
        svg_scale_label(&s, k, text);
        used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? " " : "", text);
    }
}

static void check_ticks(void)
{
    char text[256];
    labels(0.0, 1.0, false, text, sizeof text);
    CHECK_TEXT(text, "0 0.2 0.4 0.6 0.8 1.0");
    labels(-0.031, 0.07, false, text, sizeof text);
    CHECK_TEXT(text, "-0.02 0 0.02 0.04 0.06");
    labels(-3.0, 27.0, false, text, sizeof text);
    CHECK_TEXT(text, "0 5 10 15 20 25");
    labels(0.0, 3e-9, false, text, sizeof text);
    CHECK_TEXT(text, "0 5e-10 1e-9 15e-10 2e-9 25e-10 3e-9");
    labels(1000.0, 3500.0, false, text, sizeof text);
    CHECK_TEXT(text, "1000 1500 2000 2500 3000 3500");
    labels(2e-7, 3e-3, true, text, sizeof text);
    CHECK_TEXT(text, "1e-6 1e-5 1e-4 1e-3");
}

static void check_places(void)
{
    const svg_axis axis = {.low = 1.0, .high = 3.0}, log = {.low = 1.0, .high = 100.0, .log = true};
    const svg_scale s = svg_scale_make(&axis, SVG_NO_RANGE, 100.0, 0.0);
    const svg_scale l = svg_scale_make(&log, SVG_NO_RANGE, 0.0, 100.0);
    double pixel = -1.0;
    CHECK(svg_scale_place(&s, 1.5, &pixel));
    CHECK_NEAR(pixel, 75.0, 1e-12);
    CHECK(svg_scale_place(&s, 1e300, &pixel)); /* kept to short numbers */
    CHECK_NEAR(pixel, -400.0, 1e-9);
    CHECK(!svg_scale_place(&s, NAN, &pixel));
    CHECK(svg_scale_place(&l, 10.0, &pixel));
    CHECK_NEAR(pixel, 50.0, 1e-12);
    CHECK(!svg_scale_place(&l, 0.0, &pixel));
}

static void check_degenerate_ranges(void)
{
    const double same[] = {4.0, 4.0, NAN, INFINITY};
    const svg_axis axis = {0}, log = {.log = true};
    svg_range range = SVG_NO_RANGE;
    svg_range_add(&range, false, 4, same);
    const svg_scale s = svg_scale_make(&axis, range, 0.0, 1.0);
    CHECK(s.low < 4.0 && s.high > 4.0 && s.last > s.first);
    const svg_scale empty = svg_scale_make(&axis, SVG_NO_RANGE, 0.0, 1.0);
    CHECK(empty.low <= 0.0 && empty.high >= 1.0);
    const svg_scale empty_log = svg_scale_make(&log, SVG_NO_RANGE, 0.0, 1.0);
    CHECK(empty_log.low < empty_log.high);
}

/* The file as one text; the caller frees it. */
static char *read_back(void)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    if (!file) return NULL;
    char *text = calloc(1 << 20, 1);
    if (text) text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
    (void)fclose(file);
    (void)unlink(path);
    return text;
}

static char *draw(void)
{
    const double x[] = {1.0, 2.0, 3.0, 4.0, 5.0}, y[] = {0.1, 0.4, NAN, 0.2, -0.3};
    const double values[] = {-1.0, 0.0, 1.0, 0.5, NAN, 2.0};
    const svg_series series[] = {{"model <a & b>", SVG_LINE_DOTS, 5, x, y},
                                 {"reference", SVG_DASHES, 5, x, y}};
    const svg_map map = {.label = "E (eV)", .n_x = 3, .n_y = 2, .x = x, .y = x, .values = values};
    const svg_panel panels[] = {
        {.title = "curve",
         .x = {.label = "r (\xc3\x85)"},
         .y = {.label = "E (eV)"},
         .series = series,
         .n_series = 2},
        {.title = "scatter", .series = series, .n_series = 1, .diagonal = true},
        {.title = "map", .map = &map}};
    CHECK(svg_write(path, "three panels", panels, 3, 2) == SHOAL_OK);
    return read_back();
}

/* Number of times a piece is in a text. */
static int count(const char *text, const char *piece)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, piece)); p += strlen(piece)) ++n;
    return n;
}

static void check_file(void)
{
    char *first = draw(), *second = draw();
    if (first && second) {
        CHECK_TEXT(first, second);
        CHECK(strncmp(first, "<svg xmlns=", 11) == 0);
        CHECK(count(first, "model &lt;a &amp; b&gt;") == 2);
        CHECK(strstr(first, "nan") == NULL && strstr(first, "inf") == NULL);
        CHECK(count(first, "M") >= 4); /* the gap starts the line anew */
        CHECK(count(first, "<circle") == 8);
        CHECK(count(first, "fill=\"#bbbbbb\"") == 1); /* the cell that is not finite */
        CHECK(count(first, "width=\"920\" height=\"716\"") == 2);
        CHECK(count(first, "<g") == count(first, "</g>"));
    }
    free(first);
    free(second);
    CHECK(svg_write("no/such/directory/x.svg", NULL, NULL, 0, 1) == SHOAL_E_IO);
}

int main(void)
{
    check_ticks();
    check_places();
    check_degenerate_ranges();
    check_file();
    return check_done();
}
