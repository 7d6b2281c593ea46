/* SPDX-License-Identifier: BSD-3-Clause
 * Short-range fields of a lattice in real space, for planes of nodes close to the atoms, where
 * sums over k-vectors converge badly. Loops run along rows of nodes so that they vectorise. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"
#include "surf/grid_lattice.h"

#define SHOAL_REAL double
#include "grid_near_terms.h"
#include "special_terms.h"

/* Nodes first .. last of a row, and where it is relative to an atom. */
typedef struct span {
    int32_t first, last;
    double x0, y0, dz2; /* of node 0; the height is squared */
    double dx, dy;      /* from node to node */
} span;

static inline __attribute__((always_inline)) double distance2(const span *s, int32_t k)
{
    const double x = s->x0 + k * s->dx, y = s->y0 + k * s->dy;
    return x * x + y * y + s->dz2;
}

WIDE static void add_morse(double *restrict to, const span *s, double weight, double exponent)
{
    for (int32_t k = s->first; k <= s->last; ++k)
        to[k] += weight * special_exp(-exponent * sqrt(distance2(s, k)));
}

static void add_lj12(double *restrict to, const span *s, double weight)
{
    for (int32_t k = s->first; k <= s->last; ++k) to[k] += weight * near_power12(distance2(s, k));
}

static void add_lj6(double *restrict to, const span *s, double weight, double soften2)
{
    for (int32_t k = s->first; k <= s->last; ++k)
        to[k] += weight * near_power6(distance2(s, k), soften2);
}

/* 1/r^p of a pair model, less its softened form where that comes by k-vectors; continued to second order in r^2 within
 * the core, as in grid_near_terms.h. */
static void add_power(double *restrict to, const span *s, double weight, int p, double soften2)
{
    const double n = 0.5 * p;
    for (int32_t k = s->first; k <= s->last; ++k) {
        const double r2 = distance2(s, k), u = r2 > NEAR_CORE2 ? r2 : NEAR_CORE2, d = (r2 - u) / u;
        const double core = pow(u, -n) * (1.0 - n * d + 0.5 * n * (n + 1.0) * d * d);
        to[k] += weight * (core - (soften2 > 0 ? pow(r2 + soften2, -n) : 0.0));
    }
}

/* A channel of a pair model. */
static void add_pairs(double *to, const span *s, const surface_pairs *pairs, int channel,
                      double weight, double soften)
{
    const int p = surface_pairs_power(pairs, channel);
    if (p == 0)
        add_morse(to, s, weight, surface_pairs_exponent(pairs, channel));
    else
        add_power(to, s, weight, p, surface_pairs_soften(pairs, channel) ? soften * soften : 0.0);
}

/* Nodes of a row within reach of an atom; false if there are none. */
static bool cut_span(span *s, int32_t n, double reach2)
{
    const double d2 = s->dx * s->dx + s->dy * s->dy, along = -(s->x0 * s->dx + s->y0 * s->dy) / d2;
    const double x = s->x0 + along * s->dx, y = s->y0 + along * s->dy;
    const double rest = reach2 - s->dz2 - x * x - y * y;
    if (!(rest > 0)) return false;
    const double half = sqrt(rest / d2);
    const double first = ceil(along - half), last = floor(along + half);
    if (last < 0 || first > n - 1 || first > last) return false;
    s->first = first < 0 ? 0 : (int32_t)first;
    s->last = last > n - 1 ? n - 1 : (int32_t)last;
    return true;
}

/* How many images each way an atom within reach of the cell can be. */
static void count_images(const grid_lattice *l, int32_t most[2])
{
    for (int k = 0; k < 2; ++k) {
        const double *other = l->cell[1 - k];
        const double width = l->area / hypot(other[0], other[1]);
        most[k] = (int32_t)(l->reach / width) + 1;
    }
}

static void add_atom(const grid_lattice *l, const grid_near_plane *q, int32_t atom, int32_t i_a)
{
    const shoal_surface_view *v = &l->surface->view;
    const double weight = l->weight[atom][q->channel], dz = q->z - l->pos[atom][2];
    const double fa = (double)i_a / q->n_a;
    int32_t most[2];
    count_images(l, most);
    for (int32_t p = -most[0]; p <= most[0]; ++p)
        for (int32_t n = -most[1]; n <= most[1]; ++n) {
            span s = {.dz2 = dz * dz, .dx = l->cell[1][0] / q->n_b, .dy = l->cell[1][1] / q->n_b};
            s.x0 = (fa - p) * l->cell[0][0] - n * l->cell[1][0] - l->pos[atom][0];
            s.y0 = (fa - p) * l->cell[0][1] - n * l->cell[1][1] - l->pos[atom][1];
            if (!cut_span(&s, q->n_b, l->reach * l->reach)) continue;
            double *to = q->to + (size_t)i_a * (size_t)q->n_b;
            if (l->surface->pairs)
                add_pairs(to, &s, l->surface->pairs, q->channel, weight, q->soften);
            else if (v->form == SHOAL_SURFACE_MORSE)
                add_morse(to, &s, weight, (q->channel == SHOAL_CHANNEL_L ? 1 : 2) * v->alpha);
            else if (q->channel == SHOAL_CHANNEL_L)
                add_lj6(to, &s, weight, q->soften * q->soften);
            else
                add_lj12(to, &s, weight);
        }
}

void grid_near_add(const grid_lattice *l, const grid_near_plane *q)
{
    for (int32_t i = 0; i < q->n_a; ++i)
        for (int32_t s = 0; s < l->n_atoms; ++s)
            if (l->weight[s][q->channel] != 0 && fabs(q->z - l->pos[s][2]) < l->reach)
                add_atom(l, q, s, i);
}
