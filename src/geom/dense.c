/* SPDX-License-Identifier: BSD-3-Clause
 * Dense systems of equations. */
#include "geom/dense.h"

#include <math.h>

static void swap_rows(int32_t n, double *a, double *b, int32_t i, int32_t k)
{
    for (int32_t c = 0; c < n; ++c) {
        const double x = a[i * n + c];
        a[i * n + c] = a[k * n + c];
        a[k * n + c] = x;
    }
    const double x = b[i];
    b[i] = b[k];
    b[k] = x;
}

bool dense_solve(int32_t n, double *a, double *b)
{
    for (int32_t k = 0; k < n; ++k) {
        int32_t pivot = k;
        for (int32_t i = k + 1; i < n; ++i)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k])) pivot = i;
        if (!(fabs(a[pivot * n + k]) > 1e-300)) return false;
        if (pivot != k) swap_rows(n, a, b, pivot, k);
        for (int32_t i = k + 1; i < n; ++i) {
            const double f = a[i * n + k] / a[k * n + k];
            if (f == 0.0) continue;
            for (int32_t c = k; c < n; ++c) a[i * n + c] -= f * a[k * n + c];
            b[i] -= f * b[k];
        }
    }
    for (int32_t k = n - 1; k >= 0; --k) {
        for (int32_t c = k + 1; c < n; ++c) b[k] -= a[k * n + c] * b[c];
        b[k] /= a[k * n + k];
    }
    return true;
}
