/* SPDX-License-Identifier: BSD-3-Clause
 * Coulomb integrals between Slater ns charge clouds, in atomic units. */
#ifndef SHOAL_FF_SLATER_H
#define SHOAL_FF_SLATER_H

#include <stdint.h>

/* A normalised cloud of density ~ r^(2n-2) exp(-2 zeta r). */
typedef struct slater_cloud {
    int32_t n;   /* principal quantum number, 1..7 */
    double zeta; /* 1/bohr */
} slater_cloud;

/* Repulsion of two unit clouds whose centres are r bohr apart, in hartree; relative error below
 * 1e-11. Tends to 1/r at large distance. */
double slater_repulsion(slater_cloud a, slater_cloud b, double r);

#endif
