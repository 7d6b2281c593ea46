/* SPDX-License-Identifier: BSD-3-Clause
 * The smooth part of the Coulomb sum of a system that repeats in one direction.
 *
 * With R^2 = rho^2 + d^2, rho the distance from the axis, and images z + nL along it, Poisson's formula turns
 * sum_n erf(alpha s)/s, the part of 1/s = 2/sqrt(pi) int exp(-s^2 t^2) dt below t = alpha, into
 *   (2/L) int_0^alpha exp(-R^2 t^2) [1 + 2 sum_G exp(-G^2/4t^2) cos(Gz)] dt/t,  G = 2 pi/L, 4 pi/L ..
 * (Porto, J. Phys. A 33 (2000) 6211). The first term is infinite, but for a constant that is the same for all
 * pairs, so the whole must be neutral: left is -(1/L) Ein(alpha^2 R^2), Ein(x) = int_0^x (1 - e^-u)/u du. The
 * constant is such that the potential of a thin row is -(2/L) ln(R / 1 angstrom). */
#include "backend/ref/ref.h"

#include "constants.h"

ref_chain ref_chain_of(const ref_lattice *lattice, const ref_ewald *ewald, double damping)
{
    const int axis = lattice->pbc[0] ? 0 : lattice->pbc[1] ? 1 : 2;
    return (ref_chain){.along = v3_scale(1.0 / lattice->measure, lattice->a[axis]),
                       .length = lattice->measure,
                       .alpha = ewald->alpha,
                       .damping = damping,
                       .last = (int32_t)floor(ewald->k_cut * lattice->measure / (2.0 * PI))};
}

/* Ein(x) by its power series, and as E1(x) + ln x + gamma with Lentz' continued fraction of E1 (Abramowitz and
 * Stegun 5.1.11, 5.1.22). */
static double ein(double x)
{
    if (x < 2.0) {
        double term = 1.0, sum = 0.0;
        for (int n = 1; n <= 30; ++n) {
            term *= -x / n;
            sum -= term / n;
        }
        return sum;
    }
    double b = x + 1.0, c = 1e300, d = 1.0 / b, h = d;
    for (int n = 1; n <= 200; ++n) {
        const double a = -(double)n * n;
        b += 2.0;
        d = 1.0 / (a * d + b);
        c = b + a / c;
        h *= c * d;
    }
    return h * exp(-x) + log(x) + EULER_GAMMA;
}

/* A wave's int_1^inf exp(-p/u - q u) du/u, u = e^x; par = {p, q}. And minus its slope by p. */
static double wave_integrand(double x, const double par[2])
{
    return exp(-par[0] * exp(-x) - par[1] * exp(x));
}

static double slope_integrand(double x, const double par[2])
{
    return exp(-x) * wave_integrand(x, par);
}

/* And minus its slope by q. */
static double stretch_integrand(double x, const double par[2])
{
    return exp(x) * wave_integrand(x, par);
}

/* Under strain e, u along the chain and rho across it, z grows by z u e u + 2 rho e u, rho^2 by 2 rho e rho, and the
 * length by L u e u. */
static void strain_chain(const ref_chain *s, v3 d, double weight, const double by[3],
                         double strain[3][3])
{
    const double z = v3_dot(d, s->along);
    const v3 across = v3_sub(d, v3_scale(z, s->along));
    const double u[3] = {s->along.x, s->along.y, s->along.z};
    const double rho[3] = {across.x, across.y, across.z};
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            strain[a][b] +=
                weight * ((by[0] * z + by[2] * s->length) * u[a] * u[b] +
                          by[0] * (u[a] * rho[b] + rho[a] * u[b]) + 2.0 * by[1] * rho[a] * rho[b]);
}

double ref_chain_potential(const ref_chain *s, v3 d, v3 *grad, double weight, double strain[3][3])
{
    const double z = v3_dot(d, s->along), alpha2 = s->alpha * s->alpha;
    const v3 across = v3_sub(d, v3_scale(z, s->along));
    const double R2 = v3_dot(across, across) + s->damping * s->damping, p = alpha2 * R2;
    const double zero = ein(p) - EULER_GAMMA - log(alpha2);
    double sum = -zero / s->length, along = 0.0, stretch = 0.0;
    double by_R2 = p > 0.0 ? expm1(-p) / (R2 * s->length) : -alpha2 / s->length;
    for (int32_t n = 1; n <= s->last; ++n) {
        const double G = 2.0 * PI * n / s->length, q = 0.25 * G * G / alpha2;
        const double par[2] = {p, q}, width = log(fmax(45.0 / q, 2.0));
        const double wave = 2.0 / s->length * ref_integrate(wave_integrand, par, width);
        const double slope = -2.0 / s->length * alpha2 * ref_integrate(slope_integrand, par, width);
        sum += wave * cos(G * z);
        along -= wave * G * sin(G * z);
        by_R2 += slope * cos(G * z);
        if (!strain) continue;
        const double by_q = -2.0 / s->length * ref_integrate(stretch_integrand, par, width);
        stretch += wave * G * z * sin(G * z) - 2.0 * q * by_q * cos(G * z);
    }
    *grad = v3_add(v3_scale(along, s->along), v3_scale(2.0 * by_R2, across));
    const double by[3] = {along, by_R2, (stretch - sum) / s->length};
    if (strain) strain_chain(s, d, weight, by, strain);
    return sum;
}

static double potential(const void *lattice, v3 d, v3 *grad, double weight, double strain[3][3])
{
    return ref_chain_potential(lattice, d, grad, weight, strain);
}

void ref_chain_sum(const ref_system *sys, const ref_ewald *ewald, ref_sink *sink)
{
    const ref_chain s = ref_chain_of(&sys->lattice, ewald, ref_damping(sys));
    ref_smooth_sum(sys, ewald, potential, &s, sink);
}
