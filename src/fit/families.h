/* SPDX-License-Identifier: BSD-3-Clause
 * What a fit expects of its DOFs before it sees data. */
#ifndef SHOAL_FIT_FAMILIES_H
#define SHOAL_FIT_FAMILIES_H

#include "fit/objective.h"

/* Families of all free DOFs of types, most of them of one; signs of increments, whose direction is up to the order of the
 * table. Once groups are known. */
void fit_set_families(shoal_fit *fit);
/* The pull of alike DOFs to each other at o->pool, eV^2: adds its slope to g and its curvature to a (may be NULL). */
double objective_pool(const fit_objective *o, const double *u, double *g, double *a);

#endif
