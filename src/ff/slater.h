/* SPDX-License-Identifier: BSD-3-Clause
 * Coulomb integrals between Slater ns charge clouds, in atomic units. */
#ifndef SHOAL_FF_SLATER_H
#define SHOAL_FF_SLATER_H

#include <stdint.h>

enum { SLATER_MOST_N = 7 };

/* A normalised cloud of density ~ r^(2n-2) exp(-2 zeta r). */
typedef struct slater_cloud {
    int32_t n;   /* principal quantum number, 1..SLATER_MOST_N */
    double zeta; /* 1/bohr */
} slater_cloud;

enum { SLATER_POWERS = 4 * SLATER_MOST_N }; /* of xi and of eta */

/* What the integrals of two quantum numbers share. With f_k = (1 - k/2n)/k! and i + m = low + d + k,
 * coef[d][i * size + m] is f_k(nb) / (2na)! times that of xi^i eta^m in (xi + eta)^(low+d) (xi - eta)^k. */
typedef struct slater_shape {
    int32_t na, nb;                   /* na <= nb */
    int32_t low, size;                /* 2na - 1, 2na + 2nb */
    double own[2][2 * SLATER_MOST_N]; /* f_k(na), and (k + 1) f_(k+1)(na) */
    double coef[2][SLATER_POWERS * SLATER_POWERS];
} slater_shape;

/* For na <= nb, both 1..SLATER_MOST_N. */
void slater_shape_init(slater_shape *out, int32_t na, int32_t nb);

/* Repulsion of two unit clouds less that of point charges, J(r) - 1/r, in hartree, for the zetas of na and nb in
 * 1/bohr and r > 0 in bohr; error below 1e-9 hartree, and below 1e-12 unless zeta r differs by more than 5. by_a
 * and, if na = nb, by_b (both may be NULL) become its derivatives by the zetas. */
double slater_excess(const slater_shape *shape, const double zeta[2], double r, double *by_a,
                     double *by_b);

/* The distance beyond which the excess is below 1e-12 hartree, for quantum numbers of this sum: in units of 1/zeta of
 * the larger cloud. */
double slater_reach(int32_t sum_n);

/* Repulsion of two unit clouds whose centres are r bohr apart, in hartree. Tends to 1/r at large distance. */
double slater_repulsion(slater_cloud a, slater_cloud b, double r);

#endif
