/* SPDX-License-Identifier: BSD-3-Clause
 * Torsions of every number of minima in double precision. */
#define SHOAL_REAL double
#define ENERGY_ERROR 1e-14
#define FORCE_ERROR 1e-13
#include "torsion_probe.h"

int main(void)
{
    return test_all();
}
