/* SPDX-License-Identifier: BSD-3-Clause
 * The lattice that a grid is built of: the atoms of one period of a surface, and the sums over all
 * their images, plane by plane, in reciprocal and in real space. */
#ifndef SHOAL_SURF_GRID_LATTICE_H
#define SHOAL_SURF_GRID_LATTICE_H

#include "base/arena.h"
#include "surf/surface.h"

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
    double reach;              /* angstrom: real-space sums end here */
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

/* True if the sums over k-vectors converge well at a height, for the short-range channels. */
bool grid_lattice_is_far(const grid_lattice *lattice, double z);

/* Sums over k-vectors. soften is the length s in sqrt(r^2 + s^2) that stands for r in the channel L of
 * the LJ form close to the atoms, where grid_near adds the rest; 0 for none. */
void grid_fourier_fill(const grid_lattice *lattice, const grid_planes *planes, double soften);

/* Angstrom: where real-space sums of a grid end. */
double grid_lattice_reach(const shoal_surface *surface);

/* What a channel's field differs from its limit at most, anywhere at a height above all atoms. */
double grid_fourier_bound(const grid_lattice *lattice, int channel, double z, double limit);

/* Sums in real space over the atoms within reach, added to one plane of nodes of the channels P, L,
 * ACCEPTOR or DONOR. */
typedef struct grid_near_plane {
    int32_t n_a, n_b, channel;
    double z, soften;
    double *to; /* [n_a][n_b] */
} grid_near_plane;
void grid_near_add(const grid_lattice *lattice, const grid_near_plane *plane);

#define GRID_SOFTEN 4.0          /* angstrom, of the LJ form */
#define GRID_SMOOTH_DAMPING 0.25 /* angstrom: less damping leaves charges too sharp for k-vectors */

#endif
