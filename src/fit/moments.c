/* SPDX-License-Identifier: BSD-3-Clause
 * The evaluator for separable models: sparse products of moments with factors of type pairs. */
#include "fit/moments.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Factors of a type pair at the present parameters: [0] attraction (negative), [1] repulsion. */
typedef struct pair_factor {
    double k[2]; /* energy per moment */
    double by_r0[2], by_e0[2], by_h[2];
    double e_a, e_b; /* y of the types */
    double h_a, h_b; /* 0 where the gate is closed */
} pair_factor;

/* Sums of one chunk. */
typedef struct chunk_sum {
    double (*moment)[2][MOMENT_LANES]; /* [n_pairs] sum over samples of v M */
    double *slope;                     /* [n_slots] of charges and lambda */
    double j;
} chunk_sum;

typedef struct moment_evaluator {
    fit_evaluator base;
    moments *m;
    bool owner;
    int32_t n_threads;
    pair_factor *factors;     /* [n_pairs] */
    chunk_sum *sums;          /* [n_chunks] */
    double (**by)[FIT_BLOCK]; /* [n_threads] derivatives of a block by its columns */
} moment_evaluator;

/* Hydrogen bonds act on repulsion (1), attraction (0). */
static void hbond_factors(shoal_hbond hbond, double h, double f[2], double by_h[2])
{
    const bool on_b = hbond == SHOAL_HBOND_REPULSION || hbond == SHOAL_HBOND_BOTH;
    const bool on_a = hbond == SHOAL_HBOND_ATTRACTION || hbond == SHOAL_HBOND_BOTH;
    f[0] = on_a ? 1.0 - h : 1.0;
    f[1] = on_b ? 1.0 + h : 1.0;
    by_h[0] = on_a ? -1.0 : 0.0;
    by_h[1] = on_b ? 1.0 : 0.0;
}

static void compute_factors(moment_evaluator *ev, const double *p)
{
    const fit_problem *problem = ev->base.problem;
    const double alpha = p[FIT_N_COMPS * problem->n_types + FIT_ALPHA];
    for (int32_t i = 0; i < ev->m->n_pairs; ++i) {
        const double *a = &p[FIT_N_COMPS * ev->m->pairs[i].a];
        const double *b = &p[FIT_N_COMPS * ev->m->pairs[i].b];
        pair_factor *f = &ev->factors[i];
        double shape[2], by_r0[2], hb[2], by_h[2];
        const double product = a[FIT_H] * b[FIT_H], h = product < 0.0 ? product : 0.0;
        const double e0 = a[FIT_Y] * b[FIT_Y];
        problem->model.separable->factor(a[FIT_R] + b[FIT_R], alpha, shape, by_r0);
        hbond_factors(problem->model.hbond, h, hb, by_h);
        for (int k = 0; k < 2; ++k) {
            const double sign = k == 0 ? -1.0 : 1.0;
            f->by_e0[k] = sign * hb[k] * shape[k];
            f->k[k] = e0 * f->by_e0[k];
            f->by_r0[k] = sign * e0 * hb[k] * by_r0[k];
            f->by_h[k] = sign * e0 * by_h[k] * shape[k];
        }
        f->e_a = a[FIT_Y];
        f->e_b = b[FIT_Y];
        f->h_a = product < 0.0 ? a[FIT_H] : 0.0;
        f->h_b = product < 0.0 ? b[FIT_H] : 0.0;
    }
}

/* Charge of a column, 1 for the constant. */
static double charge_value(const fit_problem *problem, const fit_block *block, const double *p,
                           int32_t column)
{
    return column < 0 ? 1.0 : p[problem->column_slot[block->columns[column]]];
}

/* Coulomb energies of a block without lambda. */
static void block_coulomb(const moment_evaluator *ev, int32_t index, const double *p,
                          double coulomb[FIT_BLOCK])
{
    const moments *m = ev->m;
    const moment_block *b = &m->blocks[index];
    const fit_block *block = &m->problem->blocks[index];
    const double *value = &m->values[b->values + 2 * (int64_t)b->n_entries * b->lanes];
    for (int32_t l = 0; l < b->lanes; ++l) coulomb[l] = 0.0;
    for (int32_t c = 0; c < b->n_charges; ++c, value += b->lanes) {
        const charge_entry e = m->charges[b->charge_start + c];
        const double x =
            charge_value(m->problem, block, p, e.u) * charge_value(m->problem, block, p, e.v);
        for (int32_t l = 0; l < b->lanes; ++l) coulomb[l] += x * value[l];
    }
}

/* Energies of a block; coulomb keeps the Coulomb part without lambda. */
static void block_energies(const moment_evaluator *ev, int32_t index, const double *p,
                           double energy[FIT_BLOCK], double coulomb[FIT_BLOCK])
{
    const moments *m = ev->m;
    const moment_block *b = &m->blocks[index];
    const double lambda = p[FIT_N_COMPS * m->problem->n_types + FIT_LAMBDA];
    const moment_entry *entry = &m->entries[b->entry_start];
    block_coulomb(ev, index, p, coulomb);
    for (int32_t l0 = 0; l0 < b->lanes; l0 += MOMENT_LANES) {
        double sum[MOMENT_LANES];
        const double *attraction = &m->values[b->values + l0];
        for (int l = 0; l < MOMENT_LANES; ++l) sum[l] = lambda * coulomb[l0 + l];
        for (int32_t e = 0; e < b->n_entries; ++e, attraction += 2 * (ptrdiff_t)b->lanes) {
            const double *repulsion = attraction + b->lanes;
            const double *k = ev->factors[entry[e].pair].k;
            for (int l = 0; l < MOMENT_LANES; ++l)
                sum[l] += k[0] * attraction[l] + k[1] * repulsion[l];
        }
        memcpy(&energy[l0], sum, sizeof sum);
    }
}

static shoal_status moment_energies(fit_evaluator *base, const double *p, double *energy)
{
    moment_evaluator *ev = (moment_evaluator *)base;
    compute_factors(ev, p);
    for (int32_t i = 0; i < base->problem->n_blocks; ++i) {
        double e[FIT_BLOCK], coulomb[FIT_BLOCK];
        const moment_block *b = &ev->m->blocks[i];
        block_energies(ev, i, p, e, coulomb);
        memcpy(&energy[b->first], e, (size_t)b->n * sizeof *e);
    }
    return SHOAL_OK;
}

/* Adds v[l] M to the sums of the block's type pairs. */
static void gather_moments(const moments *m, const moment_block *b, const double v[FIT_BLOCK],
                           chunk_sum *sum)
{
    const moment_entry *entry = &m->entries[b->entry_start];
    const double *value = &m->values[b->values];
    for (int32_t e = 0; e < b->n_entries; ++e) {
        double(*to)[MOMENT_LANES] = sum->moment[entry[e].pair];
        for (int k = 0; k < 2; ++k)
            for (int32_t l0 = 0; l0 < b->lanes; l0 += MOMENT_LANES, value += MOMENT_LANES)
                for (int l = 0; l < MOMENT_LANES; ++l) to[k][l] += v[l0 + l] * value[l];
    }
}

static void gather_charges(const moment_evaluator *ev, int32_t index, const double *p,
                           const double v[FIT_BLOCK], const double coulomb[FIT_BLOCK],
                           chunk_sum *sum)
{
    const moments *m = ev->m;
    const fit_problem *problem = m->problem;
    const moment_block *b = &m->blocks[index];
    const fit_block *block = &problem->blocks[index];
    const int32_t lambda_slot = FIT_N_COMPS * problem->n_types + FIT_LAMBDA;
    const double *value = &m->values[b->values + 2 * (int64_t)b->n_entries * b->lanes];
    for (int32_t l = 0; l < b->n; ++l) sum->slope[lambda_slot] += v[l] * coulomb[l];
    for (int32_t c = 0; c < b->n_charges; ++c, value += b->lanes) {
        const charge_entry e = m->charges[b->charge_start + c];
        if (e.v < 0) continue;
        double total = 0.0;
        for (int32_t l = 0; l < b->n; ++l) total += v[l] * value[l];
        total *= p[lambda_slot];
        sum->slope[problem->column_slot[block->columns[e.v]]] +=
            total * charge_value(problem, block, p, e.u);
        if (e.u >= 0)
            sum->slope[problem->column_slot[block->columns[e.u]]] +=
                total * charge_value(problem, block, p, e.v);
    }
}

static void sum_chunk(const moment_evaluator *ev, const moment_chunk *chunk, const double *p,
                      const fit_target *t, chunk_sum *sum)
{
    const moments *m = ev->m;
    memset(sum->moment, 0, (size_t)m->n_pairs * sizeof *sum->moment);
    memset(sum->slope, 0, (size_t)m->problem->n_slots * sizeof *sum->slope);
    sum->j = 0.0;
    for (int32_t i = chunk->first; i < chunk->first + chunk->n; ++i) {
        double energy[FIT_BLOCK], coulomb[FIT_BLOCK], v[FIT_BLOCK] = {0};
        const moment_block *b = &m->blocks[i];
        block_energies(ev, i, p, energy, coulomb);
        for (int32_t l = 0; l < b->n; ++l) {
            double slope;
            const double w = t->weight[b->first + l];
            const double c = fit_residual(t, energy[l] - t->reference[b->first + l], &slope);
            sum->j += 0.5 * w * c * c;
            v[l] = w * c * slope;
        }
        gather_moments(m, b, v, sum);
        gather_charges(ev, i, p, v, coulomb, sum);
    }
}

/* From sums over type pairs to slots: the plain sum over both types. */
static void add_pair_slopes(const moment_evaluator *ev, double *slope)
{
    const moments *m = ev->m;
    for (int32_t i = 0; i < m->n_pairs; ++i) {
        double g[2] = {0.0, 0.0};
        const pair_factor *f = &ev->factors[i];
        double *a = &slope[FIT_N_COMPS * m->pairs[i].a], *b = &slope[FIT_N_COMPS * m->pairs[i].b];
        for (int32_t c = 0; c < m->n_chunks; ++c)
            for (int k = 0; k < 2; ++k) {
                const double *s = ev->sums[c].moment[i][k];
                g[k] += (s[0] + s[1]) + (s[2] + s[3]);
            }
        const double r0 = g[0] * f->by_r0[0] + g[1] * f->by_r0[1];
        const double e0 = g[0] * f->by_e0[0] + g[1] * f->by_e0[1];
        const double h = g[0] * f->by_h[0] + g[1] * f->by_h[1];
        a[FIT_R] += r0;
        b[FIT_R] += r0;
        a[FIT_Y] += e0 * f->e_b;
        b[FIT_Y] += e0 * f->e_a;
        a[FIT_H] += h * f->h_b;
        b[FIT_H] += h * f->h_a;
    }
}

static shoal_status moment_slope(fit_evaluator *base, const double *p, const fit_target *t,
                                 double *j, double *slope)
{
    moment_evaluator *ev = (moment_evaluator *)base;
    const moments *m = ev->m;
    const int32_t n_chunks = m->n_chunks, n_slots = m->problem->n_slots;
    compute_factors(ev, p);
#ifdef _OPENMP
    const int n_threads = n_chunks > 3 ? (int)ev->n_threads : 1;
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
#endif
    for (int32_t c = 0; c < n_chunks; ++c) sum_chunk(ev, &m->chunks[c], p, t, &ev->sums[c]);
    memset(slope, 0, (size_t)n_slots * sizeof *slope);
    *j = 0.0;
    for (int32_t c = 0; c < n_chunks; ++c) {
        *j += ev->sums[c].j;
        for (int32_t i = 0; i < n_slots; ++i) slope[i] += ev->sums[c].slope[i];
    }
    add_pair_slopes(ev, slope);
    return SHOAL_OK;
}

/* One factor of a type pair for all samples of a block. */
static void add_column(double by[][FIT_BLOCK], int32_t column, double scale, const double f[2],
                       const double *moment, int32_t lanes)
{
    if (column < 0) return;
    const double a = scale * f[0], b = scale * f[1];
    for (int32_t l = 0; l < lanes; ++l) by[column][l] += a * moment[l] + b * moment[lanes + l];
}

static void block_rows(const moment_evaluator *ev, int32_t index, const double *p,
                       const double coulomb[FIT_BLOCK], double by[][FIT_BLOCK])
{
    const moments *m = ev->m;
    const moment_block *b = &m->blocks[index];
    const fit_block *block = &m->problem->blocks[index];
    const double lambda = p[FIT_N_COMPS * m->problem->n_types + FIT_LAMBDA];
    const double *value = &m->values[b->values];
    memset(by, 0, (size_t)block->n_columns * sizeof *by);
    for (int32_t e = 0; e < b->n_entries; ++e, value += 2 * (ptrdiff_t)b->lanes) {
        const moment_entry *entry = &m->entries[b->entry_start + e];
        const pair_factor *f = &ev->factors[entry->pair];
        add_column(by, entry->at[AT_R_A], 1.0, f->by_r0, value, b->lanes);
        add_column(by, entry->at[AT_R_B], 1.0, f->by_r0, value, b->lanes);
        add_column(by, entry->at[AT_Y_A], f->e_b, f->by_e0, value, b->lanes);
        add_column(by, entry->at[AT_Y_B], f->e_a, f->by_e0, value, b->lanes);
        if (f->h_a == 0.0) continue;
        add_column(by, entry->at[AT_H_A], f->h_b, f->by_h, value, b->lanes);
        add_column(by, entry->at[AT_H_B], f->h_a, f->by_h, value, b->lanes);
    }
    if (b->lambda >= 0)
        for (int32_t l = 0; l < b->n; ++l) by[b->lambda][l] += coulomb[l];
    for (int32_t c = 0; c < b->n_charges; ++c, value += b->lanes) {
        const charge_entry q = m->charges[b->charge_start + c];
        if (q.v < 0) continue;
        const double of_v = lambda * charge_value(m->problem, block, p, q.u);
        for (int32_t l = 0; l < b->n; ++l) by[q.v][l] += of_v * value[l];
        if (q.u < 0) continue;
        const double of_u = lambda * charge_value(m->problem, block, p, q.v);
        for (int32_t l = 0; l < b->n; ++l) by[q.u][l] += of_u * value[l];
    }
}

static shoal_status moment_rows(fit_evaluator *base, const double *p, double *energy, double *rows)
{
    moment_evaluator *ev = (moment_evaluator *)base;
    const fit_problem *problem = base->problem;
    const int32_t n_blocks = problem->n_blocks;
    compute_factors(ev, p);
#ifdef _OPENMP
    const int n_threads = ev->m->n_chunks > 3 ? (int)ev->n_threads : 1;
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
#endif
    for (int32_t i = 0; i < n_blocks; ++i) {
        double e[FIT_BLOCK], coulomb[FIT_BLOCK];
        const fit_block *block = &problem->blocks[i];
        double(*by)[FIT_BLOCK] = ev->by[fit_thread_number()];
        block_energies(ev, i, p, e, coulomb);
        block_rows(ev, i, p, coulomb, by);
        memcpy(&energy[block->first], e, (size_t)block->n * sizeof *e);
        for (int32_t l = 0; l < block->n; ++l) {
            double *row = &rows[problem->row_start[block->first + l]];
            for (int32_t c = 0; c < block->n_columns; ++c) row[c] = by[c][l];
        }
    }
    return SHOAL_OK;
}

static void moment_destroy(fit_evaluator *base)
{
    moment_evaluator *ev = (moment_evaluator *)base;
    if (!ev) return;
    for (int32_t c = 0; ev->sums && c < ev->m->n_chunks; ++c) {
        free(ev->sums[c].moment);
        free(ev->sums[c].slope);
    }
    for (int32_t t = 0; ev->by && t < ev->n_threads; ++t) free(ev->by[t]);
    free((void *)ev->by);
    free(ev->sums);
    free(ev->factors);
    if (ev->owner) moments_destroy(ev->m);
    free(ev);
}

static shoal_status allocate(moment_evaluator *ev)
{
    const moments *m = ev->m;
    size_t columns = 0;
    for (int32_t i = 0; i < m->problem->n_blocks; ++i)
        if ((size_t)m->problem->blocks[i].n_columns > columns)
            columns = (size_t)m->problem->blocks[i].n_columns;
    ev->factors = shoal_alloc((size_t)m->n_pairs, sizeof *ev->factors);
    ev->sums = shoal_alloc((size_t)m->n_chunks, sizeof *ev->sums);
    ev->by = shoal_alloc((size_t)ev->n_threads, sizeof *ev->by);
    if (!ev->factors || !ev->sums || !ev->by) return SHOAL_E_MEMORY;
    for (int32_t t = 0; t < ev->n_threads; ++t) {
        ev->by[t] = shoal_alloc(columns, sizeof *ev->by[t]);
        if (!ev->by[t]) return SHOAL_E_MEMORY;
    }
    for (int32_t c = 0; c < m->n_chunks; ++c) {
        chunk_sum *sum = &ev->sums[c];
        sum->moment = shoal_alloc((size_t)m->n_pairs, sizeof *sum->moment);
        sum->slope = shoal_alloc((size_t)m->problem->n_slots, sizeof *sum->slope);
        if (!sum->moment || !sum->slope) return SHOAL_E_MEMORY;
    }
    return SHOAL_OK;
}

static shoal_status moment_clone(const fit_evaluator *base, fit_evaluator **out);

/* Takes the moments over if it owns them. */
static shoal_status create(fit_evaluator **out, moments *m, bool owner, int32_t n_threads)
{
    moment_evaluator *ev = shoal_alloc(1, sizeof *ev);
    *out = NULL;
    if (!ev) {
        if (owner) moments_destroy(m);
        return SHOAL_E_MEMORY;
    }
    ev->base = (fit_evaluator){.name = "moments",
                               .problem = m->problem,
                               .energies = moment_energies,
                               .rows = moment_rows,
                               .slope = moment_slope,
                               .clone = moment_clone,
                               .destroy = moment_destroy};
    ev->m = m;
    ev->owner = owner;
    ev->n_threads = n_threads;
    const shoal_status status = allocate(ev);
    if (status != SHOAL_OK) {
        moment_destroy(&ev->base);
        return status;
    }
    *out = &ev->base;
    return SHOAL_OK;
}

static shoal_status moment_clone(const fit_evaluator *base, fit_evaluator **out)
{
    return create(out, ((const moment_evaluator *)base)->m, false, 1);
}

bool fit_moments_possible(const fit_problem *problem, const char **why)
{
    *why = NULL;
    if (!problem->model.separable) *why = "the model is not separable in r and R0";
    if (problem->site_model) *why = "short-range terms of sites are not separable";
    if (problem->sites_move) *why = "distances of sites are fitted";
    const int32_t globals = FIT_N_COMPS * problem->n_types;
    if (problem->charged_radii) *why = "radii depend on the charges of single atoms";
    if (problem->damps) *why = "the dispersion is damped";
    for (int32_t i = 0; i < problem->n_free; ++i)
        if (problem->column_slot[i] == globals + FIT_ALPHA &&
            problem->model.globals_used & 1u << FIT_ALPHA)
            *why = "alpha is fitted";
    for (int32_t i = 0; i < problem->n_free; ++i)
        if (problem->column_slot[i] == globals + FIT_COULOMB_D)
            *why = "the damping of the Coulomb energy is fitted";
    return *why == NULL;
}

shoal_status fit_moments_create(fit_evaluator **out, const fit_problem *problem)
{
    moments *m;
    const char *why;
    *out = NULL;
    if (!fit_moments_possible(problem, &why))
        return shoal_fail(SHOAL_E_UNSUPPORTED, "moments cannot be used: %s", why);
    SHOAL_TRY(moments_build(&m, problem));
    return create(out, m, true, problem->n_threads);
}
