/* SPDX-License-Identifier: BSD-3-Clause
 * Figures: round ticks in exact decimals, escaped text, points outside, and repeatable bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "io/figure.h"
#include "io/figure_scale.h"

static const char *const path = "test_io_figure.tmp.svg";

/* Labels of an axis, separated by blanks. */
static void labels(double low, double high, bool log, char *out, size_t size)
{
    const figure_axis axis = {.low = low, .high = high, .log = log};
    const figure_scale s = figure_scale_make(&axis, FIGURE_NO_RANGE, 0.0, 100.0);
    size_t used = 0;
    out[0] = '\0';
    for (int64_t k = s.first; k <= s.last && used < size; ++k) {
        char text[FIGURE_LABEL_SIZE];
        figure_scale_label(&s, k, text);
        used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? " " : "", text);
    }
    char factor[FIGURE_LABEL_SIZE];
    if (figure_scale_factor(&s, factor)) (void)snprintf(out + used, size - used, " %s", factor);
}

/* Labels of one axis have as many decimals as each other. */
static void check_ticks(void)
{
    char text[256];
    labels(0.0, 1.0, false, text, sizeof text);
    CHECK_TEXT(text, "0.0 0.2 0.4 0.6 0.8 1.0");
    labels(-0.031, 0.07, false, text, sizeof text);
    CHECK_TEXT(text, "-0.02 0.00 0.02 0.04 0.06");
    labels(-3.0, 27.0, false, text, sizeof text);
    CHECK_TEXT(text, "0 5 10 15 20 25");
    labels(1.0, 1.05, false, text, sizeof text);
    CHECK_TEXT(text, "1.00 1.01 1.02 1.03 1.04 1.05");
    labels(0.0, 3e-9, false, text, sizeof text);
    CHECK_TEXT(text, "0.0 0.5 1.0 1.5 2.0 2.5 3.0 \xc3\x97 1e-9");
    labels(-4e6, 1e6, false, text, sizeof text);
    CHECK_TEXT(text, "-4 -3 -2 -1 0 1 \xc3\x97 1e6");
    labels(1000.0, 3500.0, false, text, sizeof text);
    CHECK_TEXT(text, "1000 1500 2000 2500 3000 3500");
}

/* Decades, fewer of them, and a part of one. */
static void check_log_ticks(void)
{
    char text[256];
    labels(2e-7, 3e-3, true, text, sizeof text);
    CHECK_TEXT(text, "1e-6 1e-5 1e-4 1e-3");
    labels(1e-20, 1.0, true, text, sizeof text);
    CHECK_TEXT(text, "1e-20 1e-15 1e-10 1e-5 1e0");
    labels(0.02, 0.7, true, text, sizeof text);
    CHECK_TEXT(text, "2e-2 5e-2 1e-1 2e-1 5e-1");
    labels(0.15, 0.36, true, text, sizeof text);
    CHECK_TEXT(text, "0.15 0.20 0.25 0.30 0.35");
    const figure_axis axis = {.low = 1.0, .high = 100.0, .log = true};
    const figure_axis few = {.low = 0.1, .high = 1.0, .log = true};
    const figure_scale decades = figure_scale_make(&axis, FIGURE_NO_RANGE, 0.0, 100.0);
    const figure_scale two = figure_scale_make(&few, FIGURE_NO_RANGE, 0.0, 100.0);
    CHECK_NEAR(figure_scale_tick(&decades, 1), 50.0, 1e-9);
    CHECK_NEAR(figure_scale_tick(&two, two.first + 1), 100.0 * log10(2.0), 1e-9);
}

static void check_places(void)
{
    const figure_axis axis = {.low = 1.0, .high = 3.0},
                      log = {.low = 1.0, .high = 100.0, .log = true};
    const figure_scale s = figure_scale_make(&axis, FIGURE_NO_RANGE, 100.0, 0.0);
    const figure_scale l = figure_scale_make(&log, FIGURE_NO_RANGE, 0.0, 100.0);
    double pixel = -1.0;
    CHECK(figure_scale_place(&s, 1.5, &pixel));
    CHECK_NEAR(pixel, 75.0, 1e-12);
    CHECK(figure_scale_place(&s, 1e300, &pixel)); /* kept to short numbers */
    CHECK_NEAR(pixel, -400.0, 1e-9);
    CHECK(!figure_scale_place(&s, NAN, &pixel));
    CHECK(figure_scale_place(&l, 10.0, &pixel));
    CHECK_NEAR(pixel, 50.0, 1e-12);
    CHECK(!figure_scale_place(&l, 0.0, &pixel));
}

static void check_degenerate_ranges(void)
{
    const double same[] = {4.0, 4.0, NAN, INFINITY};
    const figure_axis axis = {0}, log = {.log = true};
    figure_range range = FIGURE_NO_RANGE;
    figure_range_add(&range, false, 4, same);
    const figure_scale s = figure_scale_make(&axis, range, 0.0, 1.0);
    CHECK(s.low < 4.0 && s.high > 4.0 && s.last > s.first);
    const figure_scale empty = figure_scale_make(&axis, FIGURE_NO_RANGE, 0.0, 1.0);
    CHECK(empty.low <= 0.0 && empty.high >= 1.0);
    const figure_scale empty_log = figure_scale_make(&log, FIGURE_NO_RANGE, 0.0, 1.0);
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
    const figure_series series[] = {{"model <a & b>", FIGURE_LINE_DOTS, 5, x, y},
                                    {"reference", FIGURE_DASHES, 5, x, y}};
    const figure_map map = {
        .label = "E (eV)", .n_x = 3, .n_y = 2, .x = x, .y = x, .values = values};
    const figure_panel panels[] = {
        {.title = "curve",
         .x = {.label = "r (\xc3\x85)"},
         .y = {.label = "E (eV)"},
         .series = series,
         .n_series = 2},
        {.title = "scatter \xff", .series = series, .n_series = 1, .diagonal = true},
        {.title = "map", .map = &map}};
    CHECK(figure_write(path, "three panels", panels, 3, 2) == SHOAL_OK);
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
        CHECK(count(first, "M") >= 4);                /* the gap starts the line anew */
        CHECK(count(first, "<circle") == 10);         /* one more in each legend */
        CHECK(count(first, "fill=\"#bbbbbb\"") == 1); /* the cell that is not finite */
        CHECK(count(first, "\xef\xbf\xbd") == 1);     /* a byte that is no UTF-8 */
        CHECK(count(first, "width=\"920\" height=\"716\"") == 2);
        CHECK(count(first, "<g") == count(first, "</g>"));
    }
    free(first);
    free(second);
    CHECK(figure_write("no/such/directory/x.svg", NULL, NULL, 0, 1) == SHOAL_E_IO);
}

/* Every kind of panel: scatter with a diagonal, logarithmic axes, marks, maps with and without a sign, whole and half
 * circles. Where lines, cells and rings lie is computed by hand from the sizes of a panel (460 x 340, margins of 78, 18,
 * 32 and 52, 78 for a colour bar); all the rest is compared with the file, which --update writes anew. */
static char *draw_all(void)
{
    static const double x[] = {1.0, 2.0, 3.0, 4.0}, y[] = {1.0, 3.0, 2.0, 4.0};
    static const double decades[] = {1.0, 10.0, 100.0, 1000.0}, far[] = {0.0, 90.0, 180.0, 270.0};
    static const double near[] = {30.0, 60.0}, radii[] = {1.0, 3.0};
    static const double mixed[] = {-2.0, 1.0, 4.0, 0.0}, rising[] = {1.0, 10.0, 100.0, -1.0};
    static const figure_series all[] = {{"a", FIGURE_LINE, 4, x, y},
                                        {"bb", FIGURE_DOTS, 4, x, x},
                                        {"ccc", FIGURE_LINE_DOTS, 4, y, x},
                                        {NULL, FIGURE_DASHES, 4, x, y}};
    static const figure_series logs[] = {{"logs", FIGURE_LINE, 4, decades, decades}};
    static const figure_series circle[] = {{"whole", FIGURE_LINE_DOTS, 4, x, far}};
    static const figure_mark marks[] = {
        {"both", 2.0, 2.0}, {"x alone", 3.0, NAN}, {NULL, NAN, 3.5}};
    static const figure_map plain = {
        .label = "E", .n_x = 2, .n_y = 2, .x = x, .y = x, .values = mixed};
    static const figure_map ring = {
        .n_x = 2, .n_y = 2, .x = radii, .y = near, .values = rising, .log = true};
    const figure_panel panels[] = {
        {.title = "scatter", .series = all, .n_series = 2, .diagonal = true},
        {.x = {.label = "x", .log = true},
         .y = {.label = "y", .log = true},
         .series = logs,
         .n_series = 1,
         .diagonal = true},
        {.series = all,
         .n_series = 4,
         .marks = marks,
         .n_marks = 3,
         .x = {.low = 0.0, .high = 5.0}},
        {.map = &plain, .marks = marks, .n_marks = 1},
        {.polar = true, .x = {.label = "r"}, .series = circle, .n_series = 1},
        {.polar = true, .map = &ring}};
    CHECK(figure_write(path, NULL, panels, 6, 3) == SHOAL_OK);
    return read_back();
}

static void check_golden(bool update)
{
    char *text = draw_all();
    if (!text) return;
    /* y = x goes from corner to corner, on plain and on logarithmic axes. */
    CHECK(count(text, "<path d=\"M78 288L442 32\" fill=\"none\" stroke=\"#888888\"") == 1);
    CHECK(count(text, "<path d=\"M538 288L902 32\" fill=\"none\" stroke=\"#888888\"") == 1);
    /* Of an axis from 0 to 5 over 364 pixels, 2 lies at 0.4 and 3 at 0.6. */
    CHECK(count(text, "<circle cx=\"1143.60\" cy=\"209.88\" r=\"4.50\"") == 1);
    CHECK(count(text, "<path d=\"M1216.40 288L1216.40 32\"") == 1);
    /* Centres 1 and 2 have borders at 0.5, 1.5 and 2.5: halves of 286 x 256 pixels; -2 is the least, 4 the most. */
    CHECK(count(text, "<rect x=\"78\" y=\"500\" width=\"143\" height=\"128\" fill=\"#0000b4\"") ==
          1);
    CHECK(count(text, "<rect x=\"78\" y=\"372\" width=\"143\" height=\"128\" fill=\"#b40000\"") ==
          1);
    FILE *file = fopen(SHOAL_TEST_DATA "/figure.svg", update ? "wb" : "rb");
    CHECK(file != NULL);
    char *golden = calloc(1 << 20, 1);
    if (file && update) CHECK(fputs(text, file) >= 0);
    if (file && golden && !update) {
        golden[fread(golden, 1, (1 << 20) - 1, file)] = '\0';
        CHECK(strcmp(text, golden) == 0);
    }
    if (file) (void)fclose(file);
    free(golden);
    free(text);
}

int main(int argc, char **argv)
{
    check_golden(argc > 1 && strcmp(argv[1], "--update") == 0);
    check_ticks();
    check_log_ticks();
    check_places();
    check_degenerate_ranges();
    check_file();
    return check_done();
}
