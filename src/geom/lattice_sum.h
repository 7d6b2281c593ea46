/* SPDX-License-Identifier: BSD-3-Clause
 * Potentials of lattices of point charges, for systems that repeat in one, two or three directions. */
#ifndef SHOAL_GEOM_LATTICE_SUM_H
#define SHOAL_GEOM_LATTICE_SUM_H

#include "base/error.h"
#include "geom/lattice.h"

typedef struct lattice_sum lattice_sum;

/* For a lattice with 1, 2 or 3 periodic directions. Copies what it needs. */
shoal_status lattice_sum_create(lattice_sum **out, const geom_lattice *lattice);
void lattice_sum_destroy(lattice_sum *sum);

/* The potential at d of unit charges at all points of the lattice, 1/angstrom: on a uniform background that makes it
 * neutral in three directions (its mean is zero), up to a constant in two and one, where sums over charges mean
 * something only if they add up to zero. Distances below nearest count as that. Relative error 1e-11. */
double lattice_sum_potential(const lattice_sum *sum, const double d[3], double nearest);
/* The same at a lattice point, less the charge there. */
double lattice_sum_self(const lattice_sum *sum);

/* Calls visit with d + L for all vectors L of the lattice where that is shorter than the cut-off. */
void lattice_visit(const geom_lattice *lattice, const double d[3], double cutoff,
                   void (*visit)(void *user, const int32_t shift[3], const double image[3]),
                   void *user);

#endif
