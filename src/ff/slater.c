/* SPDX-License-Identifier: BSD-3-Clause
 * Coulomb integrals between Slater ns charge clouds.
 *
 * The potential of a cloud is V(s) = [1 - exp(-x) sum_k (1 - k/2n) x^k/k!] / s with x = 2 zeta s and
 * k < 2n. For a spherical density around the other centre the angular integral leaves
 *   J(R) = 2 pi / R  int_0^inf r rho(r) [F(R + r) - F(|R - r|)] dr,   F(s) = int_0^s t V(t) dt,
 * with F in closed form, and the last integral is done by Gauss-Legendre quadrature in pieces on
 * which the integrand is smooth. */
#include "ff/slater.h"

#include "constants.h"

#include <math.h>

/* Nodes and weights of 12-point Gauss-Legendre quadrature on (-1, 1), positive half (Abramowitz
 * and Stegun, table 25.4). */
enum { N_NODES = 6 };
static const double nodes[N_NODES] = {0.125233408511468915, 0.367831498998180194,
                                      0.587317954286617447, 0.769902674194304687,
                                      0.904117256370474857, 0.981560634246719251};
static const double weights[N_NODES] = {0.249147045813402785, 0.233492536538354809,
                                        0.203167426723065922, 0.160078328543346226,
                                        0.106939325995318431, 0.047175336386511827};

/* F(s) - s of the cloud, so that equal large parts cancel before rounding. */
static double potential_moment(slater_cloud c, double s)
{
    const double x = 2 * c.zeta * s, decay = exp(-x);
    double term = 1, tail = 0, sum = 0; /* x^k/k!, its partial sums, the result */
    for (int32_t k = 0; k < 2 * c.n; ++k) {
        if (k > 0) term *= x / k;
        tail += term;
        sum += (1 - (double)k / (2 * c.n)) * (1 - decay * tail);
    }
    return -sum / (2 * c.zeta);
}

static double radial_density(slater_cloud c, double r)
{
    /* N r^(2n-2) exp(-2 zeta r), normalised over space. */
    const double two_zeta = 2 * c.zeta;
    double norm = two_zeta / (4 * PI); /* (2 zeta)^(2n+1) / (4 pi (2n)!) built with r^(2n-2) */
    for (int32_t k = 1; k <= 2 * c.n; ++k) {
        norm *= two_zeta / k;
        if (k <= 2 * c.n - 2) norm *= r;
    }
    return norm * exp(-two_zeta * r);
}

static double integrand(slater_cloud a, slater_cloud b, double r, double distance)
{
    const double near = fabs(distance - r), far = distance + r;
    return r * radial_density(b, r) *
           (far - near + potential_moment(a, far) - potential_moment(a, near));
}

static double integrate(slater_cloud a, slater_cloud b, double distance, double low, double high)
{
    /* Pieces on which 12 points resolve the clouds to 1e-11. */
    const double scale = 8.0 / (a.zeta + b.zeta);
    const int32_t pieces = (int32_t)((high - low) / scale) + 1;
    const double half = (high - low) / pieces / 2;
    double sum = 0;
    for (int32_t p = 0; p < pieces; ++p) {
        const double middle = low + (2 * p + 1) * half;
        for (int k = 0; k < N_NODES; ++k)
            sum += half * weights[k] *
                   (integrand(a, b, middle - half * nodes[k], distance) +
                    integrand(a, b, middle + half * nodes[k], distance));
    }
    return sum;
}

/* Where what is left of a cloud's charge is below rounding. */
static double extent(slater_cloud c)
{
    return (30 + 4.0 * c.n) / (2 * c.zeta);
}

double slater_repulsion(slater_cloud a, slater_cloud b, double r)
{
    if (r > extent(a) + extent(b)) return 1 / r;
    if (b.zeta < a.zeta) { /* integrate over the more compact cloud */
        const slater_cloud c = a;
        a = b;
        b = c;
    }
    if (r < 1e-3) r = 1e-3; /* the integral is flat there: its error is of order r^2 */
    const double end = extent(b);
    double sum = integrate(a, b, r, 0, r < end ? r : end);
    if (r < end) sum += integrate(a, b, r, r, end);
    return 2 * PI / r * sum;
}
