/* SPDX-License-Identifier: BSD-3-Clause
 * Fourier sums of many lines side by side: Stockham's self-sorting algorithm in mixed radix. Who includes this defines
 * real, which may be a vector of numbers, FFT(name), and FFT_SCALAR, the type of one number. */
#include "fft_terms.h"

/* One stage: from x, n_left lines of a width with radix p, to y; turns[step k] is exp(2 pi i k / n_left). */
SHOAL_FN void FFT(fft_stage)(int p, real *const x[2], real *const y[2], const int32_t shape[2],
                             const FFT_SCALAR (*turns)[2], int32_t step)
{
    const int32_t m = shape[0] / p, width = shape[1];
    for (int32_t k = 0; k < m; ++k) {
        const size_t from = (size_t)k * (size_t)width, next = (size_t)m * (size_t)width;
        const size_t to = (size_t)p * from;
        for (int32_t q = 0; q < width; ++q) {
            real re[FFT_RADIX], im[FFT_RADIX];
            for (int t = 0; t < p; ++t) {
                re[t] = x[0][from + (size_t)t * next + (size_t)q];
                im[t] = x[1][from + (size_t)t * next + (size_t)q];
            }
            FFT(fft_butterfly)(p, re, im);
            y[0][to + (size_t)q] = re[0];
            y[1][to + (size_t)q] = im[0];
            for (int j = 1; j < p; ++j) {
                const FFT_SCALAR *w = turns[j * k * step];
                const size_t at = to + (size_t)(j * width + q);
                y[0][at] = w[0] * re[j] - w[1] * im[j];
                y[1][at] = w[0] * im[j] + w[1] * re[j];
            }
        }
    }
}

/* Along the slow index of x[n][width], real and imaginary parts apart: sums with exp(+2 pi i j k / n); with the parts
 * exchanged, exp(-..). Returns whether they are in y, which is as large, and not in x. turns[k] is exp(2 pi i k / n). */
static bool FFT(fft_lines)(real *const x[2], real *const y[2], int32_t n, int32_t width,
                           const FFT_SCALAR (*turns)[2])
{
    bool in_y = false;
    for (int32_t left = n, step = 1; left > 1; in_y = !in_y) {
        const int32_t shape[2] = {left, width};
        real *const *from = in_y ? y : x, *const *to = in_y ? x : y;
        const int32_t p = left % 4 == 0 ? 4 : left % 2 == 0 ? 2 : left % 3 == 0 ? 3 : 5;
        switch (p) {
        case 4: FFT(fft_stage)(4, from, to, shape, turns, step); break;
        case 2: FFT(fft_stage)(2, from, to, shape, turns, step); break;
        case 3: FFT(fft_stage)(3, from, to, shape, turns, step); break;
        default: FFT(fft_stage)(5, from, to, shape, turns, step); break;
        }
        width *= p;
        step *= p;
        left /= p;
    }
    return in_y;
}
