/* SPDX-License-Identifier: BSD-3-Clause
 * Weights of waves.
 *
 * Ewald, Ann. Phys. 369 (1921) 253. With damping d, the transform of erf(alpha s)/s, s^2 = r^2 + d^2,
 * is G(k) = pi int_{1/alpha^2}^inf exp(-k^2 u/4 - d^2/u) du. */
#include "backend/ewald.h"

#include <math.h>

#define PI 3.14159265358979323846

/* int_0^inf f(v) dv by the double-exponential rule v = exp(w - e^-w) (Takahasi and Mori, Publ. RIMS 9
 * (1974) 721), for integrands that vary on the scale of 1 and above. */
static double integrate(double (*f)(double v, double p, double q), double p, double q, double last)
{
    const double step = 1.0 / 16;
    double sum = 0;
    for (double w = -4.25; w <= last; w += step) {
        const double v = exp(w - exp(-w));
        sum += f(v, p, q) * v * (1 + exp(-w));
    }
    return step * sum;
}

/* u = 1/alpha^2 + 4v/k^2; p = (d alpha)^2, q = 4 alpha^2/k^2. */
static double wave_integrand(double v, double p, double q)
{
    return exp(-v - p / (1 + q * v));
}

double ewald_transform(double alpha, double damping, double k2)
{
    const double plain = 4 * PI / k2 * exp(-0.25 * k2 / (alpha * alpha));
    if (damping == 0) return plain;
    return plain * integrate(wave_integrand, damping * damping * alpha * alpha,
                             4 * alpha * alpha / k2, 4.25);
}

/* 1/u = alpha^2 (1 + v) in what is left of the integral at k = 0. */
static double mean_integrand(double v, double p, double q)
{
    (void)q;
    return exp(-p * (1 + v)) / ((1 + v) * (1 + v));
}

double ewald_mean_sharp(double alpha, double damping)
{
    if (damping == 0) return PI / (alpha * alpha);
    return PI / (alpha * alpha) *
           integrate(mean_integrand, damping * damping * alpha * alpha, 0, 42);
}
