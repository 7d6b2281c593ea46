/* SPDX-License-Identifier: BSD-3-Clause
 * The lattice that a grid is built of: the atoms of one period of a surface, and the sums over all
 * their images, plane by plane, in reciprocal and in real space. */
#ifndef SHOAL_SURF_GRID_LATTICE_H
#define SHOAL_SURF_GRID_LATTICE_H

#include "base/arena.h"
#include "surf/surface.h"
#include "surf/surface_power.h"

/* A k-vector of the lattice, m b1 + n b2; its opposite is not listed. */
typedef struct grid_kvec {
    int32_t m, n;
    double g; /* 1/angstrom, length of the k-vector */
} grid_kvec;

typedef struct grid_lattice {
    arena memory; /* owns the arrays */
    const shoal_surface *surface;
    double cell[2][2], inverse[2][2]; /* rows a, b; fractions = pos . inverse */
    double area;
    int32_t cells;   /* how many make a cell of the surface */
    int32_t n_atoms; /* of one period, sorted by height */
    double (*pos)[3];
    double (*weight)[SHOAL_N_CHANNELS];
    int32_t n_planes;
    int32_t *plane_start; /* [n_planes + 1]: atoms of the same height */
    int32_t n_kvecs;
    grid_kvec *kvecs;          /* by length */
    int32_t most_m, most_n;    /* largest of the k-vectors, without sign */
    double *phase_a, *phase_b; /* exp(-2 pi i m f), complex: [n_atoms][most_m + 1], .. most_n .. */
    power_rule rule;           /* of smooth parts of powers */
    double reach[SHOAL_N_CHANNELS]; /* angstrom: real-space sums end here */
} grid_lattice;

/* Finds the smallest period of a surface (unless whole_cell) and prepares its sums. */
shoal_status grid_lattice_create(grid_lattice *out, const shoal_surface *surface, bool whole_cell);
void grid_lattice_free(grid_lattice *lattice);

/* Smallest in-plane period (grid_period.c): rows of *cell, and their number in the surface's. */
shoal_status grid_period_find(const shoal_surface *surface, double cell[2][2], int32_t *cells);

/* Two planes of nodes at the heights z[2], a channel's field in each: values[n_a][n_b] of the first
 * in the real, of the second in the imaginary parts. work is as large. */
typedef struct grid_planes {
    int32_t n_a, n_b, channel;
    double z[2];
    double *values, *work;
} grid_planes;

/* Whether nodes at the heights z[2] are so close to a plane of atoms that sums over its k-vectors converge badly. Of such
 * planes grid_near adds what is short-ranged, and k-vectors bring the smooth part of a power. Charges are smooth enough
 * everywhere. */
bool grid_lattice_is_near(const grid_lattice *lattice, int32_t plane, const double z[2]);
/* The same of any plane. */
bool grid_lattice_has_near(const grid_lattice *lattice, const double z[2]);

/* Sums over k-vectors. */
shoal_status grid_fourier_fill(const grid_lattice *lattice, const grid_planes *planes);

/* Angstrom: where real-space sums of a channel end. */
double grid_lattice_reach(const shoal_surface *surface, int channel);

/* What a channel's field differs from its limit at most, anywhere at a height above all atoms. */
double grid_fourier_bound(const grid_lattice *lattice, int channel, double z, double limit);

/* Sums in real space over the planes of atoms that are near, added to two planes of nodes of a channel other than Q. */
typedef struct grid_near_job {
    const grid_lattice *lattice;
    int32_t n_a, n_b, channel;
    double z[2];
} grid_near_job;
void grid_near_add(const grid_near_job *job, double *const to[2]);

/* eta^p / Gamma(p/2 + 1) of near_smooth. */
double grid_near_full(int p);

#define GRID_ETA 1.0             /* 1/angstrom: powers are split by Gaussians of this width */
#define GRID_SMOOTH_DAMPING 0.25 /* angstrom: less damping leaves charges too sharp for k-vectors */

#endif
