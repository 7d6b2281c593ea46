/* SPDX-License-Identifier: BSD-3-Clause
 * Direct sums over a substrate: one atom against many sites at a time. Included by the template
 * cpu_kernels.c; the sites go by in the same groups whatever the instruction set, so that it does not
 * change a bit. */
#include "surf/surface.h"
#include "surf/surface_sum.h"

#include "surface_terms.h"

/* Sites worked on together: one vector of the widest instruction set. */
enum { DIRECT_SITES = 64 / sizeof(real) };

typedef struct direct_tables {
    const surface_sum *sum;
    const real *columns[SITE_SIZE];
    const real *powers;
    real alpha, eta, eta2, damping2;
    bool lj, charged;
    bool waves;                 /* there are k-vectors to sum */
    const surface_pairs *pairs; /* of a pair model; NULL: without */
    surface_form form;
    real (*weights)[SHOAL_N_CHANNELS]; /* of the particles of the topology: atoms, then sites */
    real (*numbers)[PAIR_NUMBERS];     /* the same with a pair model */
} direct_tables;

static void direct_destroy(direct_tables *d)
{
    if (!d) return;
    free(d->weights);
    free(d->numbers);
    free(d);
}

static surface_form direct_form(const surface_sum *sum)
{
    const surface_pairs *p = sum->pairs;
    return (surface_form){.eta = (real)sum->eta,
                          .eta2 = (real)(sum->eta * sum->eta),
                          .c_a = (real)p->c_a,
                          .c_b = (real)p->c_b,
                          .h_a = (real)p->h_a,
                          .h_b = (real)p->h_b,
                          .k0 = (real)p->k0,
                          .k1 = (real)p->k1,
                          .beta = (real)p->settings.dispersion_damping,
                          .d = (real)p->settings.coulomb_damping,
                          .damping2 = (real)(sum->damping * sum->damping)};
}

/* NULL when memory is out. */
static direct_tables *direct_create(const shoal_topology_view *v, const shoal_surface *surface)
{
    const size_t n = (size_t)(v->n_atoms + v->n_sites) + 1;
    direct_tables *d = calloc(1, sizeof *d);
    if (d) d->weights = calloc(n, sizeof *d->weights);
    if (d) d->numbers = calloc(n, sizeof *d->numbers);
    if (!d || !d->weights || !d->numbers) {
        direct_destroy(d);
        return NULL;
    }
    const surface_sum *sum = sizeof(real) == sizeof(float) ? surface->coarse : surface->sum;
    d->sum = sum;
    for (int k = 0; k < SITE_SIZE; ++k) d->columns[k] = sum->columns[k];
    d->powers = sum->powers;
    d->alpha = (real)sum->alpha;
    d->eta = (real)sum->eta;
    d->eta2 = (real)(sum->eta * sum->eta);
    d->damping2 = (real)(sum->damping * sum->damping);
    d->lj = sum->form == SHOAL_SURFACE_LJ;
    d->pairs = sum->pairs;
    if (d->pairs) d->form = direct_form(sum);
    for (int32_t i = 0; i < v->n_atoms + v->n_sites; ++i) {
        double w[SHOAL_N_CHANNELS], numbers[PAIR_NUMBERS];
        surface_atom_weights(surface, v, i, w);
        for (int c = 0; c < SHOAL_N_CHANNELS; ++c) d->weights[i][c] = (real)w[c];
        surface_atom_numbers(surface, v, i, numbers);
        for (int c = 0; c < PAIR_NUMBERS; ++c) d->numbers[i][c] = (real)numbers[c];
        d->charged |= sum->charged && w[SHOAL_CHANNEL_Q] != 0.0;
    }
    d->waves = d->charged || (d->pairs ? d->pairs->family != FORM_MORSE : d->lj);
    return d;
}

/* Energy and gradient, side by side for a group of sites. */
typedef struct direct_lanes {
    real e[DIRECT_SITES], x[DIRECT_SITES], y[DIRECT_SITES], z[DIRECT_SITES];
} direct_lanes;

/* What a loop over sites is compiled for. */
typedef struct direct_way {
    bool lj, charged;
    int family;  /* of a pair model, -1 without */
    bool damped; /* its dispersion */
    int coulomb; /* FORM_COULOMB_ */
} direct_way;

/* Energy and slope of a site, without a pair model; w: weights of the atom. */
SHOAL_FN real direct_channels(const direct_tables *d, const real *const site[SITE_SIZE],
                              const real *w, direct_way way, int l, real r2, real *slope)
{
    const real P = w[SHOAL_CHANNEL_P] * site[SITE_WEIGHT + SHOAL_CHANNEL_P][l] +
                   w[SHOAL_CHANNEL_ACCEPTOR] * site[SITE_WEIGHT + SHOAL_CHANNEL_ACCEPTOR][l] +
                   w[SHOAL_CHANNEL_DONOR] * site[SITE_WEIGHT + SHOAL_CHANNEL_DONOR][l];
    const real L = w[SHOAL_CHANNEL_L] * site[SITE_WEIGHT + SHOAL_CHANNEL_L][l];
    const real q = w[SHOAL_CHANNEL_Q] * site[SITE_WEIGHT + SHOAL_CHANNEL_Q][l];
    real more = R(0.0);
    real e =
        way.lj ? surface_lj(d->eta2, P, L, r2, slope) : surface_morse(d->alpha, P, L, r2, slope);
    if (way.charged) e += surface_charge(d->eta, q, r2 + d->damping2, &more);
    *slope += more;
    return e;
}

/* The same with one; w: numbers of the atom. */
SHOAL_FN real direct_model(const direct_tables *d, const real *const site[SITE_SIZE], const real *w,
                           direct_way way, int l, real r2, real *slope)
{
    const real *const *number = site + SITE_WEIGHT;
    const real r0 = real_max(w[PAIR_RADIUS] + number[PAIR_RADIUS][l], R(1e-6));
    const real e0 = w[PAIR_ROOT_D] * number[PAIR_ROOT_D][l];
    const real h = real_min(w[PAIR_H] * number[PAIR_H][l], R(0.0));
    const real q = w[PAIR_CHARGE] * number[PAIR_CHARGE][l];
    real more = R(0.0);
    real e = surface_pair(way.family, way.damped, d->form, r0, e0, h, r2, slope);
    if (way.charged) {
        e += surface_charge(d->eta, q, r2 + d->damping2, &more);
        *slope += more;
        e += surface_bend(way.coulomb, q, d->form.d, r2, &more);
        *slope += more;
    }
    return e;
}

SHOAL_FN void direct_site(const direct_tables *d, const real *const site[SITE_SIZE],
                          const real r[3], const real *w, direct_way way, int l, direct_lanes *to)
{
    const real dx = r[0] - site[SITE_X][l], dy = r[1] - site[SITE_Y][l];
    const real dz = r[2] - site[SITE_Z][l], r2 = dx * dx + dy * dy + dz * dz;
    real slope;
    const real e = way.family < 0 ? direct_channels(d, site, w, way, l, r2, &slope)
                                  : direct_model(d, site, w, way, l, r2, &slope);
    to->e[l] += e;
    to->x[l] += slope * dx;
    to->y[l] += slope * dy;
    to->z[l] += slope * dz;
}

/* All sites from first to last; the rest of the last group is filled up with sites that are far away
 * and weigh nothing. */
SHOAL_FN void direct_run(const direct_tables *d, int32_t first, int32_t last, const real r[3],
                         const real *w, direct_way way, direct_lanes *to)
{
    real rest[SITE_SIZE][DIRECT_SITES];
    const real *site[SITE_SIZE];
    for (int32_t i = first; i < last; i += DIRECT_SITES) {
        const int32_t n = last - i;
        for (int k = 0; k < SITE_SIZE; ++k) site[k] = d->columns[k] + i;
        for (int k = 0; k < SITE_SIZE && n < DIRECT_SITES; ++k) {
            for (int l = 0; l < DIRECT_SITES; ++l)
                rest[k][l] = l < n ? site[k][l] : k == SITE_Z ? r[2] + R(30.0) : R(0.0);
            site[k] = rest[k];
        }
#pragma omp simd
        for (int l = 0; l < DIRECT_SITES; ++l) direct_site(d, site, r, w, way, l, to);
    }
}

static int32_t direct_bin(const surface_sum *sum, int axis, double x)
{
    const double at = floor((x - sum->bin_origin[axis]) / sum->bin_width);
    return !(at >= 0.0) ? 0 : at >= sum->n_bins[axis] ? sum->n_bins[axis] - 1 : (int32_t)at;
}

/* Rows of bins that the circle of the reach meets; in each the bins within its chord. */
SHOAL_FN void direct_pairs(const direct_tables *d, const double at[3], const real *w,
                           direct_way way, direct_lanes *to)
{
    const surface_sum *sum = d->sum;
    const real r[3] = {(real)at[0], (real)at[1], (real)at[2]};
    const int32_t last = direct_bin(sum, 1, at[1] + sum->reach);
    for (int32_t row = direct_bin(sum, 1, at[1] - sum->reach); row <= last; ++row) {
        const double low = sum->bin_origin[1] + row * sum->bin_width;
        const double off = fmax(0.0, fmax(low - at[1], at[1] - low - sum->bin_width));
        if (off > sum->reach) continue;
        const double half = sqrt(sum->reach * sum->reach - off * off);
        const int32_t *start = sum->bin_start + row * sum->n_bins[0];
        const int32_t from = start[direct_bin(sum, 0, at[0] - half)];
        direct_run(d, from, start[direct_bin(sum, 0, at[0] + half) + 1], r, w, way, to);
    }
}

/* One family, with and without charges. */
SHOAL_FN void direct_family(const direct_tables *d, const double at[3], const real *w, int family,
                            direct_lanes *to)
{
    if (d->charged) {
        direct_pairs(d, at, w, (direct_way){.family = family, .charged = true}, to);
    } else {
        direct_pairs(d, at, w, (direct_way){.family = family}, to);
    }
}

static void direct_by_model(const direct_tables *d, const double at[3], const real *w,
                            direct_lanes *to)
{
    const int coulomb = (int)d->pairs->settings.coulomb;
    const bool damped = d->pairs->settings.dispersion_damping > 0.0;
    const bool bent = d->charged && coulomb != FORM_COULOMB_PLAIN && coulomb != FORM_COULOMB_DAMPED;
    if (damped || bent) { /* what few models have shares a slower loop */
        const direct_way way = {.family = d->pairs->family,
                                .charged = d->charged,
                                .damped = damped,
                                .coulomb = coulomb};
        direct_pairs(d, at, w, way, to);
        return;
    }
    switch (d->pairs->family) {
    case FORM_POWER_12: direct_family(d, at, w, FORM_POWER_12, to); break;
    case FORM_POWER_9: direct_family(d, at, w, FORM_POWER_9, to); break;
    case FORM_POWER_8: direct_family(d, at, w, FORM_POWER_8, to); break;
    case FORM_MORSE: direct_family(d, at, w, FORM_MORSE, to); break;
    default: direct_family(d, at, w, FORM_BUCK, to); break;
    }
}

/* One k-vector: polynomials in t of its cosine and sine parts, channels weighed together. */
static void direct_kvec(const direct_tables *d, const surface_kvec *kvec, const double at[3],
                        const real w[SHOAL_N_CHANNELS], double out[4])
{
    const surface_sum *sum = d->sum;
    const double z = fmin(fmax(at[2], sum->z_low), sum->z_high);
    const double u = (z - sum->z_low) / sum->panel;
    int32_t p = (int32_t)u;
    if (p >= kvec->n_panels && kvec->n_panels < sum->n_panels) return;
    if (p >= kvec->n_panels) p = kvec->n_panels - 1;
    const real t = (real)(2.0 * (u - p) - 1.0);
    const size_t size = (size_t)sum->degree + 1;
    real value[2] = {0}, slope[2] = {0};
    for (int32_t k = 0; k < sum->n_kvec_channels; ++k) {
        const real weight = w[sum->kvec_channels[k]];
        const real *c =
            d->powers +
            ((size_t)(kvec->first + p) * (size_t)sum->n_kvec_channels + (size_t)k) * 2 * size;
        for (int part = 0; part < 2; ++part, c += size) {
            real v = c[sum->degree], s = 0;
            for (int32_t n = sum->degree - 1; n >= 0; --n) {
                s = s * t + v;
                v = v * t + c[n];
            }
            value[part] += weight * v;
            slope[part] += weight * s;
        }
    }
    const double phase = kvec->gx * at[0] + kvec->gy * at[1], c = cos(phase), s = sin(phase);
    const double decay = at[2] > sum->z_high ? exp(-kvec->g * (at[2] - sum->z_high)) : 1.0;
    const double e = decay * ((double)value[0] * c + (double)value[1] * s);
    const double turned = decay * ((double)value[1] * c - (double)value[0] * s);
    out[0] += e;
    out[1] += kvec->gx * turned;
    out[2] += kvec->gy * turned;
    if (at[2] > sum->z_high)
        out[3] -= kvec->g * e;
    else if (at[2] >= sum->z_low)
        out[3] += 2.0 / sum->panel * ((double)slope[0] * c + (double)slope[1] * s);
}

/* Energy of particle i at r and the force on it. */
static real direct_field(const direct_tables *d, int32_t i, const double r[3], v3 *force)
{
    const real *w = d->weights[i];
    double at[3] = {r[0], r[1], r[2]}, sum[4] = {0};
    direct_lanes lanes = {0};
    surface_sum_wrap(d->sum, &at[0], &at[1]);
    if (d->pairs)
        direct_by_model(d, at, d->numbers[i], &lanes);
    else if (d->lj && d->charged)
        direct_pairs(d, at, w, (direct_way){.lj = true, .charged = true, .family = -1}, &lanes);
    else if (d->lj)
        direct_pairs(d, at, w, (direct_way){.lj = true, .family = -1}, &lanes);
    else if (d->charged)
        direct_pairs(d, at, w, (direct_way){.charged = true, .family = -1}, &lanes);
    else
        direct_pairs(d, at, w, (direct_way){.family = -1}, &lanes);
    for (int l = 0; l < DIRECT_SITES; ++l) {
        sum[0] += (double)lanes.e[l];
        sum[1] += (double)lanes.x[l];
        sum[2] += (double)lanes.y[l];
        sum[3] += (double)lanes.z[l];
    }
    for (int32_t k = 0; k < d->sum->n_kvecs && d->waves; ++k)
        direct_kvec(d, &d->sum->kvecs[k], at, w, sum);
    sum[0] += (at[0] - at[0]) + (at[1] - at[1]) + (at[2] - at[2]); /* nothing, or NaN */
    *force = v3_make((real)-sum[1], (real)-sum[2], (real)-sum[3]);
    return (real)sum[0];
}
