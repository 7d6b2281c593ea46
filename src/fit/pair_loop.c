/* SPDX-License-Identifier: BSD-3-Clause
 * The evaluator that goes over all pairs of every sample: any model, moving sites, any DOF. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fit/pair_sums.h"

#include "constants.h"

#define WORTH_THREADS 20000 /* pairs; below it waking threads takes longer than the work */

/* What one thread needs for a sample. Atom arrays have room for the largest sample. */
typedef struct pair_scratch {
    pair_batch batch;
    pair_places places;
    const pair_layout *layout;
    double *q, *by_q;
    double *whole, *by_whole; /* charges before sites took theirs */
    double *slope;            /* [n_slots] */
    double energy, lambda_slope, damping_slope;
    double coulomb[FIT_BATCH]; /* kC g(r) */
    const fit_sample *sample;
    const double *p;
    double part[3]; /* scales of Coulomb, repulsion, attraction */
    bool derivatives;
    bool no_charges, no_hbonds; /* for energies by component */
    bool bare;                  /* as in pair_batch */
    bool by_atom;               /* slopes by the charges of atoms are wanted, too */
} pair_scratch;

typedef struct pair_evaluator {
    fit_evaluator base;
    pair_layout *layout;
    bool owns_layout;
    int32_t n_threads;
    pair_scratch **scratch; /* [n_threads] */
} pair_evaluator;

static void scratch_destroy(pair_scratch *s)
{
    if (!s) return;
    pair_places_close(&s->places);
    free(s->q);
    free(s->slope);
    free(s);
}

/* Does no slope but those by R, E, H and charges come out of the models? */
static bool is_bare(const fit_problem *problem)
{
    uint32_t used = problem->model.globals_used;
    if (problem->site_model) used |= problem->site_model->globals_used;
    for (int32_t c = 0; c < problem->n_free; ++c) {
        const int32_t global = problem->column_slot[c] - FIT_N_COMPS * problem->n_types;
        if (global >= 0 && (used >> global & 1u)) return false;
    }
    return !problem->sites_move;
}

static pair_scratch *scratch_create(const fit_problem *problem, const pair_layout *layout)
{
    const size_t most = (size_t)layout->most;
    pair_scratch *s = shoal_alloc(1, sizeof *s);
    if (!s) return NULL;
    s->layout = layout;
    s->bare = is_bare(problem);
    s->q = shoal_alloc(4 * most, sizeof *s->q);
    s->slope = shoal_alloc((size_t)problem->n_slots, sizeof *s->slope);
    if (pair_places_open(&s->places, layout) != SHOAL_OK || !s->q || !s->slope) {
        scratch_destroy(s);
        return NULL;
    }
    s->by_q = s->q + most;
    s->whole = s->by_q + most;
    s->by_whole = s->whole + most;
    return s;
}

/* dE/dr of pairs moves both atoms. */
static void push(const pair_places *c, pair_block p, const double *r, const double *by_r)
{
    for (int32_t k = 0; k < p.n_i * p.n_j; ++k) {
        const int32_t i = p.i + k / p.n_j, j = p.j + k % p.n_j;
        for (int m = AT_X; m <= AT_Z; ++m) {
            const double by = by_r[k] * (c->at[m][i] - c->at[m][j]) / r[k];
            c->by[m][i] += by;
            c->by[m][j] -= by;
        }
    }
}

static void run_model(const fit_problem *problem, pair_scratch *s, const pair_kind *kind,
                      pair_block p)
{
    const fit_model *model = kind->model;
    pair_batch *b = &s->batch;
    const bool formula = model->own_coulomb || model->uses_own || model->self;
    const double lambda = s->p[FIT_N_COMPS * problem->n_types + FIT_LAMBDA];
    b->n = p.n_i * p.n_j;
    b->bare = s->bare;
    b->scale_b = s->part[1];
    b->scale_a = s->part[2];
    pair_mix(&s->places, kind, p, b);
    if (formula) pair_mix_own(&s->places, model, lambda, p, b);
    model->eval(model, &s->p[FIT_N_COMPS * problem->n_types], s->derivatives, b);
    if (formula) pair_mask_empty(&s->places, model, s->derivatives, p, b);
    s->energy += pair_sum(b->e, b->n);
    if (!s->derivatives) return;
    pair_scatter(&s->places, kind, p, b);
    if (formula) s->lambda_slope += pair_scatter_own(&s->places, model, lambda, p, b);
    if (b->bare) return;
    if (problem->sites_move) push(&s->places, p, b->r, b->by_r);
    double *slope = &s->slope[FIT_N_COMPS * problem->n_types];
    for (int32_t g = 0; g < problem->n_globals; ++g)
        if (model->globals_used >> g & 1u) slope[g] += pair_sum(b->by_global[g], b->n);
}

/* kC g(r), and its slope where there is room for it. */
static void coulomb_kernels(const fit_problem *problem, const pair_scratch *s, int32_t n, double *g,
                            double *by_r)
{
    const double k = COULOMB_CONSTANT * s->part[0], *r = s->batch.r;
    const double damping = s->p[FIT_N_COMPS * problem->n_types + FIT_COULOMB_D];
    if (problem->coulomb == SHOAL_COULOMB_PLAIN && !by_r) {
        pair_plain_coulomb(k, r, n, g);
        return;
    }
    for (int32_t m = 0; m < n; ++m) {
        double slope;
        g[m] = k * fit_coulomb_kernel(problem->coulomb, r[m], damping, &slope);
        if (by_r) by_r[m] = k * slope;
    }
}

/* Slopes by the length of the damping and by positions, where they are wanted. */
static void coulomb_slopes(const fit_problem *problem, pair_scratch *s, pair_block p)
{
    const pair_places *c = &s->places;
    const double *globals = &s->p[FIT_N_COMPS * problem->n_types], *r = s->batch.r;
    for (int32_t k = 0; k < p.n_i * p.n_j; ++k) {
        const double qq =
            globals[FIT_LAMBDA] * c->at[AT_Q][p.i + k / p.n_j] * c->at[AT_Q][p.j + k % p.n_j];
        s->damping_slope +=
            COULOMB_CONSTANT * s->part[0] * qq *
            fit_coulomb_damping_slope(problem->coulomb, r[k], globals[FIT_COULOMB_D]);
        s->batch.by_r[k] *= qq;
    }
    if (problem->sites_move) push(c, p, r, s->batch.by_r);
}

static void run_coulomb(const fit_problem *problem, pair_scratch *s, pair_block p)
{
    const double lambda = s->p[FIT_N_COMPS * problem->n_types + FIT_LAMBDA];
    const bool more = s->derivatives && (problem->sites_move || problem->damping_moves);
    coulomb_kernels(problem, s, p.n_i * p.n_j, s->coulomb, more ? s->batch.by_r : NULL);
    const double energy = pair_add_fields(&s->places, lambda, p, s->coulomb);
    s->energy += lambda * energy;
    s->lambda_slope += energy;
    if (more) coulomb_slopes(problem, s, p);
}

/* Pairs of n_i places from i on with those from j to end, in blocks that a batch holds. */
static void run_pairs(const fit_problem *problem, pair_scratch *s, const pair_kind *kind, int32_t i,
                      int32_t n_i, int32_t j, int32_t end)
{
    const int32_t width = end - j < FIT_BATCH ? end - j : FIT_BATCH;
    const int32_t rows = width > 0 ? FIT_BATCH / width : 0;
    for (int32_t column = j; column < end && n_i > 0; column += width) {
        const int32_t n_j = end - column < width ? end - column : width;
        for (int32_t row = i; row < i + n_i; row += rows) {
            const pair_block p = {row, i + n_i - row < rows ? i + n_i - row : rows, column, n_j};
            pair_measure(&s->places, p, s->batch.r);
            if (kind->coulomb) run_coulomb(problem, s, p);
            if (kind->model) run_model(problem, s, kind, p);
        }
    }
}

/* Slots that the sample has a slope by; the others are not looked at. */
static void clear_slopes(const fit_problem *problem, pair_scratch *s)
{
    const pair_places *c = &s->places;
    const int n_extra = (int)problem->model.n_extra;
    for (int k = 0; k < BY_EXTRA + n_extra; ++k)
        memset(c->by[k], 0, (size_t)c->shape->from[4] * sizeof *c->by[k]);
    for (int32_t k = 0; k < c->shape->from[4]; ++k)
        for (int m = 0; m < FIT_EXTRA + n_extra && c->slot[k] >= 0; ++m)
            s->slope[c->slot[k] + m] = 0.0;
    for (int32_t k = 0; k < s->sample->n_bonds; ++k)
        s->slope[FIT_N_COMPS * problem->data->bonds[s->sample->bond_start + k].type + FIT_Q] = 0.0;
    for (int32_t k = FIT_N_COMPS * problem->n_types; k < problem->n_slots; ++k) s->slope[k] = 0.0;
}

/* From slopes by what is at the places to those by slots. */
static void collect_slopes(const fit_problem *problem, pair_scratch *s)
{
    const pair_places *c = &s->places;
    double *const *by = c->by;
    for (int32_t k = 0; k < c->shape->from[4]; ++k) {
        if (c->slot[k] < 0) continue;
        double *slope = &s->slope[c->slot[k]];
        slope[FIT_R] += by[BY_RADIUS][k];
        slope[FIT_Y] += by[BY_DEPTH][k];
        slope[FIT_H] += by[BY_H][k];
        for (int m = 0; m < problem->model.n_extra; ++m)
            slope[FIT_EXTRA + m] += by[BY_EXTRA + m][k];
    }
    if (!problem->sites_move) return;
    for (int32_t k = 0; k < c->shape->from[4]; ++k) {
        const int32_t at = s->sample->atom_start + c->atom[k];
        if (c->slot[k] < 0 || problem->data->host[at] < 0) continue;
        double *slope = &s->slope[problem->site_slot[problem->data->type[at]]];
        for (int m = 0; m < 3; ++m) *slope += by[BY_X + m][k] * problem->data->dir[at][m];
    }
}

/* The same for the charges, which also act on radii. */
static void collect_charges(const fit_problem *problem, pair_scratch *s)
{
    const pair_places *c = &s->places;
    const double by_charge = s->p[FIT_N_COMPS * problem->n_types + FIT_RADIUS_C];
    for (int32_t k = 0; k < c->shape->from[4]; ++k) {
        if (c->atom[k] < 0) continue;
        s->by_q[c->atom[k]] = c->by[BY_Q][k];
        s->by_whole[c->atom[k]] = -by_charge * c->by[BY_RADIUS][k];
    }
    fit_charges_back(problem, s->sample, s->by_q, problem->charged_radii ? s->by_whole : NULL,
                     s->slope);
}

static void collect_globals(const fit_problem *problem, pair_scratch *s, bool fixed)
{
    const pair_places *c = &s->places;
    double *slope = &s->slope[FIT_N_COMPS * problem->n_types];
    slope[FIT_LAMBDA] += s->lambda_slope;
    slope[FIT_COULOMB_D] += s->damping_slope;
    if (!problem->charged_radii) return;
    for (int32_t k = 0; k < c->shape->from[4]; ++k) {
        if (c->atom[k] < 0) continue;
        const double whole = fixed ? c->at[AT_Q][k] : s->whole[c->atom[k]];
        slope[FIT_RADIUS_C] -= c->by[BY_RADIUS][k] * whole;
    }
}

/* fixed: the energy of the charges is known, and nothing but lambda changes it. */
static void run_sample(const fit_problem *problem, pair_scratch *s, bool fixed)
{
    const pair_shape *c = s->places.shape;
    const fit_model *site_model = problem->site_model;
    const bool coulomb = !fixed && !s->no_charges;
    const pair_kind atoms = {&problem->model, 1.0, 1.0, 1.0,
                             coulomb && !problem->model.own_coulomb};
    const pair_kind atom_site = {site_model, 0.0, 1.0, 0.0, coulomb};
    const pair_kind site_atom = {site_model, 1.0, 0.0, 0.0, coulomb};
    const pair_kind sites = {NULL, 0.0, 0.0, 0.0, coulomb};
    run_pairs(problem, s, &atoms, 0, c->n[0], c->from[2], c->from[3]);
    run_pairs(problem, s, &atom_site, 0, c->n[0], c->from[3], c->from[4]);
    run_pairs(problem, s, &site_atom, c->from[1], c->n[1], c->from[2], c->from[3]);
    run_pairs(problem, s, &sites, c->from[1], c->n[1], c->from[3], c->from[4]);
}

/* Energy of a sample of the data and, with derivatives, slope by all slots. */
static void eval_sample(const fit_problem *problem, pair_scratch *s, int32_t sample,
                        const double *p)
{
    const bool fixed = s->layout->coulomb && !s->by_atom;
    s->sample = &problem->data->samples[sample];
    s->p = p;
    s->energy = s->lambda_slope = s->damping_slope = 0.0;
    if (!fixed) fit_charges(problem, s->sample, p, s->q, s->whole);
    for (int32_t i = 0; s->no_charges && !fixed && i < s->sample->n_atoms; ++i) s->q[i] = 0.0;
    pair_places_take(&s->places, s->layout, problem, sample, p, fixed ? NULL : s->q,
                     fixed ? NULL : s->whole);
    if (s->no_hbonds)
        memset(s->places.room[AT_H], 0, (size_t)s->places.shape->from[4] * sizeof(double));
    clear_slopes(problem, s);
    if (fixed && !s->no_charges) {
        s->lambda_slope = s->part[0] * s->layout->coulomb[sample];
        s->energy = p[FIT_N_COMPS * problem->n_types + FIT_LAMBDA] * s->lambda_slope;
    }
    run_sample(problem, s, fixed);
    if (!s->derivatives) return;
    collect_slopes(problem, s);
    collect_globals(problem, s, fixed);
    if (!fixed && !s->by_atom) collect_charges(problem, s);
}

/* Samples are independent, so that neither threads nor chunks change a bit. rows may be NULL. */
static shoal_status eval_all(pair_evaluator *ev, const double *p, double *energy, double *rows)
{
    const fit_problem *problem = ev->base.problem;
    const int32_t n_samples = problem->n_samples;
#ifdef _OPENMP
    const int n_threads = (int)ev->n_threads;
#pragma omp parallel for schedule(dynamic, 16) num_threads(n_threads)
#endif
    for (int32_t i = 0; i < n_samples; ++i) {
        pair_scratch *s = ev->scratch[fit_thread_number()];
        memcpy(s->part, problem->part_scale[i], sizeof s->part);
        s->derivatives = rows != NULL;
        eval_sample(problem, s, problem->source[i], p);
        energy[i] = s->energy;
        if (!rows) continue;
        const fit_block *block = &problem->blocks[problem->block_of[i]];
        double *row = &rows[problem->row_start[i]];
        for (int32_t c = 0; c < block->n_columns; ++c)
            row[c] = s->slope[problem->column_slot[block->columns[c]]];
    }
    return SHOAL_OK;
}

static shoal_status pair_energies(fit_evaluator *ev, const double *p, double *energy)
{
    return eval_all((pair_evaluator *)ev, p, energy, NULL);
}

static shoal_status pair_rows(fit_evaluator *ev, const double *p, double *energy, double *rows)
{
    return eval_all((pair_evaluator *)ev, p, energy, rows);
}

static void pair_destroy(fit_evaluator *base)
{
    pair_evaluator *ev = (pair_evaluator *)base;
    if (!ev) return;
    for (int32_t t = 0; ev->scratch && t < ev->n_threads; ++t) scratch_destroy(ev->scratch[t]);
    free((void *)ev->scratch);
    if (ev->owns_layout) pair_layout_destroy(ev->layout);
    free(ev);
}

static shoal_status create(fit_evaluator **out, const fit_problem *problem, pair_layout *layout,
                           int32_t n_threads);

/* Clones work side by side, each in one thread. */
static shoal_status pair_clone(const fit_evaluator *ev, fit_evaluator **out)
{
    return create(out, ev->problem, ((const pair_evaluator *)ev)->layout, 1);
}

/* layout NULL: one of its own. */
static shoal_status create(fit_evaluator **out, const fit_problem *problem, pair_layout *layout,
                           int32_t n_threads)
{
    *out = NULL;
    pair_evaluator *ev = shoal_alloc(1, sizeof *ev);
    if (!ev) return SHOAL_E_MEMORY;
    ev->base = (fit_evaluator){.name = "pairs",
                               .problem = problem,
                               .energies = pair_energies,
                               .rows = pair_rows,
                               .clone = pair_clone,
                               .destroy = pair_destroy};
    ev->n_threads = n_threads;
    ev->layout = layout;
    ev->owns_layout = !layout;
    ev->scratch = shoal_alloc((size_t)n_threads, sizeof *ev->scratch);
    bool complete = ev->scratch && (layout || pair_layout_create(&ev->layout, problem) == SHOAL_OK);
    for (int32_t t = 0; complete && t < n_threads; ++t) {
        ev->scratch[t] = scratch_create(problem, ev->layout);
        complete = ev->scratch[t] != NULL;
    }
    if (!complete) {
        pair_destroy(&ev->base);
        return SHOAL_E_MEMORY;
    }
    *out = &ev->base;
    return SHOAL_OK;
}

shoal_status fit_pairs_create(fit_evaluator **out, const fit_problem *problem)
{
    const bool small = shoal_dataset_pairs(problem->data) < WORTH_THREADS;
    return create(out, problem, NULL, small ? 1 : problem->n_threads);
}

/* What one thread needs for all terms of all samples; both are the caller's. */
static shoal_status create_single(const fit_problem *problem, pair_layout **layout,
                                  pair_scratch **scratch)
{
    SHOAL_TRY(pair_layout_create(layout, problem));
    pair_scratch *s = *scratch = scratch_create(problem, *layout);
    if (!s) {
        pair_layout_destroy(*layout);
        return SHOAL_E_MEMORY;
    }
    s->part[0] = s->part[1] = s->part[2] = 1.0;
    return SHOAL_OK;
}

static double energy_without(const fit_problem *problem, pair_scratch *s, int32_t sample,
                             const double *p, bool no_charges, bool no_hbonds)
{
    s->no_charges = no_charges;
    s->no_hbonds = no_hbonds;
    eval_sample(problem, s, sample, p);
    return s->energy;
}

shoal_status fit_pairs_parts(const fit_problem *problem, const double *p,
                             double (*parts)[SHOAL_N_PARTS])
{
    pair_layout *layout;
    pair_scratch *s;
    SHOAL_TRY(create_single(problem, &layout, &s));
    const fit_model *site_model = problem->site_model;
    fit_problem bare = *problem;
    for (int32_t i = 0; i < problem->data->n_samples; ++i) {
        double *part = parts[i];
        const double all = energy_without(problem, s, i, p, false, false);
        const double neutral = energy_without(problem, s, i, p, true, false);
        bare.site_model = NULL;
        const double no_sites = site_model ? energy_without(&bare, s, i, p, true, false) : neutral;
        const double plain = energy_without(&bare, s, i, p, true, true);
        part[SHOAL_PART_COULOMB] = all - neutral;
        part[SHOAL_PART_SITE] = neutral - no_sites;
        part[SHOAL_PART_HBOND] = no_sites - plain;
        part[SHOAL_PART_VDW] = plain;
    }
    scratch_destroy(s);
    pair_layout_destroy(layout);
    return SHOAL_OK;
}

/* Slopes of the sample in work by what belongs to single atoms. */
static void slopes_of_atoms(const fit_problem *problem, const pair_scratch *s,
                            fit_atom_slopes *atoms)
{
    const pair_places *c = &s->places;
    const int32_t start = s->sample->atom_start;
    const double by_charge =
        problem->charged_radii ? s->p[FIT_N_COMPS * problem->n_types + FIT_RADIUS_C] : 0.0;
    for (int32_t k = 0; k < c->shape->from[4]; ++k) {
        if (c->atom[k] < 0) continue;
        fit_atom_slopes *to = &atoms[start + c->atom[k]];
        *to = (fit_atom_slopes){.r = c->by[BY_RADIUS][k],
                                .y = c->by[BY_DEPTH][k],
                                .q = c->by[BY_Q][k],
                                .h = c->by[BY_H][k]};
        for (int m = 0; m < problem->model.n_extra; ++m) to->extra[m] = c->by[BY_EXTRA + m][k];
    }
    /* A site takes its charge from its host; radii follow the charge of an atom with its sites. */
    for (int32_t k = 0; k < c->shape->from[4]; ++k) {
        if (c->atom[k] < 0) continue;
        const int32_t at = start + c->atom[k], host = problem->data->host[at];
        if (host >= 0) atoms[at].q -= atoms[start + host].q;
    }
    for (int32_t k = 0; k < c->shape->from[4]; ++k)
        if (c->atom[k] >= 0 && problem->data->host[start + c->atom[k]] < 0)
            atoms[start + c->atom[k]].q -= by_charge * c->by[BY_RADIUS][k];
}

shoal_status fit_pairs_by_atom(const fit_problem *problem, const double *p, fit_atom_slopes *atoms)
{
    pair_layout *layout;
    pair_scratch *s;
    SHOAL_TRY(create_single(problem, &layout, &s));
    s->derivatives = s->by_atom = true;
    for (int32_t i = 0; i < problem->data->n_samples; ++i) {
        eval_sample(problem, s, i, p);
        slopes_of_atoms(problem, s, atoms);
    }
    scratch_destroy(s);
    pair_layout_destroy(layout);
    return SHOAL_OK;
}
