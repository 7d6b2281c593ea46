/* SPDX-License-Identifier: BSD-3-Clause
 * Shared formulas of Ewald sums in double precision. */
#define SHOAL_REAL double
#define EPSILON 2.3e-16
#include "ewald_probe.h"

int main(void)
{
    return test_all();
}
