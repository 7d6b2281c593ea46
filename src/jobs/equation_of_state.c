/* SPDX-License-Identifier: BSD-3-Clause
 * Equations of state of crystals: energies of volumes as a polynomial of the third degree in V^(-2/3), which is what Birch and
 * Murnaghan's is. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "geom/dense.h"
#include "shoal/scan.h"

enum { N_POWERS = 4, LEAST_POINTS = 5, N_BINS = 64 };

/* c[0] + c[1] u + .. of u = ((V / middle)^(-2/3) - 1) / width. */
typedef struct curve {
    double middle, width;
    double c[N_POWERS];
    double low, high; /* volumes */
    int32_t n;
} curve;

static double argument(const curve *p, double volume)
{
    return (pow(volume / p->middle, -2.0 / 3) - 1) / p->width;
}

static bool is_point(const double *volumes, const double *energies, int32_t i)
{
    return isfinite(energies[i]) && volumes[i] > 0 && isfinite(volumes[i]);
}

static void find_range(curve *p, const double *volumes, const double *energies, int32_t n)
{
    p->low = INFINITY;
    p->high = 0;
    for (int32_t i = 0; i < n; ++i) {
        if (!is_point(volumes, energies, i)) continue;
        ++p->n;
        p->low = fmin(p->low, volumes[i]);
        p->high = fmax(p->high, volumes[i]);
    }
    p->middle = 0.5 * (p->low + p->high);
    p->width = 1;
    p->width = argument(p, p->low);
}

/* Volumes that lie apart, of the same parts of their range counted once: powers need as many as there are of them. */
static int count_apart(const curve *p, const double *volumes, const double *energies, int32_t n)
{
    bool filled[N_BINS + 1] = {false};
    int found = 0;
    for (int32_t i = 0; i < n && p->high > p->low; ++i) {
        if (!is_point(volumes, energies, i)) continue;
        filled[(int)(N_BINS * (volumes[i] - p->low) / (p->high - p->low))] = true;
    }
    for (int k = 0; k <= N_BINS; ++k) found += filled[k];
    return found;
}

/* By least squares, of energies above one of them. */
static bool fit(curve *p, const double *volumes, const double *energies, int32_t n, double above)
{
    double a[N_POWERS * N_POWERS] = {0}, b[N_POWERS] = {0};
    for (int32_t i = 0; i < n; ++i) {
        if (!is_point(volumes, energies, i)) continue;
        const double u = argument(p, volumes[i]);
        double powers[2 * N_POWERS] = {1};
        for (int k = 1; k < 2 * N_POWERS; ++k) powers[k] = powers[k - 1] * u;
        for (int k = 0; k < N_POWERS; ++k) {
            for (int l = 0; l < N_POWERS; ++l) a[N_POWERS * k + l] += powers[k + l];
            b[k] += powers[k] * (energies[i] - above);
        }
    }
    if (!dense_solve(N_POWERS, a, b)) return false;
    memcpy(p->c, b, sizeof p->c);
    return true;
}

/* Where the slope is zero and the curvature above it. */
static bool find_minimum(const curve *p, double *out)
{
    const double a = 3 * p->c[3], b = 2 * p->c[2], c = p->c[1], rest = b * b - 4 * a * c;
    if (!(rest > 0)) return false;
    /* The root where b + 2 a u = sqrt(rest), as it does not lose digits where a is small. */
    *out = b > 0 ? -2 * c / (b + sqrt(rest)) : (-b + sqrt(rest)) / (2 * a);
    return isfinite(*out);
}

static double error_of(const curve *p, const double *volumes, const double *energies, int32_t n,
                       double above)
{
    double sum = 0;
    for (int32_t i = 0; i < n; ++i) {
        if (!is_point(volumes, energies, i)) continue;
        const double u = argument(p, volumes[i]);
        const double e = p->c[0] + u * (p->c[1] + u * (p->c[2] + u * p->c[3]));
        sum += (energies[i] - above - e) * (energies[i] - above - e);
    }
    return sqrt(sum / p->n);
}

/* Slopes by the volume from those by x = (V / middle)^(-2/3). */
static void describe(const curve *p, double u, shoal_equation_of_state *out)
{
    const double x = 1 + p->width * u, v = p->middle * pow(x, -1.5);
    const double e_xx = (2 * p->c[2] + 6 * p->c[3] * u) / (p->width * p->width);
    const double e_xxx = 6 * p->c[3] / (p->width * p->width * p->width);
    const double x_v = -2.0 / 3 * x / v, x_vv = 10.0 / 9 * x / (v * v);
    const double e_vv = e_xx * x_v * x_v;
    const double e_vvv = e_xxx * x_v * x_v * x_v + 3 * e_xx * x_v * x_vv;
    out->volume = v;
    out->energy = p->c[0] + u * (p->c[1] + u * (p->c[2] + u * p->c[3]));
    out->bulk = v * e_vv;
    out->slope = -1 - v * e_vvv / e_vv;
}

shoal_status shoal_equation_of_state_fit(const double *volumes, const double *energies, int32_t n,
                                         shoal_equation_of_state *out)
{
    curve p = {0};
    double u, above = INFINITY;
    shoal_clear_error();
    SHOAL_NEED(volumes && energies && out);
    memset(out, 0, sizeof *out);
    find_range(&p, volumes, energies, n);
    if (p.n < LEAST_POINTS)
        return shoal_fail(SHOAL_E_ARGUMENT, "%d volumes with energies, expected %d or more", p.n,
                          LEAST_POINTS);
    for (int32_t i = 0; i < n; ++i)
        if (is_point(volumes, energies, i)) above = fmin(above, energies[i]);
    if (!(p.width > 1e-9) || count_apart(&p, volumes, energies, n) < N_POWERS ||
        !fit(&p, volumes, energies, n, above))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "volumes that hardly differ, expected %d or more, some percent apart",
                          LEAST_POINTS);
    if (!find_minimum(&p, &u) || !(fabs(u) < 2))
        return shoal_fail(SHOAL_E_ARGUMENT, "energies have no minimum between these volumes");
    describe(&p, u, out);
    if (!(out->volume >= p.low && out->volume <= p.high))
        return shoal_fail(SHOAL_E_ARGUMENT, "energies have no minimum between these volumes");
    out->energy += above;
    out->error = error_of(&p, volumes, energies, n, above);
    out->n = p.n;
    return SHOAL_OK;
}
