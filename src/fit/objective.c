/* SPDX-License-Identifier: BSD-3-Clause
 * The objective: data term plus walls and tethers, its slope and its Gauss-Newton matrix. */
#include "fit/families.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#include "constants.h"

/* U(x) of the walls and the tether of the file, eV^2, and its derivatives by x in the file's unit. */
static double restrain(const fit_dof *dof, double x, double *slope, double *curvature)
{
    const double unit = KCAL_EV * KCAL_EV, k0 = unit * dof->k0;
    const double u = 0.5 * k0 * (x - dof->start) * (x - dof->start);
    *slope = k0 * (x - dof->start);
    *curvature = k0;
    if (!dof->walls) return u;
    const double k = unit * (x < dof->xlo ? dof->klo : x > dof->xhi ? dof->khi : 0.0);
    const double d = x - (x < dof->xlo ? dof->xlo : dof->xhi);
    *slope += k * d;
    *curvature += k;
    return u + 0.5 * k * d * d;
}

void objective_destroy(fit_objective *o)
{
    if (!o) return;
    if (o->owns_evaluator && o->evaluator) o->evaluator->destroy(o->evaluator);
    free(o->weight);
    free(o->lower);
    free(o->upper);
    free(o->start);
    free(o->p);
    free(o->slope);
    free(o->energy);
    free(o->rows);
    free(o->local);
    free(o->seen);
    free(o->family_mean);
    free(o->family_size);
    free(o);
}

static bool allocate(fit_objective *o, const fit_problem *problem)
{
    const size_t n = (size_t)problem->n_free, samples = (size_t)problem->n_samples;
    o->weight = shoal_alloc(samples, sizeof *o->weight);
    o->lower = shoal_alloc(n, sizeof *o->lower);
    o->upper = shoal_alloc(n, sizeof *o->upper);
    o->start = shoal_alloc(n, sizeof *o->start);
    o->p = shoal_alloc((size_t)problem->n_slots, sizeof *o->p);
    o->slope = shoal_alloc((size_t)problem->n_slots, sizeof *o->slope);
    o->energy = shoal_alloc(samples, sizeof *o->energy);
    o->rows = shoal_alloc((size_t)problem->row_start[samples], sizeof *o->rows);
    o->local = shoal_alloc(n * n, sizeof *o->local);
    o->seen = shoal_alloc((size_t)problem->data->n_dimers, sizeof *o->seen);
    o->family_mean = shoal_alloc((size_t)o->fit->n_families, sizeof *o->family_mean);
    o->family_size = shoal_alloc((size_t)o->fit->n_families, sizeof *o->family_size);
    return o->weight && o->lower && o->upper && o->start && o->p && o->slope && o->energy &&
           o->rows && o->local && o->seen && o->family_mean && o->family_size;
}

shoal_status objective_create(fit_objective **out, const shoal_fit *fit, bool clone)
{
    *out = NULL;
    fit_objective *o = shoal_alloc(1, sizeof *o);
    if (!o) return SHOAL_E_MEMORY;
    o->fit = fit;
    o->n = fit->problem.n_free;
    o->owns_evaluator = clone;
    o->pool = fit->pool;
    shoal_status status = SHOAL_OK;
    if (clone)
        status = fit->evaluator->clone(fit->evaluator, &o->evaluator);
    else
        o->evaluator = fit->evaluator;
    if (status == SHOAL_OK && !allocate(o, &fit->problem)) status = SHOAL_E_MEMORY;
    if (status != SHOAL_OK) {
        objective_destroy(o);
        return status;
    }
    for (int32_t i = 0; i < o->n; ++i) {
        const fit_dof *dof = &fit->dofs[fit->free_dofs[i]];
        o->lower[i] = fit_dof_scaled(dof, dof->min);
        o->upper[i] = fit_dof_scaled(dof, dof->max);
        o->start[i] = fit_dof_scaled(dof, dof->start);
    }
    o->target = (fit_target){.reference = fit->reference,
                             .weight = o->weight,
                             .clamp_from = fit->options.clamp_from,
                             .clamp_to = fit->options.clamp_to};
    memcpy(o->p, fit->problem.fixed, (size_t)fit->problem.n_slots * sizeof *o->p);
    *out = o;
    return objective_select(o, NULL);
}

/* Weights that add up to 1, and the dimers that count. */
static shoal_status settle_weights(fit_objective *o)
{
    const fit_problem *problem = &o->fit->problem;
    double sum = 0.0;
    o->n_dimers = 0;
    memset(o->seen, 0, (size_t)problem->data->n_dimers * sizeof *o->seen);
    for (int32_t i = 0; i < problem->n_samples; ++i) {
        sum += o->weight[i];
        const int32_t dimer = problem->data->samples[problem->source[i]].dimer;
        if (!(o->weight[i] > 0.0) || o->seen[dimer]) continue;
        o->seen[dimer] = true;
        o->n_dimers++;
    }
    if (!(sum > 0.0))
        return shoal_fail(SHOAL_E_ARGUMENT, "no sample with a weight above 0 is left to fit");
    for (int32_t i = 0; i < problem->n_samples; ++i) o->weight[i] /= sum;
    return SHOAL_OK;
}

shoal_status objective_select(fit_objective *o, const bool *keep)
{
    const fit_problem *problem = &o->fit->problem;
    for (int32_t i = 0; i < problem->n_samples; ++i)
        o->weight[i] = !keep || keep[problem->source[i]] ? o->fit->weight[i] : 0.0;
    return settle_weights(o);
}

shoal_status objective_weigh(fit_objective *o, const double *factor)
{
    const fit_problem *problem = &o->fit->problem;
    for (int32_t i = 0; i < problem->n_samples; ++i)
        o->weight[i] = o->fit->weight[i] * factor[problem->data->samples[problem->source[i]].dimer];
    return settle_weights(o);
}

void objective_types(const fit_objective *o, bool *present)
{
    const fit_problem *problem = &o->fit->problem;
    for (int32_t t = 0; t < problem->n_types; ++t) present[t] = false;
    for (int32_t i = 0; i < problem->n_samples; ++i) {
        const fit_sample *s = &problem->data->samples[problem->source[i]];
        for (int32_t k = 0; k < s->n_atoms && o->weight[i] > 0.0; ++k)
            present[problem->data->type[s->atom_start + k]] = true;
        for (int32_t k = 0; k < s->n_bonds && o->weight[i] > 0.0; ++k)
            present[problem->data->bonds[s->bond_start + k].type] = true;
    }
}

static void set_slots(fit_objective *o, const double *u)
{
    for (int32_t i = 0; i < o->n; ++i) {
        const fit_dof *dof = &o->fit->dofs[o->fit->free_dofs[i]];
        o->p[dof->slot] = u[i] * dof->scale;
    }
}

/* Adds walls and tethers to J, its slope and the diagonal of its matrix (a may be NULL). */
static double add_restraints(const fit_objective *o, const double *u, double *g, double *a)
{
    double sum = 0.0;
    for (int32_t i = 0; i < o->n; ++i) {
        const fit_dof *dof = &o->fit->dofs[o->fit->free_dofs[i]];
        double slope, curvature;
        const double rate = fit_dof_rate(dof, u[i]), pull = u[i] - o->start[i];
        const double tether = KCAL_EV * KCAL_EV * dof->tether;
        const bool bent = dof->type >= 0 && dof->comp == FIT_Y; /* x = (scale u)^2 */
        sum += restrain(dof, fit_dof_value(dof, u[i]), &slope, &curvature);
        sum += 0.5 * tether * pull * pull;
        g[i] += slope * rate + tether * pull;
        if (!a) continue;
        if (o->open_walls) {
            curvature = KCAL_EV * KCAL_EV * dof->k0;
            slope = curvature * (fit_dof_value(dof, u[i]) - dof->start);
        }
        const double bend = bent ? 2.0 * dof->scale * dof->scale * slope : 0.0;
        a[i * o->n + i] += fmax(curvature * rate * rate + bend, 0.0) + tether;
    }
    return sum;
}

/* Slopes by slots from rows, summed in the order of the samples. */
static shoal_status slope_of_rows(fit_objective *o, double *j)
{
    const fit_problem *problem = &o->fit->problem;
    SHOAL_TRY(o->evaluator->rows(o->evaluator, o->p, o->energy, o->rows));
    memset(o->slope, 0, (size_t)problem->n_slots * sizeof *o->slope);
    *j = 0.0;
    for (int32_t i = 0; i < problem->n_samples; ++i) {
        double slope;
        const fit_block *block = &problem->blocks[problem->block_of[i]];
        const double *row = &o->rows[problem->row_start[i]];
        const double c = fit_residual(&o->target, o->energy[i] - o->target.reference[i], &slope);
        if (o->weight[i] == 0.0) continue;
        *j += 0.5 * o->weight[i] * c * c;
        const double v = o->weight[i] * c * slope;
        for (int32_t k = 0; k < block->n_columns; ++k)
            o->slope[problem->column_slot[block->columns[k]]] += v * row[k];
    }
    return SHOAL_OK;
}

shoal_status objective_value(fit_objective *o, const double *u, double *j, double *g)
{
    set_slots(o, u);
    o->evaluations++;
    if (o->evaluator->slope)
        SHOAL_TRY(o->evaluator->slope(o->evaluator, o->p, &o->target, j, o->slope));
    else
        SHOAL_TRY(slope_of_rows(o, j));
    for (int32_t i = 0; i < o->n; ++i) {
        const fit_dof *dof = &o->fit->dofs[o->fit->free_dofs[i]];
        g[i] = o->slope[dof->slot] * dof->scale;
    }
    *j += add_restraints(o, u, g, NULL) + objective_pool(o, u, g, NULL);
    return SHOAL_OK;
}

/* Adds w r r^T of a row of n numbers to the upper half of local[n][n]. */
static void add_outer(double *local, const double *row, double w, int32_t n)
{
    for (int32_t i = 0; i < n; ++i) {
        const double f = w * row[i];
        double *to = &local[i * n];
        for (int32_t k = i; k < n; ++k) to[k] += f * row[k];
    }
}

/* Outer products of the rows of a block, in its own columns. */
static void add_block(fit_objective *o, const fit_block *block, double *j, double *g, double *a)
{
    const fit_problem *problem = &o->fit->problem;
    const int32_t n = block->n_columns;
    memset(o->local, 0, (size_t)n * (size_t)n * sizeof *o->local);
    for (int32_t i = block->first; i < block->first + block->n; ++i) {
        double slope;
        const double *row = &o->rows[problem->row_start[i]], w = o->weight[i];
        const double c = fit_residual(&o->target, o->energy[i] - o->target.reference[i], &slope);
        if (w == 0.0) continue;
        *j += 0.5 * w * c * c;
        for (int32_t k = 0; k < n; ++k) g[block->columns[k]] += w * c * slope * row[k];
        add_outer(o->local, row, w * slope * slope, n);
    }
    for (int32_t i = 0; i < n; ++i)
        for (int32_t k = i; k < n; ++k)
            a[block->columns[i] * o->n + block->columns[k]] += o->local[i * n + k];
}

shoal_status objective_matrix(fit_objective *o, const double *u, double *j, double *g, double *a,
                              double *data)
{
    const fit_problem *problem = &o->fit->problem;
    const int32_t n = o->n;
    set_slots(o, u);
    o->evaluations++;
    SHOAL_TRY(o->evaluator->rows(o->evaluator, o->p, o->energy, o->rows));
    memset(a, 0, (size_t)n * (size_t)n * sizeof *a);
    memset(g, 0, (size_t)n * sizeof *g);
    *j = 0.0;
    for (int32_t b = 0; b < problem->n_blocks; ++b) add_block(o, &problem->blocks[b], j, g, a);
    for (int32_t i = 0; i < n; ++i) {
        const double s = o->fit->dofs[o->fit->free_dofs[i]].scale;
        g[i] *= s;
        for (int32_t k = i; k < n; ++k)
            a[k * n + i] = a[i * n + k] *= s * o->fit->dofs[o->fit->free_dofs[k]].scale;
    }
    if (data) memcpy(data, a, (size_t)n * (size_t)n * sizeof *a);
    *j += add_restraints(o, u, g, a) + objective_pool(o, u, g, a);
    return SHOAL_OK;
}

shoal_status objective_rmse(fit_objective *o, const double *u, double *rmse, double *energy)
{
    const int32_t n = o->fit->problem.n_samples;
    set_slots(o, u);
    SHOAL_TRY(o->evaluator->energies(o->evaluator, o->p, o->energy));
    double sum = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        const double d = o->energy[i] - o->target.reference[i];
        if (o->weight[i] > 0.0) sum += o->weight[i] * d * d;
    }
    if (energy) memcpy(energy, o->energy, (size_t)n * sizeof *energy);
    *rmse = sqrt(sum);
    return SHOAL_OK;
}

double objective_projected(const fit_objective *o, const double *u, const double *g)
{
    double most = 0.0;
    for (int32_t i = 0; i < o->n; ++i) {
        const bool held =
            (u[i] <= o->lower[i] && g[i] > 0.0) || (u[i] >= o->upper[i] && g[i] < 0.0);
        if (!isfinite(g[i])) return NAN; /* fmax would pass over it */
        if (!held) most = fmax(most, fabs(g[i]));
    }
    return most;
}
