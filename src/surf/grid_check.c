/* SPDX-License-Identifier: BSD-3-Clause
 * A grid against the direct sum at random points above contact, to beyond its top. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/alloc.h"
#include "base/random.h"
#include "surf/grid.h"
#include "surf/surface.h"

#define CONTACT 0.5 /* eV */
#define NEAR 2.0    /* angstrom above contact: half of the points, errors are largest there */
#define BEYOND 10.0 /* angstrom above the top where points end */

/* UFF radii and depths (physics of Rappe 1992), charges as organic molecules have them. */
static const shoal_probe PROBES[SHOAL_GRID_PROBES] = {
    {.radius = 1.7500, .depth = 0.00260184625, .charge = -0.4},
    {.radius = 1.9255, .depth = 0.00455323095, .charge = 0.1},
    {.radius = 1.4430, .depth = 0.00190802059, .charge = 0.2},
    {.radius = 1.8300, .depth = 0.00299212319, .charge = -0.3},
};
static const char *const NAMES[SHOAL_GRID_PROBES] = {"O", "C", "H", "N"};
static const double BAND_START[SHOAL_GRID_BANDS] = {0, 0.5, 1, 2, 4, 10, 20, 40};

const char *shoal_grid_probe_name(int probe)
{
    return probe >= 0 && probe < SHOAL_GRID_PROBES ? NAMES[probe] : NULL;
}

shoal_probe shoal_grid_probe(int probe)
{
    return PROBES[probe >= 0 && probe < SHOAL_GRID_PROBES ? probe : 0];
}

/* Number k of a sequence. */
static double random_number(uint64_t seed, uint64_t k)
{
    return random_fraction(random_mix(seed * RANDOM_STEP + (k + 1) * UINT64_C(0xbf58476d1ce4e5b9)));
}

typedef struct checker {
    const shoal_grid *grid;
    double weights[SHOAL_GRID_PROBES][SHOAL_N_CHANNELS];
    double neutral[SHOAL_GRID_PROBES][SHOAL_N_CHANNELS]; /* the same without charges */
    double bare[SHOAL_N_CHANNELS]; /* weights that errors of channels are told with */
} checker;

static double weigh(const double weights[SHOAL_N_CHANNELS], double v[SHOAL_N_CHANNELS][4], int part)
{
    double sum = 0;
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) sum += weights[c] * v[c][part];
    return sum;
}

/* Contact heights of the probes above a point, by steps downward and bisection on the grid, which is
 * good enough to say where; the bottom where there is none. */
static void find_contacts(const checker *k, const double xy[2], double contact[SHOAL_GRID_PROBES])
{
    const shoal_grid_view *v = &k->grid->view;
    const double step = 0.1;
    double z = v->surface->view.top + 4, fields[SHOAL_N_CHANNELS][4];
    bool found[SHOAL_GRID_PROBES] = {0};
    for (int p = 0; p < SHOAL_GRID_PROBES; ++p) contact[p] = v->origin[2];
    for (; z > v->origin[2]; z -= step) {
        const double r[3] = {xy[0], xy[1], z};
        shoal_grid_fields(k->grid, r, fields);
        for (int p = 0; p < SHOAL_GRID_PROBES; ++p)
            if (!found[p] && weigh(k->neutral[p], fields, 0) > CONTACT) {
                double low = z, high = z + step;
                for (int turn = 0; turn < 12; ++turn) {
                    const double middle = 0.5 * (low + high), m[3] = {xy[0], xy[1], middle};
                    double f[SHOAL_N_CHANNELS][4];
                    shoal_grid_fields(k->grid, m, f);
                    if (weigh(k->neutral[p], f, 0) > CONTACT)
                        low = middle;
                    else
                        high = middle;
                }
                contact[p] = high;
                found[p] = true;
            }
    }
}

/* Everything about one point. */
typedef struct point {
    double height[SHOAL_GRID_PROBES]; /* above contact, negative below */
    double de[SHOAL_GRID_PROBES], df[SHOAL_GRID_PROBES];
    double channel_de[SHOAL_N_CHANNELS], channel_df[SHOAL_N_CHANNELS];
} point;

static void compare(const double weights[SHOAL_N_CHANNELS], double a[SHOAL_N_CHANNELS][4],
                    double b[SHOAL_N_CHANNELS][4], double *de, double *df)
{
    double f2 = 0;
    for (int x = 1; x < 4; ++x) {
        const double d = weigh(weights, a, x) - weigh(weights, b, x);
        f2 += d * d;
    }
    *de = fabs(weigh(weights, a, 0) - weigh(weights, b, 0));
    *df = sqrt(f2);
}

/* Half of the points lie close to the first contact; the others are spread over the logarithm of
 * the height, so that every level has its share. */
static double choose_height(double room, double where, double which)
{
    return which < 0.5 ? where * fmin(room, NEAR) : NEAR * pow(fmax(room / NEAR, 1), where);
}

static void check_point(const checker *k, uint64_t seed, int32_t index, point *out)
{
    const shoal_grid_view *v = &k->grid->view;
    const shoal_surface_view *s = &v->surface->view;
    const uint64_t first = 4 * (uint64_t)index;
    const double fa = random_number(seed, first), fb = random_number(seed, first + 1);
    const double xy[2] = {fa * s->cell[0][0] + fb * s->cell[1][0],
                          fa * s->cell[0][1] + fb * s->cell[1][1]};
    double contact[SHOAL_GRID_PROBES], low, a[SHOAL_N_CHANNELS][4], b[SHOAL_N_CHANNELS][4];
    find_contacts(k, xy, contact);
    low = contact[0];
    for (int p = 1; p < SHOAL_GRID_PROBES; ++p) low = fmin(low, contact[p]);
    const double z = low + choose_height(v->top + BEYOND - low, random_number(seed, first + 2),
                                         random_number(seed, first + 3));
    const double r[3] = {xy[0], xy[1], z};
    shoal_grid_fields(k->grid, r, a);
    shoal_surface_fields(v->surface, r, b);
    for (int p = 0; p < SHOAL_GRID_PROBES; ++p) {
        out->height[p] = z - contact[p];
        compare(k->weights[p], a, b, &out->de[p], &out->df[p]);
    }
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) {
        double only[SHOAL_N_CHANNELS] = {0};
        only[c] = k->bare[c];
        compare(only, a, b, &out->channel_de[c], &out->channel_df[c]);
    }
}

/* The larger of two errors; what is no number is the worst. */
static double worse(double a, double b)
{
    return a >= b || isnan(a) ? a : b;
}

static void add_error(shoal_grid_errors *to, double de, double df)
{
    ++to->samples;
    to->rms_e += de * de;
    to->rms_f += df * df;
    to->max_e = worse(to->max_e, de);
    to->max_f = worse(to->max_f, df);
}

static void finish(shoal_grid_errors *e)
{
    const double n = e->samples > 0 ? (double)e->samples : 1.0;
    e->rms_e = sqrt(e->rms_e / n);
    e->rms_f = sqrt(e->rms_f / n);
}

static int band_of(double height)
{
    int band = SHOAL_GRID_BANDS - 1;
    while (band > 0 && height < BAND_START[band]) --band;
    return band;
}

/* In the order of the points, so that sums do not depend on threads. */
static void collect(const point *points, int32_t n, shoal_grid_report *out,
                    shoal_grid_sample *samples)
{
    for (int32_t i = 0; i < n; ++i) {
        const point *q = &points[i];
        shoal_grid_sample s = {.height = -INFINITY};
        for (int p = 0; p < SHOAL_GRID_PROBES; ++p) {
            s.height = fmax(s.height, q->height[p]);
            if (q->height[p] < 0) continue;
            add_error(&out->probes[p], q->de[p], q->df[p]);
            add_error(&out->bands[band_of(q->height[p])], q->de[p], q->df[p]);
            s.de = worse(s.de, q->de[p]);
            s.df = worse(s.df, q->df[p]);
        }
        for (int c = 0; c < SHOAL_N_CHANNELS && q->height[1] >= 0; ++c)
            add_error(&out->channels[c], q->channel_de[c], q->channel_df[c]);
        add_error(&out->all, s.de, s.df);
        if (samples) samples[i] = s;
    }
    finish(&out->all);
    for (int p = 0; p < SHOAL_GRID_PROBES; ++p) finish(&out->probes[p]);
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) finish(&out->channels[c]);
    for (int b = 0; b < SHOAL_GRID_BANDS; ++b) finish(&out->bands[b]);
}

shoal_status shoal_grid_check(const shoal_grid *grid, int32_t n, uint64_t seed, int32_t n_threads,
                              shoal_grid_report *report, shoal_grid_sample *samples)
{
    shoal_clear_error();
    SHOAL_NEED(grid && report);
    if (n < 1) return shoal_fail(SHOAL_E_ARGUMENT, "grid check: %d samples, expected 1 or more", n);
    point *points = shoal_alloc((size_t)n, sizeof *points);
    if (!points) return SHOAL_E_MEMORY;
    checker k = {.grid = grid};
    for (int p = 0; p < SHOAL_GRID_PROBES; ++p) {
        shoal_probe probe = PROBES[p];
        shoal_surface_weights(grid->surface, &probe, k.weights[p]);
        probe.charge = 0;
        shoal_surface_weights(grid->surface, &probe, k.neutral[p]);
    }
    memcpy(k.bare, k.weights[1], sizeof k.bare);
    k.bare[SHOAL_CHANNEL_Q] = 1;
    k.bare[SHOAL_CHANNEL_ACCEPTOR] = k.bare[SHOAL_CHANNEL_DONOR] = k.bare[SHOAL_CHANNEL_P];
#ifdef _OPENMP
    const int threads = n_threads > 0 ? n_threads : omp_get_max_threads();
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
#endif
    for (int32_t i = 0; i < n; ++i) check_point(&k, seed, i, &points[i]);
    (void)n_threads;
    *report = (shoal_grid_report){0};
    memcpy(report->band_start, BAND_START, sizeof BAND_START);
    collect(points, n, report, samples);
    free(points);
    return SHOAL_OK;
}
