/* SPDX-License-Identifier: BSD-3-Clause
 * Fields of a lattice as sums over plane k-vectors, one 2-D Fourier sum per two planes of nodes.
 *
 * A sum over images of w K(sqrt(rho^2 + z^2)) is, in the plane, 1/area sum_G exp(i G rho) S(G)
 * K^(G, z) with the 2-D transforms
 *   exp(-k r)            2 pi k (1 + g z) exp(-g z) / g^3, g = sqrt(G^2 + k^2)
 *   1/r^p                2 pi / (2^n Gamma(n + 1) z^2n) x^n K_n(x), n = p/2 - 1, x = G z: p = 6, 12, and
 *                        8 and 9 of pair models
 *   1/sqrt(r^2 + d^2)    2 pi / G exp(-G sqrt(z^2 + d^2)); -2 pi sqrt(z^2 + d^2) for G = 0
 * (Lekner 1991, Parry 1975 for the last). Where damping is small or none, charges are Gaussians of
 * width 1/SHARPNESS, erf(SHARPNESS s)/s for 1/s, s^2 = r^2 + d^2: exact beyond 1.3 A from the nuclei
 * and smooth within. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geom/fft.h"
#include "surf/grid_bessel.h"
#include "surf/grid_build.h"
#include "surf/grid_lattice.h"

#include "constants.h"

#define SHARPNESS 3.5 /* 1/angstrom; erfc(3.5) = 7e-7 */

typedef struct kernel {
    const shoal_surface_view *view;
    int32_t channel;
    int power; /* of 1/r, 0: an exponential, with this exponent */
    double exponent;
} kernel;

static kernel make_kernel(const grid_lattice *l, int32_t channel)
{
    return (kernel){.view = &l->surface->view,
                    .channel = channel,
                    .power = surface_channel_power(l->surface, channel),
                    .exponent = surface_channel_exponent(l->surface, channel)};
}

/* Gaussian charges (Parry 1975): the k-vector G of the potential at height z of a unit charge. */
static double gaussian_kvec(double g, double z)
{
    const double far = g / (2 * SHARPNESS), near = SHARPNESS * z;
    if (near > 6.0) return 2 * PI / g * exp(-g * z);
    return PI / g * (exp(g * z) * erfc(far + near) + exp(-g * z) * erfc(far - near));
}

static double gaussian_mean(double z)
{
    const double near = SHARPNESS * z;
    return -2 * PI * (z * erf(near) + exp(-near * near) / (SHARPNESS * sqrt(PI)));
}

/* x^3.5 K_3.5(x) */
static double half_bessel(double x)
{
    return sqrt(0.5 * PI) * exp(-x) * (((x + 6) * x + 15) * x + 15);
}

static double exponential(double a, double g, double z)
{
    const double s = sqrt(g * g + a * a);
    return 2 * PI * a * (1 + s * z) * exp(-s * z) / (s * s * s);
}

static double inverse_power(int p, double g, double z)
{
    const double x = g * z, n = 0.5 * p - 1;
    const double bessel = p % 2 == 0 ? grid_bessel(p / 2 - 1, x) : half_bessel(x);
    return 2 * PI / (pow(2 * z * z, n) * tgamma(n + 1)) * bessel;
}

/* Transform of the kernel of a channel at the distance z >= 0 from a plane of atoms. */
static double transform(const kernel *k, double g, double z)
{
    if (k->channel != SHOAL_CHANNEL_Q)
        return k->power > 0 ? inverse_power(k->power, g, z) : exponential(k->exponent, g, z);
    const double d = k->view->damping, far = sqrt(z * z + d * d);
    if (d < GRID_SMOOTH_DAMPING) return g > 0 ? gaussian_kvec(g, far) : gaussian_mean(far);
    return g > 0 ? 2 * PI / g * exp(-g * far) : -2 * PI * far;
}

/* Structure factor of one plane of atoms for a k-vector. */
static void structure(const grid_lattice *l, int32_t plane, int32_t channel, const grid_kvec *w,
                      double out[2])
{
    const double sign = w->n < 0 ? -1.0 : 1.0;
    const size_t n_a = (size_t)l->most_m + 1, n_b = (size_t)l->most_n + 1;
    out[0] = out[1] = 0;
    for (int32_t s = l->plane_start[plane]; s < l->plane_start[plane + 1]; ++s) {
        const double *a = l->phase_a + 2 * ((size_t)s * n_a + (size_t)w->m);
        const double *b = l->phase_b + 2 * ((size_t)s * n_b + (size_t)abs(w->n));
        const double br = b[0], bi = sign * b[1], weight = l->weight[s][channel];
        out[0] += weight * (a[0] * br - a[1] * bi);
        out[1] += weight * (a[0] * bi + a[1] * br);
    }
}

/* k-vectors that count at a distance from the nearest atoms. */
static int32_t count_kvecs(const grid_lattice *l, double distance)
{
    const double longest = distance > 0 ? GRID_DECAY / distance : INFINITY;
    int32_t low = 0, high = l->n_kvecs;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (l->kvecs[middle].g <= longest)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double nearest_plane(const grid_lattice *l, double z)
{
    double nearest = INFINITY;
    for (int32_t p = 0; p < l->n_planes; ++p)
        nearest = fmin(nearest, fabs(z - l->pos[l->plane_start[p]][2]));
    return nearest;
}

/* Adds a k-vector and its opposite; c are the amplitudes in the two planes of nodes. */
static void add_kvec(const grid_planes *q, const grid_kvec *w, const double c[2][2])
{
    const int32_t m = w->m % q->n_a, n = w->n % q->n_b;
    const int32_t ma = m < 0 ? m + q->n_a : m, nb = n < 0 ? n + q->n_b : n;
    double *here = q->values + 2 * ((size_t)ma * (size_t)q->n_b + (size_t)nb);
    double *there = q->values + 2 * ((size_t)((q->n_a - ma) % q->n_a) * (size_t)q->n_b +
                                     (size_t)((q->n_b - nb) % q->n_b));
    here[0] += c[0][0] - c[1][1];
    here[1] += c[0][1] + c[1][0];
    there[0] += c[0][0] + c[1][1];
    there[1] += -c[0][1] + c[1][0];
}

double grid_fourier_bound(const grid_lattice *l, int channel, double z, double limit)
{
    const kernel k = make_kernel(l, channel);
    const int32_t n = count_kvecs(l, nearest_plane(l, z));
    double sum = -limit;
    for (int32_t p = 0; p < l->n_planes; ++p) {
        const double height = fabs(z - l->pos[l->plane_start[p]][2]);
        for (int32_t s = l->plane_start[p]; s < l->plane_start[p + 1]; ++s)
            sum += l->weight[s][channel] / l->area * transform(&k, 0, height);
    }
    sum = fabs(sum);
    for (int32_t i = 0; i < n; ++i) {
        double c[2] = {0, 0}, s[2];
        for (int32_t p = 0; p < l->n_planes; ++p) {
            structure(l, p, channel, &l->kvecs[i], s);
            const double height = fabs(z - l->pos[l->plane_start[p]][2]);
            const double f = 2 * transform(&k, l->kvecs[i].g, height) / l->area;
            c[0] += f * s[0];
            c[1] += f * s[1];
        }
        sum += hypot(c[0], c[1]);
    }
    return sum;
}

/* How a plane of atoms counts in two planes of nodes. */
typedef struct source {
    int32_t plane;
    bool smooth;    /* only the smooth part of a power */
    double z[2];    /* angstrom from the nodes */
    double longest; /* 1/angstrom: of its k-vectors */
    double decay[2][POWER_NODES];
} source;

/* Planes of atoms that have k-vectors; of exponentials those that are near have none. */
static int32_t list_sources(const grid_lattice *l, const kernel *k, const grid_planes *q,
                            source *out)
{
    int32_t n = 0;
    for (int32_t p = 0; p < l->n_planes; ++p) {
        const double at = l->pos[l->plane_start[p]][2];
        const bool near = k->channel != SHOAL_CHANNEL_Q && grid_lattice_is_near(l, p, q->z);
        if (near && k->power == 0) continue;
        source *s = &out[n++];
        *s = (source){.plane = p, .smooth = near, .z = {fabs(q->z[0] - at), fabs(q->z[1] - at)}};
        const double damping = k->channel == SHOAL_CHANNEL_Q ? k->view->damping : 0;
        const double nearest = hypot(fmin(s->z[0], s->z[1]), damping);
        s->longest = near          ? 2 * GRID_ETA * sqrt(GRID_DECAY)
                     : nearest > 0 ? GRID_DECAY / nearest
                                   : INFINITY;
        for (int side = 0; side < 2 && near; ++side)
            power_decay(&l->rule, GRID_ETA, s->z[side], s->decay[side]);
    }
    return n;
}

static void add_mean(const grid_lattice *l, const kernel *k, const source *s, double values[2])
{
    double sum = 0;
    for (int32_t i = l->plane_start[s->plane]; i < l->plane_start[s->plane + 1]; ++i)
        sum += l->weight[i][k->channel];
    for (int side = 0; side < 2; ++side)
        values[side] +=
            sum / l->area *
            (s->smooth ? power_mean(GRID_ETA, k->power, s->z[side]) : transform(k, 0, s->z[side]));
}

/* Amplitudes of a k-vector in two planes of nodes. */
static void sum_kvec(const grid_lattice *l, const kernel *k, const grid_kvec *w,
                     const source *sources, int32_t n, double c[2][2])
{
    double factors[POWER_NODES], s[2];
    bool ready = false;
    for (int32_t i = 0; i < n; ++i) {
        const source *from = &sources[i];
        if (w->g > from->longest) continue;
        if (from->smooth && !ready)
            power_factors(&l->rule, &(power_split){k->power, GRID_ETA, 1.0}, w->g, factors);
        ready = ready || from->smooth;
        structure(l, from->plane, k->channel, w, s);
        for (int side = 0; side < 2; ++side) {
            const double f = (from->smooth ? power_sum(factors, from->decay[side])
                                           : transform(k, w->g, from->z[side])) /
                             l->area;
            c[side][0] += f * s[0];
            c[side][1] += f * s[1];
        }
    }
}

shoal_status grid_fourier_fill(const grid_lattice *l, const grid_planes *q)
{
    const kernel k = make_kernel(l, q->channel);
    source *sources = malloc((size_t)l->n_planes * sizeof *sources);
    if (!sources) return SHOAL_E_MEMORY;
    const int32_t n = list_sources(l, &k, q, sources);
    double longest = 0;
    memset(q->values, 0, 2 * (size_t)q->n_a * (size_t)q->n_b * sizeof *q->values);
    for (int32_t i = 0; i < n; ++i) longest = fmax(longest, sources[i].longest);
    for (int32_t i = 0; i < l->n_kvecs && l->kvecs[i].g <= longest; ++i) {
        double c[2][2] = {{0, 0}, {0, 0}};
        sum_kvec(l, &k, &l->kvecs[i], sources, n, c);
        add_kvec(q, &l->kvecs[i], (const double(*)[2])c);
    }
    for (int32_t i = 0; i < n; ++i) add_mean(l, &k, &sources[i], q->values);
    free(sources);
    return fft_plane(q->values, q->work, q->n_a, q->n_b);
}
