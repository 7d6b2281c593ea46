/* SPDX-License-Identifier: BSD-3-Clause
 * Masses of isotopes. */
#ifndef SHOAL_CHEM_ISOTOPE_H
#define SHOAL_CHEM_ISOTOPE_H

#include <stdint.h>

/* amu; z is 1 .. 118. mass_number 0: the element as it is found. Those that are not listed have their mass number,
 * which is right to 0.1 % beyond the light ones. */
double isotope_mass(int32_t z, int32_t mass_number);

#endif
