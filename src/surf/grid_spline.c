/* SPDX-License-Identifier: BSD-3-Clause
 * Coefficients of cubic B-splines through given values: exact, line by line. */
#include "surf/grid_spline.h"

#include <math.h>
#include <string.h>

#define POLE (-0.26794919243112270647) /* sqrt(3) - 2: root of (1 + 4 z + z^2) */

/* to += factor from, over rows of numbers. */
static void add_row(double *restrict to, double factor, const double *restrict from, size_t n)
{
    for (size_t i = 0; i < n; ++i) to[i] += factor * from[i];
}

/* One turn of the recursion starts from the sum over the whole circle, which the powers of the pole
 * cut off after as many terms as count. */
static int32_t count_terms(int32_t n)
{
    return n < 32 ? n : 32; /* POLE^32 = 5e-19 */
}

void grid_spline_cyclic(double *rows, int32_t n, size_t width)
{
    const int32_t terms = count_terms(n);
    const double closed = 1.0 / (1.0 - pow(POLE, n));
    double power = POLE;
    for (size_t i = 0; i < (size_t)n * width; ++i) rows[i] *= 6.0;
    for (int32_t k = 1; k < terms; ++k, power *= POLE)
        add_row(rows, power, rows + (size_t)(n - k) * width, width);
    for (size_t i = 0; i < width; ++i) rows[i] *= closed;
    for (int32_t k = 1; k < n; ++k)
        add_row(rows + (size_t)k * width, POLE, rows + (size_t)(k - 1) * width, width);
    double *last = rows + (size_t)(n - 1) * width;
    power = POLE;
    for (int32_t k = 1; k < terms; ++k, power *= POLE)
        add_row(last, power, rows + (size_t)(k - 1) * width, width);
    for (size_t i = 0; i < width; ++i) last[i] *= -POLE * closed;
    for (int32_t k = n - 2; k >= 0; --k) {
        double *row = rows + (size_t)k * width;
        const double *next = row + width;
        for (size_t i = 0; i < width; ++i) row[i] = POLE * (next[i] - row[i]);
    }
}

/* Not-a-knot: the third derivative is continuous at the second node, from which
 * c_1 = (8 f_1 - f_0 - f_2) / 6 follows, and the inner coefficients obey a tridiagonal system. */
void grid_spline_open(double *rows, int32_t n, size_t width, double *first, double *last,
                      double *work)
{
    double *r0 = rows, *r1 = r0 + width, *r2 = r1 + width;
    double *e0 = rows + (size_t)(n - 1) * width, *e1 = e0 - width, *e2 = e1 - width;
    for (size_t i = 0; i < width; ++i) {
        first[i] = r0[i];
        last[i] = e0[i];
        r0[i] = r1[i];
        e0[i] = e1[i]; /* values next to the ends wait in the end rows */
        r1[i] = (8.0 * r1[i] - first[i] - r2[i]) / 6.0;
        e1[i] = (8.0 * e1[i] - last[i] - e2[i]) / 6.0;
    }
    /* Elimination from row 2 on: work[k] is what the row above contributes. */
    work[1] = 0.0;
    for (int32_t k = 2; k < n - 2; ++k) {
        double *row = rows + (size_t)k * width;
        const double *above = row - width;
        work[k] = 1.0 / (4.0 - work[k - 1]);
        for (size_t i = 0; i < width; ++i) row[i] = (6.0 * row[i] - above[i]) * work[k];
    }
    for (int32_t k = n - 3; k >= 2; --k)
        add_row(rows + (size_t)k * width, -work[k], rows + (size_t)(k + 1) * width, width);
    for (size_t i = 0; i < width; ++i) {
        r0[i] = 6.0 * r0[i] - 4.0 * r1[i] - r2[i];
        e0[i] = 6.0 * e0[i] - 4.0 * e1[i] - e2[i];
        first[i] = 6.0 * first[i] - 4.0 * r0[i] - r1[i];
        last[i] = 6.0 * last[i] - 4.0 * e0[i] - e1[i];
    }
}

void grid_spline_values(double *rows, int32_t n, size_t width, double *work)
{
    double *first = work, *before = work + width;
    memcpy(first, rows, width * sizeof *first);
    memcpy(before, rows + (size_t)(n - 1) * width, width * sizeof *before);
    for (int32_t k = 0; k < n; ++k) {
        double *row = rows + (size_t)k * width;
        const double *next = k + 1 < n ? row + width : first;
        for (size_t i = 0; i < width; ++i) {
            const double here = row[i];
            row[i] = (before[i] + 4.0 * here + next[i]) * (1.0 / 6.0);
            before[i] = here;
        }
    }
}
