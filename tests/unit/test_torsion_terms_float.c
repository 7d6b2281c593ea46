/* SPDX-License-Identifier: BSD-3-Clause
 * Torsions of every number of minima in float precision. */
#define SHOAL_REAL float
#define ENERGY_ERROR 3e-6
#define FORCE_ERROR 2e-5
#include "torsion_probe.h"

int main(void)
{
    return test_all();
}
