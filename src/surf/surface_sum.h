/* SPDX-License-Identifier: BSD-3-Clause
 * Tables of the direct sum over all images of a substrate, for one tolerance.
 *
 * What falls off fast is summed over pairs, the rest over k-vectors exp(i G.r) of the cell:
 *   Morse     exp(-alpha r) and its square: pairs only.
 *   Coulomb   with s^2 = r^2 + damping^2, 1/s = erfc(eta s)/s in pairs + erf(eta s)/s in k-vectors
 *             (Parry, Surf. Sci. 49 (1975) 433, with Z^2 = z^2 + damping^2 for z^2).
 *   LJ        1/r^2n = exp(-x) (1 + x + .. + x^(n-1)/(n-1)!) / r^2n in pairs, x = (eta r)^2, + the
 *             rest in k-vectors (Williams, Acta Cryst. A27 (1971) 452, in two dimensions):
 *             pi/(n-1)! int_0^eta^2 t^(n-2) exp(-t z^2 - G^2/4t) dt / area.
 *   pair models   exponentials and powers likewise, also 1/r^8 and 1/r^9 (n = 4.5); what the forms of charges and
 *             the damping of dispersion take off 1/r and 1/r^6 near the atoms is summed over pairs.
 * Pairs end at `reach`, k-vectors where their share falls below the tolerance. The sum does not depend
 * on eta or on the number of images. A k-vector is a function of z alone times cos or sin(G.r): it is
 * kept as polynomials on panels of z. G = 0 of the charges is -2 pi/area sum q_s f(|z - z_s|), which
 * is finite because the slab is neutral, and needs no correction for its dipole. */
#ifndef SHOAL_SURF_SURFACE_SUM_H
#define SHOAL_SURF_SURFACE_SUM_H

#include <math.h>

#include "surf/surface.h"

/* Numbers of a site: where it is, and its weights in the channels; with a pair model its numbers of a pair. */
enum { SITE_X, SITE_Y, SITE_Z, SITE_WEIGHT, SITE_SIZE = SITE_WEIGHT + PAIR_NUMBERS };

enum { SURFACE_MAX_DEGREE = 15 };

typedef struct surface_kvec {
    double gx, gy, g;        /* 1/angstrom; the first k-vector has g = 0 */
    int32_t first, n_panels; /* polynomials[first + p] is that of panel p */
} surface_kvec;

typedef struct surface_sum {
    arena memory;
    shoal_surface_form form;
    const surface_pairs *pairs; /* of the surface; NULL: form and alpha say what pairs are */
    bool charged;
    double alpha, damping, eta; /* eta = 0: nothing is split */
    double reach;               /* angstrom, of pairs */
    double cell[2][2];          /* shortest vectors of the lattice */
    double dual[2][2];          /* fractional coordinate k of r is dual[k] . r */
    /* Images of atoms within reach of the cell, in bins of the xy plane, x fastest. */
    int32_t n_sites;
    double (*sites)[SITE_SIZE];
    int32_t *site_atoms; /* [n_sites] whose image it is */
    double bin_origin[2], bin_width;
    int32_t n_bins[2];
    int32_t *bin_start; /* [n_bins[0] * n_bins[1] + 1] */
    /* k-vectors. A polynomial belongs to a panel, a channel of kvec_channels and cos or sin; its
     * variable runs from -1 to 1 over the panel. */
    int32_t n_kvecs, n_kvec_channels, degree;
    int32_t kvec_channels[SHOAL_N_CHANNELS];
    surface_kvec *kvecs;
    double *polynomials; /* [n][n_kvec_channels][2][degree + 1] */
    int32_t n_polynomials, n_panels;
    double z_low, z_high, panel; /* angstrom: k-vectors are held in n_panels from z_low to z_high */
    /* Copies of sites, column by column, and polynomials in the precision of the tolerance. */
    bool single;
    void *columns[SITE_SIZE]; /* [n_sites] of float or double */
    void *powers;
} surface_sum;

/* The caller owns *out. A tolerance above 1e-10 makes the copies in float. */
shoal_status surface_sum_create(surface_sum **out, const shoal_surface *s, double tolerance);
void surface_sum_destroy(surface_sum *sum);

/* surface_fourier.c */
shoal_status surface_fourier_create(surface_sum *sum, const shoal_surface *s, double tolerance);

/* The bin along an axis that a coordinate is in, or the nearest one. */
static inline int32_t surface_sum_bin(const surface_sum *sum, int axis, double x)
{
    const double at = floor((x - sum->bin_origin[axis]) / sum->bin_width);
    return !(at >= 0.0) ? 0 : at >= sum->n_bins[axis] ? sum->n_bins[axis] - 1 : (int32_t)at;
}

/* Moves a point into the cell of the sum. */
void surface_sum_wrap(const surface_sum *sum, double *x, double *y);

#endif
