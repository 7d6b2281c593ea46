/* SPDX-License-Identifier: BSD-3-Clause
 * Atoms of samples at places along arrays: what stays, and what follows the parameters. */
#include "fit/pair_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#include "constants.h"

#define FAR_AWAY 100.0 /* angstrom */

static void put_place(pair_layout *l, const fit_problem *problem, const fit_sample *s, int32_t i,
                      int32_t at)
{
    const shoal_dataset *data = problem->data;
    const int32_t atom = s->atom_start + i;
    l->atom[at] = i;
    l->slot[at] = FIT_N_COMPS * data->type[atom];
    l->charge[at] = data->charge[atom];
    for (int k = 0; k < 3; ++k) l->pos[k][at] = data->pos[atom][k];
}

/* Atoms of a fragment, or its sites, from place at on; the end of their whole lanes. */
static int32_t put_kind(pair_layout *l, const fit_problem *problem, const fit_sample *s, int kind,
                        int32_t at, int32_t *n)
{
    const int32_t from = kind < 2 ? 0 : s->n_first, to = kind < 2 ? s->n_first : s->n_atoms;
    const int32_t first = at;
    for (int32_t i = from; i < to; ++i)
        if ((problem->data->host[s->atom_start + i] >= 0) == (kind % 2 == 1))
            put_place(l, problem, s, i, at++);
    *n = at - first;
    for (; (at - first) % PAIR_LANES != 0; ++at) {
        l->atom[at] = l->slot[at] = -1;
        l->charge[at] = l->pos[1][at] = l->pos[2][at] = 0.0;
        l->pos[0][at] = FAR_AWAY;
    }
    return at;
}

/* Is the charge of every atom that of its frame, whatever the parameters? */
static bool has_fixed_charges(const fit_problem *problem)
{
    const shoal_dataset *data = problem->data;
    for (int32_t s = 0; s < data->n_samples; ++s)
        if (data->samples[s].n_bonds > 0) return false; /* increments */
    for (int32_t i = 0; i < data->n_atoms; ++i)
        if (data->host[i] >= 0 || problem->type_charge[data->type[i]]) return false;
    return true;
}

static double coulomb_of(const fit_problem *problem, const fit_sample *s)
{
    const shoal_dataset *data = problem->data;
    const int32_t middle = s->atom_start + s->n_first, end = s->atom_start + s->n_atoms;
    double sum = 0.0, slope;
    for (int32_t i = s->atom_start; i < middle; ++i) {
        for (int32_t j = middle; j < end; ++j) {
            const double x = data->pos[i][0] - data->pos[j][0];
            const double y = data->pos[i][1] - data->pos[j][1];
            const double z = data->pos[i][2] - data->pos[j][2];
            const double r = fmax(sqrt(x * x + y * y + z * z), FIT_R_FLOOR);
            sum += data->charge[i] * data->charge[j] *
                   fit_coulomb_kernel(problem->coulomb, r, problem->coulomb_damping, &slope);
        }
    }
    return COULOMB_CONSTANT * sum;
}

static void fill_layout(pair_layout *l, const fit_problem *problem)
{
    int32_t at = 0;
    for (int32_t s = 0; s < problem->data->n_samples; ++s) {
        const fit_sample *sample = &problem->data->samples[s];
        pair_shape *shape = &l->shape[s];
        l->start[s] = at;
        for (int kind = 0; kind < 4; ++kind) {
            shape->from[kind] = at - l->start[s];
            at = put_kind(l, problem, sample, kind, at, &shape->n[kind]);
        }
        shape->from[4] = at - l->start[s];
        if (shape->from[4] > l->most) l->most = shape->from[4];
        if (l->coulomb) l->coulomb[s] = coulomb_of(problem, sample);
    }
}

shoal_status pair_layout_create(pair_layout **out, const fit_problem *problem)
{
    const size_t n_samples = (size_t)problem->data->n_samples;
    const size_t n = (size_t)problem->data->n_atoms + 4 * PAIR_LANES * n_samples;
    const bool constant =
        !problem->model.own_coulomb && !problem->damping_moves && has_fixed_charges(problem);
    pair_layout *l = shoal_alloc(1, sizeof *l);
    *out = NULL;
    if (!l) return SHOAL_E_MEMORY;
    l->start = shoal_alloc(n_samples, sizeof *l->start);
    l->shape = shoal_alloc(n_samples, sizeof *l->shape);
    l->atom = shoal_alloc(n, sizeof *l->atom);
    l->slot = shoal_alloc(n, sizeof *l->slot);
    l->charge = shoal_alloc(n, sizeof *l->charge);
    for (int k = 0; k < 3; ++k) l->pos[k] = shoal_alloc(n, sizeof *l->pos[k]);
    if (constant) l->coulomb = shoal_alloc(n_samples, sizeof *l->coulomb);
    if (!l->start || !l->shape || !l->atom || !l->slot || !l->charge || !l->pos[0] || !l->pos[1] ||
        !l->pos[2] || (constant && !l->coulomb)) {
        pair_layout_destroy(l);
        return SHOAL_E_MEMORY;
    }
    fill_layout(l, problem);
    *out = l;
    return SHOAL_OK;
}

void pair_layout_destroy(pair_layout *l)
{
    if (!l) return;
    free(l->start);
    free(l->shape);
    free(l->atom);
    free(l->slot);
    free(l->charge);
    for (int k = 0; k < 3; ++k) free(l->pos[k]);
    free(l->coulomb);
    free(l);
}

shoal_status pair_places_open(pair_places *places, const pair_layout *layout)
{
    const size_t most = (size_t)layout->most;
    *places = (pair_places){.numbers = shoal_alloc((N_AT + N_BY) * most, sizeof(double))};
    if (!places->numbers) return SHOAL_E_MEMORY;
    double *next = places->numbers;
    for (int k = 0; k < N_BY; ++k, next += most) places->by[k] = next;
    for (int k = 0; k < N_AT; ++k, next += most) places->room[k] = next;
    return SHOAL_OK;
}

void pair_places_close(pair_places *places)
{
    free(places->numbers);
    *places = (pair_places){0};
}

/* Sites follow the parameters, where their distance is one. */
static void move_sites(pair_places *c, const fit_problem *problem, const fit_sample *s,
                       const double *p)
{
    const shoal_dataset *data = problem->data;
    for (int m = 0; m < 3; ++m) {
        memcpy(c->room[AT_X + m], c->at[AT_X + m], (size_t)c->shape->from[4] * sizeof(double));
        c->at[AT_X + m] = c->room[AT_X + m];
    }
    for (int32_t k = 0; k < c->shape->from[4]; ++k) {
        const int32_t atom = s->atom_start + c->atom[k];
        if (c->atom[k] < 0 || data->host[atom] < 0) continue;
        const int32_t host = s->atom_start + data->host[atom];
        const double length = p[problem->site_slot[data->type[atom]]];
        for (int m = 0; m < 3; ++m)
            c->room[AT_X + m][k] = data->pos[host][m] + length * data->dir[atom][m];
    }
}

void pair_places_take(pair_places *c, const pair_layout *layout, const fit_problem *problem,
                      int32_t sample, const double *p, const double *q, const double *whole)
{
    const int32_t start = layout->start[sample];
    const double by_charge =
        problem->charged_radii ? p[FIT_N_COMPS * problem->n_types + FIT_RADIUS_C] : 0.0;
    double *radius = c->room[AT_RADIUS], *depth = c->room[AT_DEPTH], *h = c->room[AT_H];
    c->shape = &layout->shape[sample];
    c->atom = layout->atom + start;
    c->slot = layout->slot + start;
    for (int k = 0; k < 3; ++k) c->at[AT_X + k] = layout->pos[k] + start;
    for (int k = AT_RADIUS; k < AT_EXTRA + problem->model.n_extra; ++k) c->at[k] = c->room[k];
    if (!q) c->at[AT_Q] = layout->charge + start;
    for (int32_t k = 0; k < c->shape->from[4]; ++k) {
        const bool empty = c->slot[k] < 0;
        const double *slots = p + (empty ? 0 : c->slot[k]);
        radius[k] = empty ? 1.0 : slots[FIT_R];
        depth[k] = empty ? 0.0 : slots[FIT_Y];
        h[k] = empty ? 0.0 : slots[FIT_H];
    }
    for (int m = 0; m < problem->model.n_extra; ++m)
        for (int32_t k = 0; k < c->shape->from[4]; ++k)
            c->room[AT_EXTRA + m][k] = c->slot[k] < 0 ? 1.0 : p[c->slot[k] + FIT_EXTRA + m];
    for (int32_t k = 0; q && k < c->shape->from[4]; ++k)
        c->room[AT_Q][k] = c->atom[k] < 0 ? 0.0 : q[c->atom[k]];
    for (int32_t k = 0; by_charge != 0.0 && k < c->shape->from[4]; ++k)
        if (c->atom[k] >= 0)
            radius[k] -= by_charge * (whole ? whole[c->atom[k]] : layout->charge[start + k]);
    if (problem->sites_move) move_sites(c, problem, &problem->data->samples[sample], p);
}
