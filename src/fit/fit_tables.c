/* SPDX-License-Identifier: BSD-3-Clause
 * A fit as flat tables: samples, charges as linear functions of parameters, columns of rows. */
#include "fit/fit_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Working memory of the making. */
typedef struct making {
    fit_tables *t;
    const fit_problem *problem;
    double *q, *one;      /* [most_atoms] */
    double *slope, *zero; /* [n_slots] */
    double *shares;       /* [most_atoms][n_types]: dq / d(charge of a type) */
    double *wholes;       /* the same of the charges before sites took theirs */
    int32_t n_parts;      /* derivatives of an atom */
} making;

static const fit_sample *sample_of(const fit_problem *problem, int32_t s)
{
    return &problem->data->samples[problem->source[s]];
}

static shoal_status count(fit_tables *t, const fit_problem *problem)
{
    t->n_samples = problem->n_samples;
    t->n_blocks = problem->n_blocks;
    t->n_columns = problem->n_free;
    if (problem->row_start[problem->n_samples] > INT32_MAX)
        return shoal_fail(SHOAL_E_MEMORY, "the fit is too large: %lld derivatives of samples",
                          (long long)problem->row_start[problem->n_samples]);
    t->n_rows = (int32_t)problem->row_start[problem->n_samples];
    for (int32_t s = 0; s < t->n_samples; ++s) {
        const fit_sample *x = sample_of(problem, s);
        t->n_atoms += x->n_atoms;
        if (x->n_atoms > t->most_atoms) t->most_atoms = x->n_atoms;
    }
    for (int32_t b = 0; b < t->n_blocks; ++b) {
        t->n_charges += sample_of(problem, problem->blocks[b].first)->n_atoms;
        t->n_block_columns += problem->blocks[b].n_columns;
    }
    return SHOAL_OK;
}

static shoal_status reserve(fit_tables *t)
{
    const size_t n_samples = (size_t)t->n_samples, n_atoms = (size_t)t->n_atoms;
    t->samples = shoal_alloc(n_samples, sizeof *t->samples);
    t->blocks = shoal_alloc((size_t)t->n_blocks, sizeof *t->blocks);
    t->row_start = shoal_alloc(n_samples, sizeof *t->row_start);
    t->atoms = shoal_alloc(n_atoms, sizeof *t->atoms);
    t->dirs = shoal_alloc(n_atoms, sizeof *t->dirs);
    t->types = shoal_alloc(n_atoms, sizeof *t->types);
    t->charge_start = shoal_alloc((size_t)t->n_charges + 1, sizeof *t->charge_start);
    t->whole_start = shoal_alloc((size_t)t->n_charges + 1, sizeof *t->whole_start);
    t->column_start = shoal_alloc((size_t)t->n_block_columns + 1, sizeof *t->column_start);
    t->scales = shoal_alloc(n_samples, sizeof *t->scales);
    t->use_start = shoal_alloc((size_t)t->n_columns + 1, sizeof *t->use_start);
    t->uses = shoal_alloc((size_t)t->n_rows, sizeof *t->uses);
    const bool ok = t->samples && t->blocks && t->row_start && t->atoms && t->dirs && t->types &&
                    t->charge_start && t->whole_start && t->column_start && t->scales &&
                    t->use_start && t->uses;
    return ok ? SHOAL_OK : SHOAL_E_MEMORY;
}

static shoal_status add_place(fit_tables *t, int32_t place, double factor)
{
    SHOAL_TRY(SHOAL_RESERVE(&t->places, &t->place_capacity, t->n_places + 1));
    SHOAL_TRY(SHOAL_RESERVE(&t->factors, &t->factor_capacity, t->n_places + 1));
    t->places[t->n_places] = place;
    t->factors[t->n_places++] = factor;
    return SHOAL_OK;
}

static void copy_samples(making *m)
{
    fit_tables *t = m->t;
    const shoal_dataset *data = m->problem->data;
    int32_t at = 0;
    for (int32_t s = 0; s < t->n_samples; ++s) {
        const fit_sample *x = sample_of(m->problem, s);
        const int32_t record[] = {at, x->n_atoms, x->n_first, m->problem->block_of[s]};
        memcpy(t->samples[s], record, sizeof record);
        t->row_start[s] = (int32_t)m->problem->row_start[s];
        for (int k = 0; k < 3; ++k) t->scales[s][k] = m->problem->part_scale[s][k];
        fit_charges(m->problem, x, m->zero, m->q, NULL);
        for (int32_t i = 0; i < x->n_atoms; ++i, ++at) {
            const int32_t from = x->atom_start + i;
            const bool moves = m->problem->sites_move && data->host[from] >= 0;
            const int32_t at_rest = moves ? x->atom_start + data->host[from] : from;
            for (int k = 0; k < 3; ++k) {
                t->atoms[at][k] = data->pos[at_rest][k];
                t->dirs[at][k] = moves ? data->dir[from][k] : 0.0;
            }
            t->dirs[at][3] = moves ? m->problem->site_slot[data->type[from]] : 0.0;
            t->atoms[at][3] = m->q[i];
            t->types[at] = data->host[from] >= 0 ? -1 - data->type[from] : data->type[from];
        }
    }
}

static void find_shares_of(making *m, const fit_sample *x, int32_t atom, bool whole, double *out)
{
    const size_t n_types = (size_t)m->problem->n_types, n = (size_t)x->n_atoms;
    memset(m->q, 0, n * sizeof *m->q);
    memset(m->one, 0, n * sizeof *m->one);
    memset(m->slope, 0, (size_t)m->problem->n_slots * sizeof *m->slope);
    (whole ? m->one : m->q)[atom] = 1.0;
    fit_charges_back(m->problem, x, m->q, m->one, m->slope);
    for (size_t t = 0; t < n_types; ++t)
        out[(size_t)atom * n_types + t] = m->slope[FIT_N_COMPS * t + FIT_Q];
}

/* How the charge of every atom of a sample changes with those of the types: the way back of a unit
 * slope by its charge. */
static void find_shares(making *m, const fit_sample *x)
{
    for (int32_t i = 0; i < x->n_atoms; ++i) {
        find_shares_of(m, x, i, false, m->shares);
        find_shares_of(m, x, i, true, m->wholes);
    }
}

/* How the derivative of a slot is made of a part (R, y or distance, q, h, columns of the table) of an atom. */
static double factor_of(const making *m, const fit_sample *x, int32_t i, int32_t slot, int *part)
{
    const fit_problem *problem = m->problem;
    const int32_t at = x->atom_start + i, type = slot / FIT_N_COMPS, comp = slot % FIT_N_COMPS;
    const bool is_site = problem->data->host[at] >= 0;
    const bool own = type < problem->n_types && problem->data->type[at] == type;
    *part = 1;
    if (is_site && problem->sites_move && problem->site_slot[problem->data->type[at]] == slot)
        return 1.0;
    if (type >= problem->n_types || comp == FIT_L || (is_site && comp == FIT_Y)) return 0.0;
    *part = comp < FIT_L ? comp : comp - 1; /* FIT_R, FIT_Y, FIT_Q and FIT_H are 0 to 3 */
    if (comp != FIT_Q) return own ? 1.0 : 0.0;
    return m->shares[(size_t)i * (size_t)problem->n_types + (size_t)type];
}

/* Derivatives that the column of a slot is made of. */
static shoal_status add_column(making *m, const fit_sample *x, int32_t slot)
{
    const int32_t globals = FIT_N_COMPS * m->problem->n_types;
    const int32_t n_types = m->problem->n_types, n_parts = m->n_parts;
    const bool charge = m->problem->charged_radii && slot < globals && slot % FIT_N_COMPS == FIT_Q;
    if (slot >= globals) SHOAL_TRY(add_place(m->t, n_parts * x->n_atoms + slot - globals, 1.0));
    for (int32_t i = 0; i < x->n_atoms; ++i) {
        int part;
        const double factor = factor_of(m, x, i, slot, &part);
        if (factor != 0.0) SHOAL_TRY(add_place(m->t, n_parts * i + part, factor));
        const double whole = charge ? m->wholes[i * n_types + slot / FIT_N_COMPS] : 0.0;
        if (whole != 0.0) SHOAL_TRY(add_place(m->t, n_parts * i + n_parts - 1, whole));
    }
    return SHOAL_OK;
}

/* All charges first, then all columns, so that a range ends where the next one starts. */
static shoal_status fill_charges(making *m)
{
    fit_tables *t = m->t;
    const int32_t n_types = m->problem->n_types;
    int32_t at = 0, columns = 0;
    for (int32_t b = 0; b < t->n_blocks; ++b) {
        const fit_block *block = &m->problem->blocks[b];
        const fit_sample *x = sample_of(m->problem, block->first);
        const int32_t record[] = {at, columns, block->n_columns, 0};
        memcpy(t->blocks[b], record, sizeof record);
        columns += block->n_columns;
        find_shares(m, x);
        for (int32_t i = 0; i < x->n_atoms; ++i) {
            t->charge_start[at++] = t->n_places;
            for (int32_t k = 0; k < n_types; ++k) {
                const double share = m->shares[(size_t)i * (size_t)n_types + (size_t)k];
                if (share != 0.0) SHOAL_TRY(add_place(t, FIT_N_COMPS * k + FIT_Q, share));
            }
        }
    }
    t->charge_start[at] = t->n_places;
    return SHOAL_OK;
}

/* What charges lack because of sites. */
static shoal_status fill_wholes(making *m)
{
    fit_tables *t = m->t;
    const int32_t n_types = m->problem->n_types;
    int32_t at = 0;
    for (int32_t b = 0; b < t->n_blocks; ++b) {
        const fit_sample *x = sample_of(m->problem, m->problem->blocks[b].first);
        find_shares(m, x);
        for (int32_t i = 0; i < x->n_atoms; ++i) {
            t->whole_start[at++] = t->n_places;
            for (int32_t k = 0; k < n_types && m->problem->charged_radii; ++k) {
                const double lack = m->wholes[i * n_types + k] - m->shares[i * n_types + k];
                if (lack != 0.0) SHOAL_TRY(add_place(t, FIT_N_COMPS * k + FIT_Q, lack));
            }
        }
    }
    t->whole_start[at] = t->n_places;
    return SHOAL_OK;
}

static shoal_status fill_columns(making *m)
{
    fit_tables *t = m->t;
    int32_t at = 0;
    for (int32_t b = 0; b < t->n_blocks; ++b) {
        const fit_block *block = &m->problem->blocks[b];
        const fit_sample *x = sample_of(m->problem, block->first);
        find_shares(m, x);
        for (int32_t c = 0; c < block->n_columns; ++c) {
            t->column_start[at++] = t->n_places;
            SHOAL_TRY(add_column(m, x, m->problem->column_slot[block->columns[c]]));
        }
    }
    t->column_start[at] = t->n_places;
    return SHOAL_OK;
}

/* Rows by column, samples ascending. */
static void list_uses(making *m)
{
    fit_tables *t = m->t;
    const fit_problem *p = m->problem;
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t s = 0; s < t->n_samples; ++s) {
            const fit_block *block = &p->blocks[p->block_of[s]];
            for (int32_t c = 0; c < block->n_columns; ++c) {
                int32_t *start = &t->use_start[block->columns[c]];
                if (pass == 1) {
                    t->uses[*start][0] = s;
                    t->uses[*start][1] = t->row_start[s] + c;
                }
                ++*start;
            }
        }
        /* Counts, and after the second pass ends, become starts. */
        int32_t sum = 0;
        for (int32_t c = 0; c <= t->n_columns; ++c) {
            const int32_t here = t->use_start[c];
            t->use_start[c] = sum;
            sum = pass == 0 ? sum + here : here;
        }
    }
}

static shoal_status make(making *m)
{
    const size_t most = (size_t)m->t->most_atoms, n_slots = (size_t)m->problem->n_slots;
    m->q = shoal_alloc(most, sizeof *m->q);
    m->slope = shoal_alloc(n_slots, sizeof *m->slope);
    m->zero = shoal_alloc(n_slots, sizeof *m->zero);
    m->one = shoal_alloc(most, sizeof *m->one);
    m->shares = shoal_alloc(most * (size_t)m->problem->n_types, sizeof *m->shares);
    m->wholes = shoal_alloc(most * (size_t)m->problem->n_types, sizeof *m->wholes);
    if (!m->q || !m->one || !m->slope || !m->zero || !m->shares || !m->wholes)
        return SHOAL_E_MEMORY;
    m->n_parts = FIT_TABLE_PARTS - !m->problem->charged_radii + m->problem->model.n_extra;
    copy_samples(m);
    SHOAL_TRY(fill_charges(m));
    SHOAL_TRY(fill_wholes(m));
    SHOAL_TRY(fill_columns(m));
    list_uses(m);
    return SHOAL_OK;
}

shoal_status fit_tables_build(fit_tables *out, const fit_problem *problem)
{
    making m = {.t = out, .problem = problem};
    *out = (fit_tables){0};
    shoal_status status = count(out, problem);
    if (status == SHOAL_OK) status = reserve(out);
    if (status == SHOAL_OK) status = make(&m);
    free(m.q);
    free(m.slope);
    free(m.zero);
    free(m.one);
    free(m.shares);
    free(m.wholes);
    if (status != SHOAL_OK) fit_tables_free(out);
    return status;
}

void fit_tables_free(fit_tables *t)
{
    free(t->samples);
    free(t->blocks);
    free(t->row_start);
    free(t->atoms);
    free(t->dirs);
    free(t->types);
    free(t->charge_start);
    free(t->whole_start);
    free(t->column_start);
    free(t->places);
    free(t->factors);
    free(t->scales);
    free(t->use_start);
    free(t->uses);
    *t = (fit_tables){0};
}
