/* SPDX-License-Identifier: BSD-3-Clause
 * The evaluator that goes over all pairs of every sample: any model, moving sites, any DOF. */
#ifdef _OPENMP
#include <omp.h>
#endif
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fit/fit.h"

#include "constants.h"

#define WORTH_THREADS 20000 /* pairs; below it waking threads takes longer than the work */

/* Pairs collected for a model, with their atoms. */
typedef struct pair_queue {
    const fit_model *model;
    bool sites; /* R0 is the width of the site, and E0 is 1 */
    pair_batch batch;
    int32_t i[FIT_BATCH], j[FIT_BATCH];
} pair_queue;

/* Numbers of an atom and slopes by them. */
enum {
    ATOM_X,
    ATOM_Y,
    ATOM_Z,
    ATOM_Q,
    ATOM_WHOLE,  /* its charge before sites took theirs */
    ATOM_RADIUS, /* R - c q; of a site its width */
    ATOM_ROOT,   /* sqrt(E) */
    ATOM_H,
    N_ATOM
};

/* What one thread needs for a sample. Atom arrays have room for the largest sample. */
typedef struct pair_scratch {
    pair_queue atoms, sites;
    double *at[N_ATOM], *by[N_ATOM];
    double *r;        /* distances of one atom from those of the other fragment */
    int32_t *is_site; /* 0 or 1 */
    double *slope;    /* [n_slots] */
    double energy, lambda_slope, damping_slope;
    const fit_sample *sample;
    const double *p;
    double part[3]; /* scales of Coulomb, repulsion, attraction */
    bool derivatives;
    bool no_charges, no_hbonds; /* for energies by component */
} pair_scratch;

typedef struct pair_evaluator {
    fit_evaluator base;
    int32_t n_threads;
    pair_scratch **scratch; /* [n_threads] */
} pair_evaluator;

static void scratch_destroy(pair_scratch *s)
{
    if (!s) return;
    for (int k = 0; k < N_ATOM; ++k) {
        free(s->at[k]);
        free(s->by[k]);
    }
    free(s->r);
    free(s->is_site);
    free(s->slope);
    free(s);
}

static pair_scratch *scratch_create(const fit_problem *problem)
{
    size_t most = 0;
    for (int32_t s = 0; s < problem->data->n_samples; ++s)
        if ((size_t)problem->data->samples[s].n_atoms > most)
            most = (size_t)problem->data->samples[s].n_atoms;
    pair_scratch *s = shoal_alloc(1, sizeof *s);
    if (!s) return NULL;
    bool complete = true;
    for (int k = 0; k < N_ATOM; ++k) {
        s->at[k] = shoal_alloc(most, sizeof *s->at[k]);
        s->by[k] = shoal_alloc(most, sizeof *s->by[k]);
        complete = complete && s->at[k] && s->by[k];
    }
    s->r = shoal_alloc(most, sizeof *s->r);
    s->is_site = shoal_alloc(most, sizeof *s->is_site);
    s->slope = shoal_alloc((size_t)problem->n_slots, sizeof *s->slope);
    s->atoms.model = &problem->model;
    s->sites.model = problem->site_model;
    s->sites.sites = true;
    if (complete && s->r && s->is_site && s->slope) return s;
    scratch_destroy(s);
    return NULL;
}

/* dE/dposition from dE/dr. */
static void push_slope(pair_scratch *s, int32_t i, int32_t j, double r, double by_r)
{
    for (int k = ATOM_X; k <= ATOM_Z; ++k) {
        const double unit = (s->at[k][i] - s->at[k][j]) / r;
        s->by[k][i] += by_r * unit;
        s->by[k][j] -= by_r * unit;
    }
}

/* What a formula makes of the numbers of the single atoms. */
static void scatter_own(pair_scratch *s, const pair_batch *b, int32_t i, int32_t j, int32_t k)
{
    s->by[ATOM_RADIUS][i] += b->by_own[OWN_RI][k];
    s->by[ATOM_RADIUS][j] += b->by_own[OWN_RJ][k];
    s->by[ATOM_ROOT][i] += b->by_own[OWN_EI][k] * 2.0 * s->at[ATOM_ROOT][i];
    s->by[ATOM_ROOT][j] += b->by_own[OWN_EJ][k] * 2.0 * s->at[ATOM_ROOT][j];
    s->by[ATOM_Q][i] += b->by_own[OWN_QI][k];
    s->by[ATOM_Q][j] += b->by_own[OWN_QJ][k];
    s->by[ATOM_H][i] += b->by_own[OWN_HI][k];
    s->by[ATOM_H][j] += b->by_own[OWN_HJ][k];
}

/* Derivatives of a pair by the numbers of its atoms. */
static void scatter_pair(const fit_problem *problem, pair_scratch *s, const pair_queue *queue,
                         int32_t k)
{
    const pair_batch *b = &queue->batch;
    const int32_t i = queue->i[k], j = queue->j[k];
    const double hi = s->at[ATOM_H][i], hj = s->at[ATOM_H][j];
    if (queue->sites) {
        s->by[ATOM_RADIUS][s->is_site[i] ? i : j] += b->by_r0[k];
    } else {
        s->by[ATOM_RADIUS][i] += b->by_r0[k];
        s->by[ATOM_RADIUS][j] += b->by_r0[k];
        s->by[ATOM_ROOT][i] += b->by_e0[k] * s->at[ATOM_ROOT][j];
        s->by[ATOM_ROOT][j] += b->by_e0[k] * s->at[ATOM_ROOT][i];
    }
    if (hi * hj < 0.0) {
        s->by[ATOM_H][i] += b->by_h[k] * hj;
        s->by[ATOM_H][j] += b->by_h[k] * hi;
    }
    if (queue->model->own_coulomb) {
        const double lambda = s->p[FIT_N_COMPS * problem->n_types + FIT_LAMBDA];
        const double qi = s->at[ATOM_Q][i], qj = s->at[ATOM_Q][j];
        s->by[ATOM_Q][i] += b->by_q[k] * lambda * qj;
        s->by[ATOM_Q][j] += b->by_q[k] * lambda * qi;
        s->lambda_slope += b->by_q[k] * qi * qj;
    }
    if (queue->model->uses_own) scatter_own(s, b, i, j, k);
    if (problem->sites_move) push_slope(s, i, j, b->r[k], b->by_r[k]);
}

static void flush(const fit_problem *problem, pair_scratch *s, pair_queue *queue)
{
    pair_batch *b = &queue->batch;
    const int32_t n_globals = problem->n_globals;
    const double *globals = &s->p[FIT_N_COMPS * problem->n_types];
    if (b->n == 0) return;
    b->scale_b = s->part[1];
    b->scale_a = s->part[2];
    queue->model->eval(queue->model, globals, s->derivatives, b);
    for (int32_t k = 0; k < b->n; ++k) s->energy += b->e[k];
    if (s->derivatives) {
        for (int32_t k = 0; k < b->n; ++k) scatter_pair(problem, s, queue, k);
        double *slope = &s->slope[FIT_N_COMPS * problem->n_types];
        for (int32_t g = 0; g < n_globals; ++g) {
            if (!(queue->model->globals_used >> g & 1u)) continue;
            for (int32_t k = 0; k < b->n; ++k) slope[g] += b->by_global[g][k];
        }
    }
    b->n = 0;
}

/* Adds a pair to a queue; a full one goes through the model first. */
static void enqueue(const fit_problem *problem, pair_scratch *s, pair_queue *queue, int32_t i,
                    int32_t j)
{
    pair_batch *b = &queue->batch;
    if (b->n == FIT_BATCH) flush(problem, s, queue);
    const int32_t k = b->n++;
    const double *radius = s->at[ATOM_RADIUS], *root = s->at[ATOM_ROOT];
    const double hi = s->at[ATOM_H][i], hj = s->at[ATOM_H][j], h = hi * hj;
    const double qi = s->no_charges ? 0.0 : s->at[ATOM_Q][i], qj = s->at[ATOM_Q][j];
    queue->i[k] = i;
    queue->j[k] = j;
    b->r[k] = s->r[j];
    b->r0[k] = !queue->sites ? radius[i] + radius[j] : radius[s->is_site[i] ? i : j];
    b->e0[k] = queue->sites ? 1.0 : root[i] * root[j];
    b->h[k] = h < 0.0 && !s->no_hbonds ? h : 0.0;
    b->q[k] = s->p[FIT_N_COMPS * problem->n_types + FIT_LAMBDA] * qi * qj;
    if (!queue->model->uses_own) return;
    const double own[N_OWN] = {radius[i],
                               radius[j],
                               root[i] * root[i],
                               root[j] * root[j],
                               qi,
                               s->no_charges ? 0.0 : qj,
                               s->no_hbonds ? 0.0 : hi,
                               s->no_hbonds ? 0.0 : hj};
    for (int m = 0; m < N_OWN; ++m) b->own[m][k] = own[m];
}

static void add_coulomb(const fit_problem *problem, pair_scratch *s, int32_t i, int32_t j)
{
    double slope;
    const double *globals = &s->p[FIT_N_COMPS * problem->n_types];
    const double lambda = globals[FIT_LAMBDA], damping = globals[FIT_COULOMB_D];
    const double k = COULOMB_CONSTANT * s->part[0], r = s->r[j];
    const double g = k * fit_coulomb_kernel(problem->coulomb, damping, r, &slope);
    const double qi = s->at[ATOM_Q][i], qj = s->at[ATOM_Q][j], qq = qi * qj;
    s->energy += lambda * g * qq;
    if (!s->derivatives) return;
    s->by[ATOM_Q][i] += lambda * g * qj;
    s->by[ATOM_Q][j] += lambda * g * qi;
    s->lambda_slope += g * qq;
    if (problem->damping_moves)
        s->damping_slope += lambda * k * qq * fit_coulomb_by_damping(problem->coulomb, damping, r);
    if (problem->sites_move) push_slope(s, i, j, r, lambda * k * slope * qq);
}

/* The same for one atom and all of the other fragment, if it is plain and nothing moves. */
static void add_plain_row(const fit_problem *problem, pair_scratch *restrict s, int32_t i)
{
    const double lambda = s->p[FIT_N_COMPS * problem->n_types + FIT_LAMBDA];
    const double k = COULOMB_CONSTANT * s->part[0], qi = s->at[ATOM_Q][i];
    const int32_t first = s->sample->n_first, n = s->sample->n_atoms;
    const double *restrict q = s->at[ATOM_Q], *restrict r = s->r;
    double *restrict by_q = s->by[ATOM_Q];
    double sum = 0.0;
    for (int32_t j = first; j < n; ++j) {
        const double g = k / r[j];
        sum += g * q[j];
        by_q[j] += lambda * qi * g;
    }
    s->energy += lambda * qi * sum;
    s->lambda_slope += qi * sum;
    by_q[i] += lambda * sum;
}

static void place_atoms(const fit_problem *problem, pair_scratch *s)
{
    const shoal_dataset *data = problem->data;
    const int32_t start = s->sample->atom_start;
    for (int32_t i = 0; i < s->sample->n_atoms; ++i) {
        const int32_t host = data->host[start + i];
        const bool moves = problem->sites_move && host >= 0;
        const double length = moves ? s->p[problem->site_slot[data->type[start + i]]] : 0.0;
        const double *at = data->pos[moves ? start + host : start + i];
        for (int k = 0; k < 3; ++k)
            s->at[ATOM_X + k][i] = moves ? at[k] + length * data->dir[start + i][k] : at[k];
        s->is_site[i] = host >= 0;
    }
}

/* Parameters of the atoms; radii with their charges before sites took their share. */
static void set_atoms(const fit_problem *problem, pair_scratch *s)
{
    const double c = s->p[FIT_N_COMPS * problem->n_types + FIT_RADIUS_C];
    const int32_t *type = &problem->data->type[s->sample->atom_start];
    for (int32_t i = 0; i < s->sample->n_atoms; ++i) {
        const double *p = &s->p[FIT_N_COMPS * type[i]];
        s->at[ATOM_RADIUS][i] =
            problem->charged_radii ? p[FIT_R] - c * s->at[ATOM_WHOLE][i] : p[FIT_R];
        s->at[ATOM_ROOT][i] = p[FIT_Y];
        s->at[ATOM_H][i] = p[FIT_H];
    }
    for (int k = 0; k < N_ATOM; ++k)
        memset(s->by[k], 0, (size_t)s->sample->n_atoms * sizeof *s->by[k]);
}

/* From slopes by the numbers of atoms to those by the slots. */
static void gather(const fit_problem *problem, pair_scratch *s)
{
    const shoal_dataset *data = problem->data;
    const int32_t globals = FIT_N_COMPS * problem->n_types, start = s->sample->atom_start;
    const double c = s->p[globals + FIT_RADIUS_C];
    for (int32_t i = 0; i < s->sample->n_atoms; ++i) {
        double *slope = &s->slope[FIT_N_COMPS * data->type[start + i]];
        slope[FIT_R] += s->by[ATOM_RADIUS][i];
        slope[FIT_Y] += s->by[ATOM_ROOT][i];
        slope[FIT_H] += s->by[ATOM_H][i];
        if (problem->charged_radii)
            s->slope[globals + FIT_RADIUS_C] -= s->by[ATOM_RADIUS][i] * s->at[ATOM_WHOLE][i];
        s->by[ATOM_WHOLE][i] = problem->charged_radii ? -c * s->by[ATOM_RADIUS][i] : 0.0;
        if (!problem->sites_move || !s->is_site[i]) continue;
        double *by_length = &s->slope[problem->site_slot[data->type[start + i]]];
        for (int k = 0; k < 3; ++k) *by_length += s->by[ATOM_X + k][i] * data->dir[start + i][k];
    }
    fit_charges_back(problem, s->sample, s->by[ATOM_Q], s->by[ATOM_WHOLE], s->slope);
    s->slope[globals + FIT_LAMBDA] += s->lambda_slope;
    s->slope[globals + FIT_COULOMB_D] += s->damping_slope;
}

static void measure_row(pair_scratch *restrict s, int32_t i)
{
    const double *restrict x = s->at[ATOM_X], *restrict y = s->at[ATOM_Y],
                           *restrict z = s->at[ATOM_Z];
    double *restrict r = s->r;
    const double xi = x[i], yi = y[i], zi = z[i];
    for (int32_t j = s->sample->n_first; j < s->sample->n_atoms; ++j) {
        const double dx = xi - x[j], dy = yi - y[j], dz = zi - z[j];
        const double length = sqrt(dx * dx + dy * dy + dz * dz);
        r[j] = length > FIT_R_FLOOR ? length : FIT_R_FLOOR;
    }
}

/* All pairs of an atom of the first fragment. */
static void visit_row(const fit_problem *problem, pair_scratch *s, int32_t i)
{
    const bool plain = problem->coulomb == SHOAL_COULOMB_PLAIN && !problem->sites_move &&
                       !problem->model.own_coulomb;
    measure_row(s, i);
    if (plain && !s->no_charges) add_plain_row(problem, s, i);
    for (int32_t j = s->sample->n_first; j < s->sample->n_atoms; ++j) {
        const int32_t n_sites = s->is_site[i] + s->is_site[j];
        if (n_sites == 0)
            enqueue(problem, s, &s->atoms, i, j);
        else if (n_sites == 1 && problem->site_model)
            enqueue(problem, s, &s->sites, i, j);
        if (!plain && !s->no_charges && (n_sites > 0 || !problem->model.own_coulomb))
            add_coulomb(problem, s, i, j);
    }
}

/* Energy of a sample and, with derivatives, slope by all slots. */
static void eval_sample(const fit_problem *problem, pair_scratch *s, const fit_sample *sample,
                        const double *p)
{
    s->sample = sample;
    s->p = p;
    s->energy = s->lambda_slope = s->damping_slope = 0.0;
    place_atoms(problem, s);
    fit_charges(problem, sample, p, s->at[ATOM_Q], s->at[ATOM_WHOLE]);
    set_atoms(problem, s);
    if (s->derivatives) memset(s->slope, 0, (size_t)problem->n_slots * sizeof *s->slope);
    for (int32_t i = 0; i < sample->n_first; ++i) visit_row(problem, s, i);
    flush(problem, s, &s->atoms);
    if (problem->site_model) flush(problem, s, &s->sites);
    if (s->derivatives) gather(problem, s);
}

static int thread_number(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
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
        pair_scratch *s = ev->scratch[thread_number()];
        memcpy(s->part, problem->part_scale[i], sizeof s->part);
        s->derivatives = rows != NULL;
        eval_sample(problem, s, &problem->data->samples[problem->source[i]], p);
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
    free(ev);
}

static shoal_status create(fit_evaluator **out, const fit_problem *problem, int32_t n_threads);

/* Clones work side by side, each in one thread. */
static shoal_status pair_clone(const fit_evaluator *ev, fit_evaluator **out)
{
    return create(out, ev->problem, 1);
}

static shoal_status create(fit_evaluator **out, const fit_problem *problem, int32_t n_threads)
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
    ev->scratch = shoal_alloc((size_t)n_threads, sizeof *ev->scratch);
    bool complete = ev->scratch != NULL;
    for (int32_t t = 0; complete && t < n_threads; ++t) {
        ev->scratch[t] = scratch_create(problem);
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
    return create(out, problem, small ? 1 : problem->n_threads);
}

static double energy_without(const fit_problem *problem, pair_scratch *s, const fit_sample *sample,
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
    pair_scratch *s = scratch_create(problem);
    if (!s) return SHOAL_E_MEMORY;
    s->part[0] = s->part[1] = s->part[2] = 1.0;
    const fit_model *site_model = problem->site_model;
    fit_problem bare = *problem;
    for (int32_t i = 0; i < problem->data->n_samples; ++i) {
        const fit_sample *sample = &problem->data->samples[i];
        double *part = parts[i];
        const double all = energy_without(problem, s, sample, p, false, false);
        const double neutral = energy_without(problem, s, sample, p, true, false);
        bare.site_model = NULL;
        const double no_sites =
            site_model ? energy_without(&bare, s, sample, p, true, false) : neutral;
        const double plain = energy_without(&bare, s, sample, p, true, true);
        part[SHOAL_PART_COULOMB] = all - neutral;
        part[SHOAL_PART_SITE] = neutral - no_sites;
        part[SHOAL_PART_HBOND] = no_sites - plain;
        part[SHOAL_PART_VDW] = plain;
    }
    scratch_destroy(s);
    return SHOAL_OK;
}
