/* SPDX-License-Identifier: BSD-3-Clause
 * Fourier sums over a plane of nodes: Stockham's self-sorting algorithm in mixed radix, many
 * transforms side by side. */
#include "surf/grid_fft.h"

#include "constants.h"

#include <math.h>
#include <string.h>

#define MAX_RADIX 5

int32_t grid_fft_size(int32_t n)
{
    for (int32_t size = n < 1 ? 1 : n;; ++size) {
        int32_t rest = size;
        while (rest % 2 == 0) rest /= 2;
        while (rest % 3 == 0) rest /= 3;
        while (rest % 5 == 0) rest /= 5;
        if (rest == 1) return size;
    }
}

/* out[width] (+)= w x[width], complex. */
static void multiply_add(double *restrict out, const double *restrict x, size_t width, double wr,
                         double wi, int first)
{
    if (first) memset(out, 0, 2 * width * sizeof *out);
    for (size_t q = 0; q < width; ++q) {
        out[2 * q] += wr * x[2 * q] - wi * x[2 * q + 1];
        out[2 * q + 1] += wr * x[2 * q + 1] + wi * x[2 * q];
    }
}

/* One stage: from x, n_left x width complex numbers with radix p, to y. */
static void stage(const double *x, double *y, int32_t n_left, int32_t p, size_t width)
{
    const int32_t m = n_left / p;
    for (int32_t k = 0; k < m; ++k)
        for (int32_t j = 0; j < p; ++j) {
            double *out = y + 2 * width * (size_t)(p * k + j);
            for (int32_t t = 0; t < p; ++t) {
                /* j t / p + j k / n_left turns */
                const int64_t turns = (int64_t)j * t * m + (int64_t)j * k;
                const double angle = TWO_PI * (double)(turns % n_left) / n_left;
                multiply_add(out, x + 2 * width * (size_t)(k + m * t), width, cos(angle),
                             sin(angle), t == 0);
            }
        }
}

/* Transforms along the slow index of x[n][width]; the result is in the array returned, x or y. */
static double *transform(double *x, double *y, int32_t n, size_t width)
{
    int32_t left = n;
    while (left > 1) {
        int32_t p = 2;
        while (left % p != 0 && p < MAX_RADIX) ++p;
        if (p == 2 && left % 4 == 0) p = 4;
        stage(x, y, left, p, width);
        width *= (size_t)p;
        left /= p;
        double *swap = x;
        x = y;
        y = swap;
    }
    return x;
}

static void transpose(const double *restrict from, double *restrict to, int32_t n_a, int32_t n_b)
{
    enum { TILE = 16 };
    for (int32_t a0 = 0; a0 < n_a; a0 += TILE)
        for (int32_t b0 = 0; b0 < n_b; b0 += TILE)
            for (int32_t a = a0; a < n_a && a < a0 + TILE; ++a)
                for (int32_t b = b0; b < n_b && b < b0 + TILE; ++b)
                    memcpy(to + 2 * ((size_t)b * (size_t)n_a + (size_t)a),
                           from + 2 * ((size_t)a * (size_t)n_b + (size_t)b), 2 * sizeof *to);
}

void grid_fft_plane(double *values, double *work, int32_t n_a, int32_t n_b)
{
    double *along_a = transform(values, work, n_a, (size_t)n_b);
    double *other = along_a == values ? work : values;
    transpose(along_a, other, n_a, n_b);
    double *along_b = transform(other, along_a, n_b, (size_t)n_a);
    double *result = along_b == values ? work : values;
    transpose(along_b, result, n_b, n_a);
    if (result != values) memcpy(values, result, 2 * (size_t)n_a * (size_t)n_b * sizeof *values);
}
