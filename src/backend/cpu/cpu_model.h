/* SPDX-License-Identifier: BSD-3-Clause
 * How the pairs of a topology interact, as far as the schedule chooses its loops by it. */
#ifndef SHOAL_BACKEND_CPU_MODEL_H
#define SHOAL_BACKEND_CPU_MODEL_H

#include "ff/pair_model.h"
#include "shoal/engine.h"

#include "form_numbers.h"

/* Families of form_numbers.h, and none. */
enum { CPU_NO_VDW = -1 };

typedef struct cpu_model {
    const shoal_pair_model *from; /* NULL: UFF's LJ, and what follows is not used */
    int family;                   /* FORM_; CPU_NO_VDW where that term is off */
    int coulomb;                  /* FORM_COULOMB_; FORM_COULOMB_NONE also without charges */
    bool damped;                  /* r^-6 by Tang and Toennies */
    double beta;                  /* of that, 1/angstrom */
    double damping;               /* length in Coulomb's formula, angstrom */
} cpu_model;

cpu_model cpu_model_of(const shoal_topology_view *view, const shoal_engine_options *options);

/* The damping length d of 1/sqrt(r^2 + d^2), as Ewald sums know it: 0 for all other forms of Coulomb. */
double cpu_coulomb_damping(const shoal_topology_view *view, const shoal_engine_options *options);

#endif
