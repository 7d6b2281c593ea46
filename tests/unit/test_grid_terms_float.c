/* SPDX-License-Identifier: BSD-3-Clause
 * Shared formulas of grids in float precision. */
#define SHOAL_REAL float
#define ERROR 1.2e-7
#include "grid_probe.h"

int main(void)
{
    return test_all();
}
