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
    double unit[FIT_BATCH][3];
} pair_queue;

/* What one thread needs for a sample. Atom arrays have room for the largest sample. */
typedef struct pair_scratch {
    pair_queue atoms, sites;
    double (*pos)[3], (*by_pos)[3]; /* by_pos: dE/dposition, with moving sites */
    double *q, *by_q;
    double *whole, *radius, *by_radius; /* charges before sites took theirs; R - c q */
    double *slope;                      /* [n_slots] */
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
    free(s->pos);
    free(s->by_pos);
    free(s->q);
    free(s->by_q);
    free(s->whole);
    free(s->radius);
    free(s->by_radius);
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
    s->pos = shoal_alloc(most, sizeof *s->pos);
    s->by_pos = shoal_alloc(most, sizeof *s->by_pos);
    s->q = shoal_alloc(most, sizeof *s->q);
    s->by_q = shoal_alloc(most, sizeof *s->by_q);
    s->whole = shoal_alloc(most, sizeof *s->whole);
    s->radius = shoal_alloc(most, sizeof *s->radius);
    s->by_radius = shoal_alloc(most, sizeof *s->by_radius);
    s->slope = shoal_alloc((size_t)problem->n_slots, sizeof *s->slope);
    s->atoms.model = &problem->model;
    s->sites.model = problem->site_model;
    s->sites.sites = true;
    if (s->pos && s->by_pos && s->q && s->by_q && s->whole && s->radius && s->by_radius && s->slope)
        return s;
    scratch_destroy(s);
    return NULL;
}

static const double *type_slots(const fit_problem *problem, const pair_scratch *s, int32_t atom)
{
    return &s->p[FIT_N_COMPS * problem->data->type[s->sample->atom_start + atom]];
}

static double *slope_slots(const fit_problem *problem, pair_scratch *s, int32_t atom)
{
    return &s->slope[FIT_N_COMPS * problem->data->type[s->sample->atom_start + atom]];
}

static bool is_site(const fit_problem *problem, const pair_scratch *s, int32_t atom)
{
    return problem->data->host[s->sample->atom_start + atom] >= 0;
}

static void push_slope(pair_scratch *s, int32_t i, int32_t j, const double unit[3], double by_r)
{
    for (int k = 0; k < 3; ++k) {
        s->by_pos[i][k] += by_r * unit[k];
        s->by_pos[j][k] -= by_r * unit[k];
    }
}

/* Derivatives of a pair by the parameters of its atoms. */
static void scatter_pair(const fit_problem *problem, pair_scratch *s, const pair_queue *queue,
                         int32_t k)
{
    const pair_batch *b = &queue->batch;
    const int32_t i = queue->i[k], j = queue->j[k];
    const double *pi = type_slots(problem, s, i), *pj = type_slots(problem, s, j);
    double *gi = slope_slots(problem, s, i), *gj = slope_slots(problem, s, j);
    if (queue->sites) {
        (is_site(problem, s, i) ? gi : gj)[FIT_R] += b->by_r0[k];
    } else {
        s->by_radius[i] += b->by_r0[k];
        s->by_radius[j] += b->by_r0[k];
        gi[FIT_Y] += b->by_e0[k] * pj[FIT_Y];
        gj[FIT_Y] += b->by_e0[k] * pi[FIT_Y];
    }
    if (pi[FIT_H] * pj[FIT_H] < 0.0) {
        gi[FIT_H] += b->by_h[k] * pj[FIT_H];
        gj[FIT_H] += b->by_h[k] * pi[FIT_H];
    }
    if (queue->model->own_coulomb) {
        const double lambda = s->p[FIT_N_COMPS * problem->n_types + FIT_LAMBDA];
        s->by_q[i] += b->by_q[k] * lambda * s->q[j];
        s->by_q[j] += b->by_q[k] * lambda * s->q[i];
        s->lambda_slope += b->by_q[k] * s->q[i] * s->q[j];
    }
    if (queue->model->uses_own) {
        gi[FIT_R] += b->by_own[OWN_RI][k];
        gj[FIT_R] += b->by_own[OWN_RJ][k];
        gi[FIT_Y] += b->by_own[OWN_EI][k] * 2.0 * pi[FIT_Y];
        gj[FIT_Y] += b->by_own[OWN_EJ][k] * 2.0 * pj[FIT_Y];
        s->by_q[i] += b->by_own[OWN_QI][k];
        s->by_q[j] += b->by_own[OWN_QJ][k];
        gi[FIT_H] += b->by_own[OWN_HI][k];
        gj[FIT_H] += b->by_own[OWN_HJ][k];
    }
    if (problem->sites_move) push_slope(s, i, j, queue->unit[k], b->by_r[k]);
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
                    int32_t j, double r, const double unit[3])
{
    pair_batch *b = &queue->batch;
    if (b->n == FIT_BATCH) flush(problem, s, queue);
    const int32_t k = b->n++;
    const double *pi = type_slots(problem, s, i), *pj = type_slots(problem, s, j);
    const double h = pi[FIT_H] * pj[FIT_H];
    queue->i[k] = i;
    queue->j[k] = j;
    memcpy(queue->unit[k], unit, sizeof queue->unit[k]);
    b->r[k] = r;
    b->r0[k] =
        !queue->sites ? s->radius[i] + s->radius[j] : (is_site(problem, s, i) ? pi : pj)[FIT_R];
    b->e0[k] = queue->sites ? 1.0 : pi[FIT_Y] * pj[FIT_Y];
    b->h[k] = h < 0.0 && !s->no_hbonds ? h : 0.0;
    b->q[k] =
        s->no_charges ? 0.0 : s->p[FIT_N_COMPS * problem->n_types + FIT_LAMBDA] * s->q[i] * s->q[j];
    if (!queue->model->uses_own) return;
    const double qi = s->no_charges ? 0.0 : s->q[i], qj = s->no_charges ? 0.0 : s->q[j];
    const double hi = s->no_hbonds ? 0.0 : pi[FIT_H], hj = s->no_hbonds ? 0.0 : pj[FIT_H];
    const double own[N_OWN] = {
        pi[FIT_R], pj[FIT_R], pi[FIT_Y] * pi[FIT_Y], pj[FIT_Y] * pj[FIT_Y], qi, qj, hi, hj};
    for (int m = 0; m < N_OWN; ++m) b->own[m][k] = own[m];
}

static void add_coulomb(const fit_problem *problem, pair_scratch *s, int32_t i, int32_t j, double r,
                        const double unit[3])
{
    double slope;
    const double *globals = &s->p[FIT_N_COMPS * problem->n_types];
    const double lambda = globals[FIT_LAMBDA], damping = globals[FIT_COULOMB_D];
    const double k = COULOMB_CONSTANT * s->part[0];
    const double g = k * fit_coulomb_kernel(problem->coulomb, damping, r, &slope);
    const double qq = s->q[i] * s->q[j];
    s->energy += lambda * g * qq;
    if (!s->derivatives) return;
    s->by_q[i] += lambda * g * s->q[j];
    s->by_q[j] += lambda * g * s->q[i];
    s->lambda_slope += g * qq;
    if (problem->damping_moves)
        s->damping_slope += lambda * k * qq * fit_coulomb_by_damping(problem->coulomb, damping, r);
    if (problem->sites_move) push_slope(s, i, j, unit, lambda * k * slope * qq);
}

static void place_atoms(const fit_problem *problem, pair_scratch *s)
{
    const shoal_dataset *data = problem->data;
    const int32_t start = s->sample->atom_start, n = s->sample->n_atoms;
    memcpy(s->pos, &data->pos[start], (size_t)n * sizeof *s->pos);
    if (!problem->sites_move) return;
    memset(s->by_pos, 0, (size_t)n * sizeof *s->by_pos);
    for (int32_t i = 0; i < n; ++i) {
        const int32_t host = data->host[start + i];
        if (host < 0) continue;
        const double length = s->p[problem->site_slot[data->type[start + i]]];
        for (int k = 0; k < 3; ++k)
            s->pos[i][k] = data->pos[start + host][k] + length * data->dir[start + i][k];
    }
}

static void visit_pair(const fit_problem *problem, pair_scratch *s, int32_t i, int32_t j)
{
    const double x = s->pos[i][0] - s->pos[j][0], y = s->pos[i][1] - s->pos[j][1],
                 z = s->pos[i][2] - s->pos[j][2];
    const double length = sqrt(x * x + y * y + z * z), r = fmax(length, FIT_R_FLOOR);
    const double unit[3] = {x / r, y / r, z / r};
    const int n_sites = is_site(problem, s, i) + is_site(problem, s, j);
    if (n_sites == 0)
        enqueue(problem, s, &s->atoms, i, j, r, unit);
    else if (n_sites == 1 && problem->site_model)
        enqueue(problem, s, &s->sites, i, j, r, unit);
    if (n_sites > 0 || !problem->model.own_coulomb)
        if (!s->no_charges) add_coulomb(problem, s, i, j, r, unit);
}

/* R - c q of the atoms, with their charges before sites took their share. */
static void set_radii(const fit_problem *problem, pair_scratch *s)
{
    const double c = s->p[FIT_N_COMPS * problem->n_types + FIT_RADIUS_C];
    for (int32_t i = 0; i < s->sample->n_atoms; ++i) {
        const double r = type_slots(problem, s, i)[FIT_R];
        s->radius[i] = problem->charged_radii ? r - c * s->whole[i] : r;
        s->by_radius[i] = 0.0;
    }
}

/* From slopes by R - c q to those by R, c and q. The last replace by_radius. */
static void radii_back(const fit_problem *problem, pair_scratch *s)
{
    const int32_t at = FIT_N_COMPS * problem->n_types + FIT_RADIUS_C;
    for (int32_t i = 0; i < s->sample->n_atoms; ++i) {
        slope_slots(problem, s, i)[FIT_R] += s->by_radius[i];
        if (!problem->charged_radii) continue;
        s->slope[at] -= s->by_radius[i] * s->whole[i];
        s->by_radius[i] *= -s->p[at];
    }
}

/* Energy of a sample and, with derivatives, slope by all slots. */
static void eval_sample(const fit_problem *problem, pair_scratch *s, const fit_sample *sample,
                        const double *p)
{
    const shoal_dataset *data = problem->data;
    s->sample = sample;
    s->p = p;
    s->energy = s->lambda_slope = s->damping_slope = 0.0;
    place_atoms(problem, s);
    fit_charges(problem, sample, p, s->q, s->whole);
    set_radii(problem, s);
    if (s->derivatives) {
        memset(s->slope, 0, (size_t)problem->n_slots * sizeof *s->slope);
        memset(s->by_q, 0, (size_t)sample->n_atoms * sizeof *s->by_q);
    }
    for (int32_t i = 0; i < sample->n_first; ++i)
        for (int32_t j = sample->n_first; j < sample->n_atoms; ++j) visit_pair(problem, s, i, j);
    flush(problem, s, &s->atoms);
    if (problem->site_model) flush(problem, s, &s->sites);
    if (!s->derivatives) return;
    radii_back(problem, s);
    fit_charges_back(problem, sample, s->by_q, problem->charged_radii ? s->by_radius : NULL,
                     s->slope);
    s->slope[FIT_N_COMPS * problem->n_types + FIT_LAMBDA] += s->lambda_slope;
    s->slope[FIT_N_COMPS * problem->n_types + FIT_COULOMB_D] += s->damping_slope;
    if (!problem->sites_move) return;
    for (int32_t i = 0; i < sample->n_atoms; ++i) {
        const int32_t at = sample->atom_start + i;
        if (data->host[at] < 0) continue;
        double *slope = &s->slope[problem->site_slot[data->type[at]]];
        for (int k = 0; k < 3; ++k) *slope += s->by_pos[i][k] * data->dir[at][k];
    }
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
