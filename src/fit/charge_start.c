/* SPDX-License-Identifier: BSD-3-Clause
 * A start for charges that are fitted where none are given: without any charge the Coulomb energy has no slope by
 * them, and a fit would never leave that point. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/element.h"
#include "fit/polarity.h"
#include "fit/problem.h"
#include "fit/sites.h"

typedef struct charge_sums {
    double *sum;    /* [n_types] charge of all atoms of a type by their bonds, e */
    int32_t *count; /* [n_types] */
    int32_t *n_bonds;
    int32_t (*bonded)[SITES_MAX_BONDS];
    double *q;
} charge_sums;

/* Atomic number; 0 for what is no element. */
static int32_t element_of(const shoal_dataset *data, int32_t type)
{
    const char *symbol = shoal_atom_types_get(data->types, type)->element;
    return element_by_symbol(symbol, (int32_t)strlen(symbol));
}

/* Whether any atom has a charge at the start values. */
static bool has_charge(const shoal_fit *fit, const double *p, double *q)
{
    const shoal_dataset *data = fit->problem.data;
    for (int32_t s = 0; s < data->n_samples; ++s) {
        fit_charges(&fit->problem, &data->samples[s], p, q, NULL);
        for (int32_t i = 0; i < data->samples[s].n_atoms; ++i)
            if (q[i] != 0.0) return true;
    }
    return false;
}

static shoal_status sum_fragment(const shoal_dataset *data, int32_t first, int32_t n,
                                 charge_sums *c)
{
    SHOAL_TRY(sites_find_bonds(data, first, n, c->n_bonds, c->bonded));
    for (int32_t i = 0; i < n; ++i) {
        const int32_t type = data->type[first + i];
        c->count[type]++;
        for (int32_t k = 0; k < c->n_bonds[i]; ++k)
            c->sum[type] += polarity_of_bond(element_of(data, type),
                                             element_of(data, data->type[first + c->bonded[i][k]]));
    }
    return SHOAL_OK;
}

static double start_of(const shoal_fit *fit, const charge_sums *c, int32_t type)
{
    const shoal_dataset *data = fit->problem.data;
    if (data->n_increments > 0 && type >= data->first_increment) {
        const shoal_charge_increment *x = &data->increments[type - data->first_increment];
        return polarity_of_bond(element_of(data, shoal_atom_types_find(data->types, x->to)),
                                element_of(data, shoal_atom_types_find(data->types, x->from)));
    }
    return c->count[type] > 0 && fit->site_host[type] < 0 ? c->sum[type] / c->count[type] : 0.0;
}

static shoal_status put_starts(shoal_fit *fit, charge_sums *c)
{
    const shoal_dataset *data = fit->problem.data;
    for (int32_t s = 0; s < data->n_samples; ++s) {
        const fit_sample *x = &data->samples[s];
        SHOAL_TRY(sum_fragment(data, x->atom_start, x->n_first, c));
        SHOAL_TRY(sum_fragment(data, x->atom_start + x->n_first, x->n_atoms - x->n_first, c));
    }
    for (int32_t i = 0; i < fit->n_dofs; ++i) {
        fit_dof *dof = &fit->dofs[i];
        if (dof->frozen || dof->type < 0 || dof->comp != FIT_Q) continue;
        dof->start = fmin(fmax(start_of(fit, c, dof->type), dof->min), dof->max);
        fit->value[i] = dof->start;
    }
    return SHOAL_OK;
}

static bool has_free_charge(const shoal_fit *fit)
{
    for (int32_t i = 0; i < fit->n_dofs; ++i)
        if (!fit->dofs[i].frozen && fit->dofs[i].type >= 0 && fit->dofs[i].comp == FIT_Q)
            return true;
    return false;
}

shoal_status problem_start_charges(shoal_fit *fit)
{
    const shoal_dataset *data = fit->problem.data;
    const size_t n_types = (size_t)fit->problem.n_types;
    size_t most = 1;
    if (!has_free_charge(fit)) return SHOAL_OK;
    for (int32_t s = 0; s < data->n_samples; ++s)
        if ((size_t)data->samples[s].n_atoms > most) most = (size_t)data->samples[s].n_atoms;
    charge_sums c = {.sum = shoal_alloc(n_types, sizeof *c.sum),
                     .count = shoal_alloc(n_types, sizeof *c.count),
                     .n_bonds = shoal_alloc(most, sizeof *c.n_bonds),
                     .bonded = shoal_alloc(most, sizeof *c.bonded),
                     .q = shoal_alloc(most, sizeof *c.q)};
    double *p = shoal_alloc((size_t)fit->problem.n_slots, sizeof *p);
    const bool complete = c.sum && c.count && c.n_bonds && c.bonded && c.q && p;
    shoal_status status = complete ? SHOAL_OK : SHOAL_E_MEMORY;
    if (complete) {
        fit_slots(fit, fit->value, p);
        if (!has_charge(fit, p, c.q)) status = put_starts(fit, &c);
    }
    free(c.sum);
    free(c.count);
    free(c.n_bonds);
    free(c.bonded);
    free(c.q);
    free(p);
    return status;
}
