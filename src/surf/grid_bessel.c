/* SPDX-License-Identifier: BSD-3-Clause
 * Modified Bessel functions of the second kind: polynomial series for K_0 and K_1 near zero,
 * asymptotic quadrature beyond, and the recurrence x^(n+1) K_(n+1) = 2 n x^n K_n + x^2 x^(n-1)
 * K_(n-1). */
#include "surf/grid_bessel.h"

#include <math.h>

#include "constants.h"

/* Power series (Abramowitz and Stegun 9.6.10 to 9.6.13), x <= 2. */
static void series(double x, double *k0, double *x_k1)
{
    const double y = 0.25 * x * x, lg = log(0.5 * x) + EULER_GAMMA;
    double term = 1, harmonic = 0, i0 = 0, sum0 = 0, i1 = 0, sum1 = 0;
    for (int k = 0; k < 16; ++k) {
        i0 += term;
        sum0 += term * harmonic;
        i1 += term / (k + 1);
        sum1 += term / (k + 1) * (harmonic + harmonic + 1.0 / (k + 1));
        term *= y / ((k + 1.0) * (k + 1.0));
        harmonic += 1.0 / (k + 1);
    }
    *k0 = -lg * i0 + sum0;
    *x_k1 = 1 + 2 * y * (lg * i1 - 0.5 * sum1);
}

/* K_n(x) = int_0^inf exp(-x cosh t) cosh(n t) dt by the trapezoidal rule, which converges
 * exponentially; with exp(-x) taken out. */
static void quadrature(double x, double *k0, double *x_k1)
{
    const double h = 0.16;
    double sum0 = 0.5, sum1 = 0.5;
    for (int i = 1; i < 64; ++i) {
        const double half = sinh(0.5 * h * i), e = exp(-2 * x * half * half);
        if (e < 1e-17) break;
        sum0 += e;
        sum1 += e * (1 + 2 * half * half);
    }
    *k0 = h * sum0 * exp(-x);
    *x_k1 = x * h * sum1 * exp(-x);
}

double grid_bessel(int n, double x)
{
    double below, at; /* x^(k-1) K_(k-1) and x^k K_k */
    if (x == 0) {
        double value = 1;
        for (int k = 1; k < n; ++k) value *= 2 * k;
        return value;
    }
    if (x <= 2)
        series(x, &below, &at);
    else
        quadrature(x, &below, &at);
    for (int k = 1; k < n; ++k) {
        const double above = 2 * k * at + x * x * below;
        below = at;
        at = above;
    }
    return at;
}
