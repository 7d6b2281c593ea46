/* SPDX-License-Identifier: BSD-3-Clause
 * Constants for callers. */
#include "shoal/units.h"

#include "constants.h"

double shoal_unit_value(shoal_unit unit)
{
    switch (unit) {
    case SHOAL_UNIT_KCAL_PER_MOL: return KCAL_EV;
    case SHOAL_UNIT_BOLTZMANN: return BOLTZMANN;
    case SHOAL_UNIT_DEGREE: return DEGREE;
    case SHOAL_UNIT_HARTREE: return HARTREE;
    case SHOAL_UNIT_BOHR: return BOHR;
    case SHOAL_UNIT_COULOMB: return COULOMB_CONSTANT;
    case SHOAL_UNIT_GIGAPASCAL: return GIGAPASCAL;
    }
    return 0;
}
