/* SPDX-License-Identifier: BSD-3-Clause
 * Charges of the atoms of a sample as functions of the parameters, and Coulomb kernels. */
#include "fit/fit.h"

#define SHOAL_REAL double
#include "fit_terms.h"

double fit_coulomb_kernel(shoal_coulomb kind, double r, double damping, double *slope)
{
    return fit_coulomb((int)kind, r, damping, slope);
}

double fit_coulomb_damping_slope(shoal_coulomb kind, double r, double damping)
{
    return fit_coulomb_by_damping((int)kind, r, damping);
}

static bool from_slot(const fit_problem *problem, int32_t atom)
{
    const shoal_dataset *data = problem->data;
    return data->host[atom] >= 0 || problem->type_charge[data->type[atom]];
}

static const fit_bond *first_bond(const shoal_dataset *data, const fit_sample *s)
{
    return s->n_bonds > 0 ? &data->bonds[s->bond_start] : NULL;
}

/* Atoms of a fragment that share what is missing to its charge. */
static bool shares(const fit_problem *problem, int32_t atom)
{
    const shoal_dataset *data = problem->data;
    return data->host[atom] < 0 && problem->type_charge[data->type[atom]];
}

/* formal: the charge of a fragment whose frame gives none. */
static void spread(const fit_problem *problem, int32_t first, int32_t n, double formal, double *q)
{
    const shoal_dataset *data = problem->data;
    double missing = formal;
    int32_t n_shares = 0;
    for (int32_t i = 0; i < n; ++i) {
        if (data->host[first + i] < 0) missing += data->charge[first + i] - q[i];
        n_shares += shares(problem, first + i);
    }
    if (n_shares == 0) return;
    for (int32_t i = 0; i < n; ++i)
        if (shares(problem, first + i)) q[i] += missing / n_shares;
}

void fit_charges(const fit_problem *problem, const fit_sample *s, const double *p, double *q,
                 double *whole)
{
    const shoal_dataset *data = problem->data;
    const int32_t start = s->atom_start;
    for (int32_t i = 0; i < s->n_atoms; ++i)
        q[i] = from_slot(problem, start + i) ? p[FIT_N_COMPS * data->type[start + i] + FIT_Q]
                                             : data->charge[start + i];
    const fit_bond *bonds = first_bond(data, s);
    for (int32_t k = 0; k < s->n_bonds; ++k) {
        const fit_bond *b = &bonds[k];
        const double moved = p[FIT_N_COMPS * b->type + FIT_Q];
        q[b->from] -= moved;
        q[b->to] += moved;
    }
    if (problem->neutral) {
        static const double none[2] = {0.0, 0.0};
        const double *formal = problem->formal ? problem->formal[s - data->samples] : none;
        spread(problem, start, s->n_first, formal[0], q);
        spread(problem, start + s->n_first, s->n_atoms - s->n_first, formal[1], q + s->n_first);
    }
    for (int32_t i = 0; i < s->n_atoms && whole; ++i)
        whole[i] = data->host[start + i] < 0 ? q[i] : 0.0;
    for (int32_t i = 0; i < s->n_atoms; ++i)
        if (data->host[start + i] >= 0) q[data->host[start + i]] -= q[i];
}

/* Raising a charge by 1 lowers all that share by 1/n. */
static void spread_back(const fit_problem *problem, int32_t first, int32_t n, double *by_q)
{
    double sum = 0.0;
    int32_t n_shares = 0;
    for (int32_t i = 0; i < n; ++i) {
        if (!shares(problem, first + i)) continue;
        sum += by_q[i];
        ++n_shares;
    }
    if (n_shares == 0) return;
    for (int32_t i = 0; i < n; ++i)
        if (problem->data->host[first + i] < 0) by_q[i] -= sum / n_shares;
}

void fit_charges_back(const fit_problem *problem, const fit_sample *s, double *by_q,
                      const double *by_whole, double *slope)
{
    const shoal_dataset *data = problem->data;
    const int32_t start = s->atom_start;
    for (int32_t i = 0; i < s->n_atoms; ++i)
        if (data->host[start + i] >= 0) by_q[i] -= by_q[data->host[start + i]];
    for (int32_t i = 0; i < s->n_atoms && by_whole; ++i)
        if (data->host[start + i] < 0) by_q[i] += by_whole[i];
    if (problem->neutral) {
        spread_back(problem, start, s->n_first, by_q);
        spread_back(problem, start + s->n_first, s->n_atoms - s->n_first, by_q + s->n_first);
    }
    for (int32_t i = 0; i < s->n_atoms; ++i)
        if (from_slot(problem, start + i))
            slope[FIT_N_COMPS * data->type[start + i] + FIT_Q] += by_q[i];
    const fit_bond *bonds = first_bond(data, s);
    for (int32_t k = 0; k < s->n_bonds; ++k)
        slope[FIT_N_COMPS * bonds[k].type + FIT_Q] += by_q[bonds[k].to] - by_q[bonds[k].from];
}
