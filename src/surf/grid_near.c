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

/* 1/r^p less its smooth part. */
static inline __attribute__((always_inline)) void add_power(double *restrict to, const span *s,
                                                            double weight, int p)
{
    const double full = grid_near_full(p);
    for (int32_t k = s->first; k <= s->last; ++k)
        to[k] += weight * near_power(p, distance2(s, k), GRID_ETA, full);
}

static void add_span(double *to, const span *s, double weight, int p, double exponent)
{
    switch (p) {
    case 0: add_morse(to, s, weight, exponent); break;
    case 6: add_power(to, s, weight, 6); break;
    case 12: add_power(to, s, weight, 12); break;
    default: add_power(to, s, weight, p); break;
    }
}

double grid_near_full(int p)
{
    return pow(GRID_ETA, p) / tgamma(0.5 * p + 1);
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
static void count_images(const grid_lattice *l, double reach, int32_t most[2])
{
    for (int k = 0; k < 2; ++k) {
        const double *other = l->cell[1 - k];
        const double width = l->area / hypot(other[0], other[1]);
        most[k] = (int32_t)(reach / width) + 1;
    }
}

/* All images of an atom, to one row of nodes. */
static void add_atom(const grid_near_job *q, int32_t atom, double z, int32_t i_a, double *to)
{
    const grid_lattice *l = q->lattice;
    const double weight = l->weight[atom][q->channel], dz = z - l->pos[atom][2];
    const double reach = l->reach[q->channel], fa = (double)i_a / q->n_a;
    const double exponent = surface_channel_exponent(l->surface, q->channel);
    const int power = surface_channel_power(l->surface, q->channel);
    int32_t most[2];
    count_images(l, reach, most);
    for (int32_t p = -most[0]; p <= most[0]; ++p)
        for (int32_t n = -most[1]; n <= most[1]; ++n) {
            span s = {.dz2 = dz * dz, .dx = l->cell[1][0] / q->n_b, .dy = l->cell[1][1] / q->n_b};
            s.x0 = (fa - p) * l->cell[0][0] - n * l->cell[1][0] - l->pos[atom][0];
            s.y0 = (fa - p) * l->cell[0][1] - n * l->cell[1][1] - l->pos[atom][1];
            if (cut_span(&s, q->n_b, reach * reach)) add_span(to, &s, weight, power, exponent);
        }
}

void grid_near_add(const grid_near_job *q, double *const to[2])
{
    const grid_lattice *l = q->lattice;
    for (int32_t p = 0; p < l->n_planes; ++p) {
        if (!grid_lattice_is_near(l, p, q->z)) continue;
        for (int side = 0; side < 2; ++side)
            for (int32_t i = 0; i < q->n_a; ++i)
                for (int32_t s = l->plane_start[p]; s < l->plane_start[p + 1]; ++s)
                    if (l->weight[s][q->channel] != 0)
                        add_atom(q, s, q->z[side], i, to[side] + (size_t)i * (size_t)q->n_b);
    }
}
