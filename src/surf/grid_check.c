/* SPDX-License-Identifier: BSD-3-Clause
 * A grid against the direct sum at random points above contact, to beyond its top, as engines read it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/alloc.h"
#include "base/random.h"
#include "base/text.h"
#include "surf/grid_outside.h"
#include "surf/surface.h"

#define CONTACT 2.0 /* eV */
#define CLOSEST 1.2 /* angstrom: no system ends with an atom nearer to the surface */
#define STRONG 2.0  /* times its charge: what the atoms of ions have, which get closest */
#define WALL 0.25   /* angstrom above contact: a third of the points, errors are largest there */
#define NEAR 2.0    /* angstrom above contact: another third */
#define BEYOND 10.0 /* angstrom above the top where points end */

/* UFF radii and depths (physics of Rappe 1992), charges as organic molecules have them. */
static const shoal_probe PROBES[SHOAL_GRID_PROBES] = {
    {.radius = 1.7500, .depth = 0.00260184625, .charge = -0.4},
    {.radius = 1.9255, .depth = 0.00455323095, .charge = 0.1},
    {.radius = 1.4430, .depth = 0.00190802059, .charge = 0.2},
    {.radius = 1.8300, .depth = 0.00299212319, .charge = -0.3},
};
static const int32_t ELEMENTS[SHOAL_GRID_PROBES] = {8, 6, 1, 7};
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

shoal_status shoal_grid_probe_parse(const char *text, shoal_probe *out)
{
    shoal_clear_error();
    SHOAL_NEED(text && out);
    double *const numbers[3] = {&out->radius, &out->depth, &out->charge};
    for (int p = 0; p < SHOAL_GRID_PROBES; ++p)
        if (strcmp(text, shoal_grid_probe_name(p)) == 0) {
            *out = shoal_grid_probe(p);
            return SHOAL_OK;
        }
    *out = (shoal_probe){0};
    shoal_span rest = shoal_span_of(text);
    bool good = true;
    for (int k = 0; k < 3 && good; ++k) {
        const char *comma = k < 2 ? memchr(rest.text, ',', rest.size) : NULL;
        const size_t n = comma ? (size_t)(comma - rest.text) : rest.size;
        good = (comma || k == 2) && shoal_text_double((shoal_span){rest.text, n}, numbers[k]);
        rest = shoal_span_after(rest, n + 1);
    }
    if (good && out->radius > 0 && out->depth >= 0) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "'%.60s': expected O, C, H or N, or radius, depth and charge, e.g. "
                      "1.75,0.0026,-0.4",
                      text);
}

/* Number k of a sequence. */
static double random_number(uint64_t seed, uint64_t k)
{
    return random_fraction(random_mix(seed * RANDOM_STEP + (k + 1) * UINT64_C(0xbf58476d1ce4e5b9)));
}

typedef struct checker {
    const shoal_grid *grid;
    uint64_t seed;
    int probe;
    double weights[SHOAL_N_CHANNELS]; /* of the probe */
    grid_class *class;
    const grid_outside *
        outside; /* [SHOAL_CHANNEL_KINDS]; NULL: what the grid says of its channels from elsewhere */
    grid_class *own;               /* without channels from elsewhere; NULL: there are none */
    double bare[SHOAL_N_CHANNELS]; /* weights that errors of channels are told with */
} checker;

/* Whether the probe has met the surface at a height: by its energy, or, where a soft wall does not hold its charge, so
 * close to an atom that its system counts as collapsed whatever the elements. */
static bool has_met(const checker *k, const double xy[2], double z)
{
    const double r[3] = {xy[0], xy[1], z};
    double e[4], distance;
    grid_class_energy(k->grid, k->class, k->weights[SHOAL_CHANNEL_Q], r, e);
    return e[0] > CONTACT ||
           (surface_contact(k->grid->surface, r, ELEMENTS[k->probe], &distance) >= 0 &&
            distance < CLOSEST);
}

/* Contact height of the probe above a point, by steps downward and bisection on the grid, which is good enough to say
 * where; the floor, below which no atom may be, if there is none. */
static double find_contact(const checker *k, const double xy[2])
{
    const shoal_surface_view *v = &k->grid->surface->view;
    const double step = 0.1;
    double low = v->top + 4;
    while (low > v->floor && !has_met(k, xy, low)) low -= step;
    if (low <= v->floor) return v->floor;
    double high = low + step;
    for (int turn = 0; turn < 12; ++turn) {
        const double middle = 0.5 * (low + high);
        if (has_met(k, xy, middle))
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Everything about one point. */
typedef struct point {
    double height; /* angstrom above contact */
    double de, df;
    double channel_de[SHOAL_N_CHANNELS], channel_df[SHOAL_N_CHANNELS];
} point;

static void compare(const double a[4], const double b[4], double weight, double *de, double *df)
{
    double f2 = 0;
    for (int x = 1; x < 4; ++x) f2 += (a[x] - b[x]) * (a[x] - b[x]);
    *de = fabs(weight * (a[0] - b[0]));
    *df = fabs(weight) * sqrt(f2);
}

/* A third of the points is at contact, a third close to it; the others are spread over the logarithm of the height, so
 * that every level has its share. */
static double choose_height(double room, double where, double which)
{
    if (which < 1.0 / 3) return where * fmin(room, WALL);
    return which < 2.0 / 3 ? where * fmin(room, NEAR) : NEAR * pow(fmax(room / NEAR, 1), where);
}

static bool is_outside(const shoal_grid *grid, int c)
{
    return c < SHOAL_CHANNEL_KINDS && grid->view.sources[c].there;
}

/* A channel from elsewhere at a point, by the mesh or what is known of it; adds it to what the probe feels. */
static void check_outside(const checker *k, int c, const double r[3], const double read[4],
                          point *out)
{
    const shoal_grid_source *s = &k->grid->view.sources[c];
    const double bare = fabs(k->bare[c]);
    double e = bare > 0 ? s->max_e / bare : 0, f = bare > 0 ? s->max_f / bare : 0;
    if (k->outside) grid_outside_error(&k->outside[c], r, read, &e, &f);
    out->channel_de[c] = bare * e;
    out->channel_df[c] = bare * f;
    out->de += fabs(k->weights[c]) * e;
    out->df += fabs(k->weights[c]) * f;
}

static void check_point(const checker *k, int32_t index, point *out)
{
    const shoal_surface_view *s = &k->grid->surface->view;
    const uint64_t first = 4 * (uint64_t)index;
    const double fa = random_number(k->seed, first), fb = random_number(k->seed, first + 1);
    const double xy[2] = {fa * s->cell[0][0] + fb * s->cell[1][0],
                          fa * s->cell[0][1] + fb * s->cell[1][1]};
    const double contact = find_contact(k, xy), room = k->grid->view.top + BEYOND - contact;
    out->height =
        choose_height(room, random_number(k->seed, first + 2), random_number(k->seed, first + 3));
    const double r[3] = {xy[0], xy[1], contact + out->height};
    double a[SHOAL_N_CHANNELS][4], b[SHOAL_N_CHANNELS][4], grid[4], direct[4] = {0};
    const bool charged = !is_outside(k->grid, SHOAL_CHANNEL_Q);
    grid_class_energy(k->grid, k->own ? k->own : k->class,
                      charged ? k->weights[SHOAL_CHANNEL_Q] : 0, r, grid);
    shoal_grid_fields(k->grid, r, a);
    shoal_surface_fields(k->grid->surface, r, b);
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) {
        if (is_outside(k->grid, c)) continue;
        for (int x = 0; x < 4; ++x) direct[x] += k->weights[c] * b[c][x];
        compare(a[c], b[c], k->bare[c], &out->channel_de[c], &out->channel_df[c]);
    }
    compare(grid, direct, 1, &out->de, &out->df);
    for (int c = 0; c < SHOAL_CHANNEL_KINDS; ++c)
        if (is_outside(k->grid, c)) check_outside(k, c, r, a[c], out);
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
        add_error(&out->all, q->de, q->df);
        add_error(&out->probes[i % SHOAL_GRID_PROBES], q->de, q->df);
        add_error(&out->bands[band_of(q->height)], q->de, q->df);
        for (int c = 0; c < SHOAL_N_CHANNELS; ++c)
            add_error(&out->channels[c], q->channel_de[c], q->channel_df[c]);
        if (samples) samples[i] = (shoal_grid_sample){q->height, q->de, q->df};
    }
    finish(&out->all);
    for (int p = 0; p < SHOAL_GRID_PROBES; ++p) finish(&out->probes[p]);
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) finish(&out->channels[c]);
    for (int b = 0; b < SHOAL_GRID_BANDS; ++b) finish(&out->bands[b]);
}

/* Every fourth point, from that with the number of the probe on. */
static shoal_status check_probe(checker *k, int32_t n, int32_t n_threads, point *points)
{
    shoal_probe probe = PROBES[k->probe];
    probe.charge *= STRONG;
    double own[SHOAL_N_CHANNELS];
    bool outside = false;
    shoal_surface_weights(k->grid->surface, &probe, k->weights);
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) {
        own[c] = is_outside(k->grid, c) ? 0 : k->weights[c];
        outside = outside || own[c] != k->weights[c];
    }
    k->own = NULL;
    SHOAL_TRY(grid_class_make(k->grid, k->weights, n_threads, &k->class));
    if (outside && grid_class_make(k->grid, own, n_threads, &k->own) != SHOAL_OK) {
        grid_class_destroy(k->class);
        return SHOAL_E_MEMORY;
    }
#ifdef _OPENMP
    const int threads = n_threads > 0 ? n_threads : omp_get_max_threads();
#pragma omp parallel for schedule(dynamic, 4) num_threads(threads)
#endif
    for (int32_t i = k->probe; i < n; i += SHOAL_GRID_PROBES) check_point(k, i, &points[i]);
    (void)n_threads;
    grid_class_destroy(k->class);
    grid_class_destroy(k->own);
    return SHOAL_OK;
}

shoal_status shoal_grid_check(const shoal_grid *grid, int32_t n, uint64_t seed, int32_t n_threads,
                              shoal_grid_report *report, shoal_grid_sample *samples)
{
    shoal_clear_error();
    SHOAL_NEED(grid && report);
    return grid_check(grid, n, seed, n_threads, NULL, report, samples);
}

shoal_status grid_check(const shoal_grid *grid, int32_t n, uint64_t seed, int32_t n_threads,
                        const grid_outside *outside, shoal_grid_report *report,
                        shoal_grid_sample *samples)
{
    if (n < 1) return shoal_fail(SHOAL_E_ARGUMENT, "grid check: %d samples, expected 1 or more", n);
    point *points = shoal_alloc((size_t)n, sizeof *points);
    if (!points) return SHOAL_E_MEMORY;
    checker k = {.grid = grid, .seed = seed, .outside = outside};
    grid_bare_weights(grid->surface, k.bare);
    shoal_status status = SHOAL_OK;
    for (; k.probe < SHOAL_GRID_PROBES && status == SHOAL_OK; ++k.probe)
        status = check_probe(&k, n, n_threads, points);
    *report = (shoal_grid_report){0};
    memcpy(report->band_start, BAND_START, sizeof BAND_START);
    if (status == SHOAL_OK) collect(points, n, report, samples);
    free(points);
    return status;
}

bool shoal_grid_passes(const shoal_grid *grid, char *why, size_t size)
{
    if (!grid) return true;
    const shoal_grid_errors *e = &grid->view.errors;
    if (e->samples > 0 && e->max_e <= GRID_MAX_E && e->max_f <= GRID_MAX_F) return true;
    if (!why || size == 0) return false;
    if (e->samples > 0)
        (void)snprintf(why, size, "the grid failed its check: errors of up to %.2g eV, %.2g eV/A",
                       e->max_e, e->max_f);
    else
        (void)snprintf(why, size, "the errors of the grid were never measured");
    return false;
}
