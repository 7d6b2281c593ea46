/* SPDX-License-Identifier: BSD-3-Clause
 * The lattice of a system as the CPU sees it: a reduced basis, so that cells of any shape cost the
 * same, and its dual. */
#ifndef SHOAL_BACKEND_CPU_LATTICE_H
#define SHOAL_BACKEND_CPU_LATTICE_H

#include "backend/backend.h"

/* Shifts count vectors of the reduced basis, unless they say "given". Directions that do not repeat
 * have unit vectors normal to the periodic ones. */
typedef struct cpu_lattice {
    int32_t n_periodic;
    bool pbc[3];
    double a[3][3];     /* rows, angstrom */
    double dual[3][3];  /* a[i] . dual[j] = 1 if i == j, else 0 */
    double measure;     /* volume, area or length of the cell; 1 for an isolated system */
    int32_t back[3][3]; /* shift[k] = sum_m given[m] back[m][k] */
} cpu_lattice;

/* The periodic vectors must be finite and independent. */
void cpu_lattice_init(cpu_lattice *lattice, const double cell[3][3], const bool pbc[3]);

/* Shift of the reduced basis that a given one stands for. */
void cpu_lattice_convert(const cpu_lattice *lattice, const int32_t given[3], int32_t shift[3]);

/* The displacement of a shift, angstrom. */
void cpu_lattice_vector(const cpu_lattice *lattice, const int32_t shift[3], double out[3]);

/* Coordinate along vector k, in units of it. */
double cpu_lattice_fraction(const cpu_lattice *lattice, const double r[3], int k);

double cpu_length(const double a[3]);

#endif
