/* SPDX-License-Identifier: BSD-3-Clause
 * Lattices: periodic vectors, completed by unit vectors where a system does not repeat, and the dual
 * basis. A basis may be reduced, so that cells of any shape cost the same. */
#ifndef SHOAL_GEOM_LATTICE_H
#define SHOAL_GEOM_LATTICE_H

#include <stdbool.h>
#include <stdint.h>

/* Shifts count vectors of the basis, unless they say "given". Directions that do not repeat have unit
 * vectors normal to the periodic ones. */
typedef struct geom_lattice {
    int32_t n_periodic;
    bool pbc[3];
    double a[3][3];     /* rows, angstrom */
    double dual[3][3];  /* a[i] . dual[j] = 1 if i == j, else 0 */
    double measure;     /* volume, area or length of the cell; 1 for an isolated system */
    int32_t back[3][3]; /* shift[k] = sum_m given[m] back[m][k]; the unit matrix if not reduced */
} geom_lattice;

/* The basis as given. False if the periodic vectors are not finite or not independent; the dual basis is
 * then undefined. */
bool lattice_init(geom_lattice *out, const double cell[3][3], const bool pbc[3]);
/* The same lattice in a basis of short vectors. */
bool lattice_init_reduced(geom_lattice *out, const double cell[3][3], const bool pbc[3]);

/* Shift in the basis that one in the given basis stands for. */
void lattice_convert(const geom_lattice *lattice, const int32_t given[3], int32_t shift[3]);

/* The displacement of a shift, angstrom. */
void lattice_vector(const geom_lattice *lattice, const int32_t shift[3], double out[3]);

/* Coordinate along vector k, in units of it. */
double lattice_fraction(const geom_lattice *lattice, const double r[3], int k);

/* How many images of the cell a pair has to look at, for a cut-off in angstrom. */
double lattice_count_images(const geom_lattice *lattice, double cutoff);

/* Squared length of the shortest of the images of a difference d, angstrom^2. */
double lattice_shortest2(const geom_lattice *reduced, const double d[3]);

#endif
