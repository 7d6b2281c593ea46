/* SPDX-License-Identifier: BSD-3-Clause
 * Fourier sums over a plane of nodes. */
#include "geom/fft.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "constants.h"

#define SHOAL_REAL double
#include "real.h"

#define FFT(name) name
#define FFT_SCALAR double
#include "geom/fft_stages.h"

int32_t fft_size(int32_t n)
{
    for (int32_t size = n < 1 ? 1 : n;; ++size) {
        int32_t rest = size;
        while (rest % 2 == 0) rest /= 2;
        while (rest % 3 == 0) rest /= 3;
        while (rest % 5 == 0) rest /= 5;
        if (rest == 1) return size;
    }
}

void fft_turns(int32_t n, double (*out)[2])
{
    for (int32_t k = 0; k < n; ++k) {
        out[k][0] = cos(TWO_PI * k / n);
        out[k][1] = sin(TWO_PI * k / n);
    }
}

static void transpose(const double *restrict from, double *restrict to, int32_t n_a, int32_t n_b)
{
    enum { TILE = 16 };
    for (int32_t a0 = 0; a0 < n_a; a0 += TILE)
        for (int32_t b0 = 0; b0 < n_b; b0 += TILE)
            for (int32_t a = a0; a < n_a && a < a0 + TILE; ++a)
                for (int32_t b = b0; b < n_b && b < b0 + TILE; ++b)
                    to[(size_t)b * (size_t)n_a + (size_t)a] =
                        from[(size_t)a * (size_t)n_b + (size_t)b];
}

/* Along a, then turned over, in parts[0]; parts[1] is room. */
static void along(double *parts[2][2], int32_t n_a, int32_t n_b, const double (*turns)[2])
{
    const bool there = fft_lines(parts[0], parts[1], n_a, n_b, turns);
    for (int k = 0; k < 2; ++k) transpose(parts[there][k], parts[!there][k], n_a, n_b);
    for (int k = 0; k < 2 && !there; ++k) {
        double *swap = parts[0][k];
        parts[0][k] = parts[1][k];
        parts[1][k] = swap;
    }
}

shoal_status fft_plane(double *values, double *work, int32_t n_a, int32_t n_b)
{
    const size_t size = (size_t)n_a * (size_t)n_b;
    double(*turns)[2] = shoal_alloc((size_t)(n_a + n_b), sizeof *turns);
    double *parts[2][2] = {{work, work + size}, {values, values + size}};
    if (!turns) return SHOAL_E_MEMORY;
    fft_turns(n_a, turns);
    fft_turns(n_b, turns + n_a);
    for (size_t i = 0; i < size; ++i) {
        work[i] = values[2 * i];
        work[size + i] = values[2 * i + 1];
    }
    along(parts, n_a, n_b, (const double(*)[2])turns);
    along(parts, n_b, n_a, (const double(*)[2])(turns + n_a));
    free(turns);
    if (parts[0][0] != work) memcpy(work, values, 2 * size * sizeof *work);
    for (size_t i = 0; i < size; ++i) {
        values[2 * i] = work[i];
        values[2 * i + 1] = work[size + i];
    }
    return SHOAL_OK;
}
