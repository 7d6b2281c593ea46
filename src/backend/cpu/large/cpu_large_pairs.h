/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs of a large system: every atom with all sites near it, a block of sites at a time. Included by
 * the template cpu_kernels.c. Vectors are 64 bytes on every instruction set, so that sums are the
 * same on all. */

typedef real wide __attribute__((vector_size(64), may_alias));
typedef __typeof__((wide){0} < (wide){0}) wide_mask; /* integers as wide as the numbers, 0 or -1 */
enum { WIDE = 64 / (int)sizeof(real) };

/* Adds what a force on something at d does to the slope by strain, scale times. */
static void large_strain(double out[6], double scale, v3 d, v3 force)
{
    const double at[3] = {(double)d.x, (double)d.y, (double)d.z};
    const double f[3] = {(double)force.x, (double)force.y, (double)force.z};
    strain_add(out, -scale, at, f);
}

#define OPS_VEC wide
#define OPS_MASK wide_mask
#define OPS(name) wide_##name
#define N_OPS WIDE
#include "backend/cpu/cpu_vector_ops.h"

#define real wide
#define PAIR(name) name##_wide
#define PAIR_SELECT(c, a, b) wide_select(c, a, b)
#define PAIR_RSQRT(x) (R(1.0) / wide_sqrt(x))
#define PAIR_MIN(a, b) wide_min(a, b)
#define PAIR_MAX(a, b) wide_max(a, b)
#define PAIR_POWER(shifted) wide_power(shifted)
#include "clamp_terms.h"
#include "ewald_terms.h"
#include "pair_terms.h"
#define PAIR_HAS_SPECIAL
#include "form_terms.h"
#undef PAIR_HAS_SPECIAL
#undef PAIR_POWER
#undef PAIR_MAX
#undef PAIR_MIN
#undef PAIR_RSQRT
#undef PAIR_SELECT
#undef PAIR
#undef real

/* Sum of all lanes, halves upon halves. */
SHOAL_FN real wide_sum(wide x)
{
    real v[WIDE];
    for (int l = 0; l < WIDE; ++l) v[l] = x[l];
    for (int n = WIDE / 2; n > 0; n /= 2)
        for (int l = 0; l < n; ++l) v[l] += v[l + n];
    return v[0];
}

SHOAL_FN wide wide_load(const real *p)
{
    return *(const wide *)(const void *)p;
}

/* An atom and what its pairs add up to. */
typedef struct large_sum {
    real u, s, q, w, h;
    wide fx, fy, fz, vdw, coulomb;
    bool strains; /* sums of force and distance are wanted: xx, yy, zz, yz, xz, xy */
    wide strain[6];
} large_sum;

/* Distances of an atom from the sites of a block, and which of them count. */
typedef struct pair_block {
    wide x, y, z, r2;
    wide_mask open;
    int32_t first; /* site */
} pair_block;

SHOAL_FN pair_block large_distances(const large *g, int32_t block, const double r[3], uint32_t bits)
{
    const double *centre = g->near.centre[block];
    const wide zero = {0};
    pair_block b;
    wide_mask lane;
    b.first = block * WIDE;
    b.x = (zero + (real)(r[0] - centre[0])) - wide_load(g->sites.x + b.first);
    b.y = (zero + (real)(r[1] - centre[1])) - wide_load(g->sites.y + b.first);
    b.z = (zero + (real)(r[2] - centre[2])) - wide_load(g->sites.z + b.first);
    b.r2 = b.x * b.x + b.y * b.y + b.z * b.z;
    for (int l = 0; l < WIDE; ++l) lane[l] = 1 << l;
    b.open = (lane & (int32_t)bits) == 0;
    return b;
}

SHOAL_FN void large_add(large_sum *a, const pair_block *b, wide factor)
{
    const wide x = factor * b->x, y = factor * b->y, z = factor * b->z;
    a->fx += x;
    a->fy += y;
    a->fz += z;
    if (!a->strains) return;
    a->strain[0] += x * b->x;
    a->strain[1] += y * b->y;
    a->strain[2] += z * b->z;
    a->strain[3] += y * b->z;
    a->strain[4] += x * b->z;
    a->strain[5] += x * b->y;
}

/* Periodic systems: switches twelvefold energies off towards the cut-off; returns which sites are within it. */
SHOAL_FN wide_mask large_switch(const large *g, const pair_block *b, wide r, wide *e, wide *s)
{
    const double cutoff = g->options->vdw_cutoff, start = VDW_SWITCH * cutoff;
    const real by_width = (real)(1 / (cutoff - start));
    const wide zero = {0}, by_r = r * by_width;
    wide y = (r - (real)start) * by_width;
    y = wide_select(y < zero, zero, y);
    y = wide_select(y > R(1.0) + zero, R(1.0) + zero, y);
    *e = pair_switch_wide(*e, y, by_r, s);
    return b->open & (b->r2 < zero + (real)(cutoff * cutoff));
}

/* As buffered_numbers of pair_model.c; h is -1 of donors and 1 of acceptors. */
SHOAL_FN void large_mix_buffered(const large *g, const large_sum *a, const pair_block *b, wide *na,
                                 wide *nk)
{
    const wide zero = {0}, one = zero + R(1.0), u = wide_load(g->sites.u + b->first);
    const wide h = wide_load(g->sites.h + b->first), sum = u + a->u, gamma = (u - a->u) / sum;
    const wide least = wide_min(h, zero + a->h);
    const wide beyond = R(0.2) * (R(1.0) - special_exp_wide(R(-12.0) * (gamma * gamma)));
    const wide r = sum * (R(1.0) + wide_select(least < zero, zero, beyond)), r2 = r * r;
    const wide share = wide_load(g->sites.w + b->first) + a->w;
    const wide e = wide_load(g->sites.s + b->first) * a->s / (share * (r2 * r2 * r2));
    const wide_mask bridge = h * a->h < zero;
    *na = e * R(BUFFERED_WALL) * wide_select(bridge, zero + R(0.5), one);
    *nk = wide_select(bridge, zero + R(1.25), one) / r;
}

/* Squares of the distances of their minima. */
SHOAL_FN wide large_buffered_reach2(const large *g, const large_sum *a, const pair_block *b)
{
    wide depth, inverse;
    large_mix_buffered(g, a, b, &depth, &inverse);
    return R(1.0) / (inverse * inverse);
}

/* Squares of the distances that an atom and the sites of a block are clamped at. */
SHOAL_FN wide large_reach2(const large *g, const large_sum *a, const pair_block *b)
{
    const wide sum = wide_load(g->sites.u + b->first) + a->u;
    if (g->model.family == FORM_BUFFERED) return g->clamp2 * large_buffered_reach2(g, a, b);
    return g->clamp2 * (g->arithmetic ? sum * sum : wide_load(g->sites.w + b->first) * a->w);
}

/* A block taken where the clamp wants it, see clamp_terms.h. */
typedef struct large_taken {
    pair_block at;
    wide longer, share;
} large_taken;

SHOAL_FN large_taken large_clamp(const large *g, const large_sum *a, const pair_block *b)
{
    large_taken t = {.at = *b};
    t.at.r2 = pair_clamp_wide(b->r2, large_reach2(g, a, b), &t.longer, &t.share);
    return t;
}

/* clamp: where its pairs are clamped; NULL: they are not. */
SHOAL_FN void large_vdw(const large *g, large_sum *a, const pair_block *block,
                        const large_taken *clamp)
{
    const pair_block *b = clamp ? &clamp->at : block;
    const wide zero = {0}, ir2 = R(1.0) / b->r2, ir6 = ir2 * ir2 * ir2;
    const wide u = wide_load(g->sites.u + b->first), sum = u + a->u, sum2 = sum * sum;
    const wide x6 = g->arithmetic ? sum2 * sum2 * sum2 : u * a->u;
    wide s, e = pair_vdw_wide(x6, wide_load(g->sites.s + b->first) * a->s * x6, ir6, &s);
    wide_mask near;
    if (g->lattice.n_periodic > 0)
        near = large_switch(g, b, wide_sqrt(b->r2), &e, &s);
    else
        near = b->open & (x6 * ir6 > zero + VDW_NEAR);
    if (clamp) e += R(12.0) * s * clamp->share;
    a->vdw += wide_select(near, e, zero);
    large_add(a, b, wide_select(near, clamp ? clamp->longer * (s * ir2) : s * ir2, zero));
}

/* Coulomb pairs as they are; an Ewald sum has part of them elsewhere. */
SHOAL_FN void large_charges(const large *g, large_sum *a, const pair_block *b)
{
    const real damping = (real)g->damping;
    const wide zero = {0}, s2 = b->r2 + damping * damping, id = R(1.0) / wide_sqrt(s2);
    const wide e0 = pair_coulomb_wide(wide_load(g->sites.q + b->first) * a->q, id);
    wide e = e0, s2g = e0;
    wide_mask near = b->open;
    if (g->coulomb != LARGE_ALL_PAIRS) {
        e = ewald_erfc_wide(e0, s2 * id * (real)g->ewald.alpha, &s2g);
        near &= b->r2 < zero + (real)(g->ewald.r_cut * g->ewald.r_cut);
    }
    a->coulomb += wide_select(near, e, zero);
    large_add(a, b, wide_select(near, s2g * id * id, zero));
}

/* What a clamp makes of Coulomb pairs, less what they are: all sums have them unclamped. coulomb: their form. */
SHOAL_FN void large_clamp_charges(const large *g, int coulomb, large_sum *a, const pair_block *b,
                                  const large_taken *clamp)
{
    const wide zero = {0}, kqq = wide_load(g->sites.q + b->first) * a->q;
    const wide length =
        zero + (coulomb == FORM_COULOMB_DAMPED ? (real)g->damping : g->form.damping);
    const wide ir = R(1.0) / wide_sqrt(b->r2), at = R(1.0) / wide_sqrt(clamp->at.r2);
    wide before, s;
    const wide had = form_coulomb_wide(coulomb, kqq, length, b->r2 * ir, ir, &before);
    const wide e = form_coulomb_wide(coulomb, kqq, length, clamp->at.r2 * at, at, &s);
    a->coulomb += wide_select(b->open, e + s * clamp->share - had, zero);
    large_add(a, b, wide_select(b->open, clamp->longer * (s * at * at) - before * ir * ir, zero));
}

/* Out of the way of those that are not: bad starts are seldom. */
static __attribute__((noinline)) void large_clamped(const large *g, large_sum *a,
                                                    const pair_block *b, bool vdw, bool coulomb)
{
    const large_taken clamp = large_clamp(g, a, b);
    if (vdw) large_vdw(g, a, b, &clamp);
    if (!coulomb) return;
    large_charges(g, a, b);
    large_clamp_charges(g, large_coulomb_form(g), a, b, &clamp);
}

enum { LARGE_SEGMENT = 256 }; /* blocks that are looked at before any is worked on */

/* Blocks of one kind, by rising number, and the masks of the atom not passed yet. */
typedef struct pair_list {
    int32_t n;
    int32_t blocks[LARGE_SEGMENT];
    const cpu_mask *mask, *end;
} pair_list;

/* Whether vdW reaches further than the sum of charges in real space: then that is what far blocks are for. */
static bool large_far_vdw(const large *g)
{
    return g->vdw_range > g->coulomb_range;
}

/* Sorts a segment of blocks by what they are near enough for: both, or the one that reaches further; without a branch,
 * which would be a guess. */
static void large_sift(const large *g, const double r[3], const int32_t *list, int32_t first,
                       int32_t n, pair_list *near, pair_list *far)
{
    const double slack = 0.5 * g->skin + 1e-3;
    const double vdw = g->vdw_range > 0 ? g->vdw_range + slack : -1;
    const double charges = g->coulomb_range > 0 ? g->coulomb_range + slack : -1;
    const double both = fmin(vdw, charges), one = fmax(vdw, charges);
    const double both2 = both * fabs(both), one2 = one * fabs(one);
    near->n = far->n = 0;
    for (int32_t t = 0; t < n; ++t) {
        const int32_t block = list ? list[t] : first + t;
        const double d2 = cpu_box_distance2(&g->near.boxes[block], r);
        near->blocks[near->n] = far->blocks[far->n] = block;
        near->n += d2 <= both2;
        far->n += (d2 > both2) & (d2 <= one2);
    }
}

SHOAL_FN void large_run(const large *g, large_sum *a, const double r[3], pair_list *list, bool vdw,
                        bool coulomb)
{
    for (int32_t t = 0; t < list->n; ++t) {
        const int32_t block = list->blocks[t];
        while (list->mask < list->end && list->mask->block < block) ++list->mask;
        const bool masked = list->mask < list->end && list->mask->block == block;
        const pair_block b = large_distances(g, block, r, masked ? list->mask->bits : 0);
        if (g->clamp2 > 0) {
            large_clamped(g, a, &b, vdw, coulomb);
            continue;
        }
        if (vdw) large_vdw(g, a, &b, NULL);
        if (coulomb) large_charges(g, a, &b);
    }
}

#include "backend/cpu/large/cpu_large_model.h"

/* Pairs with the sites of a segment of blocks, by UFF's LJ. */
static void large_segment(const large *g, large_sum *a, const double r[3], pair_list *near,
                          pair_list *far)
{
    large_run(g, a, r, near, true, true);
    if (large_far_vdw(g))
        large_run(g, a, r, far, true, false);
    else
        large_run(g, a, r, far, false, true);
}

/* All pairs of an atom, which is the k-th in the order of sites. own: of a formula, else NULL. */
static void large_pair_atom(large *g, int32_t k, const int32_t *list, int64_t n, large_formula *own)
{
    const cpu_neighbours *neighbours = &g->near;
    const int32_t atom = neighbours->order[k];
    const cpu_mask *mask = neighbours->masks + neighbours->mask_start[k];
    const cpu_mask *end = neighbours->masks + neighbours->mask_start[k + 1];
    pair_list near = {.mask = mask, .end = end}, far = {.mask = mask, .end = end};
    large_sum a = {.u = g->u[atom], .s = g->s[atom], .q = g->q[atom], .strains = g->strain != NULL};
    const double *r = g->r[atom];
    a.w = g->w[atom];
    a.h = g->h[atom];
    if (own) large_formula_begin(own, atom);
    for (int64_t t = 0; t < n; t += LARGE_SEGMENT) {
        const int32_t m = n - t < LARGE_SEGMENT ? (int32_t)(n - t) : LARGE_SEGMENT;
        large_sift(g, r, list ? list + t : NULL, (int32_t)t, m, &near, &far);
        if (own) {
            large_formula_run(g, own, r, &near);
            if (large_far_vdw(g)) large_formula_run(g, own, r, &far);
        } else if (g->model.from)
            large_model_segment(g, &a, r, &near, &far);
        else
            large_segment(g, &a, r, &near, &far);
    }
    g->pair_force[atom] = v3_make(wide_sum(a.fx), wide_sum(a.fy), wide_sum(a.fz));
    g->pair_energy[atom][0] = (double)wide_sum(a.vdw) / 24; /* twelvefold, and met twice */
    g->pair_energy[atom][1] = (double)wide_sum(a.coulomb) / 2;
    for (int c = 0; c < 6 && g->strain; ++c)
        g->strain[atom][c] = -0.5 * (double)wide_sum(a.strain[c]);
    if (own) large_formula_end(g, own);
}

static void large_pairs(large *g, int32_t group)
{
    const cpu_neighbours *near = &g->near;
    const int32_t first = group * CPU_GROUP,
                  last = first + CPU_GROUP < g->n_particles ? first + CPU_GROUP : g->n_particles;
    const int32_t *list = near->list ? near->list + near->list_start[group] : NULL;
    const int64_t n =
        near->list ? near->list_start[group + 1] - near->list_start[group] : near->n_blocks;
    large_formula *own = NULL;
    arena memory = {0};
    if (g->model.family == FORM_FORMULA) {
        own = large_formula_create(g, &memory);
        if (!own) __atomic_store_n(&g->failed, 1, __ATOMIC_RELAXED);
    }
    for (int32_t k = first; k < last; ++k) large_pair_atom(g, k, list, n, own);
    arena_free(&memory);
}

/* What k-vectors say of excluded pairs is taken back; sites never had them. */
static void large_excluded(large *g, int32_t atom)
{
    const real damping = (real)g->damping;
    v3 f = g->pair_force[atom];
    real sum = 0;
    for (int32_t e = g->exclude_start[atom]; e < g->exclude_start[atom + 1]; ++e) {
        const cpu_image *p = &g->excluded[e];
        double away[3];
        real slope;
        lattice_vector(&g->lattice, p->shift, away);
        for (int c = 0; c < 3; ++c) away[c] *= -1;
        const v3 d = large_arm(g, atom, p->atom, away);
        const real qq = g->q[atom] * g->q[p->atom];
        sum += qq * ewald_erf((real)g->ewald.alpha, v3_dot(d, d) + damping * damping, &slope);
        const v3 force = v3_scale(R(2.0) * qq * slope, d);
        f = v3_add(f, force);
        if (g->strain) large_strain(g->strain[atom], 0.5, d, force);
    }
    g->pair_force[atom] = f;
    g->pair_energy[atom][1] -= 0.5 * (double)sum;
}

/* Coordinates of the sites of one tile of LARGE_TILE sites. */
static void large_move_sites(large *g, int32_t tile)
{
    const int32_t n = g->near.n_blocks * WIDE, first = tile * LARGE_TILE;
    for (int32_t k = first; k < first + LARGE_TILE && k < n; ++k) {
        const cpu_image *site = &g->near.sites[k];
        const double *centre = g->near.centre[k / WIDE];
        double at[3] = {1e6, 1e6, 1e6}; /* nowhere near */
        if (site->atom >= 0) {
            lattice_vector(&g->lattice, site->shift, at);
            for (int c = 0; c < 3; ++c) at[c] += g->r[site->atom][c] - centre[c];
        }
        g->sites.x[k] = (real)at[0];
        g->sites.y[k] = (real)at[1];
        g->sites.z[k] = (real)at[2];
    }
}

/* A new list for where the atoms are now. */
static shoal_status large_build(large *g)
{
    const double range = g->vdw_range > g->coulomb_range ? g->vdw_range : g->coulomb_range;
    const cpu_neighbours_input in = {.lattice = &g->lattice,
                                     .n_particles = g->n_particles,
                                     .r = (const double(*)[3])g->r,
                                     .exclude_start = g->exclude_start,
                                     .excluded = g->excluded,
                                     .range = range + g->skin,
                                     .width = WIDE};
    SHOAL_TRY(cpu_neighbours_build(&g->near, &in));
    const size_t n = (size_t)g->near.n_blocks * WIDE;
    real **const parts[] = {&g->sites.x, &g->sites.y, &g->sites.z, &g->sites.u,
                            &g->sites.s, &g->sites.q, &g->sites.w, &g->sites.h};
    arena_reset(&g->sites.memory);
    for (size_t k = 0; k < 8; ++k) {
        *parts[k] = large_allot(&g->sites.memory, n, sizeof(real));
        if (!*parts[k]) return SHOAL_E_MEMORY;
    }
    for (size_t k = 0; k < n; ++k) {
        const int32_t atom = g->near.sites[k].atom;
        if (atom < 0) continue;
        g->sites.u[k] = g->u[atom];
        g->sites.s[k] = g->s[atom];
        g->sites.q[k] = g->q[atom];
        g->sites.w[k] = g->w[atom];
        g->sites.h[k] = g->h[atom];
    }
    memcpy(g->built, g->r, (size_t)g->n_particles * sizeof *g->r);
    g->is_built = true;
    return SHOAL_OK;
}
