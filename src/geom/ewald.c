/* SPDX-License-Identifier: BSD-3-Clause
 * Weights of k-vectors.
 *
 * Ewald, Ann. Phys. 369 (1921) 253. With damping d, the transform of erf(alpha s)/s, s^2 = r^2 + d^2,
 * is G(k) = pi int_{1/alpha^2}^inf exp(-k^2 u/4 - d^2/u) du. */
#include "geom/ewald.h"

#include <math.h>

#include "constants.h"

/* Cost of a pair in real space relative to that of an atom and a k-vector (or a pair and a k-vector of a
 * slab), from a profile of the first and an estimate of the second. */
#define COST_VOLUME 40.0
#define COST_SLAB 2.0

/* Chains: images are met in the list of vdW pairs anyway, if they are no further than this, angstrom. */
#define CHAIN_CUTOFF 10.0

/* Images of a chain on either side: the rest leaves out some 7e5 (2 pi M)^-10 / L, 1e-12 and 1e-8. */
#define CHAIN_IMAGES 10
#define CHAIN_IMAGES_FLOAT 4

double ewald_balance(int n_periodic, double measure, int32_t n_atoms)
{
    if (n_periodic == 2) return pow(2 * PI * PI * COST_SLAB, 0.25) / sqrt(measure);
    return sqrt(PI) * pow(COST_VOLUME * n_atoms / (measure * measure), 1.0 / 6);
}

/* The 4 makes up for the number of terms left out. */
double ewald_reach(double tolerance)
{
    return sqrt(4 - log(tolerance));
}

ewald_chain ewald_chain_choose(double length, double tolerance, bool is_float)
{
    const int32_t n_images = is_float ? CHAIN_IMAGES_FLOAT : CHAIN_IMAGES;
    const double x = ewald_reach(tolerance), end = (n_images + 0.5) * length;
    const double r_cut = fmin(CHAIN_CUTOFF, end);
    return (ewald_chain){.alpha = x / r_cut,
                         .r_cut = r_cut,
                         .n_split = (int32_t)fmin(floor(r_cut / length + 0.5), n_images),
                         .n_images = n_images,
                         .offset = -2 / length * log(2 * end)};
}

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
static double kvec_integrand(double v, double p, double q)
{
    return exp(-v - p / (1 + q * v));
}

double ewald_transform(double alpha, double damping, double k2)
{
    const double plain = 4 * PI / k2 * exp(-0.25 * k2 / (alpha * alpha));
    if (damping == 0) return plain;
    return plain * integrate(kvec_integrand, damping * damping * alpha * alpha,
                             4 * alpha * alpha / k2, 4.25);
}

static double slope_integrand(double v, double p, double q)
{
    return (1 + q * v) * kvec_integrand(v, p, q);
}

/* The integrand of G times -u/4. */
double ewald_transform_slope(double alpha, double damping, double k2)
{
    const double a2 = alpha * alpha, q = 4 * a2 / k2;
    const double scale = -PI / (k2 * a2) * exp(-0.25 * k2 / a2);
    if (damping == 0) return scale * (1 + q);
    return scale * integrate(slope_integrand, damping * damping * a2, q, 4.25);
}

/* 1/u = alpha^2 (1 + v) in what is left of the integral at k = 0. */
static double mean_integrand(double v, double p, double q)
{
    (void)q;
    return exp(-p * (1 + v)) / ((1 + v) * (1 + v));
}

double ewald_mean_erfc(double alpha, double damping)
{
    if (damping == 0) return PI / (alpha * alpha);
    return PI / (alpha * alpha) *
           integrate(mean_integrand, damping * damping * alpha * alpha, 0, 42);
}
