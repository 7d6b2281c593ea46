/* SPDX-License-Identifier: BSD-3-Clause
 * The fields of a surface at a point, by the direct sum in double. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "geom/vector.h"
#include "surf/surface_sum.h"

#define SHOAL_REAL double
#include "surface_terms.h"

#include "constants.h"

/* Pair functions K of P (and the H channels), L and Q, and K'/r. */
typedef struct kernels {
    double value[3], slope[3];
} kernels;

static void morse(const surface_sum *sum, double r2, kernels *k)
{
    const double r = sqrt(r2), e = exp(-sum->alpha * r);
    k->value[0] = e * e;
    k->value[1] = e;
    k->slope[0] = r > 0.0 ? -2.0 * sum->alpha * e * e / r : 0.0;
    k->slope[1] = r > 0.0 ? -sum->alpha * e / r : 0.0;
}

/* exp(-x) (1 + .. + x^(n-1)/(n-1)!) / r^2n, whose slope by r^2 has a simple form. */
static double split_power(int n, double eta2, double r2, double *slope)
{
    const double x = eta2 * r2, e = exp(-x);
    double term = 1.0, sum = 0.0, power = 1.0;
    for (int k = 0; k < n; ++k) {
        sum += term;
        term *= x / (k + 1);
        power *= r2;
    }
    const double value = e * sum / power;
    /* x d/dx of exp(-x) sum is -exp(-x) x^n/(n-1)!, and term is now x^n/n!. */
    *slope = 2.0 * (-n * value - e * term * n / power) / r2;
    return value;
}

static void lennard_jones(const surface_sum *sum, double r2, kernels *k)
{
    const double eta2 = sum->eta * sum->eta;
    k->value[0] = split_power(6, eta2, r2, &k->slope[0]);
    k->value[1] = split_power(3, eta2, r2, &k->slope[1]);
}

static void coulomb(const surface_sum *sum, double r2, kernels *k)
{
    const double s2 = r2 + sum->damping * sum->damping, s = sqrt(s2), x = sum->eta * s;
    k->value[2] = erfc(x) / s;
    k->slope[2] = -(k->value[2] + TWO_BY_SQRT_PI * sum->eta * exp(-x * x)) / s2;
}

static const int kernel_of[SHOAL_CHANNEL_KINDS] = {0, 1, 2, 0, 0};

static void add_site(const surface_sum *sum, const double site[SITE_SIZE], const double r[3],
                     double out[SHOAL_N_CHANNELS][4])
{
    const double d[3] = {r[0] - site[SITE_X], r[1] - site[SITE_Y], r[2] - site[SITE_Z]};
    const double r2 = vector_dot(d, d);
    kernels k = {0};
    if (sum->form == SHOAL_SURFACE_MORSE)
        morse(sum, r2, &k);
    else
        lennard_jones(sum, r2, &k);
    if (sum->charged) coulomb(sum, r2, &k);
    for (int c = 0; c < SHOAL_CHANNEL_KINDS; ++c) {
        const double w = site[SITE_WEIGHT + c];
        if (w == 0.0) continue;
        out[c][0] += w * k.value[kernel_of[c]];
        for (int i = 0; i < 3; ++i) out[c][1 + i] += w * k.slope[kernel_of[c]] * d[i];
    }
}

/* 1/r^p or an exponential of one channel, and its slope as above. */
static double model_kernel(const surface_sum *sum, int channel, double r2, double *slope)
{
    const surface_pairs *m = sum->pairs;
    const double r = sqrt(r2), k = surface_pairs_exponent(m, channel), y = sum->eta * r;
    const double beta = m->settings.dispersion_damping;
    const int p = surface_pairs_power(m, channel);
    double more, by_x = 0.0, lost = 0.0;
    if (p == 0) {
        const double e = exp(-k * r);
        *slope = r > 0.0 ? -k * e / r : 0.0;
        return e;
    }
    const double power = pow(r, -p), share = surface_share(p, y, y * y, exp(-y * y), &more);
    if (beta > 0.0 && p == 6) lost = surface_undamped(beta * r, &by_x);
    *slope = -power / r2 * (p * (share - lost) + 2.0 * more - by_x);
    return power * (share - lost);
}

/* One site of a surface with a pair model, in the channels of its kind. */
static void add_model_site(const shoal_surface *s, const surface_sum *sum, int32_t site,
                           const double r[3], double out[SHOAL_N_CHANNELS][4])
{
    const double *at = sum->sites[site], q = at[SITE_WEIGHT + PAIR_CHARGE];
    const double d[3] = {r[0] - at[SITE_X], r[1] - at[SITE_Y], r[2] - at[SITE_Z]};
    const double r2 = vector_dot(d, d);
    const int32_t atom = sum->site_atoms[site], kind = s->kinds ? s->kinds[atom] : 0;
    const int channels[3] = {surface_channel_repulsion(kind), surface_channel_attraction(kind),
                             SHOAL_CHANNEL_Q};
    for (int k = 0; k < 3; ++k) {
        const int c = channels[k];
        double value, slope, more;
        if (s->weight[atom][c] == 0.0) continue;
        if (c == SHOAL_CHANNEL_Q) {
            const shoal_pair_settings *p = &sum->pairs->settings;
            value = surface_charge(sum->eta, q, r2 + sum->damping * sum->damping, &slope);
            value += surface_bend((int)p->coulomb, q, p->coulomb_damping, r2, &more);
            slope += more;
        } else {
            value = model_kernel(sum, c, r2, &slope);
        }
        out[c][0] += value;
        for (int i = 0; i < 3; ++i) out[c][1 + i] += slope * d[i];
    }
}

/* Rows of bins that the circle of the reach meets; in each the bins within its chord. */
static void add_pairs(const shoal_surface *s, const double r[3], double out[SHOAL_N_CHANNELS][4])
{
    const surface_sum *sum = s->sum;
    const int32_t last = surface_sum_bin(sum, 1, r[1] + sum->reach);
    for (int32_t row = surface_sum_bin(sum, 1, r[1] - sum->reach); row <= last; ++row) {
        const double low = sum->bin_origin[1] + row * sum->bin_width;
        const double off = fmax(0.0, fmax(low - r[1], r[1] - low - sum->bin_width));
        if (off > sum->reach) continue;
        const double half = sqrt(sum->reach * sum->reach - off * off);
        const int32_t *start = sum->bin_start + row * sum->n_bins[0];
        const int32_t end = start[surface_sum_bin(sum, 0, r[0] + half) + 1];
        for (int32_t i = start[surface_sum_bin(sum, 0, r[0] - half)]; i < end; ++i)
            if (sum->pairs)
                add_model_site(s, sum, i, r, out);
            else
                add_site(sum, sum->sites[i], r, out);
    }
}

/* A polynomial and its derivative. */
static double horner(const double *p, int32_t degree, double t, double *slope)
{
    double value = p[degree];
    *slope = 0.0;
    for (int32_t k = degree - 1; k >= 0; --k) {
        *slope = *slope * t + value;
        value = value * t + p[k];
    }
    return value;
}

static void add_kvec(const surface_sum *sum, const surface_kvec *w, const double r[3],
                     double out[SHOAL_N_CHANNELS][4])
{
    const double z = fmin(fmax(r[2], sum->z_low), sum->z_high);
    const double u = (z - sum->z_low) / sum->panel;
    int32_t p = (int32_t)u;
    const bool far = r[2] > sum->z_high;
    if (p >= w->n_panels && w->n_panels < sum->n_panels) return;
    if (p >= w->n_panels) p = w->n_panels - 1;
    const double t = 2.0 * (u - p) - 1.0, inverse = 2.0 / sum->panel;
    const double decay = far ? exp(-w->g * (r[2] - sum->z_high)) : 1.0;
    const double phase = w->gx * r[0] + w->gy * r[1], c = cos(phase), s = sin(phase);
    const int32_t size = sum->degree + 1;
    for (int32_t k = 0; k < sum->n_kvec_channels; ++k) {
        const double *even =
            sum->polynomials +
            ((size_t)(w->first + p) * (size_t)sum->n_kvec_channels + (size_t)k) * 2 * (size_t)size;
        double slope[2];
        const double a = decay * horner(even, sum->degree, t, &slope[0]);
        const double b = decay * horner(even + size, sum->degree, t, &slope[1]);
        double *to = out[sum->kvec_channels[k]];
        to[0] += a * c + b * s;
        to[1] += w->gx * (b * c - a * s);
        to[2] += w->gy * (b * c - a * s);
        to[3] += far                 ? -w->g * (a * c + b * s)
                 : r[2] < sum->z_low ? 0.0
                                     : inverse * (slope[0] * c + slope[1] * s);
    }
}

void shoal_surface_fields(const shoal_surface *surface, const double r[3],
                          double out[SHOAL_N_CHANNELS][4])
{
    shoal_clear_error();
    if (!out) return;
    memset(out, 0, SHOAL_N_CHANNELS * sizeof *out);
    if (!surface || !r) return;
    const surface_sum *sum = surface->sum;
    double at[3] = {r[0], r[1], r[2]};
    surface_sum_wrap(sum, &at[0], &at[1]);
    add_pairs(surface, at, out);
    for (int32_t i = 0; i < sum->n_kvecs; ++i) add_kvec(sum, &sum->kvecs[i], at, out);
    const double nothing = (at[0] - at[0]) + (at[1] - at[1]) + (at[2] - at[2]); /* or NaN */
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) out[c][0] += nothing;
}
