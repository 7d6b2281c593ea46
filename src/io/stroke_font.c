/* SPDX-License-Identifier: BSD-3-Clause
 * Letters as strokes of a pen. Grid: capitals are 14 high, small letters 10, ascenders 15, descenders
 * reach to -4. */
#include "io/stroke_font.h"

#include <math.h>
#include <stddef.h>

#include "constants.h"

#define UNIT (0.72 / 14.0) /* of the grid, by the size of the font */
#define BEARING 1.5        /* empty columns on both sides of a letter */
enum { ARC_STEPS = 6 };

/* M x y: go to; L x y: line to; quarters of ellipses: H x y leaves along x and arrives along y, V x y
 * the other way round. */
typedef struct glyph {
    int32_t code, width;
    const char *strokes;
} glyph;

static const glyph glyphs[] = {
    {' ', 4, ""},
    {'!', 0, "M0 4L0 14M0 0L0 1"},
    {'"', 3, "M0 11L0 14M3 11L3 14"},
    {'#', 10, "M2 0L4 14M6 0L8 14M0 5L10 5M0 9L10 9"},
    {'$', 9, "M8 11V4 14H0 10V4 7L5 7H9 4V5 0L4 0H0 3M4 16L4 -2"},
    {'%', 10, "M0 0L10 14M2 14H0 12V2 10H4 12V2 14M8 4H6 2V8 0H10 2V8 4"},
    {'&', 10, "M10 0L2 10L2 11V4 14H6 11L6 10L1 5L0 3V3 0L4 0H9 6"},
    {'\'', 0, "M0 11L0 14"},
    {'(', 3, "M3 16L1 12L0 8L0 5L1 1L3 -3"},
    {')', 3, "M0 16L2 12L3 8L3 5L2 1L0 -3"},
    {'*', 6, "M3 14L3 8M0 13L6 9M6 13L0 9"},
    {'+', 8, "M4 2L4 10M0 6L8 6"},
    {',', 1, "M1 1L1 0L0 -3"},
    {'-', 5, "M0 5L5 5"},
    {'.', 0, "M0 0L0 1"},
    {'/', 6, "M0 -2L6 15"},
    {'0', 8, "M4 14H0 10L0 4V4 0H8 4L8 10V4 14"},
    {'1', 8, "M1 11L5 14L5 0"},
    {'2', 8, "M0 11V4 14H8 10L7 8L0 0L8 0"},
    {'3', 8, "M0 11V4 14H8 11V4 8L3 8M4 8H8 4V4 0H0 3"},
    {'4', 8, "M6 0L6 14L0 4L8 4"},
    {'5', 8, "M7 14L1 14L0 8L3 9L4 9H8 5L8 4V4 0H0 3"},
    {'6', 8, "M7 12V4 14H0 8L0 4V4 0H8 4V4 8H0 4"},
    {'7', 8, "M0 14L8 14L3 0"},
    {'8', 8, "M4 14H0 11V4 8H8 11V4 14M4 8H0 4V4 0H8 4V4 8"},
    {'9', 8, "M1 2V4 0H8 6L8 10V4 14H0 10V4 6H8 10"},
    {':', 0, "M0 0L0 1M0 8L0 9"},
    {';', 1, "M1 8L1 9M1 1L1 0L0 -3"},
    {'<', 8, "M8 1L0 6L8 11"},
    {'=', 8, "M0 4L8 4M0 8L8 8"},
    {'>', 8, "M0 1L8 6L0 11"},
    {'?', 8, "M0 11V4 14H8 11V4 6L4 4M4 0L4 1"},
    {'@', 13, "M9 10L9 6V11 4H13 8V7 14H0 6V7 -2L10 -2M9 7V6 10H3 7V6 4H9 7"},
    {'A', 10, "M0 0L5 14L10 0M2 5L8 5"},
    {'B', 9, "M0 0L0 14L5 14H8 11V5 8L0 8M5 8H9 4V5 0L0 0"},
    {'C', 10, "M10 10V6 14H0 7V6 0H10 4"},
    {'D', 10, "M0 0L0 14L4 14H10 7V4 0L0 0"},
    {'E', 8, "M8 0L0 0L0 14L8 14M0 7L7 7"},
    {'F', 8, "M0 0L0 14L8 14M0 7L6 7"},
    {'G', 11, "M10 11V6 14H0 7V6 0L7 0H11 4L11 6L7 6"},
    {'H', 9, "M0 0L0 14M9 0L9 14M0 7L9 7"},
    {'I', 0, "M0 0L0 14"},
    {'J', 6, "M6 14L6 4V3 0H0 3"},
    {'K', 9, "M0 0L0 14M9 14L0 5M3 8L9 0"},
    {'L', 7, "M0 14L0 0L7 0"},
    {'M', 12, "M0 0L0 14L6 4L12 14L12 0"},
    {'N', 9, "M0 0L0 14L9 0L9 14"},
    {'O', 12, "M6 14H0 7V6 0H12 7V6 14"},
    {'P', 9, "M0 0L0 14L5 14H9 10V5 6L0 6"},
    {'Q', 12, "M6 14H0 7V6 0H12 7V6 14M7 4L12 -1"},
    {'R', 9, "M0 0L0 14L5 14H9 10V5 6L0 6M5 6L9 0"},
    {'S', 9, "M8 11V4 14H0 11V4 7L5 7H9 4V5 0L4 0H0 3"},
    {'T', 10, "M5 0L5 14M0 14L10 14"},
    {'U', 9, "M0 14L0 4V4 0L5 0H9 4L9 14"},
    {'V', 10, "M0 14L5 0L10 14"},
    {'W', 14, "M0 14L3 0L7 14L11 0L14 14"},
    {'X', 9, "M0 0L9 14M0 14L9 0"},
    {'Y', 10, "M0 14L5 7L10 14M5 7L5 0"},
    {'Z', 9, "M0 14L9 14L0 0L9 0"},
    {'[', 3, "M3 16L0 16L0 -3L3 -3"},
    {'\\', 6, "M0 15L6 -2"},
    {']', 3, "M0 16L3 16L3 -3L0 -3"},
    {'^', 6, "M0 10L3 14L6 10"},
    {'_', 8, "M0 -3L8 -3"},
    {'`', 2, "M0 14L2 12"},
    {'a', 7, "M1 8V4 10H7 7L7 0M7 6L3 6H0 3V3 0H7 4"},
    {'b', 8, "M0 15L0 0M0 5V4 10H8 5V4 0H0 5"},
    {'c', 7, "M7 8V4 10H0 5V4 0H7 2"},
    {'d', 8, "M8 15L8 0M8 5V4 10H0 5V4 0H8 5"},
    {'e', 8, "M0 5L8 5V4 10H0 5V4 0H8 2"},
    {'f', 5, "M6 15L5 15H2 12L2 0M0 10L5 10"},
    {'g', 8, "M8 10L8 -1V4 -4H0 -2M8 5V4 10H0 5V4 0H8 5"},
    {'h', 7, "M0 15L0 0M0 6V4 10H7 6L7 0"},
    {'i', 0, "M0 0L0 10M0 13L0 14"},
    {'j', 2, "M2 10L2 -2V0 -4M2 13L2 14"},
    {'k', 7, "M0 15L0 0M7 10L0 3M3 6L7 0"},
    {'l', 0, "M0 15L0 0"},
    {'m', 12, "M0 10L0 0M0 6V3 10H6 7L6 0M6 6V9 10H12 7L12 0"},
    {'n', 7, "M0 10L0 0M0 6V4 10H7 6L7 0"},
    {'o', 8, "M4 10H0 5V4 0H8 5V4 10"},
    {'p', 8, "M0 10L0 -4M0 5V4 10H8 5V4 0H0 5"},
    {'q', 8, "M8 10L8 -4M8 5V4 10H0 5V4 0H8 5"},
    {'r', 4, "M0 10L0 0M0 6V4 10L5 10"},
    {'s', 7, "M6 8V3 10H0 8V3 5L4 5H7 3V4 0L3 0H0 2"},
    {'t', 5, "M2 14L2 3V4 0L5 0M0 10L5 10"},
    {'u', 7, "M0 10L0 4V3 0H7 4M7 10L7 0"},
    {'v', 8, "M0 10L4 0L8 10"},
    {'w', 12, "M0 10L3 0L6 10L9 0L12 10"},
    {'x', 7, "M0 0L7 10M0 10L7 0"},
    {'y', 8, "M0 10L4 0M8 10L4 0L3 -2V1 -4L0 -4"},
    {'z', 7, "M0 10L7 10L0 0L7 0"},
    {'{', 4, "M4 16H2 14L2 8V0 6H2 4L2 -1V4 -3"},
    {'|', 0, "M0 16L0 -3"},
    {'}', 4, "M0 16H2 14L2 8V4 6H2 4L2 -1V0 -3"},
    {'~', 8, "M0 5V2 8L6 5V8 8"},
    {0xb0, 4, "M2 15H0 13V2 11H4 13V2 15"},                        /* degree */
    {0xb1, 8, "M4 4L4 12M0 8L8 8M0 1L8 1"},                        /* plus or minus */
    {0xb2, 4, "M0 13V2 15H4 13L0 8L4 8"},                          /* squared */
    {0xb7, 0, "M0 6L0 7"},                                         /* middle dot */
    {0xc5, 10, "M0 0L5 12L10 0M2 4L8 4M5 18H3 16V5 14H7 16V5 18"}, /* angstrom */
    {0xd7, 6, "M0 3L6 9M0 9L6 3"},                                 /* times */
    {0x394, 10, "M0 0L5 14L10 0L0 0"},                             /* Delta */
    {0x3b1, 9, "M9 10L8 6V4 0H0 5V4 10H8 4L9 0"},                  /* alpha */
    {0x3bb, 8, "M0 15L1 15L8 0M4 9L0 0"},                          /* lambda */
    {0x2212, 8, "M0 6L8 6"},                                       /* minus */
    {0xfffd, 7, "M0 0L0 14L7 14L7 0L0 0"},                         /* no such letter */
};
enum { N_GLYPHS = sizeof glyphs / sizeof glyphs[0], N_ASCII = '~' - ' ' + 1 };

static const glyph *find_glyph(int32_t code)
{
    if (code >= ' ' && code <= '~') return &glyphs[code - ' '];
    for (int k = N_ASCII; k < N_GLYPHS; ++k)
        if (glyphs[k].code == code) return &glyphs[k];
    return &glyphs[N_GLYPHS - 1];
}

static const glyph *next_glyph(const char **text)
{
    const int32_t code = canvas_character(text);
    if (code == 0) return NULL;
    return find_glyph(code < ' ' ? ' ' : code);
}

double stroke_font_width(const char *text)
{
    double width = 0.0;
    for (const glyph *g; (g = next_glyph(&text));) width += g->width + 2.0 * BEARING;
    return UNIT * width;
}

static int take_number(const char **p)
{
    int value = 0;
    while (**p == ' ') ++*p;
    const bool negative = **p == '-';
    for (*p += negative; **p >= '0' && **p <= '9'; ++*p) value = 10 * value + (**p - '0');
    return negative ? -value : value;
}

/* A quarter of an ellipse; along_x: it leaves along x. */
static void draw_arc(canvas_point a, canvas_point b, bool along_x, stroke_pen *pen, void *user)
{
    canvas_point last = a;
    for (int k = 1; k <= ARC_STEPS; ++k) {
        const double angle = 0.5 * PI * k / ARC_STEPS;
        const double slow = 1.0 - cos(angle), quick = sin(angle);
        const canvas_point next = {a.x + (b.x - a.x) * (along_x ? quick : slow),
                                   a.y + (b.y - a.y) * (along_x ? slow : quick)};
        pen(user, last, next);
        last = next;
    }
}

void stroke_font_draw(const char *text, stroke_pen *pen, void *user)
{
    double left = BEARING;
    for (const glyph *g; (g = next_glyph(&text)); left += g->width + 2.0 * BEARING) {
        canvas_point at = {0.0, 0.0};
        for (const char *p = g->strokes; *p;) {
            const char command = *p++;
            const double x = UNIT * (left + take_number(&p));
            const canvas_point next = {x, UNIT * take_number(&p)};
            if (command == 'L')
                pen(user, at, next);
            else if (command != 'M')
                draw_arc(at, next, command == 'H', pen, user);
            at = next;
        }
    }
}
