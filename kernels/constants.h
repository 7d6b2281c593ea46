/* SPDX-License-Identifier: BSD-3-Clause
 * Constants of nature and of mathematics, each in this one place; plain literals that C17 and OpenCL C
 * 1.2 both read. Kernels wrap them in R(). */
#ifndef SHOAL_KERNELS_CONSTANTS_H
#define SHOAL_KERNELS_CONSTANTS_H

#define COULOMB_CONSTANT 14.3996454784  /* e^2 / (4 pi eps0), eV angstrom / e^2, CODATA 2018 */
#define ANGLE_TIGHT 0.1736481776669303  /* cos 80 degrees: no guard of an angle begins above it */
#define KCAL_EV 0.0433641042418         /* 1 kcal/mol in eV: 4184 / (N_A e) */
#define BOLTZMANN 8.617333262145179e-5  /* eV/K: k / e */
#define HARTREE 27.211386245988         /* eV, CODATA 2018 */
#define BOHR 0.529177210903             /* angstrom, CODATA 2018 */
#define GIGAPASCAL 6.241509074460763e-3 /* eV/angstrom^3: 1e-21 C / e */
#define ACCELERATION 9.6485332123310e-3 /* 1 eV/angstrom on 1 amu, angstrom/fs^2: N_A e */
#define PI 3.14159265358979323846
#define TWO_PI 6.28318530717958647692
#define SQRT_PI 1.77245385090551602730
#define TWO_BY_SQRT_PI 1.12837916709551257390
#define EULER_GAMMA 0.57721566490153286061
#define DEGREE 0.017453292519943295   /* in radians */
#define DEGREES 57.295779513082320877 /* in a radian */

#endif
