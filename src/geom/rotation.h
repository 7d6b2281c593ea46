/* SPDX-License-Identifier: BSD-3-Clause
 * Turning atoms: rotations about axes, principal axes of inertia; and angles and torsions of atoms. */
#ifndef SHOAL_GEOM_ROTATION_H
#define SHOAL_GEOM_ROTATION_H

#include <stdint.h>

/* Rows of the matrix that turns by an angle (radians, right-handed) about a unit vector. */
void rotation_about(const double axis[3], double angle, double m[3][3]);
/* The same about x, then y, then z; degrees. */
void rotation_by_degrees(const double degrees[3], double m[3][3]);
/* r = centre + m (r - centre). */
void rotation_turn(const double m[3][3], const double centre[3], double r[3]);

/* Mean of pos[n]; 0 of none. */
void geom_centre(const double (*pos)[3], int32_t n, double out[3]);

/* Principal axes of inertia as rows of unit length, smallest moment first, right-handed. An axis points to where
 * the third moment of the masses along it is positive; without one, nearest to where x (the first), y or z was. Of the
 * three the one with the smallest of these moments points where the others leave it. */
void geom_principal_axes(const double (*pos)[3], const double *masses, int32_t n,
                         double axes[3][3]);

/* radians: 0 to pi; -pi to pi, as torsion restraints count. */
double geom_angle(const double a[3], const double b[3], const double c[3]);
double geom_torsion(const double a[3], const double b[3], const double c[3], const double d[3]);

#endif
