/* SPDX-License-Identifier: BSD-3-Clause
 * Shared formulas of Ewald sums in float precision. */
#define SHOAL_REAL float
#define EPSILON 1.2e-7
#include "ewald_probe.h"

int main(void)
{
    return test_all();
}
