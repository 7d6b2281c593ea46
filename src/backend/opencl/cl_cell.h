/* SPDX-License-Identifier: BSD-3-Clause
 * The cell of a system, and how its Coulomb sum is split between images and waves. */
#ifndef SHOAL_BACKEND_CL_CELL_H
#define SHOAL_BACKEND_CL_CELL_H

#include "backend/backend.h"

/* Directions that do not repeat have unit vectors normal to the periodic ones. */
typedef struct cl_cell {
    int32_t n_periodic;
    bool pbc[3];
    double a[3][3];    /* rows, angstrom */
    double dual[3][3]; /* a[i] . dual[j] = 1 if i == j, else 0 */
    double measure;    /* volume, area or length; 1 for an isolated system */
} cl_cell;

/* The periodic vectors must be finite and independent. */
void cl_cell_init(cl_cell *cell, const double vectors[3][3], const bool pbc[3]);

/* Coordinate along vector k, in units of it. */
double cl_cell_along(const cl_cell *cell, const double r[3], int k);

/* A Coulomb sum; all zero where there is none. */
typedef struct cl_ewald {
    double alpha;        /* 1/angstrom */
    double r_cut, k_cut; /* angstrom, 1/angstrom */
    double dual[3][3];   /* of the waves: slabs repeat along the normal too, with a gap */
    double volume;       /* angstrom^3, of the cell that waves repeat in */
    double flat;         /* slabs: 2 pi / area, else 0 */
    double tall;         /* slabs: height up to which the gap is wide enough, angstrom */
    double constant;     /* eV */
    int32_t normal;      /* of a slab: the vector that does not repeat */
    int32_t last[3], n_waves;
} cl_ewald;

/* Splits the sum so that both parts leave out less than the tolerance, and the device is done
 * soonest. height: of a slab, angstrom. */
cl_ewald cl_ewald_choose(const cl_cell *cell, const shoal_topology_view *view,
                         const shoal_engine_options *options, double tolerance, double height);

/* One of two opposite waves. */
typedef struct cl_wave {
    int32_t n[3];
    double k[3];   /* 1/angstrom */
    double weight; /* of both together: energy is weight |sum of q exp(i k r)|^2, in 1/angstrom */
} cl_wave;

/* Fills waves[n_waves]; NULL only counts them. Returns their number. */
int32_t cl_ewald_list(const cl_ewald *ewald, double damping, cl_wave *waves);

#endif
