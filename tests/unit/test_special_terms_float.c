/* SPDX-License-Identifier: BSD-3-Clause
 * Special functions in float precision. */
#define SHOAL_REAL float
#define EXP_ERROR 1e-7
#define ERFCX_ERROR 4.5e-7
#define EXP_FIRST -87.3
#define EXP_LAST 88.0
#define ERFCX_LAST 1e6
#include "special_probe.h"

int main(void)
{
    return test_all();
}
