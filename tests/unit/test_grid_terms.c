/* SPDX-License-Identifier: BSD-3-Clause
 * Shared formulas of grids in double precision. */
#define SHOAL_REAL double
#define ERROR 2.3e-16
#include "grid_probe.h"

int main(void)
{
    return test_all();
}
