/* SPDX-License-Identifier: BSD-3-Clause
 * Summing moments of the distances, block by block. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fit/moments.h"

#include "constants.h"
#include "geom/vector.h"

/* Memory for one sample at a time. */
typedef struct builder {
    moments *m;
    int32_t *pair_of;  /* [n_types][n_types] index in pairs + 1, 0 if new */
    int32_t *entry_of; /* [n_pairs so far] entry of the block in hand + 1 */
    int32_t entry_capacity;
    double *p;      /* [n_slots] */
    double *charge; /* [n_variables + 1][n_atoms] */
    double *kernel; /* [n_first][n_atoms - n_first] */
} builder;

void moments_destroy(moments *m)
{
    if (!m) return;
    free(m->pairs);
    free(m->blocks);
    free(m->entries);
    free(m->charges);
    free(m->values);
    free(m->chunks);
    free(m);
}

static const fit_sample *sample_of(const fit_problem *problem, int32_t i)
{
    return &problem->data->samples[problem->source[i]];
}

static double distance(const shoal_dataset *data, int32_t i, int32_t j)
{
    return fmax(vector_distance(data->pos[i], data->pos[j]), FIT_R_FLOOR);
}

/* Column of a block for a slot, -1 if it is no free DOF. */
static int32_t column_of(const fit_problem *problem, const fit_block *block, int32_t slot)
{
    for (int32_t c = 0; c < block->n_columns; ++c)
        if (problem->column_slot[block->columns[c]] == slot) return c;
    return -1;
}

static shoal_status add_pair(builder *b, int32_t ti, int32_t tj, int32_t *pair)
{
    moments *m = b->m;
    const type_pair types = {ti < tj ? ti : tj, ti < tj ? tj : ti};
    int32_t *known = &b->pair_of[types.a * m->problem->n_types + types.b];
    if (*known == 0) {
        SHOAL_TRY(SHOAL_RESERVE(&m->pairs, &m->pair_capacity, m->n_pairs + 1));
        SHOAL_TRY(SHOAL_RESERVE(&b->entry_of, &b->entry_capacity, m->n_pairs + 1));
        b->entry_of[m->n_pairs] = 0;
        m->pairs[m->n_pairs] = types;
        *known = ++m->n_pairs;
    }
    *pair = *known - 1;
    return SHOAL_OK;
}

static shoal_status add_entry(builder *b, const fit_block *block, int32_t pair)
{
    moments *m = b->m;
    if (b->entry_of[pair] > 0) return SHOAL_OK;
    SHOAL_TRY(SHOAL_RESERVE(&m->entries, &m->entry_capacity, m->n_entries + 1));
    const int32_t a = FIT_N_COMPS * m->pairs[pair].a, z = FIT_N_COMPS * m->pairs[pair].b;
    const int32_t slots[N_AT] = {a + FIT_R, z + FIT_R, a + FIT_Y, z + FIT_Y, a + FIT_H, z + FIT_H};
    moment_entry *entry = &m->entries[m->n_entries];
    entry->pair = pair;
    for (int k = 0; k < N_AT; ++k) entry->at[k] = column_of(m->problem, block, slots[k]);
    b->entry_of[pair] = ++m->n_entries;
    return SHOAL_OK;
}

/* The type pairs of a block; its samples are alike, so that the first one tells. */
static shoal_status collect_entries(builder *b, const fit_block *block, moment_block *out)
{
    const fit_problem *problem = b->m->problem;
    const shoal_dataset *data = problem->data;
    const fit_sample *s = sample_of(problem, block->first);
    out->entry_start = b->m->n_entries;
    for (int32_t i = 0; i < s->n_first; ++i)
        for (int32_t j = s->n_first; j < s->n_atoms; ++j) {
            const int32_t at_i = s->atom_start + i, at_j = s->atom_start + j;
            int32_t pair;
            if (data->host[at_i] >= 0 || data->host[at_j] >= 0) continue;
            SHOAL_TRY(add_pair(b, data->type[at_i], data->type[at_j], &pair));
            SHOAL_TRY(add_entry(b, block, pair));
        }
    out->n_entries = b->m->n_entries - out->entry_start;
    return SHOAL_OK;
}

/* Columns of fitted charges, and the terms of the quadratic form they make with the others. */
static shoal_status collect_charges(moments *m, const fit_block *block, moment_block *out)
{
    const fit_problem *problem = m->problem;
    out->charge_start = m->n_charges;
    out->n_charges = 0;
    for (int32_t u = -1; u < block->n_columns; ++u) {
        const int32_t slot_u = u < 0 ? -1 : problem->column_slot[block->columns[u]];
        if (u >= 0 && (slot_u >= FIT_N_COMPS * problem->n_types || slot_u % FIT_N_COMPS != FIT_Q))
            continue;
        for (int32_t v = u; v < block->n_columns; ++v) {
            const int32_t slot_v = v < 0 ? -1 : problem->column_slot[block->columns[v]];
            if (v >= 0 &&
                (slot_v >= FIT_N_COMPS * problem->n_types || slot_v % FIT_N_COMPS != FIT_Q))
                continue;
            SHOAL_TRY(SHOAL_RESERVE(&m->charges, &m->charge_capacity, m->n_charges + 1));
            m->charges[m->n_charges++] = (charge_entry){u, v};
            out->n_charges++;
        }
    }
    return SHOAL_OK;
}

static void sum_moments(const builder *b, const moment_block *block, int32_t lane)
{
    const moments *m = b->m;
    const fit_problem *problem = m->problem;
    const shoal_dataset *data = problem->data;
    const int32_t index = block->first + lane;
    const fit_sample *s = sample_of(problem, index);
    const double *scale = problem->part_scale[index];
    const double alpha = problem->fixed[FIT_N_COMPS * problem->n_types + FIT_ALPHA];
    for (int32_t i = s->atom_start; i < s->atom_start + s->n_first; ++i)
        for (int32_t j = s->atom_start + s->n_first; j < s->atom_start + s->n_atoms; ++j) {
            double attraction, repulsion;
            if (data->host[i] >= 0 || data->host[j] >= 0) continue;
            const int32_t ti = data->type[i], tj = data->type[j];
            const int32_t pair =
                b->pair_of[(ti < tj ? ti : tj) * problem->n_types + (ti < tj ? tj : ti)] - 1;
            const int32_t entry = b->entry_of[pair] - 1 - block->entry_start;
            problem->model.separable->moment(distance(data, i, j), alpha, &attraction, &repulsion);
            double *value = &m->values[block->values + 2 * (int64_t)entry * block->lanes];
            value[lane] += scale[2] * attraction;
            value[block->lanes + lane] += scale[1] * repulsion;
        }
}

/* Charges as c + sum D_t q_t: row t of the builder's charges is D_t, the last one is c. */
static void split_charges(builder *b, const fit_block *block, const fit_sample *s)
{
    const fit_problem *problem = b->m->problem;
    const int32_t n = s->n_atoms;
    double *constant = &b->charge[(size_t)block->n_columns * (size_t)n];
    memcpy(b->p, problem->fixed, (size_t)problem->n_slots * sizeof *b->p);
    fit_charges(problem, s, b->p, constant, NULL);
    for (int32_t c = 0; c < block->n_columns; ++c) {
        const int32_t slot = problem->column_slot[block->columns[c]];
        double *row = &b->charge[(size_t)c * (size_t)n];
        if (slot >= FIT_N_COMPS * problem->n_types || slot % FIT_N_COMPS != FIT_Q) continue;
        b->p[slot] = 1.0;
        fit_charges(problem, s, b->p, row, NULL);
        b->p[slot] = 0.0;
        for (int32_t i = 0; i < n; ++i) row[i] -= constant[i];
    }
}

static double quadratic(const builder *b, const fit_sample *s, const double *x, const double *y)
{
    const int32_t n_second = s->n_atoms - s->n_first;
    double sum = 0.0;
    for (int32_t i = 0; i < s->n_first; ++i)
        for (int32_t j = 0; j < n_second; ++j)
            sum += b->kernel[i * n_second + j] * x[i] * y[s->n_first + j];
    return sum;
}

static void sum_charges(builder *b, const fit_block *block, const moment_block *out, int32_t lane)
{
    const moments *m = b->m;
    const fit_problem *problem = m->problem;
    const int32_t index = block->first + lane;
    const fit_sample *s = sample_of(problem, index);
    const int32_t n_second = s->n_atoms - s->n_first;
    const double k = COULOMB_CONSTANT * problem->part_scale[index][0];
    for (int32_t i = 0; i < s->n_first; ++i)
        for (int32_t j = 0; j < n_second; ++j) {
            double slope;
            const double r =
                distance(problem->data, s->atom_start + i, s->atom_start + s->n_first + j);
            b->kernel[i * n_second + j] =
                k * fit_coulomb_kernel(problem->coulomb, r, problem->coulomb_damping, &slope);
        }
    split_charges(b, block, s);
    double *value = &m->values[out->values + 2 * (int64_t)out->n_entries * out->lanes];
    for (int32_t c = 0; c < out->n_charges; ++c) {
        const charge_entry e = m->charges[out->charge_start + c];
        const int32_t row_u = e.u < 0 ? block->n_columns : e.u;
        const int32_t row_v = e.v < 0 ? block->n_columns : e.v;
        const double *x = &b->charge[(size_t)row_u * (size_t)s->n_atoms];
        const double *y = &b->charge[(size_t)row_v * (size_t)s->n_atoms];
        double sum = quadratic(b, s, x, y);
        if (e.u != e.v) sum += quadratic(b, s, y, x);
        value[(int64_t)c * out->lanes + lane] = sum;
    }
}

static shoal_status reserve_values(moments *m, int64_t n)
{
    if (m->n_values + n <= m->value_capacity) return SHOAL_OK;
    const int64_t capacity = 2 * (m->n_values + n) + 1024;
    double *values = shoal_alloc((size_t)capacity, sizeof *values);
    if (!values) return SHOAL_E_MEMORY;
    if (m->n_values > 0) memcpy(values, m->values, (size_t)m->n_values * sizeof *values);
    free(m->values);
    m->values = values;
    m->value_capacity = capacity;
    return SHOAL_OK;
}

static shoal_status build_block(builder *b, int32_t index)
{
    moments *m = b->m;
    const fit_problem *problem = m->problem;
    const fit_block *block = &problem->blocks[index];
    moment_block *out = &m->blocks[index];
    *out = (moment_block){.first = block->first, .n = block->n};
    out->lanes = (block->n + MOMENT_LANES - 1) / MOMENT_LANES * MOMENT_LANES;
    out->lambda = column_of(problem, block, FIT_N_COMPS * problem->n_types + FIT_LAMBDA);
    SHOAL_TRY(collect_entries(b, block, out));
    SHOAL_TRY(collect_charges(m, block, out));
    const int64_t n = ((int64_t)2 * out->n_entries + out->n_charges) * out->lanes;
    SHOAL_TRY(reserve_values(m, n));
    out->values = m->n_values;
    m->n_values += n;
    for (int32_t lane = 0; lane < block->n; ++lane) {
        sum_moments(b, out, lane);
        sum_charges(b, block, out, lane);
    }
    for (int32_t e = 0; e < out->n_entries; ++e)
        b->entry_of[m->entries[out->entry_start + e].pair] = 0;
    return SHOAL_OK;
}

/* Chunks depend on the data alone: whoever sums them, the order is the same. */
static shoal_status cut_chunks(moments *m)
{
    int64_t filled = 0;
    for (int32_t k = 0; k < m->problem->n_blocks; ++k) {
        if (m->n_chunks == 0 || filled > MOMENT_CHUNK) {
            SHOAL_TRY(SHOAL_RESERVE(&m->chunks, &m->chunk_capacity, m->n_chunks + 1));
            m->chunks[m->n_chunks++] = (moment_chunk){.first = k};
            filled = 0;
        }
        m->chunks[m->n_chunks - 1].n++;
        filled += (int64_t)2 * m->blocks[k].n_entries * m->blocks[k].lanes;
    }
    return SHOAL_OK;
}

static shoal_status allocate(builder *b, const fit_problem *problem)
{
    size_t atoms = 0, columns = 0, kernel = 0;
    const size_t n_types = (size_t)problem->n_types;
    for (int32_t k = 0; k < problem->n_blocks; ++k) {
        const fit_block *block = &problem->blocks[k];
        const fit_sample *s = sample_of(problem, block->first);
        const size_t size = (size_t)s->n_first * (size_t)(s->n_atoms - s->n_first);
        if ((size_t)s->n_atoms > atoms) atoms = (size_t)s->n_atoms;
        if ((size_t)block->n_columns > columns) columns = (size_t)block->n_columns;
        if (size > kernel) kernel = size;
    }
    b->m->blocks = shoal_alloc((size_t)problem->n_blocks, sizeof *b->m->blocks);
    b->pair_of = shoal_alloc(n_types * n_types, sizeof *b->pair_of);
    b->p = shoal_alloc((size_t)problem->n_slots, sizeof *b->p);
    b->charge = shoal_alloc((columns + 1) * atoms, sizeof *b->charge);
    b->kernel = shoal_alloc(kernel, sizeof *b->kernel);
    return b->m->blocks && b->pair_of && b->p && b->charge && b->kernel ? SHOAL_OK : SHOAL_E_MEMORY;
}

shoal_status moments_build(moments **out, const fit_problem *problem)
{
    builder b = {.m = shoal_alloc(1, sizeof *b.m)};
    *out = NULL;
    if (!b.m) return SHOAL_E_MEMORY;
    b.m->problem = problem;
    shoal_status status = allocate(&b, problem);
    for (int32_t k = 0; k < problem->n_blocks && status == SHOAL_OK; ++k)
        status = build_block(&b, k);
    if (status == SHOAL_OK) status = cut_chunks(b.m);
    free(b.pair_of);
    free(b.entry_of);
    free(b.p);
    free(b.charge);
    free(b.kernel);
    if (status != SHOAL_OK) {
        moments_destroy(b.m);
        return status;
    }
    *out = b.m;
    return SHOAL_OK;
}
