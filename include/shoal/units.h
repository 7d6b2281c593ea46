/* SPDX-License-Identifier: BSD-3-Clause
 * Units and constants. Shoal works in eV, angstrom, e, fs, K, amu and radians; these are the numbers that it uses
 * for others, those of CODATA 2018. */
#ifndef SHOAL_UNITS_H
#define SHOAL_UNITS_H

#include "shoal/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum shoal_unit {
    SHOAL_UNIT_KCAL_PER_MOL = 0, /* eV */
    SHOAL_UNIT_BOLTZMANN,        /* eV/K */
    SHOAL_UNIT_DEGREE,           /* radians */
    SHOAL_UNIT_HARTREE,          /* eV */
    SHOAL_UNIT_BOHR,             /* angstrom */
    SHOAL_UNIT_COULOMB,          /* e^2 / (4 pi eps0), eV angstrom */
    SHOAL_UNIT_GIGAPASCAL,       /* eV/angstrom^3 */
} shoal_unit;

/* One of such a unit in Shoal's own, 0 of what is none. */
SHOAL_API double shoal_unit_value(shoal_unit unit);

#ifdef __cplusplus
}
#endif

#endif
