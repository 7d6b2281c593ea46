/* SPDX-License-Identifier: BSD-3-Clause
 * Loops over blocks of pairs. */
#include "fit/pair_sums.h"

#include "base/wide.h"

/* Sums over lanes do not depend on the width of the processor's registers. */
enum { LANES = PAIR_LANES };
typedef double lanes
    __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef int64_t lane_masks
    __attribute__((vector_size(LANES * sizeof(int64_t)), aligned(sizeof(double)), may_alias));

/* Macros, since vectors that functions take or give have no common ABI. */
#define LOAD(x) (*(const lanes *)(x))
#define STORE(x) (*(lanes *)(x))
#define WHERE(chosen, x) ((lanes)((lane_masks)(x) & (chosen))) /* x where that is chosen, else 0 */

static inline double sum_lanes(const lanes *x)
{
    return ((*x)[0] + (*x)[1]) + ((*x)[2] + (*x)[3]);
}

WIDE static double sum_up(const double *x, int32_t n)
{
    lanes sum = {0.0};
    for (int32_t k = 0; k < n; k += LANES) sum += LOAD(x + k);
    return sum_lanes(&sum);
}

WIDE static void measure(const pair_places *c, pair_block p, double *restrict r)
{
    const double *restrict xs = c->at[AT_X] + p.j, *restrict ys = c->at[AT_Y] + p.j;
    const double *restrict zs = c->at[AT_Z] + p.j;
    for (int32_t i = p.i; i < p.i + p.n_i; ++i, r += p.n_j) {
        const double x = c->at[AT_X][i], y = c->at[AT_Y][i], z = c->at[AT_Z][i];
        for (int32_t k = 0; k < (p.n_j & -LANES); ++k) {
            const double dx = x - xs[k], dy = y - ys[k], dz = z - zs[k];
            const double length = sqrt(dx * dx + dy * dy + dz * dz);
            r[k] = length < FIT_R_FLOOR ? FIT_R_FLOOR : length;
        }
    }
}

WIDE static void mix(const pair_places *c, const pair_kind *kind, pair_block p,
                     pair_batch *restrict b)
{
    const double *rs = c->at[AT_RADIUS] + p.j, *ds = c->at[AT_DEPTH] + p.j, *hs = c->at[AT_H] + p.j;
    const double second = kind->second, one = 1.0 - kind->both;
    int32_t at = 0;
    for (int32_t i = p.i; i < p.i + p.n_i; ++i) {
        const double radius = kind->first * c->at[AT_RADIUS][i], h = c->at[AT_H][i];
        const double depth = kind->both * c->at[AT_DEPTH][i];
        for (int32_t k = 0; k < p.n_j; k += LANES, at += LANES) {
            const lanes product = h * LOAD(hs + k), zero = {0.0};
            STORE(b->r0 + at) = radius + second * LOAD(rs + k);
            STORE(b->e0 + at) = depth * LOAD(ds + k) + one;
            STORE(b->h + at) = WHERE(product < zero, product);
        }
    }
}

/* Slopes of pairs by R0, E0 and H to those of their atoms. */
WIDE static void scatter(const pair_places *c, const pair_kind *kind, pair_block p,
                         const pair_batch *b)
{
    const double *ds = c->at[AT_DEPTH] + p.j, *hs = c->at[AT_H] + p.j, second = kind->second;
    double *radii = c->by[BY_RADIUS] + p.j, *depths = c->by[BY_DEPTH] + p.j;
    double *hbonds = c->by[BY_H] + p.j;
    int32_t at = 0;
    for (int32_t i = p.i; i < p.i + p.n_i; ++i) {
        const double depth = kind->both * c->at[AT_DEPTH][i], h = c->at[AT_H][i];
        lanes radius_sum = {0.0}, depth_sum = {0.0}, h_sum = {0.0};
        for (int32_t k = 0; k < p.n_j; k += LANES, at += LANES) {
            const lanes by_r0 = LOAD(b->by_r0 + at), by_e0 = LOAD(b->by_e0 + at);
            const lanes other = LOAD(hs + k), zero = {0.0};
            const lanes by_h = WHERE(h * other < zero, LOAD(b->by_h + at));
            STORE(radii + k) += second * by_r0;
            STORE(depths + k) += depth * by_e0;
            STORE(hbonds + k) += h * by_h;
            radius_sum += by_r0;
            depth_sum += by_e0 * LOAD(ds + k);
            h_sum += by_h * other;
        }
        c->by[BY_RADIUS][i] += kind->first * sum_lanes(&radius_sum);
        c->by[BY_DEPTH][i] += kind->both * sum_lanes(&depth_sum);
        c->by[BY_H][i] += sum_lanes(&h_sum);
    }
}

WIDE static void plain_coulomb(double k, const double *restrict r, int32_t n, double *restrict g)
{
    for (int32_t m = 0; m < (n & -LANES); ++m) g[m] = k / r[m];
}

/* Energy of charges in each other's field, over lambda, and its slopes by them. */
WIDE static double add_fields(const pair_places *c, double lambda, pair_block p, const double *g)
{
    const double *qs = c->at[AT_Q] + p.j;
    double *by_q = c->by[BY_Q] + p.j, energy = 0.0;
    for (int32_t i = p.i; i < p.i + p.n_i; ++i, g += p.n_j) {
        const double q = lambda * c->at[AT_Q][i];
        lanes field = {0.0};
        for (int32_t k = 0; k < p.n_j; k += LANES) {
            STORE(by_q + k) += q * LOAD(g + k);
            field += LOAD(g + k) * LOAD(qs + k);
        }
        const double sum = sum_lanes(&field);
        c->by[BY_Q][i] += lambda * sum;
        energy += sum * c->at[AT_Q][i];
    }
    return energy;
}

/* What chooses between builds of a function at run time would be seen outside the library. */
double pair_sum(const double *x, int32_t n)
{
    return sum_up(x, n);
}

void pair_measure(const pair_places *c, pair_block p, double *restrict r)
{
    measure(c, p, r);
}

void pair_mix(const pair_places *c, const pair_kind *kind, pair_block p, pair_batch *restrict b)
{
    mix(c, kind, p, b);
}

void pair_scatter(const pair_places *c, const pair_kind *kind, pair_block p, const pair_batch *b)
{
    scatter(c, kind, p, b);
}

void pair_plain_coulomb(double k, const double *restrict r, int32_t n, double *restrict g)
{
    plain_coulomb(k, r, n, g);
}

double pair_add_fields(const pair_places *c, double lambda, pair_block p, const double *g)
{
    return add_fields(c, lambda, p, g);
}
