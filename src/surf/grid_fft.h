/* SPDX-License-Identifier: BSD-3-Clause
 * Fourier sums over a plane of nodes whose numbers have only the factors 2, 3 and 5. */
#ifndef SHOAL_SURF_GRID_FFT_H
#define SHOAL_SURF_GRID_FFT_H

#include <stddef.h>
#include <stdint.h>

/* Smallest number >= n (and >= 1) with no other prime factors than 2, 3 and 5. */
int32_t grid_fft_size(int32_t n);

/* values[j][k] = sum over m and n of values[m][n] exp(2 pi i (j m / n_a + k n / n_b)), in place.
 * values[n_a][n_b] are complex numbers, real and imaginary part side by side; work is as large. */
void grid_fft_plane(double *values, double *work, int32_t n_a, int32_t n_b);

#endif
