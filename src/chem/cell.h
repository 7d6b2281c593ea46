/* SPDX-License-Identifier: BSD-3-Clause
 * Geometry of periodic cells. */
#ifndef SHOAL_CHEM_CELL_H
#define SHOAL_CHEM_CELL_H

#include <stdbool.h>

/* Completes the periodic rows of a cell by unit vectors across them, so that it spans space:
 * out[k] = cell[k] where pbc[k]. At least one direction must be periodic. */
void cell_complete(const double cell[3][3], const bool pbc[3], double out[3][3]);

/* Rows of out are dual to the rows of cell: the fractional coordinate of r along row k is
 * out[k] . r. height[k] is the distance between the two faces across row k, angstrom. */
void cell_dual(const double cell[3][3], double out[3][3], double height[3]);

/* Rows a along x, b in the xy plane, c; p = a, b, c in angstrom, alpha, beta, gamma in degrees. */
void cell_of_parameters(const double p[6], double cell[3][3]);

#endif
