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

/* Numbers of an atom by themselves: its own place and its slope there. */
static const int own_at[] = {AT_RADIUS, AT_DEPTH, AT_Q, AT_H};
static const int own_by[] = {BY_RADIUS, BY_DEPTH, BY_Q, BY_H};
_Static_assert(OWN_RJ == OWN_RI + 1 && OWN_EI == 2 && OWN_QI == 4 && OWN_HI == 6, "i before j");

WIDE static void mix_own(const pair_places *c, const fit_model *model, double lambda, pair_block p,
                         pair_batch *restrict b)
{
    const int32_t n_kinds = model->uses_own ? OWN_EXTRA / 2 + model->n_extra : 0;
    int32_t at = 0;
    for (int32_t i = p.i; i < p.i + p.n_i; ++i, at += p.n_j) {
        const double *qs = c->at[AT_Q] + p.j, q = lambda * c->at[AT_Q][i];
        for (int32_t k = 0; k < p.n_j; k += LANES) STORE(b->q + at + k) = q * LOAD(qs + k);
        for (int32_t m = 0; m < n_kinds; ++m) {
            const int place = m < OWN_EXTRA / 2 ? own_at[m] : AT_EXTRA + m - OWN_EXTRA / 2;
            const double *xs = c->at[place] + p.j, x = c->at[place][i];
            const bool squared = place == AT_DEPTH; /* E of a root */
            const double own = squared ? x * x : x;
            for (int32_t k = 0; k < p.n_j; k += LANES) {
                const lanes zero = {0.0};
                lanes other = LOAD(xs + k);
                if (squared) other *= other;
                STORE(b->own[2 * m] + at + k) = own + zero;
                STORE(b->own[2 * m + 1] + at + k) = other;
            }
        }
    }
}

/* Slopes by one number of the atoms of row i. */
static inline void scatter_one(const pair_places *c, int place, int slope, int32_t i, pair_block p,
                               const double *by_i, const double *by_j)
{
    const double *xs = c->at[place] + p.j;
    const bool squared = place == AT_DEPTH;
    double *to = c->by[slope] + p.j;
    lanes sum = {0.0};
    for (int32_t k = 0; k < p.n_j; k += LANES) {
        lanes by = LOAD(by_j + k);
        if (squared) by *= 2.0 * LOAD(xs + k);
        sum += LOAD(by_i + k);
        STORE(to + k) += by;
    }
    c->by[slope][i] += (squared ? 2.0 * c->at[place][i] : 1.0) * sum_lanes(&sum);
}

WIDE static double scatter_own(const pair_places *c, const fit_model *model, double lambda,
                               pair_block p, const pair_batch *b)
{
    const int32_t n_kinds = model->uses_own ? OWN_EXTRA / 2 + model->n_extra : 0;
    double by_lambda = 0.0;
    int32_t at = 0;
    for (int32_t i = p.i; i < p.i + p.n_i; ++i, at += p.n_j) {
        if (model->own_coulomb) {
            const double *qs = c->at[AT_Q] + p.j, q = lambda * c->at[AT_Q][i];
            lanes sum = {0.0};
            for (int32_t k = 0; k < p.n_j; k += LANES) {
                STORE(c->by[BY_Q] + p.j + k) += q * LOAD(b->by_q + at + k);
                sum += LOAD(b->by_q + at + k) * LOAD(qs + k);
            }
            c->by[BY_Q][i] += lambda * sum_lanes(&sum);
            by_lambda += c->at[AT_Q][i] * sum_lanes(&sum);
        }
        for (int32_t m = 0; m < n_kinds; ++m) {
            const bool extra = m >= OWN_EXTRA / 2;
            const int32_t e = m - OWN_EXTRA / 2;
            scatter_one(c, extra ? AT_EXTRA + e : own_at[m], extra ? BY_EXTRA + e : own_by[m], i, p,
                        b->by_own[2 * m] + at, b->by_own[2 * m + 1] + at);
        }
    }
    return by_lambda;
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

void pair_mix_own(const pair_places *c, const fit_model *model, double lambda, pair_block p,
                  pair_batch *restrict b)
{
    mix_own(c, model, lambda, p, b);
}

double pair_scatter_own(const pair_places *c, const fit_model *model, double lambda, pair_block p,
                        const pair_batch *b)
{
    return scatter_own(c, model, lambda, p, b);
}

/* They are the last of a row. */
static int32_t first_empty(const pair_places *c, pair_block p)
{
    int32_t k = p.n_j;
    while (k > 0 && c->atom[p.j + k - 1] < 0) --k;
    return k;
}

static void mask(pair_block p, int32_t from, double *x)
{
    for (int32_t row = 0; row < p.n_i; ++row)
        for (int32_t k = from; k < p.n_j; ++k) x[row * p.n_j + k] = 0.0;
}

void pair_mask_empty(const pair_places *c, const fit_model *model, bool derivatives, pair_block p,
                     pair_batch *b)
{
    const int32_t from = first_empty(c, p);
    double *const slopes[] = {b->by_r0, b->by_e0, b->by_q, b->by_h, b->by_r};
    if (from == p.n_j) return;
    mask(p, from, b->e);
    if (!derivatives) return;
    for (int k = 0; k < (b->bare ? 4 : 5); ++k) mask(p, from, slopes[k]);
    for (int m = 0; model->uses_own && m < OWN_EXTRA + 2 * model->n_extra; ++m)
        mask(p, from, b->by_own[m]);
    for (int g = 0; !b->bare && g < FIT_MAX_GLOBALS; ++g)
        if (model->globals_used >> g & 1u) mask(p, from, b->by_global[g]);
}

void pair_plain_coulomb(double k, const double *restrict r, int32_t n, double *restrict g)
{
    plain_coulomb(k, r, n, g);
}

double pair_add_fields(const pair_places *c, double lambda, pair_block p, const double *g)
{
    return add_fields(c, lambda, p, g);
}
