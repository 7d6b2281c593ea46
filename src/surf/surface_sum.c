/* SPDX-License-Identifier: BSD-3-Clause
 * The pairs of the direct sum: how far they reach, and the images of atoms within reach. */
#include "surf/surface_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#include "constants.h"

#define LJ_REACH 20.0     /* angstrom, at the full tolerance: pairs and k-vectors then cost alike */
#define CHARGE_REACH 12.0 /* angstrom, at least: a shorter one means too many k-vectors */
#define PROBE_RADIUS 2.0  /* angstrom, of a large atom of a molecule */
#define NEIGHBOUR 4.0     /* angstrom: sums over atoms differ from integrals on this scale */
#define BINS_PER_REACH 4.0
#define MAX_BINS 2048.0 /* each way; a cell too large for that has wider ones */
#define MAX_SITES 50e6  /* of a table; more mean a cell far too small to be meant */

/* Shortest basis of the lattice (Gauss). */
static void reduce(double c[2][2])
{
    for (int round = 0; round < 1000; ++round) {
        double aa = c[0][0] * c[0][0] + c[0][1] * c[0][1];
        const double bb = c[1][0] * c[1][0] + c[1][1] * c[1][1];
        if (bb < aa) {
            const double swap[2] = {c[0][0], c[0][1]};
            memcpy(c[0], c[1], sizeof c[0]);
            memcpy(c[1], swap, sizeof swap);
            aa = bb;
        }
        const double n = floor((c[0][0] * c[1][0] + c[0][1] * c[1][1]) / aa + 0.5);
        if (n == 0.0) return;
        c[1][0] -= n * c[0][0];
        c[1][1] -= n * c[0][1];
    }
}

static void take_cell(surface_sum *sum, const shoal_surface_view *v)
{
    double(*c)[2] = sum->cell;
    memcpy(c, v->cell, sizeof sum->cell);
    reduce(c);
    const double det = c[0][0] * c[1][1] - c[0][1] * c[1][0];
    sum->dual[0][0] = c[1][1] / det;
    sum->dual[0][1] = -c[1][0] / det;
    sum->dual[1][0] = -c[0][1] / det;
    sum->dual[1][1] = c[0][0] / det;
}

/* Distance beyond which the London sum over all images, of at most 2 pi/area sum |w| int r
 * exp(-alpha r) dr, is below the tolerance times one pair's share at its minimum. The Pauli sum falls
 * off faster. */
static double morse_reach(const shoal_surface *s, double tolerance)
{
    const shoal_surface_view *v = &s->view;
    double sum = 0.0, least = INFINITY;
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        const double w = fabs(s->weight[i][SHOAL_CHANNEL_L]);
        sum += w;
        if (w > 0.0) least = fmin(least, w * exp(-v->alpha * (v->radius[i] + PROBE_RADIUS)));
    }
    double r = 1.0;
    if (sum == 0.0) return r + NEIGHBOUR;
    while (2.0 * PI * sum / v->area * (r + 1.0 / v->alpha) / v->alpha * exp(-v->alpha * r) >
           tolerance * least)
        r += 0.25;
    return r + NEIGHBOUR;
}

static void choose_reach(surface_sum *sum, const shoal_surface *s, double tolerance)
{
    const double x = sqrt(-log(tolerance)),
                 of_powers = LJ_REACH * x / sqrt(-log(SURFACE_TOLERANCE));
    const bool powers = s->pairs ? s->pairs->family != FORM_MORSE : sum->form == SHOAL_SURFACE_LJ;
    if (s->pairs)
        sum->reach = fmax(surface_pairs_reach(s, tolerance), powers ? of_powers : 0.0);
    else
        sum->reach = powers ? of_powers : morse_reach(s, tolerance);
    if (sum->charged) sum->reach = fmax(sum->reach, CHARGE_REACH);
    /* exp(-(eta reach)^2) is the tolerance. */
    if (powers || sum->charged) sum->eta = x / sum->reach;
}

void surface_sum_wrap(const surface_sum *sum, double *x, double *y)
{
    const double n0 = floor(sum->dual[0][0] * *x + sum->dual[0][1] * *y);
    const double n1 = floor(sum->dual[1][0] * *x + sum->dual[1][1] * *y);
    *x -= n0 * sum->cell[0][0] + n1 * sum->cell[1][0];
    *y -= n0 * sum->cell[0][1] + n1 * sum->cell[1][1];
}

/* All images of atom i that may lie within reach of the cell; out NULL: only counts. */
static int32_t list_images(const surface_sum *sum, const shoal_surface *s, int32_t i,
                           double (*out)[SITE_SIZE])
{
    double x = s->view.pos[i][0], y = s->view.pos[i][1], f[2];
    int32_t first[2], last[2], n = 0;
    surface_sum_wrap(sum, &x, &y);
    for (int k = 0; k < 2; ++k) {
        const double margin = sum->reach * hypot(sum->dual[k][0], sum->dual[k][1]);
        f[k] = sum->dual[k][0] * x + sum->dual[k][1] * y;
        first[k] = (int32_t)ceil(-margin - f[k]);
        last[k] = (int32_t)floor(1.0 + margin - f[k]);
    }
    for (int32_t p = first[0]; p <= last[0]; ++p)
        for (int32_t q = first[1]; q <= last[1]; ++q, ++n) {
            if (!out) continue;
            out[n][SITE_X] = x + p * sum->cell[0][0] + q * sum->cell[1][0];
            out[n][SITE_Y] = y + p * sum->cell[0][1] + q * sum->cell[1][1];
            out[n][SITE_Z] = s->view.pos[i][2];
            memcpy(out[n] + SITE_WEIGHT, s->pairs ? s->numbers[i] : s->weight[i],
                   PAIR_NUMBERS * sizeof **out);
        }
    return n;
}

static int32_t bin_of(const surface_sum *sum, const double site[SITE_SIZE])
{
    int32_t at[2];
    for (int k = 0; k < 2; ++k) {
        at[k] = (int32_t)floor((site[k] - sum->bin_origin[k]) / sum->bin_width);
        if (at[k] >= sum->n_bins[k]) at[k] = sum->n_bins[k] - 1;
    }
    return at[1] * sum->n_bins[0] + at[0];
}

/* list[n_sites] into bins; the n_images[i] sites of atom i follow those of the atom before it. */
static shoal_status sort_sites(surface_sum *sum, double (*list)[SITE_SIZE], const int32_t *n_images)
{
    double high[2] = {-INFINITY, -INFINITY};
    sum->bin_origin[0] = sum->bin_origin[1] = INFINITY;
    for (int32_t i = 0; i < sum->n_sites; ++i)
        for (int k = 0; k < 2; ++k) {
            sum->bin_origin[k] = fmin(sum->bin_origin[k], list[i][k]);
            high[k] = fmax(high[k], list[i][k]);
        }
    const double extent = fmax(high[0] - sum->bin_origin[0], high[1] - sum->bin_origin[1]);
    sum->bin_width = fmax(sum->reach / BINS_PER_REACH, extent / MAX_BINS);
    for (int k = 0; k < 2; ++k)
        sum->n_bins[k] = (int32_t)floor((high[k] - sum->bin_origin[k]) / sum->bin_width) + 1;
    const int32_t n = sum->n_bins[0] * sum->n_bins[1];
    sum->bin_start = arena_alloc(&sum->memory, (size_t)n + 2, sizeof *sum->bin_start);
    sum->sites = arena_alloc(&sum->memory, (size_t)sum->n_sites, sizeof *sum->sites);
    sum->site_atoms = arena_alloc(&sum->memory, (size_t)sum->n_sites, sizeof *sum->site_atoms);
    if (!sum->bin_start || !sum->sites || !sum->site_atoms) return SHOAL_E_MEMORY;
    int32_t *next = sum->bin_start + 1; /* becomes bin_start once every bin is full */
    for (int32_t i = 0; i < sum->n_sites; ++i) ++next[bin_of(sum, list[i]) + 1];
    for (int32_t b = 0; b < n; ++b) next[b + 1] += next[b];
    for (int32_t i = 0, atom = 0, last = n_images[0]; i < sum->n_sites; ++i) {
        while (i >= last) last += n_images[++atom];
        const int32_t at = next[bin_of(sum, list[i])]++;
        memcpy(sum->sites[at], list[i], sizeof list[i]);
        sum->site_atoms[at] = atom;
    }
    return SHOAL_OK;
}

static shoal_status make_sites(surface_sum *sum, const shoal_surface *s)
{
    double n_sites = 0.0;
    for (int32_t i = 0; i < s->view.n_atoms; ++i) n_sites += list_images(sum, s, i, NULL);
    if (n_sites > MAX_SITES)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "surface: %.0f images of atoms lie within the reach of %.1f angstrom, at "
                          "most %.0f can be summed",
                          n_sites, sum->reach, MAX_SITES);
    sum->n_sites = (int32_t)n_sites;
    double(*list)[SITE_SIZE] = shoal_alloc((size_t)sum->n_sites, sizeof *list);
    int32_t *n_images = shoal_alloc((size_t)s->view.n_atoms, sizeof *n_images), n = 0;
    shoal_status status = list && n_images ? SHOAL_OK : SHOAL_E_MEMORY;
    for (int32_t i = 0; i < s->view.n_atoms && status == SHOAL_OK; ++i)
        n += n_images[i] = list_images(sum, s, i, list + n);
    if (status == SHOAL_OK) status = sort_sites(sum, list, n_images);
    free(n_images);
    free(list);
    return status;
}

/* n numbers, `stride` apart, in the precision of the copies. */
static void *copy_numbers(surface_sum *sum, const double *from, size_t n, size_t stride)
{
    void *copy = arena_alloc(&sum->memory, n, sum->single ? sizeof(float) : sizeof(double));
    for (size_t i = 0; i < n && copy; ++i) {
        if (sum->single)
            ((float *)copy)[i] = (float)from[i * stride];
        else
            ((double *)copy)[i] = from[i * stride];
    }
    return copy;
}

static shoal_status make_copies(surface_sum *sum)
{
    for (int k = 0; k < SITE_SIZE; ++k) {
        sum->columns[k] = copy_numbers(sum, &sum->sites[0][k], (size_t)sum->n_sites, SITE_SIZE);
        if (!sum->columns[k]) return SHOAL_E_MEMORY;
    }
    const size_t n = (size_t)sum->n_polynomials * (size_t)sum->n_kvec_channels * 2;
    sum->powers = copy_numbers(sum, sum->polynomials, n * ((size_t)sum->degree + 1), 1);
    return sum->powers ? SHOAL_OK : SHOAL_E_MEMORY;
}

shoal_status surface_sum_create(surface_sum **out, const shoal_surface *s, double tolerance)
{
    *out = NULL;
    surface_sum *sum = shoal_alloc(1, sizeof *sum);
    if (!sum) return SHOAL_E_MEMORY;
    sum->form = s->view.form;
    sum->pairs = s->pairs;
    sum->alpha = s->view.alpha;
    sum->damping = s->view.damping;
    sum->single = tolerance > 1e-10;
    sum->charged = s->view.has_channel[SHOAL_CHANNEL_Q];
    take_cell(sum, &s->view);
    choose_reach(sum, s, tolerance);
    shoal_status status = SHOAL_OK;
    if (s->pairs && sum->reach >= SURFACE_MOST_REACH)
        status =
            shoal_fail(SHOAL_E_ARGUMENT,
                       "surface: pairs of the model fall off so slowly that they would have to "
                       "be summed up to more than %g angstrom",
                       SURFACE_MOST_REACH);
    if (status == SHOAL_OK) status = make_sites(sum, s);
    if (status == SHOAL_OK && sum->eta > 0.0) status = surface_fourier_create(sum, s, tolerance);
    if (status == SHOAL_OK) status = make_copies(sum);
    if (status != SHOAL_OK) {
        surface_sum_destroy(sum);
        return status;
    }
    *out = sum;
    return SHOAL_OK;
}

void surface_sum_destroy(surface_sum *sum)
{
    if (!sum) return;
    arena_free(&sum->memory);
    free(sum);
}
