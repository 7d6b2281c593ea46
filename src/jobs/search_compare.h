/* SPDX-License-Identifier: BSD-3-Clause
 * How far two geometries of a molecule are apart, whatever atoms of one class are called and wherever symmetry puts
 * them. */
#ifndef SHOAL_JOBS_SEARCH_COMPARE_H
#define SHOAL_JOBS_SEARCH_COMPARE_H

#include "jobs/search_substrate.h"
#include "jobs/search_symmetry.h"

/* A geometry and what tells it apart quickly. */
typedef struct search_geometry {
    const double (*pos)[3];
    const double *mean; /* [n_atoms], angstrom: mean distance to all atoms */
} search_geometry;

/* Fills mean[n_atoms] in. */
void search_geometry_measure(const double (*pos)[3], int32_t n_atoms, double *mean);

/* Root mean square distance of the atoms, angstrom, the smallest over automorphisms and exchanges of like end
 * atoms, and over rotations and translations (substrate NULL) or over the motions of the substrate. Mirror images
 * are the same only where a motion of the substrate is a reflection. Ends at the first that is within limit, and
 * says INFINITY where all of them are certainly beyond. work[5 n_atoms]. */
double search_rmsd(const search_symmetry *symmetry, const search_substrate *substrate,
                   search_geometry a, search_geometry b, double limit, double *work);

/* How many automorphisms, each with a rotation or with one of the motions of the substrate, leave a geometry where it is,
 * within limit. work[5 n_atoms]. */
int32_t search_symmetry_number(const search_symmetry *symmetry, const search_substrate *substrate,
                               search_geometry g, double limit, double *work);

#endif
