/* SPDX-License-Identifier: BSD-3-Clause
 * Fourier sums over nodes whose numbers have only the factors 2, 3 and 5. */
#ifndef SHOAL_GEOM_FFT_H
#define SHOAL_GEOM_FFT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Smallest number >= n (and >= 1) with no other prime factors than 2, 3 and 5. */
int32_t fft_size(int32_t n);

/* out[k] = exp(2 pi i k / n), k = 0 .. n - 1. */
void fft_turns(int32_t n, double (*out)[2]);

/* values[j][k] = sum over m and n of values[m][n] exp(2 pi i (j m / n_a + k n / n_b)), in place.
 * values[n_a][n_b] are complex numbers, real and imaginary part side by side; work is as large. */
shoal_status fft_plane(double *values, double *work, int32_t n_a, int32_t n_b);

#endif
